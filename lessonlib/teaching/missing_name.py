"""A name that is not there yet: one sentence on which cells to run, no long traceback."""

import traceback

from IPython import get_ipython

ADVICE = (
    "Nothing has been called {} so far. Run the cells above first: choose Run → Run All Above "
    "Selected Cell, then run this cell again. If you typed that name, look at its spelling."
)


def install() -> None:
    """Let the running IPython, if there is one, explain every NameError of a cell."""
    shell = get_ipython()
    if shell is not None:
        shell.set_custom_exc((NameError,), explain)


def explain(shell, kind, error, trace, tb_offset=None):
    """Show where a cell misses a name and what to do. IPython calls this as a handler.

    What is raised elsewhere, and a local name used too early, is shown as always.
    """
    frame = traceback.extract_tb(trace)[-1]
    cell = shell.compile.format_code_name(frame.filename)
    if cell and kind is NameError:
        place = f"{' '.join(cell)}, line {frame.lineno}: {frame.line}"
        lines = [place, f"NameError: {error}", "", ADVICE.format(error.name)]
        error._render_traceback_ = lambda: lines  # IPython's own way to word an exception
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
