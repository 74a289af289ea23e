import gc
import re
import threading

import ipywidgets
import numpy as np
import psutil
import pytest
from exploring import button
from matplotlib.figure import Figure

from lessonlib import Settings, explore, lesson_bandit, train
from lessonlib.teaching.widgets.explorer import BETAS, CLIPS

pytestmark = pytest.mark.slow


@pytest.fixture
def explorer():
    return explore()


def labels(explorer):
    return [series["label"] for series in explorer.data["panels"][0]["series"]]


def test_it_starts_with_the_lesson(explorer):
    history = train(lesson_bandit(), Settings())
    assert (explorer.beta.value, explorer.clip.value) == (0.2, 0.2)
    assert np.array_equal(explorer.history.reward, history.reward)
    assert "expected reward is 1.919" in explorer.status.value
    assert "trained 1.762 · optimum 1.799" in explorer.status.value


@pytest.mark.parametrize(
    ("beta", "clip"), [(0, 0.2), (5, 0.2), (0.3, 0.01), (0.3, 1), (1.234, 0.5)]
)
def test_every_change_runs_the_training(explorer, beta, clip):
    explorer.beta.value, explorer.clip.value = beta, clip
    history = train(lesson_bandit(), Settings(beta=beta, clip=clip))
    for name, values in history._asdict().items():
        assert np.array_equal(getattr(explorer.history, name), values), name
    drawn = explorer.data["panels"][0]["series"][1]
    assert drawn["label"] == "trained policy"
    assert np.array_equal(np.float32(drawn["y"]), history.reward)
    assert f"is {history.reward[-1]:.3f}" in explorer.status.value


def test_the_sliders_reach_both_ends_and_the_lessons_values():
    assert (BETAS[0], BETAS[-1]) == (0, 5)
    assert (CLIPS[0], CLIPS[-1]) == (0.01, 1)
    assert {0.2, 0.5, 1, 2} <= set(BETAS)
    assert {0.05, 0.2} <= set(CLIPS)
    assert BETAS[1] - BETAS[0] < (BETAS[-1] - BETAS[-2]) / 5


def test_the_other_settings_count_too(explorer):
    explorer.epochs.value, explorer.learning_rate.value, explorer.seed.value = 2, 0.3, 5
    other = train(lesson_bandit(), Settings(epochs=2, learning_rate=0.3, seed=5))
    assert np.array_equal(explorer.history.kl, other.kl)


def test_settings_given_are_the_start_and_the_way_back():
    explorer = explore(settings=Settings(beta=2.0, iterations=5))
    assert explorer.beta.value == 2
    assert explorer.history.reward.shape == (5,)
    explorer.beta.value = explorer.seed.value = 3
    button(explorer, "Back to the lesson's settings").click()
    assert (explorer.beta.value, explorer.seed.value) == (2, 11)
    with pytest.raises(ValueError, match="beta must be a number from 0 to 5, got 6"):
        explore(settings=Settings(beta=6.0))
    with pytest.raises(ValueError, match=r"clip must be a number from 0\.01 to 1, got 0\.0"):
        explore(settings=Settings(clip=0.0))


@pytest.mark.parametrize(
    ("control", "value", "words"),
    [
        ("learning_rate", -1.0, "learning_rate must be a finite number above 0, got -1.0"),
        ("learning_rate", 1e39, "learning_rate must be a finite number above 0"),
        ("beta", float("nan"), "beta must be a finite number, 0 or more, got nan"),
    ],
)
def test_a_message_stands_in_place_of_the_plot(explorer, control, value, words):
    getattr(explorer, control).value = value
    assert words in explorer.picture.value
    assert 'role="alert"' in explorer.picture.value
    assert "<svg" not in explorer.picture.value
    assert explorer.history is None
    assert explorer.data is None
    button(explorer, "Back to the lesson's settings").click()
    assert "<svg" in explorer.picture.value
    assert float(explorer.history.reward[-1]) == pytest.approx(1.918545, abs=1e-5)


def test_any_error_is_shown(explorer, monkeypatch):
    def fail(*_):
        raise RuntimeError("a < b")

    monkeypatch.setattr("lessonlib.teaching.widgets.explorer.run", fail)
    explorer.beta.value = 1
    assert "a &lt; b" in explorer.picture.value


def test_up_to_three_runs_are_kept_and_labelled(explorer):
    keep, forget = button(explorer, "Keep this run"), button(explorer, "Forget kept runs")
    assert forget.disabled
    for beta in (0.5, 1, 2):
        assert not keep.disabled
        explorer.beta.value = beta
        keep.click()
    assert keep.disabled
    keep.click()
    kept = ["kept 1: β 0.5, ε 0.2", "kept 2: β 1, ε 0.2", "kept 3: β 2, ε 0.2"]
    assert labels(explorer)[-3:] == kept
    assert all(label in explorer.backdrop.value for label in kept)
    explorer.beta.value = 4
    ghost = train(lesson_bandit(), Settings(beta=1))
    assert np.array_equal(np.float32(explorer.data["panels"][1]["series"][-2]["y"]), ghost.kl)
    forget.click()
    assert labels(explorer) == ["reference policy", "trained policy", "optimum"]
    assert forget.disabled


def test_a_kept_run_names_what_differs(explorer):
    explorer.seed.value = 3
    button(explorer, "Keep this run").click()
    assert labels(explorer)[-1] == "kept 1: β 0.2, ε 0.2, seed 3"


def test_the_band_spans_32_seeds(explorer):
    button(explorer, "band over 32 seeds").value = True
    band = next(s for s in explorer.data["panels"][0]["series"] if s.get("kind") == "band")
    runs = [train(lesson_bandit(), Settings(seed=seed)).reward for seed in range(32)]
    assert band["y"] == pytest.approx(np.min(runs, axis=0), abs=1e-5)
    assert band["high"] == pytest.approx(np.max(runs, axis=0), abs=1e-5)


def test_the_sentence_is_the_pictures_text(explorer):
    sentence = re.search(r'role="status">(.*?)</div>', explorer.status.value)[1]
    assert f'role="img" aria-label="{sentence}"' in explorer.picture.value


def test_its_text_form_is_fixed_and_a_still_goes_with_it(explorer):
    bundle = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == "Explorer: run this cell to use it"
    assert "application/vnd.jupyter.widget-view+json" in bundle
    before = bundle["text/html"]
    assert f'<img alt="{explorer.status.value.split(">")[2].split("<")[0]}"' in before
    explorer.beta.value = 3
    assert explorer._repr_mimebundle_()["text/html"] != before


def test_the_numbers_are_shown_as_tables_that_follow_the_figure(explorer):
    assert explorer.table.value == ""
    button(explorer, "Numbers as a table").value = True
    for beta in (0.2, 3):
        explorer.beta.value = beta
        assert f"<td>{explorer.history.reward[-1]:.3f}</td>" in explorer.table.value
        assert explorer.table.value.count("<table>") == 3
    explorer.learning_rate.value = -1
    assert explorer.table.value == ""


def test_moves_on_two_threads_end_on_what_the_controls_say(explorer):
    def move(control, values):
        for value in values:
            control.value = value

    threads = [
        threading.Thread(target=move, args=(explorer.beta, np.linspace(0, 5, 40))),
        threading.Thread(target=move, args=(explorer.clip, np.linspace(1, 0.01, 40))),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = train(lesson_bandit(), Settings(beta=5, clip=explorer.clip.value))
    assert explorer.beta.value == 5
    assert np.array_equal(explorer.history.reward, last.reward)


def test_500_moves_leave_nothing_behind(explorer):
    slider = explorer.widget.children[0].children[0]

    def move(count):
        for n in range(count):
            slider.index = n % len(BETAS)

    def count():
        gc.collect()
        figures = sum(isinstance(thing, Figure) for thing in gc.get_objects())
        widgets = sum(isinstance(thing, ipywidgets.Widget) for thing in gc.get_objects())
        return figures, widgets

    move(20)
    before, memory = count(), psutil.Process().memory_info().rss
    move(500)
    assert count() == before
    assert psutil.Process().memory_info().rss - memory < 20e6
