"""What the exercises on the regularised objective share: its pieces, mistakes and inputs."""

import numpy as np

from lessonlib.lessons.n06_exact_optimum.exercises import TILT
from lessonlib.lessons.n07_exercises.exercises.divergence import DIVERGENCE
from lessonlib.teaching.exercises.model import (
    Misconception,
    case,
    log_softmax,
    softmax,
    some_logp,
    without,
)


def penalised(reward, drift, beta):
    """E[r] − β·KL."""
    return reward - beta * drift


def objectives(policies, q, r, beta, divergence, kl_sign, price):
    return [
        price(np.sum(np.exp(policy) * r), kl_sign * divergence(policy, q), beta)
        for policy in policies
    ]


def reference_alone(logp, reference_logp):
    """The reference, where a role is its."""
    return reference_logp


_ROLES = (
    Misconception(
        "optimum_from_logp", {"start": lambda p, q: p},
        "The optimum is built on logp instead of the reference: the roles are swapped. Which "
        "policy does the KL measure from?",
    ),
    Misconception(
        "kl_from_logp", {"anchor": lambda p, q: p},
        "The KL is measured from logp instead of the reference: the roles are swapped.",
    ),
    Misconception(
        "reference_and_logp_swapped", {"start": lambda p, q: p, "anchor": lambda p, q: p},
        "The reference and logp have changed roles: the optimum and the KL both start from logp. "
        "Look at the order of the arguments.",
    ),
)  # fmt: skip

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
        "optimum_as_probabilities", {"normalise": softmax},
        "The optimum is passed on as probabilities where log-probs are meant.",
    ),
    Misconception(
        "optimum_greedy", {"normalise": lambda x: np.where(x == x.max(), 0.0, -60.0)},
        "The optimum is taken to be the single best action. That leaves out what the drift costs: "
        "for β above 0 every action keeps some probability.",
    ),
)  # fmt: skip

OBJECTIVE = (*_UNNORMALISED, *TILT, *_ROLES, *without(DIVERGENCE, "kl_not_summed"), *_PRICE)


def _cases():
    half, quarter = np.log(0.5), np.log(0.25)
    reference = [half, quarter, quarter]
    yield reference, reference, [1.0, 2.0, -1.0], 1.0
    yield [quarter, half, quarter], reference, [1.0, 2.0, -1.0], 0.5
    rng = np.random.default_rng(1111)
    for count, beta in ((3, 0.2), (3, 2.0), (6, 0.5), (6, 1.3), (2, 0.7)):
        yield some_logp(rng, count), some_logp(rng, count), rng.normal(0.5, 1.5, count), beta


CASES = tuple(
    case(logp=logp, reference_logp=reference_logp, rewards=rewards, beta=beta)
    for logp, reference_logp, rewards, beta in _cases()
)
