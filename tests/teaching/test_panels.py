import itertools
import re

import numpy as np
import pytest
from matplotlib.lines import Line2D

from lessonlib.teaching.panels import FURTHER, OPTIMUM, REFERENCE, TRAINED, plot_panels


def line(**changes):
    series = [{"label": "trained policy", "y": [1.0, 3.0, 2.0]}]
    return {"kind": "line", "xlabel": "x", "ylabel": "y", "series": series} | changes


def bar(*series):
    return line(kind="bar", labels=["action 0", "action 1"], series=list(series))


def by_gid(figure):
    return {artist.get_gid(): artist for artist in figure.findobj(lambda a: a.get_gid())}


def test_every_artist_holds_its_numbers_under_its_name():
    optimum = {"kind": "mark", "label": "optimum", "y": [0.9, 0.1]}
    band = {"kind": "band", "label": "seeds", "y": [0, 0, 0], "high": [4, 5, 6]}
    data = {
        "panels": [
            line(series=[*line()["series"], band], x=[1, 2, 3]),
            bar({"label": "p", "y": [0.2, 0.8]}, {"label": "q", "y": [0.5, -0.5]}, optimum),
        ]
    }
    drawn = by_gid(plot_panels(data))
    assert drawn["panel0-series0"].get_xydata().tolist() == [[1, 1], [2, 3], [3, 2]]
    corners = drawn["panel0-series1"].get_xy().tolist()
    assert corners[:6] == [[1, 0], [2, 0], [3, 0], [3, 6], [2, 5], [1, 4]]
    assert [drawn[f"panel1-series1-bar{n}"].get_height() for n in range(2)] == [0.5, -0.5]
    assert drawn["panel1-series2"].get_ydata().tolist() == [0.9, 0.1]
    assert len(drawn) == 7


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_any_number_of_panels(count):
    figure = plot_panels({"panels": [line() for _ in range(count)]})
    assert len(figure.axes) == count
    assert all(axes.get_xlabel() == "x" for axes in figure.axes)


def test_bars_of_one_action_stand_beside_each_other():
    data = {"panels": [bar(*({"label": str(n), "y": [1, 1]} for n in range(3)))]}
    bars = [artist for gid, artist in by_gid(plot_panels(data)).items() if gid.endswith("bar0")]
    edges = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars)
    assert all(right <= left + 1e-9 for (_, right), (left, _) in itertools.pairwise(edges))
    assert edges[0][0] > -0.5
    assert edges[-1][1] < 0.5


def test_a_series_is_told_apart_by_more_than_colour():
    styles = (TRAINED, REFERENCE, *FURTHER)
    for one, other in itertools.combinations(styles, 2):
        if one is not other:
            assert one.line != other.line
            assert one.marker != other.marker
            assert one.hatch != other.hatch


def test_colours_reach_three_to_one_on_white():
    for style in (TRAINED, REFERENCE, OPTIMUM, *FURTHER):
        channels = np.array([int(style.colour[n : n + 2], 16) / 255 for n in (1, 3, 5)])
        linear = np.where(
            channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        )
        assert 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 3, style


def test_one_label_has_one_style_in_all_panels_and_one_entry_in_the_legend():
    panels = [line(), line(series=[{"label": "new", "y": [1]}, *line()["series"]])]
    figure = plot_panels({"panels": panels})
    drawn = by_gid(figure)
    assert drawn["panel0-series0"].get_color() == drawn["panel1-series1"].get_color()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["trained policy", "new"]


def test_a_variant_keeps_its_series_colour():
    band = {"kind": "band", "label": "trained policy, 32 seeds", "y": [0, 0, 0], "high": [4, 5, 6]}
    drawn = by_gid(plot_panels({"panels": [line(series=[*line()["series"], band])]}))
    assert drawn["panel0-series1"].get_facecolor()[:3] == pytest.approx((0, 0x72 / 255, 0xB2 / 255))


def test_equal_lines_both_show():
    series = [{"label": label, "y": [1.0] * 40} for label in "ab"]
    first, second = plot_panels({"panels": [line(series=series)]}).findobj(
        lambda artist: isinstance(artist, Line2D) and artist.get_gid()
    )
    marked = [set(range(a.get_markevery()[0], 40, a.get_markevery()[1])) for a in (first, second)]
    assert not marked[0] & marked[1]


def test_what_is_asked_for_is_set():
    panel = line(xscale="log", ylim=[-1, 5], title="KL(π_θ‖π_ref)", x=[1, 10, 100])
    axes = plot_panels({"panels": [panel]}).axes[0]
    assert axes.get_xscale() == "log"
    assert axes.get_ylim() == (-1, 5)
    assert re.fullmatch(r"KL\(\$.*θ.*\$‖\$.*ref.*\$\)", axes.get_title())


def test_bad_panels_are_named():
    with pytest.raises(ValueError, match=r"kind must be one of line, bar, mark, band, got 'pie'"):
        plot_panels({"panels": [line(kind="pie")]})
    with pytest.raises(ValueError, match=r"x and y of 'trained policy'.*got 2 and 3"):
        plot_panels({"panels": [line(x=[1, 2])]})
