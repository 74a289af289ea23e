"""How each kind of question is answered: the controls, what counts as an answer, its words."""

import math
from collections.abc import Callable
from functools import singledispatch
from typing import Any, NamedTuple

import ipywidgets as widgets

from lessonlib.questions import Choice, Curve, Number, Probabilities

WIDE = {"description_width": "initial"}


class Controls(NamedTuple):
    """Widgets to answer with, and a function that reads them or raises ValueError."""

    widget: widgets.Widget
    read: Callable[[], Any]


@singledispatch
def controls(question) -> Controls:
    """Controls that ask `question`."""
    raise TypeError(f"no controls for {type(question).__name__}")


@singledispatch
def fits(question, answer) -> bool:
    """Whether a stored `answer` can be an answer to `question`."""
    raise TypeError(f"no answers for {type(question).__name__}")


@singledispatch
def words(question, answer) -> str:
    """A stored `answer` in words."""
    raise TypeError(f"no words for {type(question).__name__}")


def with_unit(value, unit) -> str:
    """A number as a student would write it, with its unit."""
    return f"{value:.4g} {unit}".rstrip()


@controls.register
def _(question: Choice):
    options = widgets.RadioButtons(
        options=[option.text for option in question.options],
        value=None,
        description="Your answer",
        style=WIDE,
        layout=widgets.Layout(width="auto"),
    )

    def read():
        if options.value is None:
            raise ValueError("Choose one of the options first.")
        return options.value

    return Controls(options, read)


@fits.register
def _(question: Choice, answer):
    return isinstance(answer, str)


@words.register
def _(question: Choice, answer):
    return answer


@controls.register
def _(question: Number):
    limits = f"from {question.low:g} to {with_unit(question.high, question.unit)}"
    box = widgets.Text(description=f"Your answer, {limits}", style=WIDE)

    def read():
        try:
            value = float(box.value.strip().replace(",", ".").replace("−", "-"))
        except ValueError:
            raise ValueError(f"Write one number {limits}, such as 0.5.") from None
        if not question.low <= value <= question.high:
            raise ValueError(f"Your answer must lie {limits}, got {box.value.strip()}.")
        return value

    return Controls(box, read)


@fits.register
def _(question: Number, answer):
    return _is_number(answer)


@words.register
def _(question: Number, answer):
    return with_unit(answer, question.unit)


@controls.register
def _(question: Curve):
    step = (question.high - question.low) / 100
    boxes = [
        widgets.BoundedFloatText(
            value=question.low,
            min=question.low,
            max=question.high,
            step=step,
            description=f"{question.xlabel} {x}, {question.unit}".rstrip(", "),
            style=WIDE,
        )
        for x in question.x
    ]
    return Controls(widgets.VBox(boxes), lambda: [box.value for box in boxes])


@fits.register
def _(question: Curve, answer):
    return _are_numbers(answer, len(question.x))


@words.register
def _(question: Curve, answer):
    pairs = zip(question.x, answer, strict=True)
    values = "; ".join(f"{with_unit(y, question.unit)} at {x}" for x, y in pairs)
    return f"{question.xlabel}: {values}"


@controls.register
def _(question: Probabilities):
    share = 1 / len(question.labels)
    boxes = [
        widgets.BoundedFloatText(
            value=share, min=0, max=1, step=0.01, description=label, style=WIDE
        )
        for label in question.labels
    ]

    def read():
        total = sum(box.value for box in boxes)
        if abs(total - 1) > 0.005:
            raise ValueError(f"The probabilities must sum to 1; now they sum to {total:.3g}.")
        return [box.value for box in boxes]

    return Controls(widgets.VBox(boxes), read)


@fits.register
def _(question: Probabilities, answer):
    return _are_numbers(answer, len(question.labels))


@words.register
def _(question: Probabilities, answer):
    pairs = zip(question.labels, answer, strict=True)
    return "; ".join(f"{label}: {value:.3g}" for label, value in pairs)


def _is_number(value):
    return type(value) in (int, float) and math.isfinite(value)


def _are_numbers(values, count):
    return isinstance(values, list) and len(values) == count and all(map(_is_number, values))
