"""Drawing panels: the styles of the series, and one function for each kind of series.

Data are plain: {"panels": [panel, …]}. A panel has `kind` ("line" or "bar"), `xlabel`,
`ylabel`, `series` and, where wanted, `title`, `x`, `labels` (tick labels), `xscale` ("log"),
`ylim` ([low, high]). A series has `label`, `y` and perhaps its own `x`; its own `kind`
draws it over the panel as "mark" (points only) or "band" (from `y` up to `high`).
"""

import itertools
import re
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.patches import Polygon
from matplotlib.ticker import MaxNLocator


class Style(NamedTuple):
    """How a series looks; any two differ in more than colour."""

    colour: str
    line: object
    marker: str
    hatch: str


# The colours of Okabe and Ito that reach 3:1 against white.
TRAINED = Style("#0072B2", "-", "o", "")
REFERENCE = Style("#000000", "--", "s", "///")
OPTIMUM = Style("#D55E00", ":", "D", "...")
FURTHER = (
    TRAINED,
    OPTIMUM._replace(line="-."),
    Style("#009E73", (0, (6, 1.5)), "^", "\\\\\\"),
    Style("#CC79A7", (0, (1, 1)), "v", "xxx"),
    Style("#595959", (0, (4, 1, 1, 1, 1, 1)), "P", "ooo"),
)
STYLES = {"trained policy": TRAINED, "reference policy": REFERENCE, "optimum": OPTIMUM}
GRID = "#E0E0E0"


def plot_panels(data: dict) -> Figure:
    """Draw any number of panels, three to a row, with one legend below them.

    Every data artist carries a gid, "panel0-series1" or "panel2-series0-bar1", which is its
    id in an SVG. Built without pyplot, so nothing stays open and any thread may draw.
    Raises ValueError for an unknown kind and for x and y of different lengths.
    """
    panels = data["panels"]
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    size = (max(5.2, 3.3 * columns), 3.1 * rows + 0.3)
    # An SVG counts 72 units to the inch; at 72 dpi the figure's own units are the same.
    figure = Figure(size, dpi=72, facecolor="white", layout="constrained")
    places = figure.subplots(rows, columns, squeeze=False).ravel()
    styles = _styles(panels)
    figure.get_layout_engine().set(h_pad=0.08, w_pad=0.06)
    legend = {}
    for number, (panel, axes) in enumerate(zip(panels, places, strict=False)):
        for series, artists in zip(
            panel["series"], _draw_panel(axes, panel, styles, f"panel{number}"), strict=True
        ):
            legend.setdefault(series["label"], {}).setdefault(type(artists[0]), artists[0])
    for axes in places[len(panels) :]:
        axes.remove()
    figure.legend(
        [tuple(kinds.values()) for kinds in legend.values()],
        [typeset(label) for label in legend],
        loc="outside lower center",
        ncols=_legend_columns(legend, size[0]),
        handler_map={tuple: HandlerTuple(ndivide=None)},
        handlelength=2.8,
        frameon=False,
        fontsize=10,
    )
    return figure


def _legend_columns(labels, width):
    """How many entries fit into `width` inches, a letter taking about 0.085 and a key 0.8."""
    return int(np.clip(width // (0.8 + 0.085 * max(map(len, labels))), 1, len(labels)))


def _styles(panels):
    labels = dict.fromkeys(series["label"] for panel in panels for series in panel["series"])
    # What follows a comma tells a variant ("trained policy, 32 seeds"), which keeps the style.
    known = {label: STYLES.get(label.split(",")[0]) for label in labels}
    named = {label: style for label, style in known.items() if style}
    free = [s for s in FURTHER if s.colour not in {n.colour for n in named.values()}]
    return dict(zip((x for x in labels if x not in named), itertools.cycle(free))) | named


def _draw_panel(axes, panel, styles, gid):
    """Draw one panel; returns the artists of each series."""
    axes.set_title(typeset(panel.get("title", "")), fontsize=11)
    axes.set_xlabel(typeset(panel["xlabel"]), fontsize=10)
    axes.set_ylabel(typeset(panel["ylabel"]), fontsize=10)
    axes.set_xscale(panel.get("xscale", "linear"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    if panel["kind"] == "bar":
        axes.grid(axis="y", color=GRID)
        axes.axhline(0, color="black", linewidth=0.8)
    else:
        axes.grid(color=GRID)
        if panel.get("xscale", "linear") == "linear":
            axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    drawn = []
    for place, series in enumerate(panel["series"]):
        kind = series.get("kind", panel["kind"])
        if kind not in DRAW:
            raise ValueError(f"kind must be one of {', '.join(DRAW)}, got {kind!r}")
        x = series.get("x", panel.get("x", range(len(series["y"]))))
        if len(x) != len(series["y"]):
            raise ValueError(
                f"x and y of {series['label']!r} must be equally long, "
                f"got {len(x)} and {len(series['y'])}"
            )
        drawn.append(DRAW[kind](axes, panel, place, x, styles[series["label"]]))
        for artist, name in zip(drawn[-1], gids(gid, place, len(drawn[-1])), strict=True):
            artist.set_gid(name)
    if "labels" in panel:
        axes.set_xticks(panel.get("x", range(len(panel["labels"]))), panel["labels"])
    if "ylim" in panel:
        axes.set_ylim(*panel["ylim"])
    return drawn


def gids(panel_gid, place, count):
    """The ids of the `count` artists of a panel's series number `place`."""
    if count == 1:
        return [f"{panel_gid}-series{place}"]
    return [f"{panel_gid}-series{place}-bar{bar}" for bar in range(count)]


def _draw_line(axes, panel, place, x, style):
    # Markers of different series start at different points, so that equal lines both show.
    step = max(1, len(x) // 8)
    return axes.plot(
        x,
        panel["series"][place]["y"],
        color=style.colour,
        linestyle=style.line,
        marker=style.marker,
        markersize=5,
        markevery=(place % step, step),
        linewidth=1.8,
    )


def _draw_bar(axes, panel, place, x, style):
    bars = [n for n, s in enumerate(panel["series"]) if s.get("kind", "bar") == "bar"]
    width = 0.8 / len(bars)
    offset = (bars.index(place) - (len(bars) - 1) / 2) * width
    return axes.bar(
        np.asarray(x) + offset,
        panel["series"][place]["y"],
        width,
        facecolor="white" if style.hatch else style.colour,
        edgecolor=style.colour,
        hatch=style.hatch,
        linewidth=1.2,
    ).patches


def _draw_mark(axes, panel, place, x, style):
    marks = [n for n, s in enumerate(panel["series"]) if s.get("kind") == "mark"]
    offset = (marks.index(place) - (len(marks) - 1) / 2) * 0.8 / len(marks)
    return axes.plot(
        np.asarray(x) + (offset if panel["kind"] == "bar" else 0),
        panel["series"][place]["y"],
        color=style.colour,
        linestyle="none",
        marker=style.marker,
        markersize=7,
        markeredgecolor="white",
        zorder=3,
    )


def _draw_band(axes, panel, place, x, style):
    series = panel["series"][place]
    band = Polygon(  # the tint alone would be too faint to see where it ends
        band_outline(x, series),
        facecolor=(style.colour, 0.2),
        edgecolor=style.colour,
        linewidth=0.8,
        zorder=1,
    )
    return [axes.add_patch(band)]


def band_outline(x, series):
    """The corners of a band, along `y` and back along `high`, shape (2T, 2)."""
    return np.concatenate([np.c_[x, series["y"]], np.c_[x, series["high"]][::-1]])


DRAW = {"line": _draw_line, "bar": _draw_bar, "mark": _draw_mark, "band": _draw_band}


def typeset(text: str) -> str:
    """Set the subscripts of plain names such as π_θ and π_ref as real ones, for matplotlib."""
    return re.sub(r"([πρ])_(\w+)", r"$\\mathrm{\1}_{\\mathrm{\2}}$", text)
