"""From what a student's function did to a verdict: right, a known mistake, or another one."""

import itertools

import numpy as np

from lessonlib.teaching.exercises import guard
from lessonlib.teaching.exercises.model import Case, Exercise, float64
from lessonlib.teaching.exercises.result import CheckResult
from lessonlib.teaching.exercises.watching import Seen, calls, fresh, refuses_arguments

# How many of an exercise's misconceptions are tried two at a time.
_PAIRED = 60

NOT_ATTEMPTED = (
    "Not attempted yet: the function gives nothing back. Replace the ... in the scaffold "
    "(and end with return), run that cell, then this one."
)

_EXTREME = (
    "One remark: the formula is right, and fails for large numbers: float32 ends at exp(88) "
    "and exp(−103). Does an exponential overflow, or is a log taken of a probability that has "
    "become 0? Which function does both steps in one?"
)


def judge(exercise: Exercise, function) -> CheckResult:
    """The verdict on whatever was passed as `function`. Never raises."""
    if function is None or function is Ellipsis:
        return CheckResult(exercise.name, False, False, None, NOT_ATTEMPTED)
    parameters = ", ".join(exercise.parameters)
    if not callable(function):
        return refusal(
            exercise,
            f"A {type(function).__name__} was passed, where a function is asked for. Pass the "
            f"function itself, without brackets: check({exercise.name!r}, your_function).",
            "not_a_function",
        )
    unfit = guard.run(refuses_arguments, function, fresh(exercise.cases[0])).value
    if unfit:
        return refusal(
            exercise,
            f"The check calls your function with {len(exercise.parameters)} arguments, "
            f"({parameters}), in this order. That does not work: {unfit}.",
            "arguments",
            rows=(("Arguments", f"({parameters})", unfit),),
        )
    return (exercise.judge or by_values)(exercise, function)


def by_values(exercise: Exercise, function) -> CheckResult:
    """Compare values on every case of the exercise, and then on its extremes.

    Misconceptions are sought among the ordinary cases only: at the extremes, a mistake
    overflows in float32 and cannot be told from another.
    """
    seen = calls(function, exercise.cases, len(exercise.names))
    result = verdict(exercise, exercise.cases, seen)
    if not result.passed:
        return result
    extremes = calls(function, exercise.extremes, len(exercise.names))
    for case, one in zip(exercise.extremes, extremes, strict=False):
        asked = answers(exercise.answer, case)
        if not same(one.parts, asked, exercise.tolerance):
            where, rows = comparison(exercise, case, one, asked)
            message = f"{result.message} {_EXTREME}\n{where}"  # right on paper, so it passes
            return CheckResult(exercise.name, True, True, None, message, rows)
    return result


def refusal(exercise, message, mistake=None, rows=()) -> CheckResult:
    """Attempted, and not right."""
    return CheckResult(exercise.name, True, False, mistake, message, rows)


def verdict(exercise: Exercise, cases: tuple[Case, ...], seen: list[Seen]) -> CheckResult:
    """Set what was seen beside the right answer. Equality on every case decides, and only it."""
    if not seen[0].attempted:
        return CheckResult(exercise.name, False, False, None, NOT_ATTEMPTED)
    right = [answers(exercise.answer, case) for case in cases]
    differing = [
        i for i, (one, other) in enumerate(zip(seen, right, strict=False))
        if one.parts is None or not same(one.parts, other, exercise.tolerance)
    ]  # fmt: skip
    if not differing and len(seen) == len(cases):
        message = f"Right on all {len(cases)} inputs. {seen[0].remark}".rstrip()
        return CheckResult(exercise.name, True, True, None, message)
    mistake, message = _name(exercise, cases, seen, right)
    first = differing[0]
    where, rows = comparison(exercise, cases[first], seen[first], right[first])
    return refusal(exercise, f"{message}\n{where}" if message else where, mistake, rows)


def answers(answer, case: Case) -> tuple[np.ndarray, ...] | None:
    """The parts that `answer` gives on a case, or None where it fails."""
    try:
        with np.errstate(all="ignore"):
            value = answer(*(float64(value) for value in case.inputs.values()))
        values = value if isinstance(value, tuple) else (value,)
        return tuple(np.asarray(value, dtype=np.float64) for value in values)
    except (ValueError, IndexError, TypeError):
        return None


def same(parts, others, tolerance) -> bool:
    """Equal shapes, and equal numbers within the tolerance."""
    if parts is None or others is None or len(parts) != len(others):
        return parts is None and others is None
    return all(
        a.shape == b.shape and np.allclose(a, b, tolerance, tolerance / 5, equal_nan=True)
        for a, b in zip(parts, others, strict=True)
    )


def _name(exercise, cases, seen, right):
    """The id and words of a known mistake that explains everything seen, or (None, words)."""
    if len(seen) < len(cases):
        return seen[-1].mistake, ""
    # Two at once come last: a single cause is the simpler explanation.
    singles = ((each,) for each in exercise.misconceptions)
    pairs = itertools.combinations(exercise.misconceptions[:_PAIRED], 2)
    for held in itertools.chain(singles, pairs):
        pieces = [key for each in held for key in each.changes]
        if len(set(pieces)) < len(pieces):  # both replace the same piece: not both at once
            continue
        if _explains(exercise, exercise.wrong(*held), cases, seen, right):
            said = "\nAnd a second thing: ".join(each.message for each in held)
            return "+".join(each.id for each in held), said
    return _pattern(cases, seen, right)


def _explains(exercise, wrong, cases, seen, right):
    tells = False
    for case, one, asked in zip(cases, seen, right, strict=True):
        parts = answers(wrong, case)
        if not same(one.parts, parts, exercise.tolerance):
            return False
        tells = tells or (parts is not None and not same(parts, asked, exercise.tolerance))
    return tells


def _pattern(cases, seen, right):
    """The id and words of a mistake that is in no bank but shows a pattern, or (None, "")."""
    unfit = [one for one, asked in zip(seen, right, strict=True) if not _fits(one, asked)]
    if unfit:
        return unfit[0].mistake, ""
    yours = np.concatenate([np.ravel(part) for one in seen for part in one.parts])
    asked = np.concatenate([np.ravel(part) for parts in right for part in parts])
    if not np.isfinite(yours).all():
        return "not_finite", "NaN or an infinity came out: look for a division by 0, a log of 0."
    if np.allclose(yours, yours[0]):
        return "constant", f"It gives {number(yours[0])} whatever the input is."
    for name in cases[0].inputs:
        if all(_gives_back(one, case.inputs[name]) for one, case in zip(seen, cases, strict=True)):
            return "input_returned", f"It gives back its argument {name} as it came."
    if np.allclose(yours, -asked, 1e-3, 1e-4):
        return "sign", "Every number has the right size and the wrong sign."
    if np.allclose(yours, asked, 1e-2, 1e-3):
        return "rounded", (
            "The numbers are right to about three digits and look rounded: is there a round(), or "
            "low precision, such as float16?"
        )
    factor = yours @ asked / (asked @ asked)
    if np.allclose(yours, factor * asked, 1e-3, 1e-4):
        return "scale", f"Every number is {number(factor)} times what it should be."
    if np.all(np.abs(yours - asked) <= 0.2 * np.abs(asked) + 0.1 * np.mean(np.abs(asked))):
        return "estimate", (
            "It is close on every input and exact on none or few. Is something estimated from "
            "samples, rounded, or approximated? With a handful of actions the sum is exact."
        )
    return None, ""


def _fits(one, asked):
    return one.parts is not None and [p.shape for p in one.parts] == [p.shape for p in asked]


def _gives_back(one, value):
    return isinstance(value, np.ndarray) and same(one.parts, (float64(value),), 1e-4)


def comparison(exercise, case, seen, right):
    """The first differing input in words, and the table rows (what, asked for, yours)."""
    given = ", ".join(f"{name} = {shown(value)}" for name, value in case.inputs.items())
    if seen.parts is None:
        text = f"With {given}, your function {seen.problem.rstrip('.')}."
        return text, tuple(
            (name, shown(part), "nothing") for name, part in zip(exercise.names, right, strict=True)
        )
    rows, said = [], []
    for name, part, asked in zip(exercise.names, seen.parts, right, strict=True):
        if same((part,), (asked,), exercise.tolerance):
            continue
        wanted, got = shown(asked), shown(part)
        if part.shape != asked.shape:
            rows.append((f"{name}: shape", str(asked.shape), str(part.shape)))
            got = f"{got} of shape {part.shape}"
            wanted = f"{wanted} of shape {asked.shape}"
        rows.append((name, shown(asked), shown(part)))
        label = "" if len(exercise.names) == 1 else f"{name}: "
        said.append(f"{label}asked for {wanted}, yours {got}")
    return f"With {given}: {'; '.join(said)}.", tuple(rows)


def shown(value) -> str:
    """A value in few digits."""
    if callable(value):
        return value.__name__
    if isinstance(value, np.ndarray) and value.ndim:
        kept = value if value.size <= 8 else value.ravel()[:8]
        text = np.array2string(
            kept, separator=", ", max_line_width=1000, formatter={"all": number}
        ).replace("\n", "")
        return text if value.size <= 8 else f"{text[:-1]}, …]"
    return (
        number(value)
        if np.ndim(value) == 0 and isinstance(value, int | float | np.number | np.ndarray)
        else str(value)
    )


def number(value) -> str:
    """A number in few digits, with a proper minus and no minus zero."""
    text = f"{float(value) + 0.0:.4g}"
    return text.replace("-", "−") if text not in ("-0", "-0.0") else "0"
