"""In whichever order cells are run, a name means one thing or is missing, with a clear sentence."""

import ast
import builtins
from pathlib import Path

import kernel
import nbformat
import pytest
from notebook_rules import code_cells, where

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


class Names(ast.NodeVisitor):
    """What a cell takes from other cells and what it gives them, in `takes` and `gives`.

    A name counts as taken if it is read before the cell itself has set it.
    """

    def __init__(self, source):
        self.takes, self.gives = set(), set()
        self.visit(ast.parse(source))

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.takes |= {node.id} - self.gives
        else:
            self.gives.add(node.id)

    def visit_Assign(self, node):
        for part in (node.value, *node.targets):
            self.visit(part)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            self.takes |= {node.target.id} - self.gives
        self.generic_visit(node)

    def visit_For(self, node):
        for part in (node.iter, node.target, *node.body, *node.orelse):
            self.visit(part)

    def visit_alias(self, node):
        self.gives.add((node.asname or node.name).split(".")[0])

    def visit_FunctionDef(self, node):
        for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.visit(part)
        self.gives.add(node.name)
        self._inside(
            node.body,
            [argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)],
        )

    def visit_Lambda(self, node):
        self._inside([node.body], [argument.arg for argument in node.args.args])

    def _comprehension(self, node):
        for generator in node.generators:
            self.visit(generator.iter)
        own = [
            name.id
            for g in node.generators
            for name in ast.walk(g.target)
            if isinstance(name, ast.Name)
        ]
        inner = [getattr(node, field) for field in ("elt", "key", "value") if hasattr(node, field)]
        self._inside([*inner, *(test for g in node.generators for test in g.ifs)], own)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _inside(self, body, own):
        outside = self.gives
        self.gives = {*outside, *own}
        stored = {
            n.id
            for part in body
            for n in ast.walk(part)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        self.gives |= stored
        for part in body:
            self.visit(part)
        self.gives = outside


def order_matters(notebook):
    """Names that mean different things in different cells, so that the order of running counts.

    Without them a cell run too early or twice gives the same as ever, or the clear sentence.
    """
    cells = [(where(cell), Names(cell.source)) for cell in code_cells(notebook)]
    complaints = []
    for place, (cell, names) in enumerate(cells):
        for name in sorted(names.takes - set(dir(builtins))):
            givers = [n for n, (_, other) in enumerate(cells) if name in other.gives]
            if len(givers) != 1 or givers[0] >= place:
                complaints.append(f"{name} in {cell}")
    return complaints


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_name_taken_from_another_cell_is_given_by_one_cell_above(path):
    assert order_matters(nbformat.read(path, as_version=4)) == []


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["a = 1", "b = a", "print(b, len([]))"], []),
        (["for i in range(3):\n    t = i\n    print(t)", "for i in range(2):\n    print(i)"], []),
        (["def f(x, y=2):\n    z = x\n    return z + y", "f(1)", "[q for q in (1, 2) if q]"], []),
        (["import a.b as c\nfrom d import e", "c(e)", "(lambda v: v)(c)"], []),
        (["print(a)", "a = 1"], ["a"]),
        (["a = 1", "a = 2", "print(a)"], ["a"]),
        (["a = 1", "a = a + 1"], ["a"]),
        (["a = 1", "a += 1"], ["a"]),
        (["a = 1", "def f(x=a):\n    return k"], ["k"]),
        (["[q for q in z]"], ["z"]),
    ],
)
def test_the_rule_on_order_notices(cells, names):
    complaints = order_matters(kernel.notebook_of(cells))
    assert [complaint.split()[0] for complaint in complaints] == names
