"""Make the notebooks from their sources: convert, run from top to bottom, save with outputs.

    python -m notebooks.tools.render [NAME ...]     for example 03_signed_clipping; none means all

People edit notebooks/source/*.py. Rendering again without an edit changes no byte.
"""

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jupytext
import nbformat
from jupytext.combine import combine_inputs_with_outputs
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parents[1]
SOURCES = FOLDER / "source"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"  # the id of a widget that is gone


def read_source(source):
    """The notebook that a source file describes: cells and kernel, nothing else."""
    notebook = jupytext.read(source)
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL})
    notebook.nbformat_minor = 5  # the first with cell ids
    for cell in notebook.cells:
        cell.metadata.pop("lines_to_next_cell", None)  # how the source is spaced
    return notebook


def keep_ids(notebook, path):
    """`notebook` with the cell ids of the file at `path`, where the cells are still the same."""
    if not path.exists():
        return notebook
    return combine_inputs_with_outputs(notebook, nbformat.read(path, as_version=4))


def drop_what_varies(notebook):
    """Remove what would differ between two runs of the same code, in place."""
    notebook.metadata.language_info.pop("version")
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(WIDGET_VIEW, None)


def run(notebook, name, folder=FOLDER):
    """Run `notebook` from top to bottom in `folder`, in place; nobody's answers are met."""
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name=KERNEL["name"],
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    with tempfile.TemporaryDirectory() as empty:
        try:
            client.execute(env=os.environ | {"LESSON_PORTFOLIO": empty})
        except CellExecutionError as error:
            sys.exit(f"{name} stopped in this cell:\n{error}")
    drop_what_varies(notebook)
    nbformat.validate(notebook)


def render(source):
    """Write the executed notebook of one source file; returns its path."""
    path = FOLDER / f"{source.stem}.ipynb"
    notebook = keep_ids(read_source(source), path)
    run(notebook, source.name)
    nbformat.write(notebook, path)
    return path


def main(names):
    sources = [SOURCES / f"{name}.py" for name in names] or sorted(SOURCES.glob("*.py"))
    with ThreadPoolExecutor(2) as two_at_a_time:
        for path in two_at_a_time.map(render, sources):
            print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
