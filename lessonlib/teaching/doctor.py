"""Say plainly what is wrong with the environment, and how to mend it.

Imports nothing of the lesson at the top: it must also work where JAX does not.
"""

import importlib.metadata
import json
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

WELL = "All is well: Python, packages, sliders and the folder for your answers are in order."
INSTALL = (
    "Delete the folder .venv in the project's folder and type `make lab` there. "
    "In an environment of your own, type there\n"
    '   "{}" -m pip install -r requirements.txt -e .\n'
    "   and then choose Kernel → Restart Kernel."
)
# The front end of ipywidgets 8 in JupyterLab, and its major version.
WIDGETS, WIDGETS_MAJOR = "@jupyter-widgets/jupyterlab-manager", 5


class Fault(NamedTuple):
    """One thing that is wrong and how to mend it, each a sentence for a student."""

    wrong: str
    mend: str


def doctor() -> None:
    """Print what is wrong with this environment and how to mend it, or that all is well."""
    print(report(faults()))


def require_importable() -> None:
    """Raise an ImportError in plain words where importing the lesson's packages cannot work."""
    found = [*_machine(), *_missing()]
    if found:
        raise ImportError(report(found))


def faults() -> list[Fault]:
    """Every fault found, those that explain others first."""
    checks = (_machine, _python, _missing, _versions, _kernel, _sliders, _answers)
    return [fault for check in checks for fault in check()]


def report(found: list[Fault]) -> str:
    """The faults as numbered sentences, or the fixed text for none."""
    if not found:
        return WELL
    lines = [
        f"{number}. {fault.wrong}\n   To mend it: {fault.mend}"
        for number, fault in enumerate(found, start=1)
    ]
    return "\n".join(["Something here needs attention first.", *lines])


def _machine():
    # Under Apple's translation the machine is reported as Intel, but the kernel's name is not.
    if (platform.system(), platform.machine()) != ("Darwin", "x86_64"):
        return
    if "ARM64" in platform.version():
        yield Fault(
            "This Python is made for Intel processors, and this Mac has an Apple processor; "
            "JAX does not run that way.",
            "Install a Python for Apple silicon (arm64), delete the folder .venv, "
            "and type `make lab` again.",
        )


def _python():
    try:
        wanted = importlib.metadata.metadata("lessonlib")["Requires-Python"]
    except importlib.metadata.PackageNotFoundError:
        return  # _missing says so
    if not SpecifierSet(wanted).contains(platform.python_version(), prereleases=True):
        yield Fault(
            f"This is Python {platform.python_version()}; the lesson needs Python {wanted}.",
            "Install such a Python, delete the folder .venv, and type `make lab` again.",
        )


def _installed(name):
    """The version of an installed package, or None."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _requirements():
    """What the installed lesson declares that it needs here."""
    needed = map(Requirement, importlib.metadata.requires("lessonlib") or ())
    return [need for need in needed if not need.marker or need.marker.evaluate({"extra": ""})]


def _missing():
    if _installed("lessonlib") is None:
        yield Fault("The lesson itself is not installed in this Python.", _install())
        return
    for need in _requirements():
        if _installed(need.name) is None:
            yield Fault(f"The package {need.name} is not installed in this Python.", _install())


def _versions():
    if _installed("lessonlib") is None:
        return
    for need in _requirements():
        version = _installed(need.name)
        if version and not need.specifier.contains(version, prereleases=True):
            yield Fault(
                f"{need.name} {version} is installed; "
                f"the lesson was tested with {need.name} {need.specifier}.",
                _install(),
            )


def _install():
    return INSTALL.format(sys.executable)


def _kernel():
    lab = _lab_environment()
    if lab and lab != Path(sys.prefix).resolve():
        yield Fault(
            f"This notebook's Python lives in {sys.prefix}, but JupyterLab runs in {lab}; "
            "they may not understand each other's sliders.",
            "Choose Kernel → Change Kernel → Python 3 (ipykernel). If that changes nothing, "
            "close JupyterLab and start it with `make lab`.",
        )


def _sliders():
    from jupyter_core.paths import ENV_JUPYTER_PATH, jupyter_path

    lab = _lab_environment() or Path(sys.prefix)
    shared = [folder for folder in jupyter_path() if folder not in ENV_JUPYTER_PATH]
    folders = [str(lab / "share" / "jupyter"), *shared]
    for folder in folders:
        package = Path(folder, "labextensions", WIDGETS, "package.json")
        if package.is_file():
            version = json.loads(package.read_text(encoding="utf-8"))["version"]
            if int(version.split(".")[0]) == WIDGETS_MAJOR:
                return
            wrong = f"JupyterLab's widget extension {WIDGETS} is version {version}, not 5."
            break
    else:
        wrong = f"JupyterLab in {lab} lacks the widget extension, so sliders stay plain text."
    yield Fault(
        wrong,
        f"Type `python -m pip install --upgrade jupyterlab_widgets` with the Python of {lab}, "
        "start JupyterLab again and reload the page.",
    )


def _lab_environment():
    """The environment in which the program that started this kernel runs; None: cannot be told."""
    import psutil

    try:
        server = psutil.Process(int(os.environ["JPY_PARENT_PID"]))
        program = server.cmdline()[0]
        search = server.environ().get("PATH")
        started_in = server.cwd()
    except (KeyError, ValueError, IndexError, psutil.Error, OSError):
        return None
    if os.sep not in program:
        program = shutil.which(program, path=search) or ""
    path = Path(started_in, program)
    # Elsewhere (a Mac framework, an editor) the folder does not tell the environment.
    if not path.name.startswith("python") or path.parent.name not in ("bin", "Scripts"):
        return None
    return path.parent.resolve().parent


def _answers():
    from lessonlib.teaching.ask.storage import place

    try:
        place()
    except OSError as error:
        yield Fault(
            f"The folder for your answers cannot be written ({error}).",
            "Set the variable LESSON_PORTFOLIO to a folder of your own "
            "before you start JupyterLab.",
        )
