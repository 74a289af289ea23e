"""Exact sums over the actions of a categorical policy.

With a handful of actions every expectation is a finite sum, so nothing here is
estimated. A policy is its log-probabilities `logp`, shape (A,), in nats.
"""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from lessonlib.validation import NonNegative, Positive, Scalar, checked


@checked
def expected_reward(logp: Float[Array, "A"], rewards: Float[Array, "A"]) -> Float[Array, ""]:
    """Expected reward of a policy: Σ_a π(a) r(a), in the units of the reward.

    Raises ValueError if the shapes differ or a value is not finite.
    """
    return jnp.sum(jnp.exp(logp) * rewards)


@checked
def kl(logp: Float[Array, "A"], reference_logp: Float[Array, "A"]) -> Float[Array, ""]:
    """KL(π_θ‖π_ref), a ~ π_θ: Σ_a π_θ(a) [log π_θ(a) − log π_ref(a)], in nats.

    The expectation is under the first argument. It is 0 only for equal policies
    and is not symmetric: swapping the arguments measures something else.

    Raises ValueError if the shapes differ or a log-probability is not finite: where
    π_ref(a) = 0 and π_θ(a) > 0 the KL is infinite.
    """
    return jnp.sum(jnp.exp(logp) * (logp - reference_logp))


@checked
def regularized_objective(
    logp: Float[Array, "A"],
    rewards: Float[Array, "A"],
    reference_logp: Float[Array, "A"],
    beta: NonNegative,
) -> Float[Array, ""]:
    """What RLHF maximises: E[r(a)] − β·KL(π_θ‖π_ref), a ~ π_θ, in reward units.

    `beta` is the price of one nat of drift, in reward units per nat.

    Source: InstructGPT (arXiv 2203.02155), equation 2, without the pretraining term.
    """
    return expected_reward(logp, rewards) - beta * kl(logp, reference_logp)


@checked
def optimal_logp(
    reference_logp: Float[Array, "A"], rewards: Float[Array, "A"], beta: Positive
) -> Float[Array, "A"]:
    """The policy that no other beats on the regularised objective, shape (A,), in nats.

    π*(a) ∝ π_ref(a)·exp(r(a)/β), normalised in log space: exp(r/β) would overflow for a small β.
    Raises ValueError unless β > 0; as β → 0, π* moves onto the best-scored action.

    Source: the Gibbs variational principle; see also DPO (arXiv 2305.18290), equation 4.
    """
    return jax.nn.log_softmax(reference_logp + rewards / beta)


@checked
def score_gradient(
    logits: Float[Array, "A"], rewards: Float[Array, "A"], baseline: Scalar = 0.0
) -> Float[Array, "A"]:
    """Mean of the score-function gradient, a ~ π_θ: Σ_a π(a) ∇log π(a) [r(a) − c], shape (A,).

    For every `baseline` c that does not look at the action this is ∇_θ E[r].

    Source: Williams (1992), REINFORCE, theorem 1.
    """
    probabilities = jax.nn.softmax(logits)
    scores = jnp.eye(logits.shape[0]) - probabilities  # row a is ∇log π(a)
    return (probabilities * (rewards - baseline)) @ scores


@checked
def score_gradient_variance(
    logits: Float[Array, "A"], rewards: Float[Array, "A"], baseline: Scalar = 0.0
) -> Float[Array, ""]:
    """Total variance of the one-sample score-function gradient, a ~ π_θ.

    Σ_a π(a) ‖∇log π(a) [r(a) − c]‖² − ‖∇_θ E[r]‖²: the trace of its covariance matrix.
    """
    probabilities = jax.nn.softmax(logits)
    scores = jnp.eye(logits.shape[0]) - probabilities
    samples = scores * (rewards - baseline)[:, None]
    mean = probabilities @ samples
    return probabilities @ jnp.sum((samples - mean) ** 2, axis=1)


@checked
def best_baseline(logits: Float[Array, "A"], rewards: Float[Array, "A"]) -> Float[Array, ""]:
    """The constant c with the least total variance: E[‖∇log π‖² r] / E[‖∇log π‖²], a ~ π_θ.

    Each action's reward counts with the squared length of its score, so this is not
    E[r] in general.

    Source: Greensmith, Bartlett and Baxter (2004), theorem 13, for one state.
    """
    probabilities = jax.nn.softmax(logits)
    scores = jnp.eye(logits.shape[0]) - probabilities
    weights = probabilities * jnp.sum(scores**2, axis=1)
    return weights @ rewards / jnp.sum(weights)
