"""The folders of `lessonlib/lessons`, one a notebook, found by being there."""

import importlib
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[1] / "lessons"


def folders(folder: Path = FOLDER) -> tuple[Path, ...]:
    """The folders in the order of their notebooks: nNN_name for NN_name.ipynb."""
    return tuple(sorted(path for path in folder.glob("n[0-9][0-9]_*") if path.is_dir()))


def notebook(folder: Path) -> str:
    """The notebook that a folder belongs to, without its suffix."""
    return folder.name[1:]


def load(part: str) -> tuple[ModuleType, ...]:
    """The module, or package, called `part` of every folder that has one."""
    return tuple(
        importlib.import_module(f"lessonlib.lessons.{folder.name}.{part}")
        for folder in folders()
        if (folder / f"{part}.py").exists() or (folder / part).is_dir()
    )
