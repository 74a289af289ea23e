"""Every notebook keeps the rules, and every rule notices a notebook that breaks it."""

import copy

import jupytext
import nbformat
import notebook_rules as rules
import pytest
from nbformat import v4

from notebooks.tools.render import FOLDER, SOURCES, read_source

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
# The concepts that the lesson types in full in the notebook that teaches them.
TYPED = {
    "preference_loss",
    "ratios",
    "clipped_surrogate",
    "kl",
    "ppo_loss",
    "regularized_objective",
    "optimal_logp",
}


def read(path):
    return nbformat.read(path, as_version=4)


def content(notebook):
    """What a source file and its notebook share: kind, text and metadata of every cell."""
    return [(cell.cell_type, cell.source, cell.metadata) for cell in notebook.cells]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_keeps_the_rule(path, rule):
    assert rule(read(path)) == []


def test_every_source_has_its_notebook():
    stems = [path.stem for path in NOTEBOOKS]
    assert stems == sorted(path.stem for path in SOURCES.glob("*.py"))
    assert [stem[:2] for stem in stems] == [f"{number:02}" for number in range(len(stems))]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_not_stale(path):
    assert content(read(path)) == content(read_source(SOURCES / f"{path.stem}.py"))


def test_concepts_are_typed_where_they_are_taught():
    typed = [set(rules.typed_functions(read(path))) for path in NOTEBOOKS]
    assert TYPED - set.union(*typed) == set()


# A small notebook that keeps every rule; each case below breaks it in one way.
def good():
    slide = {"slideshow": {"slide_type": "slide"}}
    hidden = slide | {"jupyter": {"outputs_hidden": True}}
    kl = (
        "def kl(logp, reference_logp):\n    return jnp.sum(jnp.exp(logp) * (logp - reference_logp))"
    )
    cells = [
        v4.new_markdown_cell("# Title\n\n## Part\n\n![a line](a.png)", metadata=slide),
        code("print('hello')", slide, v4.new_output("stream", text="hello\n")),
        code('predict("id")', slide, shown({"text/plain": "Prediction"})),
        code(kl, slide),
        code("kl(a, b)", hidden, shown({"text/html": '<img alt="a bar" src="x">'})),
        code('reveal("id")', slide, shown({"text/plain": "Reveal"})),
    ]
    for count, cell in enumerate(cells[1:], 1):
        cell.execution_count = count
    kernel = {"name": "python3", "display_name": "Python 3"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def code(source, metadata, *outputs):
    return v4.new_code_cell(source, metadata=metadata, outputs=list(outputs))


def shown(data):
    return v4.new_output("display_data", data)


def put(target, **values):
    for key, value in values.items():
        target[key] = value


WIDGET = "application/vnd.jupyter.widget-view+json"
KL_REVERSED = (
    "def kl(logp, reference_logp):\n    return jnp.sum(jnp.exp(logp) * (reference_logp - logp))"
)
BREAKS = [
    (rules.executed, lambda n: put(n.cells[1], execution_count=None)),
    (rules.executed, lambda n: put(n.cells[1], execution_count=7)),
    (rules.prints_are_stored, lambda n: put(n.cells[1], outputs=[])),
    (rules.prints_are_stored, lambda n: put(n.cells[4], outputs=[])),
    (rules.prints_are_stored, lambda n: put(n.cells[3], source="for x in y:\n    print(x)")),
    (rules.no_widget_state, lambda n: put(n.metadata, widgets={"state": {}})),
    (rules.no_widget_state, lambda n: n.cells[2].outputs[0].data.update({WIDGET: {}})),
    (rules.no_errors, lambda n: put(n.cells[1].outputs[0], name="stderr")),
    (rules.no_errors, lambda n: n.cells[1].outputs.append(v4.new_output("error"))),
    (rules.compared, lambda n: put(n.cells[1].metadata, tags=["nbval-ignore-output"])),
    (rules.compared, lambda n: put(n.cells[1], source="# NBVAL_SKIP\nprint(1)")),
    (rules.portable, lambda n: put(n.metadata.kernelspec, name="conda-env")),
    (rules.portable, lambda n: n.cells[1].pop("id")),
    (rules.portable, lambda n: put(n.cells[1], id=n.cells[2].id)),
    (rules.short_cells, lambda n: put(n.cells[1], source="x = 1\n" * 26)),
    (rules.slides, lambda n: n.cells[0].metadata.pop("slideshow")),
    (rules.slides, lambda n: put(n.cells[0].metadata.slideshow, slide_type="-")),
    (rules.answers_are_hidden, lambda n: n.cells[4].metadata.pop("jupyter")),
    (rules.notes_are_folded, lambda n: n.cells[0].metadata.slideshow.update(slide_type="notes")),
    (rules.headings_in_order, lambda n: put(n.cells[0], source="# Title\n\n### Part")),
    (rules.headings_in_order, lambda n: put(n.cells[0], source="# Title\n\n# Title")),
    (rules.images_have_text, lambda n: put(n.cells[0], source="# Title\n![](a.png)")),
    (rules.images_have_text, lambda n: n.cells[4].outputs[0].data.update({"text/html": "<img>"})),
    (rules.images_have_text, lambda n: n.cells[2].outputs[0].data.update({"image/png": "x"})),
    (rules.same_as_library, lambda n: put(n.cells[3], source=KL_REVERSED)),
    (
        rules.same_as_library,
        lambda n: put(n.cells[3], source=n.cells[3].source.replace("ce_logp):", "ce_logp=0):")),
    ),
]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_good_notebook_keeps_the_rule(rule):
    assert rule(good()) == []


@pytest.mark.parametrize(("rule", "spoil"), BREAKS, ids=lambda value: value.__name__)
def test_rule_notices_a_notebook_that_breaks_it(rule, spoil):
    notebook = good()
    spoil(notebook)
    assert len(rule(notebook)) > 0


def test_every_rule_is_seen_to_fail():
    assert {rule for rule, _ in BREAKS} == set(rules.RULES)


@pytest.mark.parametrize("change", [{"source": "x"}, {"cell_type": "raw"}, {"metadata": {"a": 1}}])
def test_a_changed_cell_makes_a_pair_stale(tmp_path, change):
    jupytext.write(good(), tmp_path / "a.py", fmt="py:percent")
    notebook = read_source(tmp_path / "a.py")
    assert content(notebook) == content(good())
    notebook.cells[1].update(copy.deepcopy(change))
    assert content(notebook) != content(good())


def test_exercises_may_differ_from_the_library():
    notebook = good()
    put(notebook.cells[3], source=KL_REVERSED)
    put(notebook.cells[3].metadata, exercise="kl")
    assert rules.same_as_library(notebook) == []
