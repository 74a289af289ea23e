"""The portfolio as pages: events in, chapters between, HTML or Markdown out.

Whatever a student typed is escaped in both, so that it is shown and never run.
"""

import hashlib
import importlib.metadata
import json
import platform
import re
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from lessonlib.teaching.ask.answers import compare, result_of, words
from lessonlib.teaching.ask.comparison import drawn
from lessonlib.teaching.ask.prediction import CONFIDENCES, counts
from lessonlib.teaching.ask.questions import question
from lessonlib.teaching.ask.storage import Event

TITLE = "RLHF mechanics: my evidence"
PACKAGES = ("lessonlib", "jax", "numpy", "matplotlib", "ipywidgets")
STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
dt { font-weight: 600; } dd { margin: 0 0 0.4rem 1rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; border-left: 3px solid; padding-left: 0.7rem; margin: 0.2rem 0; }
section { border-top: 1px solid; margin-top: 2rem; } img { max-width: 100%; }
th, td { text-align: right; padding: 0.1rem 0.6rem; }
"""


class Fact(NamedTuple):
    """One line of an entry; `block` marks text that keeps its line breaks."""

    label: str
    text: str
    block: bool = False


class Entry(NamedTuple):
    """One thing that was done, with its facts and, perhaps, a figure in HTML."""

    title: str
    facts: tuple[Fact, ...]
    figure: str = ""


class Chapter(NamedTuple):
    """Entries of one sort; `empty` stands where there are none."""

    title: str
    entries: tuple[Entry, ...]
    empty: str


def chapters(events: Iterable[Event]) -> tuple[Chapter, ...]:
    """What the portfolio shows of `events`, given oldest first."""
    kinds = {"prediction": {}, "outcome": {}, "quiz": {}, "check": {}, "reasoning": {}}
    for event in events:
        kinds.setdefault(event.kind, {}).setdefault(event.name, []).append(event)
    outcomes = kinds.pop("outcome")
    predictions, quiz, checks, reasoning = (
        kinds.pop(kind) for kind in ("prediction", "quiz", "check", "reasoning")
    )
    evidence = {f"{kind}: {name}": e for kind, names in kinds.items() for name, e in names.items()}
    foretold = [_prediction(name, e, outcomes.get(name)) for name, e in predictions.items()]
    return (
        Chapter("Predictions", tuple(foretold), "Nothing has been predicted yet."),
        Chapter("How sure, how right", _calibration(predictions, outcomes), "No choice yet."),
        Chapter("Quiz", tuple(_quiz(e) for e in quiz.values()), "No quiz question answered yet."),
        Chapter("Checks", _latest(checks), "No exercise has been checked yet."),
        Chapter("Evidence from the runs", _latest(evidence), "No run has been recorded yet."),
        Chapter("My reasoning", _latest(reasoning), "Nothing written yet."),
    )


def _prediction(name, events, outcomes):
    outcome = outcomes[-1].details if outcomes else {}
    try:
        asked = question(name)
        first = next(event for event in events if counts(asked, event))
        answer, figure = words(asked, first.details["answer"]), ""
        if "result" in outcome:
            result = result_of(asked, outcome["result"])
            figure = drawn(compare(asked, first.details["answer"], result))
    except (ValueError, StopIteration):  # the question has changed since
        first, figure = events[0], ""
        answer = str(first.details.get("answer"))
    facts = (
        Fact("Locked in", _when(first)),
        Fact("Answer", answer),
        Fact("Confidence", str(first.details.get("confidence"))),
        Fact("Reason", str(first.details.get("reason") or "not given")),
        Fact("What came out", str(outcome.get("text", "not compared yet"))),
    )
    return Entry(str(first.details.get("prompt", name)), facts, figure)


def _calibration(predictions, outcomes):
    facts = []
    for confidence in CONFIDENCES:
        rights = [
            outcomes[name][-1].details.get("right")
            for name, events in predictions.items()
            if name in outcomes and events[0].details.get("confidence") == confidence
        ]
        judged = [right for right in rights if right is not None]
        if judged:
            facts.append(Fact(confidence.capitalize(), f"{sum(judged)} of {len(judged)} right"))
    return (Entry("Choices, by how sure you were", tuple(facts)),) if facts else ()


def _quiz(events):
    tries = [
        Fact(f"Try {number}", f"{event.details.get('answer')} "
             f"({'right' if event.details.get('right') else 'not this one'}, {_when(event)})")
        for number, event in enumerate(events, start=1)
    ]  # fmt: skip
    return Entry(str(events[-1].details.get("prompt", events[-1].name)), tuple(tries))


def _latest(groups):
    """The last event of each group in full, and how often it came before."""
    entries = []
    for title, events in groups.items():
        facts = [Fact("Last recorded", _when(events[-1]))]
        if len(events) > 1:
            facts.append(Fact("Times recorded", str(len(events))))
        facts += [_fact(label, value) for label, value in events[-1].details.items()]
        entries.append(Entry(title, tuple(facts)))
    return tuple(entries)


def _fact(label, value):
    label = str(label).replace("_", " ").capitalize()
    if isinstance(value, bool) or value is None:
        return Fact(label, {True: "yes", False: "no", None: "none"}[value])
    if isinstance(value, str):
        return Fact(label, value, block="\n" in value)
    if isinstance(value, (int, float)):
        return Fact(label, f"{value:.9g}")
    return Fact(label, json.dumps(value, ensure_ascii=False), block=True)


def _when(event):
    return f"{event.time:%Y-%m-%d %H:%M:%S} UTC"


def versions() -> tuple[Fact, ...]:
    """Python, the system, and the packages that the numbers depend on."""
    packages = [Fact(name, importlib.metadata.version(name)) for name in PACKAGES]
    system = f"{platform.system()} {platform.machine()}"
    return (Fact("Python", platform.python_version()), Fact("System", system), *packages)


def markdown(chapters: Iterable[Chapter]) -> str:
    """The content as Markdown; the fingerprint is taken of this text."""
    lines = []
    for chapter in chapters:
        lines += [f"## {_md(chapter.title)}", ""]
        if not chapter.entries:
            lines += [chapter.empty, ""]
        for entry in chapter.entries:
            lines += [f"### {_md(entry.title)}", "", *map(_md_fact, entry.facts), ""]
    return "\n".join([*lines, "## Versions", "", *map(_md_fact, versions()), ""])


def fingerprint(text: str) -> str:
    """SHA-256 of `text` as it is written to a file, in hexadecimal digits."""
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()


def markdown_page(content: str) -> str:
    """The Markdown twin; what stands below its rule is what the fingerprint is of."""
    return (
        f"# {TITLE}\n\nSHA-256 of everything below the rule: `{fingerprint(content)}`\n\n"
        f"---\n\n{content}"
    )


def html(chapters: Iterable[Chapter]) -> str:
    """The content as a piece of HTML, without what is around a page."""
    parts = []
    for chapter in chapters:
        parts.append(f"<section><h2>{escape(chapter.title)}</h2>")
        if not chapter.entries:
            parts.append(f"<p>{escape(chapter.empty)}</p>")
        for entry in chapter.entries:
            facts = "".join(map(_html_fact, entry.facts))
            parts.append(f"<h3>{escape(entry.title)}</h3><dl>{facts}</dl>{entry.figure}")
        parts.append("</section>")
    return "".join(parts)


def html_page(chapters: Iterable[Chapter], mark: str) -> str:
    """One page that needs no other file and runs no script; `mark` is its twin's fingerprint."""
    facts = "".join(map(_html_fact, versions()))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(TITLE)}</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>{STYLE}</style></head><body><main><h1>{escape(TITLE)}</h1>
<p>Fingerprint of the content (SHA-256, taken of the Markdown twin): <code>{mark}</code></p>
{html(chapters)}
<section><h2>Versions</h2><dl>{facts}</dl></section></main></body></html>
"""


def _html_fact(fact):
    text = escape(fact.text)
    shown = f"<pre>{text}</pre>" if fact.block else text
    return f"<dt>{escape(fact.label)}</dt><dd>{shown}</dd>"


def _md_fact(fact):
    if not fact.block:
        return f"- {_md(fact.label)}: {_md(fact.text)}"
    longest = max(map(len, re.findall("`+", fact.text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = [fence, *fact.text.splitlines(), fence]
    return "\n".join([f"- {_md(fact.label)}:", "", *(f"  {line}" for line in lines)])


def _md(text):
    """`text` on one line, with every character escaped that Markdown could read as a mark."""
    return re.sub(r"([\\`*_\[\]<>&#|~$])", r"\\\1", " ".join(text.split()))
