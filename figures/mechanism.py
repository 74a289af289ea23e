"""The mechanism as a picture: four roles, what flows between them, how long each one lives."""

from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.path import Path

from lessonlib import Settings

INK = "#222222"


class Role(NamedTuple):
    """One of the four objects; border and hatch tell them apart where colour cannot."""

    name: str
    symbol: str
    colour: str
    tint: str
    border: object
    lifetime: str


CURRENT = Role("Current policy", "$π_θ$", "#0072B2", "#DCEBF5", "-", "new at every inner step")
BEHAVIOUR = Role("Behaviour policy", "$π_{old}$", "#B34700", "#FBE6D9", "--", "new for every batch")
REFERENCE = Role("Reference policy", "$π_{ref}$", "#000000", "#EBEBEB", "-.", "fixed for the run")
REWARD = Role("Reward model", "$r$", "#005C3C", "#DDF1EA", ":", "fixed for the run")
LOSS = Role("Loss", "$L$", INK, "#FFFFFF", "-", "−surrogate + β·KL")


def mechanism(settings: Settings) -> Figure:
    """Draw roles and dataflow above, lifetimes below, with the counts of `settings`."""
    figure = Figure((13.33, 8.4), facecolor="white")
    axes = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    axes.set(xlim=(-0.5, 96.5), ylim=(-28.5, 34.5))
    axes.axis("off")
    draw_dataflow(axes, settings)
    draw_lifetimes(axes, settings)
    return figure


def draw_dataflow(axes: Axes, settings: Settings):
    """What is frozen above; below it the batch, and the inner loop around the batch."""
    heading(axes, 32.5, "What flows where")
    box(axes, REWARD, 36, 22.5, 7)
    box(axes, REFERENCE, 72, 22.5, 7)
    box(axes, CURRENT, 0, 8.5, 9)
    box(axes, BEHAVIOUR, 36, 8.5, 9, f"samples {settings.batch_size} actions $a$")
    box(axes, LOSS, 72, 8.5, 9)

    arrow(axes, REWARD, (48, 22.5), (48, 17.5))
    write(axes, 49, 20.3, "$r(a)$, for the advantages $A$", ha="left")
    arrow(axes, REFERENCE, (84, 22.5), (84, 17.5))
    write(axes, 85, 20.3, "$\\log π_{ref}$", ha="left")
    arrow(axes, BEHAVIOUR, (24, 12.5), (36, 12.5))
    write(axes, 29.6, 15, "a copy,\neach batch")
    arrow(axes, BEHAVIOUR, (60, 12.5), (72, 12.5))
    write(axes, 65.6, 15, "$a,\\;A$,\n$\\log π_{old}(a)$")

    arrow(axes, CURRENT, (16, 8.5), (16, 4.8), (80, 4.8), (80, 8.5))
    write(axes, 48, 6.3, "$\\log π_θ$, read anew at every step")
    arrow(axes, CURRENT, (88, 8.5), (88, 0.8), (8, 0.8), (8, 8.5))
    write(axes, 48, 2.3, f"gradient step: {settings.epochs} on the same batch, then a new batch")


def draw_lifetimes(axes: Axes, settings: Settings):
    """One row a role; every cell is a time in which its value does not change."""
    heading(axes, -3.5, "How long each one lives")
    epochs, last = settings.epochs, settings.iterations
    first_step = {batch: (batch - 1) * epochs for batch in (1, 2, last)}
    columns = dict(zip(first_step, (36, 52, 71.5), strict=True))
    rows = {CURRENT: -13, BEHAVIOUR: -18, REFERENCE: -23, REWARD: -28}
    for role, y in rows.items():
        write(axes, 0, y + 2, f"{role.name} {role.symbol}", ha="left")
    write(axes, 30.5, -7.2, "before")
    write(axes, 91.75, -7.2, "after")
    for y in (-7.2, -11, -16):
        write(axes, 69.25, y, "…")

    for batch, x in columns.items():
        write(axes, x + 7.5, -7.2, f"batch {batch}")
        width = 15 / epochs
        for inner in range(epochs):
            text = f"$θ_{{{first_step[batch] + inner}}}$"
            cell(axes, CURRENT, x + inner * width, rows[CURRENT], width, text)
        cell(axes, BEHAVIOUR, x, rows[BEHAVIOUR], 15, f"copy of $θ_{{{first_step[batch]}}}$")
    cell(axes, CURRENT, 87.5, rows[CURRENT], 8.5, f"$θ_{{{last * epochs}}}$")
    cell(axes, REFERENCE, 36, rows[REFERENCE], 60, "$θ_0$, the policy before training")
    cell(axes, REWARD, 26, rows[REWARD], 9, "fitting")
    cell(axes, REWARD, 36, rows[REWARD], 60, "the fitted weights $w$")


def heading(axes, y, text):
    axes.text(0, y, text, fontsize=24, weight="bold", color=INK, va="center")


def write(axes, x, y, text, ha="center", size=16, **style):
    axes.text(x, y, text, ha=ha, va="center", fontsize=size, color=INK, linespacing=1.15, **style)


def box(axes, role, x, y, height, *lines):
    """A role with its name, what it does, and how long it lives."""
    patch = Rectangle((x, y), 24, height, facecolor=role.tint, edgecolor=role.colour)
    patch.set(linewidth=3, linestyle=role.border)
    axes.add_patch(patch)
    texts = [f"{role.name} {role.symbol}", *lines, role.lifetime]
    for index, text in enumerate(texts):
        height_of_text = y + height * (1 - (index + 0.5) / len(texts))
        write(axes, x + 12, height_of_text, text, weight="normal" if index else "bold")


def arrow(axes, role, *points):
    """A line through `points` with its head at the last, in the role's colour and border."""
    path = Path(points)
    patch = FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=26, shrinkA=0, shrinkB=0)
    patch.set(color=role.colour, linewidth=3, capstyle="butt", joinstyle="miter")
    axes.add_patch(patch)


def cell(axes, role, x, y, width, text):
    """One lifetime in the lower part."""
    patch = Rectangle((x, y), width, 4, facecolor=role.tint, edgecolor=role.colour)
    patch.set(linewidth=2.5, linestyle=role.border)
    axes.add_patch(patch)
    write(axes, x + width / 2, y + 2, text)
