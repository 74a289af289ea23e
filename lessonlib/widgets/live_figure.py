"""A figure that keeps up with a slider: drawn once, then only its data are replaced.

Drawing takes matplotlib tenths of a second. The frame (axes, labels, legend) seldom
changes, so it is kept as SVG text with gaps where the data stand; filling the gaps takes
well under a millisecond. `plot_panels` gives each data artist the id by which it is found.
"""

import re
import uuid
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lessonlib.figure import svg_text
from lessonlib.panels import band_outline, gids, plot_panels

DATA = ("y", "high")
LOOK = "display:block;width:100%;stroke-linejoin:round;font-family:DejaVu Sans,Verdana,sans-serif"


class Frame(NamedTuple):
    """A drawn figure with gaps: what it holds besides numbers, its artists, its SVG text."""

    description: list
    figure: Figure
    artists: list  # [panel][series] → the matplotlib artists of that series
    pieces: list[str]  # the SVG between the gaps, one more than there are gaps
    order: list[int]  # gap n takes value order[n]


def describe(data: dict) -> list:
    """All of `data` but the numbers: two data of one description fit the same frame."""
    return [
        panel
        | {
            "series": [
                {key: len(value) if key in DATA else value for key, value in series.items()}
                for series in panel["series"]
            ]
        }
        for panel in data["panels"]
    ]


def draw_frame(data: dict) -> Frame:
    """Draw `data` with matplotlib and note where in the SVG its numbers stand.

    The panels need `ylim`: an axis that fits itself to the data would need a new frame
    for every change.
    """
    figure = plot_panels(data)
    svg = _for_a_page(svg_text(figure, salt=uuid.uuid4().hex, letters="none"))
    figure.set_layout_engine("none")  # nothing may move once the SVG is taken
    by_gid = {artist.get_gid(): artist for artist in figure.findobj(lambda a: a.get_gid())}
    artists, gaps = [], []
    for number, panel in enumerate(data["panels"]):
        artists.append([])
        for place, series in enumerate(panel["series"]):
            bars = len(series["y"]) if series.get("kind", panel["kind"]) == "bar" else 1
            names = gids(f"panel{number}", place, bars)
            artists[-1].append([by_gid[name] for name in names])
            for name in names:
                gaps += _gaps(svg, name, _numbers(by_gid[name]))
    order = sorted(range(len(gaps)), key=lambda n: gaps[n])
    ends = [0] + [gaps[n][1] for n in order]
    starts = [gaps[n][0] for n in order] + [len(svg)]
    pieces = [svg[end:start] for end, start in zip(ends, starts, strict=True)]
    return Frame(describe(data), figure, artists, pieces, order)


def fill(frame: Frame, data: dict) -> str:
    """The frame's SVG with the numbers of `data`, which must have its description."""
    values = []
    for panel, drawn in zip(data["panels"], frame.artists, strict=True):
        for series, artists in zip(panel["series"], drawn, strict=True):
            _move(series.get("kind", panel["kind"]), artists, panel, series)
            values += [value for artist in artists for _, value in _numbers(artist)]
    filled = [values[n] for n in frame.order] + [""]
    return "".join(text for pair in zip(frame.pieces, filled, strict=True) for text in pair)


def _move(kind, artists, panel, series):
    """Give a series' artists its numbers."""
    if kind == "bar":
        for bar, height in zip(artists, series["y"], strict=True):
            bar.set_height(height)
    elif kind == "band":
        artists[0].set_xy(band_outline(series.get("x", panel.get("x")), series))
    else:
        artists[0].set_ydata(series["y"])


def _numbers(artist):
    """The attributes that place an artist in the SVG, in the order in which they stand."""
    path = artist.get_transform().transform_path(artist.get_path())
    points = np.column_stack([path.vertices[:, 0], -path.vertices[:, 1]])
    points[:, 1] += artist.get_figure().bbox.height  # an SVG counts downwards
    text = [f"{x:.2f} {y:.2f}" for x, y in points.tolist()]
    if not isinstance(artist, Line2D):
        return [("d", f"M{'L'.join(text[:-1])}z")]  # the last point only closes the outline
    start, step = artist.get_markevery() or (0, 1)
    marks = []
    for x, y in points[start::step].tolist():
        marks += [("x", f"{x:.2f}"), ("y", f"{y:.2f}")]
    line = [] if artist.get_linestyle() == "None" else [("d", f"M{'L'.join(text)}")]
    return line + marks


def _gaps(svg, name, numbers):
    """Start and end of each attribute value of the group `name`."""
    end = svg.index(f'class="{name}"')
    gaps = []
    for attribute, _ in numbers:
        start = svg.index(f' {attribute}="', end) + len(attribute) + 3
        end = svg.index('"', start)
        gaps.append((start, end))
    return gaps


def _for_a_page(svg):
    """An SVG document as a part of a page: no header, no rules or ids that reach outside it."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="(panel\d+-[^"]*)"', r'<g class="\1"', svg)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r'font-family: [^;"]*;?', "", svg)
    svg = re.sub(r'width="[^"]*" height="[^"]*"', "", svg, count=1)  # as wide as its place
    svg = svg.replace("<svg", f'<svg aria-hidden="true" style="{LOOK}"', 1)
    return re.sub(r"\s*\n\s*", " ", svg)
