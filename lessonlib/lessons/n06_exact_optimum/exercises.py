"""Exercise on the exact optimum of the regularised objective."""

import numpy as np

from lessonlib.teaching.exercises.model import (
    Exercise,
    Misconception,
    case,
    log_softmax,
    softmax,
    some_logp,
)


def tilted(q, r, beta):
    """log π_ref + r/β, not normalised."""
    return q + r / beta


def optimal_logp(reference_logp, rewards, beta, *, tilt=tilted, normalise=log_softmax):
    """log π* of π* ∝ π_ref·exp(r/β), (A,)."""
    return normalise(tilt(reference_logp, rewards, beta))


def _in_probability_space(x):
    weights = np.exp(x)
    return np.log(weights / np.sum(weights))


# π* itself, for the exercises that build on it.
TILT = (
    Misconception(
        "times_beta", {"tilt": lambda q, r, b: q + r * b},
        "The reward is multiplied by β where it is to be divided (r·β for r/β): a dear KL, a "
        "large β, would then move the policy further. Where should it be for β → ∞?",
    ),
    Misconception(
        "without_reference", {"tilt": lambda q, r, b: r / b},
        "The reference plays no part: this is a softmax of r/β alone. For a large β the optimum "
        "must return to the reference; where does yours go?",
    ),
    Misconception(
        "times_beta_without_reference", {"tilt": lambda q, r, b: r * b},
        "The reference plays no part, and the reward is multiplied by β where it is to be "
        "divided. Where should the optimum be for β → ∞, and where for β → 0?",
    ),
    Misconception(
        "reward_sign", {"tilt": lambda q, r, b: q - r / b},
        "The sign of the reward is flipped: the optimum runs from the best action.",
    ),
    Misconception(
        "everything_divided", {"tilt": lambda q, r, b: (q + r) / b},
        "The log-probs of the reference are divided by β as well. For a large β that becomes "
        "uniform; the optimum must return to the reference.",
    ),
    Misconception(
        "reference_divided", {"tilt": lambda q, r, b: q / b + r},
        "β divides the reference in place of the reward. Which of the two should fade as β grows?",
    ),
    Misconception(
        "reference_times_beta", {"tilt": lambda q, r, b: b * q + r},
        "β multiplies the reference, which is right only together with a division of the whole. "
        "Write the condition for the optimum once more and solve it for log π*.",
    ),
    Misconception(
        "beta_ignored", {"tilt": lambda q, r, b: q + r},
        "β plays no part. It is the price of a nat: the dearer, the nearer to the reference.",
    ),
    Misconception(
        "reference_subtracted", {"tilt": lambda q, r, b: r / b - q},
        "The log-probs of the reference are taken away where they are to be added: actions rare "
        "under the reference are favoured.",
    ),
    Misconception(
        "reference_as_probability", {"tilt": lambda q, r, b: np.exp(q) + r / b},
        "The probabilities of the reference are added where log-probs are meant: a factor "
        "π_ref(a) is, on the log scale, a summand of which kind?",
    ),
    Misconception(
        "reward_as_factor", {"tilt": lambda q, r, b: q + np.log(np.abs(r) / b)},
        "π_ref is multiplied by r/β itself; the exponential of the reward is missing. A weight "
        "must be positive, whatever the sign of the reward.",
    ),
    Misconception(
        "logs_multiplied", {"tilt": lambda q, r, b: q * r / b},
        "The log-probs are multiplied by the reward. A product of factors is a sum on the log "
        "scale.",
    ),
    Misconception(
        "beta_squared", {"tilt": lambda q, r, b: q + r / b**2},
        "β comes in twice.",
    ),
    Misconception(
        "half_the_reward", {"tilt": lambda q, r, b: q + r / (2 * b)},
        "The reward is divided by 2β: the derivative of the KL brings no factor 2.",
    ),
    Misconception(
        "probability_as_score", {"tilt": lambda q, r, b: np.exp(q + r / b)},
        "It looks as if softmax was taken twice: an exponential was taken before the final "
        "normalising, which takes one itself.",
    ),
    Misconception(
        "advantage_scaled", {"tilt": lambda q, r, b: q + (r - r.mean()) / (r.std() * b)},
        "The rewards are divided by their standard deviation. That changes what β means; only a "
        "constant added to all rewards changes nothing.",
    ),
    Misconception(
        "still_reference", {"tilt": lambda q, r, b: q},
        "This is the reference itself: reward and β play no part.",
    ),
)  # fmt: skip

_NORMALISE = (
    Misconception(
        "not_normalised", {"normalise": np.asarray},
        "The result is not normalised: exp of a policy's log-probs sums to 1. What is the sum of "
        "yours?",
    ),
    Misconception(
        "overflow", {"normalise": _in_probability_space},
        "Normalising in probability space overflows for a small β: exp(r/β) leaves the range of "
        "floating point and turns into inf and NaN. Which function normalises on the log scale?",
    ),
    Misconception(
        "overflow_of_the_sum", {"normalise": lambda x: x - np.log(np.sum(np.exp(x)))},
        "The sum of exp(r/β) overflows for a small β and turns into inf. Which function takes the "
        "log of a sum of exponentials without leaving the log scale?",
    ),
    Misconception(
        "normalised_without_reference",
        {
            "tilt": lambda q, r, b: q + log_softmax(r / b),
            "normalise": np.asarray,
        },
        "The normalising sum runs over exp(r/β) alone: the reference belongs into it too. exp of "
        "the result must sum to 1.",
    ),
    Misconception(
        "factors_added", {"tilt": lambda q, r, b: np.logaddexp(q, r / b)},
        "π_ref(a) and exp(r(a)/β) are added where they are to be multiplied.",
    ),
    Misconception(
        "probabilities_returned", {"normalise": softmax},
        "Probabilities came back where log-probs are asked for (optimal_logp, in nats).",
    ),
    Misconception(
        "probabilities_overflow", {"normalise": lambda x: np.exp(x) / np.sum(np.exp(x))},
        "Probabilities came back where log-probs are asked for; and normalising in probability "
        "space overflows for a small β.",
    ),
    Misconception(
        "weights_returned", {"normalise": np.exp},
        "These are unnormalised weights on the probability scale. Asked for are log-probs of a "
        "policy, whose probabilities sum to 1.",
    ),
    Misconception(
        "divided_by_sum", {"normalise": lambda x: x / np.sum(x)},
        "Log-weights are divided by their sum. On the log scale normalising takes something away "
        "from every entry; what?",
    ),
    Misconception(
        "shifted_by_maximum", {"normalise": lambda x: x - np.max(x)},
        "The maximum is taken away, which guards against overflow but does not normalise: exp of "
        "the result does not sum to 1.",
    ),
    Misconception(
        "shifted_by_mean", {"normalise": lambda x: x - np.mean(x)},
        "The mean is taken away, which does not normalise: exp of the result does not sum to 1.",
    ),
    Misconception(
        "shifted_by_sum", {"normalise": lambda x: x - np.sum(x)},
        "The sum of the log-weights is taken away: sum of logs for a log of a sum. exp of the "
        "result does not sum to 1.",
    ),
    Misconception(
        "sum_of_weights_without_log", {"normalise": lambda x: x - np.sum(np.exp(x))},
        "The sum of the weights is taken away; its logarithm is missing.",
    ),
    Misconception(
        "softmax_twice", {"normalise": lambda x: log_softmax(softmax(x))},
        "It looks as if softmax was taken twice: log_softmax was given probabilities.",
    ),
    Misconception(
        "best_action_only", {"normalise": lambda x: np.where(x == x.max(), 0.0, -np.inf)},
        "All probability sits on one action. That is the limit β → 0; for any β above it every "
        "action keeps some.",
    ),
    Misconception(
        "sign", {"normalise": lambda x: -log_softmax(x)},
        "The sign is flipped: log-probs are never above 0.",
    ),
)  # fmt: skip


def _cases():
    log2 = np.log(2.0)
    yield case(reference_logp=np.log([0.5, 0.5]), rewards=[2 * log2, 0.0], beta=2.0)
    yield case(reference_logp=np.log([0.5, 0.25, 0.25]), rewards=[0.0, log2, -log2], beta=0.5)
    rng = np.random.default_rng(1010)
    for count, beta in ((3, 0.2), (3, 3.0), (6, 0.5), (6, 1.3), (2, 0.7)):
        reference_logp, rewards = some_logp(rng, count), rng.normal(0.5, 1, count)
        yield case(reference_logp=reference_logp, rewards=rewards, beta=beta)
    # r/β near 800: exp overflows in double precision too; the differences stay small.
    reference_logp = np.log([0.5, 0.25, 0.25])
    yield case(reference_logp=reference_logp, rewards=[12.0, 12.25, 11.75], beta=1 / 64)


EXERCISES = (Exercise("optimal_logp", "(A,)", optimal_logp, tuple(_cases()), TILT + _NORMALISE),)
