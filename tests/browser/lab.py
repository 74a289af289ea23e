"""What the tests do in JupyterLab, in their own words: open, run, ask the kernel, look."""

import ast
import json

import nbformat

TIMEOUT = 120_000  # milliseconds; a kernel's start and JAX's import take most of it
CURRENT = "jupyterapp.shell.currentWidget"
ROLES = ("button", "checkbox", "combobox", "radio", "slider", "spinbutton", "textbox")
BURST = """async ([label, events, seconds]) => {
    const row = [...document.querySelectorAll('.widget-slider')].find(
        slider => slider.querySelector('.widget-label').textContent.includes(label));
    const handle = row.querySelector('.noUi-handle');
    const output = row.closest('.jp-OutputArea-output');
    const wait = ms => new Promise(done => setTimeout(done, ms));
    const text = () => output.querySelector('[role=img]')?.getAttribute('aria-label');
    const asked = [], shown = [];
    const watch = new MutationObserver(() => {
        const now = text();
        if (now && now !== shown.at(-1)?.text) shown.push({text: now, at: performance.now()});
    });
    watch.observe(output, {childList: true, subtree: true});
    const start = performance.now();
    for (let event = 0; event < events; event++) {
        const due = start + 1000 * seconds * event / events;
        while (performance.now() < due) await wait(1);
        handle.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
        asked.push({place: Number(handle.getAttribute('aria-valuenow')), at: performance.now()});
    }
    await wait(3000);
    watch.disconnect();
    return {asked, shown, end: start + 1000 * seconds};
}"""


class Lab:
    """One browser tab on JupyterLab, and the notebook open in it."""

    def __init__(self, page, address, token, folder):
        self.page, self.address, self.token, self.folder = page, address, token, folder
        self.errors = []  # of the page's scripts; a missing file on the server is none
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)

    def _note(self, message):
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(message.text)

    def write(self, name, *cells):
        """Make a notebook of these code cells in the served folder."""
        notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
        notebook.metadata.kernelspec = {
            "name": "python3", "display_name": "Python 3", "language": "python",
        }  # fmt: skip
        nbformat.write(notebook, self.folder / name)
        return name

    def open(self, name):
        """Open a notebook in a fresh workspace and wait for its kernel; the last one's ends."""
        self.close()
        self.errors.clear()
        self.page.goto(f"{self.address}/lab/tree/{name}?reset&token={self.token}")
        self.wait_for_kernel()

    def wait_for_kernel(self):
        self.page.wait_for_function(
            f"window.jupyterapp && {CURRENT}?.sessionContext?.session?.kernel?.status === 'idle'"
        )

    def run_all(self):
        """“Run All Cells”, until the last cell is done."""
        self.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        self.page.wait_for_function(
            f"""() => {{
                const panel = {CURRENT};
                const code = panel.content.widgets.filter(cell => cell.model.type === 'code');
                return panel.sessionContext.session.kernel.status === 'idle' &&
                    code.every(c => c.model.executionState === 'idle' && c.model.executionCount);
            }}"""
        )

    def restart_kernel(self):
        """Restart; JupyterLab complains of each request that was under way, which is no fault."""
        self.page.evaluate(f"{CURRENT}.sessionContext.session.kernel.restart()")
        self.wait_for_kernel()
        self.errors.clear()

    def close(self):
        """Shut the kernel down, so that none is left to the next test."""
        self.page.evaluate(
            f"async () => {{ await window.jupyterapp && {CURRENT}?.sessionContext?.shutdown(); }}"
        )

    def ask(self, expression):
        """The value of a Python literal `expression` in the notebook's kernel."""
        reply = self.page.evaluate(
            f"""async expression => {{
                const kernel = {CURRENT}.sessionContext.session.kernel;
                const request = kernel.requestExecute(
                    {{code: '', silent: true, user_expressions: {{it: expression}}}});
                return (await request.done).content.user_expressions.it;
            }}""",
            expression,
        )
        assert reply["status"] == "ok", reply
        return ast.literal_eval(reply["data"]["text/plain"])

    def outputs(self):
        """Outputs of each code cell, as nbformat has them."""
        return json.loads(
            self.page.evaluate(
                f"""() => JSON.stringify({CURRENT}.content.widgets
                    .filter(cell => cell.model.type === 'code')
                    .map(cell => cell.model.outputs.toJSON()))"""
            )
        )

    def collapsed(self):
        """For each code cell: whether its output is collapsed now."""
        return self.page.evaluate(
            f"""() => {CURRENT}.content.widgets
                .filter(cell => cell.model.type === 'code').map(cell => cell.outputHidden)"""
        )

    def wait_until(self, expression):
        """Wait until the kernel finds `expression` true."""
        for _ in range(100):
            if self.ask(expression):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"not true after 10 s: {expression}")

    def slider(self, label):
        """The slider whose label holds `label`."""
        named = self.page.locator(".widget-label", has_text=label)
        return self.page.locator(".widget-slider").filter(has=named)

    def type_into(self, label, text):
        """Write `text` into the box of this name and leave it by Enter."""
        box = self.page.get_by_label(label, exact=True)
        box.fill(text)
        box.press("Enter")

    def unnamed_controls(self):
        """Roles of controls in outputs that have no name in Chromium's accessibility tree."""
        session = self.page.context.new_cdp_session(self.page)
        root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
        query = {"nodeId": root, "selector": ".jp-Cell-outputArea"}
        return [
            role
            for area in session.send("DOM.querySelectorAll", query)["nodeIds"]
            for role in ROLES
            for node in session.send("Accessibility.queryAXTree", {"nodeId": area, "role": role})[
                "nodes"
            ]
            if not node["ignored"] and not node["name"]["value"].strip()
        ]

    def burst(self, label, events=60, seconds=1.0):
        """ArrowRight on a slider, `events` times in `seconds`.

        Returns `asked` (place of the slider and time of each event) and `shown` (text and time
        of each new picture), times in ms, and `end`, when the burst was to be over.
        """
        return self.page.evaluate(BURST, [label, events, seconds])
