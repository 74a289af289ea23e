# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"}
# # Baseline: what may be subtracted from the rewards
#
# **12 minutes**, and 8 for the exercise. After this notebook you can
#
# - say what subtracting a constant from all rewards does to the policy gradient, and why;
# - compute the exact variance of the gradient, and find the constant that makes it least;
# - tell which baselines the argument covers, and which it does not.

# %% slideshow={"slide_type": "skip"}
import itertools

import jax
import jax.numpy as jnp
import numpy as np

from lessonlib import check, clipped_surrogate, expected_reward, lesson_bandit
from lessonlib import picture, plot_panels, predict, quiz, ratios, reveal

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Three actions by hand
#
# A policy draws an action, sees its reward, and makes the action more probable in proportion:
# it steps along r(a) · ∇log π(a). For a softmax policy the **score** ∇log π(a) has a simple
# form: 1 for the logit of a, 0 for the others, minus all probabilities.
#
# Take π = (0.5, 0.25, 0.25) and r = (4, 0, −4). Look at the first logit only.
#
# | action | π | r | score, first logit |
# |---|---|---|---|
# | 0 | 0.5 | 4 | 1 − 0.5 = 0.5 |
# | 1 | 0.25 | 0 | 0 − 0.5 = −0.5 |
# | 2 | 0.25 | −4 | 0 − 0.5 = −0.5 |
#
# On paper: add up π · score · r over the actions. Now imagine that a constant c is subtracted from
# every r, say c = 1, the expected reward.

# %% slideshow={"slide_type": "subslide"}
predict("baseline_mean")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
hand_probabilities = np.array([0.5, 0.25, 0.25])
hand_rewards = np.array([4.0, 0.0, -4.0])
first_score = np.array([0.5, -0.5, -0.5])
for c in (0, 1, 100):
    terms = hand_probabilities * first_score * (hand_rewards - c) + 0
    print(f"c = {c:3}: terms {terms}, sum {terms.sum()}")
print("mean score:", (hand_probabilities * first_score).sum())

# %% slideshow={"slide_type": "fragment"}
reveal("baseline_mean")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The identity
#
# Every term changed and the sum did not. The last line says why: on average the score is zero, so
# a constant times the score is zero too. For any c that does **not** depend on the sampled action
#
# $$\sum_a \pi(a)\, \nabla\log\pi(a)\, [\,r(a) - c\,] = \nabla \sum_a \pi(a)\, r(a),$$
#
# because Σ π ∇log π = Σ ∇π = ∇ Σ π = ∇1 = 0. The advantage in this lesson uses c = Σ π r, the
# expected reward of the behaviour policy.

# %% [markdown] slideshow={"slide_type": "fragment"}
# Type the left side. Row a of `scores` is ∇log π(a).

# %% slideshow={"slide_type": "fragment"}
def score_gradient(logits, rewards, baseline=0.0):
    probabilities = jax.nn.softmax(logits)
    scores = jnp.eye(logits.shape[0]) - probabilities
    return (probabilities * (rewards - baseline)) @ scores


# %% [markdown] slideshow={"slide_type": "subslide"}
# Compare it with JAX's own derivative of the right side, at an arbitrary policy and with the
# rewards that the fitted reward model gives.

# %% slideshow={"slide_type": "fragment"}
logits = jnp.array([0.3, -0.2, 0.1])
rewards = lesson_bandit().rewards
mean = expected_reward(jax.nn.log_softmax(logits), rewards)
right_side = jax.grad(lambda x: jax.nn.softmax(x) @ rewards)(logits)
print(f"∇ Σ π r:           {right_side}")
for name, c in [("0", 0.0), ("Σ π r", mean), ("2", 2.0)]:
    left_side = score_gradient(logits, rewards, c)
    equal = bool(jnp.abs(left_side - right_side).max() < 1e-6)
    print(f"left, c = {name:5}:   {left_side}  equal within 1e-6: {equal}")

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes.** Do the hand numbers on the board, one student per term. Ask:
# "every term got smaller or larger; why does the sum not care?" Usual answer: "because 1 is the
# mean". Point to the row for c = 100.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What it is good for
#
# A policy never sees the sum, only samples. The direction is the same with every c; the
# **noise** of one sample is not. Its total variance is an exact sum as well:

# %% slideshow={"slide_type": "fragment"}
def score_gradient_variance(logits, rewards, baseline=0.0):
    probabilities = jax.nn.softmax(logits)
    scores = jnp.eye(logits.shape[0]) - probabilities
    samples = scores * (rewards - baseline)[:, None]
    mean = probabilities @ samples
    return probabilities @ jnp.sum((samples - mean) ** 2, axis=1)


# %% [markdown] slideshow={"slide_type": "fragment"}
# A reward model that is fitted to comparisons knows only **differences** of rewards: where its
# zero lies is an accident. So give all three rewards the same extra 3 points. No preference
# changes, and no policy should care. What does subtracting c = Σ π r do to the noise now?

# %% slideshow={"slide_type": "fragment"}
predict("baseline_variance")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
plain = score_gradient_variance(logits, rewards + 3)
centred = score_gradient_variance(logits, rewards + 3, mean + 3)
percent = float(100 * centred / plain)
print(f"c = 0: variance {plain:.3f}   c = Σ π r: variance {centred:.3f}   left: {percent:.1f} %")

# %% slideshow={"slide_type": "fragment"}
reveal("baseline_variance", percent)

# %% [markdown] slideshow={"slide_type": "subslide"}
# See it on samples. Draw 40 batches of 128 actions and average the first entry of the gradient
# over each batch, without and with the baseline.

# %% slideshow={"slide_type": "fragment"}
actions = jax.random.categorical(jax.random.key(11), logits, shape=(40, 128))
scores = jnp.eye(3) - jax.nn.softmax(logits)


# %% slideshow={"slide_type": "fragment"}
def sample_gradients(baseline):
    advantages = rewards[actions] + 3 - baseline
    return scores[actions] * advantages[..., None]


# %% slideshow={"slide_type": "subslide"}
lines = {
    "c = 0": sample_gradients(0.0)[..., 0].mean(axis=1),
    "c = Σ π r": sample_gradients(mean + 3)[..., 0].mean(axis=1),
    "exact": jnp.full(40, right_side[0]),
}
series = [{"label": label, "y": y.tolist()} for label, y in lines.items()]
axes = {"x": list(range(1, 41)), "xlabel": "batch of 128 actions", "ylabel": "gradient, entry 0"}
panels = [{"kind": "line", "title": "Same mean, less noise", **axes, "series": series}]
alt = (
    "Line plot over 40 batches. Without a baseline the estimate jumps far above and below the "
    "exact value. With the expected reward as baseline it stays near it."
)
picture(plot_panels({"panels": panels}), alt, {"panels": panels})

# %% slideshow={"slide_type": "fragment"}
for name, c, exact in [("0", 0.0, plain), ("Σ π r", mean + 3, centred)]:
    sampled = sample_gradients(c).var(axis=(0, 1)).sum()
    print(f"c = {name:5}: variance over all samples {sampled:.2f}, exact {exact:.2f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Both lines wander about the same exact value, one of them much closer, and the samples' own
# variance comes out near the exact one.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Is the expected reward the best constant?

# %% slideshow={"slide_type": "fragment"}
predict("best_constant")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Compute the exact variance for many c: with the extra 3 points, and for the rewards as fitted.

# %% slideshow={"slide_type": "fragment"}
def variance_panel(title, rewards, ticks):
    grid = jnp.linspace(ticks[0], ticks[-1], 501)
    curve = jax.vmap(lambda c: score_gradient_variance(logits, rewards, c))(grid)
    series = [{"label": "exact variance", "x": grid.tolist(), "y": curve.tolist()}]
    marks = {"c = 0": 0.0, "c = Σ π r": jax.nn.softmax(logits) @ rewards}
    marks["least"] = grid[jnp.argmin(curve)]
    for label, c in marks.items():
        y = float(score_gradient_variance(logits, rewards, c))
        series.append({"kind": "mark", "label": label, "x": [float(c)], "y": [y]})
    axes = {"xlabel": "constant c (reward units)", "ylabel": "total variance"}
    axes |= {"x": ticks, "labels": [str(tick) for tick in ticks]}
    return {"kind": "line", "title": title, **axes, "series": series}


# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
parabolas = [
    variance_panel("All rewards + 3", rewards + 3, [0, 1, 2, 3, 4]),
    variance_panel("Rewards as fitted, near 0", rewards, [-0.5, -0.25, 0, 0.25, 0.5]),
]
alt = (
    "Two parabolas of the total variance over the constant c. In both, the expected reward lies "
    "close to the lowest point, but not on it. For the rewards as fitted, zero is closer."
)
picture(plot_panels({"panels": parabolas}), alt, {"panels": parabolas})

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
for panel in parabolas:
    print(panel["title"])
    for point in panel["series"][1:]:
        print(f"  {point['label']:10} c = {point['x'][0]:6.2f}   variance {point['y'][0]:.3f}")
print(f"sum of the fitted rewards: {abs(float(rewards.sum())):.4f}")

# %% slideshow={"slide_type": "subslide"}
reveal("best_constant")

# %% [markdown] slideshow={"slide_type": "fragment"}
# In the second panel c = 0 even beats the expected reward by a little. That is luck: the lesson's
# three features add up to zero, so the three rewards do as well. Move the zero, as in the first
# panel, and the luck is gone, while the expected reward moves along.

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_04_variance_rose")

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes.** Ask: "what would make the mean the best constant?" (All
# scores ∇log π(a) equally long.) Usual belief: subtracting the mean always lowers variance. It
# often does, and it never depends on where the reward's zero lies; more is not promised.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What the identity does not cover
#
# **A baseline that looks at the action.** Enumerate two of them below the true gradient, which is
# in the first row.

# %% slideshow={"slide_type": "fragment"}
baselines = {
    "constant": mean,
    "one per action, c(a) = r(a)": rewards,
    "2 for action 0, else 0": jnp.array([2.0, 0.0, 0.0]),
}
for name, baseline in baselines.items():
    print(f"{name:28} {score_gradient(logits, rewards, baseline)}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# With one baseline per action nothing is left to learn from. With the last one action 1 gains
# nearly as much as action 0, though it scores far lower.

# %% [markdown] slideshow={"slide_type": "subslide"}
# A less visible case: subtract the **batch mean**, in which the sample's own reward is contained.
# With two samples a batch there are nine possible batches, so enumerate them all.

# %% slideshow={"slide_type": "fragment"}
probabilities = jax.nn.softmax(logits)
total = jnp.zeros(3)
for a, b in itertools.product(range(3), repeat=2):
    batch_mean = (rewards[a] + rewards[b]) / 2
    estimate = scores[a] * (rewards[a] - batch_mean) + scores[b] * (rewards[b] - batch_mean)
    total += probabilities[a] * probabilities[b] * estimate / 2
print("expected gradient:", total, " share of the true one:", total / right_side)

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_04_batch_mean")

# %% [markdown] slideshow={"slide_type": "subslide"}
# **A clipped surrogate over several steps.** At a policy that has moved away from the one that
# collected the batch, the sign of r − c decides which side is clipped. So c gets into the
# gradient. Compare a clip that never binds here (1.0) with the usual 0.2.

# %% slideshow={"slide_type": "fragment"}
def expected_surrogate(new_logits, c, clip):
    old_logp = jax.nn.log_softmax(logits)
    ratio = ratios(new_logits, old_logp, jnp.arange(3))
    return jnp.sum(jnp.exp(old_logp) * clipped_surrogate(ratio, rewards - c, clip))


# %% slideshow={"slide_type": "fragment"}
moved = logits + jnp.array([0.6, -0.3, 0.0])
for clip in (1.0, 0.2):
    for name, c in [("0", 0.0), ("Σ π r", mean), ("1", 1.0)]:
        gradient = jax.grad(expected_surrogate)(moved, c, clip)
        print(f"clip {clip}, c = {name:5} {gradient}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Unclipped, all constants agree; clipped, they do not. The identity speaks of the **unclipped**
# estimator only. And it says nothing about a **learned critic**: that is an estimate with errors
# of its own, and this lesson has none, since its baseline is an exact sum.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes.** Ask before the nine batches: "is the batch mean a constant?"
# Usual answer: yes, it is one number. Draw another action and watch it move. Leave the exercise
# as homework if time is short.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Your turn
#
# The expected reward was not quite the best constant. Which constant is? You can find it with
# pencil and paper before you type it.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: the constant with the least variance
#
# *8 minutes · hard*
#
# The expected gradient is the same for every constant baseline c; the variance of the one-sample
# gradient ∇log π(a)·[r(a) − c] is not. Its total variance is
# Σ_a π(a)·‖∇log π(a)‖²·[r(a) − c]² − ‖∇E[r]‖². Write the function that returns the c that makes it
# smallest. The second term does not depend on c.
#
# **Key functions**
#
# - `jax.nn.softmax(logits)`: probabilities (A,)
# - `jnp.eye(A) - p`: row a is ∇log π(a) with respect to the logits
# - `jnp.sum(x**2, axis=1)`: one squared length a row
#
# **Plan**
#
# 1. Probabilities of the policy.
# 2. The squared length of every action's score vector, (A,).
# 3. Each action's weight in the sum above.
# 4. The c for which the slope of the variance is 0.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="best_baseline"
def my_best_baseline(logits, rewards):
    # TODO 1: probabilities, (A,)
    # TODO 2: squared length of each row of scores, (A,)
    # TODO 3: weight of each action, and the weighted mean of the rewards
    return ...


# %% slideshow={"slide_type": "fragment"}
check("best_baseline", my_best_baseline)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Call everything that does not contain c a weight. Then the variance is Σ weight·(r − c)², and you have met its best c before.
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# Σ w (r − c)² is smallest at the mean of r weighted with w. Find w(a): it has two factors, and one of them is π(a).
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# w = π(a)·‖∇log π(a)‖². The answer is Σ w·r divided by Σ w.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def my_best_baseline(logits, rewards):
#     p = jax.nn.softmax(logits)
#     scores = jnp.eye(p.size) - p
#     weights = p * jnp.sum(scores**2, axis=1)
#     return jnp.sum(weights * rewards) / jnp.sum(weights)
# ```
#
# The slope of Σ w (r − c)² in c is −2 Σ w (r − c), which is 0 at the weighted mean. Rare actions have long score vectors, so their rewards count for more than in E[r].
#
# </details>
#
# **Change one condition.** Take a uniform policy (all logits equal). Predict how your answer differs from E[r], then verify it.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you take along
#
# - Σ π ∇log π = 0, so a constant that does not look at the action never moves the expected
#   gradient. This holds for every constant.
# - The noise depends on c. The expected reward is a good choice that follows the reward's zero
#   wherever it lies; the very best constant is another one.
# - The identity covers neither baselines that look at the action, nor the clipped surrogate after
#   the first step, nor a learned critic.
#
# **Next:** `05_ppo_loop` puts the pieces together.
