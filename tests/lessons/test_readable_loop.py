"""The loop that notebook 05 types is the loop that `train` compiles."""

from pathlib import Path

import jupytext
import numpy as np
import pytest
from conftest import log_softmax

from lessonlib import Bandit, Settings, lesson_bandit, train

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).parents[2] / "notebooks" / "source" / "05_ppo_loop.py"
# (actions, epochs, batch size, iterations): few, since each shape compiles anew.
SHAPES = [(3, 3, 128, 40), (2, 1, 1, 12), (6, 8, 50, 7)]


@pytest.fixture(scope="module")
def readable_loop():
    """`readable_loop` as the notebook defines it: the imports, then the tagged cells."""
    cells = [cell for cell in jupytext.read(SOURCE).cells if cell.cell_type == "code"]
    tagged = [cell for cell in cells if "readable-loop" in cell.metadata.get("tags", [])]
    assert tagged, "notebook 05 has no cell tagged readable-loop"
    namespace = {}
    for cell in [cells[0], *tagged]:
        exec(cell.source, namespace)
    return namespace["readable_loop"]


def random_experiments():
    rng = np.random.default_rng(2024)
    for index in range(30):
        actions, epochs, batch_size, iterations = SHAPES[index % len(SHAPES)]
        bandit = Bandit(rng.normal(size=actions), log_softmax(rng.normal(size=actions)))
        yield (
            bandit,
            Settings(
                beta=rng.choice([0, rng.uniform(0, 5)]),
                clip=rng.uniform(0.01, 1),
                learning_rate=rng.uniform(0.01, 0.5),
                epochs=epochs,
                batch_size=batch_size,
                iterations=iterations,
                seed=int(rng.integers(2**32)),
            ),
        )


def assert_same_run(loop, bandit, settings):
    reward, kl, logp = loop(bandit, settings)
    history = train(bandit, settings)
    np.testing.assert_allclose(reward, history.reward, atol=1e-5)
    np.testing.assert_allclose(kl, history.kl, atol=1e-5)
    np.testing.assert_allclose(logp, history.logp, atol=2e-5)


def test_train_is_the_readable_loop_at_the_lessons_settings(readable_loop):
    assert_same_run(readable_loop, lesson_bandit(), Settings())


@pytest.mark.parametrize(("bandit", "settings"), list(random_experiments()))
def test_train_is_the_readable_loop_at_random_settings(readable_loop, bandit, settings):
    assert_same_run(readable_loop, bandit, settings)
