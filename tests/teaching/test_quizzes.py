"""quiz: as many tries as wanted, each answered with what it would mean."""

from html import escape

import pytest
from asking import named, said

from lessonlib.teaching.ask import storage
from lessonlib.teaching.ask.questions import Choice, Quiz, questions
from lessonlib.teaching.ask.quizzes import quiz

QUIZZES = [asked for asked in questions() if isinstance(asked, Quiz)]


def test_every_option_is_answered_with_its_own_explanation():
    for asked in QUIZZES:
        panel = quiz(asked.id)
        for option in asked.options:
            named(panel, "Your answer").value = option.text
            named(panel, "Check").click()
            assert escape(option.why) in said(panel)
            assert ("Right." in said(panel)) is option.right


def test_every_try_is_kept():
    asked = QUIZZES[0]
    panel = quiz(asked.id)
    for option in asked.options:
        named(panel, "Your answer").value = option.text
        named(panel, "Check").click()
    tries = storage.read("quiz", asked.id).events
    assert [(event.details["answer"], event.details["right"]) for event in tries] == [
        (option.text, option.right) for option in asked.options
    ]


def test_nothing_chosen_is_no_try():
    panel = quiz(QUIZZES[0].id)
    named(panel, "Check").click()
    assert "Choose one" in said(panel)
    assert not storage.read().events


def test_the_feedback_comes_also_where_nothing_can_be_kept(monkeypatch):
    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(storage, "record", fail)
    asked = QUIZZES[0]
    panel = quiz(asked.id)
    named(panel, "Your answer").value = asked.options[0].text
    named(panel, "Check").click()
    assert escape(asked.options[0].why) in said(panel) and "disk full" in said(panel)


def test_without_a_kernel_there_is_one_fixed_text():
    assert {repr(quiz(asked.id)) for asked in QUIZZES} == {"Quiz: run this cell to answer."}


def test_a_prediction_and_an_unknown_id_are_refused():
    prediction = next(asked for asked in questions() if type(asked) is Choice)
    with pytest.raises(ValueError, match=r"asked by predict\("):
        quiz(prediction.id)
    with pytest.raises(ValueError, match="must name a question"):
        quiz("no such question")
