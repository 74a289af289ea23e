"""Run a loop with one fault switched on, and tabulate which instruments see which fault."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lessonlib.bandit import Bandit, lesson_bandit
from lessonlib.rollout import History, Settings
from lessonlib.teaching import lessons
from lessonlib.teaching.faults.fault import FAULTS, Fault
from lessonlib.teaching.faults.instruments import check_invariants, signs
from lessonlib.teaching.faults.parts import CORRECT, Parts, run
from lessonlib.validation import Seed, require

__all__ = ["FAULTS", "Fault", "Row", "fault_table", "loop_of", "train_with"]

lessons.load("faults")  # each registers its loops in FAULTS


class Row(NamedTuple):
    """One cell of the table of faults.

    `verdict` is whether the instrument fires on every seed, `value` the median over the seeds
    of what it measured, in its own unit.
    """

    fault: str
    instrument: str
    verdict: bool
    value: float


def train_with(fault: str | Fault | None, bandit: Bandit, settings: Settings) -> History:
    """Train with one fault switched on, given as itself or by its name; None is the correct loop.

    The settings that belong to a false alarm (`always`) take the place of those given.
    Raises ValueError for anything else.
    """
    parts, settings = loop_of(fault, settings)
    return run(parts, bandit, settings)[0]


def loop_of(fault: str | Fault | None, settings: Settings) -> tuple[Parts, Settings]:
    """The parts and the settings that a fault runs with."""
    if fault is None:
        return CORRECT, settings
    if not isinstance(fault, Fault):
        if not isinstance(fault, str) or fault not in FAULTS:
            raise ValueError(f"fault must be None or one of {', '.join(FAULTS)}, got {fault!r}")
        fault = FAULTS[fault]
    return fault.parts, replace(settings, **fault.always)


def fault_table(seeds: Sequence[int], settings: Settings | None = None) -> list[Row]:
    """Every fault and false alarm with every instrument, in the lesson's world.

    An invariant fires by its own limit, and `reward_rises` if the reward after the last batch is
    not above that after the first. A curve (reward, KL, gap to π*, cosine of the step with
    the exact gradient) fires if it lies further from the mean curve of the correct loop, on
    average over the batches, than the correct loop itself does on any of the `seeds`.
    Raises ValueError unless `seeds` are one or more whole numbers from 0.
    """
    seeds = _seeds(seeds)
    bandit, settings = lesson_bandit(), settings or Settings()
    rows, correct = [], {}
    for name in FAULTS:
        parts, chosen = loop_of(name, settings)
        if chosen not in correct:
            correct[chosen] = _read(CORRECT, bandit, chosen, seeds)[1]
        healthy = correct[chosen]
        invariants, curves = _read(parts, bandit, chosen, seeds)
        for instrument in invariants[0]:
            found = [verdicts[instrument] for verdicts in invariants]
            fires = not any(verdict.ok for verdict in found)
            value = float(np.median([verdict.value for verdict in found]))
            rows.append(Row(name, instrument, fires, value))
        rises = curves["reward_curve"][:, -1] - curves["reward_curve"][:, 0]
        rows.append(Row(name, "reward_rises", not np.any(rises > 0), float(np.median(rises))))
        for instrument in curves:
            mean = np.mean(healthy[instrument], axis=0)
            usual = np.mean(np.abs(healthy[instrument] - mean), axis=1).max()
            far = np.mean(np.abs(curves[instrument] - mean), axis=1)
            rows.append(Row(name, instrument, not np.any(far <= usual), float(np.median(far))))
    return rows


def _seeds(seeds):
    listed = tuple(seeds) if isinstance(seeds, Iterable) else ()
    if not listed:
        raise ValueError(
            f"seeds must be a list of one or more whole numbers, such as range(20), got {seeds!r}"
        )
    for seed in listed:
        require("each of seeds", seed, Seed)
    return listed


def _read(parts, bandit, settings, seeds):
    """The invariants of every seed, and the curves as arrays (seeds, T)."""
    invariants, curves = [], []
    for seed in seeds:
        history, trace = run(parts, bandit, replace(settings, seed=int(seed)))
        invariants.append(check_invariants(trace, parts, settings))
        found = signs(history, trace, bandit, settings)
        curves.append((np.asarray(history.reward), np.asarray(history.kl), found.gap, found.cosine))
    names = ("reward_curve", "kl_curve", "gap_to_optimum", "step_cosine")
    return invariants, dict(zip(names, map(np.array, zip(*curves, strict=True)), strict=True))
