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
# # Reward model: from comparisons to scores
#
# **15 minutes.** After this notebook you can
#
# - turn a gap between two scores into the probability of a preference, and back into a loss;
# - say why these scores never settle, and what that does to the meaning of β;
# - name one thing that perfect preference accuracy does not tell.

# %% slideshow={"slide_type": "skip"}
import jax
import jax.numpy as jnp
import numpy as np

from lessonlib import Bandit, Settings, check, fit_reward, kl, lesson_bandit, optimal_logp
from lessonlib import picture, plot_panels, predict, quiz, reveal, train

np.set_printoptions(precision=3, suppress=True)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A gap becomes a probability
#
# People are poor at giving marks and good at comparing. So they are shown two answers and say
# which is better. The **Bradley–Terry** model ties such choices to scores:
#
# **P(a is preferred to b) = σ(r(a) − r(b)),** with σ(x) = 1 / (1 + exp(−x))
#
# Take r(a) = 2 and r(b) = 1. The gap is 1. Before you run it: more than 0.7 or less?

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
for r_a, r_b in [(1, 1), (2, 1), (1, 2), (3, 1), (1002, 1001)]:
    print(f"scores {r_a:4} and {r_b:4}: preferred with {jax.nn.sigmoid(1.0 * (r_a - r_b)):.3f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Equal scores make a coin toss. Turned round, the two probabilities add up to 1. The last line
# equals the second: **only the gap counts**, not where the scores lie.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Three actions, three comparisons
#
# Each action is described by two features, and a score is a weighted sum of them: r(a) = w · x(a).
#
# | action | features x(a) |
# |---|---|
# | 0 | (1, 0) |
# | 1 | (0, 1) |
# | 2 | (−1, −1) |
#
# The preferences: **0 over 1, 0 over 2, 1 over 2**. One row a pair; the fit sees only differences.

# %% slideshow={"slide_type": "fragment"}
features = jnp.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
chosen = features[jnp.array([0, 0, 1])]
rejected = features[jnp.array([1, 2, 2])]
print(chosen - rejected)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The loss
#
# A good w gives what people chose a high probability. The loss of one pair is −log of that
# probability. With the *margin* m = r(chosen) − r(rejected) it is −log σ(m), which is the same as
# log(1 + exp(−m)), called **softplus**(−m). At m = 0 the probability is one half and the loss is
# log 2, about 0.693.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: the loss of a preference
#
# *6 minutes · medium*
#
# A linear reward model scores an action with features x as x·w. Row p of `chosen` was preferred to
# row p of `rejected`. Under Bradley–Terry the probability of that preference is σ(margin), where the
# margin is the score of the chosen action minus that of the rejected one. Write the loss: the mean
# over the pairs of −log σ(margin). By hand first: what is it at margin 0?
#
# **Key functions**
#
# - `x @ w`: (P, F) times (F,) gives one number a row, (P,)
# - `jax.nn.softplus(x)` = log(1 + exp x), without overflow
# - `jnp.mean(x)`
#
# **Plan**
#
# 1. Compute the margin of every pair, (P,).
# 2. Write −log σ(m) with softplus. (σ(m) = 1 / (1 + exp(−m)).)
# 3. Average over the pairs.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="bradley_terry_loss"
def bradley_terry_loss(w, chosen, rejected):
    # TODO 1: the margin of every pair, (P,)
    # TODO 2: −log σ(margin) of every pair
    # TODO 3: one number for all pairs
    return ...


# %% slideshow={"slide_type": "fragment"}
check("bradley_terry_loss", bradley_terry_loss)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Say in words when the loss of a pair should be near 0, and when large. Then check the sign of what you wrote.
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# −log(1 / (1 + exp(−m))) is the log of the denominator. Compare that with the definition of softplus.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# The margins are `(chosen - rejected) @ w`. The loss of one pair is softplus of the *negative* margin.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def bradley_terry_loss(w, chosen, rejected):
#     margins = (chosen - rejected) @ w
#     return jnp.mean(jax.nn.softplus(-margins))
# ```
#
# Only the difference of the two scores comes in, so a constant added to all scores changes nothing. −log σ(m) = log(1 + exp(−m)) = softplus(−m). At margin 0 it is log 2, about 0.693: the loss of a coin toss.
#
# </details>
#
# **Change one condition.** Multiply `w` by 10 where all pairs are in the right order. Does the loss rise or fall? What does that say about when fitting stops?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The loss, as the lesson uses it
#
# This is the version that the rest of the lesson imports. Compare it with yours.

# %% slideshow={"slide_type": "fragment"}
def preference_loss(w, chosen, rejected):
    margins = (chosen - rejected) @ w
    return jnp.mean(jax.nn.softplus(-margins))


# %% slideshow={"slide_type": "fragment"}
for w in [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0)]:
    print(f"w = {w}: loss {preference_loss(jnp.array(w), chosen, rejected):.3f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# By hand for w = (1, 0): the margins are 1, 2 and 1, so all three pairs are satisfied and the loss
# is below 0.693. The opposite w gets all three wrong, and pays.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **9 minutes** up to here, 6 of them for the exercise. Do w = (1, 0) on the
# board: margins 1, 2, 1. Ask what the loss says about a pair with margin 10: almost nothing. And
# about margin −10: ten. Usual slip: the model "classifies" pairs; say that it gives odds, and odds
# have a scale.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Fit, then freeze
#
# Start at w = 0 and walk downhill.

# %% slideshow={"slide_type": "fragment"}
predict("pair_probability")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
w = jnp.zeros(2)
for _ in range(100):
    w = w - 0.1 * jax.grad(preference_loss)(w, chosen, rejected)
scores = features @ w
probability = jax.nn.sigmoid(scores[0] - scores[1])
print("w      ", *(f"{weight:.4f}" for weight in w))
print("scores ", *(f"{score:.4f}" for score in scores))
print(f"P(0 is preferred to 1) = {probability:.3f}")

# %% slideshow={"slide_type": "fragment"}
reveal("pair_probability", probability)

# %% [markdown] slideshow={"slide_type": "fragment"}
# These three scores are the reward of the whole lesson. From here on nobody changes them: the
# policy will be trained, the reward model will not.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What if we had fitted longer?

# %% slideshow={"slide_type": "fragment"}
predict("fit_longer")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
step_counts = (10, 100, 1_000, 10_000)
fits = [fit_reward(chosen, rejected, steps=steps) for steps in step_counts]
for steps, w in zip(step_counts, fits):
    right = jnp.mean((chosen - rejected) @ w > 0)
    print(f"{steps:6} steps: scores {features @ w}  pairs satisfied {right:.0%}")

# %% slideshow={"slide_type": "fragment"}
reveal("fit_longer")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
panel = {"kind": "line", "title": "Scores, fitted ever longer", "x": list(step_counts)}
panel |= {"xscale": "log", "xlabel": "gradient steps", "ylabel": "score (learned score units)"}
panel["series"] = [
    {"label": f"action {a}", "y": [float(features[a] @ w) for w in fits]} for a in range(3)
]
alt = "Scores of three actions against 10 to 10,000 fitting steps: they spread without settling."
picture(plot_panels({"panels": [panel]}), alt, {"panels": [panel]})

# %% [markdown] slideshow={"slide_type": "fragment"}
# Every pair was satisfied early on, and still the scores spread: tenfold more steps add about as
# much to the gap again. All preferences agree with one another (they are *separable*), so a larger
# gap always lowers the loss a little more. **The fit has no end, only a moment when you stop.**

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **3 minutes.** Most say "converged, the loss is small". Ask: what is the slope
# of softplus far out? Small, never zero. Ask what would stop it in practice: people who disagree,
# a penalty on w, or early stopping. Each is a decision, and none is written in the preferences.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Why the scale matters: the same β twice
#
# Later the policy will be trained to make E[r] − β·KL(π_θ‖π_ref) large, a ~ π_θ. β is a **price**:
# score units per nat of drift. The best policy for that goal is known exactly (notebook 06
# derives it).
#
# Take β = 1 both times, the same preferences, the same reference. Only the fitting stopped at 100
# steps or at 1,000. **Will the best policies differ?**

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
reference = lesson_bandit().reference_logp
print("reference        ", jnp.exp(reference))
for steps, w in zip(step_counts[1:3], fits[1:3]):
    best = optimal_logp(reference, features @ w, 1.0)
    print(f"{steps:5} steps: best ", jnp.exp(best), f" KL {kl(best, reference):.3f} nats")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
bars = {"kind": "bar", "title": "Best policy at β = 1", "ylabel": "probability", "ylim": [0, 1]}
bars |= {"xlabel": "terminal action", "labels": ["action 0", "action 1", "action 2"]}
bars["series"] = [{"label": "reference policy", "y": jnp.exp(reference).tolist()}] + [
    {"label": f"reward fitted for {steps:,} steps",
     "y": jnp.exp(optimal_logp(reference, features @ w, 1.0)).tolist()}
    for steps, w in zip(step_counts[1:3], fits[1:3])
]
alt = "Bars of three probabilities: the longer the fit, the more the best policy puts on action 0."
picture(plot_panels({"panels": [bars]}), alt, {"panels": [bars]})

# %% [markdown] slideshow={"slide_type": "fragment"}
# The same β, the same preferences, the same reference: and one best policy has drifted much
# further than the other.

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_02_scale")

# %% [markdown] slideshow={"slide_type": "fragment"}
# A β without the reward model's recipe is a price without a currency.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## And the zero point?
#
# The loss sees only gaps, so it cannot tell (2, 0, −2) from (7, 5, 3). Can the policy? We train it at
# β = 3.

# %% slideshow={"slide_type": "fragment"}
predict("constant_shift")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
for shift in (0.0, 5.0):
    bandit = Bandit(scores + shift, reference)
    history = train(bandit, Settings(beta=3.0))
    print(f"scores + {shift:.0f}: final reward {history.reward[-1]:.3f}, KL {history.kl[-1]:.3f}")
    print("   trained policy", jnp.exp(history.logp[-1]))

# %% slideshow={"slide_type": "fragment"}
reveal("constant_shift")

# %% [markdown] slideshow={"slide_type": "fragment"}
# A reward of 6.1 is no better than one of 1.1 when its zero lies elsewhere. Never compare rewards
# of two reward models; compare within one.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The answer nobody compared
#
# Suppose the policy could also give an action 3, with features (1, 4). No preference mentions it.
# The fitted w scores it all the same. So does another w, which satisfies the same three pairs.
#
# Let the policy start by giving it one time in a hundred. **What will training make of that?**

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
four = jnp.vstack([features, jnp.array([1.0, 4.0])])
for name, w in [("fitted w     ", fits[1]), ("w = (2, −0.9)", jnp.array([2.0, -0.9]))]:
    print(name, "margins", (chosen - rejected) @ w, " four scores", four @ w)
start = jnp.log(jnp.array([0.39, 0.33, 0.27, 0.01]))
print("reference now          ", jnp.exp(start))
print("best policy at β = 0.2 ", jnp.exp(optimal_logp(start, four @ fits[1], 0.2)))

# %% [markdown] slideshow={"slide_type": "fragment"}
# An action drawn once in a hundred, judged by nobody, takes almost everything. Both w satisfy every
# preference, and one of them puts that action last.

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_02_unseen")

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **3 minutes** for the last three sections; the quizzes can wait. On the shift,
# the usual answer is "rewards are larger, so β counts for less"; hold it against the section
# before: there the *gaps* grew. On the last one ask: "is action 3 good?" Wait until somebody says
# that nobody knows.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Carry forward
#
# - A gap in score is a probability of preference: σ(gap).
# - These preferences never pin down the scale. It comes from when fitting stopped, and β is
#   measured against it.
# - A constant added to all scores changes nothing for the policy.
# - Satisfying every comparison says nothing about answers that were never compared. A policy looks
#   for exactly those.
#
# Next: what may one sample still gain? [Notebook 03, Signed clipping](03_signed_clipping.ipynb)
