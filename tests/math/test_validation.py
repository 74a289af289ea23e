import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lessonlib import (
    Bandit,
    Settings,
    collect,
    expected_reward,
    explore,
    fit_reward,
    kl,
    lesson_bandit,
    optimal_logp,
    ppo_loss,
    sweep,
    train,
)

UNIFORM = np.log(np.full(3, 1 / 3))


def good_batch():
    return {
        "logits": np.zeros(3),
        "old_logps": UNIFORM[:2],
        "actions": np.array([0, 2]),
        "advantages": np.array([1.0, -1.0]),
        "reference_logps": UNIFORM,
        "beta": 0.1,
        "clip": 0.2,
    }


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("actions", [0, 3], "from 0 to 2, got 3"),
        ("actions", [-1, 0], "from 0 to 2, got -1"),
        ("actions", [0.0, 1.0], "got float32"),
        ("advantages", [[1.0], [-1.0]], r"got float32 of shape \(2, 1\)"),
        ("advantages", [1.0], r"got float32 of shape \(1,\)"),
        ("advantages", [1.0, np.nan], "be finite"),
        ("old_logps", [[0.0], [0.0]], r"shape \(2, 1\)"),
        ("reference_logps", UNIFORM[:2], r"beside logits \(3,\)"),
        ("reference_logps", [0.0, -np.inf, -np.inf], "be finite"),
        ("logits", "policy", "an array of numbers"),
        ("beta", -0.1, "0 or more, got -0.1"),
        ("beta", np.nan, "0 or more, got nan"),
        ("beta", "small", "0 or more, got 'small'"),
        ("clip", 1.5, "from 0 to 1, got 1.5"),
        ("clip", np.inf, "from 0 to 1, got inf"),
    ],
)
def test_loss_names_the_argument_it_refuses(name, value, message):
    with pytest.raises(ValueError, match=f"^{name} must .*{message}"):
        ppo_loss(**(good_batch() | {name: value}))


def test_shapes_are_refused_under_a_trace_as_well():
    batch = good_batch() | {"advantages": np.ones((2, 1))}
    with pytest.raises(ValueError, match="^advantages must"):
        jax.jit(ppo_loss)(**batch)


def test_loss_accepts_what_is_allowed():
    assert np.isfinite(ppo_loss(**good_batch()))
    assert np.isfinite(ppo_loss(**(good_batch() | {"beta": 0, "clip": 1})))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("beta", -1),
        ("beta", np.inf),
        ("beta", 1e39),
        ("beta", np.array([0.1])),
        ("clip", -0.01),
        ("clip", 1.01),
        ("learning_rate", 0),
        ("learning_rate", np.nan),
        ("epochs", 0),
        ("epochs", 2.5),
        ("epochs", True),
        ("batch_size", -3),
        ("iterations", 0),
        ("iterations", "many"),
        ("seed", -1),
        ("seed", 2**32),
        ("seed", 1.0),
    ],
)
def test_settings_name_the_field_they_refuse(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be .*, got "):
        Settings(**{name: value})


@pytest.mark.parametrize(
    ("rewards", "reference_logp", "message"),
    [
        ([1.0, np.nan, 0.0], UNIFORM, "^rewards must be finite"),
        ([1.0, np.inf, 0.0], UNIFORM, "^rewards must be finite"),
        ([1.0, 2.0], UNIFORM, "^reference_logp must be as long as rewards"),
        ([1.0], [0.0], "^rewards must have shape"),
        ([[1.0, 2.0]], UNIFORM, "^rewards must have shape"),
        ([1.0, 2.0, 3.0], [0.0, -np.inf, -np.inf], "^reference_logp must be finite"),
        ([1.0, 2.0, 3.0], [0.2, 0.0, -0.2], "^reference_logp must .* sum to 1"),
        ([1 + 1j, 2.0, 3.0], UNIFORM, "^rewards must hold real numbers"),
        (["good", "bad"], UNIFORM, "^rewards must be an array of numbers"),
    ],
)
def test_bandit_says_what_is_wrong(rewards, reference_logp, message):
    with pytest.raises(ValueError, match=message):
        Bandit(rewards, reference_logp)


def test_bandit_takes_plain_lists_of_whole_numbers():
    bandit = Bandit([1, 0, -1], list(UNIFORM))
    assert bandit.rewards.dtype == jnp.float32


def test_an_empty_batch_is_refused():
    with pytest.raises(ValueError, match="^old_logps must hold real numbers, at least one"):
        ppo_loss(np.zeros(3), np.zeros(0), np.zeros(0, int), np.zeros(0), UNIFORM)


def test_whole_numbers_may_stand_where_any_may():
    assert float(expected_reward(np.log([0.25, 0.75]), [1, 3])) == pytest.approx(2.5)


@pytest.mark.parametrize("key", [0, None, jax.random.split(jax.random.key(0))])
def test_collect_asks_for_one_key(key):
    with pytest.raises(ValueError, match="^key must be "):
        collect(key, np.zeros(3), np.zeros(3), 8)


def test_collect_takes_keys_of_both_kinds():
    for key in (jax.random.key(0), jax.random.PRNGKey(0)):
        assert collect(key, np.zeros(3), np.zeros(3), 8).actions.shape == (8,)


@pytest.mark.parametrize("beta", [0, -1, 1e-45, np.nan])
def test_the_optimum_needs_a_price(beta):
    with pytest.raises(ValueError, match="^beta must be a finite number above 0"):
        optimal_logp(UNIFORM, np.zeros(3), beta)


def test_other_things_than_a_bandit_or_settings_are_refused():
    with pytest.raises(ValueError, match="^bandit must be Bandit, got None"):
        train(None, Settings())
    with pytest.raises(ValueError, match="^settings must be Settings, got {}"):
        train(lesson_bandit(), {})
    with pytest.raises(ValueError, match="^bandit must be Bandit"):
        sweep(3, Settings(), betas=[0], clips=[0], seeds=[0])
    with pytest.raises(ValueError, match="^bandit must be "):
        explore({})


def test_other_entry_points_refuse_by_name():
    with pytest.raises(ValueError, match="^batch_size must"):
        collect(jax.random.key(0), np.zeros(3), np.zeros(3), 0)
    with pytest.raises(ValueError, match="^rewards must be numbers of shape"):
        collect(jax.random.key(0), np.zeros(3), np.zeros(2), 8)
    with pytest.raises(ValueError, match="^reference_logp must be numbers"):
        kl(UNIFORM, UNIFORM[:2])
    with pytest.raises(ValueError, match="^rejected must be numbers"):
        fit_reward(np.ones((2, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="^steps must"):
        fit_reward(np.ones((2, 2)), np.ones((2, 2)), steps=0)


@pytest.mark.parametrize(
    ("axis", "value"),
    [("betas", [-1.0]), ("clips", [0.2, 2.0]), ("seeds", [0.5]), ("betas", []), ("seeds", 3)],
)
def test_sweep_names_the_axis_it_refuses(axis, value):
    axes = {"betas": [0.2], "clips": [0.2], "seeds": [0]} | {axis: value}
    with pytest.raises(ValueError, match=f"^{axis} must"):
        sweep(lesson_bandit(), Settings(), **axes)
