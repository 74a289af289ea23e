"""A real JupyterLab on 127.0.0.1 and a real Chromium in front of it.

The notebooks are copies in a temporary folder, with a portfolio of their own, so that
nothing a test does meets a student's work.
"""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from lab import Lab
from offline import Offline
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NO_NEWS = '{"fetchNews": "false", "checkForUpdates": false}'


@pytest.fixture(scope="session")
def chromium_path():
    found = [path for path in map(shutil.which, CHROMIUM_NAMES) if path]
    if not found:
        pytest.fail(
            "The browser tests need Chromium and found none on the PATH. "
            "On Debian: apt-get install chromium",
            pytrace=False,
        )
    return found[0]


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The folder that JupyterLab serves: copies of the notebooks, and room for more."""
    folder = tmp_path_factory.mktemp("lab")
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        shutil.copy(notebook, folder)
    return folder


@pytest.fixture(scope="session")
def server(folder, tmp_path_factory):
    """JupyterLab's address with its token; its settings, too, are temporary."""
    home = tmp_path_factory.mktemp("home")
    news = home / "settings" / "@jupyterlab" / "apputils-extension"
    news.mkdir(parents=True)
    (news / "notification.jupyterlab-settings").write_text(NO_NEWS)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    environment = os.environ | {
        "LESSON_PORTFOLIO": str(home / "portfolio"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_TOKEN": token,
    }
    options = [
        "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
        "--ServerApp.port_retries=0", f"--notebook-dir={folder}",
        "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env=environment, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            _wait_until_it_answers(f"http://127.0.0.1:{port}/api", process, home / "log")
            yield f"http://127.0.0.1:{port}", token
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait_until_it_answers(address, process, log):
    for _ in range(300):
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}", pytrace=False)


@pytest.fixture(scope="session")
def browser(chromium_path):
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path, args=CHROMIUM_OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def lab(browser, server, folder):
    """One tab on JupyterLab, as large as a projector's picture."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    lab = Lab(context.new_page(), *server, folder)
    yield lab
    lab.close()
    context.close()


@pytest.fixture(scope="session")
def artefacts():
    """Where screenshots go; kept after the tests."""
    path = ROOT / "build" / "browser"
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture(scope="module")
def offline(browser):
    """Pages with the network cut."""
    offline = Offline(browser)
    yield offline
    offline.context.close()
