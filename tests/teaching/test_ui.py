"""The parts that all panels share."""

import pytest

from lessonlib.teaching.widgets.ui import Panel, Status, paragraph, plain


@pytest.mark.parametrize(
    "show", [paragraph, lambda text: plain(text).value, lambda t: Status(t).value]
)
def test_text_is_escaped(show):
    assert "<b>" not in show("<b>") and "&lt;b&gt;" in show("<b>")


def test_a_status_is_announced():
    status = Status()
    status.say("one", "", "two")
    assert 'role="status"' in status.value and "one<br>two" in status.value


@pytest.mark.parametrize(
    ("error", "expected"),
    [(ValueError("choose first"), ">choose first<"), (KeyError("x"), "KeyError")],
)
def test_an_error_in_a_callback_is_shown_where_the_student_looks(error, expected):
    def fail(_):
        raise error

    status = Status()
    status.guarding(fail)(None)
    assert expected in status.value


def test_what_is_said_instead_of_a_control_can_take_the_focus():
    status = Status("before")
    assert "tabindex" not in status.value
    status.say_instead("a < b")
    assert '<div role="status" tabindex="-1">' in status.value and "a &lt; b" in status.value
    status.say("after")
    assert "tabindex" not in status.value


def test_a_panel_has_a_fixed_text_and_shows_what_it_is_told():
    one, two = plain("one"), plain("two")
    panel = Panel("Run this cell.", [one])
    panel.show(two)
    assert repr(panel) == "Run this cell."
    assert two in panel.children and one not in panel.children
    assert panel._repr_mimebundle_()["text/plain"] == "Run this cell."
