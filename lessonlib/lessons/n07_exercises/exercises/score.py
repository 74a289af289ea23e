"""Exercise on the score-function gradient, by enumeration."""

import numpy as np

from lessonlib.teaching.exercises.model import Exercise, Misconception, case, softmax


def scores(p):
    """Row a is ∇ log π(a) with respect to the logits: e_a − π, (A, A)."""
    return np.eye(p.size) - p


def enumerate_actions(p, r, c):
    """Σ_a π(a) ∇log π(a) [r(a) − c]."""
    return (p * (r - c)) @ scores(p)


def policy_gradient(logits, rewards, baseline, *, total=enumerate_actions, policy=softmax, sign=1):
    """∇_θ Σ_a π(a) r(a), (A,). The baseline cancels, so it can be anything."""
    return sign * total(policy(logits), rewards, baseline)


POLICY = (
    Misconception(
        "logits_as_log_probs", {"policy": np.exp},
        "The logits are used as log-probs without normalising: exp of logits does not sum to one. "
        "Add a constant to all logits: the policy stays the same; does your answer?",
    ),
    Misconception(
        "softmax_twice", {"policy": lambda x: softmax(softmax(x))},
        "It looks as if softmax was taken twice, which flattens the policy.",
    ),
    Misconception(
        "uniform_policy", {"policy": lambda x: np.full(x.size, 1 / x.size)},
        "Every action counts the same, as under a uniform policy: the logits play no part.",
    ),
    Misconception(
        "logits_as_probabilities", {"policy": np.asarray},
        "The logits are used as if they were probabilities. What makes logits into a policy?",
    ),
)  # fmt: skip

_GRADIENT = (
    Misconception(
        "score_without_minus", {"total": lambda p, r, c: p * (r - c)},
        "∇ log π(a) is taken as 1 at the action and 0 elsewhere: the part that pushes the other "
        "actions down is missing. The probabilities sum to one, so raising a logit lowers all "
        "others. Do the entries of your gradient sum to 0?",
    ),
    Misconception(
        "baseline_not_weighted", {"total": lambda p, r, c: (p * r - c) @ scores(p)},
        "The baseline is taken away after weighting with π(a), so it is not weighted itself. "
        "Every r(a) − c carries the probability of its action; then the baseline cancels.",
    ),
    Misconception(
        "probabilities_missing", {"total": lambda p, r, c: (r - c) @ scores(p)},
        "The actions are summed without the weights π(a). An expectation under the policy weighs "
        "each action by how often it is taken.",
    ),
    Misconception(
        "uniform_mean_of_actions", {"total": lambda p, r, c: (r - c) @ scores(p) / p.size},
        "The actions are averaged with equal weights. An expectation under the policy weighs each "
        "action by how often it is taken.",
    ),
    Misconception(
        "mean_for_sum", {"total": lambda p, r, c: enumerate_actions(p, r, c) / p.size},
        "The weighted terms are averaged where they are to be summed (mean for sum). The "
        "probabilities are the weights already.",
    ),
    Misconception(
        "scores_transposed", {"total": lambda p, r, c: (p * (r - c)) @ scores(p).T},
        "The table of scores is used along the wrong axis: row a is ∇log π(a), and the sum runs "
        "over actions a, not over the logits.",
    ),
    Misconception(
        "not_summed", {"total": lambda p, r, c: (p * (r - c))[:, None] * scores(p)},
        "One gradient for each action came back, a table (A, A). The expectation sums over the "
        "actions.",
    ),
    Misconception(
        "summed_over_logits",
        {"total": lambda p, r, c: np.sum((p * (r - c))[:, None] * scores(p), axis=1)},
        "The table of terms is summed along the wrong axis: over the logits instead of the "
        "actions. A score sums to 0 over the logits.",
    ),
    Misconception(
        "gradient_of_probabilities", {"total": lambda p, r, c: r - c},
        "This is r − c, the derivative with respect to the probabilities. The logits reach the "
        "probabilities through softmax, which has a derivative too.",
    ),
    Misconception(
        "diagonal_only", {"total": lambda p, r, c: p * (1 - p) * (r - c)},
        "Only the diagonal of the softmax derivative is used, π(1 − π). Raising one logit also "
        "lowers the probabilities of all other actions.",
    ),
    Misconception(
        "diagonal_only_without_baseline", {"total": lambda p, r, c: p * (1 - p) * r},
        "Only the diagonal of the softmax derivative is used, π(1 − π). Raising one logit also "
        "lowers the probabilities of all other actions.",
    ),
    Misconception(
        "advantage_only", {"total": lambda p, r, c: r - p @ r},
        "This is the advantage r − E[r] of each action. The probability with which the action "
        "is taken is missing.",
    ),
    Misconception(
        "reward_weighted", {"total": lambda p, r, c: p * r},
        "This is π(a)·r(a), the terms of the expected reward. The score ∇log π(a) is missing.",
    ),
    Misconception(
        "scalar_objective", {"total": lambda p, r, c: p @ (r - c)},
        "This is the expected reward itself less the baseline, one number. Asked for is its "
        "gradient, (A,).",
    ),
    Misconception(
        "expected_reward", {"total": lambda p, r, c: p @ r},
        "This is the expected reward itself, one number. Asked for is its gradient, (A,).",
    ),
    Misconception(
        "probability_twice", {"total": lambda p, r, c: (p**2 * (r - c)) @ scores(p)},
        "The probability comes in twice: ∇π(a) = π(a)∇log π(a), so with the score one factor π(a) "
        "is enough.",
    ),
    Misconception(
        "score_of_inverse_probability", {"total": lambda p, r, c: (r - c) / p},
        "The score is taken as 1/π(a), the derivative of log with respect to the probability. "
        "Asked for is the gradient with respect to the logits.",
    ),
    Misconception(
        "score_sign", {"total": lambda p, r, c: (p * (r - c)) @ (np.eye(p.size) + p)},
        "The score has a plus where a minus belongs: raising one logit takes probability away from "
        "the others.",
    ),
    Misconception(
        "score_is_probability", {"total": lambda p, r, c: (p * (r - c)) @ (np.eye(p.size) * p)},
        "The score is taken as π(a) at the action. Write down log π(a) of the logits and "
        "differentiate both of its terms.",
    ),
    Misconception(
        "log_objective", {"total": lambda p, r, c: enumerate_actions(p, r, c) / (p @ r)},
        "The gradient is divided by the expected reward: it belongs to log E[r].",
    ),
    Misconception(
        "baseline_depends_on_action", {"total": lambda p, r, c: (p * (r - p * r)) @ scores(p)},
        "The baseline depends on the action: π(a)r(a) is taken away from r(a). Only a baseline "
        "that does not look at the action leaves the gradient where it is.",
    ),
    Misconception(
        "mean_of_gradient_removed", {"total": lambda p, r, c: p * (r - np.mean(r))},
        "The plain mean of the rewards is taken away instead of the score's own second term. "
        "Which mean belongs to the policy?",
    ),
    Misconception(
        "baseline_from_gradient", {"total": lambda p, r, c: enumerate_actions(p, r, 0) - c},
        "The baseline is taken away from the finished gradient. It belongs to the reward of each "
        "action, before the score comes in; then it cancels.",
    ),
    Misconception(
        "log_probs_as_score", {"total": lambda p, r, c: np.log(p) * (r - c)},
        "log π(a) itself stands where its gradient is meant. Differentiate it with respect to the "
        "logits.",
    ),
    Misconception(
        "squared_weights", {"total": lambda p, r, c: p**2 * (r - p @ r)},
        "The probability comes in twice.",
    ),
    Misconception(
        "weights_differentiated",
        {"total": lambda p, r, c: (p * (1 + np.log(p)) * (r - c)) @ scores(p)},
        "The weights π(a) were differentiated together with log π(a). In the score-function "
        "estimator they only count how often an action is taken.",
    ),
    Misconception(
        "likeliest_action_only",
        {"total": lambda p, r, c: scores(p)[np.argmax(p)] * (r[np.argmax(p)] - c)},
        "Only the most likely action is used. The expectation runs over all of them.",
    ),
    Misconception(
        "sign", {"sign": -1},
        "The sign is flipped: this is the gradient of a loss, to descend. Asked for is the "
        "gradient of the expected reward, to ascend.",
    ),
)  # fmt: skip


def policies():
    """Logits and rewards: two to redo by hand, one with shifted logits, then random ones."""
    yield np.log([0.75, 0.25]), [1.0, 3.0]
    yield np.log([0.5, 0.25, 0.25]), [2.0, -4.0, 1.0]
    yield np.log([0.5, 0.25, 0.25]) + 1, [2.0, -4.0, 1.0]
    rng = np.random.default_rng(909)
    for count in (3, 6, 6, 2):
        yield rng.normal(0, 1, count), rng.normal(0.5, 2, count)


def _gradient_cases():
    for (logits, rewards), baseline in zip(
        policies(), (0.0, 1.0, -0.5, 0.7, 0.0, 2.0, -1.3), strict=True
    ):
        yield case(logits=logits, rewards=rewards, baseline=baseline)


EXERCISES = (
    Exercise(
        "policy_gradient", "(A,)", policy_gradient, tuple(_gradient_cases()), _GRADIENT + POLICY
    ),
)
