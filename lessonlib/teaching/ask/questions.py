"""The questions of the lesson, read from each notebook's questions.toml: checked, then immutable.

They stand apart from the notebooks, so that no answer can be read in a cell. One table a
question; its name is the id that notebooks pass to predict, reveal and quiz, and the notebook is
the folder's. All text is plain (no Markdown, no HTML); write maths in Unicode: π_θ, ρ, β.

    kind       "choice", "quiz", "number", "curve" or "probabilities"
    prompt     the question, which must not give the answer away

choice and quiz have two to five [[id.options]], in the order shown; vary the right one's place.
    text       what the option says
    right      true on exactly one option, left out on the others
    why        for every option: what choosing it would mean, or what to look at

number:        unit, low, high (the allowed range), explain (shown at the reveal)
curve:         x (whole numbers, ascending), xlabel (what x counts), unit, low, high, explain
probabilities: labels (one an action), explain

unit may be "" where a number has none.
"""

import difflib
import math
import tomllib
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from types import MappingProxyType

from lessonlib.teaching import lessons


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


def question(id: str, folder: Path = lessons.FOLDER) -> Question:
    """The question called `id`; raises ValueError for an unknown id or a faulty table."""
    tables = _tables(folder)
    if not isinstance(id, str) or id not in tables:
        near = difflib.get_close_matches(str(id), tables, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise ValueError(f"id must name a question of the lesson, got {id!r}{hint}")
    return _parse(id, *tables[id])


def questions(folder: Path = lessons.FOLDER) -> tuple[Question, ...]:
    """All questions in the order of the notebooks; raises ValueError for the first faulty table."""
    return tuple(_parse(id, *found) for id, found in _tables(folder).items())


def _tables(folder):
    """(notebook, table) by id."""
    found = {}
    for lesson in lessons.folders(folder):
        path = lesson / "questions.toml"
        if not path.exists():
            continue
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{lesson.name}/{path.name} must be valid TOML: {error}") from error
        for id, table in tables.items():
            if id in found:
                raise ValueError(f"question {id!r}: both {found[id][0]} and {lesson.name} have it")
            found[id] = lessons.notebook(lesson), table
    return found


def _parse(id, notebook, table):
    where = f"question {id!r}"
    if not isinstance(table, dict) or table.get("kind") not in KINDS:
        raise ValueError(f"{where}: kind must be one of {', '.join(KINDS)}")
    if "notebook" in table:
        raise ValueError(f"{where}: notebook is that of the folder, and not written down")
    declared = {"id": id, "notebook": notebook, **table}
    return _build(KINDS[table["kind"]], where, declared, ignore={"kind"})


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
