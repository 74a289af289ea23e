"""Each fault is made for real where a test can make it, and doctor's words are looked at."""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

import lessonlib
from lessonlib.teaching.doctor import WELL, doctor, require_importable

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def outside_jupyter(tmp_path, monkeypatch):
    """As in a plain Python, with no Jupyter folders but those of the environment."""
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))


@pytest.fixture
def said(capsys):
    """What doctor() prints, as one line."""

    def run():
        doctor()
        return " ".join(capsys.readouterr().out.split())

    return run


@pytest.fixture
def declare(tmp_path, monkeypatch):
    """Install other metadata of the lesson in front of the real ones."""

    def install(*lines):
        folder = tmp_path / "site" / "lessonlib-1.dist-info"
        folder.mkdir(parents=True)
        header = ("Metadata-Version: 2.1", "Name: lessonlib", "Version: 1")
        (folder / "METADATA").write_text("\n".join((*header, *lines)) + "\n")
        monkeypatch.syspath_prepend(tmp_path / "site")

    return install


@pytest.fixture
def other_environment(tmp_path, monkeypatch):
    """A second virtual environment, in which a program runs that has 'started this kernel'."""
    folder = tmp_path / "other"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    program = next(folder.glob("[bS]*/python*"))
    server = subprocess.Popen([program, "-c", "input()"], stdin=subprocess.PIPE)
    monkeypatch.setenv("JPY_PARENT_PID", str(server.pid))
    yield folder
    server.communicate(b"\n")


def install_widgets(folder, version):
    package = folder / "share/jupyter/labextensions/@jupyter-widgets/jupyterlab-manager"
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"version": version}))


def test_a_good_environment_is_reported_in_one_fixed_sentence(said):
    assert said() == WELL
    assert not any(digit in WELL for digit in "0123456789")


def test_the_public_name():
    assert lessonlib.doctor is doctor


def test_wrong_python(declare, said):
    declare("Requires-Python: >=99")
    text = said()
    assert "the lesson needs Python >=99" in text
    assert "delete the folder .venv" in text


def test_wrong_package_version(declare, said):
    declare("Requires-Python: >=3.11", "Requires-Dist: numpy<2,>=1", "Requires-Dist: jaxtyping")
    text = said()
    assert "the lesson was tested with numpy <2,>=1" in text
    assert f'"{sys.executable}" -m pip install' in text
    assert "jaxtyping" not in text


def test_missing_package(declare, said):
    declare(
        "Requires-Python: >=3.11",
        "Requires-Dist: no-such-thing>=1",
        "Requires-Dist: only-elsewhere; sys_platform == 'nowhere'",
        "Requires-Dist: only-for-tests; extra == 'test'",
    )
    text = said()
    assert "The package no-such-thing is not installed" in text
    assert "only-" not in text
    with pytest.raises(ImportError, match="no-such-thing is not installed"):
        require_importable()


def test_import_says_what_is_missing_before_jax_fails(tmp_path):
    """A Python without any package but the one that doctor itself needs."""
    import packaging

    (tmp_path / "packaging").symlink_to(Path(packaging.__file__).parent)
    (tmp_path / "lessonlib").symlink_to(ROOT / "lessonlib")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import lessonlib"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 1
    assert "The lesson itself is not installed in this Python" in done.stderr
    assert "No module named" not in done.stderr


def test_kernel_of_another_environment(other_environment, said):
    install_widgets(other_environment, "5.0.15")
    text = said()
    assert f"lives in {sys.prefix}, but JupyterLab runs in {other_environment}" in text
    assert "Change Kernel" in text
    assert "2." not in text.split("To mend it")[1]


def test_widget_extension_missing_where_jupyterlab_runs(other_environment, monkeypatch, said):
    monkeypatch.setattr(sys, "prefix", str(other_environment))
    text = said()
    assert f"JupyterLab in {other_environment} lacks the widget extension" in text
    assert "pip install --upgrade jupyterlab_widgets" in text
    assert "Change Kernel" not in text


def test_widget_extension_too_old(other_environment, monkeypatch, said):
    monkeypatch.setattr(sys, "prefix", str(other_environment))
    install_widgets(other_environment, "3.1.11")
    assert "is version 3.1.11, not 5" in said()


def test_widget_extension_in_the_users_own_folder_counts(other_environment, monkeypatch, said):
    monkeypatch.setattr(sys, "prefix", str(other_environment))
    install_widgets(other_environment.parent / "unused", "5.0.15")
    (other_environment.parent / "unused/share/jupyter").rename(other_environment.parent / "jupyter")
    assert said() == WELL


@pytest.mark.parametrize("parent", ["", "no number", "999999999"])
def test_an_unknown_parent_accuses_nobody(parent, monkeypatch, said):
    monkeypatch.setenv("JPY_PARENT_PID", parent)
    assert said() == WELL


def test_a_parent_that_is_no_python_accuses_nobody(monkeypatch, said):
    with subprocess.Popen(["sleep", "60"]) as editor:
        monkeypatch.setenv("JPY_PARENT_PID", str(editor.pid))
        text = said()
        editor.terminate()
    assert text == WELL


def test_unwritable_folder(tmp_path, monkeypatch, said):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LESSON_PORTFOLIO", str(tmp_path / "file" / "portfolio"))
    text = said()
    assert "The folder for your answers cannot be written" in text
    assert "Set the variable LESSON_PORTFOLIO" in text


def test_intel_python_on_apple_silicon(monkeypatch, said):
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    release = "Darwin Kernel Version 24.1.0: xnu-11215/RELEASE_X86_64"
    monkeypatch.setattr(platform, "version", lambda: release)
    assert said() == WELL  # a real Intel Mac
    monkeypatch.setattr(platform, "version", lambda: release.replace("X86_64", "ARM64_T6000"))
    assert "made for Intel processors" in said()
    with pytest.raises(ImportError, match="Apple silicon"):
        require_importable()


def test_faults_are_numbered_and_each_says_how_to_mend_it(declare, said):
    declare("Requires-Python: >=99", "Requires-Dist: no-such-thing")
    text = said()
    assert text.index("1. This is Python") < text.index("2. The package")
    assert text.count("To mend it: ") == 2
