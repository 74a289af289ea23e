"""The guide for instructors agrees with the lesson."""

import re

from lessonlib.teaching.exercises.checking import exercises
from notebooks.tools import guide

TEXT = guide.GUIDE.read_text("utf-8")


def rows(heading):
    """Cells of the table rows below a heading."""
    part = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]


def test_misconceptions_are_those_of_the_checks():
    assert guide.filled(TEXT) == TEXT, "run python -m notebooks.tools.guide"


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
