"""Whatever the lesson shows can be read without sight and used without a mouse.

The rules hold for all notebooks, figures, documents and widgets, without an exception.
"""

import json
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import page_rules as rules
import pytest
from asking import answer, kinds, said
from exploring import busy_explorer

from lessonlib import check, reveal, stepper
from lessonlib.teaching.ask.controls import controls
from lessonlib.teaching.ask.evidence import portfolio
from lessonlib.teaching.ask.pages import chapters, html_page
from lessonlib.teaching.ask.storage import read

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "notebooks").glob("*.md")])
FIGURES = sorted((ROOT / "figures").glob("*.svg"))
MODULES = sorted((ROOT / "lessonlib").rglob("*.py"))


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


@pytest.fixture
def parts():
    """What widgets, comparisons, checks and the portfolio show, as HTML."""
    step = stepper()
    step.step.click()
    explorer = busy_explorer()
    bundle = explorer._repr_mimebundle_()
    shown = {
        "explorer": "".join(
            part.value for part in (explorer.picture, explorer.status, explorer.table)
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


def test_the_explorers_numbers_are_those_of_its_figure():
    explorer = busy_explorer()
    found = rules.parsed(explorer.table.value).find_all("table")
    assert len(found) == len(explorer.data["panels"])
    for table, panel in zip(found, explorer.data["panels"], strict=True):
        last = [cell.get_text() for cell in table.find_all("tr")[-1].find_all("td")]
        shown = [series["y"][-1] for series in panel["series"] if "high" not in series]
        assert {f"{value:.3f}" for value in shown} <= set(last)


def test_the_portfolios_page_keeps_the_rules(parts):
    events = read().events
    html = html_page(chapters(events), "0")
    assert len(events) > 4 and '<html lang="en">' in html
    assert [c for rule in rules.RULES for c in rule(rules.parsed(html))] == []


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


def test_nothing_in_the_lessons_html_moves():
    for path in MODULES:
        assert rules.stillness(path.read_text("utf-8")) == [], path.name
