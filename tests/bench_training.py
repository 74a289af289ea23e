"""`train` and `sweep` against the plain loop. Not part of the tests: `make bench`."""

import statistics
import time

import jax
import numpy as np
import pytest

from lessonlib import Settings, collect, lesson_bandit, ppo_loss, sweep, train

BANDIT, SETTINGS = lesson_bandit(), Settings()
BETAS, CLIPS, SEEDS = np.linspace(0, 5, 21), np.linspace(0.05, 0.95, 10), range(64)


def readable_loop():
    """The loop as notebook 05 types it, without its bookkeeping."""
    logits, key = BANDIT.reference_logp, jax.random.key(SETTINGS.seed)
    gradient = jax.jit(jax.grad(ppo_loss))
    for _ in range(SETTINGS.iterations):
        key, draw_key = jax.random.split(key)
        batch = collect(draw_key, logits, BANDIT.rewards, SETTINGS.batch_size)
        for _ in range(SETTINGS.epochs):
            logits = logits - SETTINGS.learning_rate * gradient(
                logits, batch.old_logps, batch.actions, batch.advantages,
                BANDIT.reference_logp, SETTINGS.beta, SETTINGS.clip,
            )  # fmt: skip
    return logits.block_until_ready()


@pytest.fixture(scope="module")
def loop_seconds():
    readable_loop()
    times = []
    for _ in range(9):
        start = time.perf_counter()
        readable_loop()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def test_one_run(benchmark, loop_seconds):
    benchmark(lambda: train(BANDIT, SETTINGS).logp.block_until_ready())
    print(f"\ntrain: {loop_seconds / benchmark.stats.stats.median:.0f} times faster than the loop")


def test_a_sweep(benchmark, loop_seconds):
    def run():
        sweep(BANDIT, SETTINGS, betas=BETAS, clips=CLIPS, seeds=SEEDS).logp.block_until_ready()

    benchmark.pedantic(run, rounds=3, warmup_rounds=1)
    runs = len(BETAS) * len(CLIPS) * len(SEEDS)
    each = benchmark.stats.stats.median / runs
    print(
        f"\nsweep: {1e6 * each:.1f} µs a run, {loop_seconds / each:.0f} times faster than the loop"
    )
