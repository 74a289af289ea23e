"""Exercises on exact sums over actions: the expected reward, and the KL before and after a run."""

import numpy as np

from lessonlib.lessons.n07_exercises.exercises.divergence import DIVERGENCE, kl_sum, policy_pairs
from lessonlib.teaching.exercises.model import Exercise, Misconception, case, softmax, some_logp


def expected_reward(logp, rewards, *, terms=lambda p, r: np.exp(p) * r, reduce=np.sum, sign=1):
    """Σ_a π(a) r(a)."""
    return sign * reduce(terms(logp, rewards))


def kl_pair(reference_logp, final_logp, *, divergence=kl_sum, kl_sign=1, first=None, order=1):
    """(KL(π_ref‖π_ref), KL(π_final‖π_ref))."""
    start = divergence(reference_logp, reference_logp)
    start = start if first is None else first(reference_logp, final_logp)
    return (start, kl_sign * divergence(final_logp, reference_logp))[::order]


EXPECTED_REWARD = (
    Misconception(
        "log_probs_as_weights", {"terms": lambda p, r: p * r},
        "The rewards are weighted with log-probs where probabilities are meant. Weights of an "
        "expectation are positive and sum to one; what leads from logp to them?",
    ),
    Misconception(
        "uniform_mean", {"terms": lambda p, r: r / len(r)},
        "This is the plain mean of the rewards: every action counts the same and the policy plays "
        "no part. How often does the policy take each action?",
    ),
    Misconception(
        "rewards_summed", {"terms": lambda p, r: r},
        "This is the sum of the rewards; the policy plays no part. How often does it take each "
        "action?",
    ),
    Misconception(
        "best_reward", {"terms": lambda p, r: np.max(r)},
        "This is the largest reward, as if the policy always took the best action. It still takes "
        "the others, each with its probability.",
    ),
    Misconception(
        "reward_of_likeliest", {"terms": lambda p, r: r[np.argmax(p)]},
        "This is the reward of the most likely action. A sampled policy also takes the others.",
    ),
    Misconception(
        "probability_of_best", {"terms": lambda p, r: np.exp(p[np.argmax(r)])},
        "This is the probability of the best action, not a reward.",
    ),
    Misconception(
        "best_term_only", {"terms": lambda p, r: np.max(np.exp(p) * r)},
        "Only the largest term of the sum is kept.",
    ),
    Misconception(
        "mean_for_sum", {"reduce": np.mean},
        "The weighted rewards are averaged where they are to be summed (mean for sum). The "
        "probabilities are the weights already; dividing by A counts them twice.",
    ),
    Misconception(
        "not_summed", {"reduce": np.asarray},
        "One term for each action came back, shape (A,). An expectation adds them up.",
    ),
    Misconception(
        "softmax_twice", {"terms": lambda p, r: softmax(np.exp(p)) * r},
        "It looks as if softmax was taken twice: probabilities went in where log-probs belong, "
        "which flattens the policy.",
    ),
    Misconception(
        "negative_log_probs", {"terms": lambda p, r: np.exp(-p) * r},
        "The weights are 1/π: a sign in front of logp turns the policy upside down.",
    ),
    Misconception(
        "exp_of_product", {"terms": lambda p, r: np.exp(p * r)},
        "The exponential covers the reward as well. Only the log-probs are to become "
        "probabilities; the reward stays in its own unit.",
    ),
    Misconception(
        "sum_in_the_exponent", {"terms": lambda p, r: np.exp(p + r)},
        "The exponential covers the reward as well (log-prob plus reward). Only the log-probs are "
        "to become probabilities; the reward stays in its own unit.",
    ),
    Misconception(
        "log_of_expected_exp", {"terms": lambda p, r: np.log(np.sum(np.exp(p + r)))},
        "This is the log of an expected exponential (logsumexp), not the expected reward.",
    ),
    Misconception(
        "added_not_weighted", {"terms": lambda p, r: np.exp(p) + r},
        "Probability and reward are added; a weight multiplies.",
    ),
    Misconception(
        "weighted_by_rewards", {"terms": lambda p, r: softmax(r) * r},
        "The weights are a softmax of the rewards. Which argument holds the policy?",
    ),
    Misconception(
        "squared_rewards", {"terms": lambda p, r: np.exp(p) * r**2},
        "The rewards are squared: this is the second moment.",
    ),
    Misconception(
        "squared_probabilities", {"terms": lambda p, r: np.exp(2 * p) * r},
        "The probabilities come in twice, squared.",
    ),
    Misconception(
        "roles_swapped", {"terms": lambda p, r: p * np.exp(r)},
        "The roles are swapped: log-probs and rewards changed places.",
    ),
    Misconception(
        "relative_to_mean", {"terms": lambda p, r: np.exp(p) * (r - np.mean(r))},
        "The mean reward is taken away first. Expected reward is in the units of the reward as "
        "given; a baseline comes in only with the gradient.",
    ),
    Misconception(
        "log_probs_normalised", {"terms": lambda p, r: p / np.sum(p) * r},
        "The log-probs are divided by their sum to serve as weights. They are logs: another "
        "function makes them probabilities, which then sum to one by themselves.",
    ),
    Misconception(
        "sign", {"sign": -1},
        "The sign is flipped: this is a loss. Asked for is the expected reward itself.",
    ),
)  # fmt: skip

_PAIR = (
    Misconception(
        "order_swapped", {"order": -1},
        "The two numbers are in the other order: first the KL of the reference to itself, then "
        "the KL of the final policy to the reference.",
    ),
    Misconception(
        "self_is_entropy", {"first": lambda q, p: -np.sum(np.exp(q) * q)},
        "The first number is the entropy of the reference. How far is a policy from itself?",
    ),
    Misconception(
        "self_is_negative_entropy", {"first": lambda q, p: np.sum(np.exp(q) * q)},
        "The first number is Σ π log π of the reference alone. How far is a policy from itself?",
    ),
    Misconception(
        "self_is_one", {"first": lambda q, p: 1.0},
        "The first number is 1. Every ratio of a policy to itself is 1; what is its logarithm?",
    ),
    Misconception(
        "first_is_final", {"first": lambda q, p: kl_sum(p, q)},
        "The first number is the KL of the final policy. It should compare the reference with "
        "itself: what is it before the run has begun?",
    ),
    Misconception(
        "first_is_reversed", {"first": lambda q, p: kl_sum(q, p)},
        "The first number is KL(π_ref‖π_final). It should compare the reference with itself: what "
        "is it before the run has begun?",
    ),
    Misconception(
        "final_to_itself", {"divergence": lambda p, q: 0.0},
        "The second number is 0 as well, as if the final policy were compared with itself. How far "
        "is it from the reference?",
    ),
)  # fmt: skip


def _reward_cases():
    yield case(logp=[np.log(0.75), np.log(0.25)], rewards=[1.0, 3.0])
    yield case(logp=[np.log(0.5), np.log(0.25), np.log(0.25)], rewards=[2.0, -4.0, 1.0])
    rng = np.random.default_rng(707)
    for count in (2, 3, 3, 6, 6):
        yield case(logp=some_logp(rng, count), rewards=rng.normal(0.5, 2, count))


def _pair_cases():
    for final, reference in policy_pairs(np.random.default_rng(808)):
        yield case(reference_logp=reference, final_logp=final)


EXERCISES = (
    Exercise(
        "expected_reward", "scalar", expected_reward, tuple(_reward_cases()), EXPECTED_REWARD
    ),
    Exercise(
        "kl_pair", "(KL of the reference to itself, KL of final to reference)", kl_pair,
        tuple(_pair_cases()), (*DIVERGENCE, *_PAIR),
        names=("KL(π_ref‖π_ref)", "KL(π_final‖π_ref)"),
    ),
)  # fmt: skip
