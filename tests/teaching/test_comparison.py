"""reveal: one fixed sentence before an answer, the whole comparison after it."""

import re

import numpy as np
import pytest
from asking import answer, kinds

from lessonlib.teaching.ask import storage
from lessonlib.teaching.ask.comparison import NOT_LOCKED, reveal
from lessonlib.teaching.ask.questions import Choice, Quiz, questions

KINDS = kinds()


def result_for(asked):
    """Something that the run could have given."""
    return {
        "choice": lambda: None,
        "number": lambda: asked.high,
        "curve": lambda: np.linspace(asked.low, asked.high, asked.x[-1]),
        "probabilities": lambda: np.eye(len(asked.labels))[0],
    }[type(asked).__name__.lower()]()


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def asked(request):
    return request.param


def test_without_an_answer_every_question_shows_the_same_sentence():
    for asked in questions():
        if not isinstance(asked, Quiz):
            shown = reveal(asked.id, result_for(asked))
            assert repr(shown) == NOT_LOCKED
            assert re.sub("<[^>]*>", "", shown._repr_html_()) == NOT_LOCKED
    assert not storage.read().events


def test_answer_and_explanations_are_shown_as_text_and_as_html(asked):
    answer(asked, confidence="certain", reason="my own reason")
    shown = reveal(asked.id, result_for(asked))
    whys = [o.why for o in asked.options] if isinstance(asked, Choice) else [asked.explain]
    text = re.sub("<[^>]*>", "", shown._repr_html_()).replace("&#x27;", "'").replace("&quot;", '"')
    for expected in ("Locked in on", "certain", "my own reason", *whys):
        assert expected in repr(shown)
        assert expected in text


def test_a_choice_marks_the_right_option_and_the_students_in_words():
    asked = KINDS["choice"]
    answer(asked)
    lines = repr(reveal(asked.id)).splitlines()
    mine = asked.options[0]
    marks = {line.rsplit(" (", 1)[1] for line in lines if line.endswith(("right)", "answer)"))}
    assert marks == ({"right, your answer)"} if mine.right else {"right)", "your answer)"})


def test_what_can_be_drawn_is_drawn_once_with_alternative_text(asked):
    answer(asked)
    html = reveal(asked.id, result_for(asked))._repr_html_()
    drawn = type(asked).__name__ in ("Curve", "Probabilities")
    assert html.count("<img") == html.count("<img alt=") == drawn
    if drawn:
        assert "you said" in re.search('alt="(.*?)"', html).group(1)
        assert "your prediction" in html


def test_a_reason_is_escaped():
    answer(KINDS["choice"], reason="<img src=x onerror=alert(1)>")
    html = reveal(KINDS["choice"].id)._repr_html_()
    assert "<img" not in html and "&lt;img" in html


def test_an_outcome_is_kept_once_for_each_result():
    asked = KINDS["number"]
    answer(asked)
    for result in (asked.low, asked.low, asked.high):
        reveal(asked.id, result)
    kept = storage.read("outcome", asked.id).events
    assert [event.details["result"] for event in kept] == [asked.low, asked.high]
    assert "The run gave" in kept[0].details["text"]


def test_a_result_that_does_not_fit_is_refused_also_without_an_answer():
    with pytest.raises(ValueError, match="result must be one finite number"):
        reveal(KINDS["number"].id, [1, 2])


def test_a_full_disk_does_not_hide_the_comparison(monkeypatch):
    asked = KINDS["choice"]
    answer(asked)

    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(storage, "record", fail)
    shown = repr(reveal(asked.id))
    assert asked.options[0].why in shown and "disk full" in shown


def test_a_damaged_answer_is_said():
    asked = KINDS["choice"]
    answer(asked)
    (path,) = storage.place().folder.glob("*.json")
    path.write_text("")
    shown = repr(reveal(asked.id))
    assert shown.startswith(NOT_LOCKED) and "set aside" in shown
