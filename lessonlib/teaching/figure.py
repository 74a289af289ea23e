"""A run as panel data, and a figure as a picture with its numbers, for screen and files.

`panels.py` describes the data and draws them; this module knows arrays, not training.
"""

import base64
import io
from dataclasses import dataclass
from html import escape

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from lessonlib.bandit import Bandit
from lessonlib.exact import expected_reward
from lessonlib.rollout import History
from lessonlib.teaching.panels import plot_panels

__all__ = ["Picture", "figure_data", "picture", "plot_panels", "svg_text", "tables"]


def figure_data(history: History, bandit: Bandit) -> dict:
    """The lesson's three panels from one run: reward, KL, and the actions' probabilities.

    Values are exactly those of `history`, after each of its T rollout batches. Raises
    ValueError for a history that holds more than one run.
    """
    if np.ndim(history.reward) != 1:
        raise ValueError(
            f"history must hold one run, with reward of shape (T,), got {np.shape(history.reward)}"
        )
    batches = list(range(1, len(history.reward) + 1))
    start = float(expected_reward(bandit.reference_logp, bandit.rewards))
    return {
        "panels": [
            {
                "kind": "line",
                "title": "Expected learned reward",
                "x": batches,
                "xlabel": "completed rollout batches",
                "ylabel": "E[r], a ~ π_θ (learned score units)",
                "series": [
                    {"label": "reference policy", "y": [start] * len(batches)},
                    {"label": "trained policy", "y": _floats(history.reward)},
                ],
            },
            {
                "kind": "line",
                "title": "KL to the fixed reference",
                "x": batches,
                "xlabel": "completed rollout batches",
                "ylabel": "KL(π_θ‖π_ref), a ~ π_θ (nats)",
                "series": [{"label": "trained policy", "y": _floats(history.kl)}],
            },
            {
                "kind": "bar",
                "title": "Terminal actions",
                "labels": [f"action {action}" for action in range(len(bandit.rewards))],
                "x": list(range(len(bandit.rewards))),
                "xlabel": "terminal action",
                "ylabel": "probability",
                "ylim": [0, 1],
                "series": [
                    {"label": "reference policy", "y": _floats(np.exp(bandit.reference_logp))},
                    {"label": "trained policy", "y": _floats(np.exp(history.logp[-1]))},
                ],
            },
        ]
    }


def _floats(values):
    return np.asarray(values, dtype=float).tolist()


def svg_text(
    figure: Figure, *, title: str = "", salt: str = "lessonlib", letters: str = "path"
) -> str:
    """The figure as an SVG document with the same bytes each time.

    `title` says what it shows, where the document stands alone;
    `letters` is "path" (drawn outlines, alike on every machine) or "none" (text, smaller);
    `salt` sets the ids of inner definitions, which must differ between figures on a page.
    """
    buffer = io.StringIO()
    metadata = {"Date": None, "Creator": None} | ({"Title": title} if title else {})
    with matplotlib.rc_context({"svg.hashsalt": salt, "svg.fonttype": letters}):
        figure.savefig(buffer, format="svg", metadata=metadata)
    return buffer.getvalue()


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawn figure as one piece of HTML, with its alternative text and its numbers."""

    html: str

    def _repr_html_(self):
        return self.html

    def __repr__(self):
        return "Picture: shown where the notebook is open"


def picture(figure: Figure, alt: str, data: dict) -> Picture:
    """Show `figure` with the alternative text `alt` and the numbers of `data` in a fold.

    The card stays white, also in a dark theme. Raises ValueError for an empty `alt`.
    """
    if not alt.strip():
        raise ValueError("alt must say what the figure shows, got an empty text")
    image = base64.b64encode(svg_text(figure, letters="none").encode()).decode()
    return Picture(
        f'<figure style="margin:0"><img alt="{escape(alt)}" style="background:#fff;color:#1a1a1a;'
        f'border:1px solid #767676;border-radius:6px;max-width:100%" '
        f'src="data:image/svg+xml;base64,{image}">'
        f"<details><summary>Numbers as a table</summary>{tables(data)}</details></figure>"
    )


def tables(data: dict) -> str:
    """The numbers of each panel as an HTML table, several tables where there are several."""
    return "".join(_table(panel) for panel in data["panels"])


def _table(panel, most_rows=12):
    """One panel's numbers as an HTML table, thinned evenly to at most `most_rows` rows."""
    columns = list(_columns(panel))
    x = panel.get("labels") or sorted({key for _, values in columns for key in values})
    keys = panel.get("x", range(len(x))) if "labels" in panel else x
    shown = np.unique(np.linspace(0, len(x) - 1, min(len(x), most_rows)).round().astype(int))
    decimals = _decimals([value for _, values in columns for value in values.values()])
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name, _ in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(_short(x[row]))}</th>'
        + "".join(f"<td>{_number(values.get(keys[row]), decimals)}</td>" for _, values in columns)
        + "</tr>"
        for row in shown
    )
    caption = ": ".join(filter(None, [panel.get("title"), panel["ylabel"]]))
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>"
        f'<th scope="col">{escape(panel["xlabel"])}</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _columns(panel):
    """Name and {x: value} of every column; a band gives two."""
    for series in panel["series"]:
        x = series.get("x", panel.get("x", range(len(series["y"]))))
        if "high" in series:
            yield f"{series['label']}, lowest", dict(zip(x, series["y"], strict=True))
            yield f"{series['label']}, highest", dict(zip(x, series["high"], strict=True))
        else:
            yield series["label"], dict(zip(x, series["y"], strict=True))


def _decimals(values):
    """Three decimals, or what the range of `values` needs, up to six."""
    span = np.ptp(values)
    return int(np.clip(2 - np.floor(np.log10(span)), 3, 6)) if span > 0 else 3


def _number(value, decimals):
    return "" if value is None else f"{value:.{decimals}f}"


def _short(x):
    return x if isinstance(x, str) else f"{x:.6g}"
