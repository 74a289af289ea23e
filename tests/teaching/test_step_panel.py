import re

import pytest

from lessonlib import Settings, stepper
from lessonlib.teaching.widgets.hand_loop import roles


@pytest.fixture
def panel():
    return stepper()


def rows(panel):
    """(role, holds) → (numbers as shown, the word in the last column)."""
    found = {}
    for row in re.findall(r"<tr>(<th scope=\"row\">.*?)</tr>", panel.table.value):
        cells = re.findall(r"<t[hd][^>]*>(?:<strong>)?(.*?)(?:</strong>)?</t[hd]>", row)
        role, holds, *numbers, word = cells
        found[role, holds] = (numbers, word)
    return found


def status(panel):
    return re.search(r'<div role="status">(.*?)</div>', panel.table.value)[1]


def test_the_table_shows_the_numbers_of_the_moment(panel):
    panel.step.click()
    held = roles(panel.moment, panel.bandit)
    shown = rows(panel)
    assert len(shown) == 6
    for (role, holds), (numbers, _) in shown.items():
        assert [float(n) for n in numbers] == pytest.approx(held[role][holds], abs=6e-5)


def test_what_changed_is_said_in_words(panel):
    assert status(panel) == "A new run. All four roles start afresh."
    assert {word for _, word in rows(panel).values()} == {"starts afresh"}
    panel.step.click()
    words = {role: word for (role, _), (_, word) in rows(panel).items()}
    assert words == {
        "current policy π_θ": "changed",
        "behaviour policy π_old": "unchanged",
        "reference policy π_ref": "unchanged",
        "reward model": "unchanged",
    }
    assert status(panel) == "Inner step 1 on batch 1. Changed: current policy π_θ."
    panel.collect.click()
    assert status(panel) == "Batch 2 collected. Changed: behaviour policy π_old."
    panel.restart.click()
    assert status(panel) == "A new run. All four roles start afresh."
    assert {word for _, word in rows(panel).values()} == {"starts afresh"}


def test_a_collection_right_after_a_collection_changes_no_policy(panel):
    panel.collect.click()
    assert status(panel) == "Batch 2 collected. Changed: behaviour policy π_old."
    assert rows(panel)["current policy π_θ", "probability"][1] == "unchanged"


def test_an_action_without_samples_is_said_to_be_so():
    assert (
        rows(stepper(settings=Settings(batch_size=1)))[
            "behaviour policy π_old", "stored advantage"
        ][0].count("not drawn")
        == 2
    )


def test_an_error_is_shown_and_a_new_run_mends_it(panel, monkeypatch):
    def fail(*_):
        raise RuntimeError("a < b")

    with monkeypatch.context() as patch:
        patch.setattr("lessonlib.teaching.widgets.step_panel.inner_step", fail)
        panel.step.click()
    assert "a &lt; b" in panel.table.value
    assert 'role="alert"' in panel.table.value
    panel.restart.click()
    assert len(rows(panel)) == 6


def test_its_text_form_is_fixed(panel):
    assert repr(panel) == "Stepper: run this cell to use it"
    bundle = panel._repr_mimebundle_()
    assert bundle["text/plain"] == repr(panel)
    assert "application/vnd.jupyter.widget-view+json" in bundle
