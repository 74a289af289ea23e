"""The controls that questions are answered with."""

import re
from xml.etree import ElementTree

import ipywidgets as widgets
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessonlib.teaching.ask.controls import WHOLE, controls, rebalance, sketch
from lessonlib.teaching.ask.questions import Choice, Curve, Number, Option, Probabilities

SHARED = {"id": "q", "notebook": "00_start_here", "prompt": "?"}
CHOICE = Choice(**SHARED, options=(Option("one", "no"), Option("two", "yes", right=True)))
NUMBER = Number(**SHARED, unit="nats", low=-1.0, high=5.0, explain="because")
CURVE = Curve(
    **SHARED, x=(10, 20, 40), xlabel="batch", unit="nats", low=0.0, high=2.5, explain="because"
)
PROBABILITIES = Probabilities(**SHARED, labels=("a", "b", "c"), explain="because")


def inside(widget, kind):
    """All widgets of a kind, in the order in which they are shown."""
    own = [widget] if isinstance(widget, kind) else []
    return own + [
        found for child in getattr(widget, "children", ()) for found in inside(child, kind)
    ]


@pytest.mark.parametrize("question", [CHOICE, NUMBER, CURVE, PROBABILITIES])
def test_every_control_but_a_slider_has_a_name(question):
    widget = controls(question).widget
    named = (widgets.RadioButtons, widgets.Text, widgets.BoundedFloatText)
    found = inside(widget, named)
    assert found and all(control.description for control in found)
    assert len({control.description for control in found}) == len(found)
    assert len(inside(widget, widgets.FloatSlider)) in (0, len(found))


def test_a_choice_starts_without_an_answer():
    widget, read = controls(CHOICE)
    with pytest.raises(ValueError, match="Choose"):
        read()
    widget.value = "two"
    assert read() == "two"


@pytest.mark.parametrize(
    ("typed", "value"),
    [("0.5", 0.5), (" 0,5 ", 0.5), ("−1", -1.0), ("5", 5.0), ("1e-3", 0.001), ("-0.25", -0.25)],
)
def test_a_number_is_read_as_people_write_it(typed, value):
    widget, read = controls(NUMBER)
    widget.value = typed
    assert read() == value


@pytest.mark.parametrize("typed", ["", "five", "nan", "inf", "5.01", "-1.1", "1;2"])
def test_a_number_outside_its_range_or_none_at_all_is_refused(typed):
    widget, read = controls(NUMBER)
    widget.value = typed
    with pytest.raises(ValueError, match="from -1 to 5 nats"):
        read()


def test_slider_and_box_of_a_curve_hold_the_same_value():
    widget, read = controls(CURVE)
    boxes, sliders = inside(widget, widgets.BoundedFloatText), inside(widget, widgets.FloatSlider)
    boxes[0].value = 0.33  # between two steps of the slider
    assert sliders[0].value == 0.33
    sliders[0].value = 0.325  # the slider's view reports its nearest step
    assert boxes[0].value == 0.33
    sliders[1].value = 1.25
    sliders[2].value = 2.5
    assert read() == [0.33, 1.25, 2.5]


def test_the_sketch_of_a_curve_follows_and_says_its_points():
    widget, _ = controls(CURVE)
    preview = widget.children[-1]
    before = preview.value
    inside(widget, widgets.BoundedFloatText)[1].value = 1.0
    assert preview.value != before
    picture = ElementTree.fromstring(preview.value)
    assert picture.get("role") == "img" and "20: 1 nats" in picture.get("aria-label")


def test_the_sketch_puts_low_at_the_axis_and_high_at_the_top():
    points = re.search('points="(.*?)"', sketch(CURVE, [0, 1.25, 2.5])).group(1).split()
    heights = [float(point.split(",")[1]) for point in points]
    axis = float(re.search(r"V(\d+)H", sketch(CURVE, [0, 1.25, 2.5])).group(1))
    assert heights[0] == axis and heights[0] - heights[1] == heights[1] - heights[2] > 0


def test_probabilities_start_equal_and_can_be_set_one_after_the_other():
    widget, read = controls(PROBABILITIES)
    boxes, sliders = inside(widget, widgets.BoundedFloatText), inside(widget, widgets.FloatSlider)
    assert read() == pytest.approx([1 / 3] * 3, abs=1e-3) and sum(read()) == pytest.approx(1)
    boxes[0].value = 0.9
    assert read() == [0.9, 0.05, 0.05]
    boxes[1].value = 0.08
    assert read() == [0.9, 0.08, 0.02]
    assert [slider.value for slider in sliders] == read()
    sliders[2].value = 0.5
    assert read() == [0.42, 0.08, 0.5]


@given(st.data())
def test_probabilities_sum_to_one_after_any_sequence_of_changes(data):
    count = data.draw(st.integers(2, 5))
    parts, touched = rebalance([0] * count, [0]), [0]
    places, values = st.integers(0, count - 1), st.integers(0, WHOLE)
    for place, value in data.draw(st.lists(st.tuples(places, values), max_size=8)):
        parts[place] = value
        touched = [other for other in touched if other != place] + [place]
        parts = rebalance(parts, touched)
        assert parts[place] == value and sum(parts) == WHOLE and min(parts) >= 0
