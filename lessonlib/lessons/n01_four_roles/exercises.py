"""Exercise on the importance ratio of current and behaviour policy."""

import numpy as np

from lessonlib.teaching.exercises.model import (
    Exercise,
    Misconception,
    case,
    log_softmax,
    softmax,
    some_logp,
)


def ratio(logits, old_logps, actions):
    """ρ = exp(log π_θ(a) − log π_old(a)), (N,)."""
    return np.exp(log_softmax(logits)[actions] - old_logps)


def ratios(logits, old_logps, actions, *, rule=ratio, reduce=np.asarray):
    """The ratio of each sample, (N,)."""
    return reduce(rule(logits, old_logps, actions))


def _cases():
    rng = np.random.default_rng(202)
    half, quarter = np.log(0.5), np.log(0.25)
    logits = [half, quarter, quarter]
    yield case(logits=logits, old_logps=[quarter, half, quarter], actions=[0, 1, 2])
    # A constant added to all logits leaves the policy as it was.
    shifted = [half + 1, quarter + 1, quarter + 1]
    yield case(logits=shifted, old_logps=[half, quarter, half], actions=[0, 0, 2])
    yield case(logits=[1.0, 0.0], old_logps=[half], actions=[1])
    for count, batch in ((3, 3), (2, 1), (6, 12), (6, 12)):
        old, actions = some_logp(rng, count), rng.integers(0, count, batch)
        logits = rng.normal(0.4, 0.8, count)
        yield case(logits=logits, old_logps=old[actions], actions=actions)


RATIO = (
    Misconception(
        "log_ratio", {"rule": lambda x, o, a: log_softmax(x)[a] - o},
        "This is the log-ratio: the exponential is missing. At equal policies a ratio is 1, "
        "a log-ratio 0. Which of the two do the clip bounds 1 − ε and 1 + ε speak of?",
    ),
    Misconception(
        "ratio_inverted", {"rule": lambda x, o, a: np.exp(o - log_softmax(x)[a])},
        "The ratio is inverted, π_old over π_θ: it falls when the action becomes more probable. "
        "Which policy is being changed, and should ρ rise or fall when it favours the action more?",
    ),
    Misconception(
        "log_ratio_inverted", {"rule": lambda x, o, a: o - log_softmax(x)[a]},
        "This is a log-ratio (no exponential), and inverted: old minus current. What is a ratio at "
        "equal policies, and should it rise or fall when π_θ favours the action more?",
    ),
    Misconception(
        "logits_not_normalised", {"rule": lambda x, o, a: np.exp(x[a] - o)},
        "The logits are used as log-probs without normalising: logits are not log-probabilities "
        "(no log_softmax was taken). Add a constant to all logits: π_θ stays, yours changes.",
    ),
    Misconception(
        "softmax_twice", {"rule": lambda x, o, a: np.exp(log_softmax(softmax(x))[a] - o)},
        "It looks as if softmax was taken twice: probabilities went in where logits belong, which "
        "flattens the policy. How often is the policy normalised on its way to ρ?",
    ),
    Misconception(
        "probability_minus_log_prob", {"rule": lambda x, o, a: np.exp(softmax(x)[a] - o)},
        "A probability meets a log-prob: π_θ(a) − log π_old(a) mixes two scales. old_logps are in "
        "nats; on which scale is your current policy?",
    ),
    Misconception(
        "divided_by_log_prob", {"rule": lambda x, o, a: softmax(x)[a] / o},
        "A probability is divided by a log-prob: old_logps hold log π_old(a), in nats, not "
        "π_old(a). Bring both to one scale first.",
    ),
    Misconception(
        "logs_divided", {"rule": lambda x, o, a: log_softmax(x)[a] / o},
        "Two log-probs are divided. The log of a quotient is a difference of logs; what takes you "
        "back to the quotient?",
    ),
    Misconception(
        "exp_of_logs_divided", {"rule": lambda x, o, a: np.exp(log_softmax(x)[a] / o)},
        "Two log-probs are divided before the exponential. The log of a quotient is a difference "
        "of logs.",
    ),
    Misconception(
        "difference_of_probabilities", {"rule": lambda x, o, a: softmax(x)[a] - np.exp(o)},
        "This is the difference of the two probabilities. A ratio compares them by division: at "
        "equal policies it is 1, not 0.",
    ),
    Misconception(
        "product_of_probabilities", {"rule": lambda x, o, a: np.exp(log_softmax(x)[a] + o)},
        "The two log-probs are added, which multiplies the probabilities. At equal policies ρ "
        "must be 1; is yours?",
    ),
    Misconception(
        "old_recomputed", {"rule": lambda x, o, a: np.ones(len(a))},
        "Every ratio is exactly 1: the old log-probs are recomputed from the current policy, so "
        "it is compared with itself. They were stored when the actions were drawn: which argument "
        "holds them?",
    ),
    Misconception(
        "old_ignored", {"rule": lambda x, o, a: softmax(x)[a]},
        "This is π_θ(a) alone: the behaviour policy's old log-probs play no part. A ratio says how "
        "much more probable the action is now than when it was drawn.",
    ),
    Misconception(
        "log_prob_only", {"rule": lambda x, o, a: log_softmax(x)[a]},
        "This is log π_θ(a) alone: neither the old log-probs nor the exponential have come in yet.",
    ),
    Misconception(
        "current_ignored", {"rule": lambda x, o, a: np.exp(o)},
        "This is π_old(a) alone: the current policy plays no part. Which argument holds it?",
    ),
    Misconception(
        "actions_ignored", {"rule": lambda x, o, a: np.exp(log_softmax(x) - o)},
        "The sampled actions are not used to pick: entry n of log π_θ is not the log-prob of "
        "sample n. Arrays over actions have length A, arrays over samples length N.",
    ),
    Misconception(
        "old_indexed_again",
        {"rule": lambda x, o, a: np.exp(log_softmax(x)[a] - o[np.minimum(a, len(o) - 1)])},
        "old_logps is indexed by the actions, but it already holds one number for each sample, "
        "shape (N,). (JAX clamps an index that is out of range, without an error.) Which of the "
        "two arrays is still over actions?",
    ),
    Misconception(
        "normalised_over_samples", {"rule": lambda x, o, a: np.exp(log_softmax(x[a]) - o)},
        "The logits are picked first and normalised afterwards, over the samples: wrong axis. A "
        "policy sums to one over its A actions, not over the batch. Which comes first?",
    ),
    Misconception(
        "all_actions_for_each_sample",
        {"rule": lambda x, o, a: np.exp(log_softmax(x) - o[:, None])},
        "Every action is compared with every sample, a table (N, A): (N, 1) met (A,). Only the "
        "action that was drawn belongs to a sample.",
    ),
    Misconception(
        "every_log_prob_with_every",
        {"rule": lambda x, o, a: np.exp(log_softmax(x)[a] - o[:, None])},
        "Every sample is compared with every other, a table (N, N): a shape (N, 1) met a shape "
        "(N,). Sample n of the one belongs to sample n of the other alone.",
    ),
    Misconception(
        "clipped_too_early", {"rule": lambda x, o, a: np.clip(ratio(x, o, a), 0.8, 1.2)},
        "The ratio is clipped already here. The surrogate needs both, the ratio as it is and the "
        "clipped one; if only the clipped one is kept, no minimum can be taken.",
    ),
    Misconception(
        "minus_one", {"rule": lambda x, o, a: ratio(x, o, a) - 1},
        "One is taken away: this is the distance of ρ from 1. At equal policies ρ is 1.",
    ),
    Misconception(
        "reference_probability", {"rule": lambda x, o, a: softmax(x)[a] / np.mean(np.exp(o))},
        "One common denominator is used for all samples. Each sample has its own old log-prob.",
    ),
    Misconception(
        "probability_less_log_prob", {"rule": lambda x, o, a: softmax(x)[a] - o},
        "A log-prob is taken away from a probability. old_logps are in nats: bring both to one "
        "scale, then ask how a ratio is formed on it.",
    ),
    Misconception(
        "log_ratio_of_logits", {"rule": lambda x, o, a: x[a] - o},
        "This is a log-ratio (no exponential), made of logits that were not normalised: two steps "
        "are missing, one at each end.",
    ),
    Misconception(
        "every_old_with_every", {"rule": lambda x, o, a: np.exp(log_softmax(x)[a][:, None] - o)},
        "Every sample is compared with every other, a table (N, N): a shape (N, 1) met a shape "
        "(N,). Sample n of the one belongs to sample n of the other alone.",
    ),
    Misconception(
        "old_normalised", {"rule": lambda x, o, a: np.exp(log_softmax(x)[a] - log_softmax(o))},
        "The old log-probs are normalised once more, over the batch. They are log-probs already, "
        "one for each sample, and need not sum to one.",
    ),
    Misconception(
        "exponential_twice", {"rule": lambda x, o, a: np.exp(ratio(x, o, a))},
        "The exponential is taken twice. At equal policies ρ is 1; what is yours?",
    ),
    Misconception(
        "counted_from_one", {"rule": lambda x, o, a: np.exp(log_softmax(x)[a - 1] - o)},
        "The actions are shifted by one: they are counted from 0.",
    ),
)  # fmt: skip

REDUCED = (
    Misconception(
        "mean_of_ratios", {"reduce": np.mean},
        "The mean over the batch came back. Each sample keeps its own ratio, shape (N,): it meets "
        "its own advantage later.",
    ),
    Misconception(
        "product_of_ratios", {"reduce": np.prod},
        "The ratios of the batch are multiplied together. In a bandit each sample stands for "
        "itself; the shape should be (N,).",
    ),
    Misconception(
        "column", {"reduce": lambda x: x[..., None]},
        "The numbers came back as a column, (N, 1) instead of (N,). Against an array (N,) it "
        "would broadcast to (N, N) without an error.",
    ),
)  # fmt: skip

EXERCISES = (
    Exercise(
        "ratios", "(N,)", ratios, tuple(_cases()), RATIO + REDUCED,
        extremes=(case(logits=[120.0, 0.0], old_logps=[np.log(0.5), -121.0], actions=[0, 1]),),
    ),
)  # fmt: skip
