import numpy as np
import pytest

from lessonlib import fit_reward, lesson_bandit, preference_pairs

RECORDED_SCORES = [1.98112905, 0.32727796, -2.30840701]


def fit_by_hand(steps):
    """Gradient descent on the logistic loss of the pairs, written out in float64."""
    chosen, rejected = (np.asarray(x, dtype=np.float64) for x in preference_pairs())
    w = np.zeros(2)
    for _ in range(steps):
        pulls = 1 / (1 + np.exp((chosen - rejected) @ w))  # σ(−margin)
        w += 0.1 * (pulls[:, None] * (chosen - rejected)).mean(axis=0)
    return w


def test_fixture_has_the_recorded_scores_and_reference():
    bandit = lesson_bandit()
    np.testing.assert_allclose(bandit.rewards, RECORDED_SCORES, atol=2e-6)
    weights = np.exp([0.2, 0.0, -0.2])
    np.testing.assert_allclose(np.exp(bandit.reference_logp), weights / weights.sum(), atol=1e-6)


@pytest.mark.parametrize(
    ("steps", "best_score"), [(10, 0.517), (100, 1.981), (1_000, 4.153), (10_000, 6.446)]
)
def test_separable_preferences_let_the_scores_grow_without_end(steps, best_score):
    w = fit_reward(*preference_pairs(), steps=steps)
    np.testing.assert_allclose(w, fit_by_hand(steps), atol=2e-3)
    assert float(w[0]) == pytest.approx(best_score, abs=1e-3)


def test_first_step_already_ranks_every_pair():
    chosen, rejected = preference_pairs()
    w = fit_reward(chosen, rejected, steps=1)
    assert (np.asarray((chosen - rejected) @ w) > 0).all()
