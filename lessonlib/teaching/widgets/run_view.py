"""What the explorer shows of a run, as plain data and sentences. Nothing here is a widget."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lessonlib.bandit import Bandit
from lessonlib.exact import expected_reward, kl, optimal_logp, regularized_objective
from lessonlib.rollout import History, Settings, train
from lessonlib.teaching.figure import figure_data

POLICIES = ("reference", "trained", "optimum")
BAND = "trained policy, 32 seeds"
# π* needs β > 0. At β = 0 the view shows the limit β → 0, which this β reaches in float32.
ALMOST_FREE = 1e-6


class Comparison(NamedTuple):
    """Reference, trained and optimal policy, in this order: each (3,), the policies (3, A)."""

    reward: np.ndarray  # Σ π r, in reward units
    kl: np.ndarray  # KL(π‖π_ref), a ~ π, in nats
    objective: np.ndarray  # reward − β·kl, in reward units
    probabilities: np.ndarray


def run(bandit: Bandit, settings: Settings) -> History:
    """`train`, refusing a run that left the range of numbers: ValueError naming the cause."""
    history = jax.tree.map(np.asarray, train(bandit, settings))
    if not (np.isfinite(history.reward).all() and np.isfinite(history.kl).all()):
        raise ValueError(
            "learning_rate must be small enough for finite log-probabilities, "
            f"got {settings.learning_rate:g}"
        )
    return history


def compare(bandit: Bandit, logp, beta: float) -> Comparison:
    """The policy `logp` (A,) between where it started and the best it can reach."""
    compared = _compare(logp, bandit.rewards, bandit.reference_logp, beta)
    return Comparison(*(np.asarray(x, dtype=float) for x in compared))


@jax.jit
def _compare(logp, rewards, reference_logp, beta):
    # Shifting all rewards changes no policy, and keeps r/β small where it matters.
    shifted = rewards - jnp.max(rewards)
    best = optimal_logp(reference_logp, shifted, jnp.maximum(beta, ALMOST_FREE))
    policies = jnp.stack([reference_logp, logp, best])
    return (
        jax.vmap(lambda p: expected_reward(p, rewards))(policies),
        jax.vmap(lambda p: kl(p, reference_logp))(policies),
        jax.vmap(lambda p: regularized_objective(p, rewards, reference_logp, beta))(policies),
        jnp.exp(policies),
    )


def view_data(bandit, history, compared, kept=(), band=None) -> dict:
    """The lesson's panels with the optimum's marks, runs kept before, and a band of seeds.

    `kept` holds (label, History) pairs; `band` a History with a leading axis of seeds.
    Every panel has axis limits, which stay the same for as long as the data fit them.
    """
    data = figure_data(history, bandit)
    curves = [lambda h: h.reward, lambda h: h.kl]
    for panel, curve, best in zip(
        data["panels"], curves, (compared.reward[2], compared.kl[2]), strict=False
    ):
        if band is not None:
            seeds = np.asarray(curve(band), dtype=float)
            low, high = seeds.min(axis=0).tolist(), seeds.max(axis=0).tolist()
            panel["series"].append({"kind": "band", "label": BAND, "y": low, "high": high})
        panel["series"].append({"label": "optimum", "y": [float(best)] * len(panel["x"])})
        panel["series"] += [
            {"label": label, "y": np.asarray(curve(run), dtype=float).tolist()}
            for label, run in kept
        ]
    bars = data["panels"][2]["series"]
    marks = [("optimum", compared.probabilities[2])]
    marks += [(label, np.exp(run.logp[-1])) for label, run in kept]
    bars += [
        {"kind": "mark", "label": label, "y": np.asarray(values, dtype=float).tolist()}
        for label, values in marks
    ]
    data["panels"][2]["ylim"] = [0, 1.04]
    free = _free(bandit)
    _limit(data["panels"][0], free.reward[0], free.reward[2])
    _limit(data["panels"][1], 0, free.kl[2])
    return data


@functools.lru_cache(maxsize=8)
def _free(bandit):
    """The comparison at β = 0: no other optimum has a reward or a KL as high."""
    return compare(bandit, bandit.reference_logp, 0)


def _limit(panel, low, high):
    """Set `ylim` around low…high, in whole steps further where the data go beyond."""
    step = (high - low) / 4 or 1.0
    values = [v for series in panel["series"] for v in [*series["y"], *series.get("high", [])]]
    below = np.ceil(max(0, low - min(values)) / step)
    above = np.ceil(max(0, max(values) - high) / step - 1e-3)
    panel["ylim"] = [
        float(low - (below + 0.2) * step),
        float(high + (max(above, 0) + 0.2) * step),
    ]


def summary(settings: Settings, compared: Comparison) -> str:
    """The figure in one sentence, for the status line and as alternative text."""
    best = int(np.argmax(compared.probabilities[1]))
    start, end = compared.probabilities[:2, best]
    return (
        f"With β = {settings.beta:g} and clip {settings.clip:g}, after {settings.iterations} "
        f"rollout batches the expected reward is {compared.reward[1]:.3f} "
        f"(reference {compared.reward[0]:.3f}), the KL to the reference is "
        f"{compared.kl[1]:.3f} nats, and action {best} has probability {end:.3f} "
        f"(reference {start:.3f})."
    )


def objective_text(settings: Settings, history: History, compared: Comparison) -> str:
    """The regularised objective of the three policies and the share of clipped samples."""
    values = " · ".join(
        f"{name} {value:.3f}" for name, value in zip(POLICIES, compared.objective, strict=True)
    )
    share = 100 * float(np.mean(history.clip_fraction))
    free = " At β = 0 drift is free: the optimum shown is its limit as β → 0."
    return (
        f"Objective E[r] − β·KL in reward units: {values}. "
        f"Ratios outside the clip interval: {share:.1f} % of samples."
        + (free if settings.beta == 0 else "")
    )
