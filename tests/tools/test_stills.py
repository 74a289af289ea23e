"""Stills hold what their widgets ask, and no more than a reader may see."""

from html import unescape

import pytest
from nbformat import v4

from lessonlib.teaching.ask.questions import Choice, Quiz, questions
from notebooks.tools import stills

EVERY = {asked.id: asked for asked in questions()}
CHOICES = [id for id, asked in EVERY.items() if isinstance(asked, Choice)]


def code(source):
    return v4.new_code_cell(source, metadata={"slideshow": {"slide_type": "slide"}})


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ('predict("a")', ("predict", ["a"])),
        ('x = 1\nreveal("a", x)', ("reveal", ["a"])),
        ("stepper()", ("stepper", [])),
        ('_ = predict("a")', (None, ())),
        ("invariants.check(x)", (None, ())),
        ("", (None, ())),
    ],
)
def test_last_call(source, call):
    assert stills.last_call(code(source)) == call


def test_last_call_of_markdown_is_none():
    assert stills.last_call(v4.new_markdown_cell('predict("a")')) == (None, ())


@pytest.mark.parametrize("id", EVERY)
def test_question_shows_its_prompt_and_ways_to_answer_and_no_reply(id):
    asked, html = EVERY[id], unescape(stills.ask(id))
    assert asked.prompt in html
    if isinstance(asked, Choice):
        assert html.count("<li>") == len(asked.options)
        assert all(option.text in html for option in asked.options)
        assert not any(option.why in html for option in asked.options)
    else:
        assert "______" in html
        assert asked.explain not in html


@pytest.mark.parametrize("id", CHOICES)
def test_each_option_opens_to_its_own_reply(id):
    folds = unescape(stills.ask_with_replies(id)).split("<details>")[1:]
    for option, fold in zip(EVERY[id].options, folds, strict=True):
        summary, reply = fold.split("</summary>")
        assert option.text in summary
        assert f"{'Right.' if option.right else 'Not this one.'} {option.why}" in reply


@pytest.mark.parametrize("id", [id for id, asked in EVERY.items() if not isinstance(asked, Quiz)])
def test_answers(id):
    asked = EVERY[id]
    told, folded = unescape(stills.answer(id)), unescape(stills.folded_answer(id))
    if isinstance(asked, Choice):
        wrong = [option for option in asked.options if not option.right]
        assert asked.right.why in told
        assert not any(option.why in told for option in wrong)
        assert all(option.why in folded for option in asked.options)
        assert f"{asked.right.text} (right)" in folded
    else:
        assert asked.explain in told
        assert asked.explain in folded
    assert folded.startswith("<details>")


def test_stepper_shows_the_four_roles():
    html = stills.first_moment()
    assert html.count('<th scope="row">') >= 4
    assert "Collect a new batch" in html


def test_with_stills_replaces_outputs_of_known_calls_only():
    asked = CHOICES[0]
    cells = [code(f'predict("{asked}")'), code("print(1)"), v4.new_markdown_cell("text")]
    cells[1].outputs = [v4.new_output("stream", text="1\n")]
    stills.with_stills(v4.new_notebook(cells=cells), stills.IN_SLIDES)
    assert cells[0].outputs[0].data["text/html"] == stills.ask(asked)
    assert cells[1].outputs[0].text == "1\n"
