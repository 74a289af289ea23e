"""Keep what the README and INSTRUCTOR.md tell of the notebooks what the notebooks say.

python -m notebooks.tools.guide
"""

import ast
import re

import nbformat

from lessonlib.teaching import lessons
from lessonlib.teaching.exercises.checking import exercises
from notebooks.tools.render import FOLDER

README, GUIDE = FOLDER.parent / "README.md", FOLDER / "INSTRUCTOR.md"
SHOWN = 3  # of each exercise: a list to read before class, not to look things up in


def notebooks():
    """(name, notebook) in the order of the lesson."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        yield path.stem, nbformat.read(path, as_version=4)


def places():
    """(notebook, exercise) in the order of the lesson; lab 08 judges its repairs in its own way."""
    for name, notebook in notebooks():
        for cell in notebook.cells:
            if cell.metadata.get("exercise") in exercises():
                yield name, cell.metadata["exercise"]


def lesson_map():
    """The table of notebooks: what each asks, and the minutes that it names itself."""
    asks = {
        lessons.notebook(folder): ast.get_docstring(
            ast.parse((folder / "__init__.py").read_text("utf-8"))
        )
        for folder in lessons.folders()
    }
    lines = ["| notebook | what it asks | minutes |", "|---|---|---|"]
    for name, notebook in notebooks():
        minutes = re.search(r"\*\*(\d+) minutes", notebook.cells[0].source)[1]
        lines.append(f"| [{name}](notebooks/{name}.ipynb) | {asks[name]} | {minutes} |")
    return "\n".join([*lines, "", ""])


def misconceptions():
    """The first misconceptions of every exercise, and what to say, as Markdown lists."""
    lines, last = [], None
    for notebook, name in places():
        if notebook != last:
            lines += [f"### {notebook}", ""]
            last = notebook
        lines += [f"Exercise `{name}`:", ""]
        for mistake in exercises()[name].misconceptions[:SHOWN]:
            lines.append(f"- **{mistake.id.replace('_', ' ')}**: {mistake.message}")
        lines.append("")
    return "\n".join(lines)


# Between two marks of a document stands what a function gives.
PARTS = {
    README: ("<!-- map, from the notebooks -->", "<!-- end of map -->", lesson_map),
    GUIDE: (
        "<!-- misconceptions, from the checks -->",
        "<!-- end of misconceptions -->",
        misconceptions,
    ),
}


def filled(document):
    """The text of a document with its part made anew."""
    begin, end, part = PARTS[document]
    head, rest = document.read_text("utf-8").split(begin)
    _, tail = rest.split(end)
    return f"{head}{begin}\n\n{part()}{end}{tail}"


def main():
    """Write both documents."""
    for document in PARTS:
        document.write_text(filled(document), encoding="utf-8")


if __name__ == "__main__":
    main()
