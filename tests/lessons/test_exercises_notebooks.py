"""Every exercise in the notebooks is complete, and its folded solution passes its check."""

import re

import jax
import jax.numpy as jnp
import pytest

import lessonlib
from lessonlib import check
from lessonlib.teaching.exercises.checking import exercises
from notebooks.tools.render import SOURCES, read_source

pytestmark = pytest.mark.slow


def blocks():
    """(name, text before, scaffold, check cell, text after) of every exercise of `check`."""
    for source in sorted(SOURCES.glob("*.py")):
        cells = read_source(source).cells
        for i, cell in enumerate(cells):
            if cell.metadata.get("exercise") in exercises():
                around = (cells[j].source for j in (i - 1, i, i + 1, i + 2))
                yield cell.metadata["exercise"], source.stem, *around


BLOCKS = [pytest.param(*block, id=f"{block[1]}-{block[0]}") for block in blocks()]
of_every_block = pytest.mark.parametrize(
    ("name", "stem", "task", "scaffold", "call", "help"), BLOCKS
)


def defined(code, name):
    """What `code` defines under `name`, beside what a notebook has imported."""
    names = {"jax": jax, "jnp": jnp, "lessonlib": lessonlib}
    exec(code, names)
    return names[name]


def solution(help):
    return re.search(r"```python\n(.*?)```", help, re.DOTALL)[1]


def head(code):
    return re.search(r"^def .*?:$", code, re.MULTILINE | re.DOTALL)[0]


def function_name(scaffold):
    return re.search(r"^def (\w+)\(", scaffold, re.MULTILINE)[1]


def test_each_exercise_has_its_place():
    assert sorted(block.values[0] for block in BLOCKS) == sorted(exercises())


def test_the_minutes_of_notebook_07_add_up():
    tasks = [block.values[2] for block in BLOCKS if block.values[1] == "07_exercises"]
    total = sum(int(re.search(r"\*(\d+) minutes", task)[1]) for task in tasks)
    head = read_source(SOURCES / "07_exercises.py").cells[0].source
    assert len(tasks) == 11
    assert f"the eleven\ntogether take {total} minutes" in head


@of_every_block
def test_folded_solution_passes(name, stem, task, scaffold, call, help):
    function = defined(solution(help), function_name(scaffold))
    result = check(name, function)
    assert result.passed, result
    assert "not checked" not in result.message


@of_every_block
def test_scaffold_is_not_attempted_yet(name, stem, task, scaffold, call, help):
    assert not check(name, defined(scaffold, function_name(scaffold))).attempted


@of_every_block
def test_solution_has_the_signature_of_its_scaffold(name, stem, task, scaffold, call, help):
    given = head(scaffold)
    assert given == head(solution(help))
    arguments = re.findall(r"\w+", given.split("(", 1)[1])
    assert tuple(arguments) == exercises()[name].parameters


@of_every_block
def test_block_is_complete(name, stem, task, scaffold, call, help):
    assert re.match(r"### Exercise: .+\n\n\*\d+ minutes · (easy|medium|hard)\*\n", task)
    assert "**Key functions**" in task and "**Plan**" in task and "\n1. " in task
    assert "TODO" in scaffold and scaffold.rstrip().endswith("return ...")
    assert call == f'check("{name}", {function_name(scaffold)})'
    folds = re.findall(r"<summary>(.*?)</summary>", help)
    assert folds == [
        "Hint 1: a nudge",
        "Hint 2: the idea",
        "Hint 3: almost there",
        "Solution, with its reasoning",
    ]
    assert help.count("</details>") == 4
    assert help.rindex("**Change one condition.**") > help.rindex("</details>")


def test_notebook_07_runs_with_all_its_solutions(capsys):
    """Solutions in their scaffolds: every check passes, and the tasks meet the recorded run."""
    names, verdicts = {}, []
    solutions = {block.values[0]: solution(block.values[5]) for block in BLOCKS}
    for cell in read_source(SOURCES / "07_exercises.py").cells:
        if cell.cell_type != "code":
            continue
        exec(solutions.get(cell.metadata.get("exercise"), cell.source), names)
        if cell.source.startswith("check("):
            verdicts.append(eval(cell.source, names))
    assert len(verdicts) == 11
    assert all(result.passed for result in verdicts)
    printed = capsys.readouterr().out
    pair = re.search(r"yours: \[0\.0, (\S+)\]\nhistory\.kl of the last batch: (\S+)", printed)
    assert pair[1] == pair[2]
    assert "optimum at least as high as both: True" in printed
