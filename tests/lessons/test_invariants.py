"""Each invariant holds where it should, and a number that is wrong makes it fail."""

import itertools
import math

import jax
import numpy as np
import pytest
from conftest import log_softmax

from lessonlib import Bandit, Settings
from lessonlib.teaching.faults import invariants
from lessonlib.teaching.faults.instruments import check_invariants
from lessonlib.teaching.faults.parts import CORRECT, run

T, E, N = 3, 2, 8
POLICY = log_softmax([0.2, 0.0, -0.2])


def good():
    """Right arguments for every invariant, made with NumPy alone."""
    generator = np.random.default_rng(0)
    logp = log_softmax_rows(generator.normal(size=(T, E, 3)))
    actions = np.array([generator.choice(3, N, p=np.exp(row)) for row in logp[:, 0]])
    new = np.take_along_axis(logp, actions[:, None].repeat(E, axis=1), axis=2)
    old = new[:, 0]
    ratio, reference = np.exp(new - old[:, None]), np.broadcast_to(POLICY, logp.shape)
    rewards = np.array([2.0, 0.3, -2.3])[actions]
    advantages = rewards - generator.normal(size=(T, 1))
    kl = np.sum(np.exp(logp) * (logp - reference), axis=-1)
    kept = np.where(advantages > 0, np.minimum(ratio[:, 1], 1.2), np.maximum(ratio[:, 1], 0.8))
    gradient = np.exp(logp) * (logp - reference - kl[..., None])
    both = np.stack([np.zeros(T), np.mean(kept * advantages, axis=-1)], axis=1)
    both[:, 0] = np.mean(advantages, axis=-1)
    return {
        "first_epoch_ratio_is_one": [ratio],
        "ratio_is_new_over_old": [ratio, new, old],
        "old_fixed_within_batch": [np.stack([old, old], axis=1)],
        "reference_unchanged": [reference],
        "kl_is_zero_at_start": [POLICY, POLICY],
        "penalty_is_the_kl": [kl, logp, reference],
        "penalty_pulls_back": [gradient, logp, reference],
        "inputs_are_detached": [np.zeros((T, E)), np.zeros(N)],
        "surrogate_is_pessimistic": [kept * advantages, ratio[:, 1], advantages, 0.2],
        "surrogate_mean_is_pessimistic": [both, ratio, advantages, 0.2],
        "advantages_follow_rewards": [advantages, rewards],
        "actions_follow_policy": [actions, logp[:, 0]],
        "batches_are_fresh": [actions, logp[:, 0]],
        "everything_is_finite": [ratio, old],
    }


def log_softmax_rows(logits):
    return np.apply_along_axis(log_softmax, -1, logits)


@pytest.mark.parametrize("name", good())
def test_holds_on_right_arrays(name):
    verdict = getattr(invariants, name)(*good()[name])
    assert verdict.ok, verdict


EXACT = [name for name in good() if name not in ("actions_follow_policy", "batches_are_fresh")]


@pytest.mark.parametrize("size", [1e-3, 1.0, math.nan])
@pytest.mark.parametrize("name", EXACT)
def test_notices_one_wrong_number(name, size):
    if name == "everything_is_finite":
        size = math.inf
    arguments = good()[name]
    arguments[0] = np.array(arguments[0], dtype=float)
    # The last sample of a batch, at the first inner step where only that one counts.
    where = (1, 0, -1) if name == "first_epoch_ratio_is_one" else (-1,) * arguments[0].ndim
    arguments[0][where] += size
    assert not getattr(invariants, name)(*arguments).ok


@pytest.mark.parametrize(
    "name", ["first_epoch_ratio_is_one", "ratio_is_new_over_old", "penalty_is_the_kl"]
)
def test_forgives_the_rounding_of_a_coarser_trainer(name):
    arguments = good()[name]
    arguments[0] = arguments[0] * (1 + 2.0**-8)
    arguments[0] = arguments[0] + 2.0**-9
    assert not getattr(invariants, name)(*arguments).ok
    assert getattr(invariants, name)(*arguments, precision=2.0**-7).ok


def test_later_ratios_may_move_and_the_first_may_not():
    ratio = np.ones((2, 3, 4))
    ratio[:, 1:] = 1.7
    assert invariants.first_epoch_ratio_is_one(ratio).ok
    ratio[1, 0, 2] = 0.9
    verdict = invariants.first_epoch_ratio_is_one(ratio)
    assert not verdict.ok and verdict.value == pytest.approx(0.1) and "0.1" in verdict.sentence


def test_old_log_probs_may_change_between_batches_only():
    old = np.zeros((2, 3, 4))
    old[1] = -1
    assert invariants.old_fixed_within_batch(old).ok
    assert invariants.old_fixed_within_batch(old.swapaxes(0, 1)[:, :, :1]).value == 1


def test_counts_the_products_for_each_sample():
    ratio, advantages = np.ones(4), np.ones(4)
    verdict = invariants.surrogate_is_pessimistic(np.ones((4, 4)), ratio, advantages, 0.2)
    assert not verdict.ok and verdict.value == 4


def test_a_run_without_clipping_cannot_tell_a_wrong_surrogate_and_says_so():
    ratio, advantages = np.full((1, 1, 2), 1.1), np.array([[1.0, -1.0]])
    no_min = np.clip(ratio, 0.8, 1.2) * advantages
    assert invariants.surrogate_mean_is_pessimistic(no_min.mean(-1), ratio, advantages, 0.2).ok
    assert "cannot" in invariants.surrogate_mean_is_pessimistic.__doc__


def test_reference_may_hold_the_same_infinity_throughout():
    reference = np.tile([-0.5, -1.0, -np.inf], (4, 1))
    assert invariants.reference_unchanged(reference).ok
    assert invariants.kl_is_zero_at_start(POLICY, reference[0]).value == math.inf


@pytest.mark.parametrize("one_baseline", [0.0, -3.7])
def test_any_one_baseline_will_do_and_no_other_scale(one_baseline):
    rewards = np.array([[2.0, 0.3, -2.3]])
    assert invariants.advantages_follow_rewards(rewards - one_baseline, rewards).ok
    assert not invariants.advantages_follow_rewards(10 * rewards - one_baseline, rewards).ok


def test_the_bet_on_other_probabilities_is_fair():
    """Over all ways to draw two batches of two, the second policy depending on the first draw."""
    after = {a: log_softmax([0.5 * a, 0.1, -a]) for a in range(3)}
    mean = 0.0
    for a, b, c, d in itertools.product(range(3), repeat=4):
        second = after[a]
        chance = math.exp(POLICY[a] + POLICY[b] + second[c] + second[d])
        bet = invariants.actions_follow_policy([[a, b], [c, d]], [POLICY, second])
        mean += chance * 10**bet.value
    assert mean == pytest.approx(1, abs=1e-12)


def test_the_bet_on_repeated_draws_is_fair():
    second = log_softmax([1.0, 0.0, -1.0])
    mean = sum(
        math.exp(POLICY[a] + second[b])
        * 10 ** invariants.batches_are_fresh([[a], [b]], [POLICY, second]).value
        for a, b in itertools.product(range(3), repeat=2)
    )
    assert mean == pytest.approx(1, abs=1e-12)


def test_the_bets_win_against_bad_samplers():
    generator = np.random.default_rng(1)
    colder = np.exp(log_softmax(POLICY / 0.5))
    actions = generator.choice(3, (20, 128), p=colder)
    assert not invariants.actions_follow_policy(actions, np.tile(POLICY, (20, 1))).ok
    once = generator.choice(3, (1, 128), p=np.exp(POLICY))
    assert not invariants.batches_are_fresh(once.repeat(3, axis=0), np.tile(POLICY, (3, 1))).ok


def random_runs(count):
    """Bandits and settings from the gentle to the absurd, five shapes among them."""
    generator = np.random.default_rng(0)
    for number in range(count):
        rewards = generator.normal(size=3) * 10 ** generator.uniform(-2, 1)
        reference = log_softmax(generator.normal(size=3) * generator.uniform(0, 3))
        beta = 0.0 if number % 10 == 0 else 10 ** generator.uniform(-4, 2)
        yield (
            Bandit(rewards, reference),
            Settings(
                beta=float(beta),
                clip=float(10 ** generator.uniform(-2, 0)),
                learning_rate=float(10 ** generator.uniform(-4, 0)),
                epochs=(1, 2, 3, 5, 10)[number % 5],
                batch_size=64,
                iterations=30,
                seed=int(generator.integers(2**32)),
            ),
        )


def test_no_invariant_fires_on_the_correct_loop_over_200_random_settings():
    fired = [
        (name, verdict, settings)
        for bandit, settings in random_runs(200)
        for name, verdict in check_invariants(
            jax.device_get(run(CORRECT, bandit, settings)[1]), CORRECT, settings
        ).items()
        if not verdict.ok
    ]
    assert fired == []
