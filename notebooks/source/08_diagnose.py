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
# # Diagnose: loops that run, and optimise the wrong thing
#
# **30 minutes, an optional lab.** The faults that cost people days raise no error. The loop runs,
# the reward climbs, and something else was optimised. Here you meet such loops as patients. Every
# fault comes from a public thread, and some patients are healthy. The four repairs are homework and
# take 9 minutes more. Afterwards you can
#
# - say which instrument can see which fault, and why the reward curve sees so few;
# - test a loop with invariants: statements that hold in every correct loop, whatever its settings;
# - carry those invariants over to a trainer of your own.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **30 minutes: 7 for the two warm-ups, 18 for the patients (3 each), 5 for the table.** The repairs
# of A, C, D and F are homework (9 minutes). In class,
# let groups take one patient each and defend their diagnosis before anybody presses "Check".
# Usual habit: naming the first fault that would explain the curve. Ask: "which other fault would
# look the same, and what would tell them apart?"
#
# </details>

# %% slideshow={"slide_type": "skip"}
from lessonlib import (
    FAULTS, Settings, expected_reward, fault_table, kl, lesson_bandit, picture, plot_panels,
    predict, quiz, regularized_objective, reveal, train_with,
)  # fmt: skip
from lessonlib.teaching.faults import invariants
from lessonlib.teaching.faults.training import loop_of
from lessonlib.teaching.faults.matrix import Matrix
from lessonlib.teaching.faults.parts import run
from lessonlib.lessons.n08_diagnose.patients import (
    check_repair, open_up, part_code, patient_figure, patient_score, patient_signs,
    patient_trace, signs_data,
)  # fmt: skip
from lessonlib.rollout import Rollout

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Warm-up 1: a lost sign
#
# The loss is −surrogate + β·KL. In this loop the plus has become a minus: it is **paid** for
# drifting away from the reference (a bug report on a chat trainer describes such a sign,
# nebuly-ai/optimate#298). Everything else is right, and the settings are the lesson's.

# %% slideshow={"slide_type": "fragment"}
predict("patient_warm_up")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
bandit, lesson = lesson_bandit(), Settings()

for name in (None, "kl_sign"):
    history = train_with(name, bandit, lesson)
    reward, drift = history.reward[-1], history.kl[-1]
    print(f"{name or 'correct loop':>12}: reward {reward:.3f}, KL {drift:.3f} nats, "
          f"objective {reward - lesson.beta * drift:.3f}")

# %% slideshow={"slide_type": "fragment"}
reveal("patient_warm_up")

# %% [markdown] slideshow={"slide_type": "subslide"}
# So a final number cannot be the judge. What can? Look **inside** the loop, at numbers that are
# known exactly beforehand. Take the penalty: whatever the settings, its value must be
# KL(π_θ‖π_ref), a ~ π_θ. Nobody has to know how the run should end.

# %% slideshow={"slide_type": "fragment"}
parts, settings = loop_of("kl_sign", lesson)
_, flipped = run(parts, bandit, settings)
true_kl = [kl(logp, bandit.reference_logp) for logp in flipped.logp[-1]]
print("inner step   penalty   KL(π_θ‖π_ref)")
for step in range(3):
    print(f"{step + 1:>10} {flipped.penalty[-1, step]:9.2f} {true_kl[step]:15.2f}")

# %% slideshow={"slide_type": "fragment"}
invariants.penalty_is_the_kl(flipped.penalty, flipped.logp, flipped.reference).sentence

# %% [markdown] slideshow={"slide_type": "fragment"}
# Arrays in, a verdict and a sentence out. That is an **invariant**. It needs nothing of this
# lesson, only arrays that any trainer can log.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Warm-up 2: ratios that never move
#
# In the next loop somebody recomputes the old log-probs at every inner step, from the policy as it
# is then (tensorforce/tensorforce#312). Here are its instruments, at learning rate 1 and ten inner
# steps on each batch, where the ratio has something to do.

# %% slideshow={"slide_type": "fragment"}
strong = replace(lesson, learning_rate=1.0, epochs=10)
data = signs_data("old_recomputed", strong)
alt = (
    "Six line panels over forty batches. Ratio: both lines at 0. Outside the interval: both at 0. "
    "KL: high from the first batch on, where the correct loop's climbs. Gradients into data: 0. "
    "Cosine: swings between plus and minus 1. Gap to the optimum: closed from the first batch on."
)
picture(plot_panels(data), alt, data)

# %% [markdown] slideshow={"slide_type": "subslide"}
# How to read the six panels:
#
# | panel | in a correct loop |
# |---|---|
# | Ratio | exactly 0 at the first inner step; later it moves, if there is a later one |
# | Outside the interval | depends on settings; all 0 under strong ones is odd |
# | KL | to the reference, and to what the loss takes for the reference: one line |
# | Gradient into data | exactly 0, always |
# | Step and exact gradient | near 1 while there is far to go; near the optimum, noise |
# | Gap to π* | falls; how far depends on the settings |
#
# This gap is closed from the first batch on, sooner than the correct loop's. The first panel gives
# the fault away: the policy has taken ten steps, and the ratio has not moved. Type the invariant that says so. The old log-probs of a batch, shape (T, E, N), may not
# change along the inner steps E.

# %% slideshow={"slide_type": "subslide"}
def change_within_batch(old_logps):
    return float(jnp.max(jnp.abs(old_logps - old_logps[:, :1])))


for name in (None, "old_recomputed"):
    parts, settings = loop_of(name, strong)
    _, trace = run(parts, bandit, settings)
    print(f"{name or 'correct loop':>14}: {change_within_batch(trace.old_logps):.1f} nats")

# %% [markdown] slideshow={"slide_type": "fragment"}
# In the correct loop it is exactly 0, to the last digit: a number that is only copied cannot
# change. That is why such a test needs no threshold to tune.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The tests you may order
#
# `trace = patient_trace("A", settings)` gives the arrays of a patient's run. Then, for example,
# `invariants.reference_unchanged(trace.reference)`.
#
# | invariant | arrays |
# |---|---|
# | `first_epoch_ratio_is_one` | `ratio` |
# | `ratio_is_new_over_old` | `ratio, new_logps, collected_logps` |
# | `old_fixed_within_batch` | `old_logps` |
# | `inputs_are_detached` | `leaks` |
# | `surrogate_is_pessimistic` | `product, ratio, advantage` of samples, clip |
# | `surrogate_mean_is_pessimistic` | `surrogate, ratio, collected_advantages`, clip |
# | `reference_unchanged` | `reference` |
# | `kl_is_zero_at_start` | `logp[0, 0], reference[0, 0]` |
# | `penalty_is_the_kl` | `penalty, logp, reference` |
# | `penalty_pulls_back` | `penalty_gradient, logp, reference` |
# | `advantages_follow_rewards` | `collected_advantages, rewards` |
# | `actions_follow_policy` | `actions, logp[:, 0]` |
# | `batches_are_fresh` | `actions, logp[:, 0]` |

# %% [markdown] slideshow={"slide_type": "subslide"}
# `everything_is_finite` takes any of the arrays. The trace keeps only the mean of the samples'
# products, so `surrogate_is_pessimistic` is left to `open_up`.
#
# Two of them judge chance. They place a bet at fair odds against the sampler: a correct sampler
# turns 1 into more than a million with a probability of at most one in a million.

# %% [markdown] slideshow={"slide_type": "fragment"}
# **The score.** Only your first diagnosis of each patient counts: right +1, another fault 0,
# calling a healthy loop ill −1, calling an ill one healthy −1. Work on healthy code costs days too.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Patient A
#
# *"The KL is in my loss, and I see it in the log. I raised β from 0.2 to 2. Nothing happened."*

# %% slideshow={"slide_type": "fragment"}
high_beta = replace(lesson, beta=2.0)
data = patient_figure("A", β_of_2=high_beta, lesson_settings=lesson)
alt = (
    "Patient A: the lesson's three panels at the lesson's settings and at beta 2. The two runs lie "
    "on each other: reward and KL rise, and action 0 takes nearly everything."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "subslide"}
data = patient_signs("A", high_beta)
alt = (
    "Patient A at beta 2. Ratio: 0 at the first inner step, above 0 at the last. KL: both lines "
    "rise together, far above the correct loop's. Gradients into data: 0. Cosine: near 1 first, "
    "then near minus 1. Gap to the optimum: shrinks at first, then grows."
)
picture(plot_panels(data), alt, data)

# %% [markdown] slideshow={"slide_type": "subslide"}
# Rule something out before you decide. One test is ordered for you; change it and order others.
# Also run the instruments at the lesson's settings: put `lesson` in place of `high_beta` above.

# %% slideshow={"slide_type": "fragment"}
trace = patient_trace("A", high_beta)
invariants.reference_unchanged(trace.reference)

# %% slideshow={"slide_type": "subslide"}
quiz("patient_a")

# %% slideshow={"slide_type": "fragment"}
quiz("patient_a_test")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
open_up("A", high_beta)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: repair patient A
#
# *2 minutes · easy*
#
# Write the loop's penalty: `logp` and `reference` are the log-probs (A,) of the policy and of the
# reference, `actions` the sampled ones (N,). The check puts your function into the patient's loop
# and runs all invariants.

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="repair_A"
def penalty(logp, reference, actions):
    # TODO: the KL of the policy to the reference, with its gradient
    return ...


# %% slideshow={"slide_type": "fragment"}
check_repair("A", penalty)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# `kl` from this lesson takes two policies. Which comes first? And what must not surround it?
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def penalty(logp, reference, actions):
#     return kl(logp, reference)
# ```
#
# The value was right before. What was missing is the path back from it to the logits.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Patient B
#
# *"All my ratios are exactly 1 and nothing is ever clipped. Even at learning rate 1. PPO without
# the PPO!"*

# %% slideshow={"slide_type": "fragment"}
fast = replace(lesson, learning_rate=1.0)
data = patient_figure("B", learning_rate_1=fast, lesson_settings=lesson)
alt = (
    "Patient B: the lesson's three panels at the lesson's settings and at learning rate 1. Reward "
    "and KL rise in both runs, faster in the second, and action 0 gains."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "subslide"}
data = patient_signs("B", fast)
alt = (
    "Patient B at learning rate 1. Ratio: both lines at 0. Outside the interval: both at 0. KL: "
    "one line, that of the correct loop with as many inner steps. Gradients into data: 0. Cosine "
    "and gap: those of that correct loop."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "subslide"}
trace = patient_trace("B", fast)
print("batches, inner steps, samples:", trace.ratio.shape)
invariants.first_epoch_ratio_is_one(trace.ratio)

# %% slideshow={"slide_type": "subslide"}
quiz("patient_b")

# %% slideshow={"slide_type": "fragment"}
quiz("patient_b_test")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
open_up("B", fast)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Patient C
#
# *"No error, no odd number in the log. It just learns less than my friend's. Bad luck?"*

# %% slideshow={"slide_type": "fragment"}
slow = replace(lesson, learning_rate=0.05)
data = patient_figure("C", learning_rate_of_a_third=slow, lesson_settings=lesson)
alt = (
    "Patient C: the lesson's three panels at the lesson's settings and at learning rate 0.05. "
    "Reward and KL rise in both runs, more slowly in the second, and action 0 gains."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "subslide"}
data = patient_signs("C", lesson)
alt = (
    "Patient C at the lesson's settings. Ratio: 0 at the first inner step, above 0 at the last. "
    "KL: one line, below the correct loop's. Gradients into data: 0. Cosine: near 1, then swinging. Gap: "
    "falls, and stays above the correct loop's."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "fragment"}
trace = patient_trace("C", lesson)
invariants.advantages_follow_rewards(trace.collected_advantages, trace.rewards).sentence

# %% slideshow={"slide_type": "subslide"}
quiz("patient_c")

# %% slideshow={"slide_type": "fragment"}
quiz("patient_c_test")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
open_up("C", lesson)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: repair patient C
#
# *3 minutes · medium*
#
# Write `collect`. It draws `batch_size` actions with `key` from the policy with these `logits` and
# returns a `Rollout(actions, old_logps, advantages)`, each (N,).

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="repair_C"
def collect(key, logits, rewards, batch_size):
    # TODO 1: the log-probs of the policy, and actions drawn from that same policy
    # TODO 2: a Rollout of the actions, their log-probs, and reward minus expected reward
    return ...


# %% slideshow={"slide_type": "fragment"}
check_repair("C", collect)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Two things go into the record: which action came, and how probable it was. Both must speak of the
# same policy.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def collect(key, logits, rewards, batch_size):
#     logp = jax.nn.log_softmax(logits)
#     actions = jax.random.categorical(key, logp, shape=(batch_size,))
#     return Rollout(actions, logp[actions], rewards[actions] - expected_reward(logp, rewards))
# ```
#
# Whoever wants another temperature must record the log-probs at that temperature, and train
# that policy.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Patient D
#
# *"It does not learn. I have checked every number in the loss by hand, and all of them are right."*

# %% slideshow={"slide_type": "fragment"}
data = patient_figure("D", learning_rate_1=fast, lesson_settings=lesson)
alt = (
    "Patient D: the lesson's three panels at the lesson's settings and at learning rate 1. In the "
    "first run reward and KL hardly move; in the second they wander."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "subslide"}
data = patient_signs("D", lesson)
alt = (
    "Patient D at the lesson's settings. Ratio: 0 at the first inner step, above 0 at the last. "
    "KL: near 0, far below the correct loop's. Gradients into data: above 0 into the advantages, 0 "
    "into the others. Cosine: swings between plus and minus 1. Gap: stays wide open."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "fragment"}
trace = patient_trace("D", lesson)
invariants.actions_follow_policy(trace.actions, trace.logp[:, 0]).ok

# %% slideshow={"slide_type": "subslide"}
quiz("patient_d")

# %% slideshow={"slide_type": "fragment"}
quiz("patient_d_test")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
open_up("D", lesson)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: repair patient D
#
# *2 minutes · easy*
#
# Write `advantages`: what the loss uses, (N,). At collection they were stored as
# `rollout.advantages`.

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="repair_D"
def advantages(rollout, logits, rewards):
    # TODO: the stored advantages, as data
    return ...


# %% slideshow={"slide_type": "fragment"}
check_repair("D", advantages)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Returning the stored numbers is nearly all of it. The check also differentiates with respect to
# them: what keeps a gradient out?
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def advantages(rollout, logits, rewards):
#     return jax.lax.stop_gradient(rollout.advantages)
# ```
#
# An advantage is a statement about the past. The policy may not make it come true by lowering its
# own expectations.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Patient E
#
# *"The paper says min. I have found a max in the code!"* Here it is:

# %% slideshow={"slide_type": "fragment"}
print(part_code("E"))

# %% slideshow={"slide_type": "fragment"}
data = patient_figure("E", strong_settings=strong, lesson_settings=lesson)
alt = (
    "Patient E: the lesson's three panels at the lesson's settings, and at learning rate 1 with "
    "ten inner steps. Reward and KL rise in both runs, faster in the second, and action 0 gains."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "subslide"}
data = patient_signs("E", strong)
alt = (
    "Patient E at learning rate 1 with ten inner steps. Ratio: 0 at the first inner step, large "
    "at the last. Many samples outside the interval in the first batches. KL, cosine and gap "
    "lie on the correct loop's. Gradients into data: 0."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "subslide"}
quiz("patient_e")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
open_up("E", strong)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Patient F
#
# *"With the new code the objective is even better. Ship it?"*

# %% slideshow={"slide_type": "fragment"}
data = patient_figure("F", strong_settings=strong, lesson_settings=lesson)
alt = (
    "Patient F: the lesson's three panels at the lesson's settings, and at learning rate 1 with "
    "ten inner steps. Reward and KL rise in both runs, very fast in the second."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "subslide"}
data = patient_signs("F", strong)
alt = (
    "Patient F at learning rate 1 with ten inner steps. Ratio: 0 at the first inner step, large "
    "at the last. In the first batches many samples lie outside the interval. KL rises faster than the correct loop's and the gap falls faster. Gradients into data: 0."
)
picture(plot_panels(data), alt, data)

# %% slideshow={"slide_type": "fragment"}
trace = patient_trace("F", strong)
invariants.ratio_is_new_over_old(trace.ratio, trace.new_logps, trace.collected_logps).ok

# %% slideshow={"slide_type": "subslide"}
quiz("patient_f")

# %% slideshow={"slide_type": "fragment"}
quiz("patient_f_test")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
open_up("F", strong)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: repair patient F
#
# *2 minutes · medium*
#
# Write the surrogate, one product for each sample: `ratio` and `advantages` are (N,), `clip` is ε.

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="repair_F"
def surrogate(ratio, advantages, clip):
    # TODO: both products, then the smaller one
    return ...


# %% slideshow={"slide_type": "fragment"}
check_repair("F", surrogate)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# In which order: multiply by the advantage, then compare; or compare, then multiply?
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def surrogate(ratio, advantages, clip):
#     clipped = jnp.clip(ratio, 1 - clip, 1 + clip)
#     return jnp.minimum(ratio * advantages, clipped * advantages)
# ```
#
# A negative advantage turns the order of the two products round. Only after multiplying does "the
# smaller one" mean the pessimistic one.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Your score

# %% slideshow={"slide_type": "fragment"}
patient_score()

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Who sees what
#
# Now every known fault, one at a time, at the lesson's settings and over twenty seeds, with every
# instrument. The curves are judged generously: beside twenty runs of the correct loop at the same
# settings, which nobody who is looking for a fault has. The cell takes about half a minute.

# %% slideshow={"slide_type": "fragment"}
rows = fault_table(range(20))
matrix = Matrix(rows)

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
matrix

# %% [markdown] slideshow={"slide_type": "subslide"}
# How many would the reward curve have caught by itself? Once as people look at it (does it rise at
# all?), and once beside twenty correct runs.

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
ill = [name for name, fault in FAULTS.items() if not fault.healthy]


def caught(*instruments):
    return sum(any(one in matrix.fires[name] for one in instruments) for name in ill)


print(f"faults: {len(ill)}")
print("reward does not rise:", caught("reward_rises"))
print("reward curve beside 20 correct runs:", caught("reward_curve"))
print("any instrument:", caught(*matrix.instruments))
alarms = [name for name in matrix.fires if name not in ill]
print("false alarms:", len(alarms), "of which an instrument fires on",
      sum(bool(matrix.fires[name]) for name in alarms))

# %% [markdown] slideshow={"slide_type": "subslide"}
# And these end with a **better** objective than the correct loop, at the lesson's settings and seed:

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
def final_objective(name):
    last = train_with(name, bandit, lesson).logp[-1]
    if not np.isfinite(last).all():
        return -np.inf
    return float(regularized_objective(last, bandit.rewards, bandit.reference_logp, lesson.beta))


right = final_objective(None)
print(f"correct loop: {right:.3f}")
for name in ill:
    if final_objective(name) > right + 1e-4:
        print(f"{FAULTS[name].title}: {final_objective(name):.3f}")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Take the instruments home
#
# The invariants ask for nothing but arrays. A trainer of yours that logs them, in NumPy or any
# framework, can be tested today. Two batches of a made-up trainer whose second batch was scored
# with stale log-probs:

# %% slideshow={"slide_type": "fragment"}
logged = np.ones((2, 3, 4))  # batches, inner steps, samples
logged[1] = [[0.97, 1.01, 0.99, 1.04], [0.95, 1.03, 0.98, 1.09], [0.93, 1.05, 0.97, 1.15]]
invariants.first_epoch_ratio_is_one(logged).sentence

# %% [markdown] slideshow={"slide_type": "subslide"}
# **What this lab cannot show.** Three actions, exact KL, no critic, no tokens. In a real trainer
# masks, padding, mixed precision and several machines bring faults of their own, and 16-bit numbers
# make "exactly" into "to about two digits": pass `precision=2**-7`. What carries over is the way of
# asking: which number do I know beforehand, and does my loop agree?
#
# **In short.** A curve says how a run went. An invariant says whether it was the run you meant.
