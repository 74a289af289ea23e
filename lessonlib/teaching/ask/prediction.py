"""Predict before you run: an answer that is locked before the result is seen."""

import ipywidgets as widgets

from lessonlib.teaching.ask import storage
from lessonlib.teaching.ask.answers import fits, words
from lessonlib.teaching.ask.controls import controls
from lessonlib.teaching.ask.questions import Question, Quiz, question
from lessonlib.teaching.widgets.ui import WIDE, Panel, Status, plain

CONFIDENCES = ("guess", "fairly sure", "certain")


def predict(id: str) -> Panel:
    """Ask the question `id`. What is locked in stays locked, also after a restart.

    Raises ValueError for an id that names no prediction.
    """
    asked = prediction(id)
    prompt, status = plain(asked.prompt), Status()
    panel = Panel("Prediction: run this cell to answer.", [prompt, status])
    event, notices = locked(asked)
    if event is not None:
        status.say(*summary(asked, event), *notices)
        return panel

    answer = controls(asked)
    confidence = widgets.RadioButtons(
        options=CONFIDENCES,
        value=None,
        description="How sure are you?",
        orientation="horizontal",
        style=WIDE,
        layout=widgets.Layout(width="auto"),
    )
    reason = widgets.Text(
        description="Why? (optional)",
        continuous_update=False,  # letters sent one by one would come after "Lock in"
        style=WIDE,
        layout=widgets.Layout(width="min(44rem, 95%)"),
    )
    button = widgets.Button(description="Lock in", button_style="primary")

    def lock(_):
        value = answer.read()
        if confidence.value is None:
            raise ValueError("Say how sure you are, then lock in.")
        if locked(asked)[0] is None:  # else another notebook was quicker, and its answer counts
            storage.record(
                "prediction",
                id,
                prompt=asked.prompt,
                answer=value,
                confidence=confidence.value,
                reason=reason.value.strip(),
            )
        event, notices = locked(asked)
        status.say_instead(*summary(asked, event), *notices)
        panel.show(prompt, status)

    button.on_click(status.guarding(lock))
    panel.show(prompt, answer.widget, confidence, reason, button, status)
    status.say(*notices)
    return panel


def prediction(id: str) -> Question:
    """The question `id`; raises ValueError unless it is one to predict."""
    asked = question(id)
    if isinstance(asked, Quiz):
        raise ValueError(f"id must name a prediction; {id!r} is asked by quiz({id!r})")
    return asked


def locked(asked: Question) -> tuple[storage.Event | None, tuple[str, ...]]:
    """The event that counts as the answer, the earliest, or None; and what has to be said."""
    try:
        folder = storage.place()
        events, notices = storage.read("prediction", asked.id, lambda event: counts(asked, event))
    except OSError as error:
        return None, (f"Answers can be neither read nor kept: {error}",)
    return (events[0] if events else None), (folder.notice, *notices)


def counts(asked: Question, event: storage.Event) -> bool:
    """Whether an event holds a whole prediction."""
    texts = (event.details.get("confidence"), event.details.get("reason"))
    return fits(asked, event.details.get("answer")) and all(isinstance(text, str) for text in texts)


def summary(asked: Question, event: storage.Event) -> tuple[str, ...]:
    """What was locked in, and when, as lines of plain text."""
    when = f"{event.time.astimezone():%d %B %Y at %H:%M}"
    reason = event.details["reason"]
    return (
        f"Locked in on {when} ({event.details['confidence']}): "
        f"{words(asked, event.details['answer'])}",
        f"Your reason: {reason}" if reason else "",
    )
