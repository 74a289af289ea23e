"""What the interactive parts share: a fixed text form, and a place where they speak."""

import functools
from html import escape

import ipywidgets as widgets


class Panel(widgets.VBox):
    """A column of widgets whose text form is `text`: shown where no kernel runs."""

    def __init__(self, text, children=()):
        self._text = text
        super().__init__(children)

    def __repr__(self):
        return self._text


class Status(widgets.HTML):
    """A line that screen readers announce when it changes."""

    def __init__(self, text=""):
        super().__init__()
        self.say(text)

    def say(self, *texts):
        """Show plain `texts`, one a line; what a student typed is escaped like all else."""
        lines = "<br>".join(escape(text) for text in texts if text)
        self.value = f'<div role="status">{lines}</div>'

    def guarding(self, callback):
        """`callback`, but what it raises is shown here: elsewhere no student would see it."""

        @functools.wraps(callback)
        def wrapper(*args):
            try:
                callback(*args)
            except ValueError as error:
                self.say(str(error))
            except Exception as error:
                self.say(
                    f"Something went wrong here: {type(error).__name__}: {error}.",
                    "Nothing that you locked in before is lost. Run this cell again to go on.",
                )

        return wrapper


def plain(text):
    """`text` as an HTML widget, escaped."""
    return widgets.HTML(f"<div>{escape(text)}</div>")
