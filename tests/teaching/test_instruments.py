"""The diagnostics of a run against float64 sums and finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import log_softmax

from lessonlib import Settings, lesson_bandit, optimal_logp
from lessonlib.teaching.faults.instruments import signs
from lessonlib.teaching.faults.parts import CORRECT, run
from lessonlib.teaching.faults.training import FAULTS

pytestmark = pytest.mark.slow

BANDIT = lesson_bandit()
REWARDS = np.asarray(BANDIT.rewards, dtype=np.float64)
REFERENCE = log_softmax([0.2, 0.0, -0.2])


def objective(logits, beta):
    logp = log_softmax(logits)
    return np.exp(logp) @ (REWARDS - beta * (logp - REFERENCE))


def read(parts, **changes):
    settings = replace(Settings(), **changes)
    history, trace = run(parts, BANDIT, settings)
    return signs(history, trace, BANDIT, settings), history, trace


@pytest.mark.parametrize("beta", [0.0, 0.2, 2.0])
def test_gap_is_to_the_best_policy(beta):
    found, history, _ = read(CORRECT, beta=beta)
    best = REWARDS.max() if beta == 0 else objective(
        np.asarray(optimal_logp(BANDIT.reference_logp, BANDIT.rewards, beta)), beta
    )  # fmt: skip
    ours = [best - objective(np.asarray(logp, dtype=np.float64), beta) for logp in history.logp]
    np.testing.assert_allclose(found.gap, ours, atol=1e-5)
    assert (found.gap > -1e-5).all()


def test_cosine_is_that_with_the_slope_of_the_objective():
    found, _, trace = read(CORRECT, beta=0.5, epochs=1)
    for batch in (0, 5):
        logits, step = np.asarray(trace.logp, dtype=np.float64)[batch, 0], trace.step[batch, 0]
        slope = [
            (objective(logits + 1e-5 * axis, 0.5) - objective(logits - 1e-5 * axis, 0.5)) / 2e-5
            for axis in np.eye(3)
        ]
        cosine = np.dot(step, slope) / np.linalg.norm(step) / np.linalg.norm(slope)
        assert found.cosine[batch] == pytest.approx(cosine, abs=1e-4)
    assert found.cosine[0] > 0.9


def test_ratio_and_interval():
    found, history, trace = read(CORRECT, learning_rate=1.0, epochs=10)
    np.testing.assert_allclose(found.ratio_first, 0, atol=1e-6)
    np.testing.assert_allclose(found.ratio_last, history.max_ratio_error[:, -1])
    outside = found.clipped_below + found.clipped_above
    np.testing.assert_allclose(outside, history.clip_fraction.mean(axis=1), atol=1e-6)
    assert found.clipped_below.max() > 0 and found.clipped_above.max() > 0
    assert np.all(trace.leaks == 0) and np.all(found.leaks == 0)


def test_the_two_references_part_where_they_should():
    found, _, _ = read(FAULTS["reference_refreshed"].parts)
    assert found.kl_true[-1] > 0.5 and found.kl_used[-1] < 0.01
    right, _, _ = read(CORRECT)
    np.testing.assert_allclose(right.kl_true, right.kl_used, atol=1e-6)
