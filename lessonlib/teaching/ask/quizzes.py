"""Quiz questions: several tries, and each option says what choosing it would mean."""

import ipywidgets as widgets

from lessonlib.teaching.ask import storage
from lessonlib.teaching.ask.controls import controls
from lessonlib.teaching.ask.questions import Quiz, question
from lessonlib.teaching.widgets.ui import Panel, Status, plain


def quiz(id: str) -> Panel:
    """Ask the quiz question `id`; every try is answered and kept. Raises ValueError for
    an unknown id or one that names a prediction.
    """
    asked = question(id)
    if not isinstance(asked, Quiz):
        raise ValueError(f"id must name a quiz question; {id!r} is asked by predict({id!r})")
    answer, button, status = controls(asked), widgets.Button(description="Check"), Status()

    def check(_):
        text = answer.read()
        chosen = next(option for option in asked.options if option.text == text)
        unkept = storage.try_to_record(
            "quiz", id, prompt=asked.prompt, answer=text, right=chosen.right
        )
        status.say(f"{'Right.' if chosen.right else 'Not this one.'} {chosen.why}", unkept)

    button.on_click(status.guarding(check))
    return Panel(
        "Quiz: run this cell to answer.", [plain(asked.prompt), answer.widget, button, status]
    )
