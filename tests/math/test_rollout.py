import dataclasses

import jax
import numpy as np
import pytest
from conftest import log_softmax
from hypothesis import given
from hypothesis import strategies as st

from lessonlib import Bandit, Settings, collect, lesson_bandit, train


def test_lesson_run_has_the_recorded_numbers():
    bandit = lesson_bandit()
    history = train(bandit, Settings())
    assert np.exp(bandit.reference_logp) @ bandit.rewards == pytest.approx(0.281919, abs=1e-5)
    assert float(history.reward[-1]) == pytest.approx(1.918545, abs=1e-5)
    assert float(history.kl[-1]) == pytest.approx(0.782477, abs=1e-5)
    objective = float(history.reward[-1] - 0.2 * history.kl[-1])
    assert objective == pytest.approx(1.7620493, abs=1e-5)


def test_history_has_the_documented_shapes():
    history = train(lesson_bandit(), Settings(iterations=5, epochs=2))
    shapes = [field.shape for field in history]
    assert shapes == [(5,), (5,), (5, 3), (5, 2), (5, 2)]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({"clip": 0.05}, 1.870), ({"clip": 0.01}, 1.736), ({"clip": 1.0}, 1.919)],
)
def test_final_reward_at_other_clips(changed, expected):
    history = train(lesson_bandit(), Settings(**changed))
    assert float(history.reward[-1]) == pytest.approx(expected, abs=2e-3)


def test_share_of_clipped_samples():
    bandit = lesson_bandit()
    assert float(train(bandit, Settings()).clip_fraction.mean()) == pytest.approx(0.006, abs=1e-3)
    rough = train(bandit, Settings(learning_rate=1.0, epochs=10))
    assert float(rough.clip_fraction.mean()) == pytest.approx(0.07, abs=1e-2)


def test_kl_falls_as_beta_rises():
    kls = [float(train(lesson_bandit(), Settings(beta=b)).kl[-1]) for b in (0, 0.2, 0.5, 1, 2, 5)]
    np.testing.assert_allclose(kls, [0.811, 0.782, 0.686, 0.436, 0.218, 0.050], atol=1e-3)


@given(st.integers(0, 2**31), st.floats(0.01, 1), st.floats(0.01, 1))
def test_first_inner_step_sees_ratios_of_exactly_one(seed, clip, learning_rate):
    settings = Settings(clip=clip, learning_rate=learning_rate, seed=seed)
    history = train(lesson_bandit(), settings)
    assert not history.max_ratio_error[:, 0].any()
    assert history.max_ratio_error[:, 1:].all()


def test_vanishing_learning_rate_keeps_every_ratio_at_one():
    history = train(lesson_bandit(), Settings(learning_rate=1e-9))
    assert float(history.max_ratio_error.max()) < 1e-6
    assert float(history.kl[-1]) < 1e-6


def test_metrics_belong_to_the_recorded_policy():
    bandit = lesson_bandit()
    history = train(bandit, Settings(beta=1.0))
    for logp, reward, drift in zip(history.logp, history.reward, history.kl, strict=True):
        p, q = np.float64(logp), np.float64(bandit.reference_logp)
        assert np.exp(p).sum() == pytest.approx(1, abs=1e-5)
        assert float(reward) == pytest.approx(np.exp(p) @ np.float64(bandit.rewards), abs=1e-5)
        assert float(drift) == pytest.approx((np.exp(p) * (p - q)).sum(), abs=1e-5)


def test_adding_a_constant_to_the_rewards_changes_no_policy():
    bandit = lesson_bandit()
    shifted = Bandit(bandit.rewards + 5, bandit.reference_logp)
    ours, theirs = (train(world, Settings(beta=0.5)) for world in (bandit, shifted))
    np.testing.assert_allclose(np.exp(theirs.logp), np.exp(ours.logp), atol=1e-4)


def test_rollout_is_consistent_and_follows_the_behaviour_policy():
    logits, rewards = np.array([1.0, 0.0, -1.0]), np.array([2.0, 0.5, -1.0])
    p = np.exp(log_softmax(logits))
    rollout = collect(jax.random.key(3), logits, rewards, 20_000)
    np.testing.assert_allclose(rollout.old_logps, np.log(p)[rollout.actions], atol=1e-5)
    np.testing.assert_allclose(
        rollout.advantages, rewards[rollout.actions] - p @ rewards, atol=1e-5
    )
    shares = np.bincount(rollout.actions, minlength=3) / 20_000
    np.testing.assert_allclose(shares, p, atol=4 * np.sqrt(0.25 / 20_000))


def test_same_seed_same_run_and_other_seed_other_run():
    bandit = lesson_bandit()
    first, again = train(bandit, Settings()), train(bandit, Settings())
    other = train(bandit, Settings(seed=12))
    np.testing.assert_array_equal(first.logp, again.logp)
    assert np.abs(first.logp - other.logp).max() > 1e-3


def test_inputs_are_not_changed():
    bandit, settings = lesson_bandit(), Settings()
    before = np.array(bandit.reference_logp), np.array(bandit.rewards), dataclasses.asdict(settings)
    train(bandit, settings)
    np.testing.assert_array_equal(bandit.reference_logp, before[0])
    np.testing.assert_array_equal(bandit.rewards, before[1])
    assert dataclasses.asdict(settings) == before[2]
