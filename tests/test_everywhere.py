"""The lesson where students are: other folders, no network, no right to write, cells in any order.

Each situation is made for real, with a kernel of its own in it.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kernel
import nbformat
import pytest
from notebook_rules import calls, code_cells

from lessonlib.teaching.ask.comparison import NOT_LOCKED

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STARTUP = ROOT / "notebooks" / "tools" / "startup" / "rlhf_lesson.py"
LOCK = """
from lessonlib import predict, reveal
from lessonlib.teaching.widgets.ui import Status
panel = predict("gaining_action")
def of(name):
    return next(w for w in panel.children if getattr(w, "description", "").startswith(name))
of("Your answer").value, of("How sure").value = of("Your answer").options[0], "guess"
of("Lock in").click()
print(next(w for w in panel.children if isinstance(w, Status)).value)
""".strip()
# Refused and printed: any look for a host and any packet, but those within the machine.
NO_NETWORK = """
import sys
def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.sendto"):
        address = str(arguments[1] if event.startswith("socket.c") else arguments[0])
        if not any(local in address for local in ("127.0.0.1", "::1", "localhost", "/")):
            print("network:", event, address)
            raise OSError("no network in this test")
sys.addaudithook(refuse)
""".strip()
ASKS = 'import urllib.request; urllib.request.urlopen("http://192.0.2.1", timeout=2)'


@pytest.fixture(scope="module")
def first_figure():
    """Notebook 05 up to the three panels: its code cells as they are stored."""
    cells = code_cells(nbformat.read(ROOT / "notebooks" / "05_ppo_loop.ipynb", as_version=4))
    last = next(place for place, cell in enumerate(cells) if "picture" in calls(cell))
    return cells[: last + 1]


def environment(folder, **changes):
    """Of a student who keeps answers in `folder`; a change to None takes a variable away."""
    values = os.environ | {"IPYTHONDIR": str(folder / "ipython")}
    values |= {"LESSON_PORTFOLIO": str(folder / "portfolio"), "JAX_PLATFORMS": None} | changes
    return {name: value for name, value in values.items() if value is not None}


def as_owner_without_rights():
    """What makes a superuser obey a folder's permissions, as everybody else does anyway."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return ()
    if not shutil.which("setpriv"):
        pytest.skip("a superuser may write everywhere, and setpriv is not here to change that")
    return ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")


def without_network():
    """What cuts a program off from every network, where the system has it."""
    cut = ("unshare", "--net", "--map-root-user")
    works = shutil.which("unshare") and not subprocess.run([*cut, "true"]).returncode
    return cut if works else ()


@pytest.fixture(scope="module")
def outputs(first_figure, tmp_path_factory):
    """The first figure in every situation, two kernels at a time."""
    here = tmp_path_factory.mktemp("everywhere")
    odd = here / "Übung 1 – π_θ"
    odd.mkdir()
    closed = here / "closed" / "notebooks"
    closed.mkdir(parents=True)
    closed.chmod(0o555)
    together = {"LESSON_PORTFOLIO": str(here / "together")}
    data = here / "data"
    guarded = [NO_NETWORK, *first_figure, ASKS]
    situations = {
        "repository root": (first_figure, ROOT, environment(here, **together)),
        "notebooks": (
            first_figure, ROOT / "notebooks", environment(here, **together, JAX_PLATFORMS="cpu"),
        ),
        "odd folder": (
            [*first_figure, LOCK], odd, environment(here, LESSON_PORTFOLIO=None),
        ),
        "read-only": (
            [*first_figure, LOCK], closed,
            environment(here, LESSON_PORTFOLIO=None, XDG_DATA_HOME=str(data), HOME=str(data)),
            as_owner_without_rights(),
        ),
        "no network": (guarded, here, environment(here), without_network()),
    }  # fmt: skip

    def situation(name):
        cells, folder, variables, *before = situations[name]
        return kernel.run(cells, folder, variables, here / "runs" / name, *before)

    with ThreadPoolExecutor(2) as two_at_a_time:
        shown = dict(zip(situations, two_at_a_time.map(situation, situations), strict=True))
    return shown | {"data": data, "odd": odd}


@pytest.fixture(scope="module")
def stored(first_figure):
    return [kernel.shown(cell) for cell in first_figure]


@pytest.mark.parametrize("name", ["repository root", "notebooks"])
def test_two_notebooks_at_once_show_what_is_stored(outputs, stored, name):
    assert len(stored) > 15 and "<table>" in stored[-1]
    assert outputs[name] == stored


def test_a_folder_with_spaces_and_other_letters(outputs, stored):
    *shown, locked = outputs["odd folder"]
    assert shown == stored
    assert "Locked in on" in locked and "cannot be written" not in locked
    assert len(list((outputs["odd"] / "portfolio").glob("*.prediction.gaining_action.json"))) == 1


def test_a_read_only_checkout_keeps_answers_in_the_users_folder_and_says_so(outputs, stored):
    *shown, locked = outputs["read-only"]
    (kept,) = outputs["data"].rglob("*.prediction.gaining_action.json")
    assert "Locked in on" in locked
    notice = f"portfolio cannot be written, so your answers are kept in {kept.parent}."
    assert notice in locked
    differing = [text for text, usual in zip(shown, stored, strict=True) if text != usual]
    assert differing and all(NOT_LOCKED in text and notice in text for text in differing)


def test_no_network_is_needed(outputs, stored):
    _, *shown, asked = outputs["no network"]
    assert shown == stored
    assert "no network in this test" in asked  # the guard was awake


@pytest.fixture(scope="module")
def in_any_order(tmp_path_factory):
    """Notebook 01 twice in one kernel, after a cell that came too early; then other errors."""
    here = tmp_path_factory.mktemp("order")
    cells = code_cells(nbformat.read(NOTEBOOKS[1], as_version=4))
    early = next(cell for cell in cells if "predict" in calls(cell))
    after = [
        "get_ipython().set_custom_exc((), None)", "rollout_of_tomorrow",
        "import importlib, lessonlib",
        "_ = importlib.reload(lessonlib)", "def f():\n    return rollout_of_tomorrow", "f()",
        "def g():\n    print(late)\n    late = 1\ng()",
    ]  # fmt: skip
    variables = environment(here, PYTHONSTARTUP=str(STARTUP))
    shown = kernel.run([early, "dir()", *cells, *cells, *after], here, variables, here / "run")
    return shown, [kernel.shown(cell) for cell in cells]


def test_a_cell_that_comes_too_early_gets_one_clear_sentence(in_any_order):
    shown, _ = in_any_order
    assert shown[0].startswith("Cell In[1], line 1: predict(")
    assert "Run the cells above first: choose Run → Run All Above Selected Cell" in shown[0]
    assert len(shown[0].splitlines()) <= 4
    assert "explain" not in shown[1]  # the startup file leaves no name behind


def test_run_all_again_in_the_same_kernel_shows_the_same(in_any_order):
    shown, stored = in_any_order
    again = shown[2 + len(stored) : 2 + 2 * len(stored)]
    assert shown[2 : 2 + len(stored)] == stored
    assert again == stored


def test_importing_the_lesson_is_enough_for_the_sentence(in_any_order):
    _, plain, _, _, _, typed, local = in_any_order[0][-7:]
    assert "Traceback" in plain and "Run All Above" not in plain
    assert "line 2: return rollout_of_tomorrow" in typed and "Run All Above" in typed
    assert "UnboundLocalError" in local and "Run All Above" not in local


def test_make_has_installed_the_sentence():
    installed = Path(sys.prefix, "etc", "ipython", "startup", STARTUP.name)
    assert installed.read_text("utf-8") == STARTUP.read_text("utf-8")
