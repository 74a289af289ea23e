# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"}
# # The exact optimum, and what it does not promise
#
# **15 minutes.** A training run gave 1.92 units of reward for 0.78 nats. Is that good? In this small
# world the best possible policy can be written down in one line, so we can measure the run against
# it. Then we ask a harder question: best at *what*?
#
# Afterwards you can
#
# - compute the best policy for any β > 0, by hand for three actions;
# - say how far a run falls short, and find out why;
# - show how a policy exploits a weak reward model, and what would have revealed it.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **15 minutes**: 3 for the optimum by hand, 4 to begin the exercise (the rest at
# home), 4 for run against optimum, 4 for "not alignment". The first table invites a pocket
# calculator. The last part is the one to keep if time is short.
#
# </details>

# %% slideshow={"slide_type": "skip"}
# lessonlib comes first: it chooses the CPU before JAX starts.
from lessonlib import (
    Bandit, Settings, check, expected_reward, explore, figure_data, fit_reward, kl, lesson_bandit,
    picture, plot_panels, predict, quiz, regularized_objective, reveal, sweep, train,
)  # fmt: skip

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A recipe for the best policy
#
# RLHF maximises E[r(a)] − β·KL(π‖π_ref), a ~ π. For fixed scores and a reference that gives every
# action a positive probability, the best policy is
#
# $$\pi^*(a) \propto \pi_{\mathrm{ref}}(a)\, e^{r(a)/\beta}.$$
#
# In words: take the reference, multiply each probability by e to the power of score over β, and
# divide by the sum. Here are the ingredients for β = 1.

# %% slideshow={"slide_type": "fragment"}
bandit = lesson_bandit()

print("action   reference   score   e^score")
for action in range(3):
    chance, score = jnp.exp(bandit.reference_logp[action]), bandit.rewards[action]
    print(f"{action:>6} {chance:11.3f} {score:7.3f} {jnp.exp(score):9.3f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Three products, their sum, three divisions. Paper or a pocket calculator will do.

# %% slideshow={"slide_type": "subslide"}
predict("optimum_beta_1")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
products = jnp.exp(bandit.reference_logp) * jnp.exp(bandit.rewards)
by_hand = products / products.sum()

print("action   product   divided by the sum")
for action in range(3):
    print(f"{action:>6} {products[action]:9.3f} {by_hand[action]:20.3f}")
print(f"   sum {products.sum():9.3f}")

# %% slideshow={"slide_type": "fragment"}
reveal("optimum_beta_1", by_hand)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: the best policy at a price
#
# *6 minutes · medium*
#
# Of all policies, π*(a) ∝ π_ref(a)·exp(r(a)/β) has the highest E[r] − β·KL(π‖π_ref). Write its
# log-probs, shape (A,), so that they also come out for a very small β. By hand first: π_ref =
# (1/2, 1/2), rewards (2 log 2, 0), β = 2. What is π*?
#
# **Key functions**
#
# - `jax.nn.log_softmax(x)`: normalises on the log scale
# - `reference_logp` holds log π_ref, in nats
#
# **Plan**
#
# 1. Write log of π_ref(a)·exp(r(a)/β) as a sum.
# 2. Normalise, without leaving the log scale.

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="optimal_logp"
def my_optimal_logp(reference_logp, rewards, beta):
    # TODO 1: log of the unnormalised weights, (A,)
    # TODO 2: normalise on the log scale
    return ...

# %% slideshow={"slide_type": "fragment"}
check("optimal_logp", my_optimal_logp)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Think of β → ∞ and β → 0 first: where must π* go in each case?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# The log of a product is a sum. You hold one of the two summands already as it should be.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# The log-weights are `reference_logp + rewards / beta`. The function that turns any log-weights into log-probs has been with you since notebook 01.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def my_optimal_logp(reference_logp, rewards, beta):
#     return jax.nn.log_softmax(reference_logp + rewards / beta)
# ```
#
# On the log scale the product becomes a sum, and log_softmax takes the largest entry away before it uses exp, so nothing overflows however small β is.
#
# </details>
#
# **Change one condition.** Add 5 to all rewards. What changes in π*, and what in the objective that it reaches? Verify both.

# %% [markdown] slideshow={"slide_type": "subslide"}
# The rest of the notebook uses this one line. It stays with log-probabilities, so that a small β cannot
# overflow: at β = 0.01, e^(score/β) is beyond what a float can hold.

# %% slideshow={"slide_type": "fragment"}
def optimal_logp(reference_logp, rewards, beta):
    return jax.nn.log_softmax(reference_logp + rewards / beta)


# %% slideshow={"slide_type": "fragment"}
in_code = jnp.exp(optimal_logp(bandit.reference_logp, bandit.rewards, 1.0))
print("the same as by hand:", bool(jnp.allclose(in_code, by_hand, atol=1e-6)))
print("e^(score/0.01), action 0:", jnp.exp(bandit.rewards[0] / 0.01))
print("π* at β = 0.01:", jnp.exp(optimal_logp(bandit.reference_logp, bandit.rewards, 0.01)))

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A run against the optimum
#
# Back to the lesson's price, β = 0.2. Three policies: the untouched reference, the one that PPO
# trained on 40 batches of 128 samples, and π\*, which never saw a sample.

# %% slideshow={"slide_type": "fragment"}
settings = Settings()
policies = {
    "reference": bandit.reference_logp,
    "trained": train(bandit, settings).logp[-1],
    "optimum": optimal_logp(bandit.reference_logp, bandit.rewards, settings.beta),
}


def objective(logp, beta=settings.beta):
    return float(regularized_objective(logp, bandit.rewards, bandit.reference_logp, beta))


# %% slideshow={"slide_type": "fragment"}
predict("who_drifts")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
ranking = sorted(policies, key=lambda name: -kl(policies[name], bandit.reference_logp))
print("most drift first:", ", ".join(ranking))

# %% slideshow={"slide_type": "fragment"}
reveal("who_drifts")

# %% slideshow={"slide_type": "subslide"}
predict("gap_size")

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
print("policy      reward      KL   reward − 0.2·KL")
for name, logp in policies.items():
    reward, drift = expected_reward(logp, bandit.rewards), kl(logp, bandit.reference_logp)
    print(f"{name:<9} {reward:8.3f} {drift:7.2f} {objective(logp):17.3f}")

gap = objective(policies["optimum"]) - objective(policies["trained"])
print(f"the trained policy stays {gap:.3f} score units below the optimum")

# %% slideshow={"slide_type": "fragment"}
reveal("gap_size", gap)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Why nothing can beat it
#
# Put the recipe into the objective, all means over a ~ π, and it falls into two pieces:
#
# $$E[r] - \beta\,\mathrm{KL}(\pi\,\|\,\pi_{\mathrm{ref}})
# = \beta \log Z - \beta\,\mathrm{KL}(\pi\,\|\,\pi^*),
# \qquad Z = \sum_a \pi_{\mathrm{ref}}(a)\, e^{r(a)/\beta}.$$
#
# The first piece is the same for every π. The second is a KL, never negative, and zero only at
# π = π\*. So the gap of any policy is β times its KL to the optimum. Check it on the run:

# %% slideshow={"slide_type": "fragment"}
distance = float(kl(policies["trained"], policies["optimum"]))
print(f"0.2 × KL(trained‖optimum) = {settings.beta * distance:.3f}")

# %% [markdown] slideshow={"slide_type": "subslide"}
# And a check that trusts no algebra: 1,000 random policies, scored in plain NumPy.

# %% slideshow={"slide_type": "fragment"}
rewards, reference = np.float64(bandit.rewards), np.exp(np.float64(bandit.reference_logp))
random = np.random.default_rng(0).dirichlet(np.ones(3), size=1000)
scores = random @ rewards - 0.2 * np.sum(random * np.log(random / reference), axis=1)

print(f"best of 1,000 random policies: {scores.max():.3f}")
print(f"optimum:                       {objective(policies['optimum']):.3f}")
print("random policies above the optimum:", int((scores > objective(policies["optimum"])).sum()))

# %% [markdown] slideshow={"slide_type": "slide"}
# ## From very cheap to very dear
#
# β is the price of drift. Push it to both ends.

# %% slideshow={"slide_type": "fragment"}
predict("beta_large")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
prices = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0, 1000.0]
tilted = jnp.stack([optimal_logp(bandit.reference_logp, bandit.rewards, b) for b in prices])
limits = {"panels": [{
    "kind": "line", "title": "The optimum at each price", "x": prices, "xscale": "log",
    "xlabel": "β (score units per nat)", "ylabel": "probability under π*", "ylim": [0, 1],
    "series": [
        {"label": f"action {a}", "y": jnp.exp(tilted[:, a]).tolist()} for a in range(3)
    ],
}]}  # fmt: skip
picture(
    plot_panels(limits),
    "One panel: probability of each action under the optimum against β on a log scale. At small β "
    "action 0 has all of it. From β = 0.5 on it falls, and at β = 1000 the three lines stand at the "
    "reference: 0.40, 0.33 and 0.27.",
    limits,
)

# %% slideshow={"slide_type": "fragment"}
reveal("beta_large")

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** To the left, β → 0: all probability on the best-scored action. To the right,
# β → ∞: the reference. At 0.2 the optimum is already almost certain of action 0, so changes of β are
# best seen at 1 and above.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes** for run against optimum. Usual wrong answer: "uniform". Ask what e^(r/β) becomes for every action when β is huge, and what
# is then left of the product.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Run and optimum, price by price

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_06_two_betas")

# %% [markdown] slideshow={"slide_type": "fragment"}
# The gap is the optimum's objective minus the trained policy's, both at the same β. Here over 100
# seeds.

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
betas = [0.2, 0.5, 1.0, 2.0, 5.0]
optima = [optimal_logp(bandit.reference_logp, bandit.rewards, beta) for beta in betas]
runs = sweep(bandit, settings, betas=betas, clips=[settings.clip], seeds=range(100))

print("  β   objective of π*   mean gap   largest gap")
for index, beta in enumerate(betas):
    top = objective(optima[index], beta)
    gaps = top - (runs.reward[index, 0, :, -1] - beta * runs.kl[index, 0, :, -1])
    print(f"{beta:3.1f} {top:17.3f} {gaps.mean():10.3f} {gaps.max():13.3f}")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
drift = {"panels": [{
    "kind": "bar", "title": "Drift at each price", "x": list(range(len(betas))),
    "labels": [str(beta) for beta in betas],
    "xlabel": "β (score units per nat)", "ylabel": "KL(π‖π_ref), a ~ π (nats)",
    "series": [
        {"label": "optimum", "y": [float(kl(best, bandit.reference_logp)) for best in optima]},
        {"label": "trained policy", "y": runs.kl[:, 0, :, -1].mean(axis=1).tolist()},
    ],
}]}  # fmt: skip
picture(
    plot_panels(drift),
    "Bars: KL to the reference at five prices, for the optimum and for the mean trained policy. The "
    "trained policy drifts less than the optimum at small β; from β = 2 on the bars are level.",
    drift,
)

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** Where drift is cheap, the optimum lies far away and the run stops short of it. Where
# drift is dear, the optimum lies close to the start and the run gets there.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where does the gap come from?
#
# Three suspects for the gap at β = 0.2: the clip, the noise of sampling, too few steps. We take them
# away one at a time.

# %% slideshow={"slide_type": "fragment"}
predict("gap_cause")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
suspects = {
    "as it was": settings,
    "clip 1.0": replace(settings, clip=1.0),
    "10 times the samples": replace(settings, batch_size=1280),
    "10 times the batches": replace(settings, iterations=400),
}
top = objective(policies["optimum"])
for name, changed in suspects.items():
    run = sweep(bandit, changed, betas=[0.2], clips=[changed.clip], seeds=range(16))
    gaps = top - (run.reward[0, 0, :, -1] - 0.2 * run.kl[0, 0, :, -1])
    print(f"{name:<21} mean gap {gaps.mean():.3f}")

# %% slideshow={"slide_type": "fragment"}
reveal("gap_cause")

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** Only more steps close the gap: the run had not arrived. Neither the clip nor the noise
# of sampling held it back at these settings.

# %% [markdown] slideshow={"slide_type": "subslide"}
# In the explorer the optimum is drawn as orange diamonds. Move β from 0.2 to 2 and watch run and
# diamonds meet. Then look for settings at which they part again.

# %% slideshow={"slide_type": "fragment"}
explore()

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Not alignment
#
# π\* is the best policy for *these scores*. Nothing above asked whether the scores are any good. So
# build a reward model that is weak in a familiar way. It sees one feature of an answer, its length.
#
# | action | answer | length | held-out quality |
# |---|---|---|---|
# | 0 | padded, beside the point | 1.5 | 0.3 |
# | 1 | complete | 1.0 | 0.9 |
# | 2 | cut off | −1.0 | 0.0 |
#
# Suppose that people compared actions 1 and 2 only, and preferred 1. The quality in the last column
# comes from somebody else, and neither the fit nor the training ever sees it. The two columns of numbers are made up
# for the example; everything that follows is computed.

# %% slideshow={"slide_type": "subslide"}
length = jnp.array([[1.5], [1.0], [-1.0]])
quality = jnp.array([0.3, 0.9, 0.0])

w = fit_reward(length[1:2], length[2:3])
weak = Bandit(length @ w, bandit.reference_logp)
print("score of each answer:", ", ".join(f"{score:.2f}" for score in weak.rewards))
print("its only preference is satisfied:", bool(weak.rewards[1] > weak.rewards[2]))

# %% [markdown] slideshow={"slide_type": "fragment"}
# It agrees with all of its data. About action 0 it was never asked; it extrapolates: longer is better.

# %% slideshow={"slide_type": "subslide"}
predict("held_out_quality")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
history = train(weak, settings)
start = {"score": expected_reward(bandit.reference_logp, weak.rewards),
         "quality": expected_reward(bandit.reference_logp, quality)}  # fmt: skip
held_out = jnp.exp(history.logp) @ quality

print("batches   learned score   held-out quality")
print(f"{0:>7} {start['score']:15.2f} {start['quality']:18.3f}")
for batch in (1, 2, 5, 10, 40):
    print(f"{batch:>7} {history.reward[batch - 1]:15.2f} {held_out[batch - 1]:18.3f}")

# %% slideshow={"slide_type": "fragment"}
reveal("held_out_quality")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
reward_panel, _, bars = figure_data(history, weak)["panels"]
quality_panel = reward_panel | {
    "title": "Held-out quality",
    "ylabel": "expected quality (0 to 1)",
    "series": [
        {"label": "reference policy", "y": [float(start["quality"])] * 40},
        {"label": "trained policy", "y": held_out.tolist()},
    ],
}
exploited = {"panels": [reward_panel, quality_panel, bars]}
picture(
    plot_panels(exploited),
    "Three panels. The learned reward climbs over all 40 batches. Held-out quality rises a little, "
    "then falls below the reference. Bars: the policy ends almost wholly on the padded action 0.",
    exploited,
)

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** First the policy drops the cut-off answer, and score and quality both rise. Then it
# trades complete answers for padded ones: the score still rises, the quality falls. From the learned
# reward alone the two stretches cannot be told apart.

# %% slideshow={"slide_type": "subslide"}
prices = [0.0, 0.2, 1.0, 2.0, 5.0]
weak_runs = sweep(weak, settings, betas=prices, clips=[settings.clip], seeds=range(100))
qualities = jnp.exp(weak_runs.logp[:, 0, :, -1]) @ quality

print("means over 100 seeds, after 40 batches")
print("  β   learned score   KL   held-out quality")
for index, beta in enumerate(prices):
    score = weak_runs.reward[index, 0, :, -1].mean()
    drift = weak_runs.kl[index, 0, :, -1].mean()
    print(f"{beta:3.1f} {score:15.2f} {drift:4.2f} {qualities[index].mean():18.2f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** The learned score falls with every rise of β, while quality is best in the
# middle. A price on drift is a brake, not
# a cure: KL measures distance from the reference, not distance from what people want. And we could
# only choose β because we had an evaluation that the reward model did not make.

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_06_independent")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Test the claim on a case without any effect: 20 settings of exactly equal quality 0.5, each judged
# on 50 answers. Report the best of them, once from the judgements that chose it and once from new
# ones.

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
rng = np.random.default_rng(0)
judged = rng.binomial(50, 0.5, size=(1000, 20)) / 50
afresh = rng.binomial(50, 0.5, size=1000) / 50

print(f"best of 20, by the judgements that chose it: {judged.max(axis=1).mean():.2f}")
print(f"the same setting, judged afresh:             {afresh.mean():.2f}")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What this fixture cannot show
#
# - **Language.** One prompt, three final answers, no tokens. PPO on text also needs token masks, the
#   end of a rollout, value or advantage estimates and a way to generate.
# - **Judgement.** The optimum maximises the scores. Whether the scores are right is not in any of
#   these sums.
# - **People.** No human judged anything here. Real systems need to know where their human data come
#   from, and held-out human judgements that no training has used.
#
# In a comparison, hold reward and reference versions fixed, keep an evaluation that is independent of
# the reward model, and look at the unfavourable cases one by one. What you have seen is sampled
# policy optimisation against a learned, synthetic preference reward, and nothing more.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes** for "not alignment". Ask: *who in your own project could say that quality fell, without looking at the reward?* If nobody
# can, that is the next thing to build.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What to carry on
#
# - The best policy for a price β is the reference, tilted by e^(r/β). It bounds this bandit's
#   objective and nothing else.
# - The gap of any policy is β times its KL to that optimum. It can be measured, and its cause found.
# - Objectives at different β are different rulers.
# - A perfect optimum of a weak score is still weak. Judge with something the score did not make.
