import re

import numpy as np
import pytest

from lessonlib.teaching.figure import svg_text
from lessonlib.teaching.panels import plot_panels
from lessonlib.teaching.widgets.live_figure import describe, draw_frame, fill


def panels(seed):
    """Every kind of series with numbers of their own."""
    draw = np.random.default_rng(seed).uniform(0.1, 0.9, (7, 12)).tolist()
    line = {
        "kind": "line",
        "xlabel": "x",
        "ylabel": "y",
        "x": list(range(1, 13)),
        "ylim": [0, 1],
        "series": [
            {"label": "trained policy", "y": draw[0]},
            {"label": "a, b", "kind": "band", "y": [0.0] * 12, "high": draw[1]},
            {"label": "reference policy", "y": draw[2]},
        ],
    }
    bars = {
        "kind": "bar",
        "xlabel": "x",
        "ylabel": "y",
        "labels": ["a", "b", "c"],
        "ylim": [0, 1],
        "series": [
            {"label": "reference policy", "y": draw[3][:3]},
            {"label": "optimum", "kind": "mark", "y": draw[4][:3]},
            {"label": "trained policy", "y": draw[5][:3]},
        ],
    }
    return {"panels": [line, bars]}


def outlines(svg):
    """The numbers in the first path of every data artist, by name."""
    groups = re.split(r'<g (?:id|class)="(panel\d+-series\d+(?:-bar\d+)?)"', svg)[1:]
    return {
        name: np.array(re.findall(r"-?\d+\.?\d*", re.search(r' d="([^"]*)"', body)[1]), dtype=float)
        for name, body in zip(groups[::2], groups[1::2], strict=True)
    }


def marks(svg):
    """Where every mark stands, ticks included, in ascending order, shape (marks, 2)."""
    places = re.findall(r'<use [^>]*?x="([^"]*)" y="([^"]*)"', svg.replace("\n", " "))
    return np.array(sorted((round(float(x), 2), round(float(y), 2)) for x, y in places))


@pytest.mark.parametrize("seed", range(3))
def test_a_filled_frame_is_what_matplotlib_draws(seed):
    data = panels(seed)
    oracle_svg = svg_text(plot_panels(data), letters="none")
    frame = draw_frame(panels(99))
    filled_svg = fill(frame, data)
    both = frame.backdrop + filled_svg
    assert marks(both) == pytest.approx(marks(oracle_svg), abs=0.02)
    assert not outlines(frame.backdrop)
    oracle, filled = outlines(oracle_svg), outlines(filled_svg)
    assert filled.keys() == oracle.keys()
    for name, numbers in filled.items():
        # matplotlib repeats a closed outline's first corner; the closing letter says as much.
        assert numbers == pytest.approx(oracle[name][: numbers.size], abs=0.01)
        assert numbers.size >= 8


def test_filling_twice_leaves_no_trace():
    frame = draw_frame(panels(0))
    before = fill(frame, panels(0))
    assert fill(frame, panels(1)) != before
    assert fill(frame, panels(0)) == before


def test_the_description_is_all_but_the_numbers():
    assert describe(panels(0)) == describe(panels(1))
    for change in ("ylim", "xlabel"):
        other = panels(0)
        other["panels"][0][change] = [0, 2]
        assert describe(other) != describe(panels(0))
    shorter = panels(0)
    shorter["panels"][1]["series"].pop()
    assert describe(shorter) != describe(panels(0))


def test_two_frames_on_a_page_share_no_id_and_no_rule():
    frames = [draw_frame(panels(0)) for _ in range(2)]
    svgs = [frame.backdrop + fill(frame, panels(0)) for frame in frames]
    ids = [set(re.findall(r'<(?:clipPath|pattern) id="([^"]+)"', svg)) for svg in svgs]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert all("<style" not in svg and '<g id="' not in svg for svg in svgs)
