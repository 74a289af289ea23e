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
# # Four roles, four lifetimes
#
# **15 minutes.** After this notebook you can
#
# - name the four objects of an RLHF run, and say who changes each, when, and who reads it;
# - say what the ratio is before the first step on a fresh batch, and use that as a test;
# - explain how a loop with two roles swapped can run smoothly and train for the wrong thing.

# %% slideshow={"slide_type": "skip"}
import jax
import jax.numpy as jnp
import numpy as np

from lessonlib import check, collect, expected_reward, kl, lesson_bandit, picture, plot_panels
from lessonlib import ppo_loss, predict, quiz, ratios, reveal, stepper

np.set_printoptions(precision=3, suppress=True)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The world: three actions and two fixed things
#
# There is one prompt. The policy answers with one of three actions, and then the episode ends.
# Before the run starts, two things are given: a **score** for each action, from a reward model
# that was fitted earlier, and a **reference policy**, here also the policy we start from.

# %% slideshow={"slide_type": "fragment"}
bandit = lesson_bandit()
reference = bandit.reference_logp
print("scores r(a)                ", bandit.rewards)
print("reference π_ref(a)         ", jnp.exp(reference))
print("expected reward at the start", round(float(expected_reward(reference, bandit.rewards)), 3))

# %% [markdown] slideshow={"slide_type": "fragment"}
# By hand: multiply each score by its probability and add. Action 0 scores best but is drawn only
# four times in ten, and action 2 costs a lot.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Your table
#
# Training repeats two things: *collect a batch* of sampled actions, then take a few *inner steps*
# on it. Four objects take part. **Double-click this cell** and replace each `?` as far as you can
# now. Shift + Enter shows it again. You will come back to it.
#
# | object | who changes it? | when? | who reads it? |
# |---|---|---|---|
# | current policy π_θ | ? | ? | ? |
# | behaviour ("old") policy π_old: log-probs of the sampled actions, and their advantages | ? | ? | ? |
# | reference policy π_ref | ? | ? | ? |
# | reward model r | ? | ? | ? |

# %% slideshow={"slide_type": "subslide"}
predict("which_refreshes")

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **3 minutes** up to the reveal. Ask: "which of these would you have to save to
# disk to repeat the run?" Usual wrong answer: the reference is refreshed with each batch (a habit
# from target networks, or from plain PPO, where only old and current exist). Say: a yardstick that
# walks along with you measures nothing.
#
# </details>

# %% [markdown] slideshow={"slide_type": "subslide"}
# Two batches with three inner steps each, at a high price of drift, β = 2. After every step we write
# down what each object says about **action 0**.

# %% slideshow={"slide_type": "fragment"}
gradient = jax.jit(jax.grad(ppo_loss))


def inner_step(logits, rollout, kl_logp):
    actions, old_logps, advantages = rollout
    slope = gradient(logits, old_logps, actions, advantages, kl_logp, beta=2.0, clip=0.2)
    return logits - 0.15 * slope


# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
logits, key = reference, jax.random.key(11)
print("batch  step  π_θ(0)  π_old(0)  π_ref(0)  r(0)")
for batch in (1, 2):
    key, draw_key = jax.random.split(key)
    rollout = collect(draw_key, logits, bandit.rewards, 128)  # stores log π_old of its actions
    for step in (1, 2, 3):
        logits = inner_step(logits, rollout, kl_logp=reference)
        stored = rollout.old_logps[rollout.actions == 0][0]
        now, old, ref = np.exp([jax.nn.log_softmax(logits)[0], stored, reference[0]])
        print(f"{batch:5} {step:5} {now:7.3f} {old:9.3f} {ref:9.3f} {bandit.rewards[0]:6.3f}")

# %% slideshow={"slide_type": "subslide"}
reveal("which_refreshes")

# %% [markdown] slideshow={"slide_type": "fragment"}
# Read it column by column. The first number moves in every row. The second moves once, between
# the batches, to where the first one was. The last two never move.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The first ratio
#
# The inner steps compare two of the four. For a sampled action a, the **ratio**
# ρ = π_θ(a) / π_old(a) says how much more probable it is now than when it was drawn.

# %% slideshow={"slide_type": "fragment"}
predict("first_ratio")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
fresh = collect(jax.random.key(3), logits, bandit.rewards, 128)
rho = ratios(logits, fresh.old_logps, fresh.actions)
print("first five actions", fresh.actions[:5])
print("their ratios      ", rho[:5])
print("smallest and largest of all 128:", rho.min(), rho.max())

# %% slideshow={"slide_type": "fragment"}
reveal("first_ratio", rho[0])

# %% [markdown] slideshow={"slide_type": "subslide"}
# And after one inner step?

# %% slideshow={"slide_type": "fragment"}
moved = inner_step(logits, fresh, kl_logp=reference)
rho_after = ratios(moved, fresh.old_logps, fresh.actions)
for action in range(3):
    print(f"action {action}: ρ = {rho_after[fresh.actions == action][0]:.3f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# There are 128 samples and only three different ratios, because there are only three actions. The
# best one has become more probable than it was at the draw, the others less.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Do it by hand
#
# The same loop, but you press the buttons. Before each press, say which rows will change, and
# what the ratios will be.

# %% slideshow={"slide_type": "fragment"}
stepper()

# %% [markdown] slideshow={"slide_type": "subslide"}
# Now look at your table again and complete it. Then compare.
#
# <details><summary>The four roles: compare with your table</summary>
#
# | object | who changes it? | when? | who reads it? |
# |---|---|---|---|
# | current policy π_θ | the optimiser | at every inner step | the ratio (above the line), the KL, and the next collection, which samples from it |
# | behaviour policy π_old: stored log-probs, advantages | the collection | when a new batch is drawn | the ratio (below the line); the advantages multiply it |
# | reference policy π_ref | nobody | never in a run | the KL term |
# | reward model r | nobody; it was fitted before | never in a run | the collection, which turns scores into advantages |
# </details>
#
# Old log-probs and advantages are **data**: the loss reads them and never improves them. That is
# why `ppo_loss` stops their gradients; notebook 07 asks you to prove it.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ![Diagram in two parts. What flows where: the current policy is copied into the behaviour policy at each batch; that one samples actions, the reward model scores them, and actions, advantages and old log-probs go into the loss, together with the reference policy; gradient steps go back to the current policy alone. How long each one lives: over forty batches the current policy is new at every inner step, the behaviour policy is a copy kept for one batch, reference policy and reward model are fixed for the whole run.](../figures/posttraining-04-mechanism.svg)

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes** with ratio and stepper. Usual wrong answers for the first ratio:
# "about 1, it is random" (nothing random is left once the action is drawn), and "0, nothing has
# changed yet" (that is the difference of the log-probs). Then the exercise, 4 minutes.
#
# </details>

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: the ratio of every sample
#
# *4 minutes · easy*
#
# A batch was collected; its actions and old log-probs are stored. Since then the logits have
# moved. Write the function that gives the ratio ρ = π_θ(a) / π_old(a) of every sample, shape (N,).
# By hand first: an action had probability 1/4 when it was drawn and has 1/2 now. What is its ρ?
#
# **Key functions**
#
# - `jax.nn.log_softmax(logits)`: logits (A,) to log-probs (A,)
# - `array[actions]`: for every sample, the entry of its action, (N,)
# - `jnp.exp(x)`: back from logs
#
# **Plan**
#
# 1. Turn the logits into log-probs of all A actions.
# 2. Pick the log-prob of each sampled action.
# 3. Compare with the old log-prob of the same sample.
# 4. Go back from logs to a ratio.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="ratios"
def my_ratios(logits, old_logps, actions):
    # TODO 1: log-probs of all actions, (A,)
    # TODO 2: those of the sampled actions, (N,)
    # TODO 3: compare with old_logps and leave the log scale
    return ...


# %% slideshow={"slide_type": "fragment"}
check("ratios", my_ratios)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# One of the two policies is already there as one number a sample. The other one is still over actions, and not even normalised.
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# On the log scale a quotient is a difference. `logits` are not log-probs yet: `log_softmax` makes them so.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `log_softmax(logits)` has shape (A,); index it with `actions` and you have (N,), the same shape as `old_logps`. Subtract the old from the new. One function is left to apply.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def my_ratios(logits, old_logps, actions):
#     logp = jax.nn.log_softmax(logits)
#     return jnp.exp(logp[actions] - old_logps)
# ```
#
# `old_logps` is used as it was stored: nothing of it is computed again from the current logits. Working with logs keeps very small probabilities apart, and the exponential comes last.
#
# </details>
#
# **Change one condition.** Replace `old_logps` by the log-probs of the *current* policy. Say first what every ratio becomes, then try it. Would any loop notice?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Near in every batch, far in the end
#
# Here is the whole run: 40 batches of three steps. The loop leaves open which log-probs go into
# the ratio and which into the KL. `roles` decides that.

# %% slideshow={"slide_type": "fragment"}
def run(roles):
    logits, key, policies = reference, jax.random.key(11), [reference]
    for _ in range(40):
        key, draw_key = jax.random.split(key)
        rollout = collect(draw_key, logits, bandit.rewards, 128)
        ratio_logp, kl_logp = roles(old=policies[-1], reference=reference)
        rollout = rollout._replace(old_logps=ratio_logp[rollout.actions])
        for _ in range(3):
            logits = inner_step(logits, rollout, kl_logp)
        policies.append(jax.nn.log_softmax(logits))
    return policies


# %% slideshow={"slide_type": "fragment"}
policies = run(lambda old, reference: (old, reference))
within_batch = [float(kl(new, old)) for old, new in zip(policies, policies[1:])]
print(f"largest KL(π_θ‖π_old) at the end of a batch: {max(within_batch):.3f} nats")
print(f"KL(π_θ‖π_ref) after the last batch:          {float(kl(policies[-1], reference)):.3f} nats")

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_01_drift")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Swap two roles
#
# Both policies are just arrays of three log-probs. Nothing in the types keeps them apart. So let
# us put the reference under the ratio and the old policy into the KL. **Will it crash? Will the
# reward fall?** Say what you expect, then run.

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
swapped = run(lambda old, reference: (reference, old))
rewards = [float(expected_reward(logp, bandit.rewards)) for logp in policies]
rewards_swapped = [float(expected_reward(logp, bandit.rewards)) for logp in swapped]
print(f"reward at the start {rewards[0]:.3f}, at the end {rewards[-1]:.3f}")
print(f"with roles swapped  {rewards_swapped[0]:.3f}, at the end {rewards_swapped[-1]:.3f}")
print(f"KL(π_θ‖π_ref) with roles swapped {float(kl(swapped[-1], reference)):.3f} nats")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
panel = {"kind": "line", "title": "Expected learned reward", "x": list(range(41))}
panel |= {"xlabel": "completed rollout batches", "ylabel": "E[r], a ~ π_θ (score units)"}
panel["series"] = [
    {"label": "roles as they should be", "y": rewards},
    {"label": "old and reference swapped", "y": rewards_swapped},
]
alt = "Two reward curves. One climbs from 0.3 to 1.3; the swapped one rises to 0.7 and stays flat."
picture(plot_panels({"panels": [panel]}), alt, {"panels": [panel]})

# %% [markdown] slideshow={"slide_type": "fragment"}
# No error, no NaN, a reward that rose: the swapped loop is perfectly stable. It solves another
# problem. Its clip now says "stay near the reference", so learning ends a few steps away from it.
# Its KL says "stay near this batch", and never mentions the reference at all.

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_01_swapped")

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes.** Ask before the run: "crash, fall, or neither?" Most say it falls
# or blows up. Then ask for a test that would have caught it. Wanted: ratios exactly 1 before the
# first inner step of *every* batch. "The reference is unchanged" is true and catches nothing.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Carry forward
#
# - Four objects, four lifetimes: every step, every batch, never, never.
# - Before the first inner step of a batch every ratio is exactly 1.
# - Small within each batch does not mean near the reference.
# - A swapped role gives a smooth run with the wrong goal. Check identities, not just curves.
#
# *What this world leaves out:* there is one action per episode, so no credit is assigned along a
# sequence; there is no learned critic; and nobody was asked for feedback.
#
# Next: where do the scores come from? [Notebook 02, Reward model](02_reward_model.ipynb)
