"""The question file: sound in itself, and used by the notebooks as it says."""

import ast
import itertools
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import jupytext
import pytest

from lessonlib.questions import (
    FILE,
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

SOURCES = sorted((Path(__file__).parents[1] / "notebooks" / "source").glob("*.py"))
QUESTIONS = questions()
LESSON = [f"{number:02}" for number in range(7)]  # the notebooks 00 to 06

CHOICE = """
[q]
notebook = "00_start_here"
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
notebook = "00_start_here"
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
notebook = "00_start_here"
kind = "probabilities"
prompt = "How likely?"
labels = ["a", "b"]
explain = "because"
"""


@pytest.fixture
def load(tmp_path):
    def write_and_load(text):
        path = tmp_path / "questions.toml"
        path.write_text(text, encoding="utf-8")
        return question("q", path)

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


def cells(kind):
    """(notebook, place, source) of the cells of all source notebooks."""
    for path in SOURCES:
        for place, cell in enumerate(jupytext.read(path).cells):
            if cell.cell_type == kind:
                yield path.stem, place, cell.source


def uses():
    """(notebook, place, function, id) of each call of predict, reveal or quiz."""
    for notebook, place, source in cells("code"):
        for node in ast.walk(ast.parse(re.sub(r"^[%!].*", "", source, flags=re.MULTILINE))):
            name = getattr(getattr(node, "func", None), "id", None)
            if name in ("predict", "reveal", "quiz"):
                yield notebook, place, name, ast.literal_eval(node.args[0])


USES = list(uses())
ASKED = {id: (notebook, place) for notebook, place, name, id in USES if name != "reveal"}
CHOICES = sorted(  # as a student meets them
    (asked for asked in QUESTIONS if isinstance(asked, Choice)),
    key=lambda asked: ASKED.get(asked.id, (asked.notebook, 0)),
)


def test_every_question_is_used_exactly_once_in_its_own_notebook():
    wanted = Counter(
        (asked.notebook, name, asked.id)
        for asked in QUESTIONS
        for name in (("quiz",) if isinstance(asked, Quiz) else ("predict", "reveal"))
    )
    assert Counter((notebook, name, id) for notebook, _, name, id in USES) == wanted


def test_every_prediction_comes_in_a_cell_before_its_reveal():
    places = {(name, id): place for _, place, name, id in USES}
    for name, id in places:
        if name == "predict":
            assert places["predict", id] < places["reveal", id], id


def test_there_are_enough_predictions_and_quiz_questions():
    numbers = Counter((name, notebook[:2]) for notebook, _, name, _ in USES)
    assert sum(numbers["predict", number] for number in LESSON) >= 14
    assert [number for number in LESSON if numbers["quiz", number] < 2] == []


def test_every_kind_of_question_is_used():
    assert {type(asked) for asked in QUESTIONS} == set(KINDS.values())


def flat(text):
    return " ".join(text.casefold().split())


def spoilers():
    """(id, text) of what would give an answer away; two words alone may be code."""
    for asked in QUESTIONS:
        texts = [asked.explain] if not isinstance(asked, Choice) else []
        for option in getattr(asked, "options", ()):
            texts += [option.text, option.why]
        yield from ((asked, flat(text)) for text in texts if len(text.split()) >= 3)


def test_no_answer_can_be_read_in_a_code_cell():
    code = [(notebook, place, flat(source)) for notebook, place, source in cells("code")]
    found = [
        (asked.id, notebook, place, text)
        for asked, text in spoilers()
        for notebook, place, source in code
        if text in source
    ]
    assert found == []


def test_no_answer_can_be_read_above_its_question():
    words = [(notebook, place, flat(source)) for notebook, place, source in cells("markdown")]
    found = [
        (asked.id, place, text)
        for asked, text in spoilers()
        for notebook, place, source in words
        if notebook == asked.notebook and place < ASKED[asked.id][1] and text in source
    ]
    assert found == []


def test_no_prompt_holds_its_right_option():
    held = [a.id for a in CHOICES if len(a.right.text) > 8 and flat(a.right.text) in flat(a.prompt)]
    assert held == []


def place_of_right(asked):
    return asked.options.index(asked.right)


def always(place):
    return lambda asked, before: min(place, len(asked.options) - 1)


def extreme(choose):
    return lambda asked, before: choose(
        range(len(asked.options)), key=lambda place: len(asked.options[place].text)
    )


def after_last(step):
    def guess(asked, before):
        return (place_of_right(before) + step) % len(asked.options) if before else 0

    return guess


GUESSES = {
    **{f"always option {place + 1}": always(place) for place in range(4)},
    "the last option": always(9),
    "the longest option": extreme(max),
    "the shortest option": extreme(min),
    **{f"the last right place, moved by {step}": after_last(step) for step in range(4)},
}


@pytest.mark.parametrize("guess", GUESSES.values(), ids=GUESSES)
def test_a_reader_who_does_not_think_does_no_better_than_chance(guess):
    befores = [None, *CHOICES]
    hits = sum(
        guess(asked, before) == place_of_right(asked)
        for asked, before in zip(CHOICES, befores, strict=False)
    )
    chances = [Fraction(1, len(asked.options)) for asked in CHOICES]
    spread = float(sum(chance * (1 - chance) for chance in chances)) ** 0.5
    assert hits <= float(sum(chances)) + 2.5 * spread  # 0.6 %, since there are many guesses


def test_the_right_place_does_not_stay_the_same_for_long():
    runs = [len(list(group)) for _, group in itertools.groupby(CHOICES, key=place_of_right)]
    assert max(runs) <= 3


def test_the_file_explains_its_own_schema():
    head = FILE.read_text(encoding="utf-8").split("\n[", 1)[0]
    fields = {name for kind in KINDS.values() for name in kind.__dataclass_fields__} - {"id"}
    assert all(re.search(rf"\b{name}\b", head) for name in fields)
    assert all(f'"{kind}"' in head for kind in KINDS)
