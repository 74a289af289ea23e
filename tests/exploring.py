"""Using the explorer as a student does: through what it shows."""

import functools

from lessonlib import explore


def button(explorer, name):
    """The button of this name, as a student would find it."""
    found, waiting = [], [explorer.widget]
    while waiting:
        widget = waiting.pop()
        waiting += getattr(widget, "children", ())
        if getattr(widget, "description", None) == name:
            found.append(widget)
    (only,) = found
    return only


@functools.cache
def busy_explorer():
    """An explorer with everything in it that it can show; to look at, not to change."""
    explorer = explore()
    for beta in (0, 1, 2):
        explorer.beta.value = beta
        button(explorer, "Keep this run").click()
    for name in ("band over 32 seeds", "Numbers as a table"):
        button(explorer, name).value = True
    return explorer
