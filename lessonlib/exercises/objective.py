"""Exercises on the regularised objective: a policy beside the reference and the optimum."""

import numpy as np

from lessonlib.exercises.divergence import DIVERGENCE, kl_sum
from lessonlib.exercises.model import Exercise, Misconception, case, log_softmax, some_logp, without
from lessonlib.exercises.optimum import TILT, tilted


def penalised(reward, drift, beta):
    """E[r] − β·KL."""
    return reward - beta * drift


def _objective(logp, q, r, beta, divergence, kl_sign, price):
    return price(np.sum(np.exp(logp) * r), kl_sign * divergence(logp, q), beta)


def _best(q, r, beta, tilt, normalise):
    return normalise(tilt(q, r, beta))


def difference(optimum, own):
    """By how much the optimum is ahead."""
    return optimum - own


def regularized_gap(
    logp, reference_logp, rewards, beta, *, divergence=kl_sum, kl_sign=1, price=penalised,
    tilt=tilted, normalise=log_softmax, gap=difference,
):  # fmt: skip
    """J(π*) − J(π) with J = E[r] − β·KL(π‖π_ref)."""
    best = _best(reference_logp, rewards, beta, tilt, normalise)
    optimum, own = (
        _objective(policy, reference_logp, rewards, beta, divergence, kl_sign, price)
        for policy in (best, logp)
    )
    return gap(optimum, own)


def compare_with_optimum(
    logp, reference_logp, rewards, beta, *, divergence=kl_sum, kl_sign=1, price=penalised,
    tilt=tilted, normalise=log_softmax, order=(0, 1, 2), ceiling=lambda optimum, r: optimum,
):  # fmt: skip
    """(J(π_ref), J(π), J(π*))."""
    best = _best(reference_logp, rewards, beta, tilt, normalise)
    values = [
        _objective(policy, reference_logp, rewards, beta, divergence, kl_sign, price)
        for policy in (reference_logp, logp, best)
    ]
    values[2] = ceiling(values[2], rewards)
    return tuple(values[i] for i in order)


_PRICE = (
    Misconception(
        "reward_only", {"price": lambda reward, drift, beta: reward},
        "Only the expected reward is counted: the KL penalty is missing. The objective is what "
        "remains of the reward after the drift from the reference has been paid for.",
    ),
    Misconception(
        "beta_missing", {"price": lambda reward, drift, beta: reward - drift},
        "The KL comes in without its price β: nats cannot be taken away from reward units.",
    ),
    Misconception(
        "beta_twice", {"price": lambda reward, drift, beta: reward - beta**2 * drift},
        "β is multiplied twice (β²): it is the price of one nat, paid once.",
    ),
    Misconception(
        "beta_on_reward", {"price": lambda reward, drift, beta: beta * reward - drift},
        "β multiplies the reward, not the KL. It is in reward units per nat: which of the two does "
        "it belong to?",
    ),
    Misconception(
        "beta_on_everything", {"price": lambda reward, drift, beta: beta * (reward - drift)},
        "β multiplies the whole bracket. It is in reward units per nat: only the KL is priced.",
    ),
    Misconception(
        "divided_by_beta", {"price": lambda reward, drift, beta: reward - drift / beta},
        "The KL is divided by β: a higher price would then cost less.",
    ),
    Misconception(
        "kl_only", {"price": lambda reward, drift, beta: -beta * drift},
        "Only the KL penalty is counted; the expected reward is missing.",
    ),
    Misconception(
        "loss_for_objective", {"price": lambda reward, drift, beta: beta * drift - reward},
        "The sign of the objective is flipped: this is the loss. The optimum has the highest "
        "objective.",
    ),
)  # fmt: skip

_UNNORMALISED = (
    Misconception(
        "optimum_not_normalised", {"normalise": np.asarray},
        "The optimum is not normalised: its probabilities must sum to 1 before an expectation is "
        "taken under it.",
    ),
    Misconception(
        "optimum_softmax_twice", {"normalise": lambda x: log_softmax(np.exp(log_softmax(x)))},
        "The optimum looks as if softmax was taken twice.",
    ),
    Misconception(
        "optimum_greedy", {"normalise": lambda x: np.where(x == x.max(), 0.0, -60.0)},
        "The optimum is taken to be the single best action. That leaves out what the drift costs: "
        "for β above 0 every action keeps some probability.",
    ),
)  # fmt: skip

_GAP = (
    Misconception(
        "sign", {"gap": lambda optimum, own: own - optimum},
        "The difference is taken the other way round: the sign is flipped. The optimum is a bound, "
        "so the gap is never negative.",
    ),
    Misconception(
        "optimum_only", {"gap": lambda optimum, own: optimum},
        "This is the objective of the optimum; that of logp has not been taken away.",
    ),
    Misconception(
        "own_only", {"gap": lambda optimum, own: own},
        "This is the objective of logp. How far is it below the optimum?",
    ),
    Misconception(
        "ratio_for_difference", {"gap": lambda optimum, own: own / optimum},
        "This is a quotient of objectives. They may be 0 or negative; a gap is a difference.",
    ),
    Misconception(
        "objectives_added", {"gap": lambda optimum, own: own + optimum},
        "The two objectives are added; a gap is a difference.",
    ),
)  # fmt: skip

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
        "best_reward_as_optimum", {"ceiling": lambda optimum, r: np.max(r)},
        "The third number is the largest reward. No policy reaches it without paying for its "
        "drift: what does the objective take away?",
    ),
)  # fmt: skip

_SHARED = (*TILT, *without(DIVERGENCE, "kl_not_summed"), *_PRICE)


def _cases():
    half, quarter = np.log(0.5), np.log(0.25)
    reference = [half, quarter, quarter]
    yield reference, reference, [1.0, 2.0, -1.0], 1.0
    yield [quarter, half, quarter], reference, [1.0, 2.0, -1.0], 0.5
    rng = np.random.default_rng(1111)
    for count, beta in ((3, 0.2), (3, 2.0), (6, 0.5), (6, 1.3), (2, 0.7)):
        yield some_logp(rng, count), some_logp(rng, count), rng.normal(0.5, 1.5, count), beta


_CASES = tuple(
    case(logp=logp, reference_logp=reference_logp, rewards=rewards, beta=beta)
    for logp, reference_logp, rewards, beta in _cases()
)

EXERCISES = (
    Exercise(
        "regularized_gap", "scalar", regularized_gap, _CASES,
        (*_GAP, *_UNNORMALISED, *without(_SHARED, "loss_for_objective")),
    ),  # fmt: skip
    Exercise(
        "compare_with_optimum", "(reference, logp, optimum)", compare_with_optimum, _CASES,
        (*_ORDER, *_UNNORMALISED, *_SHARED),
        names=("objective of the reference", "objective of logp", "objective of the optimum"),
    ),
)  # fmt: skip
