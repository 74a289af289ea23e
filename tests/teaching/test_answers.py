"""What counts as an answer, and how an answer is set beside a result."""

import jax.numpy as jnp
import numpy as np
import pytest

from lessonlib.teaching.ask.answers import compare, fits, result_of, words
from lessonlib.teaching.ask.questions import Choice, Curve, Number, Option, Probabilities
from lessonlib.teaching.panels import plot_panels

SHARED = {"id": "q", "notebook": "00_start_here", "prompt": "?"}
CHOICE = Choice(**SHARED, options=(Option("one", "no"), Option("two", "yes", right=True)))
NUMBER = Number(**SHARED, unit="nats", low=0.0, high=5.0, explain="because")
CURVE = Curve(**SHARED, x=(1, 3), xlabel="steps", unit="nats", low=0.0, high=2.0, explain="because")
PROBABILITIES = Probabilities(**SHARED, labels=("a", "b", "c"), explain="because")


@pytest.mark.parametrize(
    ("question", "answer", "fitting"),
    [
        (CHOICE, "one", True),
        (CHOICE, "an option that was reworded since", True),
        (CHOICE, "", False),
        (CHOICE, 0, False),
        (CHOICE, None, False),
        (NUMBER, 0.5, True),
        (NUMBER, 1, True),
        (NUMBER, True, False),
        (NUMBER, "0.5", False),
        (NUMBER, float("nan"), False),
        (CURVE, [0.1, 0.2], True),
        (CURVE, [0.1], False),
        (CURVE, [0.1, None], False),
        (CURVE, 0.1, False),
        (PROBABILITIES, [0.5, 0.25, 0.25], True),
        (PROBABILITIES, [0.5, 0.25, 0.5], False),
        (PROBABILITIES, [1.5, -0.25, -0.25], False),
        (PROBABILITIES, [0.5, 0.5], False),
    ],
)
def test_only_an_answer_fits(question, answer, fitting):
    assert fits(question, answer) is fitting


def test_answers_in_words():
    assert words(CHOICE, "one") == "one"
    assert words(NUMBER, 0.78248) == "0.7825 nats"
    assert words(CURVE, [0.1, 0.25]) == "steps: 1: 0.1 nats; 3: 0.25 nats"
    assert words(PROBABILITIES, [0.5, 0.3, 0.2]) == "a: 0.5; b: 0.3; c: 0.2"


@pytest.mark.parametrize(
    ("question", "result", "plain"),
    [
        (CHOICE, None, None),
        (CHOICE, "fell", "fell"),
        (CHOICE, jnp.float32(0.5), 0.5),
        (NUMBER, jnp.float32(0.5), 0.5),
        (NUMBER, 2, 2.0),
        (CURVE, jnp.array([0.5, 1, 2, 3]), [0.5, 1.0, 2.0, 3.0]),
        (PROBABILITIES, np.array([0.5, 0.25, 0.25]), [0.5, 0.25, 0.25]),
    ],
)
def test_a_result_becomes_plain_data(question, result, plain):
    assert result_of(question, result) == plain


@pytest.mark.parametrize(
    ("question", "result", "message"),
    [
        (CHOICE, [1, 2], "None, a text or one number"),
        (NUMBER, None, "one finite number"),
        (NUMBER, [0.5], "one finite number"),
        (NUMBER, float("inf"), "one finite number"),
        (CURVE, None, "a list of finite numbers"),
        (CURVE, [1.0, 2.0], "must reach x = 3"),
        (CURVE, [1.0, 2.0, float("nan")], "a list of finite numbers"),
        (PROBABILITIES, [0.5, 0.5], "3 probabilities that sum to 1"),
        (PROBABILITIES, [0.5, 0.5, 0.5], "3 probabilities that sum to 1"),
        (PROBABILITIES, [1.5, -0.25, -0.25], "3 probabilities that sum to 1"),
    ],
)
def test_what_cannot_be_a_result_is_refused_by_name(question, result, message):
    with pytest.raises(ValueError, match=f"result must.*{message}|result {message}"):
        result_of(question, result)


def test_a_choice_is_right_another_or_reworded():
    right, wrong = compare(CHOICE, "two", None), compare(CHOICE, "one", 0.5)
    assert right.right is True and "Your answer is right." in right.lines
    assert wrong.right is False and "The run gave: 0.5." in wrong.lines
    assert "The right answer is: two" in wrong.lines
    reworded = compare(CHOICE, "gone", None)
    assert reworded.right is None and "reworded" in " ".join(reworded.lines)


@pytest.mark.parametrize(
    ("answer", "off"),
    [(0.5, "0.28 nats too low"), (1.0, "0.22 nats too high"), (0.78, "exactly that")],
)
def test_a_number_says_how_far_off_it_was(answer, off):
    gave, distance = compare(NUMBER, answer, 0.78).lines
    assert gave == "The run gave 0.78 nats." and distance == f"Your answer is {off}."


def test_a_curve_is_compared_at_its_own_points():
    outcome = compare(CURVE, [0.5, 1.0], [0.5, 9.0, 0.75])
    assert outcome.lines == (
        "1 steps: you said 0.5 nats, the run gave 0.5 nats: exactly that.",
        "3 steps: you said 1 nats, the run gave 0.75 nats: 0.25 nats too high.",
    )
    happened, predicted = outcome.data["panels"][0]["series"]
    assert happened["y"] == [0.5, 9.0, 0.75]
    assert (predicted["x"], predicted["y"]) == ([1, 3], [0.5, 1.0])


def test_probabilities_say_how_much_has_to_move():
    outcome = compare(PROBABILITIES, [0.4, 0.4, 0.2], [0.9, 0.1, 0.0])
    assert outcome.lines[0] == "a: you said 0.4, the run gave 0.9."
    assert outcome.lines[-1] == "To match the run, 0.5 of your probability has to move."
    happened, predicted = outcome.data["panels"][0]["series"]
    assert (happened["y"], predicted["y"]) == ([0.9, 0.1, 0.0], [0.4, 0.4, 0.2])


@pytest.mark.parametrize(
    ("question", "answer", "result"),
    [(CURVE, [0.5, 1.0], [0.5, 0.9, 0.7]), (PROBABILITIES, [1.0, 0.0, 0.0], [0.2, 0.3, 0.5])],
)
def test_prediction_and_result_are_drawn_into_the_same_axes(question, answer, result):
    figure = plot_panels(compare(question, answer, result).data)
    (axes,) = figure.axes
    drawn = {artist.get_gid() for artist in axes.get_children()} - {None}
    assert any("series0" in gid for gid in drawn) and any("series1" in gid for gid in drawn)
