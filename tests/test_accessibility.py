"""Whatever the lesson shows can be read without sight, without colour and without a mouse.

The rules hold for all notebooks, figures, documents and widgets, without an exception.
"""

import ast
import base64
import itertools
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import colour
import nbformat
import page_rules as rules
import pytest
from asking import answer, kinds, said
from svg_looks import Look, background, looks, text_colours

from figures import mechanism
from lessonlib import check, explore, panels, reveal, stepper
from lessonlib.controls import controls
from lessonlib.evidence import portfolio
from lessonlib.figure import plot_panels, svg_text
from lessonlib.pages import chapters, html_page
from lessonlib.storage import read

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "notebooks").glob("*.md")])
FIGURES = sorted((ROOT / "figures").glob("*.svg"))
MODULES = sorted((ROOT / "lessonlib").rglob("*.py"))
DARK = "#111111"  # the page in JupyterLab's dark theme
TEXT, MARKS = 4.5, 3  # WCAG 2.2, success criteria 1.4.3 and 1.4.11, level AA
# CIEDE2000. A difference of 2 is just noticed by trained eyes side by side; five times that
# is told apart at a glance, also between thin lines that lie apart.
APART = 10


def page(path):
    if path.suffix == ".md":
        return rules.page_of_markdown(path.read_text("utf-8"))
    return rules.page_of_notebook(nbformat.read(path, as_version=4))


@pytest.fixture(scope="module")
def pages():
    return {path: page(path) for path in (*NOTEBOOKS, *DOCUMENTS)}


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", (*NOTEBOOKS, *DOCUMENTS), ids=lambda path: path.stem)
def test_page_keeps_the_rule(pages, path, rule):
    assert rule(pages[path]) == []


# What the rules refuse, each by a piece of a page that is otherwise in order.
GOOD = """<h1>Title</h1><h2>Part</h2><a href="a.html">The next part</a>
<figure><img alt="A line rises over ten batches." src="data:x"><details><summary>Numbers</summary>
<table><tr><th>batch</th></tr><tr><td>1</td></tr></table></details></figure>"""
BAD = [
    (rules.headings, "<h1>Again</h1>"),
    (rules.headings, "<h4>Too deep</h4>"),
    (rules.alternative_texts, "<img src='a.svg'>"),
    (rules.alternative_texts, "<img src='a.svg' alt='the figure in posttraining-04.svg of this'>"),
    (rules.alternative_texts, "<img src='a.svg' alt='reward'>"),
    (rules.alternative_texts, "<img src='data:y' alt='A line rises over ten batches.'>"),
    (rules.alternative_texts, "<svg></svg>"),
    (rules.alternative_texts, "<div role='img'></div>"),
    (rules.tables, "<table><tr><td>1</td></tr></table>"),
    (rules.tables, "<table><tr><th></th><th>a</th></tr></table>"),
    (rules.tables, "<table></table>"),
    (rules.links, "<a href='b.html'>here</a>"),
    (rules.links, "<a href='b.html'>https://b.html</a>"),
    (rules.links, "<a href='b.html'>The next part</a>"),
    (rules.folds, "<details><p>Text</p></details>"),
    (rules.folds, "<details><summary> </summary>Text</details>"),
    (rules.folds, "<button tabindex='-1'>Open</button>"),
    (rules.numbers, "<img src='data:x' alt='A line'>"),
    (rules.numbers, "<figure><img src='data:x'><details><summary>a</summary></details></figure>"),
    (rules.stillness, "<style>a { transition: all 1s }</style>"),
    (rules.stillness, "<img src='a.gif'>"),
    (rules.only_keys, "<div onclick='open()'>Open</div>"),
]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_a_good_page_keeps_the_rule(rule):
    assert rule(rules.parsed(GOOD)) == []


@pytest.mark.parametrize(("rule", "html"), BAD, ids=lambda value: getattr(value, "__name__", None))
def test_the_rule_notices(rule, html):
    assert len(rule(rules.parsed(GOOD + html))) == 1


def test_a_notebooks_bare_picture_is_noticed():
    output = nbformat.v4.new_output("display_data", {"image/png": "x", "text/plain": "Figure"})
    cell = nbformat.v4.new_code_cell("draw()", outputs=[output])
    assert rules.alternative_texts(rules.page_of_notebook(nbformat.v4.new_notebook(cells=[cell])))


@pytest.fixture(scope="module")
def busy_explorer():
    """The explorer with everything in it that it can show."""
    explorer = explore()
    for beta in (0, 1, 2):
        explorer.beta.value = beta
        explorer._keep.click()
    explorer._band.value = explorer._numbers.value = True
    return explorer


@pytest.fixture
def parts(busy_explorer):
    """What widgets, comparisons, checks and the portfolio show, as HTML."""
    step = stepper()
    step.step.click()
    bundle = busy_explorer._repr_mimebundle_()
    shown = {
        "explorer": "".join(
            part.value
            for part in (busy_explorer.picture, busy_explorer.status, busy_explorer.table)
        ),
        "explorer, still": bundle["text/html"],
        "stepper": step.table.value,
        "check": check("ratios", lambda logits, old_logps, actions: old_logps)._repr_html_(),
    }
    results = {"number": 0.5, "curve": [0.1] * 40, "probabilities": [0.8, 0.1, 0.1]}
    for kind, asked in kinds().items():
        asking = controls(asked).widget
        shown[f"{kind}, asked"] = "".join(html_values(asking))
        shown[f"{kind}, locked"] = said(answer(asked))
        shown[f"{kind}, compared"] = reveal(asked.id, results.get(kind))._repr_html_()
    shown["portfolio"] = "".join(html_values(portfolio()))
    return shown


def html_values(widget):
    """The HTML that a widget and those in it show."""
    own = [widget.value] if type(widget).__name__ == "HTML" else []
    return own + [html for child in getattr(widget, "children", ()) for html in html_values(child)]


def test_what_widgets_show_keeps_the_rules(parts):
    complaints = [
        (name, rule.__name__, complaint)
        for name, html in parts.items()
        for rule in rules.FOR_PARTS
        for complaint in rule(rules.parsed(html))
    ]
    assert complaints == []


def test_the_explorers_numbers_are_those_of_its_figure(busy_explorer):
    found = rules.parsed(busy_explorer.table.value).find_all("table")
    assert len(found) == len(busy_explorer.data["panels"])
    for table, panel in zip(found, busy_explorer.data["panels"], strict=True):
        last = [cell.get_text() for cell in table.find_all("tr")[-1].find_all("td")]
        shown = [series["y"][-1] for series in panel["series"] if "high" not in series]
        assert {f"{value:.3f}" for value in shown} <= set(last)


def test_the_portfolios_page_keeps_the_rules(parts):
    events = read().events
    html = html_page(chapters(events), "0")
    assert len(events) > 4 and '<html lang="en">' in html
    assert [c for rule in rules.RULES for c in rule(rules.parsed(html))] == []


# Figures: those in files, those stored in notebooks, and the explorer's.
def drawn():
    """(where it is, SVG) of every figure that `plot_panels` drew."""
    yield "posttraining-04", (ROOT / "figures" / "posttraining-04.svg").read_text("utf-8")
    for path in NOTEBOOKS:
        for number, data in enumerate(re.findall(r"svg\+xml;base64,([\w+/=]+)", path.read_text())):
            yield f"{path.stem}, picture {number + 1}", base64.b64decode(data).decode()


@pytest.fixture(scope="module")
def svgs(busy_explorer):
    everything = svg_text(plot_panels(busy_explorer.data))
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


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_a_figure_file_says_what_it_shows_and_stands_still(path):
    svg = path.read_text("utf-8")
    title = ElementTree.fromstring(svg).find("{http://www.w3.org/2000/svg}title").text
    assert len(title.split()) >= 10 and not rules.FILE_NAME.search(title)
    assert rules.stillness(svg) == []


def test_the_readmes_figure_has_its_numbers_beside_it():
    """One row for some of the batches: reward and KL; and the bars."""
    readme = rules.parsed(rules.MARKDOWN.render((ROOT / "README.md").read_text("utf-8")))
    image = readme.find("img", src="figures/posttraining-04.svg")
    reward, drift, actions = json.loads((ROOT / "figures/posttraining-04.json").read_text())[
        "panels"
    ]
    curves, bars = image.find_next("details").find_all("table")
    expected = [
        [f"{x}", f"{r:.3f}", f"{k:.3f}"]
        for x, r, k in zip(
            reward["x"], reward["series"][1]["y"], drift["series"][0]["y"], strict=True
        )
    ]
    rows = cells(curves)
    assert len(rows) >= 5 and rows[-1] == expected[-1]
    assert [row for row in rows if row not in expected] == []
    by_series = [[f"{y:.3f}" for y in series["y"]] for series in actions["series"]]
    assert cells(bars) == [list(row) for row in zip(actions["labels"], *by_series, strict=True)]


def cells(table):
    rows = [
        [cell.get_text() for cell in row.find_all(["th", "td"])] for row in table.find_all("tr")
    ]
    return rows[1:]


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


def test_nothing_in_the_lessons_html_moves():
    for path in MODULES:
        assert rules.stillness(path.read_text("utf-8")) == [], path.name
