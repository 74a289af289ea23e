"""Reads a run: the invariants, and exact diagnostics over batches and inner steps."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from lessonlib.bandit import Bandit
from lessonlib.rollout import History, Settings
from lessonlib.teaching.faults import invariants
from lessonlib.teaching.faults.invariants import Verdict
from lessonlib.teaching.faults.parts import Parts, Trace

# Both signs of the advantage, on both sides of the interval and inside it.
PROBE_RATIO = (0.5, 0.5, 1.0, 1.0, 1.5, 1.5)
PROBE_ADVANTAGE = (2.0, -2.0, 2.0, -2.0, 2.0, -2.0)


class Signs(NamedTuple):
    """Exact diagnostics of one run, one value a batch (T,); ratios are over its samples."""

    ratio_first: np.ndarray  # largest |ρ − 1| at the first inner step
    ratio_last: np.ndarray  # the same at the last
    clipped_below: np.ndarray  # share of samples and inner steps with ρ < 1 − ε
    clipped_above: np.ndarray  # with ρ > 1 + ε
    kl_true: np.ndarray  # KL(π_θ‖π_ref) at the last inner step, a ~ π_θ, in nats
    kl_used: np.ndarray  # the same to the reference that the loss used
    leaks: np.ndarray  # (T, 3): largest |gradient| into old log-probs, advantages, reference
    cosine: np.ndarray  # of the batch's steps with the exact gradient where they were taken
    gap: np.ndarray  # objective of π* minus that of the policy after the batch, reward units


def check_invariants(trace: Trace, parts: Parts, settings: Settings) -> dict[str, Verdict]:
    """Every invariant on one run, by its name."""
    t = Trace(*map(np.asarray, trace))
    collection_logp = t.logp[:, 0]
    probe = parts.surrogate(jnp.array(PROBE_RATIO), jnp.array(PROBE_ADVANTAGE), settings.clip)
    found = {
        "first_epoch_ratio_is_one": (t.ratio,),
        "ratio_is_new_over_old": (t.ratio, t.new_logps, t.collected_logps),
        "old_fixed_within_batch": (t.old_logps,),
        "inputs_are_detached": (t.leaks,),
        "surrogate_is_pessimistic": (probe, PROBE_RATIO, PROBE_ADVANTAGE, settings.clip),
        "surrogate_mean_is_pessimistic": (
            t.surrogate, t.ratio, t.collected_advantages, settings.clip,
        ),
        "reference_unchanged": (t.reference,),
        "kl_is_zero_at_start": (t.logp[0, 0], t.reference[0, 0]),
        "penalty_is_the_kl": (t.penalty, t.logp, t.reference),
        "penalty_pulls_back": (t.penalty_gradient, t.logp, t.reference),
        "advantages_follow_rewards": (t.collected_advantages, t.rewards),
        "actions_follow_policy": (t.actions, collection_logp),
        "batches_are_fresh": (t.actions, collection_logp),
        "everything_is_finite": (t.logp, t.reference, t.ratio, t.penalty, t.step),
    }  # fmt: skip
    return {name: getattr(invariants, name)(*arrays) for name, arrays in found.items()}


def signs(history: History, trace: Trace, bandit: Bandit, settings: Settings) -> Signs:
    """Read the diagnostics off one run, summed in float64."""
    t = Trace(*(np.asarray(array, dtype=float) for array in trace))
    rewards, reference = (
        np.asarray(x, dtype=float) for x in (bandit.rewards, bandit.reference_logp)
    )
    beta, clip = settings.beta, settings.clip
    distance = np.abs(t.ratio - 1).max(axis=-1)
    with np.errstate(invalid="ignore"):
        policy = np.exp(t.logp)
        value = rewards - beta * (t.logp - reference)
        ascent = policy * (value - np.sum(policy * value, axis=-1, keepdims=True))
        along = np.sum(t.step * ascent, axis=(1, 2))
        lengths = np.linalg.norm(t.step, axis=-1) * np.linalg.norm(ascent, axis=-1)
        last = policy[:, -1], t.logp[:, -1]
        after = np.asarray(history.logp, dtype=float)
        objective = np.sum(np.exp(after) * (rewards - beta * (after - reference)), axis=-1)
        kl_used = np.sum(last[0] * (last[1] - t.reference[:, -1]), axis=-1)
    return Signs(
        ratio_first=distance[:, 0],
        ratio_last=distance[:, -1],
        clipped_below=np.mean(t.ratio < 1 - clip, axis=(1, 2)),
        clipped_above=np.mean(t.ratio > 1 + clip, axis=(1, 2)),
        kl_true=np.sum(last[0] * (last[1] - reference), axis=-1),
        kl_used=kl_used,
        leaks=t.leaks.max(axis=1),
        cosine=along / np.maximum(lengths.sum(axis=1), 1e-30),
        gap=_best_objective(rewards, reference, beta) - objective,
    )


def _best_objective(rewards, reference, beta):
    """E[r] − β·KL of π*, which is β·log Σ π_ref exp(r/β); at β = 0 the best reward."""
    if beta == 0:
        return rewards.max()
    return beta * np.logaddexp.reduce(reference + rewards / beta)
