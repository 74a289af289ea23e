"""Statements that hold in every correct PPO loop, to be carried over to a trainer of your own.

Arrays in, a verdict with a sentence out; NumPy and nothing of this lesson is needed. T batches,
E inner steps on each, N samples in a batch, A actions; log-probs in nats. `precision` is the
spacing of the trainer's numbers at 1: 2**-23 for float32, 2**-7 for bfloat16.

Three kinds. Exact: a number that is copied and never computed again must not change at all.
Rounding: two ways to one number differ by a few dozen spacings at most (`_slack`). Chance: what
was drawn is compared with how it should have been drawn, by a bet at fair odds (`_odds`).
"""

from typing import NamedTuple

import numpy as np

FLOAT32 = 2.0**-23


class Verdict(NamedTuple):
    """Whether a statement holds, in a sentence, with the number that decided it."""

    ok: bool
    sentence: str
    value: float


def first_epoch_ratio_is_one(ratio, *, precision=FLOAT32) -> Verdict:
    """At the first inner step the policy is the one that sampled. `ratio` (T, E, N)."""
    worst = _gap(_floats(ratio)[:, 0], 1)
    return _verdict(
        worst, 64 * precision, "at the first inner step |ρ − 1| reaches {}, should be 0"
    )


def ratio_is_new_over_old(ratio, new_logps, collected_logps, *, precision=FLOAT32) -> Verdict:
    """ρ = π_θ / π_old, with π_old as recorded at collection.

    `ratio` and `new_logps` (T, E, N), `collected_logps` (T, N).
    """
    new, collected = _floats(new_logps), _floats(collected_logps)[:, None]
    with np.errstate(over="ignore"):
        expected = np.exp(new - collected)
    worst = _gap(_floats(ratio) / np.maximum(expected, 1e-30), np.minimum(expected / 1e-30, 1))
    return _verdict(
        worst,
        _slack(precision, new, collected),
        "the ratio is off π_θ / π_old by a share of up to {}, should be 0",
    )


def old_fixed_within_batch(old_logps) -> Verdict:
    """The old log-probs are the same at every inner step on a batch. `old_logps` (T, E, N)."""
    old = _floats(old_logps)
    worst = _gap(old, old[:, :1])
    return _verdict(worst, 0, "within a batch the old log-probs change by {} nats, should be 0")


def reference_unchanged(reference) -> Verdict:
    """The reference is the same at every step of the run. `reference` (..., A) in order of time."""
    rows = _floats(reference).reshape(-1, np.shape(reference)[-1])
    worst = _gap(rows, rows[0])
    return _verdict(worst, 0, "the reference changes by {} nats during the run, should be 0")


def kl_is_zero_at_start(logp, reference, *, precision=FLOAT32) -> Verdict:
    """Before training KL(π_θ‖π_ref), a ~ π_θ, is 0. `logp` and `reference` (A,)."""
    start = float(_kl(_floats(logp), _floats(reference)))
    return _verdict(
        abs(start),
        _slack(precision, logp, reference),
        "before training the KL to the reference is {} nats, should be 0",
    )


def penalty_is_the_kl(penalty, logp, reference, *, precision=FLOAT32) -> Verdict:
    """The penalty in the loss, without β, is KL(π_θ‖π_ref), a ~ π_θ, to the loop's reference.

    `penalty` (T, E), `logp` and `reference` (T, E, A).
    """
    worst = _gap(_floats(penalty), _kl(_floats(logp), _floats(reference)))
    return _verdict(
        worst,
        _slack(precision, logp, reference),
        "the penalty is off KL(π_θ‖π_ref) by up to {} nats, should be 0",
    )


def penalty_pulls_back(gradient, logp, reference, *, precision=FLOAT32) -> Verdict:
    """The gradient of the penalty in the logits is π(a)[log π(a) − log π_ref(a) − KL].

    `gradient`, `logp` and `reference` (T, E, A).
    """
    new, fixed = _floats(logp), _floats(reference)
    with np.errstate(invalid="ignore"):
        expected = np.exp(new) * (new - fixed - _kl(new, fixed)[..., None])
    worst = _gap(_floats(gradient), expected)
    return _verdict(
        worst,
        _slack(precision, logp, reference),
        "the penalty's gradient is off that of the KL by up to {}, should be 0",
    )


def inputs_are_detached(*gradients) -> Verdict:
    """No gradient reaches what is data: old log-probs, advantages, reference. Any shapes."""
    worst = max(_largest(_floats(gradient)) for gradient in gradients)
    return _verdict(worst, 0, "the loss sends a gradient of {} into its data, should be exactly 0")


def surrogate_is_pessimistic(surrogate, ratio, advantages, clip, *, precision=FLOAT32) -> Verdict:
    """One product for each sample: min(ρA, clip(ρ, 1−ε, 1+ε)·A). All (..., N)."""
    if np.shape(surrogate) != np.shape(ratio):
        terms = np.size(surrogate) / np.size(ratio)
        return Verdict(False, f"there are {terms:.3g} products for each sample, should be 1", terms)
    expected = _pessimistic(ratio, advantages, clip)
    worst = _gap(_floats(surrogate), expected)
    return _verdict(
        worst,
        _slack(precision, expected),
        "a product is off min(ρA, clip(ρ)·A) by up to {}, should be 0",
    )


def surrogate_mean_is_pessimistic(mean, ratio, advantages, clip, *, precision=FLOAT32) -> Verdict:
    """The same for the logged mean over samples. `mean` (T, E), `ratio` (T, E, N), A (T, N).

    A run in which the clip never binds cannot tell: then it holds for a wrong surrogate too.
    """
    terms = _pessimistic(ratio, _floats(advantages)[:, None], clip)
    worst = _gap(_floats(mean), terms.mean(axis=-1))
    return _verdict(
        worst,
        _slack(precision, terms),
        "the mean surrogate is off that of min(ρA, clip(ρ)·A) by up to {}, should be 0",
    )


def advantages_follow_rewards(advantages, rewards, *, precision=FLOAT32) -> Verdict:
    """Within a batch, advantages differ as the rewards differ: one baseline, no rescaling.

    `advantages` and `rewards` (T, N). Does not hold where a method divides by the spread.
    """
    baseline = _floats(rewards) - _floats(advantages)
    worst = _gap(baseline, baseline[:, :1])
    return _verdict(
        worst,
        _slack(precision, advantages, rewards),
        "within a batch reward − advantage varies by {}, should be one baseline",
    )


def actions_follow_policy(actions, logp, *, chance=1e-6) -> Verdict:
    """The actions were drawn with the recorded probabilities. `actions` (T, N), `logp` (T, A).

    A correct sampler fails with probability `chance` at most, however the policies came about.
    """
    policies = _normalised(_floats(logp))
    drawn = np.asarray(actions)[..., None] == np.arange(policies.shape[-1])
    counts = drawn.sum(axis=1)
    tilts = [(1 / t - 1) * policies for t in (0.25, 0.5, 0.7, 0.9, 1.1, 1.4, 2, 4)]
    tilts += [size * one for one in np.eye(policies.shape[-1]) for size in (-1, -0.3, 0.3, 1)]
    gains = [np.sum(counts * (_normalised(policies + tilt) - policies)) for tilt in tilts]
    return _odds(gains, chance, "that the actions were drawn with other probabilities")


def batches_are_fresh(actions, logp, *, chance=1e-6) -> Verdict:
    """No batch repeats the draws of the one before. `actions` (T, N), `logp` (T, A).

    A correct sampler fails with probability `chance` at most.
    """
    drawn, policies = np.asarray(actions), np.exp(_normalised(_floats(logp)))
    again = drawn[1:] == drawn[:-1]
    expected = np.take_along_axis(policies[1:], drawn[:-1], axis=1)
    gains = [
        np.sum(size * again - np.log1p(expected * np.expm1(size))) for size in (0.1, 0.3, 1, 3)
    ]
    return _odds(gains, chance, "that each batch repeats the draws of the one before")


def everything_is_finite(*arrays) -> Verdict:
    """No NaN and no infinity anywhere. Any shapes."""
    bad = sum(int(np.sum(~np.isfinite(_floats(array)))) for array in arrays)
    return _verdict(bad, 0, "{} numbers are NaN or infinite, should be none")


def _floats(array):
    return np.asarray(array, dtype=np.float64)


def _largest(array):
    """Largest magnitude; NaN if any number is NaN."""
    return float(np.max(np.abs(array), initial=0))


def _gap(found, expected):
    """Largest distance of the two; none between equal infinities, NaN if any number is NaN."""
    with np.errstate(invalid="ignore"):
        return _largest(np.where(found == expected, 0, found - expected))


def _slack(precision, *arrays):
    """64 spacings of the largest number that took part: a few roundings each, A small."""
    finite = [array[np.isfinite(array)] for array in map(_floats, arrays)]
    return 64 * precision * (1 + sum(map(_largest, finite)))


def _kl(logp, reference):
    with np.errstate(invalid="ignore"):
        return np.sum(np.exp(logp) * (logp - reference), axis=-1)


def _pessimistic(ratio, advantages, clip):
    ratio, advantages = _floats(ratio), _floats(advantages)
    return np.minimum(ratio * advantages, np.clip(ratio, 1 - clip, 1 + clip) * advantages)


def _normalised(logp):
    with np.errstate(invalid="ignore"):
        return logp - np.logaddexp.reduce(logp, axis=-1, keepdims=True)


def _log_mean_exp(values):
    with np.errstate(invalid="ignore"):
        return np.logaddexp.reduce(values) - np.log(len(values))


def _verdict(value, limit, sentence):
    ok = bool(value <= limit)  # NaN is not within any limit
    shown = "0" if ok else f"{value:.2g}"  # a rounding error within the limit is no news
    return Verdict(ok, sentence.format(shown), float(value))


def _odds(gains, chance, hypothesis):
    """Verdict on a purse of 1, split over several bets at fair odds against the sampler.

    Each gain is a log-likelihood ratio, so a correct sampler leaves the purse at 1 on average,
    and it exceeds 1/chance with probability `chance` at most (Markov's inequality).
    """
    purse = _log_mean_exp(gains) / np.log(10)
    return _verdict(
        purse, -np.log10(chance), f"a bet {hypothesis} turned 1 into 10 to the power {purse:.0f}"
    )
