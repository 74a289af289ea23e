"""Sampling rollouts and training on them: the fast form of the loop in notebook 05.

Four objects, four lifetimes: the policy changes at every inner step, the rollout (old
log-probs and advantages) at every batch, reference and rewards never.
"""

import functools
from dataclasses import dataclass, fields
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int, PRNGKeyArray

from lessonlib.bandit import Bandit
from lessonlib.exact import expected_reward, kl
from lessonlib.loss import ppo_loss, ratios
from lessonlib.validation import Count, Fraction, NonNegative, Positive, Seed, checked, require


@dataclass(frozen=True)
class Settings:
    """One experiment: `iterations` rollout batches, `epochs` gradient steps on each.

    `beta` in reward units per nat, `clip` as the ε of the ratio interval [1−ε, 1+ε].
    Raises ValueError for a number outside its limits.
    """

    beta: NonNegative = 0.2
    clip: Fraction = 0.2
    learning_rate: Positive = 0.15
    epochs: Count = 3
    batch_size: Count = 128
    iterations: Count = 40
    seed: Seed = 11

    def __post_init__(self):
        for field in fields(self):
            require(field.name, getattr(self, field.name), field.type)


class Rollout(NamedTuple):
    """One batch of sampled actions with what was true when they were drawn, each (N,)."""

    actions: Int[Array, "N"]
    old_logps: Float[Array, "N"]  # log π_old(a) in nats, at collection time
    advantages: Float[Array, "N"]  # r(a) − Σ π_old r, in reward units


class History(NamedTuple):
    """What a run did. T rollout batches, E inner epochs, A actions.

    `reward`, `kl` and `logp` are exact and taken after each batch; `clip_fraction` and
    `max_ratio_error` are over the batch's samples and taken before each inner step.
    """

    reward: Float[Array, "*runs T"]  # Σ π r, in reward units
    kl: Float[Array, "*runs T"]  # KL(π_θ‖π_ref), a ~ π_θ, in nats
    logp: Float[Array, "*runs T A"]  # log π_θ, in nats
    clip_fraction: Float[Array, "*runs T E"]  # share of samples with |ρ − 1| > clip
    max_ratio_error: Float[Array, "*runs T E"]  # largest |ρ − 1|; 0 at the first step


@checked
def collect(
    key: PRNGKeyArray, logits: Float[Array, "A"], rewards: Float[Array, "A"], batch_size: Count
) -> Rollout:
    """Draw `batch_size` actions a ~ π_old = softmax(logits) and store their log-probs.

    The advantage is r(a) − Σ π_old r: an exact baseline, no learned critic.
    """
    logp = jax.nn.log_softmax(logits)
    actions = jax.random.categorical(key, logp, shape=(batch_size,))
    advantages = rewards[actions] - expected_reward(logp, rewards)
    return Rollout(actions, logp[actions], advantages)


def record(logits, rewards, reference_logp, clip_fraction, max_ratio_error) -> History:
    """One row of a History: the exact metrics of the policy after a batch."""
    logp = jax.nn.log_softmax(logits)
    reward, drift = expected_reward(logp, rewards), kl(logp, reference_logp)
    return History(reward, drift, logp, clip_fraction, max_ratio_error)


@checked
def train(bandit: Bandit, settings: Settings) -> History:
    """Run the whole experiment, compiled: the same numbers as the readable loop.

    The policy starts at the reference. Each batch splits the key, then draws. Only the
    shape of an experiment (A, epochs, batch size, iterations) is compiled in; β, clip,
    learning rate, seed and rewards are traced, so changing them does not compile again.
    """
    return _train(
        bandit.rewards,
        bandit.reference_logp,
        settings.beta,
        settings.clip,
        settings.learning_rate,
        jax.random.key(settings.seed),
        settings.epochs,
        settings.batch_size,
        settings.iterations,
    )


@functools.partial(jax.jit, static_argnames=("epochs", "batch_size", "iterations"))
def _train(rewards, reference_logp, beta, clip, learning_rate, key, epochs, batch_size, iterations):
    def inner_step(logits, rollout):
        ratio = ratios(logits, rollout.old_logps, rollout.actions)
        distance = jnp.abs(ratio - 1)
        gradient = jax.grad(ppo_loss)(
            logits, rollout.old_logps, rollout.actions, rollout.advantages,
            reference_logp, beta, clip,
        )  # fmt: skip
        return logits - learning_rate * gradient, (jnp.mean(distance > clip), jnp.max(distance))

    def batch(carry, _):
        logits, key = carry
        key, draw_key = jax.random.split(key)
        rollout = collect(draw_key, logits, rewards, batch_size)
        logits, (clip_fraction, max_ratio_error) = jax.lax.scan(
            lambda logits, _: inner_step(logits, rollout), logits, length=epochs
        )
        return (logits, key), record(
            logits, rewards, reference_logp, clip_fraction, max_ratio_error
        )

    return jax.lax.scan(batch, (reference_logp, key), length=iterations)[1]
