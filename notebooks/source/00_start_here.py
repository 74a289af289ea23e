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
# # Start here: what RLHF does to a policy
#
# **8 minutes.** After this notebook you can
#
# - say whether your computer is ready, and mend it if it is not;
# - work through a prediction: predict, run, reveal;
# - tell which of five things you should look up before going on.
#
# Select the next cell and press **Shift + Enter**. It looks at Python, the packages, the sliders
# and the folder for your answers. If anything is wrong it says what, and how to mend it.

# %% slideshow={"slide_type": "fragment"}
import jax
import jax.numpy as jnp
import numpy as np

from lessonlib import doctor, picture, plot_panels, predict, quiz, reveal

np.set_printoptions(precision=3, suppress=True)

doctor()

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The question of this lesson
#
# People compared answers. From their choices a **reward model** was fitted: it gives every answer
# a score. Now a policy, which writes the answers, is trained to score high.
#
# **How do the scores change the policy?** You will watch both sides of that change: how much
# reward it gains, and how far it drifts from where it began.
#
# To see it without guessing, the world is tiny: one prompt, three possible answers. Everything
# that must be estimated for a language model can be added up exactly here.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **2 minutes** up to here. Let everybody run the first cell before you speak,
# and mend machines now. Ask the room: "what could go wrong when a policy is trained to please a
# model of people?" Collect two or three answers on the board; come back to them at the end of
# notebook 06.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How it works: predict, run, reveal
#
# 1. **Predict.** Choose an answer, say how sure you are, press **Lock in**. From then on it
#    cannot be changed, by you or by the result.
# 2. **Run** the cell below it. A result that you could see too early stays folded until then.
# 3. **Reveal.** Your answer beside what happened, and what each option would have meant.
#
# A wrong prediction is the useful kind: it shows where your picture and the world differ. Nobody
# marks it. Nothing stops you from running on without an answer, either.
#
# Your answers are kept in the folder `portfolio` beside these notebooks, each as a small file of
# its own. They survive a restart. If that folder cannot be written they go to your own data
# folder, and the question says so. Notebook 07 gathers them on one page.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A first prediction
#
# A **softmax** policy keeps one number, a *logit*, for each action. Its probabilities are
#
# **π(a) = exp(logit of a) / Σ exp(all logits)**

# %% slideshow={"slide_type": "fragment"}
predict("warm_up")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
before = jax.nn.softmax(jnp.array([0.2, 0.0, -0.2]))
after = jax.nn.softmax(jnp.array([1.2, 0.0, -0.2]))
print("before  ", before)
print("after   ", after)
print("quotient", after / before)

# %% slideshow={"slide_type": "fragment"}
reveal("warm_up")

# %% slideshow={"slide_type": "subslide"} jupyter={"outputs_hidden": true}
bars = {"kind": "bar", "title": "One logit raised by 1", "ylabel": "probability"}
bars |= {"xlabel": "terminal action", "labels": ["action 0", "action 1", "action 2"]}
bars["series"] = [
    {"label": "before", "y": before.tolist()},
    {"label": "after", "y": after.tolist()},
]
alt = "Bars of three probabilities: action 0 rises, actions 1 and 2 shrink in proportion."
picture(plot_panels({"panels": [bars]}), alt, {"panels": [bars]})

# %% [markdown] slideshow={"slide_type": "fragment"}
# One number was touched and three probabilities moved. Two of them shrank, and their ratio to
# each other stayed. A policy that learns from one action changes all the others, too.
#
# Under every figure, **Numbers as a table** opens what was drawn.

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **2 minutes.** Ask for a show of hands before anybody runs the cell; count
# "nothing" and "the same amount" aloud, they are usually the majority together. To "nothing": what
# must the three sum to? To "the same amount": would a probability of 0.01 also lose 0.1?
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Do you have what you need?
#
# Five things come from earlier lessons (rl-01 to rl-04). One question each: a few seconds if you
# have it. You may try as often as you like; every choice gets a reply.
#
# **1. A functional environment** keeps no hidden state: everything goes in as an argument.

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_00_functional")

# %% [markdown] slideshow={"slide_type": "subslide"}
# **2. Rollout masks** say which places of a padded batch are real.

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_00_masks")

# %% [markdown] slideshow={"slide_type": "subslide"}
# **3. Behaviour-policy identity**: which policy produced these actions?

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_00_behaviour")

# %% [markdown] slideshow={"slide_type": "subslide"}
# **4. Signed PPO clipping**: the clip acts together with the sign of the advantage.

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_00_clipping")

# %% [markdown] slideshow={"slide_type": "subslide"}
# **5. Held-out evaluation**: what was kept away from training?

# %% slideshow={"slide_type": "fragment"}
quiz("quiz_00_heldout")

# %% [markdown] slideshow={"slide_type": "subslide"}
# If an answer surprised you, open its line.
#
# <details><summary>1. Functional environments</summary>
#
# A step is a function: state, action and random key go in, the next state and the reward come
# out. Same arguments, same result. So whoever wants new randomness must pass a new key:
# `key, draw_key = jax.random.split(key)`, then use `draw_key` once.
# </details>
#
# <details><summary>2. Rollout masks</summary>
#
# Responses differ in length, arrays do not. A mask of ones and zeros marks the real tokens; a mean
# is Σ mask·loss / Σ mask. *Here* every answer is one action, so no mask is needed.
# </details>
#
# <details><summary>3. Behaviour-policy identity</summary>
#
# The behaviour policy is the one that drew the actions. Its log-probs are stored at the draw and
# stay as they are for as long as that batch is used. Notebook 01 is about this.
# </details>
#
# <details><summary>4. Signed PPO clipping</summary>
#
# PPO keeps the smaller of ρ·A and clip(ρ, 1 − ε, 1 + ε)·A, sign included. Notebook 03 works out
# all four combinations of sign and side.
# </details>
#
# <details><summary>5. Held-out evaluation</summary>
#
# What was optimised cannot also be the judge. Keep back data that training never saw, and for a
# learned reward also a judgement that does not come from the reward model.
# </details>

# %% [markdown] slideshow={"slide_type": "notes"} tags=["notes"]
# <details><summary>For instructors</summary>
#
# **3 minutes.** Let pairs do the five questions; do not discuss all of them. Ask
# which one took longest. Number 3 matters most today: "recomputed, with the gradient stopped" is
# the usual wrong answer. Say: stopping a gradient does not change whose number it is.
#
# </details>

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The way ahead
#
# | notebook | its question |
# |---|---|
# | [01 Four roles](01_four_roles.ipynb) | which four objects are there, and when does each change? |
# | [02 Reward model](02_reward_model.ipynb) | how do three comparisons become scores? |
# | [03 Signed clipping](03_signed_clipping.ipynb) | what may one sample still gain? |
# | [04 Baseline](04_baseline.ipynb) | what does subtracting the average change, and what not? |
# | [05 The PPO loop](05_ppo_loop.ipynb) | what happens to reward, KL and probabilities? |
# | [06 The exact optimum](06_exact_optimum.ipynb) | how well could any policy do? |
# | [07 Exercises](07_exercises.ipynb) | can you do it, and show that you did? |
# | [08 Diagnose](08_diagnose.ipynb) | optional lab: this run went wrong. What is broken? |
#
# Notebooks 00 to 07 take 115 minutes at your own pace, if you leave most of 07 for later. The lab
# takes 30 more. What this tiny world cannot show: token masks, learned critics,
# text generation, real people's judgements. Where that matters, the notebooks say so.
#
# Go on with [notebook 01, Four roles](01_four_roles.ipynb).
