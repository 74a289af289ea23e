"""Every fault is seen by an instrument, no false alarm by any, and each is the fault it claims."""

import math
import re
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from conftest import log_softmax

from lessonlib import FAULTS, Bandit, Settings, fault_table, lesson_bandit, train, train_with
from lessonlib.teaching.faults.parts import CORRECT, run

pytestmark = pytest.mark.slow

ILL = [name for name, fault in FAULTS.items() if not fault.healthy]
HEALTHY = [name for name, fault in FAULTS.items() if fault.healthy]
LESSON = Settings()

REWARDS = np.asarray(lesson_bandit().rewards, dtype=np.float64)
REFERENCE = log_softmax([0.2, 0.0, -0.2])
ADVANTAGES = REWARDS - np.exp(REFERENCE) @ REWARDS  # in the first batch
LAST = np.exp(REFERENCE[2])

# The instrument that is made for a fault, and the least that it must measure over 20 seeds.
# What can be worked out by hand is exact (pytest.approx).
SEEN_BY = {
    "old_recomputed": ("old_fixed_within_batch", 0.1),
    "live_old": ("inputs_are_detached", pytest.approx(np.abs(ADVANTAGES).max() / 128, rel=1e-4)),
    "reference_as_old": ("first_epoch_ratio_is_one", 0.1),
    "live_baseline": ("inputs_are_detached", 1 / 128),
    "ratio_inverted": ("ratio_is_new_over_old", 0.1),
    "no_min": ("surrogate_is_pessimistic", pytest.approx(0.3 * 2)),
    "min_before_advantage": ("surrogate_is_pessimistic", pytest.approx(0.3 * 2)),
    "max_for_min": ("surrogate_is_pessimistic", pytest.approx(0.3 * 2)),
    "broadcast": ("surrogate_is_pessimistic", pytest.approx(6)),
    "same_object": ("reference_unchanged", 0.5),
    "reference_refreshed": ("reference_unchanged", 0.5),
    "wrong_reference": (
        "kl_is_zero_at_start",
        pytest.approx(math.log(1 + LAST * (math.e - 1)) - LAST, rel=1e-4),
    ),
    "zero_probability": ("everything_is_finite", 40 * 3 * 3),
    "kl_outside_gradient": ("penalty_pulls_back", 0.1),
    "sampled_log_ratio": ("penalty_pulls_back", 0.1),
    "kl_sign": ("penalty_is_the_kl", 1.0),
    "kl_swapped": ("penalty_is_the_kl", 0.1),
    "other_temperature": ("actions_follow_policy", 6),
    "reward_scale": ("advantages_follow_rewards", 9 * np.ptp(REWARDS) * 0.9),
    "same_key": ("batches_are_fresh", 6),
}


@pytest.fixture(scope="module")
def table():
    return fault_table(range(20))


def test_every_fault_has_its_instrument():
    assert set(SEEN_BY) == set(ILL) and len(HEALTHY) >= 4


def test_table_is_complete(table):
    instruments = {row.instrument for row in table}
    assert len(instruments) == 19
    assert len(table) == len({row[:2] for row in table}) == len(FAULTS) * len(instruments)


@pytest.mark.parametrize("name", ILL)
def test_fault_is_caught_on_every_seed(table, name):
    instrument, value = SEEN_BY[name]
    row = next(row for row in table if row[:2] == (name, instrument))
    assert row.verdict, row
    assert row.value >= value if isinstance(value, int | float) else row.value == value, row


@pytest.mark.parametrize("name", HEALTHY)
def test_no_instrument_fires_on_a_false_alarm(table, name):
    assert [row for row in table if row.fault == name and row.verdict] == []


def test_some_faults_hide_from_the_reward_curve(table):
    seen = {row.fault for row in table if row.instrument == "reward_curve" and row.verdict}
    assert {"ratio_inverted", "broadcast", "live_old"} <= seen
    assert not seen & {"old_recomputed", "no_min", "max_for_min", "same_key"}


@pytest.mark.parametrize("name", FAULTS)
def test_one_part_differs_and_a_thread_is_named(name):
    fault = FAULTS[name]
    changed = {part for part, ours, right in zip(fault.parts._fields, fault.parts, CORRECT,
                                                 strict=True) if ours is not right}  # fmt: skip
    assert changed == {fault.part}
    assert re.search(r"[\w-]+/[\w-]+#\d+", fault.__doc__)


def test_trains_by_name_by_fault_and_without():
    bandit = lesson_bandit()
    for fault in ("kl_sign", FAULTS["kl_sign"]):
        assert train_with(fault, bandit, LESSON).reward[-1] > 1.94
    same(train_with(None, bandit, LESSON), train(bandit, LESSON))
    with pytest.raises(ValueError, match="fault must be None or one of .*got 'kl'"):
        train_with("kl", bandit, LESSON)


@pytest.mark.parametrize("fault", [3, ["kl_sign"], CORRECT])
def test_a_fault_is_none_a_name_or_a_fault(fault):
    with pytest.raises(ValueError, match="fault must be None or one of"):
        train_with(fault, lesson_bandit(), LESSON)


@pytest.mark.parametrize("seeds", [[], ["x"], 3, "x", [-1], [0.5], None])
def test_seeds_are_whole_numbers(seeds):
    with pytest.raises(ValueError, match="seeds must be .*whole number"):
        fault_table(seeds)


def same(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("name", ["detached_ratio", "negated_losses", "negative_log_probs"])
@pytest.mark.parametrize("beta", [0.2, 2.0])
def test_false_alarm_is_the_correct_loop_in_other_words(name, beta):
    settings = replace(LESSON, beta=beta, clip=0.05)
    same(train_with(name, lesson_bandit(), settings), train(lesson_bandit(), settings))


def test_one_epoch_is_the_correct_loop_with_one_epoch():
    history = train_with("one_epoch", lesson_bandit(), LESSON)
    same(history, train(lesson_bandit(), replace(LESSON, epochs=1)))
    assert np.all(history.max_ratio_error == 0)


def test_loss_of_zero_learns():
    settings = replace(LESSON, epochs=1, beta=0)
    history, trace = run(FAULTS["centred_advantages"].parts, lesson_bandit(), settings)
    np.testing.assert_allclose(trace.surrogate, 0, atol=1e-6)
    assert history.reward[-1] > 1.5


@pytest.mark.parametrize("name", ["kl_outside_gradient", "same_object"])
def test_penalty_without_a_pull_is_no_penalty(name):
    settings = replace(LESSON, beta=2)
    same(
        train_with(name, lesson_bandit(), settings),
        train(lesson_bandit(), replace(LESSON, beta=0)),
    )


def test_reward_scale_is_a_tenth_of_beta():
    bandit = lesson_bandit()
    louder = Bandit(10 * bandit.rewards, bandit.reference_logp)
    found = train_with("reward_scale", bandit, LESSON)
    np.testing.assert_allclose(found.logp, train(louder, LESSON).logp, atol=1e-5)
    np.testing.assert_allclose(found.reward * 10, train(louder, LESSON).reward, rtol=1e-5)


def test_live_old_log_probs_leave_no_push():
    history = train_with("live_old", lesson_bandit(), LESSON)
    np.testing.assert_allclose(history.reward, np.exp(REFERENCE) @ REWARDS, atol=1e-6)


def test_recomputed_old_log_probs_clip_nothing():
    history = train_with("old_recomputed", lesson_bandit(), replace(LESSON, clip=0.01))
    assert np.all(history.max_ratio_error == 0) and np.all(history.clip_fraction == 0)


def test_zero_probability_fails_at_beta_zero_too():
    history = train_with("zero_probability", lesson_bandit(), replace(LESSON, beta=0))
    assert np.isnan(history.reward).all()


def test_sampled_log_ratio_has_no_expected_gradient():
    """Σ_a π(a) ∇[log π(a) − log π_ref(a)] by central differences in float64."""
    logits, step = np.array([1.0, 0.2, -0.7]), 1e-6
    policy = np.exp(log_softmax(logits))
    for axis in np.eye(3):
        high, low = log_softmax(logits + step * axis), log_softmax(logits - step * axis)
        assert policy @ (high - low) / (2 * step) == pytest.approx(0, abs=1e-8)
    part = FAULTS["sampled_log_ratio"].parts.penalty
    found = part(jnp.array(log_softmax(logits)), jnp.array(REFERENCE), jnp.array([0, 2, 2]))
    assert found == pytest.approx(np.mean((log_softmax(logits) - REFERENCE)[[0, 2, 2]]), abs=1e-6)


def test_same_key_draws_the_same_actions_while_the_policy_stands_still():
    settings = replace(LESSON, learning_rate=1e-9)
    _, trace = run(FAULTS["same_key"].parts, lesson_bandit(), settings)
    assert np.all(trace.actions == trace.actions[0])
    _, trace = run(CORRECT, lesson_bandit(), settings)
    assert np.mean(trace.actions[1:] == trace.actions[:-1]) < 0.5


def test_other_temperature_draws_from_the_colder_policy():
    settings = replace(LESSON, learning_rate=1e-9)
    _, trace = run(FAULTS["other_temperature"].parts, lesson_bandit(), settings)
    shares = np.bincount(np.ravel(trace.actions), minlength=3) / trace.actions.size
    colder = np.exp(log_softmax(np.array([0.2, 0.0, -0.2]) / 0.6))
    np.testing.assert_allclose(shares, colder, atol=4 * math.sqrt(0.25 / trace.actions.size))
