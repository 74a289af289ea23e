"""Faults that people met in public, each one part of the loop gone wrong.

Each goes into `FAULTS` under its name, and so do the false alarms: loops that were reported
and were healthy. The docstring says what it does and names the thread, as repository#number.
"""

import jax
import jax.numpy as jnp

from lessonlib.exact import expected_reward, kl
from lessonlib.rollout import Rollout, collect
from lessonlib.teaching.faults.fault import healthy, ill
from lessonlib.teaching.faults.parts import CORRECT

log_softmax = jax.nn.log_softmax
stop_gradient = jax.lax.stop_gradient


# Old log-probs and advantages


@ill("old_logps", "Old log-probs recomputed at every inner step", epochs=10, learning_rate=1.0)
def old_recomputed(rollout, logits, reference):
    """Every ratio is 1, so nothing is ever clipped. tensorforce/tensorforce#312"""
    return stop_gradient(log_softmax(logits)[rollout.actions])


@ill("old_logps", "Live old log-probs")
def live_old(rollout, logits, reference):
    """The right numbers, still attached to the policy: their gradient cancels that of the new
    log-probs, and the surrogate pushes nowhere. The pull request detaches such scores.
    radixark/miles#1966
    """
    now = log_softmax(logits)[rollout.actions]
    return rollout.old_logps + now - stop_gradient(now)


@ill("old_logps", "Reference used as the old policy", epochs=10, learning_rate=0.5)
def reference_as_old(rollout, logits, reference):
    """The ratio is taken to the reference; it should be 1 at the first inner step and is not.
    The thread takes the reference for the old policy and is put right. huggingface/trl#288
    """
    return reference[rollout.actions]


@ill("advantages", "Live baseline inside the loss")
def live_baseline(rollout, logits, rewards):
    """The right numbers, but the baseline is attached to the policy: its gradient cancels the
    expected reward's. In the thread a critic got the policy's gradient.
    astariul/encode-attend-navigate-pytorch#3
    """
    baseline = expected_reward(log_softmax(logits), rewards)
    return rollout.advantages - baseline + stop_gradient(baseline)


# Ratio and surrogate


@ill("ratio", "Ratio inverted")
def ratio_inverted(new_logps, old_logps):
    """π_old / π_θ: good actions are pushed down. Compare negative_log_probs, where the same
    line is right. hill-a/stable-baselines#447
    """
    return jnp.exp(old_logps - new_logps)


@ill("surrogate", "Surrogate without the min", epochs=10, learning_rate=1.0)
def no_min(ratio, advantages, clip):
    """clip(ρ)·A alone: a sample that moved the wrong way beyond the interval loses its gradient
    and cannot come back. tensorforce/tensorforce#106
    """
    return jnp.clip(ratio, 1 - clip, 1 + clip) * advantages


@ill("surrogate", "Minimum before the advantage", epochs=10, learning_rate=1.0)
def min_before_advantage(ratio, advantages, clip):
    """min(ρ, clip(ρ))·A: for A < 0 it clips on the wrong side. takuseno/ppo#3"""
    return jnp.minimum(ratio, jnp.clip(ratio, 1 - clip, 1 + clip)) * advantages


@ill("surrogate", "Maximum in place of the minimum", epochs=10, learning_rate=1.0)
def max_for_min(ratio, advantages, clip):
    """max(ρA, clip(ρ)·A): a sample that moved the right way is never held back.
    yandexdataschool/Practical_RL#248
    """
    clipped = jnp.clip(ratio, 1 - clip, 1 + clip)
    return jnp.maximum(ratio * advantages, clipped * advantages)


@ill("surrogate", "(N, 1) against (N,)")
def broadcast(ratio, advantages, clip):
    """Every advantage meets every ratio: N × N products, whose mean says next to nothing about
    which action was good. RITCHIEHuang/DeepRL_Algorithms#13
    """
    return CORRECT.surrogate(*jnp.broadcast_arrays(ratio, advantages[:, None]), clip)


# Reference


@ill("reference", "Reference and policy are one object", beta=2.0)
def same_object(first_reference, collection_logits, logits):
    """The KL is always 0 and never pulls. huggingface/trl#2046"""
    return stop_gradient(log_softmax(logits))


@ill("reference", "Reference refreshed at every batch", beta=2.0)
def reference_refreshed(first_reference, collection_logits, logits):
    """The KL is to the last batch, so drift costs nothing once it has happened. The same code is
    right where a method asks for it, as the author answers in the first thread; in the second,
    the KL is to the old policy. aburkov/theLMbook#8, lucidrains/PaLM-rlhf-pytorch#41
    """
    return stop_gradient(log_softmax(collection_logits))


@ill("first_reference", "Wrong model as reference", beta=2.0)
def wrong_reference(reference_logp):
    """The model before fine-tuning, here one that likes the last action better: the KL is not 0
    before training has begun. huggingface/trl#1340
    """
    return log_softmax(reference_logp.at[-1].add(1.0))


@ill("first_reference", "A reference action of probability zero")
def zero_probability(reference_logp):
    """The KL is infinite and its gradient is not a number, and 0 times that is none either: it
    also fails at β = 0. In the thread the zero was the policy's. ray-project/ray#21297
    """
    return log_softmax(reference_logp.at[-1].set(-jnp.inf))


# Penalty


@ill("penalty", "KL computed outside the gradient", beta=2.0)
def kl_outside_gradient(logp, reference, actions):
    """The loss has the right value and the KL never falls. allenai/open-instruct#530"""
    return stop_gradient(kl(logp, reference))


@ill("penalty", "Sampled log-ratio in the loss", beta=2.0)
def sampled_log_ratio(logp, reference, actions):
    """An unbiased value whose expected gradient on fresh samples is zero: the reference drops out
    of it. allenai/open-instruct#534
    """
    return jnp.mean((logp - reference)[actions])


@ill("penalty", "KL with the wrong sign", beta=0.5)
def kl_sign(logp, reference, actions):
    """Drift is paid for. nebuly-ai/optimate#298"""
    return -kl(logp, reference)


@ill("penalty", "KL arguments swapped", beta=2.0)
def kl_swapped(logp, reference, actions):
    """KL(π_ref‖π_θ), a ~ π_ref: zero in the same place, but another price. In the thread only
    the logged number was affected. huggingface/trl#168
    """
    return kl(reference, logp)


# Sampling and reward


@ill("collect", "Sampled at another temperature than recorded")
def other_temperature(key, logits, rewards, batch_size):
    """Actions are drawn from softmax(θ / 0.6), their log-probs recorded from softmax(θ).
    huggingface/trl#4159
    """
    logp = log_softmax(logits)
    actions = jax.random.categorical(key, logits / 0.6, shape=(batch_size,))
    return Rollout(actions, logp[actions], rewards[actions] - expected_reward(logp, rewards))


@ill("collect", "Reward scale mismatched with β", beta=2.0)
def reward_scale(key, logits, rewards, batch_size):
    """The loop sees ten times the reward, so a tenth of the intended β. huggingface/trl#860"""
    return collect(key, logits, 10 * rewards, batch_size)


@ill("next_key", "The same random key for every batch", batch_size=16)
def same_key(key):
    """Every batch draws with the same noise. araffin/sbx#45"""
    return key, jax.random.split(key)[1]


# False alarms


@healthy("ratio", "The ratio is always 1", epochs=1)
def one_epoch(new_logps, old_logps):
    """With one inner step the policy is still the one that sampled. huggingface/trl#3120"""
    return jnp.exp(new_logps - old_logps)


@healthy("ratio", "The ratio should be detached")
def detached_ratio(new_logps, old_logps):
    """Detached, it needs log π beside it to carry the gradient: ρ∇log π = ∇ρ, so both spellings
    are the same. huggingface/trl#1720
    """
    return stop_gradient(jnp.exp(new_logps - old_logps)) * (
        1 + new_logps - stop_gradient(new_logps)
    )


@healthy("collect", "The loss is 0, yet it learns", epochs=1)
def centred_advantages(key, logits, rewards, batch_size):
    """Advantages that sum to zero over the batch: at ratio 1 the surrogate is 0, its gradient is
    not. huggingface/trl#3452
    """
    rollout = collect(key, logits, rewards, batch_size)
    return rollout._replace(advantages=rollout.advantages - jnp.mean(rollout.advantages))


@healthy("surrogate", "The max should be a min")
def negated_losses(ratio, advantages, clip):
    """min(a, b) = −max(−a, −b): losses are already negated. leggedrobotics/rsl_rl#46"""
    clipped = jnp.clip(ratio, 1 - clip, 1 + clip)
    return -jnp.maximum(-ratio * advantages, -clipped * advantages)


@healthy("ratio", "The ratio looks inverted")
def negative_log_probs(new_logps, old_logps):
    """exp(old − new) of negative log-probs is π_θ / π_old. hill-a/stable-baselines#447"""
    old, new = -old_logps, -new_logps
    return jnp.exp(old - new)
