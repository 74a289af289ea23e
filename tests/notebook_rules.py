"""What every notebook must keep, as functions from a notebook to a list of complaints.

The regression check compares stored outputs with fresh ones. These rules refuse what would
make that comparison empty, what would spoil a prediction, and what would break a slide.
"""

import ast
import inspect
import itertools
import re

import nbformat

import lessonlib

LONGEST_CELL = 25
NO_OUTPUT = {"np.set_printoptions"}  # calls that return None and print nothing
SKIPS_COMPARISON = re.compile(
    r"nbval-(skip|test-listed|ignore)|raises-exception|NBVAL_|PYTEST_VALID"
)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def where(cell):
    """A cell by its first line, for a complaint."""
    return f"cell {cell.source.strip().splitlines()[:1]}"


def calls(cell):
    """Names of the functions that a code cell calls when it runs, in order.

    A function that is only defined there does not count.
    """
    names, waiting = [], list(ast.parse(cell.source).body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Call):
            names.append(ast.unparse(node.func))
        waiting.extend(ast.iter_child_nodes(node))
    return names


def executed(notebook):
    """Every code cell has been run, in order, from a fresh kernel."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    return [] if counts == list(range(1, len(counts) + 1)) else [f"execution counts are {counts}"]


def prints_are_stored(notebook):
    """A cell that prints, or ends in an expression, has an output to compare with."""
    return [where(cell) for cell in code_cells(notebook) if shows(cell) and not cell.outputs]


def shows(cell):
    statements = ast.parse(cell.source).body
    last = statements[-1] if statements else None
    ends_in_value = isinstance(last, ast.Expr) and not (
        isinstance(last.value, ast.Call) and ast.unparse(last.value.func) in NO_OUTPUT
    )
    return ends_in_value or "print" in calls(cell)


def no_widget_state(notebook):
    """No state and no id of a widget that lived in another session."""
    views = [
        where(cell)
        for cell in code_cells(notebook)
        for output in cell.outputs
        if any("widget" in kind for kind in output.get("data", {}))
    ]
    return views + ["widget state in the metadata"] * ("widgets" in notebook.metadata)


def no_errors(notebook):
    """Nothing on stderr and no exception."""
    return [
        where(cell)
        for cell in code_cells(notebook)
        for output in cell.outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]


def compared(notebook):
    """No cell is left out of the regression check."""
    return [
        where(cell)
        for cell in code_cells(notebook)
        if SKIPS_COMPARISON.search(f"{cell.metadata.get('tags', '')} {cell.source}")
    ]


def portable(notebook):
    """Valid, with cell ids, and for the kernel that every installation has."""
    complaints = [] if notebook.metadata.kernelspec.name == "python3" else ["kernel is not python3"]
    if len({cell.get("id") for cell in notebook.cells} - {None}) < len(notebook.cells):
        return [*complaints, "a cell has no id of its own"]
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        complaints.append(error.message)
    return complaints


def short_cells(notebook):
    return [
        where(cell) for cell in code_cells(notebook) if len(cell.source.splitlines()) > LONGEST_CELL
    ]


def slides(notebook):
    """Every cell says what it is in a deck."""
    kinds = {"slide", "subslide", "fragment", "skip", "notes"}
    return [
        where(cell)
        for cell in notebook.cells
        if cell.metadata.get("slideshow", {}).get("slide_type") not in kinds
    ]


def answers_are_hidden(notebook):
    """What is shown between a prediction and its reveal is stored collapsed.

    Except the explorer where it starts, which shows the run of the lesson's settings.
    """
    complaints, asked = [], False
    for cell in code_cells(notebook):
        names = calls(cell)
        hidden = cell.metadata.get("jupyter", {}).get("outputs_hidden")
        if {"predict", "reveal"} & set(names):
            asked = "predict" in names
        elif asked and cell.outputs and not hidden and cell.source != "explore()":
            complaints.append(where(cell))
    return complaints


def notes_are_folded(notebook):
    """A note for instructors tells usual wrong answers, so a student does not meet it open."""
    return [
        where(cell)
        for cell in notebook.cells
        if cell.metadata.get("slideshow", {}).get("slide_type") == "notes"
        and not cell.source.startswith("<details><summary>For instructors</summary>")
    ]


def headings_in_order(notebook):
    """One title, first; and no level left out on the way down."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    levels = [len(marks) for marks in re.findall(r"^(#{1,6}) ", text, re.M)]
    jumps = [f"h{high} → h{low}" for high, low in itertools.pairwise(levels) if low > high + 1]
    return jumps + ([] if levels[:1] == [1] and levels.count(1) == 1 else [f"levels are {levels}"])


def images_have_text(notebook):
    """Every picture says in words what it shows."""
    complaints = []
    for cell in notebook.cells:
        kinds = [output.get("data", {}) for output in cell.get("outputs", ())]
        html = "".join("".join(kind.get("text/html", "")) for kind in kinds)
        if cell.cell_type == "markdown":
            html += cell.source
        bare = [tag for tag in re.findall(r"<img[^>]*>", html) if not re.search(r'alt="[^"]', tag)]
        alone = [kind for kind in kinds if "image" in str(list(kind)) and "text/html" not in kind]
        if bare or alone or "![](" in html:
            complaints.append(where(cell))
    return complaints


def same_as_library(notebook):
    """A function typed here under the name of one in the core is that function."""
    return [
        f"{name} differs from lessonlib's"
        for name, function in typed_functions(notebook).items()
        if inspect.isfunction(ours := getattr(lessonlib, name, None))
        and bare(function) != bare(ast.parse(inspect.getsource(inspect.unwrap(ours))).body[0])
    ]


def typed_functions(notebook):
    """Functions that a notebook defines itself, those in exercises apart."""
    return {
        node.name: node
        for cell in code_cells(notebook)
        if "exercise" not in cell.metadata
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.FunctionDef)
    }


def bare(function):
    """Parameters, defaults and body of a function, as text to compare."""
    function = ast.parse(ast.unparse(function)).body[0]
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            node.annotation = None
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return ast.unparse(function.args), [ast.unparse(statement) for statement in body]


RULES = (
    executed,
    prints_are_stored,
    no_widget_state,
    no_errors,
    compared,
    portable,
    short_cells,
    slides,
    answers_are_hidden,
    notes_are_folded,
    headings_in_order,
    images_have_text,
    same_as_library,
)
