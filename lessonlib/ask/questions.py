"""The questions of the lesson, read from questions.toml: checked, then immutable."""

import difflib
import math
import tomllib
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from types import MappingProxyType

FILE = Path(__file__).with_name("questions.toml")


@dataclass(frozen=True)
class Option:
    """One option: what it says, what choosing it would mean, and whether it is the right one."""

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """What all kinds share; `notebook` is the source notebook without its suffix."""

    id: str
    notebook: str
    prompt: str


@dataclass(frozen=True)
class Choice(Question):
    """A prediction among `options`, exactly one of which is right."""

    options: tuple[Option, ...]

    def __post_init__(self):
        _require(2 <= len(self.options) <= 5, self, "options must be two to five tables")
        _require(
            len({option.text for option in self.options}) == len(self.options),
            self,
            "options must all differ in their text",
        )
        _require(
            sum(option.right for option in self.options) == 1,
            self,
            "options must have right = true on exactly one",
        )

    @property
    def right(self) -> Option:
        return next(option for option in self.options if option.right)


@dataclass(frozen=True)
class Quiz(Choice):
    """A question with several tries and feedback on each."""


@dataclass(frozen=True)
class Number(Question):
    """A prediction of one number from `low` to `high`."""

    unit: str
    low: float
    high: float
    explain: str

    def __post_init__(self):
        _require_range(self)


@dataclass(frozen=True)
class Curve(Question):
    """A prediction of one value, from `low` to `high`, at each of the points `x`."""

    x: tuple[int, ...]
    xlabel: str
    unit: str
    low: float
    high: float
    explain: str

    def __post_init__(self):
        _require_range(self)
        ascending = self.x and self.x[0] >= 1 and list(self.x) == sorted(set(self.x))
        _require(ascending, self, "x must be ascending whole numbers, 1 or more")


@dataclass(frozen=True)
class Probabilities(Question):
    """A prediction of one probability for each of `labels`, together one."""

    labels: tuple[str, ...]
    explain: str

    def __post_init__(self):
        _require(len(self.labels) >= 2, self, "labels must be at least two texts")


KINDS = MappingProxyType(
    {
        "choice": Choice,
        "quiz": Quiz,
        "number": Number,
        "curve": Curve,
        "probabilities": Probabilities,
    }
)


def question(id: str, path: Path = FILE) -> Question:
    """The question called `id`; raises ValueError for an unknown id or a faulty table."""
    tables = _tables(path)
    if not isinstance(id, str) or id not in tables:
        near = difflib.get_close_matches(str(id), tables, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise ValueError(f"id must name a question of {path.name}, got {id!r}{hint}")
    return _parse(id, tables[id])


def questions(path: Path = FILE) -> tuple[Question, ...]:
    """All questions in the order of the file; raises ValueError for the first faulty table."""
    return tuple(_parse(id, table) for id, table in _tables(path).items())


def _tables(path):
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path.name} must be valid TOML: {error}") from error


def _parse(id, table):
    where = f"question {id!r}"
    if not isinstance(table, dict) or table.get("kind") not in KINDS:
        raise ValueError(f"{where}: kind must be one of {', '.join(KINDS)}")
    return _build(KINDS[table["kind"]], where, {"id": id, **table}, ignore={"kind"})


def _build(cls, where, table, ignore=frozenset()):
    """An instance of `cls` with the entries of `table`, each of the type its field declares."""
    declared = {field.name: field for field in fields(cls)}
    for name in table.keys() - declared.keys() - ignore:
        raise ValueError(f"{where}: {name} is not a field of {cls.__name__}")
    values = {}
    for name, field in declared.items():
        if name in table:
            values[name] = _convert(f"{where}: {name}", table[name], field.type)
        elif field.default is MISSING:
            raise ValueError(f"{where}: {name} is missing")
    return cls(**values)


def _convert(where, value, kind):
    if getattr(kind, "__origin__", None) is tuple:
        if not isinstance(value, list):
            raise ValueError(f"{where} must be a list, got {value!r}")
        return tuple(_convert(where, item, kind.__args__[0]) for item in value)
    if kind is Option:
        if not isinstance(value, dict):
            raise ValueError(f"{where} must be tables, got {value!r}")
        return _build(Option, where, value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{where} must be {kind.__name__}, got {value!r}")
    if kind is str and not value.strip() and not where.endswith("unit"):
        raise ValueError(f"{where} must not be empty")
    return value


def _require(condition, question, words):
    if not condition:
        raise ValueError(f"question {question.id!r}: {words}")


def _require_range(question):
    finite = math.isfinite(question.low) and math.isfinite(question.high)
    _require(finite and question.low < question.high, question, "low must be below high")
