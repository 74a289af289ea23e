"""Call a student's function on the cases of an exercise and read what comes back."""

import inspect
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lessonlib.teaching.exercises import guard
from lessonlib.teaching.exercises.model import Case

# Beyond this many steps, such as in an unrolled loop, compiling takes longer than running.
_STEPS_WORTH_COMPILING = 1000


class Seen(NamedTuple):
    """What one call gave: its parts as float64 arrays, or a problem in words.

    `remark` speaks of a container other than the lesson's; `mistake` is the id of a usual
    cause of the problem.
    """

    parts: tuple[np.ndarray, ...] | None
    problem: str = ""
    remark: str = ""
    mistake: str | None = None
    attempted: bool = True
    error: BaseException | None = None
    value: object = None


def calls(function: Callable, cases: tuple[Case, ...], count: int) -> list[Seen]:
    """Call `function` on every case, until one does not come to an end."""
    compiled, seen = {}, []
    for case in cases:
        ran = _call(function, case, compiled)
        seen.append(_read(ran, count))
        if isinstance(ran.stopped, guard.ENDLESS) or not seen[-1].attempted:
            break
    return seen


def fresh(case: Case) -> list:
    """The arguments of a case, as JAX arrays that nobody else holds."""
    return [
        jnp.array(value) if isinstance(value, np.ndarray) else value
        for value in case.inputs.values()
    ]


def _call(function, case, compiled):
    """One call. Compiled where JAX can follow the function: much faster than step by step."""
    inputs = fresh(case)
    arrays = [value for value in inputs if _is_traced(value)]
    key = tuple(np.shape(value) if _is_traced(value) else value for value in inputs)
    if key not in compiled:
        compiled[key] = guard.run(_compile, function, inputs)
    ran = compiled[key]
    if callable(ran.value):
        ran = guard.run(ran.value, *arrays)
        if ran.stopped is None:
            return ran
    if isinstance(ran.stopped, guard.ENDLESS):
        return ran
    return guard.run(lambda: function(*inputs))


def _is_traced(value):
    return isinstance(value, jax.Array | float)


def _compile(function, inputs):
    """`function` compiled for these shapes, or None where that is not possible or not worth it.

    A new function object each time: JAX remembers what it has compiled by identity, but a
    student's function may call another one that has changed since.
    """
    static = [i for i, value in enumerate(inputs) if not _is_traced(value)]
    traced = jax.jit(lambda *args: function(*args), static_argnums=static).trace(*inputs)
    if len(traced.jaxpr.eqns) > _STEPS_WORTH_COMPILING:
        return None
    # Each result runs a few times for microseconds, so compiling has to be quick.
    return traced.lower().compile({"xla_backend_optimization_level": 0})


def _read(ran, count):
    if ran.stopped is not None:
        mistake, words = describe(ran.stopped)
        attempted = not isinstance(ran.stopped, NotImplementedError)
        return Seen(None, words, mistake=mistake, attempted=attempted, error=ran.stopped)
    read = guard.run(parts_of, ran.value, count)
    if read.stopped is not None:
        words = f"returned something that cannot be read as numbers: {_kind(ran.value)}"
        return Seen(None, words, mistake="not_numbers")
    return read.value._replace(value=ran.value)


def parts_of(value, count) -> Seen:
    """Read `value` as `count` arrays of numbers."""
    if _is_blank(value):
        return Seen(None, "returned nothing yet", attempted=False)
    if count == 1:
        remark = ""
        if isinstance(value, list | tuple):
            kind = type(value).__name__
            remark = f"You return a Python {kind}; the lesson's own code returns an array."
        return _numbers((value,), remark)
    if not isinstance(value, list | tuple) and (isinstance(value, dict) or np.ndim(value) == 0):
        words = f"returned {_kind(value)}, where {count} results are asked for"
        return Seen(None, words, mistake="number_of_results")
    values = tuple(value)
    if len(values) != count:
        words = f"returned {len(values)} results, where {count} are asked for"
        return Seen(None, words, mistake="number_of_results")
    return _numbers(values)


def _numbers(values, remark=""):
    arrays = []
    for value in values:
        if isinstance(value, jax.core.Tracer):
            words = "returned a value that JAX had only traced; it has no number"
            return Seen(None, words, mistake="leaked_tracer")
        array = np.asarray(value)
        if array.dtype.kind not in "fiub" and array.dtype.name != "bfloat16":
            words = f"returned {_kind(value)}, where numbers are asked for"
            return Seen(None, words, mistake="not_numbers")
        arrays.append(array.astype(np.float64))
    return Seen(tuple(arrays), remark=remark)


def _is_blank(value):
    if isinstance(value, tuple | list):
        return len(value) > 0 and all(_is_blank(part) for part in value)
    return value is None or value is Ellipsis


def _kind(value):
    name = type(value).__name__
    dtype = getattr(value, "dtype", None)
    return f"{name} of {dtype}" if isinstance(dtype, np.dtype) else name


def describe(error) -> tuple[str | None, str]:
    """The id of a usual cause, or None, and the error in a line or two."""
    if isinstance(error, guard.TimeUpError):
        return "endless", "did not come to an end and was stopped: does a loop never finish?"
    if isinstance(error, guard.TooMuchTextError):
        return "endless_printing", "printed without end and was stopped"
    if isinstance(error, KeyboardInterrupt):
        return None, "was stopped"
    read = guard.run(str, error)
    words = read.value if isinstance(read.value, str) else ""
    first = words.split("\n")[0][:200]
    text = f"raised {type(error).__name__}: {first}" if first else f"raised {type(error).__name__}"
    for name, part, mistake, hint in _HINTS:
        if name in type(error).__name__ and part in words:
            return mistake, f"{text}\n{hint}"
    return None, text


_HINTS = (
    (
        "TypeError", "immutable", "in_place",
        "JAX arrays cannot be changed in place, and an input belongs to the caller: make a new "
        "array, for example with jnp.where.",
    ),
    (
        "IndexError", "Too many indices", "wrong_axis",
        "An index too many, on an axis that is not there: logits, log-probs and rewards have one "
        "axis, (A,), and the sampled actions pick entries along it.",
    ),
    (
        "TypeError", "incompatible shapes", "shapes",
        "Two shapes do not fit: arrays over actions have length A, arrays over samples length N. "
        "Pick by the sampled actions before you combine them.",
    ),
    (
        "TypeError", "inexact", "argnums_of_actions",
        "A gradient was asked for with respect to whole numbers, such as the actions. Arguments "
        "are counted from 0: which positions do you mean?",
    ),
    (
        "NameError", "", "unknown_name",
        "A name is used that is not defined: was the cell that defines or imports it run?",
    ),
    (
        "UnexpectedTracerError", "", "leaked_tracer",
        "A value from inside a differentiated or compiled function was kept and used outside it. "
        "Return what you need instead.",
    ),
    (
        "ConcretizationTypeError", "", "concretised",
        "A Python number was asked of a value that JAX only traces: avoid float() and int() on "
        "what is differentiated.",
    ),
)  # fmt: skip


def refuses_arguments(function, arguments) -> str:
    """What is wrong with the signature of `function`, or an empty text."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""  # built in: the call itself will tell
    try:
        signature.bind(*arguments)
    except TypeError as error:
        return f"{error}; your function takes {signature}"
    return ""
