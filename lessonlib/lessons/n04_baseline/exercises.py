"""Exercise on the baseline of least variance."""

import numpy as np

from lessonlib.lessons.n07_exercises.exercises.score import POLICY, policies, scores
from lessonlib.teaching.exercises.model import Exercise, Misconception, case, softmax, without


def squared_lengths(p):
    """‖∇log π(a)‖² of every action, (A,)."""
    return np.sum(scores(p) ** 2, axis=1)


def weighted_mean(weights, r):
    """Σ weight·r / Σ weight."""
    return np.sum(weights * r) / np.sum(weights)


def _for_each_logit(weights, r):
    return weights.T @ r / np.sum(weights, axis=0)


def _for_each_logit_averaged(weights, r):
    return np.mean(_for_each_logit(weights, r))


def best_baseline(
    logits, rewards, *, weigh=lambda p: p * squared_lengths(p), combine=weighted_mean,
    policy=softmax,
):  # fmt: skip
    """E[‖∇log π‖² r] / E[‖∇log π‖²], a ~ π_θ."""
    return combine(weigh(policy(logits)), rewards)


_BEST = (
    Misconception(
        "expected_reward", {"weigh": lambda p: p},
        "This is the expected reward, the usual baseline and a good one, but not the one of least "
        "variance: actions with a long score vector count more. By what must each action be "
        "weighted besides its probability?",
    ),
    Misconception(
        "mean_reward", {"weigh": np.ones_like},
        "This is the plain mean of the rewards; neither the policy nor the length of the scores "
        "plays a part.",
    ),
    Misconception(
        "probability_missing", {"weigh": squared_lengths},
        "The squared lengths of the scores are there, but the probabilities are missing from the "
        "weights: the variance is an expectation under the policy.",
    ),
    Misconception(
        "length_not_squared", {"weigh": lambda p: p * np.sqrt(squared_lengths(p))},
        "The lengths of the scores are not squared. A variance is made of squares.",
    ),
    Misconception(
        "own_entry_only", {"weigh": lambda p: p * (1 - p) ** 2},
        "Only the action's own entry of the score, 1 − π(a), is counted. The score vector also has "
        "the entries −π(b) of the other actions.",
    ),
    Misconception(
        "variance_of_indicator", {"weigh": lambda p: p * (1 - p)},
        "The weights are π(1 − π). The squared length of a score is more than 1 − π(a): it is a "
        "sum over all A entries.",
    ),
    Misconception(
        "column_lengths", {"weigh": lambda p: p * np.sum(scores(p) ** 2, axis=0)},
        "The squares are summed along the wrong axis: row a of the table is the score of action a, "
        "and its length runs over the logits.",
    ),
    Misconception(
        "probability_twice", {"weigh": lambda p: p**2 * squared_lengths(p)},
        "The probabilities come into the weights twice.",
    ),
    Misconception(
        "squared_probability", {"weigh": lambda p: p**2},
        "The weights are π². Which vector's squared length belongs to each action?",
    ),
    Misconception(
        "inverse_probability", {"weigh": lambda p: 1 / p},
        "The weights are 1/π, from the derivative with respect to the probabilities. The gradient "
        "is with respect to the logits.",
    ),
    Misconception(
        "log_probs_as_weights", {"weigh": np.log},
        "The weights are log-probs where probabilities are meant.",
    ),
    Misconception(
        "not_normalised", {"combine": lambda w, r: np.sum(w * r)},
        "The weighted rewards are not divided by the sum of the weights. Give all actions the same "
        "reward: which constant has no variance left?",
    ),
    Misconception(
        "mean_not_normalised", {"combine": lambda w, r: np.mean(w * r)},
        "The weighted rewards are averaged over the actions, not divided by the sum of the "
        "weights. Give all actions the same reward: which constant has no variance left?",
    ),
    Misconception(
        "upside_down", {"combine": lambda w, r: np.sum(w) / np.sum(w * r)},
        "The quotient is upside down: a baseline is in the units of the reward.",
    ),
    Misconception(
        "no_baseline", {"combine": lambda w, r: 0.0},
        "This is no baseline at all: 0. Write the variance as a function of c; where is its slope "
        "0?",
    ),
    Misconception(
        "best_reward", {"combine": lambda w, r: np.max(r)},
        "This is the largest reward. A baseline lies between the rewards, so that some actions "
        "come out above it and others below.",
    ),
    Misconception(
        "middle_of_range", {"combine": lambda w, r: (np.max(r) + np.min(r)) / 2},
        "This is the middle of the range of rewards; the policy plays no part.",
    ),
    Misconception(
        "median_reward", {"combine": lambda w, r: np.median(r)},
        "This is the median reward; the policy plays no part.",
    ),
    Misconception(
        "squared_rewards", {"combine": lambda w, r: weighted_mean(w, r**2)},
        "The rewards are squared. In the derivative of the variance with respect to c they come in "
        "to the first power.",
    ),
    Misconception(
        "mean_over_logits",
        {"weigh": lambda p: p[:, None] * scores(p) ** 2, "combine": _for_each_logit_averaged},
        "The best baseline of each logit by itself, averaged. Asked for is one constant for the "
        "total variance: add up the squares of a score before you divide.",
    ),
    Misconception(
        "one_for_each_logit",
        {"weigh": lambda p: p[:, None] * scores(p) ** 2, "combine": _for_each_logit},
        "A baseline for each logit came back, (A,). Asked for is one constant for the total "
        "variance: add up the squares of a score before you divide.",
    ),
    Misconception(
        "expected_exponential",
        {"policy": np.exp, "weigh": np.asarray, "combine": lambda w, r: np.sum(w * r)},
        "The rewards are weighted with exp of logits that are not normalised, and the lengths of "
        "the scores are missing.",
    ),
    Misconception(
        "quotient_of_moments", {"weigh": np.asarray, "combine": lambda w, r: w @ r**2 / (w @ r)},
        "This is E[r²]/E[r]. The weights in the variance are made of scores, not of rewards.",
    ),
    Misconception(
        "reward_of_likeliest", {"weigh": lambda p: np.eye(p.size)[np.argmax(p)]},
        "This is the reward of the most likely action. Every action adds to the variance.",
    ),
    Misconception(
        "sign", {"combine": lambda w, r: -weighted_mean(w, r)},
        "The sign is flipped: the baseline is taken away from the reward, r − c.",
    ),
    Misconception(
        "doubled", {"combine": lambda w, r: 2 * weighted_mean(w, r)},
        "It is twice the right number: follow the factor 2 of the square through both terms.",
    ),
    Misconception(
        "halved", {"combine": lambda w, r: weighted_mean(w, r) / 2},
        "It is half the right number: follow the factor 2 of the square through both terms.",
    ),
)  # fmt: skip


EXERCISES = (
    Exercise(
        "best_baseline", "scalar", best_baseline,
        tuple(case(logits=logits, rewards=rewards) for logits, rewards in policies()),
        _BEST + without(POLICY, "uniform_policy"), tolerance=1e-3,
    ),
)  # fmt: skip
