"""Refuse bad arguments before JAX sees them.

JAX clamps an index that is out of range and broadcasts (N, 1) against (N,)
without a word: a wrong number instead of an error. `checked` reads the shapes
and limits that a function declares in its annotations and says by name what
does not fit.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, NamedTuple, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import AbstractArray, Real, jaxtyped


class Limit(NamedTuple):
    """What one number may be: a test, and the words for it."""

    allows: Callable[[float], bool]
    words: str


def _whole(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


# JAX computes in float32, where a larger number is infinite and a smaller one is 0.
_SMALLEST, _LARGEST = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)

Scalar = Real[jax.Array, ""]
NonNegative = Annotated[Scalar, Limit(lambda x: 0 <= x <= _LARGEST, "a finite number, 0 or more")]
Positive = Annotated[Scalar, Limit(lambda x: _SMALLEST <= x <= _LARGEST, "a finite number above 0")]
Fraction = Annotated[Scalar, Limit(lambda x: 0 <= x <= 1, "a number from 0 to 1")]
Count = Annotated[int, Limit(lambda x: _whole(x) and x >= 1, "a whole number, 1 or more")]
Seed = Annotated[
    int, Limit(lambda x: _whole(x) and 0 <= x < 2**32, "a whole number from 0 to 2**32 - 1")
]


def require(name, value, annotation):
    """Raise a ValueError if `value` breaks the Limit that `annotation` carries.

    A traced value has no number yet and passes; whoever starts the trace checks it.
    """
    if isinstance(value, jax.core.Tracer):
        return
    for limit in getattr(annotation, "__metadata__", ()):
        try:
            allowed = np.ndim(value) == 0 and bool(limit.allows(value))
        except (TypeError, ValueError):
            allowed = False
        if not allowed:
            raise ValueError(f"{name} must be {limit.words}, got {value!r}")


def require_finite(name, array):
    """Raise a ValueError if a known `array` of floats holds NaN or an infinity."""
    floats = jnp.issubdtype(array.dtype, jnp.floating)
    if floats and not isinstance(array, jax.core.Tracer) and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, without NaN or infinity, got {np.asarray(array)}")


def require_actions(actions, count):
    """Raise a ValueError if a known action index lies outside 0 to `count` - 1."""
    if isinstance(actions, jax.core.Tracer):
        return
    outside = np.asarray(actions)[(actions < 0) | (actions >= count)]
    if outside.size:
        raise ValueError(f"actions must be whole numbers from 0 to {count - 1}, got {outside[0]}")


def as_array(name, value):
    """`value` as a JAX array of real numbers, or a ValueError that names the argument."""
    try:
        array = jnp.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be an array of numbers, got {value!r}") from error
    if array.size == 0 or jnp.issubdtype(array.dtype, jnp.complexfloating):
        raise ValueError(f"{name} must hold real numbers, at least one, got {value!r}")
    return array


def checked(function):
    """Check the arguments of `function` against its annotations.

    Shapes, dtypes and classes are checked always, also under a JAX trace; values
    (finite, in range) only where they are known. Every array argument reaches
    `function` as a JAX array.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        arguments, shapes = bound.arguments, []
        with jaxtyped("context"):  # within it, the same letter means the same length
            for name, value in arguments.items():
                annotation = signature.parameters[name].annotation
                require(name, value, annotation)
                shaped = getattr(annotation, "__origin__", annotation)  # Annotated[shaped, Limit]
                if not (isinstance(shaped, type) and issubclass(shaped, AbstractArray)):
                    _require_class(name, value, annotation)
                    continue
                array = as_array(name, value)
                if not isinstance(array, shaped):
                    if not isinstance(array.astype(float), shaped):
                        raise ValueError(_mismatch(name, array, shaped, shapes))
                    array = array.astype(float)  # whole numbers where any may stand
                require_finite(name, array)
                arguments[name] = array
                shapes.append(f"{name} {array.shape}")
        if "actions" in arguments:
            require_actions(arguments["actions"], arguments["logits"].shape[-1])
        return function(*bound.args, **bound.kwargs)

    return wrapper


def _require_class(name, value, annotation):
    classes = get_args(annotation) or (annotation,)  # the members of a union, or one class
    if annotation is inspect.Parameter.empty or hasattr(annotation, "__metadata__"):
        return
    if not isinstance(value, classes):
        allowed = " or ".join(each.__name__ for each in classes)
        raise ValueError(f"{name} must be {allowed}, got {value!r}")


def _mismatch(name, array, shaped, shapes):
    whole = all("int" in dtype for dtype in shaped.dtypes)
    dims = shaped.dim_str.split()
    shape = f"({dims[0]},)" if len(dims) == 1 else f"({', '.join(dims)})"
    beside = f" beside {', '.join(shapes)}" if shapes else ""
    return (
        f"{name} must be {'whole numbers' if whole else 'numbers'} of shape {shape}{beside}, "
        f"got {array.dtype} of shape {array.shape}"
    )
