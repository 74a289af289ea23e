"""Exercise on collecting a batch: judged by consistency, use of the key, and distribution."""

import jax
import numpy as np

from lessonlib.lessons.n05_ppo_loop.exercises import ADVANTAGES, expected, sampled
from lessonlib.teaching.exercises.judging import NOT_ATTEMPTED, refusal, verdict
from lessonlib.teaching.exercises.model import (
    Case,
    Exercise,
    Misconception,
    case,
    log_softmax,
    softmax,
)
from lessonlib.teaching.exercises.result import CheckResult
from lessonlib.teaching.exercises.watching import calls

_NAMES = ("actions", "old_logps", "advantages")
# The first batches of one are drawn once more, each from its own key.
_AGAIN = 8
# Chi-squared with 5 degrees of freedom exceeds this once in 10^7: a right sampler is not refused.
_NEGLIGIBLE = 41.0


def stored(
    actions, logits, rewards, *, recorded=lambda x, a: log_softmax(x)[a], baseline=expected,
    combine=sampled, scale=np.asarray, sign=1, order=1,
):  # fmt: skip
    """What belongs to these actions: (old_logps, advantages), each (N,)."""
    logp = log_softmax(logits)
    centre = baseline(logp, rewards, actions)
    advantages = sign * scale(combine(actions, logp, rewards, centre))
    return (recorded(logits, actions), advantages)[::order]


_RECORDED = (
    Misconception(
        "order_swapped", {"order": -1},
        "Advantages and old_logps came back in the other order: actions, old_logps, advantages.",
    ),
    Misconception(
        "probabilities_for_log_probs", {"recorded": lambda x, a: softmax(x)[a]},
        "old_logps hold probabilities where log-probs are meant (nats).",
    ),
    Misconception(
        "logits_not_normalised", {"recorded": lambda x, a: x[a]},
        "old_logps hold the logits as they are: logits are not log-probabilities before they are "
        "normalised. exp of a policy's log-probs sums to 1.",
    ),
    Misconception(
        "old_logps_softmax_twice", {"recorded": lambda x, a: log_softmax(softmax(x))[a]},
        "old_logps look as if softmax was taken twice: probabilities went in where logits belong.",
    ),
    Misconception(
        "all_log_probs", {"recorded": lambda x, a: log_softmax(x)},
        "old_logps hold the log-probs of all actions, (A,). Asked for are those of the sampled "
        "actions, (N,).",
    ),
    Misconception(
        "old_logps_negative_log_probs", {"recorded": lambda x, a: -log_softmax(x)[a]},
        "The sign of old_logps is flipped: log-probs are never above 0.",
    ),
    Misconception(
        "uniform_log_probs", {"recorded": lambda x, a: np.full(a.size, -np.log(x.size))},
        "old_logps are those of a uniform policy. The samples come from softmax(logits).",
    ),
    Misconception(
        "zeros_stored", {"recorded": lambda x, a: np.zeros(a.size)},
        "old_logps are all 0, which would mean probability 1 for every action.",
    ),
    Misconception(
        "normalised_over_samples", {"recorded": lambda x, a: log_softmax(x[a])},
        "old_logps are normalised over the batch: the actions were picked first, and log_softmax "
        "taken afterwards, along the wrong axis.",
    ),
    Misconception(
        "log_probs_averaged", {"recorded": lambda x, a: np.mean(log_softmax(x)[a])},
        "old_logps were averaged to one number. Each sample keeps its own, (N,).",
    ),
    Misconception(
        "log_probs_column", {"recorded": lambda x, a: log_softmax(x)[a][:, None]},
        "old_logps came back as a column, (N, 1) instead of (N,).",
    ),
)  # fmt: skip

# Other policies that samples may have come from: (id, π of logits and rewards, words).
_SAMPLERS = (
    (
        "uniform_sampling", lambda x, r: np.full(x.size, 1 / x.size),
        "The actions are drawn uniformly: the logits play no part in the draw.",
    ),
    (
        "probabilities_as_logits", lambda x, r: softmax(softmax(x)),
        "The actions follow a flattened policy, as if softmax was taken twice: "
        "jax.random.categorical wants logits or log-probs, and probabilities were passed.",
    ),
    (
        "rewards_as_logits", lambda x, r: softmax(r),
        "The actions are drawn from a softmax of the rewards, not from the policy.",
    ),
    (
        "rewards_added", lambda x, r: softmax(x + r),
        "The rewards were added to the logits before the draw. The policy does not know them.",
    ),
    (
        "sign_of_logits", lambda x, r: softmax(-x),
        "The actions follow the policy turned upside down: the sign of the logits is flipped.",
    ),
)  # fmt: skip


def _judge(exercise, function):
    seen = calls(function, exercise.cases, 3)
    if not seen[0].attempted:
        return CheckResult(exercise.name, False, False, None, NOT_ATTEMPTED)
    for one, each in zip(seen, exercise.cases, strict=False):
        mistake, words = _misfit(one, each)
        if words:
            return refusal(exercise, f"{words}\n{_asked(each)}", mistake)
    drawn = [one.parts[0].astype(int) for one in seen]
    cases = tuple(
        Case({"actions": actions, **{k: each.inputs[k] for k in ("logits", "rewards")}})
        for actions, each in zip(drawn, exercise.cases, strict=True)
    )
    rest = [one._replace(parts=one.parts[1:]) for one in seen]
    result = verdict(_STORED, cases, rest)
    if not result.passed:
        return result
    mistake, words = _sampling(exercise.cases, drawn)
    if words:
        return refusal(exercise, words, mistake)
    message = (
        f"Right: {len(cases)} batches agree with the policy, follow the key, and carry the "
        "log-probs and advantages of their actions."
    )
    return CheckResult(exercise.name, True, True, None, message)


def _asked(each):
    size, count = each.inputs["batch_size"], each.inputs["logits"].size
    return f"With batch_size = {size} and A = {count}: asked for are three arrays ({size},)."


def _misfit(one, each):
    """What is wrong with the form of a batch: (id, words)."""
    size, count = each.inputs["batch_size"], each.inputs["logits"].size
    if one.parts is None:
        return one.mistake, f"Your function {one.problem}."
    actions, others = one.parts[0], one.parts[1:]
    if actions.shape == (size, count) and count > 1:
        return (
            "one_hot",
            "The actions came back one-hot or as noise, (N, A). Their indices are asked for.",
        )
    if actions.shape == (size, 1):
        return "column", "The actions came back as a column, (N, 1) instead of (N,)."
    if actions.shape == ():
        return "single_action", "One action came back; batch_size of them are asked for."
    if actions.shape != (size,):
        return "batch_size_ignored", f"The actions have shape {actions.shape}: is batch_size used?"
    if not np.isfinite(actions).all() or (actions != np.round(actions)).any():
        if any((part == np.round(part)).all() for part in others):
            return "order_swapped", "The order is another one: actions, old_logps, advantages."
        return "actions_not_whole", "The actions are not whole numbers: indices from 0 to A − 1."
    if actions.min() < 0 or actions.max() >= count:
        return "actions_out_of_range", (
            f"The actions reach from {actions.min():g} to {actions.max():g}; allowed are 0 to "
            f"{count - 1}. JAX clamps an index out of range without an error."
        )
    kind = np.asarray(next(iter(one.value))).dtype.kind
    if kind not in "iu":
        return "actions_not_whole", "The actions are floats (or bools); an index is an integer."
    return None, ""


def _sampling(cases, drawn):
    """What is wrong with the draws: (id, words)."""
    batches = [actions for actions in drawn if actions.size > 1]
    singles = np.concatenate([actions for actions in drawn if actions.size == 1])
    few, logits = cases[0].inputs["logits"], cases[-1].inputs["logits"]
    if (singles[:_AGAIN] != singles[-_AGAIN:]).any():
        return "key_not_used", (
            "The same key gave two different batches: there is a generator with hidden state. All "
            "randomness must come from the key, so that a run can be repeated."
        )
    pooled = np.concatenate(batches)
    if (pooled == np.argmax(logits)).all() and (singles == np.argmax(few)).all():
        return "greedy", (
            "Every action is the most likely one: the policy is followed greedily (argmax). A "
            "rollout samples, or the others are never tried."
        )
    if all((batch == batch[0]).all() for batch in batches):
        return "one_draw_repeated", (
            "All actions of a batch are equal: one draw was repeated. With one key for every "
            "sample the same number comes up again; split the key, or draw the batch at once."
        )
    if (batches[0] == batches[1]).all():
        return "key_ignored", (
            "Different keys gave the same batch: the key that was passed is not used. Then every "
            "rollout batch would hold the same actions."
        )
    if _surprise(pooled, softmax(logits)) < _NEGLIGIBLE:
        if _surprise(singles, softmax(few)) > _NEGLIGIBLE:
            return "first_draw_fixed", (
                "Batches of one do not follow the policy: draws must not depend on their place in "
                "the batch." + _counts(singles, few)
            )
        return None, ""
    rewards = cases[-1].inputs["rewards"]
    surprises = [_surprise(pooled, policy(logits, rewards)) for _, policy, _ in _SAMPLERS]
    likeliest = int(np.argmin(surprises))
    mistake, _, words = _SAMPLERS[likeliest]
    if surprises[likeliest] > _NEGLIGIBLE:
        mistake, words = (
            "wrong_distribution",
            "The actions do not follow the policy softmax(logits).",
        )
    return mistake, words + _counts(pooled, logits)


def _counts(pooled, logits):
    shares = np.bincount(pooled, minlength=logits.size) / pooled.size
    asked, got = (", ".join(f"{x:.2f}" for x in each) for each in (softmax(logits), shares))
    return f"\nProbabilities asked for: {asked}; shares in {pooled.size} draws: {got}."


def _surprise(actions, p):
    """Likelihood-ratio statistic of the counts against π: chi-squared with A − 1 degrees."""
    counts = np.bincount(actions, minlength=p.size)
    seen = counts > 0
    return 2 * np.sum(counts[seen] * np.log(counts[seen] / (actions.size * p[seen])))


def _cases():
    def one(seed, logits, rewards, batch_size):
        return case(key=jax.random.key(seed), logits=logits, rewards=rewards, batch_size=batch_size)

    for seed in (*range(24), *range(_AGAIN)):
        yield one(seed, [1.0, 0.0, 0.5, -0.5], [2.0, -4.0, 1.0, 0.5], 1)
    for seed in (30, 31):
        logits, rewards = [2.2, -0.5, -0.3, -0.6, -0.4, -0.7], [-1.0, 0.5, 2.0, 0.0, 1.0, -0.5]
        yield one(seed, logits, rewards, 200)


_CASES = tuple(_cases())
_STORED = Exercise(
    "collect", "((N,), (N,))", stored,
    (case(actions=[0, 1], logits=[0.0, 0.0], rewards=[0.0, 0.0]),),
    (*_RECORDED, *ADVANTAGES), names=_NAMES[1:],
)  # fmt: skip
EXERCISES = (
    Exercise("collect", "((N,), (N,), (N,))", stored, _CASES, (), names=_NAMES, judge=_judge),
)
