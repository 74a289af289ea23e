"""The two losses of the lesson: one fits the reward model, one trains the policy."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from lessonlib.exact import kl
from lessonlib.validation import Fraction, NonNegative, checked


@checked
def preference_loss(
    w: Float[Array, "F"], chosen: Float[Array, "P F"], rejected: Float[Array, "P F"]
) -> Float[Array, ""]:
    """Bradley–Terry loss of a linear reward model: mean softplus(−(chosen − rejected)·w).

    Row p of `chosen` and `rejected` holds the features of the preferred and of the other
    action in pair p. The value is the mean of −log σ(margin), in nats per preference.

    Source: InstructGPT (arXiv 2203.02155), equation 1, with pairs for K = 2.
    """
    margins = (chosen - rejected) @ w
    return jnp.mean(jax.nn.softplus(-margins))


@checked
def ratios(
    logits: Float[Array, "A"], old_logps: Float[Array, "N"], actions: Int[Array, "N"]
) -> Float[Array, "N"]:
    """Importance ratios ρ = π_θ(a) / π_old(a) of the sampled actions, shape (N,), no unit.

    Computed as exp(log π_θ(a) − log π_old(a)) from the stored log-probs of the behaviour policy.

    Source: PPO (arXiv 1707.06347), section 3.
    """
    logp = jax.nn.log_softmax(logits)
    return jnp.exp(logp[actions] - old_logps)


@checked
def clipped_surrogate(
    ratio: Float[Array, "*N"], advantage: Float[Array, "*N"], clip: Fraction
) -> Float[Array, "*N"]:
    """Elementwise min(ρA, clip(ρ, 1−ε, 1+ε)·A), to be maximised, in reward units.

    The advantage is multiplied in before the minimum is taken: for A < 0 that
    turns the lower product into the one with the larger ratio.

    Source: PPO (arXiv 1707.06347), equation 7.
    """
    clipped = jnp.clip(ratio, 1 - clip, 1 + clip)
    return jnp.minimum(ratio * advantage, clipped * advantage)


@checked
def ppo_loss(
    logits: Float[Array, "A"],
    old_logps: Float[Array, "N"],
    actions: Int[Array, "N"],
    advantages: Float[Array, "N"],
    reference_logps: Float[Array, "A"],
    beta: NonNegative = 0.1,
    clip: Fraction = 0.2,
) -> Float[Array, ""]:
    """PPO loss with an exact KL penalty, to be minimised, in reward units.

    L = −mean_n min(ρ_n A_n, clip(ρ_n, 1−ε, 1+ε) A_n) + β·KL(π_θ‖π_ref), where the samples
    a_n ~ π_old and the KL is summed under π_θ. Only `logits` receives a gradient: old
    log-probs, advantages and reference are data.

    Raises ValueError for shapes that would broadcast, actions outside 0 to A − 1,
    β < 0 or clip outside [0, 1].

    Source: PPO (arXiv 1707.06347), equations 7 and 8, with a reference in place of π_old
    in the KL as in InstructGPT (arXiv 2203.02155), equation 2.
    """
    old_logps, advantages, reference_logps = jax.lax.stop_gradient(
        (old_logps, advantages, reference_logps)
    )
    surrogate = clipped_surrogate(ratios(logits, old_logps, actions), advantages, clip)
    return -jnp.mean(surrogate) + beta * kl(jax.nn.log_softmax(logits), reference_logps)
