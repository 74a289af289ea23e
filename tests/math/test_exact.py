import distrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
import scipy.stats
from conftest import log_softmax, worlds
from hypothesis import given
from hypothesis import strategies as st

from lessonlib import (
    best_baseline,
    expected_reward,
    kl,
    optimal_logp,
    regularized_objective,
    score_gradient,
    score_gradient_variance,
)

PROBE = np.array([0.3, -0.2, 0.1], dtype=np.float32)
SCORES = np.array([1.981129, 0.327278, -2.308407], dtype=np.float32)


@given(worlds())
def test_kl_agrees_with_scipy_and_distrax(world):
    logits, reference_logits, _ = world
    p, q = log_softmax(logits), log_softmax(reference_logits)
    value = float(kl(p, q))
    assert value == pytest.approx(scipy.special.rel_entr(np.exp(p), np.exp(q)).sum(), abs=1e-5)
    assert value == pytest.approx(scipy.stats.entropy(np.exp(p), np.exp(q)), abs=1e-5)
    other = distrax.Categorical(logits=logits).kl_divergence(
        distrax.Categorical(logits=reference_logits)
    )
    assert value == pytest.approx(float(other), abs=1e-5)


def test_kl_is_taken_under_its_first_argument():
    p, q = np.log([0.5, 0.5]), np.log([0.9, 0.1])
    assert float(kl(p, q)) == pytest.approx(0.5 * np.log(0.5 / 0.9) + 0.5 * np.log(0.5 / 0.1))
    assert float(kl(p, q)) != pytest.approx(float(kl(q, p)), abs=0.1)


@given(worlds())
def test_kl_is_zero_only_for_equal_policies(world):
    p, q = log_softmax(world[0]), log_softmax(world[1])
    assert float(kl(p, p)) == 0
    assert float(kl(p, q)) >= -1e-6
    if np.abs(np.exp(p) - np.exp(q)).max() > 1e-2:
        assert float(kl(p, q)) > 1e-5


@given(worlds(), st.floats(0, 5))
def test_objective_is_the_enumerated_sum(world, beta):
    p, q, rewards = log_softmax(world[0]), log_softmax(world[1]), world[2].astype(np.float64)
    by_hand = sum(np.exp(p[a]) * (rewards[a] - beta * (p[a] - q[a])) for a in range(len(rewards)))
    assert float(expected_reward(p, rewards)) == pytest.approx(np.exp(p) @ rewards, abs=1e-5)
    assert float(regularized_objective(p, rewards, q, beta)) == pytest.approx(by_hand, abs=1e-4)


@given(worlds(), st.floats(0.05, 5), st.integers(0, 2**31))
def test_no_random_policy_beats_the_optimum(world, beta, seed):
    q, rewards = log_softmax(world[1]), world[2].astype(np.float64)
    policies = np.random.default_rng(seed).dirichlet(np.ones(len(q)), size=1_000)
    values = policies @ rewards - beta * scipy.special.rel_entr(policies, np.exp(q)).sum(axis=1)
    best = float(regularized_objective(optimal_logp(q, rewards, beta), rewards, q, beta))
    assert best >= values.max() - 1e-4


@given(worlds(), st.floats(0.05, 5))
def test_value_of_the_optimum_is_a_log_partition_function(world, beta):
    q, rewards = log_softmax(world[1]), world[2].astype(np.float64)
    best = float(regularized_objective(optimal_logp(q, rewards, beta), rewards, q, beta))
    assert best == pytest.approx(beta * scipy.special.logsumexp(q + rewards / beta), abs=1e-4)


@given(worlds(), st.floats(0.05, 5), st.floats(-5, 5), st.randoms())
def test_optimum_ignores_a_constant_and_follows_a_permutation(world, beta, constant, random):
    q, rewards = log_softmax(world[1]), world[2]
    best = np.exp(optimal_logp(q, rewards, beta))
    shifted = np.exp(optimal_logp(q, rewards + np.float32(constant), beta))
    np.testing.assert_allclose(shifted, best, atol=1e-4)
    order = list(range(len(rewards)))
    random.shuffle(order)
    np.testing.assert_allclose(
        np.exp(optimal_logp(q[order], rewards[order], beta)), best[order], atol=1e-6
    )


def test_optimum_at_the_ends_of_beta():
    q = log_softmax([0.2, 0.0, -0.2])
    np.testing.assert_allclose(np.exp(optimal_logp(q, SCORES, 1e6)), np.exp(q), atol=1e-5)
    np.testing.assert_allclose(np.exp(optimal_logp(q, SCORES, 1e-6)), [1, 0, 0], atol=1e-6)
    with pytest.raises(ValueError, match="beta must be a finite number above 0, got 0"):
        optimal_logp(q, SCORES, 0)


def enumerated_gradients(logits, rewards, baseline):
    """One score-function sample for each action, and the action's probability, in float64."""
    p = np.exp(log_softmax(logits))
    scores = np.array([np.eye(len(p))[a] - p for a in range(len(p))])
    return p, np.array([scores[a] * (float(rewards[a]) - baseline) for a in range(len(p))])


@given(worlds(), st.floats(-3, 3))
def test_score_gradient_is_the_gradient_whatever_the_baseline(world, baseline):
    logits, _, rewards = world
    exact = jax.grad(lambda x: expected_reward(jax.nn.log_softmax(x), rewards))(logits)
    np.testing.assert_allclose(score_gradient(logits, rewards, baseline), exact, atol=1e-5)
    p, samples = enumerated_gradients(logits, rewards, baseline)
    np.testing.assert_allclose(score_gradient(logits, rewards, baseline), p @ samples, atol=1e-5)


@given(worlds(), st.floats(-3, 3))
def test_variance_is_the_trace_of_the_covariance(world, baseline):
    logits, _, rewards = world
    p, samples = enumerated_gradients(logits, rewards, baseline)
    trace = p @ (samples**2).sum(axis=1) - ((p @ samples) ** 2).sum()
    assert float(score_gradient_variance(logits, rewards, baseline)) == pytest.approx(
        trace, abs=1e-3, rel=1e-4
    )


@given(worlds(), st.floats(0.1, 3))
def test_best_baseline_is_a_minimum(world, step):
    logits, _, rewards = world
    c = float(best_baseline(logits, rewards))
    least = float(score_gradient_variance(logits, rewards, c))
    assert float(score_gradient_variance(logits, rewards, c + step)) >= least - 1e-5
    assert float(score_gradient_variance(logits, rewards, c - step)) >= least - 1e-5


def test_best_baseline_is_not_the_expected_reward_at_the_probe():
    mean = float(expected_reward(jax.nn.log_softmax(jnp.array(PROBE)), SCORES))
    assert abs(float(best_baseline(PROBE, SCORES)) - mean) > 0.01
