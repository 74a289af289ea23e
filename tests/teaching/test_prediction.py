"""predict: an answer is locked once, for good, and says what it needs."""

import ipywidgets as widgets
import pytest
from asking import answer, choose, kinds, named, said

from lessonlib.teaching.ask import storage
from lessonlib.teaching.ask.prediction import locked, predict
from lessonlib.teaching.ask.questions import Quiz, question, questions

KINDS = kinds()


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def asked(request):
    return request.param


def test_without_a_kernel_there_is_one_fixed_text(asked):
    before = repr(predict(asked.id))
    answer(asked)
    assert repr(predict(asked.id)) == before == "Prediction: run this cell to answer."


def test_an_answer_is_locked_kept_at_once_and_read_only(asked):
    panel = answer(asked, confidence="certain", reason="because π_ref stays")
    (event,) = storage.read("prediction", asked.id).events
    assert event.details["confidence"] == "certain"
    assert event.details["reason"] == "because π_ref stays"
    assert "Locked in on" in said(panel) and "because π_ref stays" in said(panel)
    assert all(isinstance(child, widgets.HTML) for child in panel.children)


def test_a_locked_answer_is_shown_again_without_controls(asked):
    first = said(answer(asked))
    again = predict(asked.id)
    assert said(again)[said(again).index("<p") :] == first[first.index("<p") :]
    assert all(isinstance(child, widgets.HTML) for child in again.children)


def test_nothing_is_locked_without_a_confidence(asked):
    panel = answer(asked, confidence=None)
    assert "how sure" in said(panel).lower()
    assert locked(asked)[0] is None


def test_nothing_is_locked_without_an_answer():
    panel = predict(KINDS["choice"].id)
    named(panel, "Lock in").click()
    assert "Choose one" in said(panel)
    assert locked(KINDS["choice"])[0] is None


def test_of_two_notebooks_the_first_answer_counts():
    asked = KINDS["choice"]
    one, two = predict(asked.id), predict(asked.id)
    choose(two, asked.options[1].text, "guess")
    choose(one, asked.options[0].text, "certain")
    assert asked.options[1].text in said(one) and "(guess)" in said(one)
    assert len(storage.read("prediction", asked.id).events) == 1


def test_what_a_student_types_is_escaped():
    panel = answer(KINDS["choice"], reason="<script>alert(1)</script>")
    assert "<script" not in said(panel) and "&lt;script" in said(panel)
    assert "<script" not in said(predict(KINDS["choice"].id))


def test_a_full_disk_is_said_in_place_and_keeps_the_controls(monkeypatch):
    asked = KINDS["choice"]

    def fail(*args, **kwargs):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(storage, "record", fail)
        panel = answer(asked)
        assert "disk full" in said(panel) and "kept" in said(panel)
    named(panel, "Lock in").click()
    assert "Locked in on" in said(panel)


def test_a_damaged_answer_is_said_and_can_be_given_again():
    asked = KINDS["choice"]
    answer(asked)
    (path,) = storage.place().folder.glob("*.json")
    path.write_text("{")
    panel = predict(asked.id)
    assert "set aside" in said(panel)
    choose(panel, asked.options[0].text, "guess")
    assert "Locked in on" in said(panel)


def test_a_folder_that_cannot_be_used_does_not_stop_the_lesson(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LESSON_PORTFOLIO", str(tmp_path / "file"))
    assert "neither read nor kept" in said(predict(KINDS["choice"].id))


def test_another_folder_than_the_usual_is_said(monkeypatch, tmp_path):
    place = storage.place()
    monkeypatch.setattr(storage, "place", lambda: place._replace(notice="kept elsewhere"))
    assert "kept elsewhere" in said(predict(KINDS["choice"].id))
    assert "kept elsewhere" in said(answer(KINDS["choice"]))


def test_every_control_has_a_name(asked):
    named = (widgets.RadioButtons, widgets.Text, widgets.Button)
    controls = [child for child in predict(asked.id).children if isinstance(child, named)]
    assert len(controls) >= 3 and all(control.description for control in controls)


def test_a_quiz_question_and_an_unknown_id_are_refused():
    quiz = next(asked for asked in questions() if isinstance(asked, Quiz))
    with pytest.raises(ValueError, match=r"asked by quiz\("):
        predict(quiz.id)
    with pytest.raises(ValueError, match="must name a question"):
        predict("no such question")


def test_every_prediction_of_the_lesson_can_be_asked():
    for asked in questions():
        if not isinstance(asked, Quiz):
            assert predict(asked.id) and question(asked.id) == asked
