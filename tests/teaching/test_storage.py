"""A student's work is never lost: not to a crash, a second notebook or a damaged file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessonlib.teaching.ask import storage


def files():
    return sorted(path for path in storage.place().folder.iterdir() if path.is_file())


def test_an_event_comes_back_as_it_was_kept():
    storage.record("check", "ratios", passed=True, note="π ≠ 𝜋\n<b>", ratio=np.array([1.0, 1.5]))
    (event,) = storage.read("check", "ratios").events
    assert (event.kind, event.name) == ("check", "ratios")
    assert event.details == {"passed": True, "note": "π ≠ 𝜋\n<b>", "ratio": [1.0, 1.5]}
    assert event.time.utcoffset().total_seconds() == 0


@pytest.mark.parametrize("value", [jnp.float32(0.5), jnp.array([0.5]), np.int64(3), None, "x"])
def test_numbers_of_every_library_can_be_kept(value):
    storage.record("run", "a", value=value)
    assert storage.read("run", "a").events[0].details["value"] == np.asarray(value).tolist()


@pytest.mark.parametrize("text", ["", "\0", "a\r\nb\u2028c", "π 😀", "\ud83d", '"\\'])
def test_any_text_that_a_browser_can_send_is_kept(text):
    storage.record("prediction", "p", reason=text)
    assert storage.read("prediction", "p").events[0].details["reason"] == text


def test_what_json_cannot_hold_is_refused_and_leaves_no_file():
    with pytest.raises(ValueError, match="details must be"):
        storage.record("run", "a", value=object())
    assert not files()


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_any_kind_and_name_are_told_apart(tmp_path_factory, pairs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LESSON_PORTFOLIO", str(tmp_path_factory.mktemp("names")))
        pairs = [pair for pair in pairs if all(len(text.encode("utf-8")) < 20 for text in pair)]
        for kind, name in pairs:
            storage.record(kind, name)
        for kind, name in pairs:
            found = storage.read(kind, name).events
            assert len(found) == pairs.count((kind, name))
        assert len(storage.read().events) == len(pairs)


def test_events_come_oldest_first():
    for number in range(5):
        storage.record("quiz", "q", number=number)
    assert [event.details["number"] for event in storage.read("quiz").events] == list(range(5))


# Another process, which loads storage.py alone, because JAX takes seconds to start.
NOTEBOOK = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("storage", sys.argv[1])
storage = importlib.util.module_from_spec(spec)
sys.modules["storage"] = storage
spec.loader.exec_module(storage)
for number in range(50):
    storage.record("quiz", "shared", writer=sys.argv[2], number=number)
    assert not storage.read("quiz", "shared").notices
"""


def test_two_notebooks_at_once_lose_nothing():
    command = [sys.executable, "-c", NOTEBOOK, storage.__file__]
    notebooks = [subprocess.Popen([*command, writer]) for writer in "ab"]
    assert [notebook.wait(60) for notebook in notebooks] == [0, 0]
    found = storage.read("quiz", "shared")
    kept = {(event.details["writer"], event.details["number"]) for event in found.events}
    assert kept == {(writer, number) for writer in "ab" for number in range(50)}
    assert not found.notices


def test_a_failing_disk_leaves_what_was_there(monkeypatch, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("before")

    def fail(_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        storage.write_whole(page, "after")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["page.html"]
    assert page.read_text() == "before"


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", "null", '{"kind": "quiz"}', "\x00\x00", '{"kind":1,"name":2,"time":"x"}'],
)
def test_a_damaged_file_is_set_aside_unchanged_with_a_message(damage):
    storage.record("quiz", "q", number=1)
    storage.record("quiz", "q", number=2)
    path = files()[0]
    path.write_text(damage, encoding="utf-8")
    events, (notice,) = storage.read("quiz", "q")
    assert [event.details["number"] for event in events] == [2]
    assert path.name in notice and "set aside" in notice
    assert (path.parent / "damaged" / path.name).read_text(encoding="utf-8") == damage
    assert not storage.read("quiz", "q").notices


def test_bytes_that_are_no_text_are_damage_too():
    storage.record("quiz", "q")
    files()[0].write_bytes(b"\xff\xfe\xff")
    assert len(storage.read().notices) == 1


def test_every_cut_of_a_file_is_noticed_or_whole():
    storage.record("quiz", "q", answer="yes")
    (path,) = files()
    whole = path.read_text()
    for length in range(len(whole)):
        path.write_text(whole[:length])
        events, notices = storage.read()
        assert (len(events), len(notices)) == (0, 1)
        path.write_text(whole)
    assert len(storage.read().events) == 1


def test_an_event_that_does_not_fit_is_set_aside():
    storage.record("prediction", "p", answer=[1])
    events, notices = storage.read("prediction", "p", lambda event: False)
    assert not events and len(notices) == 1


def test_files_are_plain_json_that_a_person_can_read():
    storage.record("quiz", "q", answer="π")
    text = files()[0].read_text(encoding="utf-8")
    assert json.loads(text)["details"] == {"answer": "π"} and "π" in text


class TestPlace:
    def test_the_variable_decides(self, monkeypatch, tmp_path):
        monkeypatch.setenv("LESSON_PORTFOLIO", str(tmp_path / "new" / "folder"))
        assert storage.place() == (tmp_path / "new" / "folder", "")

    def test_else_the_folder_beside_the_notebook(self, monkeypatch, tmp_path):
        monkeypatch.delenv("LESSON_PORTFOLIO")
        monkeypatch.chdir(tmp_path)
        assert storage.place() == (tmp_path / "portfolio", "")

    def test_else_the_users_own_folder_and_it_says_so(self, monkeypatch, tmp_path):
        monkeypatch.delenv("LESSON_PORTFOLIO")
        monkeypatch.chdir(tmp_path)
        Path("portfolio").write_text("a file is in the way, so no folder can be made")
        home = tmp_path / "home"
        monkeypatch.setattr(storage.platformdirs, "user_data_path", lambda *a, **k: home)
        folder, notice = storage.place()
        assert folder == home and str(home) in notice and "cannot be written" in notice
        storage.record("quiz", "q")
        assert len(list(home.iterdir())) == 1

    def test_a_chosen_folder_that_cannot_be_made_is_an_error(self, monkeypatch, tmp_path):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("LESSON_PORTFOLIO", str(tmp_path / "file"))
        with pytest.raises(OSError, match="file"):
            storage.record("quiz", "q")
