"""What is written for rooms and readers, up to where a browser takes over."""

import re
import zipfile

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat import v4

from notebooks.tools import publish

SLIDE = {"slideshow": {"slide_type": "slide"}}
NOTES = {"slideshow": {"slide_type": "notes"}}


def notebook(*cells):
    return v4.new_notebook(cells=list(cells))


def code(source, **metadata):
    return v4.new_code_cell(source, metadata={"slideshow": {"slide_type": "slide"}, **metadata})


def test_unpack_takes_what_is_needed_from_the_right_package(tmp_path):
    inside = publish.ASSETS["reveal"][1]
    with zipfile.ZipFile(tmp_path / "sphinx_revealjs-1-py3-none-any.whl", "w") as wheel:
        for name in ("dist/reveal.js", "dist/reveal.js.map", "plugin/notes/notes.js", "LICENSE"):
            wheel.writestr(f"{inside}/{name}", name)
        wheel.writestr("sphinx_revealjs/LICENSE", "not this one")
    publish.unpack("reveal", tmp_path / "assets", packages=tmp_path)
    files = [path for path in (tmp_path / "assets").rglob("*") if path.is_file()]
    assert {
        str(path.relative_to(tmp_path / "assets/reveal")): path.read_text() for path in files
    } == {name: name for name in ("dist/reveal.js", "plugin/notes/notes.js", "LICENSE")}


def test_a_missing_package_is_named_with_the_cure(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"lacks django_static_mathjax; make slides"):
        publish.unpack("mathjax", tmp_path / "assets", packages=tmp_path)


def test_every_package_is_one_that_the_makefile_fetches():
    text = (publish.FOLDER / "tools" / "templates" / "packages.txt").read_text("utf-8")
    fetched = {line.split("==")[0].replace("-", "_") for line in text.splitlines() if "==" in line}
    assert {package for package, *_ in publish.ASSETS.values()} == fetched


def test_slides_leave_out_code_that_only_shows_something():
    shown = [code('quiz("quiz_00_masks")'), code("matrix"), code("picture(figure, alt, data)")]
    read = [code("def kl(a):\n    return a"), code("print(1)")]
    publish.for_slides(notebook(*shown, *read))
    assert all(cell.metadata.transient.remove_source for cell in shown)
    assert not any("transient" in cell.metadata for cell in read)


def test_slides_skip_checks_and_keep_notes_unfolded():
    note = "<details><summary>For instructors</summary>\n\nAsk.\n\n</details>"
    cells = [code("check('kl', kl)"), v4.new_markdown_cell(note, metadata=NOTES)]
    made = publish.for_slides(notebook(*cells))
    assert made.cells[0].metadata.slideshow.slide_type == "skip"
    assert made.cells[1].source == "Ask."


def test_pages_leave_out_notes():
    made = publish.for_pages(notebook(v4.new_markdown_cell("Ask.", metadata=NOTES), code("1")))
    assert [cell.source for cell in made.cells] == ["1"]


def test_pages_fold_what_answers_a_prediction():
    hidden = code("print(1)", jupyter={"outputs_hidden": True})
    open_cell = code("print(2)")
    for cell, text in ((hidden, "the answer"), (open_cell, "no answer")):
        cell.outputs = [v4.new_output("stream", text=text)]
    exporter = HTMLExporter(template_file="pages.html.j2", **publish.LOOK)
    html, _ = exporter.from_notebook_node(notebook(hidden, open_cell))
    folds = re.findall(r'<details class="result">.*?</details>', html, re.S)
    assert len(folds) == 1
    assert "the answer" in folds[0]


def test_links_lead_to_html_and_pictures_stand_beside_it():
    cell = v4.new_markdown_cell("[next](01_four_roles.ipynb) ![roles](../figures/roles.svg)")
    publish.lead_to_html(notebook(cell))
    assert cell.source == "[next](01_four_roles.html) ![roles](figures/roles.svg)"


def test_contents_name_every_notebook_by_its_title():
    first = notebook(v4.new_markdown_cell("# One: first", metadata=SLIDE))
    made = publish.contents({"00_one": first})
    assert "1. [One: first](00_one.ipynb)" in made.cells[0].source


@pytest.mark.parametrize("path", sorted(publish.FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_no_widget_is_left_as_its_text(path):
    """Whatever says "run this cell" has a still in its place, or says what it would show."""
    for prepare in (publish.for_slides, publish.for_pages):
        made = prepare(nbformat.read(path, as_version=4))
        left = [
            cell.source
            for cell in made.cells
            for output in cell.get("outputs", ())
            if set(output.get("data", ())) == {"text/plain"}
            and "run this cell" in output.data["text/plain"]
        ]
        assert [source for source in left if source != "portfolio()"] == []
