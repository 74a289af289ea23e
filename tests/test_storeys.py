"""The library has three storeys, and imports go down only: lessons, teaching, mathematics."""

import ast
import sys
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[1] / "lessonlib"
MATHEMATICS = sorted(path for path in LIBRARY.glob("*.py") if path.name != "__init__.py")
TEACHING = sorted((LIBRARY / "teaching").rglob("*.py"))
OUTSIDE = {"jax", "jaxtyping", "numpy"}  # and the standard library


def imported(path):
    """Dotted names of all that a file imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: a relative import"
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def upwards(path, *storeys):
    above = tuple(f"lessonlib.{storey}" for storey in storeys)
    return [name for name in imported(path) if name.startswith(above)]


@pytest.mark.parametrize("path", MATHEMATICS, ids=lambda path: path.stem)
def test_the_mathematics_imports_arrays_and_itself_only(path):
    roots = {name.split(".")[0] for name in imported(path)}
    assert roots <= OUTSIDE | {"lessonlib"} | set(sys.stdlib_module_names)
    assert upwards(path, "teaching", "lessons") == []


@pytest.mark.parametrize("path", TEACHING, ids=lambda path: str(path.relative_to(LIBRARY)))
def test_teaching_knows_no_single_notebook(path):
    assert upwards(path, "lessons") == []


def test_an_import_upwards_would_be_noticed(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text("def f():\n    from lessonlib.teaching import figure\n")
    assert upwards(path, "teaching") == ["lessonlib.teaching", "lessonlib.teaching.figure"]


def test_the_mathematics_can_be_read_in_one_sitting():
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in MATHEMATICS}
    assert {name for name, count in lines.items() if count > 200} == set()
    assert sum(lines.values()) <= 1200
