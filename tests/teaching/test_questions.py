"""The question file: sound tables are loaded, faulty ones refused by name."""

import re

import pytest

from lessonlib.teaching.ask import questions as questions_module
from lessonlib.teaching.ask.questions import (
    KINDS,
    Choice,
    Curve,
    Number,
    Option,
    Probabilities,
    Quiz,
    question,
    questions,
)

CHOICE = """
[q]
kind = "choice"
prompt = "Which?"
[[q.options]]
text = "one"
why = "no"
[[q.options]]
text = "two"
right = true
why = "yes"
"""
NUMBER = """
[q]
kind = "number"
prompt = "How much?"
unit = ""
low = 0
high = 1.5
explain = "because"
"""
CURVE = NUMBER.replace('"number"', '"curve"') + 'x = [10, 20]\nxlabel = "batch"\n'
PROBABILITIES = """
[q]
kind = "probabilities"
prompt = "How likely?"
labels = ["a", "b"]
explain = "because"
"""


def write(folder, text):
    folder.mkdir(exist_ok=True)
    (folder / "questions.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def load(tmp_path):
    def write_and_load(text):
        write(tmp_path / "n00_start_here", text)
        return question("q", tmp_path)

    return write_and_load


class TestLoading:
    def test_each_kind_becomes_its_class(self, load):
        shared = {"id": "q", "notebook": "00_start_here"}
        options = (Option("one", "no"), Option("two", "yes", right=True))
        number = {"unit": "", "low": 0.0, "high": 1.5, "explain": "because"}
        assert load(CHOICE) == Choice(**shared, prompt="Which?", options=options)
        assert load(CHOICE.replace('"choice"', '"quiz"')) == Quiz(
            **shared, prompt="Which?", options=options
        )
        assert load(NUMBER) == Number(**shared, prompt="How much?", **number)
        assert load(CURVE) == Curve(
            **shared, prompt="How much?", x=(10, 20), xlabel="batch", **number
        )
        assert load(PROBABILITIES) == Probabilities(
            **shared, prompt="How likely?", labels=("a", "b"), explain="because"
        )

    def test_a_question_cannot_be_changed(self, load):
        with pytest.raises(AttributeError):
            load(CHOICE).prompt = "another"

    @pytest.mark.parametrize(
        ("good", "old", "new", "message"),
        [
            (CHOICE, '"choice"', '"riddle"', "kind must be one of choice, quiz, number"),
            (CHOICE, 'prompt = "Which?"', "", "prompt is missing"),
            (CHOICE, '"Which?"', '" "', "prompt must not be empty"),
            (CHOICE, '"Which?"', "3", "prompt must be str, got 3"),
            (CHOICE, 'prompt = "Which?"', 'prompt = "Which?"\nhint = "x"', "hint is not a field"),
            (CHOICE, "kind =", 'notebook = "01"\nkind =', "notebook is that of the folder"),
            (CHOICE, "right = true", "", "right = true on exactly one"),
            (CHOICE, 'text = "one"', 'text = "one"\nright = true', "right = true on exactly one"),
            (CHOICE, '"two"', '"one"', "options must all differ"),
            (CHOICE, 'why = "no"', "", "why is missing"),
            (NUMBER, "1.5", "0", "low must be below high"),
            (NUMBER, "1.5", "inf", "low must be below high"),
            (NUMBER, "1.5", "true", "high must be float, got True"),
            (CURVE, "[10, 20]", "[20, 10]", "x must be ascending"),
            (CURVE, "[10, 20]", "[]", "x must be ascending"),
            (CURVE, "[10, 20]", "[0, 1]", "x must be ascending"),
            (CURVE, "[10, 20]", "[1.5]", "x must be int, got 1.5"),
            (CURVE, "[10, 20]", "10", "x must be a list, got 10"),
            (PROBABILITIES, '["a", "b"]', '["a"]', "labels must be at least two"),
            (PROBABILITIES, "explain =", "explain", "must be valid TOML"),
        ],
    )
    def test_a_faulty_table_is_refused_by_name(self, load, good, old, new, message):
        assert old in good
        with pytest.raises(ValueError, match=message):
            load(good.replace(old, new, 1))

    def test_an_unknown_id_is_refused_and_a_near_one_offered(self):
        with pytest.raises(ValueError, match="id must name a question.*did you mean 'warm_up'"):
            question("warmup")


def test_every_table_of_the_lesson_is_sound_and_every_kind_is_used():
    assert {type(asked) for asked in questions()} == set(KINDS.values())


def test_questions_come_in_the_order_of_the_notebooks(tmp_path):
    write(tmp_path / "n12_later", CHOICE.replace("q", "b"))
    write(tmp_path / "n03_sooner", CHOICE.replace("q", "a"))
    (tmp_path / "n04_without_questions").mkdir()
    assert [(q.id, q.notebook) for q in questions(tmp_path)] == [
        ("a", "03_sooner"),
        ("b", "12_later"),
    ]


def test_an_id_in_two_notebooks_is_refused(tmp_path):
    write(tmp_path / "n00_one", CHOICE)
    write(tmp_path / "n01_two", CHOICE)
    with pytest.raises(ValueError, match="question 'q': both 00_one and n01_two have it"):
        questions(tmp_path)


def test_the_module_explains_the_schema():
    fields = {name for kind in KINDS.values() for name in kind.__dataclass_fields__} - {"id"}
    assert all(re.search(rf"\b{name}\b", questions_module.__doc__) for name in fields)
    assert all(f'"{kind}"' in questions_module.__doc__ for kind in KINDS)
