"""Write the notebooks as slide decks or as pages to read, for a browser without network.

    python -m notebooks.publish deck FOLDER
    python -m notebooks.publish page FOLDER

Reads the executed notebooks, and the packages that the Makefile put into build/packages.
"""

import re
import shutil
import sys
import zipfile
from pathlib import Path, PurePosixPath

import nbformat
from nbconvert import HTMLExporter, SlidesExporter
from nbformat import v4

from notebooks.render import FOLDER
from notebooks.stills import IN_A_DECK, IN_A_PAGE, last_call, with_stills

ROOT = FOLDER.parent
PACKAGES = ROOT / "build" / "packages"
MATHJAX = "assets/mathjax/es5/tex-svg.js"
# Folder in assets: the package that ships it, where it stands there, and what of it is needed.
ASSETS = {
    "reveal": (
        "sphinx_revealjs",
        "sphinx_revealjs/_static/revealjs",
        r"LICENSE|dist/(reveal\.(js|css)|theme/white\.css|theme/fonts/.*)|plugin/notes/notes\.js",
    ),
    "mathjax": ("django_static_mathjax", "mathjax/static/mathjax", r"LICENSE|es5/tex-svg\.js"),
}
# Cells that end in one of these calls only show something; a room need not read the code.
ONLY_SHOWN = {"doctor", "predict", "reveal", "quiz", "stepper", "explore", "picture"}
NEEDED = {"deck": ("reveal", "mathjax"), "page": ("mathjax",)}


def unpack(name, folder):
    """Copy the files of ASSETS[name] into `folder`; FileNotFoundError says how to get them."""
    package, inside, wanted = ASSETS[name]
    wheel = next(PACKAGES.glob(f"{package}-*.whl"), None)
    if wheel is None:
        raise FileNotFoundError(f"{PACKAGES} has no {package}: make slides and make pages fetch it")
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            path = PurePosixPath(member)
            if path.is_relative_to(inside):
                relative = path.relative_to(inside)
                if re.fullmatch(wanted, str(relative)):
                    target = folder / name / relative
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(member))


def exporter(kind):
    """nbconvert's exporter with the lesson's template."""
    options = {
        "template_file": f"{kind}.html.j2",
        "extra_template_paths": [str(FOLDER / "templates")],
        "mathjax_url": MATHJAX,
        "exclude_input_prompt": True,
        "exclude_output_prompt": True,
        "exclude_anchor_links": True,
    }
    if kind == "page":
        return HTMLExporter(**options)
    return SlidesExporter(reveal_url_prefix="assets/reveal", reveal_theme="white", **options)


def prepare(notebook, kind):
    """The notebook as its readers want it: stills for widgets, links that lead to HTML."""
    if kind == "page":
        with_stills(notebook, IN_A_PAGE)
        notebook.cells = [cell for cell in notebook.cells if not is_note(cell)]
    else:
        with_stills(notebook, IN_A_DECK)
        for cell in notebook.cells:
            name, _ = last_call(cell)
            if name == "check":
                cell.metadata.slideshow.slide_type = "skip"
            elif name in ONLY_SHOWN:
                cell.metadata.transient = {"remove_source": True}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\]\((\w+)\.ipynb\)", r"](\1.html)", cell.source)
            cell.source = cell.source.replace("](../figures/", "](figures/")
    return notebook


def is_note(cell):
    """Whether a cell is for the instructor."""
    return cell.metadata.get("slideshow", {}).get("slide_type") == "notes"


def title(notebook):
    """The text of the notebook's first heading."""
    return re.search(r"^# (.*)", notebook.cells[0].source, re.M)[1]


def contents(notebooks):
    """A notebook that links to all others, for index.html."""
    lines = [f"1. [{title(notebook)}]({name}.html)" for name, notebook in notebooks.items()]
    cell = v4.new_markdown_cell("\n".join(["# RLHF mechanics", "", *lines]))
    cell.metadata = nbformat.from_dict({"slideshow": {"slide_type": "slide"}})
    return v4.new_notebook(cells=[cell], metadata={"title": "RLHF mechanics"})


def publish(kind, folder):
    """Write every notebook and an index into `folder`, which is made anew."""
    notebooks = {
        path.stem: nbformat.read(path, as_version=4) for path in sorted(FOLDER.glob("*.ipynb"))
    }
    shutil.rmtree(folder, ignore_errors=True)
    for name in NEEDED[kind]:
        unpack(name, folder / "assets")
    (folder / "figures").mkdir()
    for picture in (ROOT / "figures").glob("*.svg"):
        shutil.copy(picture, folder / "figures")
    write = exporter(kind)
    for name, notebook in {"index": contents(notebooks), **notebooks}.items():
        notebook.metadata.title = title(notebook)
        where = {"metadata": {"name": name}}
        html, _ = write.from_notebook_node(prepare(notebook, kind), where)
        (folder / f"{name}.html").write_text(html, encoding="utf-8")


if __name__ == "__main__":
    publish(sys.argv[1], Path(sys.argv[2]))
