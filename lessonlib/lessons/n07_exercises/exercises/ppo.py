"""Exercise on the whole PPO loss: its value, and then its gradients."""

import dataclasses

import jax
import numpy as np

from lessonlib.lessons.n01_four_roles.exercises import RATIO, ratio
from lessonlib.lessons.n03_signed_clipping.exercises import (
    KEPT,
    around_one,
    product,
    smaller_product,
)
from lessonlib.lessons.n07_exercises.exercises.detached import GRADIENTS, ppo_gradients
from lessonlib.lessons.n07_exercises.exercises.divergence import DIVERGENCE, kl_sum
from lessonlib.lessons.n07_exercises.exercises.surrogate import BATCH, REDUCE, WEIGH
from lessonlib.teaching.exercises.judging import by_values, verdict
from lessonlib.teaching.exercises.model import (
    Exercise,
    Misconception,
    case,
    log_softmax,
    some_logp,
    without,
)
from lessonlib.teaching.exercises.watching import calls


def loss_of(surrogate, drift, beta):
    """−surrogate + β·KL, to be minimised."""
    return -surrogate + beta * drift


def exact(logp, q, actions, old, divergence, logits):
    """The KL summed over all actions; the samples are not needed."""
    return divergence(logp, q)


def ppo_loss(
    logits, old_logps, actions, advantages, reference_logps, beta, clip, *,
    stored=lambda old, q, a: old, rule=ratio, bounds=around_one, kept=smaller_product,
    reduce=np.mean, weigh=np.asarray, divergence=kl_sum, drift=exact,
    price=loss_of, swap=lambda b, e: (b, e),
):  # fmt: skip
    """−mean min(ρA, clip(ρ)A) + β·KL(π_θ‖π_ref)."""
    beta, clip = swap(beta, clip)
    old, logp = stored(old_logps, reference_logps, actions), log_softmax(logits)
    terms = product(rule(logits, old, actions), weigh(advantages), clip, bounds, kept)
    distance = drift(logp, reference_logps, actions, old_logps, divergence, logits)
    return price(reduce(terms), distance, beta)


_LOSS = (
    Misconception(
        "sign_of_loss", {"price": lambda s, d, b: s - b * d},
        "The sign of the loss is flipped: this is the objective, to be maximised. Descending on it "
        "would lower the reward. Which of its two terms should a good step make smaller?",
    ),
    Misconception(
        "sign_of_surrogate", {"price": lambda s, d, b: s + b * d},
        "The minus in front of the surrogate is missing. The loss is minimised, the surrogate is "
        "to be made large.",
    ),
    Misconception(
        "sign_of_kl", {"price": lambda s, d, b: -s - b * d},
        "The KL has the wrong sign: minimising this loss would drive the policy away from the "
        "reference. A penalty makes the loss larger.",
    ),
    Misconception(
        "kl_missing", {"price": lambda s, d, b: -s},
        "The KL penalty is missing: nothing holds the policy near the reference. Try a larger β; "
        "the loss must change.",
    ),
    Misconception(
        "surrogate_missing", {"price": lambda s, d, b: b * d},
        "Only the KL penalty is there; the surrogate is missing.",
    ),
    Misconception(
        "beta_missing", {"price": lambda s, d, b: -s + d},
        "The KL comes in without its price β: nats cannot be added to reward units.",
    ),
    Misconception(
        "beta_twice", {"price": lambda s, d, b: -s + b**2 * d},
        "β is multiplied twice (β²): it is the price of one nat, paid once.",
    ),
    Misconception(
        "beta_fixed", {"price": lambda s, d, b: -s + 0.1 * d},
        "β is fixed at 0.1: the argument beta plays no part.",
    ),
    Misconception(
        "beta_fixed_at_the_lessons", {"price": lambda s, d, b: -s + 0.2 * d},
        "β is fixed at 0.2: the argument beta plays no part.",
    ),
    Misconception(
        "beta_on_everything", {"price": lambda s, d, b: b * (d - s)},
        "β multiplies the surrogate as well. It is the price of the KL alone.",
    ),
    Misconception(
        "beta_on_surrogate", {"price": lambda s, d, b: -b * s + d},
        "β multiplies the surrogate, not the KL. It is in reward units per nat: which of the two "
        "does it belong to?",
    ),
    Misconception(
        "beta_and_clip_swapped", {"swap": lambda b, e: (e, b)},
        "β and clip are swapped: look at the order of the arguments.",
    ),
    Misconception(
        "reference_as_old", {"stored": lambda o, q, a: q[a]},
        "The reference is used as the old policy: ρ compares the current policy with π_ref. The "
        "ratio needs the policy that drew the samples; their log-probs were stored when they were "
        "collected. The loop would stay stable and optimise the wrong objective.",
    ),
    Misconception(
        "old_as_reference", {"drift": lambda p, q, a, o, d, x: np.mean(p[a] - o)},
        "The KL is taken to the old policy, from the samples: the roles of reference and old are "
        "mixed up. The penalty measures the drift from the fixed reference.",
    ),
    Misconception(
        "kl_sampled", {"drift": lambda p, q, a, o, d, x: np.mean(p[a] - q[a])},
        "The KL is estimated from the sampled actions, which were drawn from π_old and not from "
        "π_θ. With a handful of actions it can be summed exactly, weighted with π_θ.",
    ),
    Misconception(
        "kl_sampled_k3",
        {"drift": lambda p, q, a, o, d, x: np.mean(np.exp(q[a] - p[a]) - 1 - q[a] + p[a])},
        "The KL is estimated from the sampled actions (the estimator r − 1 − log r), which were "
        "drawn from π_old. With a handful of actions it can be summed exactly.",
    ),
    Misconception(
        "kl_sampled_squared", {"drift": lambda p, q, a, o, d, x: np.mean((p[a] - q[a]) ** 2) / 2},
        "The KL is estimated from the sampled actions (half the squared log-ratio). With a handful "
        "of actions it can be summed exactly, weighted with π_θ.",
    ),
    Misconception(
        "kl_sampled_weighted", {"drift": lambda p, q, a, o, d, x: np.sum((np.exp(p) * (p - q))[a])},
        "The KL is summed over the sampled actions. It runs over all A actions of the policy, each "
        "once.",
    ),
    Misconception(
        "kl_sampled_weighted_mean",
        {"drift": lambda p, q, a, o, d, x: np.mean((np.exp(p) * (p - q))[a])},
        "The terms of the KL are averaged over the sampled actions: each is weighted twice, by its "
        "probability and by how often it was drawn. It runs over all A actions, each once.",
    ),
    Misconception(
        "kl_sampled_k3_reversed",
        {"drift": lambda p, q, a, o, d, x: np.mean(np.exp(p[a] - q[a]) - 1 - p[a] + q[a])},
        "The KL is estimated from the sampled actions, with the ratio the other way round. With a "
        "handful of actions it can be summed exactly.",
    ),
    Misconception(
        "kl_sampled_reversed", {"drift": lambda p, q, a, o, d, x: np.mean(q[a] - p[a])},
        "The KL is estimated from the sampled actions, with its log-ratio reversed.",
    ),
    Misconception(
        "kl_of_raw_logits", {"drift": lambda p, q, a, o, d, x: d(x, q)},
        "The KL is taken of the logits as they are: logits are not log-probs before they are "
        "normalised (log_softmax). Add a constant to all logits; the KL must not change.",
    ),
    Misconception(
        "kl_raw_logits_inside", {"drift": lambda p, q, a, o, d, x: np.sum(np.exp(p) * (x - q))},
        "Inside the bracket of the KL are logits that were not normalised. Add a constant to all "
        "logits; the KL must not change.",
    ),
    Misconception(
        "kl_sampled_reweighted",
        {"drift": lambda p, q, a, o, d, x: np.mean(np.exp(p[a] - o) * (p[a] - q[a]))},
        "The KL is estimated from the samples with importance weights. That is unbiased but noisy; "
        "with a handful of actions it can be summed exactly.",
    ),
)  # fmt: skip


def _cases():
    half, quarter = np.log(0.5), np.log(0.25)
    policy = [half, quarter, quarter]

    def one(logits, old_logps, actions, advantages, reference_logps, beta, clip, smooth=True):
        return case(
            smooth=smooth, logits=logits, old_logps=old_logps, actions=actions,
            advantages=advantages, reference_logps=reference_logps, beta=beta, clip=clip,
        )  # fmt: skip

    # Ratios 2, 1/2, 1, 1/2 with both signs, then the reference elsewhere, then the bounds.
    old, drawn = [quarter, half, quarter, half], [0, 1, 2, 2]
    yield one(policy, old, drawn, [2.0, -2.0, 1.0, 3.0], policy, 0.5, 0.25)
    yield one(policy, old, drawn, [-2.0, 2.0, 1.0, -1.0], [quarter, half, quarter], 0.5, 0.25)
    yield one(policy, old, drawn, [2.0, -2.0, 2.0, -2.0], [quarter, half, quarter], 0.3, 0.5, False)
    rng = np.random.default_rng(1313)
    for count, batch, beta, clip in (
        (3, 4, 1.0, 0.1), (3, 4, 0.0, 0.3), (2, 1, 0.4, 0.2), (6, 12, 0.2, 0.3), (6, 12, 2.0, 0.1)
    ):  # fmt: skip
        behaviour, actions = some_logp(rng, count), rng.integers(0, count, batch)
        yield one(
            behaviour + rng.normal(0.3, 0.4, count), behaviour[actions], actions,
            rng.normal(0.3, 2, batch), some_logp(rng, count), beta, clip,
        )  # fmt: skip


_CASES = tuple(_cases())
_SMOOTH = Exercise(
    "ppo_loss", "gradients", ppo_gradients,
    tuple(each for each in _CASES if each.smooth and each.inputs["actions"].size == 4),
    GRADIENTS,
    names=("gradient wrt logits", "gradient wrt old_logps", "gradient wrt advantages"),
)  # fmt: skip
# What JAX raises where NumPy or Python takes a traced value for a number.
_NOT_TRACED = (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError)
_NOT_DIFFERENTIABLE = (
    "JAX cannot differentiate it, as it uses NumPy or Python numbers on the way; so its gradients "
    "were not checked. For the training loop the same steps are needed in jax.numpy, with old "
    "log-probs and advantages detached."
)


def _gradients_of(function):
    def gradients(logits, old_logps, actions, advantages, *rest):
        def loss(logits, old_logps, advantages):
            return function(logits, old_logps, actions, advantages, *rest)

        return jax.grad(loss, argnums=(0, 1, 2))(logits, old_logps, advantages)

    return gradients


def _judge(exercise, function):
    """Values first; then the gradients, if JAX can differentiate the function at all."""
    result = by_values(exercise, function)
    if not result.passed:
        return result
    seen = calls(_gradients_of(function), _SMOOTH.cases, len(_SMOOTH.names))
    if any(isinstance(one.error, _NOT_TRACED) for one in seen):
        return dataclasses.replace(result, message=f"{result.message} {_NOT_DIFFERENTIABLE}")
    gradients = verdict(_SMOOTH, _SMOOTH.cases, seen)
    if not gradients.passed:
        return gradients
    return dataclasses.replace(result, message=f"{result.message} Its gradients are right too.")


_DRIFT = without(DIVERGENCE, "kl_sign")  # here the sign belongs to the sum
_KEPT = without(KEPT[8:], "clip_is_upper_bound")
_RATIOS = without(RATIO[8:], "all_actions_for_each_sample")

# Two mistakes at once are sought among the first of these, so the usual ones stand in front.
_MISCONCEPTIONS = (
    *_LOSS, *REDUCE, *WEIGH, *BATCH, *RATIO[:8], *KEPT[:8], *_DRIFT[:8],
    *_RATIOS, *_KEPT, *_DRIFT[8:],
)  # fmt: skip
EXERCISES = (Exercise("ppo_loss", "scalar", ppo_loss, _CASES, _MISCONCEPTIONS, judge=_judge),)
