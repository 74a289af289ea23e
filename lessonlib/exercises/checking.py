"""`check`: find the exercise, judge the function, keep the outcome in the portfolio."""

import difflib
import inspect

from lessonlib.ask import storage
from lessonlib.exercises import (
    against_optimum,
    baseline,
    clipping,
    collecting,
    detached,
    divergence,
    gap,
    guard,
    optimum,
    policy,
    ppo,
    ratio,
    reward,
    rollout,
    score,
    surrogate,
)
from lessonlib.exercises.judging import judge
from lessonlib.exercises.result import CheckResult

_THEMES = (
    reward, ratio, clipping, surrogate, ppo, detached,
    score, baseline, rollout, collecting, policy, divergence, optimum, gap, against_optimum,
)  # fmt: skip
EXERCISES = {each.name: each for theme in _THEMES for each in theme.EXERCISES}


def check(name: str, fn) -> CheckResult:
    """Judge `fn` as an answer to the exercise `name`, and say which idea went wrong.

    Whatever `fn` is or does, nothing is raised. What was attempted is kept in the portfolio
    with the number of tries. Raises ValueError for a name that no exercise has.
    """
    if not isinstance(name, str) or name not in EXERCISES:
        close = difflib.get_close_matches(str(name), EXERCISES, n=1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"name must be one of {', '.join(EXERCISES)}; got {name!r}.{meant}")
    result = judge(EXERCISES[name], fn)
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
