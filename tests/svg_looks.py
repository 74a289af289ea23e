"""What a drawn figure looks like, read from its SVG: for each series its colours and its shape."""

import re
from typing import NamedTuple
from xml.etree import ElementTree

SVG, HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
SERIES = re.compile(r"(panel\d+)-(series\d+)(-bar\d+)?$")


class Look(NamedTuple):
    """How a series is drawn; `shape` is what remains of it without colour."""

    colours: set[str]  # of everything opaque but white
    shape: set[tuple]


def looks(svg: str) -> dict[str, dict[str, Look]]:
    """{panel: {series: Look}} of a figure that `plot_panels` drew."""
    tree = ElementTree.fromstring(svg)
    by_id = {element.get("id"): element for element in tree.iter() if element.get("id")}
    found = {}
    for name, group in by_id.items():
        if match := SERIES.match(name):
            series = found.setdefault(match[1], {}).setdefault(match[2], Look(set(), set()))
            _note(group, by_id, series)
    return found


def _note(group, by_id, look):
    hidden = {path for defs in group.iter(f"{SVG}defs") for path in defs.iter()}
    for element in group.iter():
        if element.tag == f"{SVG}path" and element not in hidden:
            style = css(element)
            look.colours.update(_colours(style))
            if style.get("fill", "").startswith("url"):
                look.shape.add(("hatch", _hatch(by_id[style["fill"][5:-1]])))
            elif "fill-opacity" in style:
                look.shape.add(("band",))
            elif style.get("fill") == "none":
                look.shape.add(("line", style.get("stroke-dasharray", "solid")))
            else:
                look.shape.add(("bar", "open" if style.get("fill") == "#ffffff" else "full"))
        elif element.tag == f"{SVG}use":
            marker = by_id[element.get(HREF)[1:]]
            look.colours.update(_colours(css(marker) | css(element)))
            look.shape.add(("marker", marker.get("d")))


def css(element):
    """The style of an element as a dict."""
    pairs = (part.split(":") for part in element.get("style", "").split(";") if ":" in part)
    return {name.strip(): value.strip() for name, value in pairs}


def _colours(style):
    return {
        style[name]
        for name in ("stroke", "fill")
        if style.get(name, "").startswith("#")
        and style[name] != "#ffffff"
        and float(style.get("opacity", style.get(f"{name}-opacity", 1))) == 1
    }


def _hatch(pattern):
    """A hatch's outline without its colours."""
    return tuple(path.get("d") for path in pattern.iter(f"{SVG}path"))


def text_colours(svg: str) -> set[str]:
    """The colours of everything written in a figure."""
    tree = ElementTree.fromstring(svg)
    groups = [g for g in tree.iter(f"{SVG}g") if (g.get("id") or "").startswith("text_")]
    written = [part for g in groups for part in g.iter() if part.tag in (f"{SVG}g", f"{SVG}text")]
    return {css(part).get("fill", "#000000") for part in written if part.get("id") is None}


def background(svg: str) -> str:
    """The colour of the card on which everything is drawn."""
    tree = ElementTree.fromstring(svg)
    first = next(g for g in tree.iter(f"{SVG}g") if g.get("id") == "patch_1")
    return css(first.find(f"{SVG}path"))["fill"]
