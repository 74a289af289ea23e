"""Predict before you run, then compare: `predict` locks an answer, `reveal` explains it."""

from html import escape

import ipywidgets as widgets

from lessonlib import storage
from lessonlib.answers import WIDE, controls, fits, words
from lessonlib.panel import Panel, Status, plain
from lessonlib.questions import Quiz, question

CONFIDENCES = ("guess", "fairly sure", "certain")
NOT_LOCKED = (
    "Nothing was locked in for this question yet. Answer it above, press “Lock in”, "
    "and run this cell again to compare."
)


def predict(id: str) -> Panel:
    """Ask the question `id`. What is locked in stays locked, also after a restart.

    Raises ValueError for an unknown id.
    """
    asked = _prediction(id)
    prompt = plain(asked.prompt)
    status = Status()
    panel = Panel("Prediction: run this cell to answer.", [prompt, status])
    event, notices = locked(asked)
    if event is not None:
        status.say(*summary(asked, event), *notices)
        return panel

    answer = controls(asked)
    confidence = widgets.RadioButtons(
        options=CONFIDENCES, value=None, description="How sure are you?", style=WIDE,
        orientation="horizontal",
    )  # fmt: skip
    reason = widgets.Text(
        description="Why? (optional)", style=WIDE, layout=widgets.Layout(width="min(44rem, 95%)")
    )
    button = widgets.Button(description="Lock in", button_style="primary")

    def lock(_):
        earlier, notices = locked(asked)  # perhaps in another notebook, a moment ago
        if earlier is None:
            value = answer.read()
            if confidence.value is None:
                raise ValueError("Say how sure you are, then lock in.")
            storage.record(
                "prediction", id, prompt=asked.prompt, answer=value,
                confidence=confidence.value, reason=reason.value.strip(),
            )  # fmt: skip
            earlier, notices = locked(asked)
        panel.children = [prompt, status]
        status.say(*summary(asked, earlier), *notices)

    button.on_click(status.guarding(lock))
    panel.children = [prompt, answer.widget, confidence, reason, button, status]
    status.say(storage.place().notice, *notices)
    return panel


def locked(asked):
    """The event that counts as the answer to `asked`, the earliest, or None; and notices."""
    events, notices = storage.read(
        "prediction", asked.id, lambda event: fits(asked, event.details.get("answer"))
    )
    return (events[0] if events else None), notices


def summary(asked, event):
    """What was locked in, and when, as lines of plain text."""
    reason = event.details.get("reason")
    return (
        f"Locked in on {event.time.astimezone():%d %B %Y at %H:%M}: "
        f"{words(asked, event.details['answer'])} ({event.details.get('confidence')})",
        f"Your reason: {reason}" if reason else "",
    )


class Comparison:
    """Prediction beside result, as HTML and as text."""

    def __init__(self, text, html):
        self._text, self._html = text, html

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        return self._html


def reveal(id: str, result=None) -> Comparison:
    """Set the locked answer to `id` beside `result` and explain.

    `result` is what the run gave: a number, the values of a curve for x = 1, 2, …, or
    probabilities. A choice needs none. Raises ValueError for an unknown id.
    """
    asked = _prediction(id)
    event, _ = locked(asked)
    if event is None:
        return Comparison(NOT_LOCKED, f"<p>{NOT_LOCKED}</p>")
    lines = [line for line in summary(asked, event) if line]
    return Comparison("\n".join(lines), "".join(f"<p>{escape(line)}</p>" for line in lines))


def _prediction(id):
    asked = question(id)
    if isinstance(asked, Quiz):
        raise ValueError(f"id must name a prediction; {id!r} is a quiz question, use quiz({id!r})")
    return asked
