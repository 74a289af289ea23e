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
# # The PPO loop: reward up, policy adrift
#
# **22 minutes.** A reward model has been fitted and frozen. Now its scores change a policy.
# You type the whole training loop, run it, and watch two numbers together: the reward that the
# policy earns and its distance from where it started.
#
# Afterwards you can
#
# - read the loop aloud and say at every line which of the four objects changes;
# - say before a run which action gains, and why the KL rises with it;
# - find out, from the run itself, whether a setting such as β or the clip matters;
# - tell an effect from the luck of one seed.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **22 minutes**: 4 for the exercise, 4 for the loop, 6 for the run and its
# figure, 8 for clip, seeds and explorer. The exercise can be homework. Ask for a show of hands before each prediction is locked. In class, run the
# explorer yourself and let the students call out the settings.
#
# </details>

# %% slideshow={"slide_type": "skip"}
# lessonlib comes first: it chooses the CPU before JAX starts.
from lessonlib import (
    Bandit, Rollout, Settings, check, expected_reward, explore, figure_data, kl, lesson_bandit,
    picture, plot_panels, ppo_loss, predict, quiz, reveal, sweep, train,
)  # fmt: skip

from dataclasses import replace

import jax
import jax.numpy as jnp

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What is on the table
#
# One prompt, three answers to it, called actions 0, 1 and 2. Each has a learned score, in **score
# units**, and a probability under the reference policy. The policy starts as a copy of the
# reference.

# %% slideshow={"slide_type": "fragment"}
bandit = lesson_bandit()
start_reward = expected_reward(bandit.reference_logp, bandit.rewards)

print("action   score   reference   score − mean")
for action in range(3):
    score, chance = bandit.rewards[action], jnp.exp(bandit.reference_logp[action])
    print(f"{action:>6} {score:7.3f} {chance:11.3f} {score - start_reward:14.3f}")
print(f"mean score under the reference: {start_reward:.3f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# By hand: 0.402 × 1.981 + 0.329 × 0.327 − 0.269 × 2.308 ≈ 0.282. The last column is the
# **advantage** of each action at the start: how much better it is than what the policy earns on
# average. Keep an eye on action 1. Its advantage is positive, but only just.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: better or worse than the policy's average
#
# *4 minutes · easy*
#
# For every sampled action the advantage is r(a) − Σ_b π_old(b) r(b): an exact baseline, the
# expected reward of the policy that drew the samples. Write it, shape (N,). By hand first: π_old =
# (3/4, 1/4), rewards (1, 3). What are the two possible advantages, and what is their expectation?
#
# **Key functions**
#
# - `jnp.exp(old_logp)`: probabilities (A,)
# - `rewards[actions]`: reward of every sample, (N,)
# - `jnp.sum(x)` or `p @ rewards`
#
# **Plan**
#
# 1. The expected reward under π_old: one number, summed over all actions.
# 2. The reward of every sampled action.
# 3. Take the one from the other.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="advantages"
def my_advantages(actions, old_logp, rewards):
    # TODO 1: expected reward of the old policy, one number
    # TODO 2: reward of each sample, (N,)
    # TODO 3: the advantage of each sample
    return ...

# %% slideshow={"slide_type": "fragment"}
check("advantages", my_advantages)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# The baseline does not know which actions were drawn. Which arguments does it need?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# `old_logp` holds log-probs of all actions. An expectation wants probabilities as weights.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `baseline = jnp.sum(jnp.exp(old_logp) * rewards)`; the rewards of the samples are `rewards[actions]`.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def my_advantages(actions, old_logp, rewards):
#     baseline = jnp.sum(jnp.exp(old_logp) * rewards)
#     return rewards[actions] - baseline
# ```
#
# The sum runs over all actions, whether they were drawn or not, so the baseline is a constant for the batch and no estimate. Weighted with π_old the advantages add up to 0.
#
# </details>
#
# **Change one condition.** Use the mean of `rewards[actions]` as the baseline. What does the advantage become for a batch of one, whatever its action?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Collect first
#
# A rollout batch is a set of sampled actions and what was true when they were drawn. `collect`
# stores three things and never touches them again: the actions, their log-probabilities under the
# policy that drew them (the **behaviour policy**, π_old), and their advantages.

# %% slideshow={"slide_type": "fragment"} tags=["readable-loop"]
def collect(key, logits, rewards, batch_size):
    logp = jax.nn.log_softmax(logits)
    actions = jax.random.categorical(key, logp, shape=(batch_size,))
    advantages = rewards[actions] - expected_reward(logp, rewards)
    return Rollout(actions, logp[actions], advantages)


# %% slideshow={"slide_type": "subslide"}
few = collect(jax.random.key(3), bandit.reference_logp, bandit.rewards, batch_size=6)

print("action   old log-prob   advantage")
for action, old_logp, advantage in zip(*few, strict=True):
    print(f"{action:>6} {old_logp:14.3f} {advantage:11.3f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Equal actions carry equal numbers. A batch of 128 therefore holds only three different rows; what
# chance decides is how often each of them appears.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The loop in full
#
# Read it aloud from the outside in.
#
# | line | what changes | what stays |
# |---|---|---|
# | outer loop | the rollout: new actions, old log-probs, advantages | reference, reward model |
# | inner loop | the policy's logits | the whole rollout, reference, reward model |
# | after the inner loop | nothing: we only measure | everything |
#
# `gradient` is made once, outside the loop, so that JAX compiles it once.

# %% slideshow={"slide_type": "subslide"} tags=["readable-loop"]
gradient = jax.jit(jax.grad(ppo_loss))


def readable_loop(bandit, settings):
    key = jax.random.key(settings.seed)
    logits = bandit.reference_logp
    reward_after, kl_after, logp_after = [], [], []
    for batch in range(settings.iterations):
        key, draw_key = jax.random.split(key)
        rollout = collect(draw_key, logits, bandit.rewards, settings.batch_size)
        for epoch in range(settings.epochs):
            slope = gradient(
                logits, rollout.old_logps, rollout.actions, rollout.advantages,
                bandit.reference_logp, settings.beta, settings.clip,
            )  # fmt: skip
            logits = logits - settings.learning_rate * slope
        logp = jax.nn.log_softmax(logits)
        reward_after.append(float(expected_reward(logp, bandit.rewards)))
        kl_after.append(float(kl(logp, bandit.reference_logp)))
        logp_after.append(logp)
    return reward_after, kl_after, logp_after


# %% [markdown] slideshow={"slide_type": "fragment"}
# The lesson's settings: 40 batches of 128 actions, 3 inner steps on each, learning rate 0.15,
# β = 0.2 (the price of one nat of drift, in score units), clip = 0.2, seed 11. The loss pulls
# probability towards good scores and pays β for every nat of KL(π_θ‖π_ref), a ~ π_θ.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes** for the loop. Ask before going on: *where would you have to put `collect` to make every ratio exactly one?*
# (Inside the inner loop.) Usual wrong answer to the next question: "0 and 1 gain, both scores are
# positive". Point to the last column of the first table, and ask what happens to it as the mean
# rises.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Which action gains?
#
# Look again at the first table, then commit yourself. A wrong guess, explained, teaches more than no
# guess.

# %% slideshow={"slide_type": "fragment"}
predict("gaining_action")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
settings = Settings()
reward_after, kl_after, logp_after = readable_loop(bandit, settings)

print(f"expected reward: {start_reward:.3f} before, {reward_after[-1]:.3f} after 40 batches")
for action in range(3):
    gains = logp_after[-1][action] > bandit.reference_logp[action]
    print(f"action {action} {'gains' if gains else 'loses'} probability")

# %% slideshow={"slide_type": "fragment"}
reveal("gaining_action")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How far did it drift?
#
# First a limit that you can work out on paper. The most extreme policy here always picks action 0.
# Its KL to the reference is 1 × (log 1 − log 0.402) = −log 0.402.

# %% slideshow={"slide_type": "fragment"}
print(f"KL if action 0 is always picked: {-bandit.reference_logp[0]:.3f} nats")

# %% slideshow={"slide_type": "fragment"}
predict("kl_curve")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
for batch in (10, 20, 40):
    print(f"KL after {batch} batches: {kl_after[batch - 1]:.2f} nats")

# %% slideshow={"slide_type": "fragment"}
reveal("kl_curve", kl_after)

# %% slideshow={"slide_type": "subslide"}
predict("final_probabilities")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
final = jnp.exp(logp_after[-1])
for action in range(3):
    print(f"action {action}: {jnp.exp(bandit.reference_logp[action]):.3f} → {final[action]:.3f}")

# %% slideshow={"slide_type": "fragment"}
reveal("final_probabilities", final)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Why the KL rises with the reward
#
# The KL is a mean over the policy's own draws: three terms, one for each action. Say what makes the
# sum large before you look at the terms.

# %% slideshow={"slide_type": "fragment"}
predict("why_kl")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
log_ratio = logp_after[-1] - bandit.reference_logp

print("action   probability × log(π_θ / π_ref)")
for action in range(3):
    print(f"{action:>6} {final[action]:8.3f} × {log_ratio[action]:6.3f} "
          f"= {final[action] * log_ratio[action]:5.2f}")  # fmt: skip
print(f"KL(π_θ‖π_ref), a ~ π_θ: {jnp.sum(final * log_ratio):.2f} nats")

# %% slideshow={"slide_type": "fragment"}
reveal("why_kl")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Four checks before we believe it
#
# A curve that rises proves little. These four lines could fail.

# %% slideshow={"slide_type": "fragment"}
untouched = lesson_bandit().reference_logp
by_hand = sum(float(p) * float(r) for p, r in zip(final, bandit.rewards, strict=True))

print("reference unchanged:", bool((bandit.reference_logp == untouched).all()))
print("final reward above the initial one:", reward_after[-1] > float(start_reward))
print("KL above zero:", kl_after[-1] > 0)
print("a plain Python sum agrees:", abs(by_hand / reward_after[-1] - 1) < 1e-6)

# %% [markdown] slideshow={"slide_type": "subslide"}
# The run is also compared with the one on record. Processors and versions of JAX differ in the last
# digits, so we ask for agreement within 0.00002.

# %% slideshow={"slide_type": "fragment"}
on_record = {"initial reward": 0.281919, "final reward": 1.918545, "final KL": 0.782477}
this_run = (float(start_reward), reward_after[-1], kl_after[-1])

for (name, recorded), value in zip(on_record.items(), this_run, strict=True):
    print(f"{name:<15} {recorded:.6f} on record, agrees: {abs(value - recorded) < 2e-5}")

# %% [markdown] slideshow={"slide_type": "subslide"}
# `train` is the same loop compiled as a whole. Everything below uses it, so it had better give the
# same numbers, batch by batch.

# %% slideshow={"slide_type": "fragment"}
history = train(bandit, settings)

print("reward, all 40 batches:", bool(jnp.allclose(history.reward, jnp.array(reward_after), atol=1e-5)))
print("KL, all 40 batches:", bool(jnp.allclose(history.kl, jnp.array(kl_after), atol=1e-5)))
print("log-probs, all 40 batches:", bool(jnp.allclose(history.logp, jnp.array(logp_after), atol=1e-4)))

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The run in three panels

# %% slideshow={"slide_type": "fragment"}
data = figure_data(history, bandit)
picture(
    plot_panels(data),
    "Three panels. Expected learned reward climbs from 0.6 after the first batch to 1.9 after "
    "batch 40, steeply at first. KL to the reference climbs from near 0 to 0.8 nats in the same "
    "shape. Bars: action 0 grows from 0.4 to almost 1, actions 1 and 2 shrink to almost 0.",
    data,
)

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** Probability flows to action 0, so the reward climbs towards the top score, and the
# KL climbs because of the very same flow. Each point is taken *after* a batch. The curves are exact
# sums over three actions, although the policy was trained on random draws.
#
# **Units.** The first panel is in learned score units, the second in nats, the bars are
# probabilities that sum to one for each policy. Never compare or add heights across panels. Higher
# reward with more KL is a trade-off, not a win, until β says what a nat costs. None of it measures
# what people approve of, or what is safe.

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_05_heights")

# %% [markdown] slideshow={"slide_type": "fragment"}
# What RLHF maximises puts both on one scale: reward minus β for every nat.

# %% slideshow={"slide_type": "fragment"}
def regularized_objective(logp, rewards, reference_logp, beta):
    return expected_reward(logp, rewards) - beta * kl(logp, reference_logp)


# %% [markdown] slideshow={"slide_type": "fragment"}
# The same two policies, at three prices for a nat:

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
print("  β   reference   trained")
for beta in (0.2, 2.0, 5.0):
    worth = [
        float(regularized_objective(logp, bandit.rewards, bandit.reference_logp, beta))
        for logp in (bandit.reference_logp, history.logp[-1])
    ]
    print(f"{beta:3.1f} {worth[0]:11.3f} {worth[1]:9.3f}")

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **6 minutes** for the run and its figure; 14 are gone. If time is short, skip to *The clip*. Usual wrong answer to the quiz: "1.9 is
# more than 0.8, so yes". Ask for the unit of each number.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The clip
#
# PPO is famous for its clip. Our run used clip = 0.2. Let us all but remove it.

# %% slideshow={"slide_type": "fragment"}
predict("clip_matters")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
print(" clip   samples outside   final reward")
for clip in (1.0, 0.2, 0.05, 0.01):
    run = train(bandit, replace(settings, clip=clip))
    print(f"{clip:5.2f} {float(run.clip_fraction.mean()):16.1%} {run.reward[-1]:14.3f}")

outside = history.clip_fraction.max(axis=1) > 0
print("at clip 0.2, batches with any sample outside:", (jnp.flatnonzero(outside) + 1).tolist())

# %% slideshow={"slide_type": "fragment"}
reveal("clip_matters")

# %% [markdown] slideshow={"slide_type": "subslide"}
# **Reading it.** With three small steps a batch the ratio seldom leaves [0.8, 1.2]: only 0.6 % of
# samples do, all of them in the first few batches, where the gradient is largest. A limit that is
# not reached cannot matter. A clip of 0.05 or 0.01 is reached, and slows the run.
#
# So the clip should matter when steps are large or many: 10 inner steps with learning rate 1.0.

# %% slideshow={"slide_type": "fragment"}
big_steps = replace(settings, learning_rate=1.0, epochs=10)

print("clip   samples outside   reward after batch 1   after batch 40")
for clip in (0.2, 1.0):
    run = train(bandit, replace(big_steps, clip=clip))
    share = float(run.clip_fraction.mean())
    print(f"{clip:4.1f} {share:17.0%} {run.reward[0]:22.2f} {run.reward[-1]:16.2f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** The clip holds the first batch back: once a favoured action has gained 20 %, its
# samples stop pushing. At this β that only costs speed, because our advantages are exact and the
# world has three actions. What a clip protects against is many steps on advantages that are noisy
# or wrong. This fixture has none, so it shows what the clip *does* and not that it is *needed*.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## One seed is one draw
#
# The change from clip 0.2 to 1.0 moved the final reward by about 0.001. Is that an effect? Run both
# with 32 seeds. Give both clips the **same** seeds (common random numbers), so that each pair meets
# the same luck; then break the pairing and see what it was worth.

# %% slideshow={"slide_type": "fragment"}
many = sweep(bandit, settings, betas=[0.2], clips=[0.2, 1.0], seeds=range(32))
narrow, wide = many.reward[0, :, :, -1]
paired, unpaired = wide - narrow, jnp.roll(wide, 1) - narrow

print(f"one run's final reward over seeds: {narrow.min():.3f} to {narrow.max():.3f}")
print("clip 1.0 gains more than 0.0001 in", int((paired > 1e-4).sum()), "seeds,",
      "loses more than that in", int((paired < -1e-4).sum()))  # fmt: skip
print(f"spread of the difference, same seeds:  {paired.std():.4f}")
print(f"spread of the difference, other seeds: {unpaired.std():.4f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** The difference has no settled sign: what seed 11 showed was luck. And with other
# seeds on the two sides the spread is more than ten times as large, so a real effect of that size would
# drown.

# %% slideshow={"slide_type": "subslide"}
runs = many.reward[0, 0]
apart = {"panels": [{
    "kind": "line", "title": "How far 32 seeds lie apart",
    "x": list(range(1, settings.iterations + 1)), "xlabel": "completed rollout batches",
    "ylabel": "highest − lowest E[r] (score units)", "ylim": [0, 0.12],
    "series": [{"label": "clip 0.2", "y": (runs.max(axis=0) - runs.min(axis=0)).tolist()}],
}]}  # fmt: skip
picture(
    plot_panels(apart),
    "One panel: the range of expected reward over 32 seeds. It is largest in the first ten batches, "
    "up to 0.1, and falls to 0.02 at batch 40.",
    apart,
)

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** Seeds lie furthest apart early in the climb and close up at the end, where every run
# has found action 0. A comparison after ten batches needs more seeds than one after forty.

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_05_seeds")

# %% [markdown] slideshow={"slide_type": "fragment"}
# All four runs that the claim could have been about:

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
print("seed   clip 0.2   clip 1.0")
for seed in (11, 12):
    print(f"{seed:>4} {narrow[seed]:10.3f} {wide[seed]:10.3f}")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The explorer: three small tasks
#
# Every move of a slider reruns the real training. Answer each task before you touch anything.
#
# 1. **No price.** What does the drift become at β = 0?
# 2. **Half the drift.** At which β does the final KL fall to half of what it is at β = 0.2?
# 3. **Worse than nothing?** Long steps at a high price: further below.

# %% slideshow={"slide_type": "subslide"}
predict("kl_without_price")

# %% slideshow={"slide_type": "fragment"}
predict("half_kl_beta")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Now use the sliders. Set β to 0, then hunt for the β that halves the drift. "Keep this run" leaves a
# run in the picture to compare with. Orange diamonds show the best that any policy can do at this β,
# in the first two panels on a dotted line; the next notebook works that out.

# %% slideshow={"slide_type": "subslide"}
explore()

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
betas = jnp.arange(51) / 10
drift = sweep(bandit, settings, betas=betas, clips=[0.2], seeds=[11]).kl[:, 0, 0, -1]

print("  β   final KL")
for index in (0, 2, 5, 10, 20, 50):
    print(f"{betas[index]:3.1f} {drift[index]:10.2f}")
half_at = float(jnp.interp(history.kl[-1] / 2, drift[::-1], betas[::-1]))
print(f"half the drift of β = 0.2 is reached near β = {half_at:.1f}")

# %% slideshow={"slide_type": "subslide"}
reveal("kl_without_price")

# %% slideshow={"slide_type": "fragment"}
reveal("half_kl_beta", half_at)

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** From β = 0 to 0.2 hardly anything happens: the scores span four units, and 0.2 of a
# unit a nat is cheap. Effects of β show from about 1 on. What a given β means depends on the scale
# of the scores, and that scale depended on when the fit of the reward model was stopped.

# %% [markdown] slideshow={"slide_type": "subslide"}
# Task 3. Long steps (learning rate 1.0, 10 inner steps), a high price (β = 5), clip 0.2.

# %% slideshow={"slide_type": "fragment"}
predict("worse_than_nothing")

# %% [markdown] slideshow={"slide_type": "fragment"}
# This explorer starts there. Compare the objectives of reference, trained and optimum; then move the
# clip slowly to 1.

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
dear = replace(big_steps, beta=5.0)
explore(settings=dear)

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
def objective(logp):
    return float(regularized_objective(logp, bandit.rewards, bandit.reference_logp, dear.beta))


print(f"reference untouched: {objective(bandit.reference_logp):4.1f}")
for clip in (0.2, 1.0):
    run = train(bandit, replace(dear, clip=clip))
    share = float(run.clip_fraction.mean())
    print(f"trained, clip {clip}:   {objective(run.logp[-1]):4.1f}   samples outside: {share:.0%}")

# %% slideshow={"slide_type": "fragment"}
reveal("worse_than_nothing")

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** With over half of the samples outside the interval, the reward's push is mostly
# silent and the KL pulls alone, in steps that are too long for it. A clip limits what a *sample* may
# gain. It does not limit the step.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A faster run
#
# Somebody changes one line: the KL is taken to the policy at the start of each batch instead of the
# reference. At β = 1 the reward now rises faster.

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_05_faster")

# %% [markdown] slideshow={"slide_type": "fragment"}
# A run of one batch starts at its reference. Forty of those in a row, each with the current policy
# as its reference, are exactly the changed loop.

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
right = train(bandit, replace(settings, beta=1.0)).logp[-1]
moving = bandit.reference_logp
for batch in range(40):
    one_batch = Settings(beta=1.0, iterations=1, seed=batch)
    moving = train(Bandit(bandit.rewards, moving), one_batch).logp[-1]

print("reference   reward   KL to π_ref   reward − 1.0·KL")
for name, logp in (("fixed", right), ("moving", moving)):
    reward, drift = expected_reward(logp, bandit.rewards), kl(logp, bandit.reference_logp)
    print(f"{name:<9} {reward:8.2f} {drift:13.2f} {reward - drift:17.2f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Reading it.** No error, no NaN, a smooth curve, more reward, and a worse result on the objective
# that was asked for. A reference that moves along charges for each step's drift and forgets the rest.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **8 minutes** for clip, seeds and explorer. Close with the question: *which number would have shown you the fault?* (The KL to the fixed
# reference, or the regularised objective. The reward alone points the wrong way.)
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What to carry on
#
# - Collect, store, then optimise: the rollout stays fixed for all inner steps on it.
# - Reward and KL rise together, because the same probability moves both. Read them side by side.
# - A setting matters when it binds. Print the share of clipped samples before tuning the clip.
# - One seed is one draw. Compare settings on the same seeds, and on several.
#
# Next: how good could any policy be on this objective? Notebook 06 gives the exact answer.
