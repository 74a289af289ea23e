"""Write the notebooks as slides or as pages to read, for a browser without network.

    python -m notebooks.tools.publish slides FOLDER
    python -m notebooks.tools.publish pages FOLDER

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

from notebooks.tools.render import FOLDER
from notebooks.tools.stills import IN_PAGES, IN_SLIDES, is_note, last_call, with_stills

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
LOOK = {
    "extra_template_paths": [str(FOLDER / "tools" / "templates")],
    "mathjax_url": MATHJAX,
    "exclude_input_prompt": True,
    "exclude_output_prompt": True,
    "exclude_anchor_links": True,
}


def unpack(name, folder, packages=PACKAGES):
    """Copy the files of ASSETS[name] to `folder`; FileNotFoundError says how to get them."""
    package, inside, wanted = ASSETS[name]
    wheel = next(packages.glob(f"{package}-*.whl"), None)
    if wheel is None:
        raise FileNotFoundError(f"{packages} lacks {package}; make slides and make pages fetch it")
    with zipfile.ZipFile(wheel) as archive:
        for member in map(PurePosixPath, archive.namelist()):
            if not member.is_relative_to(inside):
                continue
            relative = member.relative_to(inside)
            if re.fullmatch(wanted, str(relative)):
                target = folder / name / relative
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(str(member)))


def for_slides(notebook):
    """The notebook for a room: stills for widgets, no code that only shows something."""
    with_stills(notebook, IN_SLIDES)
    for cell in notebook.cells:
        if is_note(cell):  # only the speaker sees it, so it need not be folded
            cell.source = re.sub(r"</?details>|<summary>.*?</summary>", "", cell.source).strip()
        name, _ = last_call(cell)
        if name == "check":  # an exercise as it stands; its task is on the slide before
            cell.metadata.slideshow.slide_type = "skip"
        elif name in ONLY_SHOWN or cell.source.isidentifier():
            cell.metadata.transient = {"remove_source": True}
    return notebook


def for_pages(notebook):
    """The notebook for a reader without Python: stills for widgets, no notes for instructors."""
    with_stills(notebook, IN_PAGES)
    notebook.cells = [cell for cell in notebook.cells if not is_note(cell)]
    return notebook


def lead_to_html(notebook):
    """Let links and pictures of the notebook find what stands beside the HTML file."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\]\((\w+)\.ipynb\)", r"](\1.html)", cell.source)
            cell.source = cell.source.replace("](../figures/", "](figures/")
    return notebook


def title(notebook):
    """The text of the notebook's first heading."""
    return re.search(r"^# (.*)", notebook.cells[0].source, re.M)[1]


def contents(notebooks):
    """A notebook that links to all others, for index.html."""
    links = [f"1. [{title(notebook)}]({name}.ipynb)" for name, notebook in notebooks.items()]
    text = "\n".join(["# RLHF mechanics", "", *links])
    slide = {"slideshow": {"slide_type": "slide"}}
    return v4.new_notebook(cells=[v4.new_markdown_cell(text, metadata=slide)])


def write(folder, exporter, prepare, assets):
    """Write every notebook and an index into `folder`, which is made anew."""
    notebooks = {
        path.stem: nbformat.read(path, as_version=4) for path in sorted(FOLDER.glob("*.ipynb"))
    }
    shutil.rmtree(folder, ignore_errors=True)
    for name in assets:
        unpack(name, folder / "assets")
    (folder / "figures").mkdir(parents=True)
    for figure in (ROOT / "figures").glob("*.svg"):
        shutil.copy(figure, folder / "figures")
    for name, notebook in {"index": contents(notebooks), **notebooks}.items():
        notebook.metadata.title = title(notebook)
        html, _ = exporter.from_notebook_node(lead_to_html(prepare(notebook)))
        (folder / f"{name}.html").write_text(html, encoding="utf-8")


def slides(folder):
    """Write the decks."""
    look = {"reveal_url_prefix": "assets/reveal", "reveal_theme": "white", **LOOK}
    exporter = SlidesExporter(template_file="slides.html.j2", **look)
    write(folder, exporter, for_slides, ("reveal", "mathjax"))


def pages(folder):
    """Write the pages."""
    write(folder, HTMLExporter(template_file="pages.html.j2", **LOOK), for_pages, ("mathjax",))


if __name__ == "__main__":
    {"slides": slides, "pages": pages}[sys.argv[1]](Path(sys.argv[2]))
