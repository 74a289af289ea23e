"""Every listed misconception is refused with its own words; nothing makes `check` raise."""

import collections

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lessonlib import check
from lessonlib.lessons.n07_exercises.exercises import detached, ppo
from lessonlib.lessons.n07_exercises.exercises.collecting import _STORED
from lessonlib.teaching.exercises import judging
from lessonlib.teaching.exercises.checking import exercises
from lessonlib.teaching.exercises.model import float64
from lessonlib.teaching.exercises.watching import Seen, parts_of

pytestmark = pytest.mark.slow

NAMES = {
    "bradley_terry_loss",
    "ratios",
    "clipped_term",
    "surrogate",
    "ppo_loss",
    "expected_reward",
    "kl",
    "advantages",
    "policy_gradient",
    "best_baseline",
    "collect",
    "clip_fraction",
    "optimal_logp",
    "regularized_gap",
    "kl_pair",
    "detached_gradients",
    "compare_with_optimum",
}
ON_VALUES = [*(each for each in exercises().values() if each.name != "collect"), ppo._SMOOTH]
HELD = [(exercise, each) for exercise in ON_VALUES for each in exercise.misconceptions]


def seen_from(answer, cases):
    return [
        Seen(parts, "failed" if parts is None else "")
        for parts in (judging.answers(answer, case) for case in cases)
    ]


def verdict_on(exercise, *held):
    seen = seen_from(exercise.wrong(*held), exercise.cases)
    return judging.verdict(exercise, exercise.cases, seen)


def test_the_seventeen_names():
    assert set(exercises()) == NAMES


def test_enough_misconceptions_of_their_own():
    messages = {each.message for _, each in HELD}
    assert len(messages) >= 250
    for exercise in ON_VALUES:
        ids = [each.id for each in exercise.misconceptions]
        assert len(ids) == len(set(ids)), exercise.name


@pytest.mark.parametrize("exercise", ON_VALUES, ids=lambda each: f"{each.name} {each.returns}")
def test_each_misconception_gets_its_own_message_and_no_other(exercise):
    for held in exercise.misconceptions:
        result = verdict_on(exercise, held)
        assert not result.passed, held.id
        assert result.mistake == held.id
        assert result.message.startswith(held.message)
        for other in exercise.misconceptions:
            assert (
                other is held
                or other.message == held.message
                or (other.message not in result.message)
            )


def test_messages_are_sentences():
    for _, held in HELD:
        assert held.message.endswith((".", "?")), held.id


def test_two_mistakes_at_once_are_named_both():
    exercise = exercises()["surrogate"]
    by_id = {each.id: each for each in exercise.misconceptions}
    result = verdict_on(exercise, by_id["clip_without_min"], by_id["sum_for_mean"])
    assert set(result.mistake.split("+")) == {"clip_without_min", "sum_for_mean"}
    assert by_id["sum_for_mean"].message in result.message


def test_cases_cover_signs_sides_bounds_and_sizes():
    cases = exercises()["surrogate"].cases
    met = {
        (bool(a > 0), side)
        for case in cases
        for r, a in zip(case.inputs["ratios"], case.inputs["advantages"], strict=True)
        for side in [np.sign(round(abs(r - 1) - case.inputs["clip"], 9)) * np.sign(r - 1)]
    }
    assert {(s, side) for s in (True, False) for side in (1, -1, 0)} <= met
    sizes = {case.inputs["actions"].size for case in exercises()["ppo_loss"].cases}
    actions = {case.inputs["logits"].size for case in exercises()["ppo_loss"].cases}
    assert min(sizes) == 1 and max(sizes) >= 10
    assert {2, 6} <= actions


@pytest.mark.parametrize("loss", [detached.leaking_loss, detached.correct_loss])
def test_gradients_of_the_loss_by_hand_agree_with_jax(loss):
    inputs = ppo._SMOOTH.cases[1].inputs.values()
    leaks = float(loss is detached.leaking_loss)
    right = detached.ppo_gradients(
        *map(float64, inputs), into_old=leaks, into_advantages=leaks
    )  # fmt: skip
    given = jax.jit(jax.grad(loss, argnums=(0, 1, 3)))(*map(jnp.asarray, inputs))
    for mine, asked in zip(given, right, strict=True):
        np.testing.assert_allclose(mine, asked, 1e-4, 1e-5)


LAZY = {
    "zero": lambda *x: 0.0, "one": lambda *x: 1.0, "nan": lambda *x: np.nan,
    "zeros": lambda *x: np.zeros_like(x[1]), "ones": lambda *x: np.ones_like(x[1]),
    "pair of zeros": lambda *x: (0.0, 0.0), "three ones": lambda *x: (1.0, 1.0, 1.0),
    "random": lambda *x: np.random.default_rng(0).normal(size=np.shape(x[1])),
    "first input": lambda *x: x[0], "second input": lambda *x: x[1], "last input": lambda *x: x[-1],
}  # fmt: skip


@pytest.mark.parametrize("lazy", LAZY)
@pytest.mark.parametrize("exercise", ON_VALUES, ids=lambda each: f"{each.name} {each.returns}")
def test_lazy_answers_are_refused(exercise, lazy):
    returned = [LAZY[lazy](*case.inputs.values()) for case in exercise.cases]
    seen = [parts_of(value, len(exercise.names)) for value in returned]
    assert not judging.verdict(exercise, exercise.cases, seen).passed


COLLECT_ALTERED = {
    "probabilities_for_log_probs": {"old": lambda x, a: jax.nn.softmax(x)[a]},
    "logits_not_normalised": {"old": lambda x, a: x[a]},
    "not_centred": {"advantage": lambda x, r, a: r[a]},
    "batch_mean": {"advantage": lambda x, r, a: r[a] - r[a].mean()},
    "uniform_mean": {"advantage": lambda x, r, a: r[a] - r.mean()},
    "greedy": {"draw": lambda k, x, r, n: jnp.full(n, jnp.argmax(x))},
    "uniform_sampling": {"draw": lambda k, x, r, n: jax.random.randint(k, (n,), 0, x.size)},
    "probabilities_as_logits": {
        "draw": lambda k, x, r, n: jax.random.categorical(k, jax.nn.softmax(x), shape=(n,))
    },
    "rewards_as_logits": {"draw": lambda k, x, r, n: jax.random.categorical(k, r, shape=(n,))},
    "sign_of_logits": {"draw": lambda k, x, r, n: jax.random.categorical(k, -x, shape=(n,))},
    "key_ignored": {
        "draw": lambda k, x, r, n: jax.random.categorical(jax.random.key(0), x, shape=(n,))
    },
    "key_not_used": {
        "draw": lambda k, x, r, n: np.random.default_rng().choice(
            x.size, n, p=np.exp(np.float64(x)) / np.exp(np.float64(x)).sum()
        )
    },
    "one_draw_repeated": {"draw": lambda k, x, r, n: jnp.full(n, jax.random.categorical(k, x))},
    "single_action": {"draw": lambda k, x, r, n: jax.random.categorical(k, x)},
    "batch_size_ignored": {"draw": lambda k, x, r, n: jax.random.categorical(k, x, shape=(128,))},
    "actions_out_of_range": {
        "draw": lambda k, x, r, n: jax.random.categorical(k, x, shape=(n,)) + 1
    },
    "order_swapped": {"order": (0, 2, 1)},
    "number_of_results": {"order": (0, 1)},
}


@pytest.mark.parametrize("mistake", COLLECT_ALTERED)
def test_wrong_collecting_is_named(mistake):
    altered = COLLECT_ALTERED[mistake]
    old = altered.get("old", lambda x, a: jax.nn.log_softmax(x)[a])
    advantage = altered.get("advantage", lambda x, r, a: r[a] - jax.nn.softmax(x) @ r)
    draw = altered.get("draw", lambda k, x, r, n: jax.random.categorical(k, x, shape=(n,)))

    def collect(key, logits, rewards, batch_size):
        actions = draw(key, logits, rewards, batch_size)
        parts = actions, old(logits, actions), advantage(logits, rewards, actions)
        return tuple(parts[i] for i in altered.get("order", (0, 1, 2)))

    result = check("collect", collect)
    assert not result.passed
    assert result.mistake == mistake, result


def test_records_of_a_batch_have_their_own_misconceptions():
    ids = collections.Counter(each.id for each in _STORED.misconceptions)
    assert set(ids.values()) == {1}
