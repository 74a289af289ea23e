"""Exercises whose checks name the mistake. `check(name, fn)` is all that a notebook needs."""

from lessonlib.teaching.exercises.checking import check
from lessonlib.teaching.exercises.result import CheckResult

__all__ = ["CheckResult", "check"]
