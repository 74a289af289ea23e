"""What a fault is, and how functions in the lessons become faults."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lessonlib.teaching.faults.parts import CORRECT, Parts


@dataclass(frozen=True)
class Fault:
    """One loop to examine: `CORRECT` with the one part `part` replaced.

    `story`, also its docstring, says what it does and where it was met. `healthy` marks a
    false alarm. `always` are settings that belong to it, `shows_at` settings that bring it out.
    """

    name: str
    title: str
    story: str
    part: str
    parts: Parts
    healthy: bool
    always: Mapping = field(default_factory=dict)
    shows_at: Mapping = field(default_factory=dict)

    def __post_init__(self):
        object.__setattr__(self, "__doc__", self.story)


_found: dict[str, Fault] = {}
FAULTS: Mapping[str, Fault] = MappingProxyType(_found)


def _register(part, title, well, always, shows_at):
    def keep(function):
        name = function.__name__
        parts = CORRECT._replace(**{part: function})
        story = inspect.cleandoc(function.__doc__)
        _found[name] = Fault(name, title, story, part, parts, well, always, shows_at)
        return function

    return keep


def ill(part, title, **shows_at):
    """Register a function as the faulty form of `part`; `shows_at` are settings."""
    return _register(part, title, False, {}, shows_at)


def healthy(part, title, **always):
    """Register a function as a healthy form of `part` that was reported as a fault."""
    return _register(part, title, True, always, {})
