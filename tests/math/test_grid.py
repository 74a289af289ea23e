import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
from conftest import log_softmax

from lessonlib import Bandit, Settings, grid, lesson_bandit, sweep, train

BETAS, CLIPS, SEEDS = [0.0, 0.2, 3.0], [0.01, 0.2], [11, 0, 4_000_000_000]


def assert_equals_single_runs(bandit, settings, history):
    for b, beta in enumerate(BETAS):
        for c, clip in enumerate(CLIPS):
            for s, seed in enumerate(SEEDS):
                single = train(
                    bandit, dataclasses.replace(settings, beta=beta, clip=clip, seed=seed)
                )
                for name, ours, theirs in zip(single._fields, history, single, strict=True):
                    np.testing.assert_allclose(ours[b, c, s], theirs, atol=1e-5, err_msg=name)


@pytest.mark.parametrize(
    "settings",
    [Settings(), Settings(learning_rate=1.0, epochs=6, batch_size=17, iterations=7)],
)
def test_sweep_is_train_for_every_combination(settings):
    bandit = lesson_bandit()
    history = sweep(bandit, settings, betas=BETAS, clips=CLIPS, seeds=SEEDS)
    assert history.logp.shape == (3, 2, 3, settings.iterations, 3)
    assert_equals_single_runs(bandit, settings, history)


def test_a_sweep_in_parts_is_the_same_sweep(monkeypatch):
    rng = np.random.default_rng(0)
    bandit = Bandit(rng.normal(size=5), log_softmax(rng.normal(size=5)))
    settings = Settings(batch_size=11, iterations=6)
    monkeypatch.setattr(grid, "_NUMBERS_AT_ONCE", 4 * 11 * 5)  # four of the six pairs
    history = sweep(bandit, settings, betas=BETAS, clips=CLIPS, seeds=SEEDS)
    assert_equals_single_runs(bandit, settings, history)


def test_axes_may_be_ranges_and_arrays():
    history = sweep(
        lesson_bandit(), Settings(iterations=3), betas=jnp.array([0.5]), clips=(1,), seeds=range(4)
    )
    assert history.reward.shape == (1, 1, 4, 3)
