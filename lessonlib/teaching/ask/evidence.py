"""The evidence portfolio: what a student predicted, ran and concluded, on one page."""

from pathlib import Path
from typing import NamedTuple

import ipywidgets as widgets

from lessonlib.teaching.ask import pages, storage
from lessonlib.teaching.ask.storage import record
from lessonlib.teaching.widgets.ui import WIDE, Panel, Status, paragraph

__all__ = ["Portfolio", "Saved", "portfolio", "record"]


class Saved(NamedTuple):
    """The two files of a saved portfolio, and the fingerprint that both carry."""

    html: Path
    markdown: Path
    fingerprint: str


class Portfolio(Panel):
    """Everything kept so far, a box for the student's own reasoning, and a way to save."""

    def __init__(self):
        self._shown, self._status = widgets.HTML(), Status()
        self._reasoning = widgets.Textarea(
            description="My reasoning",
            placeholder="Which prediction surprised you, and what do you think now?",
            continuous_update=False,  # the last letters would come after the button
            rows=5,
            style=WIDE,
            layout=widgets.Layout(width="min(46rem, 95%)"),
        )
        keep = widgets.Button(description="Keep my reasoning")
        save = widgets.Button(description="Save as a page", button_style="primary")
        keep.on_click(self._status.guarding(lambda _: self._keep()))
        save.on_click(self._status.guarding(lambda _: self.save()))
        buttons = widgets.HBox([keep, save])
        super().__init__(
            "Portfolio: run this cell to see it and to save it.",
            [self._shown, self._reasoning, buttons, self._status],
        )
        written = [event for event in self._refresh() if event.kind == "reasoning"]
        self._kept = str(written[-1].details.get("text", "")) if written else ""
        self._reasoning.value = self._kept

    def save(self) -> Saved:
        """Write one self-contained HTML page and its Markdown twin into the portfolio folder.

        Raises OSError if the folder cannot be written.
        """
        self._keep()
        chapters = pages.chapters(self._refresh())
        content = pages.markdown(chapters)
        mark = pages.fingerprint(content)
        folder = storage.place().folder
        saved = Saved(folder / "portfolio.html", folder / "portfolio.md", mark)
        storage.write_whole(saved.html, pages.html_page(chapters, mark))
        storage.write_whole(saved.markdown, pages.markdown_page(content))
        self._status.say(f"Saved as {saved.html}", f"and, as Markdown, {saved.markdown.name}.")
        return saved

    def _keep(self):
        """Record the reasoning if it has changed."""
        text = self._reasoning.value.strip()
        if text != self._kept:
            record("reasoning", "in my own words", text=text)
            self._kept = text
        self._refresh()
        self._status.say("Your reasoning is kept.")

    def _refresh(self):
        """Show what is kept now; returns the events."""
        notice = storage.place().notice
        events, notices = storage.read()
        self._shown.value = paragraph(notice, *notices) + pages.html(pages.chapters(events))
        return events


def portfolio() -> Portfolio:
    """Show what was predicted, what came out, checks and reasoning. Raises OSError if the
    portfolio folder can be neither read nor made.
    """
    return Portfolio()
