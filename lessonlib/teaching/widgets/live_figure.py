"""A figure that keeps up with a slider: drawn once, then only its data are replaced.

Drawing takes matplotlib tenths of a second, and a browser is slow to lay out letters. Axes,
labels and legend seldom change, so they are kept as a backdrop; the data lie over it as a
small SVG with gaps for the numbers, filled in well under a millisecond. `plot_panels` gives
each data artist the id by which it is found.
"""

import re
import uuid
from typing import NamedTuple
from xml.etree import ElementTree

from matplotlib.lines import Line2D

from lessonlib.teaching.figure import svg_text
from lessonlib.teaching.panels import gids, plot_panels

DATA = ("y", "high")
LOOK = "display:block;width:100%;stroke-linejoin:round;font-family:DejaVu Sans,Verdana,sans-serif"
SVG = "http://www.w3.org/2000/svg"
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")


class Shape(NamedTuple):
    """One artist: where its points stand across, and how a height becomes a y of the SVG."""

    x: list[str]
    floor: float  # the y of height 0
    scale: float  # SVG units to one unit of height
    line: bool  # whether its points are joined
    closed: bool  # whether the last is joined to the first
    marks: slice  # the points that carry a mark


class Frame(NamedTuple):
    """A drawn figure without its numbers: the SVG behind the data, and the data's SVG in parts."""

    description: list
    backdrop: str
    shapes: list  # [panel][series] → the Shapes of that series
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
    backdrop, svg = _layers(_for_a_page(svg_text(figure, salt=uuid.uuid4().hex, letters="none")))
    by_gid = {artist.get_gid(): artist for artist in figure.findobj(lambda a: a.get_gid())}
    shapes, gaps = [], []
    for number, panel in enumerate(data["panels"]):
        shapes.append([])
        for place, series in enumerate(panel["series"]):
            heights = _heights(panel, series)
            names = gids(f"panel{number}", place, len(heights))
            shapes[-1].append([_shape(by_gid[name]) for name in names])
            for name, shape, each in zip(names, shapes[-1][-1], heights, strict=True):
                gaps += _gaps(svg, name, _numbers(shape, each))
    order = sorted(range(len(gaps)), key=lambda n: gaps[n])
    ends = [0] + [gaps[n][1] for n in order]
    starts = [gaps[n][0] for n in order] + [len(svg)]
    pieces = [svg[end:start] for end, start in zip(ends, starts, strict=True)]
    return Frame(describe(data), backdrop, shapes, pieces, order)


def fill(frame: Frame, data: dict) -> str:
    """The SVG to lay over the backdrop, with the numbers of `data` of the same description."""
    values = []
    for panel, drawn in zip(data["panels"], frame.shapes, strict=True):
        for series, shapes in zip(panel["series"], drawn, strict=True):
            for shape, heights in zip(shapes, _heights(panel, series), strict=True):
                values += [value for _, value in _numbers(shape, heights)]
    filled = [values[n] for n in frame.order] + [""]
    return "".join(text for pair in zip(frame.pieces, filled, strict=True) for text in pair)


def _heights(panel, series):
    """The heights of the points of each artist of a series."""
    kind = series.get("kind", panel["kind"])
    if kind == "bar":
        return [[0, 0, height, height] for height in series["y"]]
    if kind == "band":
        return [[*series["y"], *series["high"][::-1]]]
    return [series["y"]]


def _shape(artist):
    """What stays of a drawn artist when its heights change."""
    joined = isinstance(artist, Line2D)
    points = artist.get_transform().transform_path(artist.get_path()).vertices
    across = points if joined else points[:-1]  # the last only closes the outline
    (_, floor), (_, one) = artist.axes.transData.transform([(1, 0), (1, 1)])
    start, step = (joined and artist.get_markevery()) or (0, 1)
    return Shape(
        x=[f"{x:.2f}" for x in across[:, 0]],
        floor=artist.get_figure().bbox.height - floor,  # an SVG counts downwards
        scale=one - floor,
        line=not joined or artist.get_linestyle() != "None",
        closed=not joined,
        marks=slice(start, None, step) if joined else slice(0),
    )


def _numbers(shape, heights):
    """The attributes that place an artist in the SVG, in the order in which they stand."""
    y = [f"{shape.floor - shape.scale * height:.2f}" for height in heights]
    points = list(zip(shape.x, y, strict=True))
    marks = [pair for x, y in points[shape.marks] for pair in (("x", x), ("y", y))]
    if not shape.line:
        return marks
    outline = "L".join(f"{x} {y}" for x, y in points)
    return [("d", f"M{outline}{'z' if shape.closed else ''}"), *marks]


def _gaps(svg, name, numbers):
    """Start and end of each attribute value of the group `name`."""
    end = svg.index(f'class="{name}"')
    gaps = []
    for attribute, _ in numbers:
        start = svg.index(f' {attribute}="', end) + len(attribute) + 3
        end = svg.index('"', start)
        gaps.append((start, end))
    return gaps


def _layers(svg):
    """The SVG without its data, and an SVG of the same size with the data alone."""
    backdrop = ElementTree.fromstring(svg)
    data = ElementTree.Element(backdrop.tag, backdrop.attrib)
    for parent in list(backdrop.iter()):
        for group in [child for child in parent if child.get("class", "").startswith("panel")]:
            parent.remove(group)
            data.append(group)
    return tuple(ElementTree.tostring(layer, encoding="unicode") for layer in (backdrop, data))


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
