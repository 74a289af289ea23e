"""Write folders to hand out: one for students, and one for instructors with the solutions.

    python -m notebooks.tools.handouts FOLDER yes     students get the folded solutions
    python -m notebooks.tools.handouts FOLDER no      students get the hints only

Each folder is whole: notebooks, figures, and the library that asks the questions and answers
them, so that nothing else is needed to run it. Reads the executed notebooks.
"""

import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat

from notebooks.tools.render import FOLDER, KERNEL, run
from notebooks.tools.stills import is_note, last_call

ROOT = FOLDER.parent
SET_UP = ("Makefile", "requirements.txt", "environment.yml", "pyproject.toml")
FOLD = re.compile(r"<details><summary>Solution.*?</details>\n*", re.S)
CODE = re.compile(r"```python\n(.*?)\n?```", re.S)


def for_students(notebook):
    """Without notes for instructors, without what would answer a prediction."""
    cells = [cell for cell in notebook.cells if not is_note(cell)]
    for cell in cells:
        if answers_a_prediction(cell):
            cell.update(outputs=[], execution_count=None)
    return _with(notebook, cells)


def answers_a_prediction(cell):
    """Whether a cell's output is what a prediction asks for."""
    hidden = cell.metadata.get("jupyter", {}).get("outputs_hidden", False)
    return hidden or last_call(cell)[0] == "reveal"


def without_solutions(notebook):
    """Without the folded solutions; hints and tasks stay."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = FOLD.sub("", cell.source)
    return notebook


def with_solutions(notebook):
    """With the folded solution of each exercise in place of its scaffold, not yet run."""
    for place, cell in enumerate(notebook.cells):
        if "exercise" in cell.metadata:
            cell.source = solution_after(notebook.cells[place:])
    return _with(notebook, notebook.cells)


def solution_after(cells):
    """The code of the first folded solution below an exercise."""
    folds = (FOLD.search(cell.source) for cell in cells if cell.cell_type == "markdown")
    return CODE.search(next(filter(None, folds))[0])[1]


def _with(notebook, cells):
    """A notebook of these cells that carries nothing of the machine it was made on."""
    metadata = {"kernelspec": KERNEL, "language_info": notebook.metadata.language_info}
    return nbformat.v4.new_notebook(cells=cells, metadata=nbformat.from_dict(metadata))


def read():
    """{name: notebook} of the lesson as committed."""
    paths = sorted(FOLDER.glob("*.ipynb"))
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


def write(folder, notebooks, readme):
    """Make `folder` anew with the notebooks and all that they need."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(
        ROOT / "lessonlib", folder / "lessonlib", ignore=shutil.ignore_patterns("__pycache__")
    )
    (folder / "figures").mkdir()
    for picture in (ROOT / "figures").glob("*.svg"):
        shutil.copy(picture, folder / "figures")
    for name in SET_UP:
        shutil.copy(ROOT / name, folder)
    shutil.copy(FOLDER / readme, folder / "README.md")
    shutil.copytree(FOLDER / "tools" / "startup", folder / "notebooks" / "tools" / "startup")
    for name, notebook in notebooks.items():
        nbformat.validate(notebook)
        nbformat.write(notebook, folder / "notebooks" / f"{name}.ipynb")


def main(folder, solutions):
    students = {name: for_students(notebook) for name, notebook in read().items()}
    if solutions == "no":
        students = {name: without_solutions(notebook) for name, notebook in students.items()}
    elif solutions != "yes":
        sys.exit(f"SOLUTIONS must be yes or no, got {solutions!r}")
    write(folder / "student", students, "tools/HANDOUT.md")
    shutil.make_archive(folder / "student", "zip", folder, "student")

    solved = {name: with_solutions(notebook) for name, notebook in read().items()}
    with ThreadPoolExecutor(2) as two_at_a_time:
        list(two_at_a_time.map(run, solved.values(), solved))
    write(folder / "instructor", solved, "INSTRUCTOR.md")
    print(folder / "student", folder / "student.zip", folder / "instructor", sep="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
