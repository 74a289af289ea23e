"""The training loop one move at a time, with what each role holds after the move.

The moves are those of `train`, in its order: a new batch splits the key, then draws; an
inner step follows the gradient of `ppo_loss` on the stored batch.
"""

from typing import NamedTuple

import jax
import numpy as np
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from lessonlib.bandit import Bandit
from lessonlib.loss import ppo_loss, ratios
from lessonlib.rollout import Rollout, Settings, collect


class Moment(NamedTuple):
    """Where a run by hand stands."""

    logits: Float[Array, "A"]  # of the current policy
    rollout: Rollout | None  # what the behaviour policy drew, and its log-probs
    key: PRNGKeyArray
    batches: int  # collected so far
    inner_steps: int  # taken on this batch


def begin(bandit: Bandit, settings: Settings) -> Moment:
    """The policy at the reference, and the first batch drawn from it."""
    start = Moment(bandit.reference_logp, None, jax.random.key(settings.seed), 0, 0)
    return collect_batch(start, bandit, settings)


def collect_batch(moment: Moment, bandit: Bandit, settings: Settings) -> Moment:
    """Draw a batch from the current policy, which so becomes the behaviour policy."""
    key, draw_key = jax.random.split(moment.key)
    rollout = collect(draw_key, moment.logits, bandit.rewards, settings.batch_size)
    return Moment(moment.logits, rollout, key, moment.batches + 1, 0)


def inner_step(moment: Moment, bandit: Bandit, settings: Settings) -> Moment:
    """One gradient step of the current policy on the stored batch."""
    batch = moment.rollout
    gradient = _gradient(
        moment.logits, batch.old_logps, batch.actions, batch.advantages,
        bandit.reference_logp, settings.beta, settings.clip,
    )  # fmt: skip
    logits = moment.logits - settings.learning_rate * gradient
    return moment._replace(logits=logits, inner_steps=moment.inner_steps + 1)


_gradient = jax.jit(jax.grad(ppo_loss))


def roles(moment: Moment, bandit: Bandit) -> dict[str, dict[str, np.ndarray]]:
    """The numbers that each of the four roles holds, by name, one an action, shape (A,).

    Those of the behaviour policy are read from the stored batch: NaN for an action that
    was not drawn.
    """
    count, batch = len(bandit.rewards), moment.rollout
    return {
        "current policy π_θ": {"probability": np.exp(jax.nn.log_softmax(moment.logits))},
        "behaviour policy π_old": {
            "times drawn": np.bincount(batch.actions, minlength=count),
            "stored probability": np.exp(_of_each_action(batch.old_logps, batch, count)),
            "stored advantage": _of_each_action(batch.advantages, batch, count),
        },
        "reference policy π_ref": {"probability": np.exp(bandit.reference_logp)},
        "reward model": {"score": np.asarray(bandit.rewards)},
    }


def _of_each_action(values, batch, count):
    """One of a batch's `values` (N,) for every action; samples of one action share theirs."""
    found = np.full(count, np.nan)
    found[np.asarray(batch.actions)] = values
    return found


def changed(before: dict, after: dict) -> list[str]:
    """The roles whose numbers differ, found by comparing them."""
    return [
        role
        for role, numbers in after.items()
        if any(
            not np.array_equal(before[role][name], values, equal_nan=True)
            for name, values in numbers.items()
        )
    ]


def batch_ratios(moment: Moment) -> np.ndarray:
    """ρ = π_θ(a) / π_old(a) of every action, shape (A,); NaN for one that was not drawn."""
    batch = moment.rollout
    ratio = ratios(moment.logits, batch.old_logps, batch.actions)
    return _of_each_action(ratio, batch, len(moment.logits))
