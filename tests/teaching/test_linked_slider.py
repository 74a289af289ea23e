import pytest

from lessonlib.teaching.widgets.linked_slider import LinkedSlider, named_row, steps

VALUES = steps((0.2, 0.1), (1, 0.4), (3, 1))


def test_steps_grow():
    assert VALUES == [0, 0.1, 0.2, 0.6, 1.0, 2.0, 3.0]


def test_both_ends_are_reached():
    linked = LinkedSlider("beta", "β", VALUES, 0.2)
    linked.slider.index = len(VALUES) - 1
    assert linked.box.value == 3
    linked.slider.index = 0
    assert linked.box.value == 0


@pytest.mark.parametrize("value", [0.0, 0.04, 0.15, 0.77, 1.49, 3.0])
def test_the_box_keeps_a_value_between_the_sliders(value):
    linked = LinkedSlider("beta", "β", VALUES, 0.2)
    linked.box.value = value
    assert linked.box.value == value
    assert abs(linked.slider.value - value) == min(abs(v - value) for v in VALUES)


def test_a_slider_moves_away_from_a_typed_value():
    linked = LinkedSlider("beta", "β", VALUES, 0.2)
    linked.box.value = 0.77
    linked.slider.index += 1
    assert linked.box.value == 1.0


@pytest.mark.parametrize("value", [-0.1, 3.1, float("nan")])
def test_a_value_beyond_the_ends_is_refused(value):
    with pytest.raises(ValueError, match="beta must be a number from 0 to 3, got"):
        LinkedSlider("beta", "β", VALUES, value)


def test_the_controls_have_labels():
    linked = LinkedSlider("beta", "β", VALUES, 0.2)
    assert (linked.slider.description, linked.box.description) == ("beta β", "exact β")
    assert "aria-label" in named_row(linked.box).children[-1].value
