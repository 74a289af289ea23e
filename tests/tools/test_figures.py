"""The committed figures are what `make figures` renders, and rendering is repeatable."""

import json
import platform
from xml.etree import ElementTree

import jax
import matplotlib
import numpy as np
import pytest

from figures import render as figures

FILES = ["posttraining-04.json", "posttraining-04.svg", "posttraining-04-mechanism.svg"]


@pytest.fixture(scope="module")
def fresh():
    return figures.render()


def committed(name):
    return (figures.FOLDER / name).read_text(encoding="utf-8")


def numbers(tree):
    """Every number in a JSON tree, in order."""
    if isinstance(tree, dict | list):
        values = tree.values() if isinstance(tree, dict) else tree
        return [number for value in values for number in numbers(value)]
    return [tree] if isinstance(tree, int | float) else []


def shape(tree):
    """A JSON tree with every number replaced by the same mark."""
    if isinstance(tree, dict):
        return {key: shape(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [shape(value) for value in tree]
    return "number" if isinstance(tree, int | float) else tree


def tags(svg):
    return [element.tag for element in ElementTree.fromstring(svg).iter()]


def test_rendering_twice_gives_the_same_bytes(fresh):
    assert figures.render() == fresh


def test_every_committed_figure_is_rendered(fresh):
    names = {path.name for path in figures.FOLDER.iterdir() if path.suffix in (".svg", ".json")}
    assert names == set(fresh)


def test_committed_data_is_a_fresh_run(fresh):
    old, new = (json.loads(text) for text in (committed(FILES[0]), fresh[FILES[0]]))
    assert shape(old) == shape(new)
    np.testing.assert_allclose(numbers(new), numbers(old), atol=1e-5)


@pytest.mark.parametrize("name", FILES[1:])
def test_committed_picture_is_a_fresh_drawing(fresh, name):
    run = json.loads(committed("reference-run.json"))
    here = (jax.__version__, matplotlib.__version__, f"{platform.system()} {platform.machine()}")
    if here == (run["jax"], run["matplotlib"], run["machine"]):
        assert fresh[name] == committed(name)
    else:  # other versions may move a line by a hair: the same elements must be there
        assert tags(fresh[name]) == tags(committed(name))


def test_a_picture_without_one_element_is_noticed(fresh):
    svg = ElementTree.fromstring(fresh[FILES[1]])
    svg.remove(svg[-1])
    assert tags(ElementTree.tostring(svg)) != tags(fresh[FILES[1]])


def test_reference_run_repeats_the_recorded_numbers(fresh):
    run = json.loads(committed("reference-run.json"))
    assert numbers(run) == pytest.approx(numbers(json.loads(fresh["reference-run.json"])), abs=1e-5)
    # Recorded with JAX 0.9.2 on another machine.
    assert run["initial_reward"] == pytest.approx(0.28191882, abs=1e-5)
    assert run["final_reward"] == pytest.approx(1.91854477, abs=1e-5)
    assert run["final_kl"] == pytest.approx(0.78247732, abs=1e-5)
    assert run["objective"] == pytest.approx(
        {"reference": 0.28191882, "trained": 1.76204932, "optimum": 1.79879117}, abs=1e-5
    )


def test_date_changes_only_with_the_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "RECORD", tmp_path / "run.json")
    first = figures.with_date({"reward": 1.0})
    figures.RECORD.write_text(json.dumps(first | {"date": "2001-02-03"}))
    assert figures.with_date({"reward": 1.0})["date"] == "2001-02-03"
    assert figures.with_date({"reward": 2.0})["date"] == first["date"]
