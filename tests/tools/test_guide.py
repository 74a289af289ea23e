"""The guide for instructors agrees with the lesson."""

import re

import pytest

from lessonlib.teaching.exercises.checking import exercises
from notebooks.tools import guide

TEXT = guide.GUIDE.read_text("utf-8")


def rows(heading):
    """Cells of the table rows below a heading."""
    part = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]


@pytest.mark.parametrize("document", guide.PARTS, ids=lambda path: path.stem)
def test_documents_say_what_the_notebooks_and_checks_say(document):
    assert guide.filled(document) == document.read_text("utf-8"), "run make notebooks"


def test_every_exercise_of_the_lesson_is_there_once():
    named = re.findall(r"^Exercise `(\w+)`:$", TEXT, re.M)
    assert named == [name for _, name in guide.places()]
    assert set(named) <= set(exercises())


def test_one_session_takes_105_minutes_and_meets_every_notebook():
    plan = rows("One session of 105 minutes")
    assert sum(int(minutes) for _, minutes, *_ in plan) == 105
    assert [notebook for notebook, *_ in plan] == [f"{number:02}" for number in range(8)]


def test_two_sessions_take_50_minutes_each():
    plan = rows("Two sessions of 50 minutes")
    for session in "12":
        assert sum(int(minutes) for each, _, minutes, _ in plan if each == session) == 50
