"""Loops to diagnose: each patient is one loop of `FAULTS`, ill or healthy.

Which one it is stands here and not in the notebook, where it would give the answer away.
"""

import inspect
import re
from html import escape

import jax
import numpy as np

from lessonlib.bandit import lesson_bandit
from lessonlib.rollout import Settings
from lessonlib.teaching.ask import storage
from lessonlib.teaching.exercises import CheckResult, guard
from lessonlib.teaching.faults.instruments import Signs, check_invariants, signs
from lessonlib.teaching.faults.parts import CORRECT, Trace, run
from lessonlib.teaching.faults.training import FAULTS, Fault, loop_of
from lessonlib.teaching.figure import figure_data

PATIENTS = {
    "A": "kl_outside_gradient",
    "B": "one_epoch",
    "C": "other_temperature",
    "D": "live_baseline",
    "E": "negated_losses",
    "F": "min_before_advantage",
}


def patient_figure(patient: str, **settings: Settings) -> dict:
    """The three panels of the patient's run: lines for all of the named settings, bars for
    the first of them.
    """
    panels = []
    for name, each in settings.items():
        parts, each = loop_of(_fault(patient), each)
        data = figure_data(run(parts, lesson_bandit(), each)[0], lesson_bandit())["panels"]
        label = name.replace("_", " ")
        series = [panel["series"].pop() | {"label": label} for panel in data]
        if not panels:
            panels = data
            panels[-1]["series"].append(series[-1])
            panels[-1]["title"] += f", {label}"
        for panel, new in zip(panels[:-1], series, strict=False):
            panel["series"].append(new)
    return {"panels": panels}


def patient_trace(patient: str, settings: Settings) -> Trace:
    """What passed between the parts of the patient's loop, for tests of your own."""
    parts, settings = loop_of(_fault(patient), settings)
    return run(parts, lesson_bandit(), settings)[1]


def patient_signs(patient: str, settings: Settings) -> dict:
    """Six panels of exact diagnostics of the patient's run."""
    return signs_data(_fault(patient), settings)


def signs_data(fault: Fault | str | None, settings: Settings) -> dict:
    """Six panels of exact diagnostics, the correct loop's beside them where that helps."""
    parts, settings = loop_of(fault, settings)
    ours, theirs = (
        signs(*run(each, lesson_bandit(), settings), lesson_bandit(), settings)
        for each in (parts, CORRECT)
    )
    return {"panels": [_panel(*what, ours, theirs) for what in _PANELS]}


# Title, unit, and the series: label, whose, which sign.
_PANELS = (
    (
        "Ratio",
        "largest |ρ − 1| of a batch",
        (
            ("first inner step", 0, lambda s: s.ratio_first),
            ("last inner step", 0, lambda s: s.ratio_last),
        ),
    ),
    (
        "Outside the interval",
        "share of samples",
        (
            ("ρ below 1 − ε", 0, lambda s: s.clipped_below),
            ("ρ above 1 + ε", 0, lambda s: s.clipped_above),
        ),
    ),
    (
        "KL",
        "KL(π_θ‖·), a ~ π_θ (nats)",
        (
            ("to the reference", 0, lambda s: s.kl_true),
            ("to what the loss uses", 0, lambda s: s.kl_used),
            ("correct loop", 1, lambda s: s.kl_true),
        ),
    ),
    (
        "Gradient into data",
        "largest |gradient|",
        (
            ("old log-probs", 0, lambda s: s.leaks[:, 0]),
            ("advantages", 0, lambda s: s.leaks[:, 1]),
            ("reference", 0, lambda s: s.leaks[:, 2]),
        ),
    ),
    (
        "Step and exact gradient",
        "cosine",
        (("this loop", 0, lambda s: s.cosine), ("correct loop", 1, lambda s: s.cosine)),
    ),
    (
        "Gap to π*",
        "objective (score units)",
        (("this loop", 0, lambda s: s.gap), ("correct loop", 1, lambda s: s.gap)),
    ),
)


def _panel(title, unit, series, *runs: Signs):
    lines = [{"label": label, "y": sign(runs[whose]).tolist()} for label, whose, sign in series]
    return {
        "kind": "line",
        "title": title,
        "x": list(range(1, len(lines[0]["y"]) + 1)),
        "xlabel": "rollout batch",
        "ylabel": unit,
        "series": lines,
    }


class OpenedUp:
    """What the invariants say of a patient, and the code of the part that sets it apart."""

    def __init__(self, lines, code):
        self.lines, self.code = lines, code

    def __repr__(self):
        return "\n".join([*self.lines, "", self.code])

    def _repr_html_(self):
        said = "".join(f"<li>{escape(line)}</li>" for line in self.lines)
        return f"<ul>{said}</ul><pre>{escape(self.code)}</pre>"


def open_up(patient: str, settings: Settings) -> OpenedUp:
    """Every invariant that the patient breaks, in words, and the code of one of its parts."""
    fault = _fault(patient)
    parts, settings = loop_of(fault, settings)
    found = check_invariants(run(parts, lesson_bandit(), settings)[1], parts, settings)
    lines = [f"{name}: {verdict.sentence}" for name, verdict in found.items() if not verdict.ok]
    return OpenedUp(lines or [f"All {len(found)} invariants hold."], part_code(patient))


def part_code(patient: str) -> str:
    """The code of the part in question, as it stands in the patient's loop."""
    fault = _fault(patient)
    function = getattr(fault.parts, fault.part)
    code = inspect.getsource(function)
    code = re.sub(r'    """.*?"""\n', "", code[code.index("def ") :], count=1, flags=re.DOTALL)
    return code.replace(f"def {function.__name__}", f"def {fault.part}").rstrip()


def check_repair(patient: str, function) -> CheckResult:
    """Put `function` into the patient's loop and run every invariant on it. Never raises for
    what `function` does. Raises ValueError for a patient that there is not.
    """
    fault, name = _fault(patient), f"repair {patient}"
    if fault.healthy:
        return CheckResult(name, True, False, None, "This loop is healthy: nothing to repair.")
    given = []

    def watched(*arguments):
        given.append(function(*arguments))
        return given[-1]

    parts, settings = fault.parts._replace(**{fault.part: watched}), Settings()
    ran = guard.run(lambda: run(parts, lesson_bandit(), settings)[1])
    if given and (given[0] is None or given[0] is Ellipsis):
        words = f"Not attempted yet: {fault.part} gives nothing back. Replace the ... and return."
        return CheckResult(name, False, False, None, words)
    if ran.stopped is not None:
        words = f"The loop stopped inside it: {type(ran.stopped).__name__}: {ran.stopped}"
        return _kept(CheckResult(name, True, False, None, words.split("\n")[0]), function)
    found = check_invariants(jax.tree.map(np.asarray, ran.value), parts, settings)
    broken = [f"{name}: {verdict.sentence}." for name, verdict in found.items() if not verdict.ok]
    message = "\n".join(broken) or f"With your {fault.part}, all {len(found)} invariants hold."
    return _kept(CheckResult(name, True, not broken, None, message), function)


def _kept(result, function):
    code = guard.run(inspect.getsource, function).value or ""
    guard.run(
        lambda: storage.record(
            "check", result.name, passed=result.passed, message=result.message, code=code
        )
    )
    return result


class Score:
    """Points for first diagnoses: rows of (patient, first diagnosis, points)."""

    def __init__(self, rows):
        self.rows, self.points = tuple(rows), sum(points for *_, points in rows)

    def __repr__(self):
        if not self.rows:
            return "No patient diagnosed yet."
        lines = [f"{patient}: {points:+d}  {said}" for patient, said, points in self.rows]
        return "\n".join([*lines, f"{self.points:+d} of {len(PATIENTS)} points"])


def patient_score() -> Score:
    """Points for the first diagnosis of each patient: +1 if right, 0 for another fault, −1 for
    calling a healthy loop ill or an ill one healthy.
    """
    rows = []
    for patient in PATIENTS:
        tries = storage.read("quiz", f"patient_{patient.lower()}").events
        if tries:
            said = str(tries[0].details.get("answer", ""))
            right = tries[0].details.get("right") is True
            missed = _fault(patient).healthy or said.startswith("Healthy")
            rows.append((patient, said, 1 if right else -1 if missed else 0))
    return Score(rows)


def _fault(patient):
    if patient not in PATIENTS:
        raise ValueError(f"patient must be one of {', '.join(PATIENTS)}, got {patient!r}")
    return FAULTS[PATIENTS[patient]]
