"""The controls that each kind of question is answered with.

Every box has a name that screen readers say. A slider is paired with a named box that holds
the same value, and takes its name from there.
"""

from collections.abc import Callable, Sequence
from functools import singledispatch
from html import escape
from typing import Any, NamedTuple

import ipywidgets as widgets

from lessonlib.teaching.ask.answers import with_unit, words
from lessonlib.teaching.ask.questions import Choice, Curve, Number, Probabilities
from lessonlib.teaching.widgets.linked_slider import named_row
from lessonlib.teaching.widgets.ui import WIDE, plain

WHOLE = 1000  # probabilities are set in thousandths, so that they sum to one exactly


class Controls(NamedTuple):
    """Widgets to answer with, and a function that reads them or raises ValueError."""

    widget: widgets.Widget
    read: Callable[[], Any]


@singledispatch
def controls(question) -> Controls:
    """Controls that ask `question`."""
    raise TypeError(f"no controls for {type(question).__name__}")


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


@controls.register
def _(question: Number):
    limits = f"from {question.low:g} to {with_unit(question.high, question.unit)}"
    width = widgets.Layout(width="min(26rem, 95%)")
    box = widgets.Text(
        description=f"Your answer, {limits}", continuous_update=False, style=WIDE, layout=width
    )

    def read():
        try:
            value = float(box.value.strip().replace(",", ".").replace("−", "-"))
        except ValueError:
            raise ValueError(f"Write one number {limits}, such as {question.low:g}.") from None
        if not question.low <= value <= question.high:
            raise ValueError(f"Your answer must lie {limits}, got {box.value.strip()}.")
        return value

    return Controls(box, read)


@controls.register
def _(question: Curve):
    unit = f" ({question.unit})" if question.unit else ""
    names = [f"{x} {question.xlabel}{unit}" for x in question.x]
    boxes, rows = _boxes(names, question.low, question.high)
    preview = widgets.HTML()

    def read():
        return [box.value for box in boxes]

    def draw(_=None):
        preview.value = sketch(question, read())

    for box in boxes:
        box.observe(draw, "value")
    draw()
    return Controls(widgets.VBox([*rows, preview]), read)


@controls.register
def _(question: Probabilities):
    boxes, rows = _boxes(question.labels, 0, 1)
    touched, settling = [], []

    def settle(change):
        if settling:  # a value that was set here, not by the student
            return
        latest = boxes.index(change.owner)
        touched[:] = [place for place in touched if place != latest] + [latest]
        settling.append(latest)
        try:
            parts = rebalance([round(box.value * WHOLE) for box in boxes], touched)
            for box, part in zip(boxes, parts, strict=True):
                box.value = part / WHOLE
        finally:
            settling.clear()

    for box, part in zip(boxes, _shares(WHOLE, len(boxes)), strict=True):
        box.value = part / WHOLE
        box.observe(settle, "value")
    note = "The probabilities always sum to 1: set one, and those you have not set share the rest."
    return Controls(widgets.VBox([*rows, plain(note)]), lambda: [box.value for box in boxes])


def rebalance(parts: Sequence[int], touched: Sequence[int]) -> list[int]:
    """`parts` with the sum WHOLE, the one touched last unchanged.

    What is left goes in equal shares to those never touched or, if all were, to the one
    touched longest ago. Where nothing would be left, the others touched shrink together.
    """
    *earlier, latest = touched
    free = [place for place in range(len(parts)) if place not in touched] or [earlier[0]]
    kept = {place: parts[place] for place in earlier if place not in free}
    room, wanted = WHOLE - parts[latest], sum(kept.values())
    if wanted > room:
        kept = {place: part * room // wanted for place, part in kept.items()}
    left = _shares(room - sum(kept.values()), len(free))
    new = {latest: parts[latest], **kept, **dict(zip(free, left, strict=True))}
    return [new[place] for place in range(len(parts))]


def _shares(total, count):
    """`total` in `count` whole parts that differ by one at most."""
    share, over = divmod(total, count)
    return [share + (place < over) for place in range(count)]


def _boxes(names, low, high):
    """A number box for each name, and rows that pair each with a slider."""
    style = {"description_width": f"{0.55 * max(map(len, names)) + 0.5:.1f}em"}
    width = widgets.Layout(width=f"{0.55 * max(map(len, names)) + 8:.1f}em")
    limits = {"min": low, "max": high, "step": (high - low) / 100}
    boxes = [
        widgets.BoundedFloatText(value=low, description=name, style=style, layout=width, **limits)
        for name in names
    ]
    return boxes, [_with_slider(box, limits) for box in boxes]


def _with_slider(box, limits):
    """`box` beside a slider that follows it and can be dragged."""
    slider = widgets.FloatSlider(value=box.value, readout=False, **limits)

    def follow(change):
        slider.value = change.new

    def drag(change):
        # The slider reports a value between two steps as the nearest step; that is no drag.
        if abs(change.new - box.value) > 0.501 * slider.step:
            box.value = round(change.new, 10)

    box.observe(follow, "value")
    slider.observe(drag, "value")
    return named_row(box, slider)


def sketch(question: Curve, values: Sequence[float]) -> str:
    """A small SVG of the points set so far, in the colour of the text around it."""
    left, top, width, height = 60, 14, 300, 110
    first, last = min(1, question.x[0]), question.x[-1]

    def place(x, y):
        across = (x - first) / max(1, last - first)
        up = (y - question.low) / (question.high - question.low)
        return left + width * across, top + height * (1 - up)

    points = [place(x, y) for x, y in zip(question.x, values, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" />' for x, y in points)
    ticks = "".join(
        f'<text x="{place(x, 0)[0]:.1f}" y="{top + height + 18}" text-anchor="middle">{x}</text>'
        for x in question.x
    ) + "".join(
        f'<text x="{left - 8}" y="{place(0, y)[1] + 4:.1f}" text-anchor="end">{y:g}</text>'
        for y in (question.low, question.high)
    )
    return (
        f'<svg role="img" aria-label="{escape(words(question, values))}" width="400" height="150"'
        f' font-size="12" fill="currentColor" stroke="none"><path fill="none"'
        f' stroke="currentColor" d="M{left} {top}V{top + height}H{left + width}" />'
        f'<polyline fill="none" stroke="currentColor" stroke-dasharray="5 4" points="{line}" />'
        f"{dots}{ticks}</svg>"
    )
