"""JupyterLab's own Presentation Mode, with nothing installed for it."""

SIZE = """() => ['.jp-RenderedMarkdown p', '.jp-CodeCell .cm-content', '.jp-OutputArea-output pre']
    .map(part => parseFloat(getComputedStyle(document.querySelector(part)).fontSize))"""


def test_presentation_mode_enlarges_text_code_and_results(lab, artefacts):
    lab.open("03_signed_clipping.ipynb")
    lab.run_all()
    small = lab.page.evaluate(SIZE)
    toggle = "jupyterapp.commands.execute('application:toggle-presentation-mode')"
    lab.page.evaluate(toggle)
    large = lab.page.evaluate(SIZE)
    lab.page.screenshot(path=artefacts / "presentation-mode.png")
    lab.page.evaluate(toggle)
    assert all(after >= 1.2 * before for before, after in zip(small, large, strict=True))
