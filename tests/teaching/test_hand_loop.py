import jax
import numpy as np
import pytest

from lessonlib import Settings, lesson_bandit, train
from lessonlib.teaching.widgets.hand_loop import (
    batch_ratios,
    begin,
    changed,
    collect_batch,
    inner_step,
    roles,
)

SETTINGS = Settings(iterations=4)
POLICY, BEHAVIOUR, REFERENCE, REWARD = (
    "current policy π_θ", "behaviour policy π_old", "reference policy π_ref", "reward model",
)  # fmt: skip


@pytest.fixture(scope="module")
def bandit():
    return lesson_bandit()


def test_the_moves_of_a_run_lead_where_train_leads(bandit):
    history = train(bandit, SETTINGS)
    moment = begin(bandit, SETTINGS)
    for batch in range(SETTINGS.iterations):
        for _ in range(SETTINGS.epochs):
            moment = inner_step(moment, bandit, SETTINGS)
        assert moment.batches == batch + 1
        assert moment.inner_steps == SETTINGS.epochs
        logp = jax.nn.log_softmax(moment.logits)
        assert logp == pytest.approx(np.asarray(history.logp[batch]), abs=1e-5)
        moment = collect_batch(moment, bandit, SETTINGS)


def test_each_move_changes_what_it_should(bandit):
    first = begin(bandit, SETTINGS)
    stepped = inner_step(first, bandit, SETTINGS)
    drawn = collect_batch(stepped, bandit, SETTINGS)
    held = [roles(moment, bandit) for moment in (first, stepped, drawn)]
    assert list(held[0]) == [POLICY, BEHAVIOUR, REFERENCE, REWARD]
    assert changed(held[0], held[0]) == []
    assert changed(held[0], held[1]) == [POLICY]
    assert changed(held[1], held[2]) == [BEHAVIOUR]
    assert changed(held[0], held[2]) == [POLICY, BEHAVIOUR]


def test_the_numbers_are_those_of_the_stored_batch(bandit):
    moment = inner_step(begin(bandit, SETTINGS), bandit, SETTINGS)
    held = roles(moment, bandit)
    start = np.exp(np.float64(bandit.reference_logp))
    rewards = np.float64(bandit.rewards)
    assert held[BEHAVIOUR]["times drawn"].sum() == SETTINGS.batch_size
    assert held[BEHAVIOUR]["stored probability"] == pytest.approx(start, abs=1e-6)
    assert held[BEHAVIOUR]["stored advantage"] == pytest.approx(rewards - start @ rewards, abs=1e-5)
    now = held[POLICY]["probability"]
    assert now.sum() == pytest.approx(1, abs=1e-6)
    assert batch_ratios(moment) == pytest.approx(np.asarray(now) / start, abs=1e-5)


def test_a_new_batch_sets_every_ratio_to_one(bandit):
    moment = collect_batch(inner_step(begin(bandit, SETTINGS), bandit, SETTINGS), bandit, SETTINGS)
    assert batch_ratios(moment) == pytest.approx([1, 1, 1], abs=1e-6)


def test_an_action_that_was_not_drawn_has_no_stored_number(bandit):
    moment = begin(bandit, Settings(batch_size=1))
    held = roles(moment, bandit)[BEHAVIOUR]
    missing = held["times drawn"] == 0
    assert missing.sum() == 2
    assert np.array_equal(np.isnan(held["stored advantage"]), missing)
    assert np.array_equal(np.isnan(batch_ratios(moment)), missing)
