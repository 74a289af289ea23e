"""Exercise on the signed, clipped product of one sample."""

import numpy as np

from lessonlib.exercises.model import Exercise, Misconception, case


def smaller_product(ratio, advantage, clip):
    """min(ρA, clip(ρ, 1−ε, 1+ε)·A)."""
    return np.minimum(ratio * advantage, _clip(ratio, clip) * advantage)


def _clip(ratio, clip):
    return np.clip(ratio, 1 - clip, 1 + clip)


def clipped_term(ratio, advantage, clip, *, kept=smaller_product, sign=1):
    """The product that PPO keeps for one sample."""
    return sign * kept(ratio, advantage, clip)


def _between(low, high):
    def kept(ratio, advantage, clip):
        clipped = np.clip(ratio, low(clip), high(clip))
        return np.minimum(ratio * advantage, clipped * advantage)

    return kept


_LOOK = "Work out both products, ρA and clip(ρ)A, for A = 2 and A = −2, at ρ = 1.5 and ρ = 0.5."

KEPT = (
    Misconception(
        "clip_without_min", {"kept": lambda r, a, e: _clip(r, e) * a},
        "The clipped product is kept always; the minimum with the unclipped one is missing. Then a "
        "bad action that has become more probable (A < 0, ρ above the bound) gets no gradient to "
        f"push it back. {_LOOK}",
    ),
    Misconception(
        "min_before_multiplying", {"kept": lambda r, a, e: np.minimum(r, _clip(r, e)) * a},
        "The minimum is taken of the ratios, before multiplying by the advantage. For A < 0 that "
        f"keeps the larger product. {_LOOK}",
    ),
    Misconception(
        "max_for_min", {"kept": lambda r, a, e: np.maximum(r * a, _clip(r, e) * a)},
        "The larger product is kept (max for min): the optimistic one, so that moving too far is "
        f"rewarded. {_LOOK}",
    ),
    Misconception(
        "no_clip", {"kept": lambda r, a, e: r * a},
        "There is no clip: this is ρA, whatever ρ. Nothing stops the gain from growing with ρ. "
        f"{_LOOK}",
    ),
    Misconception(
        "max_before_multiplying", {"kept": lambda r, a, e: np.maximum(r, _clip(r, e)) * a},
        "The larger of ratio and clipped ratio is taken, before multiplying by the advantage. "
        f"{_LOOK}",
    ),
    Misconception(
        "bounds_one_to_upper", {"kept": _between(lambda e: 1, lambda e: 1 + e)},
        "The interval seems to be (1, 1 + ε): its lower bound is 1. A bad action then stops "
        "falling at once. The interval reaches to both sides of 1.",
    ),
    Misconception(
        "bounds_lower_to_one", {"kept": _between(lambda e: 1 - e, lambda e: 1)},
        "The interval seems to be (1 − ε, 1): its upper bound is 1. A good action then stops "
        "rising at once. The interval reaches to both sides of 1.",
    ),
    Misconception(
        "bounds_around_zero", {"kept": _between(lambda e: -e, lambda e: e)},
        "The ratio is clipped to (−ε, ε), around 0. A ratio of equal policies is 1; the log-ratio "
        "is the one that is 0.",
    ),
    Misconception(
        "bounds_around_zero_without_min", {"kept": lambda r, a, e: np.clip(r, -e, e) * a},
        "The ratio is clipped to (−ε, ε), around 0, and no minimum is taken. A ratio of equal "
        "policies is 1.",
    ),
    Misconception(
        "bounds_multiplicative", {"kept": _between(lambda e: 1 / (1 + e), lambda e: 1 + e)},
        "The lower bound seems to be 1/(1 + ε). In PPO the interval is symmetric about 1 in ρ "
        "itself, not in log ρ.",
    ),
    Misconception(
        "bounds_exponential", {"kept": _between(lambda e: np.exp(-e), lambda e: np.exp(e))},
        "The bounds seem to be exp(−ε) and exp(ε): the clip is applied to the log-ratio. In PPO "
        "the interval is symmetric about 1 in ρ itself.",
    ),
    Misconception(
        "clip_is_upper_bound", {"kept": _between(lambda e: e, lambda e: 1 + e)},
        "The lower bound seems to be ε itself. The interval reaches equally far to both sides of "
        "1.",
    ),
    Misconception(
        "clip_of_fixed_width", {"kept": lambda r, a, e: smaller_product(r, a, 0.2)},
        "ε is fixed at 0.2: the argument clip plays no part. Try another value of it.",
    ),
    Misconception(
        "half_width", {"kept": lambda r, a, e: smaller_product(r, a, e / 2)},
        "The interval is half as wide as it should be: ε is the reach to each side of 1.",
    ),
    Misconception(
        "double_width", {"kept": lambda r, a, e: smaller_product(r, a, 2 * e)},
        "The interval is twice as wide as it should be: ε is the reach to each side of 1.",
    ),
    Misconception(
        "product_clipped", {"kept": lambda r, a, e: _clip(r * a, e)},
        "The product ρA is clipped to (1 − ε, 1 + ε). The clip belongs to the ratio alone; an "
        "advantage has its own unit and any size.",
    ),
    Misconception(
        "product_clipped_in_min", {"kept": lambda r, a, e: np.minimum(r * a, _clip(r * a, e))},
        "The product ρA is clipped, not the ratio. An advantage has its own unit and any size; "
        "the interval around 1 is for ρ.",
    ),
    Misconception(
        "clipped_without_advantage", {"kept": lambda r, a, e: np.minimum(r * a, _clip(r, e))},
        "The clipped side has lost its advantage: ρA is compared with a bare ratio. Both sides of "
        "the minimum are products.",
    ),
    Misconception(
        "ratio_without_advantage", {"kept": lambda r, a, e: np.minimum(r, _clip(r, e) * a)},
        "The unclipped side has lost its advantage: a bare ratio is compared with a product. Both "
        "sides of the minimum are products.",
    ),
    Misconception(
        "advantage_ignored", {"kept": lambda r, a, e: np.minimum(r, _clip(r, e))},
        "The advantage plays no part. It says by how much, and in which direction, a sample pulls.",
    ),
    Misconception(
        "clipped_ratio_only", {"kept": lambda r, a, e: _clip(r, e) + 0 * a},
        "This is the clipped ratio; the advantage and the minimum have not come in yet.",
    ),
    Misconception(
        "absolute_advantage", {"kept": lambda r, a, e: smaller_product(r, np.abs(a), e)},
        "The sign of the advantage is lost (an absolute value): bad actions are pushed up as well.",
    ),
    Misconception(
        "sides_averaged", {"kept": lambda r, a, e: (r * a + _clip(r, e) * a) / 2},
        "The two products are averaged. PPO keeps one of them; which, so that too large a move is "
        "never rewarded?",
    ),
    Misconception(
        "sides_added", {"kept": lambda r, a, e: r * a + _clip(r, e) * a},
        "The two products are added. PPO keeps one of them; which, so that too large a move is "
        "never rewarded?",
    ),
    Misconception(
        "only_upper_bound", {"kept": lambda r, a, e: np.minimum(r * a, (1 + e) * a)},
        "The bound 1 + ε is used where the clipped ratio belongs. What is clip(ρ) when ρ lies "
        "inside the interval, or below it?",
    ),
    Misconception(
        "only_lower_bound", {"kept": lambda r, a, e: np.minimum(r * a, (1 - e) * a)},
        "The bound 1 − ε is used where the clipped ratio belongs. What is clip(ρ) when ρ lies "
        "inside the interval, or above it?",
    ),
    Misconception(
        "distance_clipped", {"kept": lambda r, a, e: np.clip(r - 1, -e, e) * a},
        "ρ − 1 is clipped and multiplied: the 1 was not added again, and there is no minimum.",
    ),
    Misconception(
        "dropped_outside", {"kept": lambda r, a, e: np.where(np.abs(r - 1) > e, 0, r * a)},
        "A ratio outside the interval counts as 0 here. Clipping holds the product at the bound; "
        "and for two of the four cases of sign and side the product is kept as it is.",
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
    rng = np.random.default_rng(303)
    for clip in (0.1, 0.1, 0.5, 0.5, 0.0, 1.0):
        ratio, advantage = rng.uniform(0.2, 2.2), rng.normal(0, 2)
        yield case(ratio=np.float64(ratio), advantage=np.float64(advantage), clip=clip)
    yield case(ratio=np.float64(1.7), advantage=np.float64(0.0), clip=0.2)


EXERCISES = (Exercise("clipped_term", "scalar", clipped_term, tuple(_cases()), (*KEPT, SIGN)),)
