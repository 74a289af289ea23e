"""A new lab is one folder of the library and one notebook source; no other file is edited.

A made-up lab is put into a copy of the project, and then everything that makes notebooks,
documents, slides, pages and handouts, and the tests that hold for every notebook, meet it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
NUMBER = len(list((ROOT / "notebooks").glob("*.ipynb")))
NAME = f"{NUMBER:02}_made_up"

FOLDER = {
    "__init__.py": '"""What is twice a number?"""\n',
    "questions.toml": """
[made_up_double]
kind = "choice"
prompt = "A number is doubled twice. By what is it multiplied?"

[[made_up_double.options]]
text = "By two."
why = "That is doubling it once."

[[made_up_double.options]]
text = "By four."
right = true
why = "Two times two: doublings multiply."
""",
    "exercises.py": '''"""The exercise of the made-up lab."""

from lessonlib.teaching.exercises.model import Exercise, Misconception, case


def made_up_double(numbers, *, factor=2.0):
    """Twice each of the numbers."""
    return factor * numbers


EXERCISES = (
    Exercise(
        "made_up_double",
        "(N,)",
        made_up_double,
        (case(numbers=[1.0, 2.0]), case(numbers=[-3.0])),
        (Misconception("halved", {"factor": 0.5}, "The numbers are halved. Which way round?"),),
    ),
)
''',
    "drawing.py": '''"""The figure of the made-up lab."""


def doubling_data():
    """One line: a number and its double."""
    series = [{"label": "double", "x": [0, 1, 2], "y": [0, 2, 4]}]
    labels = {"title": "Doubling", "xlabel": "number", "ylabel": "its double"}
    return {"panels": [{"kind": "line", **labels, "series": series}]}
''',
}
SOURCE = f"""# %% [markdown] slideshow={{"slide_type": "slide"}}
# # A made-up lab
#
# **7 minutes.** After this notebook you can double a number.

# %% slideshow={{"slide_type": "skip"}}
from lessonlib import check, picture, plot_panels, predict, reveal
from lessonlib.lessons.n{NAME}.drawing import doubling_data

# %% slideshow={{"slide_type": "subslide"}}
predict("made_up_double")

# %% slideshow={{"slide_type": "fragment"}} jupyter={{"outputs_hidden": true}}
data = doubling_data()
picture(plot_panels(data), "A line through 0, 2 and 4.", data)

# %% slideshow={{"slide_type": "fragment"}}
reveal("made_up_double")

# %% [markdown] slideshow={{"slide_type": "subslide"}}
# ## Your turn

# %% [markdown] slideshow={{"slide_type": "subslide"}}
# ### Exercise: twice a number
#
# *1 minutes · easy*
#
# **Key functions**
#
# - `*`
#
# **Plan**
#
# 1. Multiply.

# %% slideshow={{"slide_type": "fragment"}} tags=["exercise"] exercise="made_up_double"
def made_up_double(numbers):
    # TODO: twice each of them
    return ...


# %% slideshow={{"slide_type": "fragment"}}
check("made_up_double", made_up_double)

# %% [markdown] slideshow={{"slide_type": "skip"}}
# <details><summary>Hint 1: a nudge</summary>
#
# What is twice 3?
#
# </details>
#
# <details><summary>Hint 2: the idea</summary>
#
# A product.
#
# </details>
#
# <details><summary>Hint 3: almost there</summary>
#
# Which factor?
#
# </details>
#
# <details><summary>Solution, with its reasoning</summary>
#
# ```python
# def made_up_double(numbers):
#     return 2 * numbers
# ```
#
# </details>
#
# **Change one condition.** Three times.
"""
WRITE = f"""
from pathlib import Path
from nbconvert import HTMLExporter, SlidesExporter
from notebooks.tools import handouts, publish
name, notebook = {NAME!r}, handouts.read()[{NAME!r}]
handouts.write(Path("out/students"), {{name: handouts.for_students(notebook)}}, "tools/HANDOUT.md")
solved = handouts.with_solutions(handouts.read()[name])
handouts.run(solved, name)
handouts.write(Path("out/solved"), {{name: solved}}, "INSTRUCTOR.md")
for kind, exporter, prepare in (
    ("slides", SlidesExporter(template_file="slides.html.j2", **publish.LOOK), publish.for_slides),
    ("pages", HTMLExporter(template_file="pages.html.j2", **publish.LOOK), publish.for_pages),
):
    publish.write(Path("out", kind), exporter, prepare, ())
"""
# What holds of every notebook, and of this one; the others are not tried again.
FOR_EVERY_NOTEBOOK = (
    "-k=made_up or test_storeys or test_question_use or test_guide",
    "tests/test_notebooks.py",
    "tests/test_storeys.py",
    "tests/test_accessibility.py",
    "tests/lessons/test_exercises_notebooks.py",
    "tests/lessons/test_question_use.py",
    "tests/tools/test_guide.py",
)
NBVAL = ("--nbval", "--nbval-current-env", "--nbval-sanitize-with=tests/sanitize.cfg")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with the lab in it, rendered, and all that is made from it."""
    copy = tmp_path_factory.mktemp("project") / "copy"
    leave_out = shutil.ignore_patterns(".*", "build", "portfolio", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, copy, ignore=leave_out)
    folder = copy / "lessonlib" / "lessons" / f"n{NAME}"
    folder.mkdir()
    for file, text in FOLDER.items():
        (folder / file).write_text(text, encoding="utf-8")
    (copy / "notebooks" / "source" / f"{NAME}.py").write_text(SOURCE, encoding="utf-8")
    python(copy, "-m", "notebooks.tools.render", NAME)
    python(copy, "-m", "notebooks.tools.guide")
    python(copy, "-c", WRITE)
    return copy


def python(folder, *arguments):
    """Run Python in `folder` with the library that lies there, and give what it prints."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    environment["LESSON_PORTFOLIO"] = str(folder.parent / "portfolio")
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_it_renders_and_passes_what_every_notebook_passes(project):
    plain = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist")
    said = python(
        project, "-m", "pytest", *plain, *NBVAL, f"notebooks/{NAME}.ipynb", *FOR_EVERY_NOTEBOOK
    )
    assert re.search(r"\d+ passed", said) and "skipped" not in said
    cells = nbformat.read(project / f"notebooks/{NAME}.ipynb", as_version=4).cells
    shown = str([cell.get("outputs") for cell in cells])
    assert "<svg" in shown or "<img" in shown
    assert "made_up_double: not attempted yet" in shown


def test_readme_and_guide_tell_of_it(project):
    row = f"| [{NAME}](notebooks/{NAME}.ipynb) | What is twice a number? | 7 |"
    assert row in (project / "README.md").read_text("utf-8").splitlines()
    guide = (project / "notebooks" / "INSTRUCTOR.md").read_text("utf-8")
    assert "Exercise `made_up_double`:\n\n- **halved**: The numbers are halved." in guide


def test_handouts_have_it_with_and_without_its_solution(project):
    students, solved = (
        (project / "out" / folder / "notebooks" / f"{NAME}.ipynb").read_text("utf-8")
        for folder in ("students", "solved")
    )
    assert "made_up_double: not attempted yet" in students
    assert "made_up_double: passed" in solved
    assert (project / f"out/students/lessonlib/lessons/n{NAME}/questions.toml").exists()


@pytest.mark.parametrize("kind", ["slides", "pages"])
def test_slides_and_pages_have_it(project, kind):
    html = (project / "out" / kind / f"{NAME}.html").read_text("utf-8")
    assert "A made-up lab" in html and "By four." in html
    assert "A line through 0, 2 and 4." in html
    assert f"{NAME}.html" in (project / "out" / kind / "index.html").read_text("utf-8")
