"""Still pictures in place of the widgets, for slides and pages: HTML that needs no kernel."""

import ast
from html import escape

from nbformat import v4

from lessonlib import stepper
from lessonlib.teaching.ask.answers import with_unit
from lessonlib.teaching.ask.comparison import explanations
from lessonlib.teaching.ask.questions import Choice, Curve, Number, Question, question


def with_stills(notebook, draw):
    """Put the HTML that `draw` gives for a call, {function's name: draw(*arguments)}, in place
    of the output of each code cell that ends in such a call. Changes `notebook`.
    """
    for cell in notebook.cells:
        name, arguments = last_call(cell)
        if name in draw:
            cell.outputs = [v4.new_output("display_data", {"text/html": draw[name](*arguments)})]
    return notebook


def last_call(cell):
    """Name and literal arguments of the call that a code cell ends in, or (None, ())."""
    if cell.cell_type != "code":
        return None, ()
    match ast.parse(cell.source).body:
        case [*_, ast.Expr(ast.Call(ast.Name(name), arguments))]:
            literals = [each.value for each in arguments if isinstance(each, ast.Constant)]
            return name, literals
        case _:
            return None, ()


def is_note(cell):
    """Whether a cell is for the instructor."""
    return cell.metadata.get("slideshow", {}).get("slide_type") == "notes"


def ask(id):
    """A question, with its options in a list."""
    asked = question(id)
    return card(f"<p>{escape(asked.prompt)}</p>{ways_to_answer(asked)}")


def ways_to_answer(asked: Question):
    """What a student would choose from or fill in."""
    match asked:
        case Choice():
            options = "".join(f"<li>{escape(option.text)}</li>" for option in asked.options)
            return f'<ol type="A">{options}</ol>'
        case Number():
            high = with_unit(asked.high, asked.unit)
            return f"<p>Your answer, from {asked.low:g} to {escape(high)}: ______</p>"
        case Curve():
            rows = [f"{x} {asked.xlabel}" for x in asked.x]
            unit = f" ({asked.unit})" if asked.unit else ""
        case _:
            rows, unit = asked.labels, " (together 1)"
    lines = "".join(f"<li>{escape(row)}{escape(unit)}: ______</li>" for row in rows)
    return f"<ul>{lines}</ul>"


def ask_with_replies(id):
    """A question each of whose options opens to what choosing it would mean."""
    asked = question(id)
    folds = "".join(map(fold, *zip(*marked(asked), strict=True)))
    return card(f"<p>{escape(asked.prompt)}</p>{folds}")


def marked(asked):
    """(option, reply) pairs; the reply says whether the option is the right one."""
    for option in asked.options:
        yield option.text, f"{'Right.' if option.right else 'Not this one.'} {option.why}"


def answer(id, *_):
    """The right answer and its reason, for a room that has committed itself."""
    asked = question(id)
    if isinstance(asked, Choice):
        right = asked.right
        return card(f"<p><strong>{escape(right.text)}</strong><br>{escape(right.why)}</p>")
    return card(f"<p>{escape(asked.explain)}</p>")


def folded_answer(id, *_):
    """What each answer would have meant, folded until the reader has an own one."""
    meanings = "".join(
        f"<p><strong>{escape(what)}</strong><br>{escape(why)}</p>"
        for what, why in explanations(question(id), None)
    )
    return f"<details><summary>Compare your answer</summary>{meanings}</details>"


def first_moment():
    """The stepper as it stands at the start, with the names of its buttons."""
    panel = stepper()
    buttons = ", ".join(
        f"“{button.description}”" for button in (panel.step, panel.collect, panel.restart)
    )
    return card(f"{panel.table.value}<p>Buttons in the notebook: {escape(buttons)}.</p>")


def fold(summary, text):
    return f"<details><summary>{escape(summary)}</summary><p>{escape(text)}</p></details>"


def card(html):
    return f'<div class="still">{html}</div>'


# Slides ask the room and then tell it; a page waits for its reader.
IN_SLIDES = {"predict": ask, "quiz": ask, "reveal": answer, "stepper": first_moment}
IN_PAGES = IN_SLIDES | {"quiz": ask_with_replies, "reveal": folded_answer}
