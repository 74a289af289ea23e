"""Each handout runs from top to bottom with the library that lies in its own folder.

No browser is needed; it stands here because it takes minutes.
"""

import shutil
import subprocess
import sys

import nbformat
import pytest
from nbformat import v4

from notebooks.tools import handouts
from notebooks.tools.render import run
from notebooks.tools.stills import last_call

NAMES = sorted(handouts.read())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """student (hints only), student-with-solutions, instructor."""
    folder = tmp_path_factory.mktemp("handouts für alle")
    command = [sys.executable, "-m", "notebooks.tools.handouts", folder, "no"]
    subprocess.run(command, cwd=handouts.ROOT, check=True)
    students = {name: handouts.for_students(each) for name, each in handouts.read().items()}
    handouts.write(folder / "student-with-solutions", students, "tools/HANDOUT.md")
    return folder


def read(folder, name):
    return nbformat.read(folder / "notebooks" / f"{name}.ipynb", as_version=4)


def outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


def verdicts(notebook):
    """The text of what each check says."""
    return [
        cell.outputs[0].data["text/plain"]
        for cell in notebook.cells
        if last_call(cell)[0] in ("check", "check_repair")
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("copy", ["student", "student-with-solutions"])
def test_a_students_copy_runs(folder, monkeypatch, copy, name):
    monkeypatch.setenv("PYTHONPATH", str(folder / copy))
    notebook = read(folder / copy, name)
    notebook.cells.append(v4.new_code_cell("import lessonlib\nprint(lessonlib.__file__)"))
    run(notebook, name, folder / copy / "notebooks")
    assert notebook.cells[-1].outputs[0].text.startswith(str(folder / copy))
    assert [each for each in outputs(notebook) if each.get("name") == "stderr"] == []
    said = verdicts(notebook)
    assert [verdict for verdict in said if "not attempted yet" not in verdict] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_instructors_copy_has_run_and_passes_every_check(folder, name):
    notebook = read(folder / "instructor", name)
    exercises = [cell for cell in notebook.cells if "exercise" in cell.metadata]
    said = verdicts(notebook)
    assert len(said) == len(exercises)
    assert [verdict for verdict in said if ": passed" not in verdict] == []
    assert [each for each in outputs(notebook) if each.get("name") == "stderr"] == []


def test_the_zip_holds_the_students_folder(folder, tmp_path):
    shutil.unpack_archive(folder / "student.zip", tmp_path)
    names = {path.name for path in (tmp_path / "student" / "notebooks").glob("*.ipynb")}
    assert names == {f"{name}.ipynb" for name in NAMES}
