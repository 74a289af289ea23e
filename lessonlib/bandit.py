"""The world: one prompt, a few actions, fixed scores and a fixed reference policy."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from lessonlib.loss import preference_loss
from lessonlib.validation import Count, Positive, as_array, checked, require_finite

# Three actions described by two features, and three preferences among them.
FEATURES = ((1.0, 0.0), (0.0, 1.0), (-1.0, -1.0))
PREFERENCES = ((0, 1), (0, 2), (1, 2))  # (chosen, rejected)
REFERENCE_LOGITS = (0.2, 0.0, -0.2)


@dataclass(frozen=True, eq=False)
class Bandit:
    """A one-step world: `rewards` (A,) in score units, `reference_logp` (A,) in nats.

    Both are frozen: no training changes them. Raises ValueError for a value that is
    not finite (a reference action of probability zero makes the KL infinite), for
    lengths that differ or are below two, and for a reference that does not sum to one.
    """

    rewards: Float[Array, "A"]
    reference_logp: Float[Array, "A"]

    def __post_init__(self):
        for name in ("rewards", "reference_logp"):
            array = as_array(name, getattr(self, name)).astype(float)
            if array.ndim != 1 or array.size < 2:
                raise ValueError(f"{name} must have shape (A,), A at least 2, got {array.shape}")
            require_finite(name, array)
            object.__setattr__(self, name, array)
        if self.rewards.shape != self.reference_logp.shape:
            raise ValueError(
                f"reference_logp must be as long as rewards {self.rewards.shape}, "
                f"got {self.reference_logp.shape}"
            )
        total = float(jnp.sum(jnp.exp(self.reference_logp)))
        if abs(total - 1) > 1e-4:
            raise ValueError(
                f"reference_logp must hold log-probabilities; exp must sum to 1, got {total:.6g}"
            )


def preference_pairs() -> tuple[Float[Array, "P F"], Float[Array, "P F"]]:
    """The lesson's preferences as features: (chosen, rejected), each of shape (P, F)."""
    features, pairs = jnp.array(FEATURES), jnp.array(PREFERENCES)
    return features[pairs[:, 0]], features[pairs[:, 1]]


@checked
def fit_reward(
    chosen: Float[Array, "P F"],
    rejected: Float[Array, "P F"],
    *,
    steps: Count = 100,
    learning_rate: Positive = 0.1,
) -> Float[Array, "F"]:
    """Fit a linear reward model by `steps` gradient steps from zero; returns w, shape (F,).

    Where the preferences can all be satisfied at once, w has no finite optimum and grows
    for as long as fitting goes on, so `steps` sets the scale of the reward.
    """

    def step(_, w):
        return w - learning_rate * jax.grad(preference_loss)(w, chosen, rejected)

    return jax.lax.fori_loop(0, steps, step, jnp.zeros(chosen.shape[1]))


def lesson_bandit() -> Bandit:
    """The lesson's world: scores fitted to three preferences, and its reference policy."""
    w = fit_reward(*preference_pairs())
    return Bandit(jnp.array(FEATURES) @ w, jax.nn.log_softmax(jnp.array(REFERENCE_LOGITS)))
