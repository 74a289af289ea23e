"""The training loop of `rollout.py` taken apart, so that one part at a time can be replaced.

`CORRECT` does what `train` does. Beside the history it keeps a trace of what passed between
the parts, as arrays that any trainer could log.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from lessonlib.bandit import Bandit
from lessonlib.exact import kl
from lessonlib.loss import clipped_surrogate
from lessonlib.rollout import History, Settings, collect, record


class Parts(NamedTuple):
    """The loop as nine small functions; every array is what the loss sees, in nats or rewards."""

    next_key: Callable  # (key) -> (key to carry on, key to draw with)
    collect: Callable  # (key, logits, rewards, batch_size) -> Rollout
    first_reference: Callable  # (reference_logp) -> log-probs of the reference at the start
    reference: Callable  # (first reference, logits at collection, logits) -> log-probs (A,)
    old_logps: Callable  # (rollout, logits, reference) -> (N,)
    advantages: Callable  # (rollout, logits, rewards) -> (N,)
    ratio: Callable  # (new_logps, old_logps) -> (N,)
    surrogate: Callable  # (ratio, advantages, clip) -> (N,), to be maximised
    penalty: Callable  # (logp, reference, actions) -> scalar, to be minimised


class Trace(NamedTuple):
    """What passed between the parts: T batches, E inner steps, N samples, A actions.

    Everything with an E is taken before the step. Of the penalty and its gradient, β is left out.
    """

    actions: Int[Array, "T N"]
    rewards: Float[Array, "T N"]  # r(a) of the sampled actions
    collected_logps: Float[Array, "T N"]  # as recorded at collection
    collected_advantages: Float[Array, "T N"]
    logp: Float[Array, "T E A"]  # log π_θ
    reference: Float[Array, "T E A"]  # the one that the loss used
    new_logps: Float[Array, "T E N"]
    old_logps: Float[Array, "T E N"]  # the ones that the loss used
    ratio: Float[Array, "T E N"]
    surrogate: Float[Array, "T E"]  # mean over what the surrogate returned
    penalty: Float[Array, "T E"]
    penalty_gradient: Float[Array, "T E A"]  # with respect to the logits
    step: Float[Array, "T E A"]  # the change of the logits
    leaks: Float[Array, "T E 3"]  # largest |gradient| into old log-probs, advantages, reference


def split_key(key):
    """A new key to carry on with, and one to draw with."""
    return jax.random.split(key)


def keep_reference(first_reference, collection_logits, logits):
    """The reference of the start, as data."""
    return jax.lax.stop_gradient(first_reference)


def stored_old_logps(rollout, logits, reference):
    """What was recorded at collection, as data."""
    return jax.lax.stop_gradient(rollout.old_logps)


def stored_advantages(rollout, logits, rewards):
    """What was recorded at collection, as data."""
    return jax.lax.stop_gradient(rollout.advantages)


def new_over_old(new_logps, old_logps):
    """ρ = π_θ(a) / π_old(a)."""
    return jnp.exp(new_logps - old_logps)


def exact_kl(logp, reference, actions):
    """KL(π_θ‖π_ref), a ~ π_θ, summed over all actions; the sampled ones are not needed."""
    return kl(logp, reference)


CORRECT = Parts(
    next_key=split_key,
    collect=collect,
    first_reference=lambda reference_logp: reference_logp,
    reference=keep_reference,
    old_logps=stored_old_logps,
    advantages=stored_advantages,
    ratio=new_over_old,
    surrogate=clipped_surrogate,
    penalty=exact_kl,
)


def run(parts: Parts, bandit: Bandit, settings: Settings) -> tuple[History, Trace]:
    """Train with these parts: the history and the trace of one run."""
    return _run(
        parts,
        settings.epochs,
        settings.batch_size,
        settings.iterations,
        bandit.rewards,
        bandit.reference_logp,
        jax.random.key(settings.seed),
        settings.beta,
        settings.clip,
        settings.learning_rate,
    )


# Each set of parts is compiled once and runs for milliseconds, so compiling has to be quick.
@functools.partial(
    jax.jit,
    static_argnums=(0, 1, 2, 3),
    compiler_options={"xla_backend_optimization_level": 0},
)
def _run(
    parts, epochs, batch_size, iterations, rewards, reference_logp, key, beta, clip, learning_rate
):
    first_reference = parts.first_reference(reference_logp)

    def penalty(logits, first_reference, collection_logits, rollout):
        reference = parts.reference(first_reference, collection_logits, logits)
        return parts.penalty(jax.nn.log_softmax(logits), reference, rollout.actions), reference

    def surrogate(logits, old_logps, advantages, collection_logits, rollout):
        stored = rollout._replace(old_logps=old_logps, advantages=advantages)
        reference = parts.reference(first_reference, collection_logits, logits)
        new = jax.nn.log_softmax(logits)[rollout.actions]
        old = parts.old_logps(stored, logits, reference)
        ratio = parts.ratio(new, old)
        terms = parts.surrogate(ratio, parts.advantages(stored, logits, rewards), clip)
        return jnp.mean(terms), (new, old, ratio)

    def inner_step(logits, collection_logits, rollout):
        (drift, reference), (pull, reference_leak) = jax.value_and_grad(
            penalty, argnums=(0, 1), has_aux=True
        )(logits, first_reference, collection_logits, rollout)
        (gain, seen), (push, *leaks) = jax.value_and_grad(
            surrogate, argnums=(0, 1, 2), has_aux=True
        )(logits, rollout.old_logps, rollout.advantages, collection_logits, rollout)
        step = learning_rate * (push - beta * pull)
        leaks = jnp.stack([jnp.max(jnp.abs(leak)) for leak in (*leaks, reference_leak)])
        logp = jax.nn.log_softmax(logits)
        return logits + step, (logp, reference, *seen, gain, drift, pull, step, leaks)

    def batch(carry, _):
        collection_logits, key = carry
        key, draw_key = parts.next_key(key)
        rollout = parts.collect(draw_key, collection_logits, rewards, batch_size)
        logits, seen = jax.lax.scan(
            lambda logits, _: inner_step(logits, collection_logits, rollout),
            collection_logits,
            length=epochs,
        )
        trace = Trace(
            rollout.actions, rewards[rollout.actions], rollout.old_logps, rollout.advantages, *seen
        )
        distance = jnp.abs(trace.ratio - 1)
        outside, furthest = jnp.mean(distance > clip, axis=1), jnp.max(distance, axis=1)
        return (logits, key), (record(logits, rewards, reference_logp, outside, furthest), trace)

    return jax.lax.scan(batch, (reference_logp, key), length=iterations)[1]
