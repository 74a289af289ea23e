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
# **15 minutes: 4 for the optimum by hand, 4 for run against optimum, 4 for "not alignment", 3 for the
# exercise.** The first table invites a pocket calculator. The last part is the one to keep if time
# is short.

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

# %% [markdown] slideshow={"slide_type": "subslide"}
# In code we stay with log-probabilities, so that a small β cannot overflow. A product of
# probabilities is a sum of logs, and `log_softmax` does the dividing.

# %% slideshow={"slide_type": "fragment"}
def optimal_logp(reference_logp, rewards, beta):
    return jax.nn.log_softmax(reference_logp + rewards / beta)


# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
products = jnp.exp(bandit.reference_logp) * jnp.exp(bandit.rewards)
best = jnp.exp(optimal_logp(bandit.reference_logp, bandit.rewards, 1.0))

print("action   product   divided by the sum   optimal_logp")
for action in range(3):
    by_hand = products[action] / products.sum()
    print(f"{action:>6} {products[action]:9.3f} {by_hand:20.3f} {best[action]:14.3f}")
print(f"   sum {products.sum():9.3f}")

# %% slideshow={"slide_type": "fragment"}
reveal("optimum_beta_1", best)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A run against the optimum
#
# Back to the lesson's price, β = 0.2. Three policies: the untouched reference, the one that PPO
# trained on 40 batches of 128 samples, and π\*, which never saw a sample.

# %% slideshow={"slide_type": "fragment"}
predict("who_wins")

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
settings = Settings()
policies = {
    "reference": bandit.reference_logp,
    "trained": train(bandit, settings).logp[-1],
    "optimum": optimal_logp(bandit.reference_logp, bandit.rewards, settings.beta),
}


def objective(logp, beta=settings.beta):
    return float(regularized_objective(logp, bandit.rewards, bandit.reference_logp, beta))


ranking = sorted(policies, key=lambda name: objective(policies[name]), reverse=True)
print("best first:", ", ".join(ranking))

# %% slideshow={"slide_type": "fragment"}
reveal("who_wins")

# %% slideshow={"slide_type": "subslide"}
predict("gap_size")

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
print("policy      reward      KL   reward − 0.2·KL")
for name, logp in policies.items():
    reward, drift = expected_reward(logp, bandit.rewards), kl(logp, bandit.reference_logp)
    print(f"{name:<9} {reward:8.3f} {drift:7.3f} {objective(logp):17.3f}")

gap = objective(policies["optimum"]) - objective(policies["trained"])
print(f"the trained policy stays {gap:.3f} score units below the optimum")

# %% slideshow={"slide_type": "fragment"}
reveal("gap_size", gap)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Why nothing can beat it
#
# Put the recipe into the objective, and it falls into two pieces:
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

# %% [markdown] slideshow={"slide_type": "fragment"}
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

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
prices = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0, 1000.0]
optima = jnp.stack([optimal_logp(bandit.reference_logp, bandit.rewards, b) for b in prices])
limits = {"panels": [{
    "kind": "line", "title": "The optimum at each price", "x": prices, "xscale": "log",
    "xlabel": "β (score units per nat)", "ylabel": "probability under π*", "ylim": [0, 1],
    "series": [
        {"label": f"action {a}", "y": jnp.exp(optima[:, a]).tolist()} for a in range(3)
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
# Usual wrong answer: "uniform". Ask what e^(r/β) becomes for every action when β is huge, and what
# is then left of the product.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where does the gap come from?
#
# Run and optimum over several prices, with 32 seeds each. The gap is the optimum's objective minus
# the trained policy's, both at the same β.

# %% slideshow={"slide_type": "fragment"}
betas = [0.2, 0.5, 1.0, 2.0, 5.0]
runs = sweep(bandit, settings, betas=betas, clips=[settings.clip], seeds=range(32))

print("  β   objective of π*   mean gap   largest gap")
for index, beta in enumerate(betas):
    top = objective(optimal_logp(bandit.reference_logp, bandit.rewards, beta), beta)
    gaps = top - (runs.reward[index, 0, :, -1] - beta * runs.kl[index, 0, :, -1])
    print(f"{beta:3.1f} {top:17.3f} {gaps.mean():10.3f} {gaps.max():13.3f}")

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_06_two_betas")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Three suspects for the gap at β = 0.2: the clip, the noise of sampling, too few steps. Take them away
# one at a time.

# %% slideshow={"slide_type": "fragment"}
suspects = {
    "as it was": settings,
    "no clip to speak of": replace(settings, clip=1.0),
    "32 times the samples": replace(settings, batch_size=4096),
    "10 times the batches": replace(settings, iterations=400),
}
top = objective(policies["optimum"])
for name, changed in suspects.items():
    run = sweep(bandit, changed, betas=[0.2], clips=[changed.clip], seeds=range(8))
    gaps = top - (run.reward[0, 0, :, -1] - 0.2 * run.kl[0, 0, :, -1])
    print(f"{name:<21} mean gap {gaps.mean():.3f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** Only more steps close the gap: the run had simply not arrived. Neither the clip nor
# the noise held it back at these settings.

# %% [markdown] slideshow={"slide_type": "subslide"}
# In the explorer the optimum is drawn as faint marks. Move β from 0.2 to 2 and watch run and marks
# meet. Then look for settings at which they part again.

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
# People compared actions 1 and 2 only, and preferred 1. The quality in the last column comes from
# somebody else, and neither the fit nor the training ever sees it. The two columns of numbers are made up
# for the example; everything that follows is computed.

# %% slideshow={"slide_type": "fragment"}
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

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
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
exploited = {"panels": [
    figure_data(history, weak)["panels"][0],
    {
        "kind": "line", "title": "Held-out quality", "x": list(range(1, 41)), "ylim": [0, 1],
        "xlabel": "completed rollout batches", "ylabel": "expected quality (0 to 1)",
        "series": [
            {"label": "reference policy", "y": [float(start["quality"])] * 40},
            {"label": "trained policy", "y": held_out.tolist()},
        ],
    },
    figure_data(history, weak)["panels"][2],
]}  # fmt: skip
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
print("  β   learned score   KL   held-out quality after 40 batches")
for beta in (0.0, 0.2, 1.0, 2.0, 5.0):
    run = train(weak, replace(settings, beta=beta))
    last = expected_reward(run.logp[-1], quality)
    print(f"{beta:3.1f} {run.reward[-1]:15.2f} {run.kl[-1]:5.2f} {last:18.2f}")

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
# Ask: *who in your own project could say that quality fell, without looking at the reward?* If nobody
# can, that is the next thing to build.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What to carry on
#
# - The best policy for a price β is the reference, tilted by e^(r/β).
# - The gap of any policy is β times its KL to that optimum. It can be measured, and its cause found.
# - Objectives at different β are different rulers.
# - A perfect optimum of a weak score is still weak. Judge with something the score did not make.
