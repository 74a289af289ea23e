"""Exercise on the signed, clipped product of one sample."""

import numpy as np

from lessonlib.teaching.exercises.model import Exercise, Misconception, case


def around_one(clip):
    """The interval 1−ε to 1+ε."""
    return 1 - clip, 1 + clip


def smaller_product(ratio, advantage, clip, clipped):
    """min(ρA, clip(ρ, 1−ε, 1+ε)·A)."""
    return np.minimum(ratio * advantage, clipped * advantage)


def product(ratio, advantage, clip, bounds, kept):
    """What `kept` makes of the ratio, clipped to the bounds, and the advantage."""
    return kept(ratio, advantage, clip, np.clip(ratio, *bounds(clip)))


def clipped_term(ratio, advantage, clip, *, bounds=around_one, kept=smaller_product, sign=1):
    """The product that PPO keeps for one sample."""
    return sign * product(ratio, advantage, clip, bounds, kept)


_LOOK = "Work out both products, ρA and clip(ρ)A, for A = 2 and A = −2, at ρ = 1.5 and ρ = 0.5."

KEPT = (
    Misconception(
        "clip_without_min", {"kept": lambda r, a, e, c: c * a},
        "The clipped product is kept always; the minimum with the unclipped one is missing. Then a "
        "bad action that has become more probable (A < 0, ρ above the bound) gets no gradient to "
        f"push it back. {_LOOK}",
    ),
    Misconception(
        "min_before_multiplying", {"kept": lambda r, a, e, c: np.minimum(r, c) * a},
        "The minimum is taken of the ratios, before multiplying by the advantage. For A < 0 that "
        f"keeps the larger product. {_LOOK}",
    ),
    Misconception(
        "max_for_min", {"kept": lambda r, a, e, c: np.maximum(r * a, c * a)},
        "The larger product is kept (max for min): the optimistic one, so that moving too far is "
        f"rewarded. {_LOOK}",
    ),
    Misconception(
        "no_clip", {"kept": lambda r, a, e, c: r * a},
        "There is no clip: this is ρA, whatever ρ. Nothing stops the gain from growing with ρ. "
        f"{_LOOK}",
    ),
    Misconception(
        "max_before_multiplying", {"kept": lambda r, a, e, c: np.maximum(r, c) * a},
        "The larger of ratio and clipped ratio is taken, before multiplying by the advantage. "
        f"{_LOOK}",
    ),
    Misconception(
        "bounds_one_to_upper", {"bounds": lambda e: (1, 1 + e)},
        "The interval seems to be (1, 1 + ε): its lower bound is 1. A bad action then stops "
        "falling at once. The interval reaches to both sides of 1.",
    ),
    Misconception(
        "bounds_lower_to_one", {"bounds": lambda e: (1 - e, 1)},
        "The interval seems to be (1 − ε, 1): its upper bound is 1. A good action then stops "
        "rising at once. The interval reaches to both sides of 1.",
    ),
    Misconception(
        "bounds_around_zero", {"bounds": lambda e: (-e, e)},
        "The ratio is clipped to (−ε, ε), around 0. A ratio of equal policies is 1; the log-ratio "
        "is the one that is 0.",
    ),
    Misconception(
        "bounds_multiplicative", {"bounds": lambda e: (1 / (1 + e), 1 + e)},
        "The lower bound seems to be 1/(1 + ε). In PPO the interval is symmetric about 1 in ρ "
        "itself, not in log ρ.",
    ),
    Misconception(
        "bounds_exponential", {"bounds": lambda e: (np.exp(-e), np.exp(e))},
        "The bounds seem to be exp(−ε) and exp(ε): the clip is applied to the log-ratio. In PPO "
        "the interval is symmetric about 1 in ρ itself.",
    ),
    Misconception(
        "clip_is_upper_bound", {"bounds": lambda e: (e, 1 + e)},
        "The lower bound seems to be ε itself. The interval reaches equally far to both sides of "
        "1.",
    ),
    Misconception(
        "clip_of_fixed_width", {"bounds": lambda e: (0.8, 1.2)},
        "ε is fixed at 0.2: the argument clip plays no part. Try another value of it.",
    ),
    Misconception(
        "half_width", {"bounds": lambda e: (1 - e / 2, 1 + e / 2)},
        "The interval is half as wide as it should be: ε is the reach to each side of 1.",
    ),
    Misconception(
        "double_width", {"bounds": lambda e: (1 - 2 * e, 1 + 2 * e)},
        "The interval is twice as wide as it should be: ε is the reach to each side of 1.",
    ),
    Misconception(
        "product_clipped", {"kept": lambda r, a, e, c: np.clip(r * a, 1 - e, 1 + e)},
        "The product ρA is clipped to (1 − ε, 1 + ε). The clip belongs to the ratio alone; an "
        "advantage has its own unit and any size.",
    ),
    Misconception(
        "product_clipped_in_min",
        {"kept": lambda r, a, e, c: np.minimum(r * a, np.clip(r * a, 1 - e, 1 + e))},
        "The product ρA is clipped, not the ratio. An advantage has its own unit and any size; "
        "the interval around 1 is for ρ.",
    ),
    Misconception(
        "clipped_without_advantage", {"kept": lambda r, a, e, c: np.minimum(r * a, c)},
        "The clipped side has lost its advantage: ρA is compared with a bare ratio. Both sides of "
        "the minimum are products.",
    ),
    Misconception(
        "ratio_without_advantage", {"kept": lambda r, a, e, c: np.minimum(r, c * a)},
        "The unclipped side has lost its advantage: a bare ratio is compared with a product. Both "
        "sides of the minimum are products.",
    ),
    Misconception(
        "advantage_ignored", {"kept": lambda r, a, e, c: np.minimum(r, c)},
        "The advantage plays no part. It says by how much, and in which direction, a sample pulls.",
    ),
    Misconception(
        "clipped_ratio_only", {"kept": lambda r, a, e, c: c + 0 * a},
        "This is the clipped ratio; the advantage and the minimum have not come in yet.",
    ),
    Misconception(
        "absolute_advantage", {"kept": lambda r, a, e, c: smaller_product(r, np.abs(a), e, c)},
        "The sign of the advantage is lost (an absolute value): bad actions are pushed up as well.",
    ),
    Misconception(
        "sides_averaged", {"kept": lambda r, a, e, c: (r * a + c * a) / 2},
        "The two products are averaged. PPO keeps one of them; which, so that too large a move is "
        "never rewarded?",
    ),
    Misconception(
        "sides_added", {"kept": lambda r, a, e, c: r * a + c * a},
        "The two products are added. PPO keeps one of them; which, so that too large a move is "
        "never rewarded?",
    ),
    Misconception(
        "only_upper_bound", {"kept": lambda r, a, e, c: np.minimum(r * a, (1 + e) * a)},
        "The bound 1 + ε is used where the clipped ratio belongs. What is clip(ρ) when ρ lies "
        "inside the interval, or below it?",
    ),
    Misconception(
        "only_lower_bound", {"kept": lambda r, a, e, c: np.minimum(r * a, (1 - e) * a)},
        "The bound 1 − ε is used where the clipped ratio belongs. What is clip(ρ) when ρ lies "
        "inside the interval, or above it?",
    ),
    Misconception(
        "distance_clipped", {"kept": lambda r, a, e, c: np.clip(r - 1, -e, e) * a},
        "ρ − 1 is clipped and multiplied: the 1 was not added again, and there is no minimum.",
    ),
    Misconception(
        "dropped_outside", {"kept": lambda r, a, e, c: np.where(np.abs(r - 1) > e, 0, r * a)},
        "A ratio outside the interval counts as 0 here. Clipping holds the product at the bound; "
        "and for two of the four cases of sign and side the product is kept as it is.",
    ),
    Misconception(
        "wrong_bound_for_negative",
        {"kept": lambda r, a, e, c: np.minimum(r, np.where(a > 0, 1 + e, 1 - e)) * a},
        "For A < 0 the ratio is held from above, as for A > 0. Multiplying by a negative number "
        f"turns the order round: which side of the interval binds then? {_LOOK}",
    ),
    Misconception(
        "no_clip_for_negative",
        {"kept": lambda r, a, e, c: np.where(a > 0, np.minimum(r, 1 + e), r) * a},
        "For A < 0 nothing is clipped. A bad action that has already lost more than ε of its "
        f"probability gains nothing by losing more. {_LOOK}",
    ),
    Misconception(
        "negative_dropped",
        {"kept": lambda r, a, e, c: np.where(a > 0, np.minimum(r * a, c * a), 0 * r)},
        "A negative advantage counts as 0: bad actions teach nothing. They carry as much as good "
        "ones.",
    ),
    Misconception(
        "squared", {"kept": lambda r, a, e, c: np.minimum(r * a, c * a) ** 2},
        "The product is squared, so its sign is lost: good and bad look the same.",
    ),
)  # fmt: skip

SIGN = Misconception(
    "sign", {"sign": -1},
    "The sign is flipped: this is the loss, to be minimised. The surrogate is to be made large; "
    "the minus comes in only when it is turned into a loss.",
)  # fmt: skip


def _cases():
    for advantage in (2.0, -2.0):
        for ratio in (1.5, 0.5, 1.0, 1.25, 0.75):
            yield case(ratio=np.float64(ratio), advantage=np.float64(advantage), clip=0.25)
    yield case(ratio=np.float64(0.25), advantage=np.float64(-2.0), clip=0.5)
    yield case(ratio=np.float64(0.25), advantage=np.float64(-2.0), clip=0.375)
    rng = np.random.default_rng(303)
    for clip in (0.1, 0.1, 0.5, 0.5, 0.0, 1.0):
        ratio, advantage = rng.uniform(0.2, 2.2), rng.normal(0, 2)
        yield case(ratio=np.float64(ratio), advantage=np.float64(advantage), clip=clip)
    yield case(ratio=np.float64(1.7), advantage=np.float64(0.0), clip=0.2)


EXERCISES = (Exercise("clipped_term", "scalar", clipped_term, tuple(_cases()), (*KEPT, SIGN)),)
