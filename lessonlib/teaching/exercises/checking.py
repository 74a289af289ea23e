"""`check`: find the exercise, judge the function, keep the outcome in the portfolio."""

import difflib
import functools
import inspect
from collections.abc import Mapping
from types import MappingProxyType

from lessonlib.teaching import lessons
from lessonlib.teaching.ask import storage
from lessonlib.teaching.exercises import guard
from lessonlib.teaching.exercises.judging import judge
from lessonlib.teaching.exercises.model import Exercise
from lessonlib.teaching.exercises.result import CheckResult


@functools.cache
def exercises() -> Mapping[str, Exercise]:
    """Every exercise of the lesson by its name, read from the notebooks' folders when needed."""
    found = {}
    for module in lessons.load("exercises"):
        for each in module.EXERCISES:
            if each.name in found:
                raise ValueError(f"{module.__name__}: another exercise is called {each.name!r}")
            found[each.name] = each
    return MappingProxyType(found)


def check(name: str, fn) -> CheckResult:
    """Judge `fn` as an answer to the exercise `name`, and say which idea went wrong.

    Whatever `fn` is or does, nothing is raised. What was attempted is kept in the portfolio
    with the number of tries. Raises ValueError for a name that no exercise has.
    """
    known = exercises()
    if not isinstance(name, str) or name not in known:
        close = difflib.get_close_matches(str(name), known, n=1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"name must be one of {', '.join(known)}; got {name!r}.{meant}")
    result = judge(known[name], fn)
    if result.attempted:
        guard.run(_keep, result, fn)
    return result


def _keep(result, function):
    """A portfolio that cannot be written must not take the verdict away."""
    tries = 1 + len(storage.read("check", result.name).events)
    storage.record(
        "check",
        result.name,
        tries=tries,
        passed=result.passed,
        mistake=result.mistake,
        message=result.message,
        code=guard.run(inspect.getsource, function).value or "",
    )
