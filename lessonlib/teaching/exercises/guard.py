"""Run a student's function so that nothing it does reaches the notebook around it.

What it prints is swallowed up to a limit, what it raises is told, and an endless loop is
stopped. A first call spends its time importing and compiling, which may take long on a busy
machine; time spent in the student's own lines therefore has a limit of its own.
"""

import contextlib
import io
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

LIMIT_OF_OWN_LINES = 0.8  # seconds
LIMIT_IN_ALL = 20.0
LIMIT_OF_TEXT = 20_000  # characters
_TICK = 0.1


class Ran(NamedTuple):
    """What came of a call: `value`, or the error that `stopped` it."""

    value: object
    stopped: BaseException | None


class TimeUpError(BaseException):
    """The function did not come to an end. No Exception, so that `except Exception` lets it by."""


class TooMuchTextError(BaseException):
    """The function printed without end."""


ENDLESS = (TimeUpError, TooMuchTextError, KeyboardInterrupt)


class _BoundedText(io.StringIO):
    def write(self, text):
        if self.tell() + len(text) > LIMIT_OF_TEXT:
            raise TooMuchTextError
        return super().write(text)


def run(function: Callable, *arguments) -> Ran:
    """Call `function` and come back, whatever it does."""
    text = _BoundedText()
    try:
        with (
            _no_endless_loop(),
            contextlib.redirect_stdout(text),
            contextlib.redirect_stderr(text),
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
        ):
            warnings.simplefilter("ignore")
            return Ran(function(*arguments), None)
    except BaseException as error:  # also SystemExit, and the interrupt of a stopped cell
        return Ran(None, error)


def _no_endless_loop():
    on_main_thread = threading.current_thread() is threading.main_thread()
    return _alarm() if on_main_thread and hasattr(signal, "setitimer") else _trace()


def _preparing(frame):
    """Whether JAX or an import was called by the student's lines, which we call ourselves."""
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if module.startswith("lessonlib.teaching.exercises"):
            return False
        if module.split(".")[0] in ("jax", "jaxlib", "importlib"):
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def _alarm():
    """Look in ten times a second: a signal also wakes a sleeping function."""
    started, own, armed = time.monotonic(), 0.0, True

    def tick(_, frame):
        nonlocal own
        own += 0 if _preparing(frame) else _TICK
        late = own >= LIMIT_OF_OWN_LINES or time.monotonic() - started >= LIMIT_IN_ALL
        if armed and late:
            # Where a bare `except:` catches this, the next tick comes soon, at another line.
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
            raise TimeUpError

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
    try:
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)


@contextlib.contextmanager
def _trace():
    """Where there is no such signal, look in at every line that is run."""
    deadline = time.monotonic() + LIMIT_IN_ALL

    def look(*_):
        if time.monotonic() > deadline:
            raise TimeUpError
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)
