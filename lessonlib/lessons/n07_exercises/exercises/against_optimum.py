"""Exercise: the objective of the reference, of a policy, and of the exact optimum."""

import numpy as np

from lessonlib.lessons.n06_exact_optimum.exercises import tilted
from lessonlib.lessons.n07_exercises.exercises.divergence import kl_sum
from lessonlib.lessons.n07_exercises.exercises.objective import (
    CASES,
    OBJECTIVE,
    objectives,
    penalised,
    reference_alone,
)
from lessonlib.teaching.exercises.model import Exercise, Misconception, log_softmax


def compare_with_optimum(
    logp, reference_logp, rewards, beta, *, divergence=kl_sum, kl_sign=1, price=penalised,
    tilt=tilted, normalise=log_softmax, start=reference_alone, anchor=reference_alone,
    order=(0, 1, 2), ceiling=lambda optimum, beta, r: optimum,
    report=lambda values, policies: values,
):  # fmt: skip
    """(J(π_ref), J(π), J(π*))."""
    best = normalise(tilt(start(logp, reference_logp), rewards, beta))
    policies = (reference_logp, logp, best)
    values = objectives(
        policies, anchor(logp, reference_logp), rewards, beta, divergence, kl_sign, price
    )
    values[2] = ceiling(values[2], beta, rewards)
    values = report(values, policies)
    return tuple(values[i] for i in order)


_ORDER = (
    Misconception(
        "order_reversed", {"order": (2, 1, 0)},
        "The order is reversed. Asked for: reference, logp, optimum.",
    ),
    Misconception(
        "reference_and_policy_swapped", {"order": (1, 0, 2)},
        "The first two are swapped. Asked for: reference, logp, optimum. The reference pays no KL.",
    ),
    Misconception(
        "policy_and_optimum_swapped", {"order": (0, 2, 1)},
        "The last two are swapped. Asked for: reference, logp, optimum, the largest.",
    ),
    Misconception(
        "rotated", {"order": (1, 2, 0)},
        "The order is another one. Asked for: reference, logp, optimum.",
    ),
    Misconception(
        "optimum_first", {"order": (2, 0, 1)},
        "The order is another one. Asked for: reference, logp, optimum.",
    ),
    Misconception(
        "policies_returned", {"report": lambda values, policies: policies},
        "Three policies came back. Asked for are their objectives, one number each.",
    ),
    Misconception(
        "log_sum_without_beta", {"ceiling": lambda optimum, beta, r: optimum / beta},
        "The third number is the log of Σ π_ref exp(r/β), without the factor β: nats are set "
        "beside reward units.",
    ),
    Misconception(
        "best_reward_as_optimum", {"ceiling": lambda optimum, beta, r: np.max(r)},
        "The third number is the largest reward. No policy reaches it without paying for its "
        "drift: what does the objective take away?",
    ),
)  # fmt: skip

EXERCISES = (
    Exercise(
        "compare_with_optimum", "(reference, logp, optimum)", compare_with_optimum, CASES,
        (*_ORDER, *OBJECTIVE),
        names=("objective of the reference", "objective of logp", "objective of the optimum"),
    ),
)  # fmt: skip
