"""Thousands of runs at once: every β with every clip with every seed.

Two facts make a sweep cheap. The random draws depend on the seed alone, so all β and
clips share one seed's Gumbel noise (common random numbers, which also sharpens their
comparison). And all samples of one action have the same ratio and advantage, so a batch
enters the loss only through how often each action was drawn.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from lessonlib.bandit import Bandit
from lessonlib.exact import expected_reward, kl
from lessonlib.loss import clipped_surrogate
from lessonlib.rollout import History, Settings, record
from lessonlib.validation import checked, require

# Numbers that the sampling step holds at once; a larger sweep goes through in parts.
_NUMBERS_AT_ONCE = 2**24


@checked
def sweep(bandit: Bandit, settings: Settings, *, betas, clips, seeds) -> History:
    """`train` for every combination: a History with leading axes (betas, clips, seeds).

    The numbers are those of `train(bandit, settings)` with β, clip and seed replaced,
    within 1e-5 (the sums run in another order).

    Raises ValueError for an axis that is empty or not one-dimensional and for a value
    that Settings would refuse.
    """
    axes = {"betas": (betas, "beta"), "clips": (clips, "clip"), "seeds": (seeds, "seed")}
    for name, (values, field) in axes.items():
        if np.ndim(values) != 1 or np.size(values) == 0:
            raise ValueError(f"{name} must be a non-empty list of numbers, got {values!r}")
        for value in np.asarray(values):
            require(name, value, Settings.__annotations__[field])
    grid = jnp.array([(beta, clip) for beta in betas for clip in clips], dtype=float)
    history = _sweep(
        bandit.rewards,
        bandit.reference_logp,
        grid,
        jnp.array(seeds, dtype=jnp.uint32),
        settings.learning_rate,
        settings.epochs,
        settings.batch_size,
        settings.iterations,
    )
    return jax.tree.map(
        lambda x: jnp.moveaxis(x, 0, 1).reshape(len(betas), len(clips), *x.shape[:1], *x.shape[2:]),
        history,
    )


@functools.partial(jax.jit, static_argnames=("epochs", "batch_size", "iterations"))
def _sweep(rewards, reference_logp, grid, seeds, learning_rate, epochs, batch_size, iterations):
    """Every pair of `grid` (G, 2) with every seed (S,): a History with leading axes (S, G)."""
    actions = jnp.arange(rewards.size)[:, None]

    def run(key, beta, clip):
        def batch(carry, _):
            logits, key = carry
            key, draw_key = jax.random.split(key)
            old_logp = jax.nn.log_softmax(logits)
            # The draw of jax.random.categorical; (A, N) lets the argmax use vector instructions.
            noise = jax.random.gumbel(draw_key, (batch_size, rewards.size)).T
            drawn = jnp.argmax(noise + old_logp[:, None], axis=0)
            shares = jnp.mean(drawn == actions, axis=1)
            advantages = rewards - expected_reward(old_logp, rewards)

            def loss(logits):
                logp = jax.nn.log_softmax(logits)
                surrogate = clipped_surrogate(jnp.exp(logp - old_logp), advantages, clip)
                return -jnp.sum(shares * surrogate) + beta * kl(logp, reference_logp)

            def inner_step(logits, _):
                distance = jnp.abs(jnp.exp(jax.nn.log_softmax(logits) - old_logp) - 1)
                clipped = jnp.sum(shares * (distance > clip))
                furthest = jnp.max(jnp.where(shares > 0, distance, 0))
                return logits - learning_rate * jax.grad(loss)(logits), (clipped, furthest)

            logits, (clip_fraction, max_ratio_error) = jax.lax.scan(
                inner_step, logits, length=epochs
            )
            return (logits, key), record(
                logits, rewards, reference_logp, clip_fraction, max_ratio_error
            )

        return jax.lax.scan(batch, (reference_logp, key), length=iterations)[1]

    numbers = batch_size * rewards.size
    pairs_at_once = min(len(grid), max(1, _NUMBERS_AT_ONCE // numbers))
    seeds_at_once = min(len(seeds), max(1, _NUMBERS_AT_ONCE // (numbers * pairs_at_once)))

    def every_pair(seed):
        key = jax.random.key(seed)  # not mapped over the grid, so its draws are made once
        return jax.lax.map(lambda pair: run(key, *pair), grid, batch_size=pairs_at_once)

    return jax.lax.map(every_pair, seeds, batch_size=seeds_at_once)
