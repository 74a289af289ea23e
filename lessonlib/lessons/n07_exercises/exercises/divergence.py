"""Exercise on the KL to the reference, and the ways to get a KL wrong."""

import numpy as np

from lessonlib.teaching.exercises.model import Exercise, Misconception, case, log_softmax, some_logp


def kl_sum(p, q):
    """Σ_a π_θ(a) [log π_θ(a) − log π_ref(a)], nats."""
    return np.sum(np.exp(p) * (p - q))


def _jensen_shannon(p, q):
    middle = np.log((np.exp(p) + np.exp(q)) / 2)
    return (kl_sum(p, middle) + kl_sum(q, middle)) / 2


def kl(logp, reference_logp, *, divergence=kl_sum, kl_sign=1):
    """KL(π_θ‖π_ref), a ~ π_θ."""
    return kl_sign * divergence(logp, reference_logp)


_DIRECTION = "KL(π_θ‖π_ref) is an expectation under π_θ, its first argument: a ~ π_θ."

DIVERGENCE = (
    Misconception(
        "kl_swapped", {"divergence": lambda p, q: kl_sum(q, p)},
        f"The arguments of the KL are swapped: this is KL(π_ref‖π_θ). {_DIRECTION} Whose "
        "probabilities stand in front of the bracket, and whose log-probs come first inside it?",
    ),
    Misconception(
        "kl_wrong_weights", {"divergence": lambda p, q: np.sum(np.exp(q) * (p - q))},
        f"The log-ratio is weighted with the probabilities of the reference. {_DIRECTION} "
        "A KL is never negative; yours is.",
    ),
    Misconception(
        "kl_sign", {"kl_sign": -1},
        "The sign of the KL is flipped, or its log-ratio is reversed: log π_ref − log π_θ. "
        "A KL is never negative; yours is.",
    ),
    Misconception(
        "kl_unweighted", {"divergence": lambda p, q: np.sum(p - q)},
        f"The log-ratios are summed without weights. {_DIRECTION} Which probabilities weigh "
        "the actions?",
    ),
    Misconception(
        "kl_unweighted_mean", {"divergence": lambda p, q: np.mean(p - q)},
        f"The log-ratios are averaged with equal weights. {_DIRECTION} Which probabilities weigh "
        "the actions?",
    ),
    Misconception(
        "kl_mean_for_sum", {"divergence": lambda p, q: kl_sum(p, q) / p.size},
        "The terms are averaged over the actions where they are to be summed (mean for sum). The "
        "probabilities are the weights already; dividing by A counts them twice.",
    ),
    Misconception(
        "kl_not_summed", {"divergence": lambda p, q: np.exp(p) * (p - q)},
        "One term for each action came back, shape (A,). An expectation adds them up.",
    ),
    Misconception(
        "kl_log_prob_weights", {"divergence": lambda p, q: np.sum(p * (p - q))},
        "The log-probs themselves are the weights here: log-probs where probabilities are meant. "
        "Which function leads from one to the other?",
    ),
    Misconception(
        "kl_probabilities_inside", 
        {"divergence": lambda p, q: np.sum(np.exp(p) * (np.exp(p) - np.exp(q)))},
        "Inside the bracket are probabilities where log-probs are meant: a KL compares on the log "
        "scale.",
    ),
    Misconception(
        "kl_log_of_log", {"divergence": lambda p, q: np.sum(p * np.log(p / q))},
        "The log-probs are treated as if they were probabilities. What do logp and reference_logp "
        "hold?",
    ),
    Misconception(
        "kl_log_of_log_weighted", {"divergence": lambda p, q: np.sum(np.exp(p) * np.log(p / q))},
        "A logarithm is taken of log-probs, so it is a log of a log. A log of a quotient of "
        "probabilities is a difference of what you were given.",
    ),
    Misconception(
        "kl_entropy_only", {"divergence": lambda p, q: np.sum(np.exp(p) * p)},
        "The reference plays no part: this is Σ π log π, the negative entropy. How far is the "
        "policy from the reference?",
    ),
    Misconception(
        "kl_entropy", {"divergence": lambda p, q: -np.sum(np.exp(p) * p)},
        "This is the entropy of the policy; the reference plays no part.",
    ),
    Misconception(
        "kl_cross_entropy", {"divergence": lambda p, q: -np.sum(np.exp(p) * q)},
        "This is the cross-entropy −Σ π_θ log π_ref. It is not 0 for equal policies: which term "
        "is missing?",
    ),
    Misconception(
        "kl_absolute", {"divergence": lambda p, q: np.sum(np.exp(p) * np.abs(p - q))},
        "The absolute value of each log-ratio is taken. In a KL single terms may be negative; only "
        "their weighted sum is not.",
    ),
    Misconception(
        "kl_squared", {"divergence": lambda p, q: np.sum(np.exp(p) * (p - q) ** 2) / 2},
        "This is half the mean squared log-ratio, an approximation for policies close together. "
        "With a handful of actions the exact sum is just as easy.",
    ),
    Misconception(
        "kl_squared_distance", {"divergence": lambda p, q: np.sum((p - q) ** 2)},
        "This is a squared distance of log-probs; a KL weighs log-ratios by probabilities.",
    ),
    Misconception(
        "kl_total_variation",
        {"divergence": lambda p, q: np.sum(np.abs(np.exp(p) - np.exp(q))) / 2},
        "This is the total variation distance of the probabilities; a KL weighs log-ratios.",
    ),
    Misconception(
        "kl_symmetric", {"divergence": lambda p, q: (kl_sum(p, q) + kl_sum(q, p)) / 2},
        f"Both directions are averaged. {_DIRECTION} The penalty has one direction only.",
    ),
    Misconception(
        "kl_symmetric_sum", {"divergence": lambda p, q: kl_sum(p, q) + kl_sum(q, p)},
        f"Both directions are added. {_DIRECTION} The penalty has one direction only.",
    ),
    Misconception(
        "kl_in_bits", {"divergence": lambda p, q: kl_sum(p, q) / np.log(2)},
        "This is in bits (logarithm to base 2). The lesson counts in nats, the natural logarithm.",
    ),
    Misconception(
        "kl_softmax_twice",
        {"divergence": lambda p, q: kl_sum(*(log_softmax(np.exp(x)) for x in (p, q)))},
        "It looks as if softmax was taken twice: probabilities went in where log-probs belong, "
        "which flattens both policies.",
    ),
    Misconception(
        "kl_log_of_sum", {"divergence": lambda p, q: np.log(np.sum(np.exp(2 * p - q)))},
        "The logarithm is taken after summing: log of a sum for a sum of logs.",
    ),
    Misconception(
        "kl_exponentiated", {"divergence": lambda p, q: np.sum(np.exp(p) * np.exp(p - q))},
        "The ratio π_θ/π_ref itself is weighted; its logarithm is missing.",
    ),
    Misconception(
        "kl_swapped_mean", {"divergence": lambda p, q: kl_sum(q, p) / p.size},
        f"The arguments of the KL are swapped, and its terms averaged (mean for sum). {_DIRECTION}",
    ),
    Misconception(
        "kl_wrong_weights_mean", {"divergence": lambda p, q: np.mean(np.exp(q) * (p - q))},
        f"The log-ratio is weighted with the reference, and the terms are averaged. {_DIRECTION}",
    ),
    Misconception(
        "kl_distance", {"divergence": lambda p, q: np.sum(np.abs(p - q))},
        "This is the sum of absolute differences of the log-probs; a KL weighs log-ratios by "
        "probabilities.",
    ),
    Misconception(
        "kl_largest_term", {"divergence": lambda p, q: np.max(np.exp(p) * (p - q))},
        "Only the largest term is kept. An expectation adds up all of them.",
    ),
    Misconception(
        "kl_ratio_weights", {"divergence": lambda p, q: np.sum(np.exp(p - q) * (p - q))},
        f"The weights are the ratios π_θ/π_ref. {_DIRECTION} Whose probabilities weigh the terms?",
    ),
    Misconception(
        "kl_jensen_shannon", {"divergence": _jensen_shannon},
        f"This is the Jensen–Shannon divergence, by way of the mean policy. {_DIRECTION}",
    ),
)  # fmt: skip


def policy_pairs(rng):
    """Pairs (log π_θ, log π_ref): one of two actions to redo by hand, then random ones."""
    half, quarter, most = np.log(0.5), np.log(0.25), np.log(0.75)
    yield [most, quarter], [half, half]
    yield [quarter, half, quarter], [half, quarter, quarter]
    for count in (2, 3, 3, 6, 6):
        yield some_logp(rng, count), some_logp(rng, count)


def _cases():
    for logp, reference_logp in policy_pairs(np.random.default_rng(606)):
        yield case(logp=logp, reference_logp=reference_logp)
    equal = some_logp(np.random.default_rng(607), 3)
    yield case(logp=equal, reference_logp=equal)


EXERCISES = (Exercise("kl", "scalar, nats", kl, tuple(_cases()), DIVERGENCE),)
