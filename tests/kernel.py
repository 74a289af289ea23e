"""Run a notebook in a kernel of its own: python kernel.py IN.ipynb OUT.ipynb

The kernel works in the folder from which this is called. An error ends no run: it becomes
the output of its cell. Kernel and client speak through files, so no network is needed.
"""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat import v4

KERNEL = {"name": "python3", "display_name": "Python 3"}


def notebook_of(cells):
    """A notebook of these code cells, given as such or as their sources; one may come twice."""
    nodes = [v4.new_code_cell(cell if isinstance(cell, str) else cell.source) for cell in cells]
    return v4.new_notebook(cells=nodes, metadata={"kernelspec": KERNEL})


def run(cells, folder, environment, scratch, before=()):
    """Text of each code cell's output; `before` goes before the command that runs them."""
    scratch.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook_of(cells), scratch / "in.ipynb")
    command = [*before, sys.executable, __file__, scratch / "in.ipynb", scratch / "out.ipynb"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [shown(cell) for cell in nbformat.read(scratch / "out.ipynb", as_version=4).cells]


def shown(cell):
    """What a code cell shows, without what may differ between two runs."""
    texts = []
    for output in cell.outputs:
        data = {kind: text for kind, text in output.get("data", {}).items() if "widget" not in kind}
        texts += [output.get("text", ""), *output.get("traceback", ()), *data.values()]
    return re.sub(r'data:image/[^"]+', "PICTURE", "\n".join(filter(None, texts)))


def main(source, target):
    notebook = nbformat.read(source, as_version=4)
    for cell in notebook.cells:
        cell.outputs = []
    ends = str(Path(target).with_name("ipc"))
    manager = KernelManager(kernel_name=KERNEL["name"], transport="ipc", ip=ends)
    NotebookClient(
        notebook, km=manager, allow_errors=True, coalesce_streams=True, timeout=120
    ).execute()
    nbformat.write(notebook, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
