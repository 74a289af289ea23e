"""Answering questions as a student does: through the widgets."""

import ipywidgets as widgets

from lessonlib.teaching.ask.prediction import predict
from lessonlib.teaching.ask.questions import Choice, Number, Question, questions
from lessonlib.teaching.widgets.ui import Status


def kinds() -> dict[str, Question]:
    """The lesson's first question of each kind."""
    first = {}
    for asked in questions():
        first.setdefault(type(asked).__name__.lower(), asked)
    first.pop("quiz")
    return first


def named(panel, description):
    """The control of `panel` whose name begins with `description`."""
    return next(
        child
        for child in panel.children
        if getattr(child, "description", "").startswith(description)
        and not isinstance(child, widgets.HTML)
    )


def said(panel):
    """What the status line of `panel` shows, as HTML."""
    return next(child for child in panel.children if isinstance(child, Status)).value


def choose(panel, text, confidence):
    named(panel, "Your answer").value = text
    named(panel, "How sure").value = confidence
    named(panel, "Lock in").click()


def answer(asked, confidence="fairly sure", reason=""):
    """A panel in which `asked` was answered, anyhow but with this confidence and reason."""
    panel = predict(asked.id)
    if isinstance(asked, Choice):
        named(panel, "Your answer").value = asked.options[0].text
    if isinstance(asked, Number):
        named(panel, "Your answer").value = f"{(asked.low + asked.high) / 2}"
    named(panel, "How sure").value = confidence
    named(panel, "Why?").value = reason
    named(panel, "Lock in").click()
    return panel
