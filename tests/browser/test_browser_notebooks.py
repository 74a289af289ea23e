"""Every notebook, run as a student runs it."""

from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_from_top_to_bottom(lab, path):
    lab.open(path.name)
    cells = nbformat.read(path, as_version=4).cells
    hidden = [
        cell.metadata.get("jupyter", {}).get("outputs_hidden", False)
        for cell in cells
        if cell.cell_type == "code"
    ]
    assert lab.collapsed() == hidden

    lab.run_all()
    outputs = [output for cell in lab.outputs() for output in cell]
    assert [output for output in outputs if output["output_type"] == "error"] == []
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    assert not any(lab.collapsed())
    assert lab.unnamed_controls() == []
    assert lab.errors == []


def test_there_are_notebooks():
    assert NOTEBOOKS
