"""The explorer and the stepper under mouse, keys and number boxes."""

import re

import nbformat
import numpy as np
import pytest

from lessonlib import Settings, lesson_bandit, train
from lessonlib.teaching.widgets.explorer import BETAS
from lessonlib.teaching.widgets.run_view import compare

CELLS = ("from lessonlib import explore, stepper\nex = explore()\nex", "stepper()")


@pytest.fixture(scope="module")
def opened(lab):
    lab.open(lab.write("explorer.ipynb", *CELLS))
    lab.run_all()
    return lab


@pytest.fixture
def explorer(opened):
    """The explorer as it starts."""
    opened.page.get_by_role("button", name="Back to the lesson's settings").click()
    opened.wait_until("ex.beta.value == ex.clip.value == 0.2")
    return opened


def centre(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def unfold(page):
    """Show the row of further settings, if it is folded."""
    if not page.get_by_label("learning rate", exact=True).is_visible():
        page.get_by_role("button", name="More settings").click()


def heights(lab, panel, series):
    """The y coordinates that Chromium has for a series' line."""
    d = lab.page.locator(f".panel{panel}-series{series} path").first.get_attribute("d")
    return np.array(re.findall(r"-?\d+\.?\d*", d), dtype=float).reshape(-1, 2)[:, 1]


def shown_sentence(lab):
    return lab.page.locator('[role="img"][aria-label^="With β"]').get_attribute("aria-label")


def assert_shows(lab, **settings):
    """The picture's lines and sentence are those of `train`, by two known heights."""
    settings, bandit = Settings(**settings), lesson_bandit()
    history = train(bandit, settings)
    lab.page.wait_for_function(
        "words => document.querySelector('[role=img]').ariaLabel.startsWith(words)",
        arg=f"With β = {settings.beta:g} and clip {settings.clip:g},",
    )
    assert f"reward is {history.reward[-1]:.3f}" in shown_sentence(lab)
    assert f"is {history.kl[-1]:.3f} nats" in shown_sentence(lab)
    compared = compare(bandit, history.logp[-1], settings.beta)
    low, high = heights(lab, 0, 0)[0], heights(lab, 0, 2)[0]
    reward = np.asarray(history.reward, dtype=float)
    share = (reward - compared.reward[0]) / (compared.reward[2] - compared.reward[0])
    assert heights(lab, 0, 1) == pytest.approx(low + share * (high - low), abs=0.05)


@pytest.mark.parametrize(
    ("label", "name", "ends"), [("beta", "beta", (0, 5)), ("clip", "clip", (0.01, 1))]
)
def test_arrow_keys_step_and_reach_both_ends(explorer, label, name, ends):
    handle = explorer.slider(label).locator(".noUi-handle")
    handle.focus()
    handle.press("ArrowRight")
    explorer.wait_until(f"ex.{name}.value == 0.25")
    handle.press("ArrowLeft")
    explorer.wait_until(f"ex.{name}.value == 0.2")
    for key, end in zip(("Home", "End"), ends, strict=True):
        handle.press(key)
        explorer.wait_until(f"ex.{name}.value == {end}")
        assert_shows(explorer, **{name: end})


@pytest.mark.parametrize(
    ("label", "name", "ends"), [("beta", "beta", (0, 5)), ("clip", "clip", (0.01, 1))]
)
def test_the_mouse_drags_to_both_ends_and_clicks_the_track(explorer, label, name, ends):
    slider = explorer.slider(label)
    mouse, track = explorer.page.mouse, slider.locator(".noUi-base").bounding_box()
    for x, end in zip((track["x"] - 60, track["x"] + track["width"] + 60), ends, strict=True):
        handle = centre(slider.locator(".noUi-handle"))
        mouse.move(*handle)
        mouse.down()
        mouse.move(x, handle[1], steps=8)
        mouse.up()
        explorer.wait_until(f"ex.{name}.value == {end}")
    mouse.click(track["x"] + track["width"] / 2, track["y"] + track["height"] / 2)
    explorer.wait_until(f"{ends[0]} < ex.{name}.value < {ends[1]}")
    assert_shows(explorer, **{name: explorer.ask(f"ex.{name}.value")})


def test_a_number_box_takes_any_value_and_keeps_to_its_ends(explorer):
    explorer.type_into("exact β", "1.234")
    assert_shows(explorer, beta=1.234)
    explorer.type_into("exact ε", "0.055")
    assert_shows(explorer, beta=1.234, clip=0.055)
    explorer.type_into("exact β", "99")
    assert_shows(explorer, beta=5, clip=0.055)


def test_in_a_burst_the_last_value_wins(explorer):
    seen = explorer.burst("beta")
    last = BETAS[round(seen["asked"][-1]["place"])]
    assert len(seen["shown"]) > 1
    assert seen["shown"][-1]["text"].startswith(f"With β = {last:g} ")
    assert_shows(explorer, beta=last)


def test_a_message_takes_the_plots_place(explorer):
    unfold(explorer.page)
    height = explorer.page.locator('[role="img"]').bounding_box()["height"]
    explorer.type_into("learning rate", "-1")
    alert = explorer.page.get_by_role("alert").filter(has_text="learning_rate must be")
    alert.wait_for()
    assert explorer.page.locator('[role="img"]').count() == 0
    assert abs(alert.bounding_box()["height"] - height) < 0.1 * height  # the page stays put
    explorer.type_into("learning rate", "0.3")
    assert_shows(explorer, learning_rate=0.3)


def test_kept_runs_and_the_band_are_drawn(explorer):
    page = explorer.page
    page.get_by_role("button", name="Keep this run").click()
    explorer.type_into("exact β", "2")
    page.locator(".panel0-series3 path").first.wait_for(state="attached")
    kept, history = heights(explorer, 0, 3), train(lesson_bandit(), Settings())
    assert np.corrcoef(kept, -np.asarray(history.reward))[0, 1] > 0.9999
    unfold(page)
    page.get_by_label("band over 32 seeds").check()
    page.get_by_text("trained policy, 32 seeds").wait_for()
    page.get_by_role("button", name="Forget kept runs").click()
    page.get_by_text("kept 1").wait_for(state="detached")


def test_the_stepper_says_what_changed(opened):
    page = opened.page
    table = page.locator(".lesson-roles")
    policy = table.locator("tr", has_text="current policy")
    behaviour = table.locator("tr", has_text="stored probability")
    before = policy.inner_text()
    page.get_by_role("button", name="Inner step").click()
    page.get_by_text("Inner step 1 on batch 1. Changed: current policy π_θ.").wait_for()
    assert policy.inner_text() != before
    assert behaviour.inner_text().endswith("unchanged")
    page.get_by_role("button", name="Collect a new batch").click()
    page.get_by_text("Batch 2 collected. Changed: behaviour policy π_old.").wait_for()
    assert policy.inner_text().split()[3:6] == behaviour.inner_text().split()[4:7]


def test_names_errors_and_screenshots(explorer, artefacts):
    """Pictures for people to look at: both themes, and a projector at 125 % zoom."""
    assert explorer.unnamed_controls() == []
    page = explorer.page
    if page.get_by_label("learning rate", exact=True).is_visible():
        page.get_by_role("button", name="More settings").click()
    page.locator(".jp-CodeCell").first.scroll_into_view_if_needed()
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        page.evaluate(f"jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}})")
        dark = str(theme.endswith("Light")).lower()
        page.wait_for_function(f"document.body.dataset.jpThemeLight === '{dark}'")
        page.wait_for_selector("#jupyterlab-splash", state="detached")
        card = page.locator(".lesson-card")
        assert (
            card.evaluate("card => getComputedStyle(card).backgroundColor") == "rgb(255, 255, 255)"
        )
        page.screenshot(path=artefacts / f"explorer-{theme.split()[1].lower()}.png")
    page.locator(".jp-OutputArea-output").first.screenshot(path=artefacts / "explorer.png")
    page.set_viewport_size({"width": 1024, "height": 576})
    box, window = page.locator('[role="img"]').bounding_box(), page.viewport_size
    assert box["x"] + box["width"] <= window["width"]
    page.screenshot(path=artefacts / "explorer-zoom-125.png")
    page.set_viewport_size({"width": 1280, "height": 720})
    assert explorer.errors == []


def test_a_notebook_without_its_widgets_shows_a_still_picture(opened, artefacts):
    """As committed: outputs without the widget, which no kernel has any more."""
    opened.page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    saved = opened.folder / "explorer.ipynb"
    opened.wait_until(f"'<img alt=' in open({str(saved)!r}).read()")
    notebook = nbformat.read(saved, as_version=4)
    for cell in notebook.cells:
        for output in cell.outputs:
            output.data.pop("application/vnd.jupyter.widget-view+json")
    nbformat.write(notebook, opened.folder / "still.ipynb")
    opened.open("still.ipynb")
    opened.page.locator(".jp-OutputArea-output img").wait_for()
    opened.page.get_by_text("Stepper: run this cell to use it").wait_for()
    opened.page.screenshot(path=artefacts / "explorer-still.png")
    assert opened.errors == []
