import jax
import jax.numpy as jnp
import numpy as np
import pytest
import rlax
from conftest import log_softmax
from hypothesis import given
from hypothesis import strategies as st

from lessonlib import clipped_surrogate, ppo_loss, preference_loss, ratios


def random_batch(seed):
    """One PPO batch, float32: logits, old_logps, actions, advantages, reference_logps."""
    rng = np.random.default_rng(seed)
    size, count = rng.choice([2, 3, 6]), rng.choice([1, 32])  # few shapes: each compiles anew
    logits, old, reference = rng.normal(size=(3, size))
    actions = rng.integers(0, size, count)
    arrays = logits, log_softmax(old)[actions], actions, rng.normal(size=count)
    return *(np.float32(x) if x.dtype == float else x for x in arrays), np.float32(
        log_softmax(reference)
    )


def enumerated_loss(logits, old_logps, actions, advantages, reference_logps, beta, clip):
    """The loss in float64, sample by sample, with the four sign and side cases spelled out."""
    logp = log_softmax(logits)
    total = 0.0
    for a, old, advantage in zip(actions, old_logps, advantages, strict=True):
        ratio = np.exp(logp[a] - np.float64(old))
        if advantage > 0:
            total += np.float64(advantage) * min(ratio, 1 + clip)
        else:
            total += np.float64(advantage) * max(ratio, 1 - clip)
    drift = sum(np.exp(p) * (p - np.float64(q)) for p, q in zip(logp, reference_logps, strict=True))
    return -total / len(actions) + beta * drift


@pytest.mark.parametrize(
    ("advantage", "ratio", "kept"),
    [
        (2, 1.5, 2.4),
        (2, 0.5, 1.0),
        (-2, 1.5, -3.0),
        (-2, 0.5, -1.6),
        (2, 1.2, 2.4),
        (-2, 0.8, -1.6),
    ],
)
def test_kept_product_for_each_sign_and_side(advantage, ratio, kept):
    value = clipped_surrogate(float(ratio), float(advantage), 0.2)
    assert float(value) == pytest.approx(kept)


@pytest.mark.parametrize(
    ("advantage", "ratio", "slope"), [(2, 1.5, 0), (2, 0.5, 2), (-2, 1.5, -2), (-2, 0.5, 0)]
)
def test_gradient_stays_where_the_move_is_unfavourable(advantage, ratio, slope):
    assert float(jax.grad(clipped_surrogate)(float(ratio), float(advantage), 0.2)) == slope


@given(st.integers(0, 2**31), st.floats(0, 1))
def test_surrogate_agrees_with_rlax(seed, clip):
    rng = np.random.default_rng(seed)
    ratio = np.float32(rng.lognormal(sigma=0.7, size=32))
    ratio[:4] = [1 - clip, 1 + clip, 1 - clip, 1 + clip]  # exactly at the bounds
    advantage = np.float32(rng.normal(size=32))
    advantage[:4] = [2, 2, -2, -2]
    theirs = rlax.clipped_surrogate_pg_loss(jnp.array(ratio), jnp.array(advantage), clip)
    ours = -jnp.mean(clipped_surrogate(ratio, advantage, clip))
    assert float(ours) == pytest.approx(float(theirs), abs=1e-6)


@given(st.integers(0, 2**31), st.floats(0, 5), st.floats(0, 1))
def test_loss_is_the_enumerated_sum(seed, beta, clip):
    batch = random_batch(seed)
    assert float(ppo_loss(*batch, beta, clip)) == pytest.approx(
        enumerated_loss(*batch, beta, clip), abs=1e-4
    )


@given(st.integers(0, 2**31), st.floats(0, 5), st.floats(0.01, 1))
def test_gradient_in_the_logits_equals_central_differences(seed, beta, clip):
    batch = random_batch(seed)
    at_bound = np.abs(np.abs(np.exp(log_softmax(batch[0])[batch[2]] - batch[1]) - 1) - clip)
    if at_bound.min() < 1e-4:
        return  # the loss has a kink there, so a difference quotient is no gradient
    gradient = jax.grad(ppo_loss)(jnp.array(batch[0]), *batch[1:], beta, clip)
    for a, step in enumerate(1e-6 * np.eye(len(batch[0]))):
        above = enumerated_loss(batch[0] + step, *batch[1:], beta, clip)
        below = enumerated_loss(batch[0] - step, *batch[1:], beta, clip)
        assert float(gradient[a]) == pytest.approx((above - below) / 2e-6, abs=1e-4)


@given(st.integers(0, 2**31))
def test_frozen_arguments_receive_exactly_no_gradient(seed):
    logits, old_logps, actions, advantages, reference = random_batch(seed)
    gradients = jax.grad(ppo_loss, argnums=(1, 3, 4))(
        *(jnp.array(x) for x in (logits, old_logps, actions, advantages, reference))
    )
    for gradient in gradients:
        assert not np.asarray(gradient).any()


def test_flat_surrogate_still_leaves_the_gradient_of_the_kl():
    logits, reference = jnp.array([1.0, 0.0]), jnp.log(jnp.array([0.5, 0.5]))
    old_logps = jax.nn.log_softmax(logits)[:1] - jnp.log(2.0)  # ratio 2, far above the bound
    gradient = jax.grad(ppo_loss)
    batch = (old_logps, jnp.array([0]), jnp.array([1.0]), reference)
    assert not np.asarray(gradient(logits, *batch, 0.0)).any()
    assert np.abs(gradient(logits, *batch, 1.0)).min() > 0.1


@given(st.integers(0, 2**31))
def test_ratio_is_a_quotient_of_probabilities(seed):
    logits, old_logps, actions, _, _ = random_batch(seed)
    expected = np.exp(log_softmax(logits))[actions] / np.exp(np.float64(old_logps))
    np.testing.assert_allclose(ratios(logits, old_logps, actions), expected, rtol=1e-5)


@given(st.integers(0, 2**31))
def test_preference_loss_is_the_mean_surprise_of_the_preferences(seed):
    rng = np.random.default_rng(seed)
    w, chosen, rejected = rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    margins = chosen @ w - rejected @ w
    surprise = -np.log(1 / (1 + np.exp(-margins))).mean()
    assert float(preference_loss(w, chosen, rejected)) == pytest.approx(surprise, abs=1e-5)
