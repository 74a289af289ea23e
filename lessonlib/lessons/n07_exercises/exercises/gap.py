"""Exercise: how much is left to gain between a policy and the exact optimum."""

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
from lessonlib.teaching.exercises.model import Exercise, Misconception, log_softmax, without


def difference(optimum, own, beta, best, logp, r):
    """By how much the optimum is ahead."""
    return optimum - own


def regularized_gap(
    logp, reference_logp, rewards, beta, *, divergence=kl_sum, kl_sign=1, price=penalised,
    tilt=tilted, normalise=log_softmax, gap=difference, start=reference_alone,
    anchor=reference_alone, own=lambda logp, reference_logp: logp,
):  # fmt: skip
    """J(π*) − J(π) with J = E[r] − β·KL(π‖π_ref)."""
    best = normalise(tilt(start(logp, reference_logp), rewards, beta))
    measured = own(logp, reference_logp)
    optimum, value = objectives(
        (best, measured), anchor(logp, reference_logp), rewards, beta, divergence, kl_sign, price
    )
    return gap(optimum, value, beta, best, measured, rewards)


_GAP = (
    Misconception(
        "sign", {"gap": lambda top, own, beta, best, logp, r: own - top},
        "The difference is taken the other way round: the sign is flipped. The optimum is a bound, "
        "so the gap is never negative.",
    ),
    Misconception(
        "optimum_only", {"gap": lambda top, own, beta, best, logp, r: top},
        "This is the objective of the optimum; that of logp has not been taken away.",
    ),
    Misconception(
        "own_only", {"gap": lambda top, own, beta, best, logp, r: own},
        "This is the objective of logp. How far is it below the optimum?",
    ),
    Misconception(
        "ratio_for_difference", {"gap": lambda top, own, beta, best, logp, r: own / top},
        "This is a quotient of objectives. They may be 0 or negative; a gap is a difference.",
    ),
    Misconception(
        "objectives_added", {"gap": lambda top, own, beta, best, logp, r: own + top},
        "The two objectives are added; a gap is a difference.",
    ),
    Misconception(
        "divided_by_beta_gap", {"gap": lambda top, own, beta, best, logp, r: (top - own) / beta},
        "This is the gap divided by β, a KL in nats: KL(π‖π*). The gap is in reward units.",
    ),
    Misconception(
        "kl_of_optimum", {"gap": lambda top, own, beta, best, logp, r: beta * kl_sum(best, logp)},
        "This is β·KL(π*‖π): the direction of the KL is swapped. Whose probabilities weigh it?",
    ),
    Misconception(
        "best_reward_as_optimum", {"gap": lambda top, own, beta, best, logp, r: np.max(r) - own},
        "The largest reward stands for the optimum. No policy reaches it without paying for its "
        "drift: what does the objective take away?",
    ),
    Misconception(
        "log_sum_without_beta", {"gap": lambda top, own, beta, best, logp, r: top / beta - own},
        "The optimum is taken as the log of Σ π_ref exp(r/β), without the factor β: nats are set "
        "beside reward units.",
    ),
    Misconception(
        "reference_for_logp", {"own": lambda p, q: q},
        "This is the gap of the reference. logp plays no part.",
    ),
)  # fmt: skip

EXERCISES = (
    Exercise(
        "regularized_gap", "scalar", regularized_gap, CASES,
        (*_GAP, *without(OBJECTIVE, "loss_for_objective")),
    ),
)  # fmt: skip
