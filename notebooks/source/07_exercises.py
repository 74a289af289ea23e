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
# # Exercises: can you do it, and show that you did?
#
# **10 minutes** in class, for one exercise of your choice. Each says how long it takes; the eleven
# together take 72 minutes. After this notebook you can
#
# - write every piece of the loop yourself, from the kept product to the exact optimum;
# - say what a check looked at, and what it could not see;
# - hand in a page with what you predicted, wrote and concluded.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **10 minutes**: one exercise together (the surrogate of a batch shows most), the
# rest as homework; the three tasks at the end make a good minimum. Ask before a check: "which wrong
# answer would still pass a careless test?" Typical: the sign, the sum for the mean, the direction
# of the KL.
#
# </details>

# %% slideshow={"slide_type": "skip"}
# lessonlib comes first: it chooses the CPU before JAX starts.
import lessonlib
from lessonlib import Settings, check, lesson_bandit, portfolio, quiz, train

import jax
import jax.numpy as jnp

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How an exercise works
#
# Fill in the scaffold (the part that returns `...`), run its cell, then run the check below it. A
# check tries your function on numbers for pencil and paper first, then on many others. It tells you
# what it asked for and what came out, and where it recognises the idea behind a mistake, it says
# so.
#
# You may write the function in any way you like: `jax.numpy`, NumPy, or a plain loop. Every try is
# kept in your portfolio, so nothing is lost when you change your mind.
#
# Six exercises are in the notebooks where their idea is fresh:
#
# | notebook | exercise |
# |---|---|
# | [01](01_four_roles.ipynb) | the ratio of every sample |
# | [02](02_reward_model.ipynb) | the loss of a preference |
# | [03](03_signed_clipping.ipynb) | the kept product, case by case |
# | [04](04_baseline.ipynb) | the constant with the least variance |
# | [05](05_ppo_loop.ipynb) | better or worse than the policy's average |
# | [06](06_exact_optimum.ipynb) | the best policy at a price |
#
# The other eleven are here.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Sums over the actions
#
# With three actions an expectation is a short sum. Two of them carry the whole lesson: how much
# reward, and how much drift.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: an expectation without sampling
#
# *3 minutes · easy*
#
# Write the expected reward Σ_a π(a) r(a) of a policy given by its log-probs. By hand first: π =
# (3/4, 1/4), rewards (1, 3).
#
# **Key functions**
#
# - `jnp.exp(logp)`
# - `jnp.sum(x)`
#
# **Plan**
#
# 1. Probabilities from log-probs.
# 2. Weight the rewards with them.
# 3. Add up.

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="expected_reward"
def expected_reward(logp, rewards):
    # TODO 1: probabilities, (A,)
    # TODO 2: the weighted sum
    return ...

# %% slideshow={"slide_type": "fragment"}
check("expected_reward", expected_reward)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Weights of an expectation are positive and add up to 1. Are yours?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# `logp` is in nats; one function brings it back to probabilities.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# Sum, not mean: the probabilities are the weights already.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def expected_reward(logp, rewards):
#     return jnp.sum(jnp.exp(logp) * rewards)
# ```
#
# Every action is counted as often as the policy takes it. With three actions the sum is exact and
# needs no samples: 3/4 · 1 + 1/4 · 3 = 1.5.
#
# </details>
#
# **Change one condition.** Add 10 to all rewards. What happens to the expectation, and what to the
# gradient?

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: the drift from the reference
#
# *5 minutes · medium*
#
# Write KL(π_θ‖π_ref) = Σ_a π_θ(a)·[log π_θ(a) − log π_ref(a)], a ~ π_θ, in nats, exactly. Say
# before you start: whose probabilities are the weights?
#
# **Key functions**
#
# - `jnp.exp(logp)`
# - `jnp.sum(x)`
# - arguments: `logp` is log π_θ, `reference_logp` is log π_ref
#
# **Plan**
#
# 1. The log-ratio of every action.
# 2. Weight it with the policy under which the expectation is taken.
# 3. Add up.

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="kl"
def kl(logp, reference_logp):
    # TODO 1: log-ratio of each action, (A,)
    # TODO 2: weights, and the sum
    return ...

# %% slideshow={"slide_type": "fragment"}
check("kl", kl)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# The first argument of a KL has two places in the formula.
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# A KL is 0 for equal policies and positive for all others, though single terms may be negative.
# Test yours in both directions: are the two numbers equal?
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `logp - reference_logp` is the log-ratio; the weights are `jnp.exp(logp)`.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def kl(logp, reference_logp):
#     return jnp.sum(jnp.exp(logp) * (logp - reference_logp))
# ```
#
# The expectation is under π_θ, so its probabilities weigh the actions, and its log-prob comes first
# in the bracket. With few actions there is nothing to estimate.
#
# </details>
#
# **Change one condition.** Swap the arguments for π_θ = (3/4, 1/4) and π_ref = (1/2, 1/2). Which
# direction is larger? And for π_θ close to (1, 0)?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The surrogate
#
# From one sample to a batch, to the whole loss, and to a number that says how much the clip had to
# do.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: the clipped surrogate of a batch
#
# *5 minutes · medium*
#
# Write the surrogate of a batch: the mean over the samples of min(ρA, clip(ρ, 1−ε, 1+ε)·A). It is
# to be maximised, so no minus sign yet. By hand first, with ε = 0.25: ρ = (1.5, 0.5), A = (2, −2).
#
# **Key functions**
#
# - `jnp.clip(x, low, high)`
# - `jnp.minimum(x, y)`: element by element
# - `jnp.mean(x)`
#
# **Plan**
#
# 1. Clip the ratios.
# 2. Form both products, sample by sample, shape (N,).
# 3. Keep the smaller product of each sample.
# 4. Average over the batch.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="surrogate"
def surrogate(ratios, advantages, clip):
    # TODO 1: clipped ratios
    # TODO 2: both products, (N,)
    # TODO 3: the smaller one of each sample, then the mean
    return ...

# %% slideshow={"slide_type": "fragment"}
check("surrogate", surrogate)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Every sample makes its own choice. When does the mean come in?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# `jnp.min` looks through one array; `jnp.minimum` compares two. You need the one that returns (N,).
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `jnp.minimum(ratios * advantages, clipped * advantages)` has shape (N,); its mean is the answer.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def surrogate(ratios, advantages, clip):
#     clipped = jnp.clip(ratios, 1 - clip, 1 + clip)
#     return jnp.mean(jnp.minimum(ratios * advantages, clipped * advantages))
# ```
#
# First the minimum, then the mean: the minimum of two means would let one sample's excess pay for
# another's. In the example the products are min(3, 2.5) and min(−1, −1.5), so the mean is 0.5.
#
# </details>
#
# **Change one condition.** Give one of the arrays the shape (N, 1). No error appears. What is the
# shape before the mean, and what does the mean average?

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: how much does the clip bind?
#
# *3 minutes · easy*
#
# Write the share of ratios that lie outside [1 − ε, 1 + ε]. A ratio exactly at a bound is inside.
# By hand first, with ε = 0.25: ρ = (1.5, 1, 0.5, 1.25).
#
# **Key functions**
#
# - `jnp.abs(x)`
# - comparisons such as `x > y` give True and False, (N,)
# - `jnp.mean` counts True as 1
#
# **Plan**
#
# 1. How far is each ratio from 1?
# 2. Is that more than ε?
# 3. The share of samples where it is.

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="clip_fraction"
def clip_fraction(ratios, clip):
    # TODO 1: distance of each ratio from 1
    # TODO 2: outside or not?
    # TODO 3: the share
    return ...

# %% slideshow={"slide_type": "fragment"}
check("clip_fraction", clip_fraction)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# The interval has two bounds. Can one comparison serve both?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# |ρ − 1| treats both sides alike. Bounds belong to the interval, so which of > and ≥ is it?
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# The mean of an array of True and False is the share of True: `jnp.mean(distance > clip)`.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def clip_fraction(ratios, clip):
#     return jnp.mean(jnp.abs(ratios - 1) > clip)
# ```
#
# The distance from 1 has both sides in it, and the strict comparison leaves the bounds inside. Of
# the four ratios two are outside: 0.5.
#
# </details>
#
# **Change one condition.** At the first inner step on a fresh batch, what is the clip fraction for
# any ε? Why?

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: the whole loss
#
# *12 minutes · hard*
#
# Put the pieces together: L = −mean min(ρA, clip(ρ)A) + β·KL(π_θ‖π_ref), to be minimised, with the
# KL summed exactly under π_θ. Old log-probs and advantages are data: no gradient may flow into
# them. The check looks at the value and at the gradients.
#
# **Key functions**
#
# - `jax.nn.log_softmax(logits)`
# - `jax.lax.stop_gradient(x)`: same value, no gradient
# - `jnp.exp`, `jnp.clip`, `jnp.minimum`, `jnp.mean`, `jnp.sum`
#
# **Plan**
#
# 1. Detach what is data.
# 2. Log-probs of the current policy; ratios of the samples.
# 3. The clipped surrogate, as a mean.
# 4. The exact KL to the reference.
# 5. Combine them: which of the two carries the minus?

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="ppo_loss"
def ppo_loss(logits, old_logps, actions, advantages, reference_logps, beta, clip):
    # TODO 1: detach old_logps and advantages
    # TODO 2: logp (A,) and the ratios (N,)
    # TODO 3: the mean of the kept products
    # TODO 4: the KL to the reference
    # TODO 5: the loss
    return ...

# %% slideshow={"slide_type": "fragment"}
check("ppo_loss", ppo_loss)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Write down for each of the five arrays: over actions or over samples? Changing during the inner
# steps or not?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# The ratio compares with the policy that *collected*; the KL compares with the *reference*. Only
# one of them enters each term.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# With `logp = jax.nn.log_softmax(logits)`: `ratio = jnp.exp(logp[actions] - old_logps)`, and the KL
# is the sum of `jnp.exp(logp) * (logp - reference_logps)`.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def ppo_loss(logits, old_logps, actions, advantages, reference_logps, beta, clip):
#     old_logps, advantages = jax.lax.stop_gradient((old_logps, advantages))
#     logp = jax.nn.log_softmax(logits)
#     ratio = jnp.exp(logp[actions] - old_logps)
#     clipped = jnp.clip(ratio, 1 - clip, 1 + clip)
#     kept = jnp.minimum(ratio * advantages, clipped * advantages)
#     drift = jnp.sum(jnp.exp(logp) * (logp - reference_logps))
#     return -jnp.mean(kept) + beta * drift
# ```
#
# The surrogate is to be made large, so it carries the minus; the drift is a cost, so it carries a
# plus and its price β. Old log-probs and advantages were fixed when the batch was collected; the
# gradient reaches the logits through the ratio and through the KL only.
#
# </details>
#
# **Change one condition.** Detach the ratio as well. The value stays; what remains of the gradient,
# and where does the policy go then?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The gradient
#
# The surrogate's gradient is a sample of this one. Here it is summed exactly, action by action.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: the gradient, action by action
#
# *8 minutes · hard*
#
# Write the gradient of the expected reward with respect to the logits, shape (A,), by enumeration:
# Σ_a π(a) ∇log π(a) [r(a) − c]. By hand first: for π = (3/4, 1/4), what is ∇log π(0)? (Both logits
# move it.)
#
# **Key functions**
#
# - `jax.nn.softmax(logits)`
# - `jnp.eye(A)`: row a has its 1 at a
# - `weights @ table`: sums the rows of the table, weighted, (A,)
#
# **Plan**
#
# 1. Probabilities (A,).
# 2. The scores: row a is ∇log π(a). log π(a) = logit a − log Σ exp(logits); differentiate both
#    terms.
# 3. Weight every row with π(a)·[r(a) − c].
# 4. Sum over the actions.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="policy_gradient"
def policy_gradient(logits, rewards, baseline):
    # TODO 1: probabilities, (A,)
    # TODO 2: table of scores, (A, A)
    # TODO 3: weighted sum over the actions
    return ...

# %% slideshow={"slide_type": "fragment"}
check("policy_gradient", policy_gradient)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# What do the entries of a score vector add up to? Adding a constant to all logits changes nothing,
# so the answer must be the same for every action.
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# The derivative of log Σ exp(logits) with respect to the logits is π. So ∇log π(a) has 1 − π(a) at
# place a and −π(b) elsewhere.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `scores = jnp.eye(p.size) - p` and the weights are `p * (rewards - baseline)`, one for each row.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def policy_gradient(logits, rewards, baseline):
#     p = jax.nn.softmax(logits)
#     scores = jnp.eye(p.size) - p
#     return (p * (rewards - baseline)) @ scores
# ```
#
# Each row of scores is weighted by how often its action is taken and by how much better it is than
# the baseline. The baseline drops out: Σ_a π(a)∇log π(a) = ∇Σ_a π(a) = ∇1 = 0.
#
# </details>
#
# **Change one condition.** Replace the constant by π(a)·r(a), a baseline that looks at the action.
# Does the gradient stay the same?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The rollout
#
# Collect first, then optimise. What a batch does not hold when it is collected cannot be recovered
# later.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: draw a batch and write down what was true
#
# *10 minutes · medium*
#
# Draw `batch_size` actions a ~ softmax(logits) with the given key. Return three arrays of shape
# (N,): the actions, their log-probs *now* (they will be old soon), and their advantages with the
# exact baseline. Any correct way to sample is right: the check looks at distribution and
# consistency.
#
# **Key functions**
#
# - `jax.random.categorical(key, log_weights, shape=(n,))`: n indices
# - `jax.nn.log_softmax(logits)`
# - `array[actions]`
#
# **Plan**
#
# 1. Log-probs of all actions.
# 2. Draw the batch, using the key.
# 3. Pick the log-probs of the drawn actions.
# 4. Rewards of the drawn actions, less the exact expected reward.
# 5. Return the three, in this order.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="collect"
def collect(key, logits, rewards, batch_size):
    # TODO 1: logp (A,)
    # TODO 2: actions (N,)
    # TODO 3: old_logps and advantages (N,)
    return ...

# %% slideshow={"slide_type": "fragment"}
check("collect", collect)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Which two of the three results need to be known exactly as they are at this moment, and why can
# they not be computed again later?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# `categorical` wants logits or log-probs, not probabilities; given probabilities it draws from a
# flattened policy without a word.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `actions = jax.random.categorical(key, logp, shape=(batch_size,))`; then `logp[actions]`, and
# `rewards[actions]` less the sum of `jnp.exp(logp) * rewards`.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def collect(key, logits, rewards, batch_size):
#     logp = jax.nn.log_softmax(logits)
#     actions = jax.random.categorical(key, logp, shape=(batch_size,))
#     baseline = jnp.sum(jnp.exp(logp) * rewards)
#     return actions, logp[actions], rewards[actions] - baseline
# ```
#
# All three belong to the moment of collection. The log-probs stay behind as π_old while θ moves on;
# the advantages use the expectation under the same policy.
#
# </details>
#
# **Change one condition.** Call your function twice with the same key and compare; then with two
# keys from `jax.random.split`. Which one belongs into a training loop?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The optimum
#
# How far is a policy from the best one at this price of drift?

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: how much is left to gain?
#
# *8 minutes · hard*
#
# For a policy, the reference, rewards and β: by how much does the objective E[r] − β·KL(π‖π_ref) of
# the optimum exceed that of the policy? The answer is never negative. When is it 0?
#
# **Key functions**
#
# - `lessonlib.optimal_logp(reference_logp, rewards, beta)`, or your own
# - `lessonlib.regularized_objective(logp, rewards, reference_logp, beta)`: mind the order
#
# **Plan**
#
# 1. The optimum's log-probs.
# 2. The objective of the optimum, and that of the policy.
# 3. Their difference, so that it is not negative.

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="regularized_gap"
def regularized_gap(logp, reference_logp, rewards, beta):
    # TODO 1: the optimum
    # TODO 2: both objectives
    # TODO 3: the gap
    return ...

# %% slideshow={"slide_type": "fragment"}
check("regularized_gap", regularized_gap)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Which of the two objectives is larger, always? Put it first.
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# Both objectives use the same β and the same reference; only the policy differs. The optimum pays
# for its drift too.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# Write a small function of one policy that returns its objective, and call it twice.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def regularized_gap(logp, reference_logp, rewards, beta):
#     def objective(policy):
#         drift = lessonlib.kl(policy, reference_logp)
#         return lessonlib.expected_reward(policy, rewards) - beta * drift
#
#     best = lessonlib.optimal_logp(reference_logp, rewards, beta)
#     return objective(best) - objective(logp)
# ```
#
# Both policies are measured with the same ruler. The gap equals β·KL(π‖π*), a ~ π, which is why it
# is 0 only for the optimum itself.
#
# </details>
#
# **Change one condition.** Compute β·KL(π‖π*) for one of the runs and compare with your gap. Then
# let β fall: which part of the gap grows?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Three tasks on the lesson's run
#
# The run of notebook 05: 40 rollout batches at β = 0.2. Its final policy goes into the tasks below.

# %% slideshow={"slide_type": "fragment"}
bandit = lesson_bandit()
history = train(bandit, Settings())
final_logp = history.logp[-1]

print("action      0      1      2")
for name, logp in (("reference", bandit.reference_logp), ("final", final_logp)):
    print(f"{name:<9}", " ".join(f"{p:.4f}" for p in jnp.exp(logp)))

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: make it yours: from the reference to the end
#
# *4 minutes · easy*
#
# **Make it yours.** Return two numbers: the KL of the reference to itself, and the KL of the final
# policy to the reference, KL(π_final‖π_ref), a ~ π_final. Predict the first one before you write a
# line.
#
# **Key functions**
#
# - `lessonlib.kl(logp, reference_logp)`, or your own
#
# **Plan**
#
# 1. First number: both arguments are the reference.
# 2. Second number: which of the two comes first?
# 3. Return them as a pair, in this order.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="kl_pair"
def kl_pair(reference_logp, final_logp):
    # TODO 1: how far is the reference from itself?
    # TODO 2: how far is the final policy from the reference?
    return ...

# %% slideshow={"slide_type": "fragment"}
check("kl_pair", kl_pair)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# What is the ratio of a policy to itself, and the logarithm of that?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# Look at the order: in this exercise the reference is the *first* argument of the function, but not
# of the second KL.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `lessonlib.kl(x, y)` is KL(x‖y), with the expectation under x.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def kl_pair(reference_logp, final_logp):
#     return lessonlib.kl(reference_logp, reference_logp), lessonlib.kl(final_logp, reference_logp)
# ```
#
# Every log-ratio of a policy to itself is 0, so a run starts at a KL of exactly 0. At the end the
# expectation is under the final policy.
#
# </details>
#
# **Change one condition.** Below, give your function the trained policy of the lesson. Then train
# with β = 2 and compare the second number. Which way should it move?

# %% slideshow={"slide_type": "fragment"}
mine = kl_pair(bandit.reference_logp, final_logp)

print("on the lesson's run")
print("yours:", "not written yet" if mine is ... else [round(float(value), 4) for value in mine])
print("history.kl of the last batch:", round(float(history.kl[-1]), 4))

# %% [markdown] slideshow={"slide_type": "fragment"}
# The second number is the KL that the run recorded after its last batch, for the same two policies.
# If yours differs, ask in which direction you measured.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: transfer: data stays data
#
# *8 minutes · hard*
#
# **Transfer.** You are handed a loss, and somebody claims that old log-probs and advantages are
# detached in it. Differentiate the *given* loss with respect to both, and return the two gradients,
# each (N,). The check gives you one loss that keeps the promise and one that leaks: your function
# has to tell.
#
# **Key functions**
#
# - `jax.grad(f, argnums=(i, j))`: a function that returns the gradients with respect to arguments i
#   and j
# - arguments are counted from 0
#
# **Plan**
#
# 1. Which positions do `old_logps` and `advantages` have in `loss(logits, old_logps, actions,
#    advantages, …)`?
# 2. Make the gradient function.
# 3. Call it with all the arguments of the loss.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="detached_gradients"
def detached_gradients(
    loss, logits, old_logps, actions, advantages, reference_logps, beta, clip
):
    # TODO 1: gradient function of the given loss
    # TODO 2: call it
    return ...

# %% slideshow={"slide_type": "fragment"}
check("detached_gradients", detached_gradients)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# A test that could not fail tells nothing. What should come back for a loss that leaks?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# `argnums` takes a pair of positions, and then a pair of gradients comes back. Count from 0.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `jax.grad(loss, argnums=(1, 3))` is the function to call with `logits, old_logps, actions, …`.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def detached_gradients(
#     loss, logits, old_logps, actions, advantages, reference_logps, beta, clip
# ):
#     gradients = jax.grad(loss, argnums=(1, 3))
#     return gradients(logits, old_logps, actions, advantages, reference_logps, beta, clip)
# ```
#
# For a loss that detaches both, the two gradients are exactly zero: not small, but 0. Detaching
# alone does not help if old log-probs are computed again after every step: then they are constants,
# and the wrong ones. Store them when you collect, and check that they are the same through all
# epochs on that batch.
#
# </details>
#
# **Change one condition.** Change `argnums` to 4, the reference. What do you expect for the
# lesson's loss, and what does it say about the reference in a run?

# %% [markdown] slideshow={"slide_type": "fragment"}
# Detaching is one half. The other half is *which* log-probs are held: those of the time of
# collection. At the first inner step of every batch the current policy is still the one that
# collected: every ratio is 1. Later it must not be.

# %% slideshow={"slide_type": "fragment"}
for epoch in range(history.max_ratio_error.shape[1]):
    furthest = history.max_ratio_error[:, epoch].max()
    print(f"inner step {epoch + 1}: largest |ρ − 1| over all batches {furthest:.3f}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# If the last line were 0 as well, the old log-probs would have been computed again after every
# step.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: challenge: reference, run, optimum
#
# *6 minutes · medium*
#
# **Challenge.** Return the objective E[r] − β·KL(π‖π_ref) three times: of the reference, of the
# policy `logp`, and of the exact optimum. Predict their order before you compute them.
#
# **Key functions**
#
# - `lessonlib.regularized_objective(logp, rewards, reference_logp, beta)`
# - `lessonlib.optimal_logp(reference_logp, rewards, beta)`
#
# **Plan**
#
# 1. What does the reference pay for its drift?
# 2. The objective of `logp`.
# 3. The optimum at this β, and its objective.
# 4. Return the three, in this order.

# %% slideshow={"slide_type": "subslide"} tags=["exercise"] exercise="compare_with_optimum"
def compare_with_optimum(logp, reference_logp, rewards, beta):
    # TODO 1: objective of the reference
    # TODO 2: objective of logp
    # TODO 3: objective of the optimum
    return ...

# %% slideshow={"slide_type": "fragment"}
check("compare_with_optimum", compare_with_optimum)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# One function, called for three policies.
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# The reference's KL is 0, so its objective is its expected reward. The optimum is not the best
# action with certainty: that would cost.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `optimal_logp(reference_logp, rewards, beta)` is the third policy; put each of the three into
# `regularized_objective`.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def compare_with_optimum(logp, reference_logp, rewards, beta):
#     best = lessonlib.optimal_logp(reference_logp, rewards, beta)
#     return tuple(
#         lessonlib.regularized_objective(policy, rewards, reference_logp, beta)
#         for policy in (reference_logp, logp, best)
#     )
# ```
#
# The optimum is a bound for this bandit's objective at this β: no policy is above it, trained or
# not. Forty sampled batches need not reach it.
#
# </details>
#
# **Change one condition.** Use β = 2 for the objective, but a policy trained at β = 0.2. Can it
# fall below the reference? Verify it.

# %% slideshow={"slide_type": "fragment"}
mine = compare_with_optimum(final_logp, bandit.reference_logp, bandit.rewards, 0.2)

print("on the lesson's run, at β = 0.2")
print("reference, final, optimum:")
print("yours:", "not written yet" if mine is ... else [round(float(value), 4) for value in mine])
if mine is not ...:
    print("optimum at least as high as both:", bool(mine[2] >= max(mine[:2]) - 1e-5))

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Which policy is refreshed?
#
# One question on the four lifetimes, and two cases from practice.

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_07_refreshed")

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_07_ratio_one")

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_07_reward_up")

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **5 minutes.** Let them answer alone first. Usual slip in the first one: "both are refreshed, at
# every step". Ask what the ratio would then be. For the third: which evaluation in this lesson was
# independent of the reward model?
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Carry forward
#
# | object | changes when | read by |
# |---|---|---|
# | current policy π_θ | every inner step | ratio, KL |
# | behaviour policy: old log-probs, advantages | a new batch is collected | ratio, surrogate |
# | reference policy π_ref | never in a run | KL |
# | reward model | never during policy optimisation | advantages |
#
# - Clip inside the signed product: multiply by the advantage first, then take the smaller side.
# - Read expected reward beside the KL to the reference; either of them alone can mislead.
# - A check is worth what it could have refused. Ask that of your own tests too.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Your evidence
#
# The page below gathers what you did in all notebooks: predictions with their results, quiz
# answers, and every check with your code and the number of tries. Before you hand it in, see that
# it shows
#
# 1. reward and reference that stayed the same through a run;
# 2. old log-probs that were stored at collection;
# 3. the clip in both directions, for both signs;
# 4. reward and KL of a run, both exact;
# 5. gradients of exactly zero into what was detached;
#
# each with your prediction, your code, the output, and your reasoning in a sentence.

# %% slideshow={"slide_type": "fragment"}
portfolio()
