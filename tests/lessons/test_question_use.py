"""The questions and the notebooks: each used once, no answer in sight, no pattern to guess by."""

import ast
import itertools
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import jupytext
import pytest

from lessonlib.teaching.ask.questions import Choice, Quiz, questions

SOURCES = sorted((Path(__file__).parents[2] / "notebooks" / "source").glob("*.py"))
QUESTIONS = questions()
LESSON = [f"{number:02}" for number in range(7)]  # the notebooks 00 to 06


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
