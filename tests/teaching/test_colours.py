"""Nothing is said by colour alone, and every colour can be seen, on every card and theme."""

import ast
import base64
import itertools
import re
from pathlib import Path

import colour
import pytest
from exploring import busy_explorer
from svg_looks import Look, background, looks, text_colours

from figures import mechanism
from lessonlib.teaching import panels
from lessonlib.teaching.figure import plot_panels, svg_text

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MODULES = sorted((ROOT / "lessonlib").rglob("*.py"))
DARK = "#111111"  # the page in JupyterLab's dark theme
TEXT, MARKS = 4.5, 3  # WCAG 2.2, success criteria 1.4.3 and 1.4.11, level AA
# CIEDE2000. A difference of 2 is just noticed by trained eyes side by side; five times that
# is told apart at a glance, also between thin lines that lie apart.
APART = 10


# Figures: those in files, those stored in notebooks, and the explorer's.
def drawn():
    """(where it is, SVG) of every figure that `plot_panels` drew."""
    yield "posttraining-04", (ROOT / "figures" / "posttraining-04.svg").read_text("utf-8")
    for path in NOTEBOOKS:
        for number, data in enumerate(
            re.findall(r"svg\+xml;base64,([\w+/=]+)", path.read_text("utf-8"))
        ):
            yield f"{path.stem}, picture {number + 1}", base64.b64decode(data).decode()


@pytest.fixture(scope="module")
def svgs():
    everything = svg_text(plot_panels(busy_explorer().data))
    return {**dict(drawn()), "explorer with everything": everything}


def alike(panel):
    """Pairs of series of a panel that only their colour tells apart."""
    return [
        pair
        for pair in itertools.combinations(panel, 2)
        if panel[pair[0]].shape == panel[pair[1]].shape
    ]


def test_colour_is_never_alone(svgs):
    assert len(svgs) > 15
    pairs = [
        (where, panel, pair)
        for where, svg in svgs.items()
        for panel, series in looks(svg).items()
        for pair in alike(series)
    ]
    assert pairs == []


def test_marks_and_letters_stand_out_from_their_card(svgs):
    faint = []
    for where, svg in svgs.items():
        card = background(svg)
        assert colour.contrast(card, DARK) >= MARKS  # the card itself stands out in the dark theme
        for panel in looks(svg).values():
            for name, look in panel.items():
                assert look.colours
                faint += [
                    (where, name, c) for c in look.colours if colour.contrast(c, card) < MARKS
                ]
        assert text_colours(svg)
        faint += [(where, c) for c in text_colours(svg) if colour.contrast(c, card) < TEXT]
    assert faint == []


def test_two_series_that_differ_in_colour_only_are_noticed():
    line = {"kind": "line", "xlabel": "x", "ylabel": "y"}
    line["series"] = [{"label": f"run {n}", "y": [n, n]} for n in range(6)]
    (panel,) = looks(svg_text(plot_panels({"panels": [line]}))).values()
    assert len(panel) == 6
    assert alike(panel) == [("series0", "series5")]  # five styles, then the first again
    dots = {name: Look(look.colours, {("line", "solid")}) for name, look in panel.items()}
    assert len(alike(dots)) == 15


PALETTE = sorted({style.colour for style in (*panels.STYLES.values(), *panels.FURTHER)})
ROLES = (mechanism.CURRENT, mechanism.BEHAVIOUR, mechanism.REFERENCE, mechanism.REWARD)


@pytest.mark.parametrize("vision", colour.VISIONS)
@pytest.mark.parametrize("palette", [PALETTE, [role.colour for role in ROLES]], ids=len)
def test_colours_are_told_apart(palette, vision):
    assert len(palette) >= 4
    for pair in itertools.combinations(palette, 2):
        assert colour.difference(*pair, vision) >= APART, pair


def test_styles_differ_in_line_marker_and_hatch():
    styles = {s.colour: s for s in (*panels.STYLES.values(), *panels.FURTHER)}.values()
    for one, other in itertools.combinations(styles, 2):
        assert one.line != other.line and one.marker != other.marker and one.hatch != other.hatch


def test_the_diagrams_roles_are_told_apart_without_colour_and_can_be_read():
    assert len({role.border for role in ROLES}) == len(ROLES)
    for role in (*ROLES, mechanism.LOSS):
        assert colour.contrast(mechanism.INK, role.tint) >= TEXT
        assert min(colour.contrast(role.colour, c) for c in ("#ffffff", role.tint)) >= MARKS


def test_the_formulas_give_published_values():
    assert colour.contrast("#fff", "#000") == pytest.approx(21)
    assert colour.contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    for one, other, distance in [  # Sharma, Wu and Dalal (2005), table 1
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ]:
        assert colour.ciede2000(one, other) == pytest.approx(distance, abs=1e-4)
    assert colour.lab(colour.linear("#ff0000")) == pytest.approx((53.24, 80.09, 67.20), abs=0.02)


def test_the_test_of_colours_can_fail():
    assert colour.difference("#009E73", "#D55E00", "full colour vision") > 40
    assert colour.difference("#00A000", "#B08000", "deuteranopia") < APART


# The lesson's own HTML: colours that it sets must hold on both themes.
DECLARATION = re.compile(
    r"(?<![\w-])(color|background|border(?:-\w+)?|fill|stroke)\s*:\s*([^;\"'{}]+)"
)


def declared(path):
    """The colours of each string of a module: [{property: #colour}]."""
    strings = [
        node.value
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    found = [
        {name: hexes[0] for name, value in DECLARATION.findall(text)
         if (hexes := re.findall(r"#[0-9a-fA-F]{3,6}\b", value))}
        for text in strings
    ]  # fmt: skip
    return [colours for colours in found if colours]


def unfit(colours):
    """Why these declarations, made in one place, cannot be read on both themes."""
    if ("color" in colours) != ("background" in colours):
        return "color and background only together, or the theme's other one meets it"
    for name, value in colours.items():
        if name == "color" and colour.contrast(value, colours["background"]) < TEXT:
            return "text too faint"
        if name not in ("color", "background"):
            grounds = ("#ffffff", DARK)
            if min(colour.contrast(value, ground) for ground in grounds) < MARKS:
                return f"{name} too faint on one theme"
    return None


def test_hard_coded_colours_hold_on_both_themes():
    found = {path.name: declared(path) for path in MODULES}
    assert {"explorer.py", "figure.py", "step_panel.py"} <= {n for n, c in found.items() if c}
    assert [(name, c, why) for name, all_ in found.items() for c in all_ if (why := unfit(c))] == []


@pytest.mark.parametrize(
    "colours",
    [
        {"color": "#1a1a1a"},
        {"background": "#fff"},
        {"color": "#999999", "background": "#ffffff"},
        {"border": "#cccccc"},
        {"border": "#333333"},
    ],
)
def test_colours_that_do_not_hold_are_noticed(colours):
    assert unfit(colours)
