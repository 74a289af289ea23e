"""What counts as an answer to each kind of question, in words, and beside a result."""

import math
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from lessonlib.teaching.ask.questions import Choice, Curve, Number, Probabilities


class Outcome(NamedTuple):
    """An answer beside a result."""

    lines: tuple[str, ...]  # plain text
    right: bool | None  # None where an answer is near or far instead of right or wrong
    data: dict | None  # panels that show both, where there is something to draw


@singledispatch
def fits(question, answer) -> bool:
    """Whether `answer`, perhaps from a file, can be an answer to `question`."""
    raise TypeError(f"no answers for {type(question).__name__}")


@singledispatch
def words(question, answer) -> str:
    """An `answer` that fits, in words."""
    raise TypeError(f"no words for {type(question).__name__}")


@singledispatch
def result_of(question, result) -> Any:
    """`result` as plain data; raises ValueError where it cannot be a result of `question`."""
    raise TypeError(f"no results for {type(question).__name__}")


@singledispatch
def compare(question, answer, result) -> Outcome:
    """An `answer` that fits beside a result from `result_of`."""
    raise TypeError(f"no comparison for {type(question).__name__}")


def with_unit(value, unit) -> str:
    """A number to four digits, with its unit."""
    return f"{value:.4g} {unit}".rstrip()


@fits.register
def _(question: Choice, answer):
    return isinstance(answer, str) and bool(answer)


@words.register
def _(question: Choice, answer):
    return answer


@result_of.register
def _(question: Choice, result):
    """A choice needs no result; a number or a text is shown beside it."""
    if result is None or isinstance(result, str):
        return result
    return _numbers(result, "None, a text or one number", ())


@compare.register
def _(question: Choice, answer, result):
    given = with_unit(result, "") if isinstance(result, float) else result
    shown = f"The run gave: {given}." if given else ""
    if all(option.text != answer for option in question.options):
        reworded = "The options were reworded after you answered, so compare for yourself."
        return Outcome((shown, reworded), None, None)
    right = answer == question.right.text
    verdict = "Your answer is right." if right else f"The right answer is: {question.right.text}"
    return Outcome((shown, verdict), right, None)


@fits.register
def _(question: Number, answer):
    return _is_number(answer)


@words.register
def _(question: Number, answer):
    return with_unit(answer, question.unit)


@result_of.register
def _(question: Number, result):
    return _numbers(result, "one finite number", ())


@compare.register
def _(question: Number, answer, result):
    gave = f"The run gave {with_unit(result, question.unit)}."
    return Outcome((gave, f"Your answer is {_off(answer, result, question.unit)}."), None, None)


@fits.register
def _(question: Curve, answer):
    return _are_numbers(answer, len(question.x))


@words.register
def _(question: Curve, answer):
    pairs = zip(question.x, answer, strict=True)
    values = "; ".join(f"{x}: {with_unit(y, question.unit)}" for x, y in pairs)
    return f"{question.xlabel}: {values}"


@result_of.register
def _(question: Curve, result):
    values = _numbers(result, "a list of finite numbers, for x = 1, 2, …", (None,))
    if len(values) < question.x[-1]:
        raise ValueError(
            f"result must reach x = {question.x[-1]}, one value for each x = 1, 2, …; "
            f"got {len(values)} values"
        )
    return values


@compare.register
def _(question: Curve, answer, result):
    lines = [
        f"{x} {question.xlabel}: you said {with_unit(y, question.unit)}, the run gave "
        f"{with_unit(result[x - 1], question.unit)}: {_off(y, result[x - 1], question.unit)}."
        for x, y in zip(question.x, answer, strict=True)
    ]
    panel = {
        "kind": "line",
        "title": "Prediction and result",
        "x": list(range(1, len(result) + 1)),
        "xlabel": question.xlabel,
        "ylabel": question.unit or "value",
        "series": [
            {"label": "what happened", "y": result},
            {"label": "your prediction", "kind": "mark", "x": list(question.x), "y": answer},
        ],
    }
    return Outcome(tuple(lines), None, {"panels": [panel]})


@fits.register
def _(question: Probabilities, answer):
    return (
        _are_numbers(answer, len(question.labels))
        and min(answer) >= 0
        and abs(sum(answer) - 1) < 0.01
    )


@words.register
def _(question: Probabilities, answer):
    pairs = zip(question.labels, answer, strict=True)
    return "; ".join(f"{label}: {value:.3g}" for label, value in pairs)


@result_of.register
def _(question: Probabilities, result):
    count = len(question.labels)
    allowed = f"{count} probabilities that sum to 1"
    values = _numbers(result, allowed, (count,))
    if min(values) < 0 or abs(sum(values) - 1) > 1e-3:
        raise ValueError(f"result must be {allowed}, got {values}")
    return values


@compare.register
def _(question: Probabilities, answer, result):
    lines = [
        f"{label}: you said {mine:.3g}, the run gave {value:.3g}."
        for label, mine, value in zip(question.labels, answer, result, strict=True)
    ]
    moved = sum(abs(mine - value) for mine, value in zip(answer, result, strict=True)) / 2
    lines.append(f"To match the run, {moved:.2g} of your probability has to move.")
    panel = {
        "kind": "bar",
        "title": "Prediction and result",
        "labels": list(question.labels),
        "xlabel": "outcome",
        "ylabel": "probability",
        "ylim": [0, 1],
        "series": [
            {"label": "what happened", "y": result},
            {"label": "your prediction", "y": answer},
        ],
    }
    return Outcome(tuple(lines), None, {"panels": [panel]})


def _off(answer, result, unit):
    """How far an answer is from a result, in words."""
    if f"{answer:.4g}" == f"{result:.4g}":
        return "exactly that"
    off = f"{abs(answer - result):.2g} {unit}".rstrip()
    return f"{off} too {'low' if answer < result else 'high'}"


def _numbers(value, allowed, shape):
    """`value` as a float or list of floats of `shape`, where None stands for any length."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.array(math.nan)
    lengths = array.ndim == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if not lengths or not np.isfinite(array).all():
        raise ValueError(f"result must be {allowed}, got {value!r}")
    return array.tolist()


def _is_number(value):
    return type(value) in (int, float) and math.isfinite(value)


def _are_numbers(values, count):
    return isinstance(values, list) and len(values) == count and all(map(_is_number, values))
