"""Where a student's work is kept: one small file an event, written once, never changed.

A file gets its name only when it is complete, and no two events share a name, so
notebooks that are open side by side cannot overwrite each other and a crash leaves no
half-written file. The file's name carries time, kind and name of the event.
"""

import json
import os
import tempfile
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import platformdirs


class Place(NamedTuple):
    """The portfolio folder, and a sentence for the student where it is not the usual one."""

    folder: Path
    notice: str


class Event(NamedTuple):
    """Something that a student did: a prediction, an outcome, a quiz answer, a check."""

    kind: str
    name: str
    time: datetime  # in UTC
    details: dict[str, Any]


class Events(NamedTuple):
    """Events, oldest first, and a sentence for every file that had to be set aside."""

    events: tuple[Event, ...]
    notices: tuple[str, ...]


def place() -> Place:
    """LESSON_PORTFOLIO if set, else ./portfolio if it can be written, else the user's data folder.

    Raises OSError, with the folder's name, if the chosen folder cannot be made or written.
    """
    chosen = os.environ.get("LESSON_PORTFOLIO")
    if chosen:
        return Place(_writable(Path(chosen)), "")
    usual = Path("portfolio").absolute()
    try:
        return Place(_writable(usual), "")
    except OSError:
        folder = Path(platformdirs.user_data_path("rlhf-mechanics", appauthor=False))
        notice = f"{usual} cannot be written, so your answers are kept in {folder}."
        return Place(_writable(folder), notice)


def record(kind: str, name: str, **details) -> None:
    """Keep an event, from now on. Arrays in `details` are stored as lists.

    Raises ValueError for a detail that JSON cannot hold and OSError if the folder
    cannot be written.
    """
    now = datetime.now(UTC)
    event = {"kind": kind, "name": name, "time": now.isoformat(), "details": details}
    try:
        text = json.dumps(event, default=_as_list, ensure_ascii=False, indent=1)
    except TypeError as error:
        raise ValueError(f"details must be numbers, texts, lists or arrays: {error}") from error
    unique = f"{now:%Y%m%dT%H%M%S.%f}-{uuid.uuid4().hex[:8]}"
    write_whole(place().folder / f"{unique}.{_safe(kind)}.{_safe(name)}.json", text)


def try_to_record(kind: str, name: str, **details) -> str:
    """`record`, for what must go on without it: returns "", or a sentence on why it failed."""
    try:
        record(kind, name, **details)
    except OSError as error:
        return f"This could not be added to your portfolio: {error}"
    return ""


def write_whole(path: Path, text: str) -> None:
    """Write `text` so that `path` is either as it was or complete, whatever happens."""
    unfinished = path.with_name(f"{uuid.uuid4().hex}.part")
    try:
        # A browser can send half a surrogate pair; JSON reads its escape back as it was.
        with open(
            unfinished, "w", encoding="utf-8", errors="backslashreplace", newline="\n"
        ) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def read(kind: str | None = None, name: str | None = None, fits=lambda event: True) -> Events:
    """The events of a kind and name (None: of all), oldest first.

    A file that cannot be understood, or whose event does not `fits`, is moved to the
    folder `damaged`, and a notice says so.
    """
    parts = ["*" if part is None else _safe(part) for part in (kind, name)]
    events, notices = [], []
    for path in sorted(place().folder.glob(f"*.{'.'.join(parts)}.json")):
        try:
            event = _parse(path.read_text(encoding="utf-8"))
            # Some systems ignore case in file names, so the pattern alone may find too much.
            if kind not in (None, event.kind) or name not in (None, event.name):
                continue
            if not fits(event):
                raise ValueError
            events.append(event)
        except FileNotFoundError:  # another notebook has set it aside in the meantime
            continue
        except (ValueError, KeyError, TypeError):
            notices.append(_set_aside(path))
    return Events(tuple(sorted(events, key=lambda event: event.time)), tuple(notices))


def _writable(folder):
    folder.mkdir(parents=True, exist_ok=True)
    # Trying is the only answer that holds on every system.
    with tempfile.TemporaryFile(dir=folder):
        return folder


def _safe(text):
    """`text` as a part of a file name: no dot, separator or wildcard, whatever it was."""
    return quote(text, safe="").replace(".", "%2E").replace("~", "%7E")


def _as_list(value):
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError(f"{type(value).__name__} cannot be stored")
    return array.tolist()


def _parse(text):
    table = json.loads(text)
    event = Event(
        table["kind"], table["name"], datetime.fromisoformat(table["time"]), table["details"]
    )
    texts = isinstance(event.kind, str) and isinstance(event.name, str)
    if not (texts and isinstance(event.details, dict) and event.time.tzinfo):
        raise ValueError
    return event


def _set_aside(path):
    aside = path.parent / "damaged"
    try:
        aside.mkdir(exist_ok=True)
        os.replace(path, aside / path.name)
    except OSError as error:
        return f"The file {path.name} could not be read, nor moved ({error}); it was left as it is."
    return f"The file {path.name} could not be read. It was set aside, unchanged, in {aside}."
