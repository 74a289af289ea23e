"""Strategies that several test modules draw from. Oracles are float64 NumPy, never lessonlib."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

settings.register_profile("lesson", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("lesson")


@pytest.fixture(autouse=True)
def empty_portfolio(tmp_path, monkeypatch):
    """No test sees or touches a student's own answers."""
    monkeypatch.setenv("LESSON_PORTFOLIO", str(tmp_path / "portfolio"))


def log_softmax(logits):
    """Float64 oracle, written in probability space unlike the library."""
    weights = np.exp(np.asarray(logits, dtype=np.float64))
    return np.log(weights / weights.sum())


def vectors(size, low=-4.0, high=4.0):
    return st.lists(st.floats(low, high, width=32), min_size=size, max_size=size).map(
        lambda values: np.array(values, dtype=np.float32)
    )


@st.composite
def worlds(draw):
    """Logits of a policy and of a reference, and rewards, for 2 to 6 actions."""
    size = draw(st.integers(2, 6))
    return tuple(draw(vectors(size)) for _ in range(3))
