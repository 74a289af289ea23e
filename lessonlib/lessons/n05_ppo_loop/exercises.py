"""Exercise on advantages with an exact baseline, and the ways to centre wrongly."""

import numpy as np

from lessonlib.lessons.n07_exercises.exercises.surrogate import whitened, whitened_unbiased
from lessonlib.teaching.exercises.model import Exercise, Misconception, case, softmax, some_logp


def expected(p, r, a):
    """Σ_a π_old(a) r(a)."""
    return np.sum(np.exp(p) * r)


def sampled(a, p, r, baseline):
    """r(a) − baseline for every sample, (N,)."""
    return r[a] - baseline


def advantages(
    actions, old_logp, rewards, *, baseline=expected, combine=sampled, scale=np.asarray, sign=1
):
    """r(a) − Σ_a π_old(a) r(a), (N,)."""
    centre = baseline(old_logp, rewards, actions)
    return sign * scale(combine(actions, old_logp, rewards, centre))


def _leave_one_out(p, r, a):
    others = max(len(a) - 1, 1)
    return (np.sum(r[a]) - r[a]) / others


ADVANTAGES = (
    Misconception(
        "not_centred", {"baseline": lambda p, r, a: 0.0},
        "The rewards are not centred: the baseline is missing. An advantage says how much better "
        "an action is than the policy's average, so its expectation under π_old is 0.",
    ),
    Misconception(
        "batch_mean", {"baseline": lambda p, r, a: np.mean(r[a])},
        "The baseline is the batch mean of the sampled rewards: an estimate that depends on the "
        "draws. The policy is known, so its expected reward can be summed exactly.",
    ),
    Misconception(
        "uniform_mean", {"baseline": lambda p, r, a: np.mean(r)},
        "The baseline is the plain mean of the rewards: centred with the wrong policy, the uniform "
        "one. How often does π_old take each action?",
    ),
    Misconception(
        "log_probs_as_weights", {"baseline": lambda p, r, a: np.sum(p * r)},
        "The baseline weighs rewards with log-probs where probabilities are meant.",
    ),
    Misconception(
        "mean_for_sum", {"baseline": lambda p, r, a: np.mean(np.exp(p) * r)},
        "The baseline averages π·r over the actions where it is to be summed. The probabilities "
        "are the weights already.",
    ),
    Misconception(
        "baseline_depends_on_action", {"baseline": lambda p, r, a: (np.exp(p) * r)[a]},
        "The baseline depends on the action: π(a)r(a) of the sampled action. A baseline that looks "
        "at the action biases the gradient; take one number for all samples.",
    ),
    Misconception(
        "sum_over_samples", {"baseline": lambda p, r, a: np.sum((np.exp(p) * r)[a])},
        "The baseline sums π·r over the sampled actions, not over all actions of the policy.",
    ),
    Misconception(
        "mean_over_samples", {"baseline": lambda p, r, a: np.mean((np.exp(p) * r)[a])},
        "The baseline averages π·r over the sampled actions: each action is weighted twice, by its "
        "probability and by how often it was drawn.",
    ),
    Misconception(
        "best_reward", {"baseline": lambda p, r, a: np.max(r)},
        "The baseline is the largest reward, so no advantage is ever positive. Compare with the "
        "policy's average.",
    ),
    Misconception(
        "worst_reward", {"baseline": lambda p, r, a: np.min(r)},
        "The baseline is the smallest reward, so no advantage is ever negative. Compare with the "
        "policy's average.",
    ),
    Misconception(
        "reward_of_likeliest", {"baseline": lambda p, r, a: r[np.argmax(p)]},
        "The baseline is the reward of the most likely action. The policy's average has the others "
        "in it as well.",
    ),
    Misconception(
        "leave_one_out", {"baseline": _leave_one_out},
        "The baseline is the mean reward of the other samples (leave-one-out). It is unbiased but "
        "noisy; the policy is known, so the exact expectation is at hand.",
    ),
    Misconception(
        "softmax_twice", {"baseline": lambda p, r, a: np.sum(softmax(np.exp(p)) * r)},
        "The baseline looks as if softmax was taken twice: probabilities went in where log-probs "
        "belong.",
    ),
    Misconception(
        "median_reward", {"baseline": lambda p, r, a: np.median(r[a])},
        "The baseline is the median of the sampled rewards. Asked for is the expected reward.",
    ),
    Misconception(
        "baseline_added", {"baseline": lambda p, r, a: -np.sum(np.exp(p) * r)},
        "The baseline is added where it is to be taken away.",
    ),
    Misconception(
        "every_action", {"combine": lambda a, p, r, b: r - b},
        "One advantage for each action came back, (A,): the sampled actions are not used to pick. "
        "Asked for is one for each sample, (N,).",
    ),
    Misconception(
        "baseline_only", {"combine": lambda a, p, r, b: b},
        "This is the baseline by itself, one number. What did each sample score beside it?",
    ),
    Misconception(
        "baseline_repeated", {"combine": lambda a, p, r, b: b + 0 * r[a]},
        "This is the baseline for every sample. What did each sample's action score beside it?",
    ),
    Misconception(
        "action_as_reward", {"combine": lambda a, p, r, b: a - b},
        "The action's index is used as if it were its reward. Which array holds the rewards?",
    ),
    Misconception(
        "weighted_by_probability", {"combine": lambda a, p, r, b: np.exp(p[a]) * (r[a] - b)},
        "Each advantage is multiplied with the action's probability. The samples were drawn with "
        "it already, so it would count twice.",
    ),
    Misconception(
        "reward_weighted_by_probability", {"combine": lambda a, p, r, b: np.exp(p[a]) * r[a] - b},
        "Each reward is multiplied with the action's probability. The samples were drawn with it "
        "already, so it would count twice.",
    ),
    Misconception(
        "weighted_by_log_prob", {"combine": lambda a, p, r, b: p[a] * (r[a] - b)},
        "Each advantage is multiplied with the log-prob. That is the surrogate of REINFORCE, not "
        "the advantage.",
    ),
    Misconception(
        "log_prob_for_reward", {"combine": lambda a, p, r, b: p[a] - b},
        "Log-probs are picked where rewards are meant.",
    ),
    Misconception(
        "probability_subtracted", {"combine": lambda a, p, r, b: r[a] - np.exp(p[a])},
        "The action's probability is taken away from its reward. The baseline is in the units of "
        "the reward.",
    ),
    Misconception(
        "log_prob_subtracted", {"combine": lambda a, p, r, b: r[a] - p[a]},
        "The action's log-prob is taken away from its reward. The baseline is in the units of the "
        "reward.",
    ),
    Misconception(
        "counted_from_one", {"combine": lambda a, p, r, b: r[a - 1] - b},
        "The actions are shifted by one: they are counted from 0.",
    ),
    Misconception(
        "divided_by_baseline", {"combine": lambda a, p, r, b: r[a] / b},
        "The reward is divided by the baseline; an advantage is a difference.",
    ),
    Misconception(
        "every_sample_with_every", {"combine": lambda a, p, r, b: (r[a] - b)[:, None] + 0 * r[a]},
        "Every sample met every other, a table (N, N): a shape (N, 1) met a shape (N,).",
    ),
    Misconception(
        "column", {"scale": lambda x: x[..., None]},
        "The numbers came back as a column, (N, 1) instead of (N,). Against an array (N,) it "
        "would broadcast to (N, N) without an error.",
    ),
    Misconception(
        "averaged", {"scale": np.mean},
        "The mean over the batch came back. Each sample keeps its own advantage, (N,).",
    ),
    Misconception(
        "summed", {"scale": np.sum},
        "The sum over the batch came back. Each sample keeps its own advantage, (N,).",
    ),
    Misconception(
        "whitened", {"scale": whitened},
        "The advantages are whitened: shifted and scaled to mean 0 and standard deviation 1 in the "
        "batch. That loses the scale of the reward against β·KL, and depends on the draws.",
    ),
    Misconception(
        "whitened_unbiased", {"scale": whitened_unbiased},
        "The advantages are whitened: shifted and scaled to mean 0 and standard deviation 1 in the "
        "batch. That loses the scale of the reward against β·KL, and depends on the draws.",
    ),
    Misconception(
        "scaled", {"scale": lambda x: x / (np.std(x) + 1e-8)},
        "The advantages are divided by their standard deviation in the batch. That loses the scale "
        "of the reward against β·KL.",
    ),
    Misconception(
        "absolute", {"scale": np.abs},
        "The sign is lost (an absolute value): actions below the average look good as well.",
    ),
    Misconception(
        "sign", {"sign": -1},
        "The sign is flipped: baseline minus reward. An action better than the average has a "
        "positive advantage.",
    ),
)  # fmt: skip


def _cases():
    yield case(actions=[0, 1], old_logp=np.log([0.75, 0.25]), rewards=[1.0, 3.0])
    third = np.log([0.5, 0.25, 0.25])
    yield case(actions=[0, 1, 2, 1], old_logp=third, rewards=[2.0, -4.0, 1.0])
    rng = np.random.default_rng(1212)
    for count, batch in ((3, 4), (2, 1), (6, 12), (6, 12), (3, 4)):
        actions, old_logp = rng.integers(0, count, batch), some_logp(rng, count)
        yield case(actions=actions, old_logp=old_logp, rewards=rng.normal(0.5, 2, count))


EXERCISES = (Exercise("advantages", "(N,)", advantages, tuple(_cases()), ADVANTAGES),)
