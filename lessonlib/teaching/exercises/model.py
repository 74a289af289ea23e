"""What an exercise is: a right answer made of pieces, inputs, and the ways to go wrong."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Misconception(NamedTuple):
    """A way to go wrong: the pieces of the right answer that it replaces, and what to say.

    The message says what was probably done, why it is wrong and what to look at. It never
    gives the solution away.
    """

    id: str
    changes: Mapping[str, object]
    message: str


class Case(NamedTuple):
    """One call: arguments by name, as float32 and int32 arrays, floats, or a key."""

    inputs: Mapping[str, object]
    smooth: bool = True  # False at a kink of the function, where a gradient is not defined


@dataclass(frozen=True)
class Exercise:
    """`answer` is the right answer in float64 NumPy; its keyword-only arguments are its pieces.

    `cases` begin with numbers for pencil and paper. `names` are the parts that a function
    returns: one, or several for a tuple. `judge` is set where values alone do not decide.
    At `extremes`, a formula that is right on paper overflows in float32.
    """

    name: str
    returns: str
    answer: Callable
    cases: tuple[Case, ...]
    misconceptions: tuple[Misconception, ...]
    names: tuple[str, ...] = ("result",)
    tolerance: float = 1e-4
    judge: Callable | None = None
    extremes: tuple[Case, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        return tuple(self.cases[0].inputs)

    def wrong(self, *misconceptions: Misconception) -> Callable:
        """The answer of somebody who holds these misconceptions, all at once."""
        changes = {key: piece for each in misconceptions for key, piece in each.changes.items()}
        return lambda *inputs: self.answer(*inputs, **changes)


def without(misconceptions, *ids) -> tuple[Misconception, ...]:
    """Those that mean something in this exercise as well."""
    return tuple(each for each in misconceptions if each.id not in ids)


def case(*, smooth=True, **inputs) -> Case:
    """A Case from plain lists: whole numbers become int32 arrays, others float32."""
    return Case({name: _plain(value) for name, value in inputs.items()}, smooth)


def _plain(value):
    if not isinstance(value, list | np.ndarray):
        return value
    array = np.asarray(value)
    return array.astype(np.float32 if array.dtype.kind == "f" else np.int32)


def float64(value):
    """An input as the right answer wants it: arrays of floats in double precision."""
    floats = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return value.astype(np.float64) if floats else value


def log_softmax(x):
    """log π of the logits `x` (A,), in nats."""
    shifted = x - np.max(x)
    return shifted - np.log(np.sum(np.exp(shifted)))


def softmax(x):
    """π of the logits `x` (A,)."""
    return np.exp(log_softmax(x))


def some_logp(rng, count, spread=1.0):
    """Log-probs (A,) of a random policy, in nats."""
    return log_softmax(rng.normal(0, spread, count))
