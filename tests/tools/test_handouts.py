"""Handouts give away nothing, lose nothing, and hold all they need."""

import pytest
from nbformat import v4

from notebooks.tools import handouts
from notebooks.tools.stills import is_note, last_call

NAMES = sorted(handouts.read())
LESSON = handouts.read()
LANGUAGE = {"language_info": {"name": "python"}}
FOLDED = """<details><summary>Hint 1: a nudge</summary>

Look again.

</details>

<details><summary>Solution, with its reasoning</summary>

```python
def f(x):
    return 2 * x
```

Because.

</details>

**Change one condition.** Try three."""


def fresh(name):
    return handouts.read()[name]


@pytest.mark.parametrize("name", NAMES)
def test_students_see_no_answer_before_they_predict(name):
    made = handouts.for_students(fresh(name))
    for cell in made.cells:
        if handouts.answers_a_prediction(cell):
            assert (cell.outputs, cell.execution_count) == ([], None)
    assert not any(is_note(cell) for cell in made.cells)


@pytest.mark.parametrize("name", NAMES)
def test_students_keep_every_other_cell_and_output(name):
    kept = [cell for cell in LESSON[name].cells if not is_note(cell)]
    made = handouts.for_students(fresh(name)).cells
    assert [(cell.id, cell.source) for cell in made] == [(cell.id, cell.source) for cell in kept]
    for cell, original in zip(made, kept, strict=True):
        if cell.cell_type == "code" and not handouts.answers_a_prediction(cell):
            assert cell.outputs == original.outputs


def test_outputs_are_taken_out_in_every_notebook_that_asks_for_predictions():
    for notebook in LESSON.values():
        asks = any(last_call(cell)[0] == "predict" for cell in notebook.cells)
        hidden = [cell for cell in notebook.cells if handouts.answers_a_prediction(cell)]
        assert bool([cell for cell in hidden if cell.outputs]) == asks


@pytest.mark.parametrize("name", NAMES)
def test_without_solutions_hints_and_tasks_stay(name):
    whole = text(handouts.for_students(fresh(name)))
    made = text(handouts.without_solutions(handouts.for_students(fresh(name))))
    assert "<summary>Solution" not in made
    for kept in ("<summary>Hint", "**Change one condition.**", "### Exercise"):
        assert made.count(kept) == whole.count(kept)
    assert made.count("<details>") == made.count("</details>")


def test_without_solutions_takes_out_the_fold_and_nothing_else():
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(FOLDED)])
    assert handouts.without_solutions(notebook).cells[0].source == (
        "<details><summary>Hint 1: a nudge</summary>\n\nLook again.\n\n</details>\n\n"
        "**Change one condition.** Try three."
    )


def test_solutions_go_into_their_scaffolds():
    scaffold = v4.new_code_cell("def f(x):\n    return ...", metadata={"exercise": "f"})
    cells = [scaffold, v4.new_code_cell("check('f', f)"), v4.new_markdown_cell(FOLDED)]
    made = handouts.with_solutions(v4.new_notebook(cells=cells, metadata=LANGUAGE))
    assert [cell.source for cell in made.cells] == [
        "def f(x):\n    return 2 * x",
        "check('f', f)",
        FOLDED,
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_scaffold_gets_its_own_solution(name):
    scaffolds = [cell for cell in LESSON[name].cells if "exercise" in cell.metadata]
    solved = [
        cell for cell in handouts.with_solutions(fresh(name)).cells if "exercise" in cell.metadata
    ]
    for before, after in zip(scaffolds, solved, strict=True):
        assert "return ..." in before.source
        assert "..." not in after.source
        defined = before.source.split("(")[0]
        assert after.source.startswith(defined)


def test_nothing_local_is_handed_out():
    kernel = {"name": "conda-env", "display_name": "Mine"}
    notebook = v4.new_notebook(metadata=LANGUAGE | {"kernelspec": kernel, "widgets": {}})
    made = handouts.for_students(notebook).metadata
    assert set(made) == {"kernelspec", "language_info"}
    assert made.kernelspec.name == "python3"


def test_a_folder_is_whole(tmp_path):
    handouts.write(tmp_path / "student", {"00_a": v4.new_notebook()}, "tools/HANDOUT.md")
    files = {str(path.relative_to(tmp_path / "student")) for path in tmp_path.rglob("*.*")}
    assert {
        "README.md", "requirements.txt", "pyproject.toml", "lessonlib/exact.py",
        "lessonlib/teaching/exercises/checking.py",
        "lessonlib/lessons/n05_ppo_loop/questions.toml", "notebooks/00_a.ipynb",
        "figures/posttraining-04-mechanism.svg",
    } <= files  # fmt: skip
    assert not any("__pycache__" in file or "portfolio/" in file for file in files)


def test_another_word_than_yes_or_no_is_refused(tmp_path):
    with pytest.raises(SystemExit, match="SOLUTIONS must be yes or no, got 'maybe'"):
        handouts.main(tmp_path, "maybe")


def text(notebook):
    return "\n".join(cell.source for cell in notebook.cells)


def test_a_reveal_counts_as_an_answer_and_a_question_does_not():
    assert handouts.answers_a_prediction(v4.new_code_cell('reveal("x")'))
    assert not handouts.answers_a_prediction(v4.new_code_cell('predict("x")'))
