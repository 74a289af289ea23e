"""Exercises on a batch of ratios: the clipped surrogate and the clip fraction."""

import numpy as np

from lessonlib.lessons.n03_signed_clipping.exercises import (
    KEPT,
    SIGN,
    around_one,
    product,
    smaller_product,
)
from lessonlib.teaching.exercises.model import Exercise, Misconception, case


def surrogate(
    ratios, advantages, clip, *, bounds=around_one, kept=smaller_product, reduce=np.mean,
    weigh=np.asarray, sign=1,
):  # fmt: skip
    """The mean of the kept products, to be maximised."""
    return sign * reduce(product(ratios, weigh(advantages), clip, bounds, kept))


def clip_fraction(ratios, clip, *, outside=lambda r, e: np.abs(r - 1) > e, reduce=np.mean):
    """The share of ratios outside [1−ε, 1+ε]."""
    return reduce(outside(ratios, clip))


def whitened(a):
    """Advantages shifted and scaled to mean 0 and standard deviation 1 in the batch."""
    return (a - np.mean(a)) / (np.std(a) + 1e-8)


def whitened_unbiased(a):
    """The same with N − 1 in the standard deviation; a batch of one has none."""
    centred = a - np.mean(a)
    deviation = np.sqrt(np.sum(centred**2) / (len(a) - 1)) if len(a) > 1 else np.nan
    return centred / (deviation + 1e-8)


REDUCE = (
    Misconception(
        "sum_for_mean", {"reduce": np.sum},
        "The samples are summed where their mean is asked for: an expectation is estimated by a "
        "mean, and a sum lets the step grow with the batch size. Give the same batch twice over.",
    ),
    Misconception(
        "no_mean", {"reduce": np.asarray},
        "One number for each sample came back, shape (N,). A single number is asked for: how are "
        "the samples combined?",
    ),
    Misconception(
        "median_for_mean", {"reduce": np.median},
        "This is the median. An expectation is estimated by the mean.",
    ),
    Misconception(
        "divided_by_one_less", {"reduce": lambda x: np.sum(x) / max(len(x) - 1, 1)},
        "The sum is divided by N − 1. The mean of N samples divides by N.",
    ),
)  # fmt: skip

WEIGH = (
    Misconception(
        "advantages_whitened", {"weigh": whitened},
        "The advantages are whitened inside (batch mean taken away, divided by their standard "
        "deviation). That changes the objective silently: the exact baseline is already in, and "
        "the scale of the reward against β·KL is lost. Use the advantages as they are given.",
    ),
    Misconception(
        "advantages_whitened_unbiased", {"weigh": whitened_unbiased},
        "The advantages are whitened inside (batch mean taken away, divided by their standard "
        "deviation with N − 1). Use the advantages as they are given: the baseline is already in.",
    ),
    Misconception(
        "advantages_centred_again", {"weigh": lambda a: a - np.mean(a)},
        "The batch mean of the advantages is taken away inside. They were centred with the exact "
        "baseline when they were collected; a batch mean depends on the sampled actions.",
    ),
    Misconception(
        "advantages_scaled", {"weigh": lambda a: a / (np.std(a) + 1e-8)},
        "The advantages are divided by their standard deviation. That changes the scale of the "
        "reward against β·KL from batch to batch.",
    ),
)  # fmt: skip

BATCH = (
    Misconception(
        "every_sample_with_every",
        {"kept": lambda r, a, e, c: np.minimum(r[:, None] * a, c[:, None] * a)},
        "Every ratio met every advantage: a shape (N, 1) against a shape (N,) broadcasts to "
        "(N, N) without an error. Sample n has one ratio and one advantage; check the shapes.",
    ),
    Misconception(
        "every_product_with_every",
        {"kept": lambda r, a, e, c: np.minimum((r * a)[:, None], c * a)},
        "Every product met every clipped product: a shape (N, 1) against a shape (N,) broadcasts "
        "to (N, N) without an error. Check the shapes of both sides of the minimum.",
    ),
    Misconception(
        "clipped_side_with_every",
        {"kept": lambda r, a, e, c: np.minimum(r * a, c[None, :] * a[:, None])},
        "One side of the minimum is a table (N, N): a shape (N, 1) met a shape (N,) in it. Check "
        "the shapes of both sides.",
    ),
    Misconception(
        "minimum_of_means",
        {"kept": lambda r, a, e, c: np.minimum(np.mean(r * a), np.mean(c * a))},
        "The two products are averaged over the batch first, and the smaller mean is kept. Each "
        "sample has its own minimum: which comes first, min or mean?",
    ),
    Misconception(
        "minimum_over_batch",
        {"kept": lambda r, a, e, c: np.min(np.minimum(r * a, c * a))},
        "The smallest product of the whole batch is kept. Each sample has its own minimum "
        "(minimum of two arrays, not min of one); then comes the mean.",
    ),
    Misconception(
        "means_multiplied",
        {"kept": lambda r, a, e, c: np.mean(np.minimum(r, c)) * np.mean(a)},
        "The mean ratio meets the mean advantage. Each sample has its own ratio and advantage.",
    ),
    Misconception(
        "mean_ratio_times_mean_advantage",
        {"kept": lambda r, a, e, c: np.mean(r) * np.mean(a)},
        "The mean ratio meets the mean advantage, without a clip. Each sample has its own ratio "
        "and advantage.",
    ),
)  # fmt: skip

_CLIP_FRACTION = (
    Misconception(
        "bounds_count_as_outside", {"outside": lambda r, e: np.abs(r - 1) >= e},
        "A ratio exactly at a bound counts as outside here. The interval [1 − ε, 1 + ε] is closed: "
        "its bounds belong to it.",
    ),
    Misconception(
        "only_above", {"outside": lambda r, e: r > 1 + e},
        "Only ratios above 1 + ε are counted. The clip has two sides.",
    ),
    Misconception(
        "only_below", {"outside": lambda r, e: r < 1 - e},
        "Only ratios below 1 − ε are counted. The clip has two sides.",
    ),
    Misconception(
        "inside_for_outside", {"outside": lambda r, e: np.abs(r - 1) <= e},
        "This is the share of ratios inside the interval. The clip fraction is the rest.",
    ),
    Misconception(
        "inside_without_bounds", {"outside": lambda r, e: np.abs(r - 1) < e},
        "This is the share of ratios inside the interval. The clip fraction is the rest.",
    ),
    Misconception(
        "mean_of_clipped", {"outside": lambda r, e: np.clip(r, 1 - e, 1 + e)},
        "This is the mean of the clipped ratios. Asked for is how many of them the clip changes.",
    ),
    Misconception(
        "count_for_share", {"reduce": np.sum},
        "This is a count (a sum). A share is asked for, from 0 to 1, so that batches of different "
        "size can be compared: the mean, not the sum.",
    ),
    Misconception(
        "percent", {"reduce": lambda x: 100 * np.mean(x)},
        "This is in percent. A share from 0 to 1 is asked for.",
    ),
    Misconception(
        "one_for_each_sample", {"reduce": np.asarray},
        "One True or False for each sample came back. Which share of them is True?",
    ),
    Misconception(
        "any_outside", {"reduce": np.any},
        "This says whether any ratio lies outside. How large is the share?",
    ),
    Misconception(
        "ratio_for_distance", {"outside": lambda r, e: np.abs(r) > e},
        "The ratio itself is compared with ε. What counts is its distance from 1.",
    ),
    Misconception(
        "log_ratio_bounds", {"outside": lambda r, e: np.abs(np.log(r)) > e},
        "The log-ratio is compared with ε. The interval is symmetric about 1 in ρ itself: near 1 "
        "the two agree, further out they do not.",
    ),
    Misconception(
        "mean_distance", {"outside": lambda r, e: np.abs(r - 1)},
        "This is the mean distance of ρ from 1. It is a useful number, but asked for is how many "
        "ratios lie outside.",
    ),
    Misconception(
        "mean_excess", {"outside": lambda r, e: np.abs(r - np.clip(r, 1 - e, 1 + e))},
        "This is by how much the clip changes the ratios, on average. Asked for is how many of "
        "them it changes.",
    ),
    Misconception(
        "bounds_one_to_upper", {"outside": lambda r, e: (r < 1) | (r > 1 + e)},
        "The lower bound seems to be 1. The interval reaches to both sides of 1.",
    ),
    Misconception(
        "sign_of_distance_lost", {"outside": lambda r, e: r - 1 > -e},
        "The absolute value is missing or a comparison is turned round: look at a ratio of 1.",
    ),
    Misconception(
        "fixed_clip", {"outside": lambda r, e: np.abs(r - 1) > 0.2},
        "ε is fixed at 0.2: the argument clip plays no part. Try another value of it.",
    ),
    Misconception(
        "squared_distance", {"outside": lambda r, e: (r - 1) ** 2 > e},
        "The squared distance is compared with ε. What counts is the distance itself.",
    ),
    Misconception(
        "half_width", {"outside": lambda r, e: np.abs(r - 1) > e / 2},
        "The interval is half as wide as it should be: ε is the reach to each side of 1.",
    ),
    Misconception(
        "multiplicative_bounds", {"outside": lambda r, e: (r > 1 + e) | (r < 1 / (1 + e))},
        "The lower bound seems to be 1/(1 + ε). The interval is symmetric about 1 in ρ itself.",
    ),
    Misconception(
        "both_sides_at_once", {"outside": lambda r, e: (r > 1 + e) & (r < 1 - e)},
        "No ratio can lie above the one bound and below the other at once: and is used for or.",
    ),
)  # fmt: skip


def _surrogate_cases():
    yield case(ratios=[1.5], advantages=[2.0], clip=0.25)
    yield case(ratios=[1.5, 0.5, 1.5, 0.5], advantages=[2.0, 2.0, -2.0, -2.0], clip=0.25)
    yield case(ratios=[1.25, 0.75, 1.25, 0.75], advantages=[1.0, 3.0, -1.0, -2.0], clip=0.25)
    yield case(ratios=[0.5], advantages=[-2.0], clip=0.25)
    yield case(ratios=[0.25, 1.0, 2.0, 0.125], advantages=[-2.0, 1.0, 1.0, -1.0], clip=0.375)
    rng = np.random.default_rng(404)
    for clip in (0.1, 0.5, 0.2):
        yield case(ratios=rng.uniform(0.3, 2, 12), advantages=rng.normal(0.5, 2, 12), clip=clip)
    # All inside the interval: nothing is clipped.
    yield case(ratios=rng.uniform(0.85, 1.15, 12), advantages=rng.normal(0, 1, 12), clip=0.2)


def _clip_fraction_cases():
    yield case(ratios=[1.5, 1.0, 0.5, 1.125], clip=0.25)
    yield case(ratios=[1.25, 0.75, 1.0, 1.5], clip=0.25)
    yield case(ratios=[1.5, 0.5, 2.0, 1.375], clip=0.125)
    yield case(ratios=[1.4375], clip=0.5)
    yield case(ratios=[0.25], clip=0.5)
    rng = np.random.default_rng(505)
    for clip in (0.1, 0.2, 0.3, 0.5):
        yield case(ratios=rng.uniform(0.4, 1.7, 12), clip=clip)


EXERCISES = (
    Exercise(
        "surrogate", "scalar", surrogate, tuple(_surrogate_cases()),
        (*KEPT, SIGN, *REDUCE, *WEIGH, *BATCH),
    ),
    Exercise(
        "clip_fraction", "scalar", clip_fraction, tuple(_clip_fraction_cases()), _CLIP_FRACTION
    ),
)  # fmt: skip
