"""Compare after the run: the locked answer beside what happened, and what it would mean."""

from dataclasses import dataclass
from html import escape

from lessonlib.teaching.ask import storage
from lessonlib.teaching.ask.answers import Outcome, compare, result_of
from lessonlib.teaching.ask.prediction import locked, prediction, summary
from lessonlib.teaching.ask.questions import Choice, Question
from lessonlib.teaching.figure import picture
from lessonlib.teaching.panels import plot_panels
from lessonlib.teaching.widgets.ui import paragraph

NOT_LOCKED = (
    "Nothing is locked in for this question yet. Answer it above, press “Lock in”, "
    "then run this cell again to compare."
)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Prediction beside result, as text and as HTML."""

    text: str
    html: str

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        return self.html


def reveal(id: str, result=None) -> Comparison:
    """Set the locked answer to `id` beside `result` and explain.

    `result` is what the run gave: a number, the values of a curve for x = 1, 2, …, or
    probabilities. A choice needs none. Without a locked answer this is one fixed sentence.
    Raises ValueError for an id that names no prediction or a result that does not fit it.
    """
    asked = prediction(id)
    result = result_of(asked, result)
    event, notices = locked(asked)
    if event is None:
        lines = (NOT_LOCKED, *filter(None, notices))
        return Comparison("\n".join(lines), paragraph(*lines))
    outcome = compare(asked, event.details["answer"], result)
    notices = (*notices, keep(id, result, outcome))
    lines = (*summary(asked, event), *outcome.lines, *notices)
    meanings = explanations(asked, event.details["answer"])
    html = paragraph(*lines) + drawn(outcome) + "".join(map(_explained, meanings))
    text = "\n".join(filter(None, [*lines, *("\n  ".join(meaning) for meaning in meanings)]))
    return Comparison(text, html)


def explanations(asked: Question, answer) -> list[tuple[str, str]]:
    """(what, what it means), one for each option of a choice, and one for anything else."""
    if not isinstance(asked, Choice):
        return [("Why", asked.explain)]
    return [(f"{option.text}{_mark(option, answer)}", option.why) for option in asked.options]


def _mark(option, answer):
    marks = [
        *(["right"] if option.right else []),
        *(["your answer"] if option.text == answer else []),
    ]
    return f" ({', '.join(marks)})" if marks else ""


def _explained(meaning):
    what, why = map(escape, meaning)
    return f'<p style="margin:0.4em 0;max-width:46rem"><strong>{what}</strong><br>{why}</p>'


def drawn(outcome: Outcome) -> str:
    """The outcome's figure as HTML, or nothing where there is none."""
    if outcome.data is None:
        return ""
    alt = f"What happened, with your prediction drawn over it. {' '.join(outcome.lines)}"
    return picture(plot_panels(outcome.data), alt, outcome.data).html


def keep(id, result, outcome):
    """Record the outcome, unless the last one was the same; returns what has to be said."""
    details = {"result": result, "text": " ".join(outcome.lines).strip(), "right": outcome.right}
    last = storage.read("outcome", id).events[-1:]
    if last and last[0].details == details:
        return ""
    return storage.try_to_record("outcome", id, **details)
