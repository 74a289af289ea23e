import base64
import re
from html.parser import HTMLParser

import jax
import numpy as np
import pytest

from lessonlib import Settings, figure_data, lesson_bandit, picture, plot_panels, sweep, train
from lessonlib.teaching.figure import svg_text


@pytest.fixture(scope="module")
def bandit():
    return lesson_bandit()


@pytest.fixture(scope="module")
def history(bandit):
    return train(bandit, Settings())


@pytest.fixture(scope="module")
def data(history, bandit):
    return figure_data(history, bandit)


class Seen(HTMLParser):
    """Counts tags and collects the rows of tables."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.rows, self.alt = [], [], None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.alt = dict(attributes).get("alt", self.alt)
        if tag == "tr":
            self.rows.append([])

    def handle_data(self, text):
        if self.tags[-1] in ("td", "th"):
            self.rows[-1].append(text)


def test_panels_hold_the_history_exactly(history, bandit, data):
    reward, drift, actions = data["panels"]
    assert reward["x"] == drift["x"] == list(range(1, 41))
    series = {s["label"]: s["y"] for s in reward["series"]}
    assert np.array_equal(np.float32(series["trained policy"]), history.reward)
    start = np.exp(np.float64(bandit.reference_logp)) @ np.float64(bandit.rewards)
    assert series["reference policy"] == pytest.approx([start] * 40, abs=1e-6)
    assert np.array_equal(np.float32(drift["series"][0]["y"]), history.kl)
    bars = {s["label"]: s["y"] for s in actions["series"]}
    assert bars["trained policy"] == pytest.approx(np.exp(np.float64(history.logp[-1])), abs=1e-6)
    assert all(sum(y) == pytest.approx(1, abs=1e-6) for y in bars.values())
    assert [panel["kind"] for panel in data["panels"]] == ["line", "line", "bar"]
    assert "nats" in drift["ylabel"]
    assert "score units" in reward["ylabel"]


def test_panels_are_plain(data):
    def check(value):
        if isinstance(value, dict):
            assert all(isinstance(key, str) for key in value)
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                check(item)
        else:
            assert type(value) in (str, int, float)

    check(data)


def test_several_runs_are_refused(bandit):
    several = sweep(bandit, Settings(iterations=2), betas=[0.1], clips=[0.2], seeds=[1, 2])
    with pytest.raises(ValueError, match=r"history must hold one run.*\(1, 1, 2, 2\)"):
        figure_data(several, bandit)
    figure_data(jax.tree.map(lambda x: x[0, 0, 0], several), bandit)


def test_svg_has_the_same_bytes_each_time(data):
    first, second = (svg_text(plot_panels(data)) for _ in range(2))
    assert first == second
    assert "dc:date" not in first
    assert "<text" not in first


def test_two_salts_share_no_id(data):
    ids = [
        set(re.findall(r'<(?:clipPath|pattern|path) id="([^"]+)"', svg_text(figure, salt=salt)))
        for figure, salt in ((plot_panels(data), "one"), (plot_panels(data), "two"))
    ]
    clips = [{name for name in found if name[0] in "ph"} for found in ids]
    assert clips[0]
    assert not clips[0] & clips[1]


def test_no_figure_stays_open(data):
    from matplotlib import pyplot

    picture(plot_panels(data), "three panels", data)
    assert pyplot.get_fignums() == []


def test_picture_is_one_figure_with_text_and_numbers(data, history):
    shown = picture(plot_panels(data), 'reward < 2 & "rising"', data)
    html = shown._repr_html_()
    seen = Seen(html)
    assert [seen.tags.count(tag) for tag in ("figure", "img", "details", "summary")] == [1] * 4
    assert seen.alt == 'reward < 2 & "rising"'
    assert seen.tags.count("table") == 3
    assert repr(shown) == repr(picture(plot_panels(data), "other", data))
    image = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', html)[1]
    assert base64.b64decode(image).decode() == svg_text(plot_panels(data), letters="none")
    reward = seen.rows[:13]
    assert reward[0] == ["completed rollout batches", "reference policy", "trained policy"]
    assert reward[1] == ["1", "0.282", f"{history.reward[0]:.3f}"]
    assert reward[-1] == ["40", "0.282", f"{history.reward[-1]:.3f}"]
    assert [row[0] for row in seen.rows[-3:]] == ["action 0", "action 1", "action 2"]


def test_table_joins_series_with_their_own_x_and_keeps_small_numbers(data):
    series = [
        {"label": "what happened", "y": [0.001, 0.004, 0.002]},
        {"label": "guess", "x": [3], "y": [0.003]},
    ]
    panel = {"kind": "line", "xlabel": "x", "ylabel": "y", "x": [1, 2, 3], "series": series}
    rows = Seen(picture(plot_panels(data), "a", {"panels": [panel]}).html).rows
    assert rows[1:] == [["1", "0.00100"], ["2", "0.00400"], ["3", "0.00200", "0.00300"]]


def test_an_empty_alternative_text_is_refused(data):
    with pytest.raises(ValueError, match="alt must say what the figure shows"):
        picture(plot_panels(data), " ", data)
