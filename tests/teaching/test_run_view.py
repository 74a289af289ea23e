import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lessonlib import Bandit, Settings, lesson_bandit, sweep
from lessonlib.teaching.widgets.run_view import (
    BAND,
    compare,
    objective_text,
    run,
    summary,
    view_data,
)


@pytest.fixture(scope="module")
def bandit():
    return lesson_bandit()


def policies(bandit, history, beta):
    """Reference, trained and optimum in float64, the last from its definition."""
    rewards, reference = np.float64(bandit.rewards), np.exp(np.float64(bandit.reference_logp))
    weights = reference * np.exp((rewards - rewards.max()) / beta)
    return np.stack([reference, np.exp(np.float64(history.logp[-1])), weights / weights.sum()])


@pytest.mark.parametrize("beta", [0.01, 0.2, 1.0, 5.0])
def test_the_three_policies_are_compared_as_by_hand(bandit, beta):
    history = run(bandit, Settings(beta=beta))
    compared = compare(bandit, history.logp[-1], beta)
    expected = policies(bandit, history, beta)
    reward = expected @ np.float64(bandit.rewards)
    drift = np.sum(expected * np.log(np.maximum(expected, 1e-300) / expected[0]), axis=1)
    assert compared.probabilities == pytest.approx(expected, abs=1e-5)
    assert compared.reward == pytest.approx(reward, abs=1e-5)
    assert compared.kl == pytest.approx(drift, abs=1e-5)
    assert compared.objective == pytest.approx(reward - beta * drift, abs=1e-5)
    assert compared.objective.argmax() == 2


def test_at_zero_the_optimum_is_the_limit():
    reference = jnp.log(jnp.array([0.1, 0.3, 0.6]))
    compared = compare(Bandit(jnp.array([2.0, 2.0, -1.0]), reference), reference, 0)
    assert compared.probabilities[2] == pytest.approx([0.25, 0.75, 0], abs=1e-6)
    assert compared.reward[2] == pytest.approx(2)
    assert compared.kl[2] == pytest.approx(-np.log(0.4), abs=1e-6)


def test_data_hold_the_run_the_optimum_kept_runs_and_the_band(bandit):
    settings = Settings(beta=1.0)
    history, kept = run(bandit, settings), run(bandit, Settings(beta=3.0))
    band = sweep(bandit, settings, betas=[1.0], clips=[0.2], seeds=range(4))
    band = jax.tree.map(lambda x: x[0, 0], band)
    compared = compare(bandit, history.logp[-1], 1.0)
    data = view_data(bandit, history, compared, [("kept 1", kept)], band)
    reward, drift, actions = (
        {series["label"]: series for series in panel["series"]} for panel in data["panels"]
    )
    assert np.float32(reward["trained policy"]["y"]) == pytest.approx(history.reward, abs=0)
    assert reward["optimum"]["y"] == [compared.reward[2]] * 40
    assert np.float32(drift["kept 1"]["y"]) == pytest.approx(kept.kl, abs=0)
    assert np.float32(drift[BAND]["y"]) == pytest.approx(np.min(band.kl, axis=0), abs=0)
    assert np.float32(drift[BAND]["high"]) == pytest.approx(np.max(band.kl, axis=0), abs=0)
    assert actions["optimum"]["y"] == compared.probabilities[2].tolist()
    assert actions["kept 1"]["kind"] == "mark"


def test_limits_hold_all_data_and_stay_where_they_can(bandit):
    seen = set()
    for beta in (0.0, 0.2, 1.0, 5.0):
        for clip in (0.01, 0.2, 1.0):
            history = run(bandit, Settings(beta=beta, clip=clip))
            data = view_data(bandit, history, compare(bandit, history.logp[-1], beta))
            for panel in data["panels"]:
                low, high = panel["ylim"]
                assert all(low <= y <= high for s in panel["series"] for y in s["y"])
            seen.add(str([panel["ylim"] for panel in data["panels"]]))
    assert len(seen) == 1


def test_limits_grow_for_a_run_that_goes_the_wrong_way(bandit):
    history = run(bandit, Settings(iterations=2))
    low = history._replace(reward=np.full(2, -2.3), kl=np.full(2, 1.3))
    panels = view_data(bandit, low, compare(bandit, low.logp[-1], 0.2))["panels"]
    assert panels[0]["ylim"][0] < -2.3
    assert panels[1]["ylim"][1] > 1.3


def test_equal_rewards_can_be_drawn():
    flat = Bandit(jnp.ones(2), jnp.log(jnp.array([0.5, 0.5])))
    history = run(flat, Settings(iterations=2))
    for panel in view_data(flat, history, compare(flat, history.logp[-1], 0.2))["panels"]:
        assert panel["ylim"][0] < panel["ylim"][1]


def test_sentences_carry_the_numbers(bandit):
    settings = Settings()
    history = run(bandit, settings)
    compared = compare(bandit, history.logp[-1], settings.beta)
    sentence = summary(settings, compared)
    for part in ("β = 0.2", "clip 0.2", "1.919", "0.282", "0.782 nats", "action 0", "0.974"):
        assert part in sentence
    text = objective_text(settings, history, compared)
    assert "reference 0.282 · trained 1.762 · optimum 1.799" in text
    share = 100 * float(np.mean(history.clip_fraction))
    assert f"{share:.1f} % of samples" in text
    assert "limit" not in text
    free = compare(bandit, history.logp[-1], 0)
    assert "limit as β → 0" in objective_text(Settings(beta=0.0), history, free)


def test_a_run_beyond_all_numbers_is_refused(bandit):
    with pytest.raises(ValueError, match="learning_rate must be small enough"):
        run(bandit, Settings(beta=1e30))
