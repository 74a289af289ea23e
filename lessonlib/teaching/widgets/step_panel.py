"""The stepper: the training loop under the student's hand, one button a move."""

import threading
from html import escape

import ipywidgets as widgets
import numpy as np

from lessonlib.bandit import Bandit, lesson_bandit
from lessonlib.rollout import Settings
from lessonlib.teaching.widgets.hand_loop import (
    batch_ratios,
    begin,
    changed,
    collect_batch,
    inner_step,
    roles,
)

STYLE = (
    "<style>.lesson-roles {border-collapse: collapse; margin: 6px 0}"
    ".lesson-roles th, .lesson-roles td {border: 1px solid #8a8a8a; padding: 3px 10px;"
    " text-align: left; font-variant-numeric: tabular-nums}</style>"
)


def stepper(bandit: Bandit | None = None, settings: Settings | None = None) -> "Stepper":
    """Buttons for an inner step, a new batch and a new run, over a table of the four roles."""
    return Stepper(bandit or lesson_bandit(), settings or Settings())


class Stepper:
    """What `stepper` returns; `moment` is where the run stands (see `hand_loop.Moment`)."""

    def __init__(self, bandit, settings):
        self.bandit, self._settings = bandit, settings
        self._lock = threading.Lock()  # callbacks may come on a second thread
        self.step = widgets.Button(description="Inner step")
        self.collect = widgets.Button(description="Collect a new batch")
        self.restart = widgets.Button(description="New run")
        for button in (self.step, self.collect, self.restart):
            button.layout.width = "auto"
            button.on_click(self._move)
        self.table = widgets.HTML()
        buttons = widgets.HBox([self.step, self.collect, self.restart])
        buttons.layout.flex_flow = "row wrap"
        self.widget = widgets.VBox([buttons, self.table])
        self._begin()

    def _move(self, button):
        with self._lock:
            try:
                if button is self.restart:
                    self._begin()
                else:
                    self._go_on(button)
            except Exception as error:  # in a callback nobody would see it
                message = f"This move failed: {error}. “New run” starts again."
                self.table.value = f'<div role="alert">{escape(message)}</div>'

    def _begin(self):
        self.moment = begin(self.bandit, self._settings)
        held = roles(self.moment, self.bandit)
        words = dict.fromkeys(held, "starts afresh")
        self.table.value = _table(
            self.moment, held, words, "A new run. All four roles start afresh."
        )

    def _go_on(self, button):
        before = roles(self.moment, self.bandit)
        self.moment, done = self._after(button)
        held = roles(self.moment, self.bandit)
        moved = changed(before, held)
        words = {
            role: "<strong>changed</strong>" if role in moved else "unchanged" for role in held
        }
        what = f"Changed: {' and '.join(moved)}." if moved else "Nothing changed."
        self.table.value = _table(self.moment, held, words, f"{done} {what}")

    def _after(self, button):
        if button is self.collect:
            moment = collect_batch(self.moment, self.bandit, self._settings)
            return moment, f"Batch {moment.batches} collected."
        moment = inner_step(self.moment, self.bandit, self._settings)
        return moment, f"Inner step {moment.inner_steps} on batch {moment.batches}."

    def __repr__(self):
        return "Stepper: run this cell to use it"

    def _repr_mimebundle_(self, **_):
        return self.widget._repr_mimebundle_() | {"text/plain": repr(self)}


def _table(moment, held, words, sentence):
    """The four roles with their numbers, and for each what the last move did to it, in words."""
    actions = [f"action {action}" for action in range(len(moment.logits))]
    columns = ["role", "holds", *actions, "in the last move"]
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    rows = "".join(
        _row(role, name, values, words[role])
        for role, numbers in held.items()
        for name, values in numbers.items()
    )
    ratio = " · ".join(_text(value) for value in batch_ratios(moment))
    return (
        f'{STYLE}<div role="status">{escape(sentence)}</div>'
        f'<table class="lesson-roles"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f"<div>Ratios ρ = π_θ(a) / π_old(a) of the actions drawn: {ratio}. "
        f"Inner steps on batch {moment.batches} so far: {moment.inner_steps}.</div>"
    )


def _row(role, name, values, word):
    numbers = "".join(f"<td>{_text(value)}</td>" for value in values)
    return f'<tr><th scope="row">{role}</th><td>{name}</td>{numbers}<td>{word}</td></tr>'


def _text(value):
    if np.isnan(value):
        return "not drawn"
    return f"{value:d}" if isinstance(value, np.integer) else f"{value:.4f}"
