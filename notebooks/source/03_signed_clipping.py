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
# # Signed clipping: what one sample may still gain
#
# **18 minutes.** After this notebook you can
#
# - work out by hand which product PPO keeps, for both signs of the advantage and both sides of
#   the interval;
# - type the whole PPO loss, and say for each of its two terms when it sends gradient;
# - name a wrong loss that passes a careless test, and the case that exposes it.

# %% slideshow={"slide_type": "skip"}
import jax
import jax.numpy as jnp
import numpy as np

from lessonlib import check, collect, expected_reward, lesson_bandit
from lessonlib import picture, plot_panels, predict, quiz, reveal

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## One sample, two products
#
# A batch was collected some steps ago. One of its samples has
#
# - a **ratio** ρ = π_θ(a) / π_old(a): how much more (or less) probable the action is now than
#   when it was drawn. At ρ = 1.5 it has become one and a half times as probable.
# - an **advantage** A: how much better (A > 0) or worse (A < 0) the action scored than the
#   policy's average.
#
# For every sample PPO compares two products and keeps the smaller one:
#
# **min( ρ·A, clip(ρ, 1 − ε, 1 + ε)·A )**
#
# With ε = 0.2, clip moves any ρ into the interval from 0.8 to 1.2. The result, the
# *surrogate*, is to be **made large**.
#
# Take paper. Work out both products for A = 2, ρ = 1.5, and then for A = −2, ρ = 0.5.

# %% slideshow={"slide_type": "subslide"}
predict("positive_above")

# %% slideshow={"slide_type": "fragment"}
def both_products(ratio, advantage):
    clipped = min(max(ratio, 0.8), 1.2)
    return ratio * advantage, clipped * advantage


# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
unclipped, clipped = both_products(ratio=1.5, advantage=2.0)
print(f"A = 2, ρ = 1.5: ρA = {unclipped}, clip(ρ)A = {clipped}, kept {min(unclipped, clipped)}")

# %% slideshow={"slide_type": "fragment"}
reveal("positive_above")

# %% [markdown] slideshow={"slide_type": "subslide"}
# Now a bad action that has already lost half of its probability.

# %% slideshow={"slide_type": "fragment"}
predict("negative_below")

# %% slideshow={"slide_type": "fragment"} jupyter={"outputs_hidden": true}
unclipped, clipped = both_products(ratio=0.5, advantage=-2.0)
print(f"A = −2, ρ = 0.5: ρA = {unclipped}, clip(ρ)A = {clipped}, kept {min(unclipped, clipped)}")

# %% slideshow={"slide_type": "fragment"}
reveal("negative_below")

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes.** Ask before each cell: "which of the two is *smaller*, sign
# included?" Usual slip: "for a negative advantage everything turns round, so take the larger
# one". Answer: the sign is already inside the product; the rule stays min. Say it once as a
# sentence: for A > 0 a larger ρ gains, for A < 0 a smaller one, and beyond the bound on that side
# going on earns nothing.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Would these two cases catch a wrong loss?
#
# You now have two test cases for anybody's PPO loss. Before trusting them, ask what they can
# tell apart.

# %% slideshow={"slide_type": "fragment"}
predict("two_cases")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
for ratio, advantage in [(1.5, 2.0), (0.5, -2.0)]:
    unclipped, clipped = both_products(ratio, advantage)
    print(f"A = {advantage:+}, ρ = {ratio}: with min {min(unclipped, clipped)}, min lost {clipped}")

# %% slideshow={"slide_type": "fragment"}
reveal("two_cases")

# %% [markdown] slideshow={"slide_type": "subslide"}
# Two cases are left: the sample has moved to the side that its advantage does **not** favour. A
# bad action has become *more* probable (A = −2, ρ = 1.5), or a good one *less* probable (A = 2,
# ρ = 0.5). That happens: the other samples of the batch pulled it there.

# %% slideshow={"slide_type": "fragment"}
predict("kept_product")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
for ratio, advantage in [(1.5, -2.0), (0.5, 2.0)]:
    unclipped, clipped = both_products(ratio, advantage)
    print(f"A = {advantage:+}, ρ = {ratio}: with min {min(unclipped, clipped)}, min lost {clipped}")

# %% slideshow={"slide_type": "fragment"}
reveal("kept_product", min(both_products(1.5, -2.0)))

# %% [markdown] slideshow={"slide_type": "fragment"}
# On this side the unclipped product is the smaller one, so the sample keeps its full pull back
# towards ρ = 1. A loss without min has no pull here at all.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exercise: the kept product, case by case
#
# *5 minutes · medium*
#
# Write the product that PPO keeps for one sample, min(ρA, clip(ρ, 1−ε, 1+ε)·A). Then look at your
# four cases: both signs of A, ρ above and below the interval. You may use min and clip, or an `if`
# for each case; the check only looks at the numbers.
#
# **Key functions**
#
# - `min(a, b)`, `max(a, b)` for two numbers, or `jnp.minimum(a, b)`
# - `jnp.clip(x, low, high)`
#
# **Plan**
#
# 1. Bring the ratio into the interval from 1 − ε to 1 + ε.
# 2. Form both products with the advantage.
# 3. Keep one of the two.

# %% slideshow={"slide_type": "fragment"} tags=["exercise"] exercise="clipped_term"
def clipped_term(ratio, advantage, clip):
    # TODO 1: the ratio, held inside the interval
    # TODO 2: both products
    # TODO 3: which of them is kept?
    return ...


# %% slideshow={"slide_type": "fragment"}
check("clipped_term", clipped_term)

# %% [markdown] slideshow={"slide_type": "skip"}
# <details><summary>Hint 1: a nudge</summary>
#
# Do A = −2, ρ = 1.5 on paper, with ε = 0.2: which of the two products is smaller, sign included?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# The advantage is multiplied in *before* the two sides are compared. Its sign decides which side is the smaller one.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# `unclipped = ratio * advantage`; `clipped = (ratio inside the interval) * advantage`. The pessimist keeps the smaller one, for either sign.
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def clipped_term(ratio, advantage, clip):
#     held = min(max(ratio, 1 - clip), 1 + clip)
#     return min(ratio * advantage, held * advantage)
# ```
#
# For A > 0 the minimum caps ρ from above; for A < 0 it caps from below, because multiplying by a negative number turns the order round. In the two other cases the unclipped product is kept, and with it the gradient that leads back.
#
# </details>
#
# **Change one condition.** Set ε = 0. What is kept for ρ = 1.5 when A = 2, and when A = −2? In which of the two does a gradient remain?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The surrogate, typed
#
# First the ratios of a whole batch. Subtracting log-probs and then taking exp is the same as
# dividing probabilities, and safe when they are tiny.

# %% slideshow={"slide_type": "fragment"}
def ratios(logits, old_logps, actions):
    logp = jax.nn.log_softmax(logits)
    return jnp.exp(logp[actions] - old_logps)


# %% [markdown] slideshow={"slide_type": "fragment"}
# Check it by hand: two samples, drawn when both actions had probability 0.4. Now action 0 has
# 0.6 and action 1 has 0.2.

# %% slideshow={"slide_type": "fragment"}
old = jnp.log(jnp.array([0.4, 0.4, 0.2]))
now = jnp.log(jnp.array([0.6, 0.2, 0.2]))
actions = jnp.array([0, 1])
print("ρ =", ratios(now, old[actions], actions))

# %% [markdown] slideshow={"slide_type": "subslide"}
# Then the surrogate: the function that you have just written, for a whole batch at once. Mind the
# order: the advantage is multiplied in **first**, the minimum is taken **last**.

# %% slideshow={"slide_type": "fragment"}
def clipped_surrogate(ratio, advantage, clip):
    clipped = jnp.clip(ratio, 1 - clip, 1 + clip)
    return jnp.minimum(ratio * advantage, clipped * advantage)


# %% [markdown] slideshow={"slide_type": "fragment"}
# Draw it over ρ for a good and for a bad sample. Before you look: in which part of each
# picture should the kept line lie flat?

# %% slideshow={"slide_type": "fragment"}
def surrogate_panel(title, advantage):
    rho = np.round(np.linspace(0, 2, 41), 2)
    lines = {
        "kept: the minimum": clipped_surrogate(rho, advantage, 0.2),
        "unclipped ρA": rho * advantage,
        "clipped clip(ρ)A": np.clip(rho, 0.8, 1.2) * advantage,
    }
    series = [{"label": n, "x": rho.tolist(), "y": y.tolist()} for n, y in lines.items()]
    ticks = [0, 0.5, 0.8, 1.2, 1.5, 2]
    axes = {"x": ticks, "labels": [str(tick) for tick in ticks], "xlabel": "ratio ρ"}
    return {"kind": "line", "title": title, **axes, "ylabel": "surrogate", "series": series}


# %% slideshow={"slide_type": "subslide"}
panels = [
    surrogate_panel("A = 2: a good sample", 2.0),
    surrogate_panel("A = −2: a bad sample", -2.0),
]
alt = (
    "Two line plots of the surrogate over the ratio. For A = 2 the kept line rises up to ρ = 1.2 "
    "and is flat above. For A = −2 it is flat below ρ = 0.8 and falls from there on."
)
picture(plot_panels({"panels": panels}), alt, {"panels": panels})

# %% [markdown] slideshow={"slide_type": "fragment"}
# Each kept line is flat on **one** side only: where a sample would gain by moving on. On the
# other side it follows the unclipped line down as far as it goes.

# %% [markdown] slideshow={"slide_type": "subslide"}
# Flat means zero slope. Let JAX differentiate the surrogate with respect to ρ at the four cases.

# %% slideshow={"slide_type": "fragment"}
case_ratios = jnp.array([1.5, 0.5, 1.5, 0.5])
case_advantages = jnp.array([2.0, 2.0, -2.0, -2.0])
slope = jax.vmap(jax.grad(clipped_surrogate), in_axes=(0, 0, None))
kept = clipped_surrogate(case_ratios, case_advantages, 0.2)
print("   A     ρ   kept  slope")
for row in zip(case_advantages, case_ratios, kept, slope(case_ratios, case_advantages, 0.2)):
    print(" ".join(f"{float(value) + 0:5.1f}" for value in row))

# %% [markdown] slideshow={"slide_type": "fragment"}
# Read the two rows with slope zero: a good sample above the interval, a bad one below. In the
# two other rows the slope is A itself, so these samples still pull.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **3 minutes for the typing and the picture.** Let students sketch the A = −2
# panel before it is drawn. Usual sketch: the A = 2 picture upside down, flat above 1.2. Ask them
# to compute ρ = 1.5 with A = −2 by hand and to put the point in. The exercise before it takes 5
# minutes, or goes home.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Four losses that look right
#
# Careful people have written each of these four. Run them on the same cases. First find, in each
# line, what differs from the top one.

# %% slideshow={"slide_type": "fragment"}
variants = {
    "right": lambda ρ, A: clipped_surrogate(ρ, A, 0.2),
    "min lost": lambda ρ, A: jnp.clip(ρ, 0.8, 1.2) * A,
    "min first": lambda ρ, A: jnp.minimum(ρ, jnp.clip(ρ, 0.8, 1.2)) * A,
    "max": lambda ρ, A: jnp.maximum(ρ * A, jnp.clip(ρ, 0.8, 1.2) * A),
    "no clip": lambda ρ, A: ρ * A,
}

# %% [markdown] slideshow={"slide_type": "fragment"}
# A cross marks a value that differs from the right one. Which column could you catch with
# positive advantages alone?

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
results = {name: f(case_ratios, case_advantages) for name, f in variants.items()}
print(f"{'A':>5} {'ρ':>5}" + "".join(f"{name:>12}" for name in results))
for case in range(4):
    line = f"{case_advantages[case]:5.1f} {case_ratios[case]:5.1f}"
    for values in results.values():
        differs = abs(float(values[case] - results["right"][case])) > 1e-6
        line += f"{values[case]:10.1f} {'×' if differs else ' '}"
    print(line.rstrip())

# %% [markdown] slideshow={"slide_type": "fragment"}
# "Min first" is right for **every** positive advantage. One row exposes three of the four: A = −2
# with ρ = 1.5, the row that is most often left out. No row exposes all four, so a test has all of
# them.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Does training tell?
#
# Perhaps a wrong loss shows itself in the reward. Collect **one** batch from the lesson's bandit
# and take ten steps on it with each variant. Beside the reward, follow the ratio of action 0,
# the best-scored one.

# %% slideshow={"slide_type": "fragment"}
bandit = lesson_bandit()
batch = collect(jax.random.key(11), bandit.reference_logp, bandit.rewards, batch_size=128)


# %% slideshow={"slide_type": "fragment"}
def ten_steps(surrogate, learning_rate=0.3):
    def loss(logits):
        ratio = ratios(logits, batch.old_logps, batch.actions)
        return -jnp.mean(surrogate(ratio, batch.advantages))

    path = [bandit.reference_logp]
    for _ in range(10):
        path.append(path[-1] - learning_rate * jax.grad(loss)(path[-1]))
    return [jax.nn.log_softmax(logits) for logits in path]


# %% slideshow={"slide_type": "subslide"}
paths = {name: ten_steps(surrogate) for name, surrogate in variants.items()}


# %% slideshow={"slide_type": "fragment"}
def steps_panel(title, ylabel, measure):
    series = [{"label": n, "y": [float(measure(p)) for p in path]} for n, path in paths.items()]
    axes = {"x": list(range(11)), "xlabel": "inner steps on one batch", "ylabel": ylabel}
    return {"kind": "line", "title": title, **axes, "series": series}


# %% slideshow={"slide_type": "fragment"}
panels = [
    steps_panel("Reward", "expected reward", lambda logp: expected_reward(logp, bandit.rewards)),
    steps_panel("Action 0", "ratio ρ", lambda logp: jnp.exp(logp - bandit.reference_logp)[0]),
]
alt = (
    "Two line plots over ten inner steps: expected reward, and ratio of the best action. With max, "
    "min first or no clip both keep climbing; with the right loss or min lost they level off early."
)
picture(plot_panels({"panels": panels}), alt, {"panels": panels})

# %% [markdown] slideshow={"slide_type": "fragment"}
# Three of the wrong losses raise the reward **faster**: they go on pushing after the right loss has
# stopped, soon after ρ = 1.2. The fourth, with min lost, cannot be told from the right one here.
# Reward is no test of a loss.

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_03_max_for_negative")

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_03_no_min")

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes.** Ask: "a colleague shows you a steeper reward curve after a
# change; what else do you ask to see?" Usual answer: more seeds. Better: the four cases, and how
# far the ratios went. With three actions and noiseless rewards a bigger step from an old batch is
# forgiven; with a large policy and few samples it need not be.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The whole loss
#
# The second term holds the policy near the reference. Its direction matters: the expectation
# runs under the **current** policy, KL(π_θ‖π_ref), a ~ π_θ, summed over all actions, in nats.

# %% slideshow={"slide_type": "fragment"}
def kl(logp, reference_logp):
    return jnp.sum(jnp.exp(logp) * (logp - reference_logp))


# %% [markdown] slideshow={"slide_type": "subslide"}
# Optimisers make things small, and the surrogate is to be made large. Hence the minus sign in
# front of it; the KL, which is to be small, has a plus. Old log-probs, advantages and reference
# are data: `stop_gradient` keeps them from ever turning into targets.

# %% slideshow={"slide_type": "fragment"}
def ppo_loss(logits, old_logps, actions, advantages, reference_logps, beta=0.1, clip=0.2):
    old_logps, advantages, reference_logps = jax.lax.stop_gradient(
        (old_logps, advantages, reference_logps)
    )
    surrogate = clipped_surrogate(ratios(logits, old_logps, actions), advantages, clip)
    return -jnp.mean(surrogate) + beta * kl(jax.nn.log_softmax(logits), reference_logps)


# %% [markdown] slideshow={"slide_type": "fragment"}
# Read the minus sign off a fresh batch of two samples (all ratios 1, KL 0) with advantages 2
# and −1. The surrogate is their mean.

# %% slideshow={"slide_type": "fragment"}
fresh = jnp.array([2.0, -1.0])
print(f"surrogate: {clipped_surrogate(jnp.ones(2), fresh, 0.2).mean():.2f}")
print(f"loss: {ppo_loss(old, old[actions], actions, fresh, reference_logps=old):.2f}")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## When every sample is flat
#
# Take the two samples from above: action 0 has gone from 0.4 to 0.6 (ρ = 1.5) and is good,
# action 1 from 0.4 to 0.2 (ρ = 0.5) and is bad. Both surrogates lie on their flat part. The
# reference is the old policy (0.4, 0.4, 0.2).

# %% slideshow={"slide_type": "fragment"}
predict("flat_gradient")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
advantages = jnp.array([2.0, -2.0])
for beta in (0.0, 0.2):
    gradient = jax.grad(ppo_loss)(now, old[actions], actions, advantages, old, beta)
    print(f"β = {beta}: gradient of the loss =", gradient)

# %% slideshow={"slide_type": "fragment"}
reveal("flat_gradient")

# %% [markdown] slideshow={"slide_type": "fragment"}
# A descent step goes **against** this gradient: it takes from action 0, gives to action 1, and
# so leads back towards the reference. Only the KL does that; a clipped sample never pushes back.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### A flat sample does not hold its action still
#
# Same policy, another batch: action 0 (good, ρ = 1.5, flat) and action 2 (bad, ρ = 1, active).
# Leave the KL out (β = 0) and take one step with learning rate 0.5. What happens to the
# probability of action 0?

# %% slideshow={"slide_type": "fragment"}
batch_actions = jnp.array([0, 2])
gradient = jax.grad(ppo_loss)(now, old[batch_actions], batch_actions, advantages, old, beta=0.0)
after = now - 0.5 * gradient
print("probabilities before:", jax.nn.softmax(now))
print("probabilities after: ", jax.nn.softmax(after))
print("ratio of action 0:   ", ratios(after, old[:1], jnp.array([0])))

# %% [markdown] slideshow={"slide_type": "fragment"}
# Action 2 lost probability, and softmax gave it to the others: action 0 moved **further** out
# although its own sample was flat. Clipping caps what a sample can gain. It freezes no
# probability, and it is no bound on how far the policy goes.

# %% slideshow={"slide_type": "subslide"}
quiz("quiz_03_trust_region")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Data stays data
#
# Differentiate the loss with respect to the *old log-probs* (argument 1) and the *advantages*
# (argument 3). Beside it, the same surrogate without `stop_gradient`.

# %% slideshow={"slide_type": "fragment"}
def not_detached(old_logps, advantages):
    return -jnp.mean(clipped_surrogate(ratios(now, old_logps, actions), advantages, 0.2))


# %% slideshow={"slide_type": "fragment"}
fresh_logps = now[actions]  # ratios of 1: no sample is flat
arguments = (now, fresh_logps, actions, advantages, old)
print("detached:    ", *jax.grad(ppo_loss, argnums=(1, 3))(*arguments))
print("not detached:", *jax.grad(not_detached, argnums=(0, 1))(fresh_logps, advantages))

# %% [markdown] slideshow={"slide_type": "fragment"}
# Exactly zero, for both. Without the detach, a gradient step could make the loss smaller by
# rewriting the record of what was sampled, or by inflating the advantages.
#
# Detaching does not repair one other mistake: old log-probs that are *recomputed* after every
# step are detached too, and every ratio is then 1.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **4 minutes for the loss, the flat batch and the detach.** Ask before the flat
# batch: "who still has something to say?" Usual answer: nobody, clipping stops the update. Say:
# each term speaks for itself; look at what is added to the surrogate.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you take along
#
# - Multiply by the advantage first, take the minimum last, and put the minus sign in front.
# - Flat for A > 0 above the interval and for A < 0 below it; on the other two sides the pull
#   stays.
# - Test all four cases: reward curves do not reveal a wrong loss.
# - A flat sample freezes nothing: softmax ties the actions together, and the KL still pulls.
#
# Source: PPO (arXiv 1707.06347), equation 7. **Next:** `04_baseline` asks where the advantage's
# zero comes from.
