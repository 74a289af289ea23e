"""The files that set a clone up agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# The oldest supported Python, the first with the newer JAX, and a later one.
PYTHONS = ["3.11", "3.12", "3.14"]


def ranges():
    """The requirements of pyproject.toml that requirements.txt installs."""
    extras = (PROJECT["optional-dependencies"][extra] for extra in ("lab", "test"))
    return [Requirement(line) for line in sum(extras, PROJECT["dependencies"])]


def pinned():
    """Every requirement of requirements.txt."""
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def versions(python):
    """{name: version} that requirements.txt gives on one Python."""
    here = [
        pin
        for pin in pinned()
        if pin.marker is None or pin.marker.evaluate({"python_version": python})
    ]
    names = [canonicalize_name(pin.name) for pin in here]
    assert len(names) == len(set(names)), "a package is pinned twice"
    return {name: next(iter(pin.specifier)).version for name, pin in zip(names, here, strict=True)}


def test_requirements_are_exact_versions_and_nothing_else():
    for pin in pinned():
        assert re.fullmatch(r"==[\w.]+", str(pin.specifier)), pin
        assert pin.url is None, pin


@pytest.mark.parametrize("python", PYTHONS)
def test_every_range_holds_the_tested_version(python):
    tested = versions(python)
    for requirement in ranges():
        version = tested[canonicalize_name(requirement.name)]
        assert version in requirement.specifier, f"{requirement} does not allow {version}"


@pytest.mark.parametrize("python", PYTHONS)
def test_jax_and_jaxlib_are_a_pair(python):
    assert versions(python)["jax"] == versions(python)["jaxlib"]


def test_pythons_agree():
    """pyproject.toml, environment.yml and the Makefile ask for the same Python."""
    oldest = PROJECT["requires-python"].removeprefix(">=")
    environment = (ROOT / "environment.yml").read_text("utf-8")
    assert f"- python>={oldest}\n" in environment
    major, minor = oldest.split(".")
    assert f"v >= ({major}, {minor})" in (ROOT / "Makefile").read_text("utf-8")


def test_conda_environment_uses_the_same_pins_and_installs_the_library():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    assert environment["dependencies"][1:] == ["pip", {"pip": ["-r requirements.txt", "-e ."]}]


def test_first_code_block_of_the_readme_is_the_two_commands():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.search(r"^```\w*\n(.*?)^```", readme, re.M | re.S)[1] == "make lab\nmake test\n"


def test_every_file_named_in_the_readme_exists():
    readme = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", readme)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
