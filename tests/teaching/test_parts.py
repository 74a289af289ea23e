"""The loop taken apart does what the loop does, and its trace says what happened."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import log_softmax

from lessonlib import Bandit, Settings, lesson_bandit, train
from lessonlib.teaching.faults.parts import CORRECT, Parts, run

pytestmark = pytest.mark.slow

RUNS = [
    Settings(),
    Settings(beta=0, clip=0.01, learning_rate=1.0, seed=2),
    Settings(beta=5, clip=1, learning_rate=0.5, seed=3),
    Settings(epochs=10, batch_size=7, iterations=5, learning_rate=1.0, seed=2**32 - 1),
]


@pytest.mark.parametrize("settings", RUNS, ids=str)
def test_the_correct_parts_reproduce_train(settings):
    bandit = Bandit([3.0, -1.0, 0.5], log_softmax([0.5, -1.0, 0.0]))
    history, _ = run(CORRECT, bandit, settings)
    for ours, theirs in zip(history, train(bandit, settings), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_trace_tells_the_run():
    bandit, settings = lesson_bandit(), Settings(epochs=3, batch_size=16, iterations=4)
    history, trace = run(CORRECT, bandit, settings)
    t = type(trace)(*(np.asarray(array, dtype=np.float64) for array in trace))
    actions = np.asarray(trace.actions)

    assert t.logp.shape == t.reference.shape == t.step.shape == (4, 3, 3)
    assert t.ratio.shape == (4, 3, 16) and t.leaks.shape == (4, 3, 3)
    np.testing.assert_allclose(t.logp[0, 0], bandit.reference_logp, atol=1e-6)
    np.testing.assert_allclose(t.logp[1:, 0], history.logp[:-1], atol=1e-6)
    np.testing.assert_allclose(t.rewards, np.asarray(bandit.rewards)[actions])
    # One step further is the next policy: the trace holds the step that was applied.
    after = np.apply_along_axis(log_softmax, -1, t.logp + t.step)
    np.testing.assert_allclose(after[:, :2], t.logp[:, 1:], atol=1e-5)
    np.testing.assert_allclose(after[:, 2], history.logp, atol=1e-5)
    np.testing.assert_allclose(
        t.ratio, np.exp(t.new_logps) / np.exp(t.collected_logps)[:, None], rtol=1e-5
    )


def test_parts_are_compiled_once_for_settings_of_one_shape():
    seen = []

    def counted(new_logps, old_logps):
        seen.append(new_logps.shape)
        return CORRECT.ratio(new_logps, old_logps)

    parts = Parts(*CORRECT)._replace(ratio=counted)
    for settings in (Settings(), Settings(beta=2, clip=0.5, learning_rate=0.3, seed=1)):
        run(parts, lesson_bandit(), settings)
        traced = len(seen)
    run(parts, lesson_bandit(), replace(Settings(), beta=0.7))
    assert len(seen) == traced
