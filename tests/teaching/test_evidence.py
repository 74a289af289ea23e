"""The portfolio in the notebook: what it shows, what it keeps, what it saves."""

import hashlib

import pytest
from asking import answer, kinds, named, said

from lessonlib.teaching.ask import storage
from lessonlib.teaching.ask.evidence import portfolio, record


def shown(panel):
    return "".join(getattr(child, "value", "") for child in panel.children)


def press(panel, description):
    buttons = next(child for child in panel.children if hasattr(child, "children"))
    named(buttons, description).click()


def test_without_a_kernel_there_is_one_fixed_text():
    before = repr(portfolio())
    record("run", "lesson", reward=1.5)
    assert repr(portfolio()) == before == "Portfolio: run this cell to see it and to save it."


def test_it_shows_what_was_predicted_and_recorded():
    asked = kinds()["choice"]
    answer(asked, reason="a reason")
    record("run", "lesson", final_reward=1.25)
    text = shown(portfolio())
    for expected in ("a reason", "fairly sure", "Final reward", "1.25"):
        assert expected in text


def test_reasoning_is_kept_and_comes_back():
    panel = portfolio()
    named(panel, "My reasoning").value = "The reference stays.\nAlways."
    press(panel, "Keep")
    assert "kept" in said(panel)
    assert named(portfolio(), "My reasoning").value == "The reference stays.\nAlways."


def test_reasoning_that_did_not_change_is_kept_once():
    panel = portfolio()
    named(panel, "My reasoning").value = "once"
    for _ in range(3):
        press(panel, "Keep")
    panel.save()
    assert len(storage.read("reasoning").events) == 1


def test_saving_keeps_reasoning_that_was_only_typed():
    panel = portfolio()
    named(panel, "My reasoning").value = "only typed"
    saved = panel.save()
    assert "only typed" in saved.html.read_text(encoding="utf-8")
    assert storage.read("reasoning").events[0].details["text"] == "only typed"


def test_two_files_are_saved_under_one_fingerprint_of_their_content():
    answer(kinds()["choice"], reason="π_ref <stays> \ud83d")
    saved = portfolio().save()
    twin = saved.markdown.read_bytes()
    content = twin.split(b"\n---\n\n", 1)[1]
    assert hashlib.sha256(content).hexdigest() == saved.fingerprint
    page = saved.html.read_text(encoding="utf-8")
    assert saved.fingerprint in page and saved.fingerprint.encode() in twin
    assert "π_ref &lt;stays&gt;" in page
    assert {saved.html.parent, saved.markdown.parent} == {storage.place().folder}


def test_saving_twice_gives_the_same_pages():
    record("run", "lesson", reward=1.5)
    one, two = portfolio().save(), portfolio().save()
    assert one == two


def test_the_button_saves_and_says_where():
    panel = portfolio()
    press(panel, "Save")
    assert "portfolio.html" in said(panel)
    assert (storage.place().folder / "portfolio.html").exists()


def test_a_full_disk_is_said_in_place_and_keeps_the_text(monkeypatch):
    def fail(*args):
        raise OSError("disk full")

    panel = portfolio()
    named(panel, "My reasoning").value = "not lost"
    monkeypatch.setattr(storage, "write_whole", fail)
    press(panel, "Save")
    assert "disk full" in said(panel)
    assert named(panel, "My reasoning").value == "not lost"
    with pytest.raises(OSError, match="disk full"):
        panel.save()


def test_a_damaged_file_is_said():
    record("run", "lesson", reward=1.5)
    (path,) = storage.place().folder.glob("*.json")
    path.write_text("{")
    assert "set aside" in shown(portfolio())
