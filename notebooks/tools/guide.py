"""Keep the misconceptions in INSTRUCTOR.md those that the checks recognise.

python -m notebooks.tools.guide
"""

import nbformat

from lessonlib.teaching.exercises.checking import exercises
from notebooks.tools.render import FOLDER

GUIDE = FOLDER / "INSTRUCTOR.md"
BEGIN, END = "<!-- misconceptions, from the checks -->", "<!-- end of misconceptions -->"
SHOWN = 3  # of each exercise: a list to read before class, not to look things up in


def places():
    """(notebook, exercise) in the order of the lesson; labs judge in their own way."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            name = cell.metadata.get("exercise")
            if name in exercises():
                yield path.stem, name


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


def filled(text):
    """The guide's text with the tables between its two marks."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n\n{misconceptions()}{END}{tail}"


if __name__ == "__main__":
    GUIDE.write_text(filled(GUIDE.read_text("utf-8")), encoding="utf-8")
