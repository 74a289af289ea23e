"""What the interactive parts share: a fixed text form, and a place where they speak."""

import functools
from html import escape

import ipywidgets as widgets

# Long descriptions are shown in full instead of being cut to a fixed width.
WIDE = {"description_width": "initial"}


# A radio button's label is one line high by default, so that a longer one covers the next.
STYLE = """<style>
.lesson-panel .widget-radio, .lesson-panel .widget-radio-box { height: auto; max-width: 46rem; }
.lesson-panel .widget-radio-box > label { display: flex; flex-direction: row-reverse;
  justify-content: flex-end; align-items: flex-start; gap: 0.5em; height: auto; line-height: 1.45;
  margin: 0.1em 0 0.3em; white-space: normal; }
.lesson-panel .widget-radio-box input { position: static; margin: 0.1em 0 0; flex: none; }
.lesson-panel .widget-radio-box-horizontal > label { margin-right: 1em; }
</style>"""


# A button that is taken away takes the focus along. This gives it to the text in its place.
CATCH_FOCUS = """<style onload="this.onload = null;
  if (document.activeElement === document.body) this.parentElement.focus()"></style>"""


class Panel(widgets.VBox):
    """A column of widgets whose text form is `text`: shown where no kernel runs."""

    def __init__(self, text, children=()):
        self._text = text
        self._style = widgets.HTML(STYLE, layout=widgets.Layout(display="none"))
        super().__init__()
        self.add_class("lesson-panel")
        self.show(*children)

    def show(self, *children):
        """Show these widgets and no others."""
        self.children = [self._style, *children]

    def __repr__(self):
        return self._text


class Status(widgets.HTML):
    """Lines that screen readers announce when they change."""

    def __init__(self, *texts):
        super().__init__()
        self.say(*texts)

    def say(self, *texts):
        """Show plain `texts`, one a line; what a student typed is escaped like all else."""
        self.value = f'<div role="status">{paragraph(*texts)}</div>'

    def say_instead(self, *texts):
        """`say` in place of the control that was used, which is taken away."""
        text = paragraph(*texts)
        self.value = f'<div role="status" tabindex="-1">{CATCH_FOCUS}{text}</div>'

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
                    f"This did not work: {type(error).__name__}: {error}.",
                    "What you locked in before is kept. Run this cell again to go on.",
                )

        return wrapper


def paragraph(*texts):
    """Plain `texts` as one paragraph of HTML, a line each, empty ones left out."""
    lines = "<br>".join(escape(text) for text in texts if text)
    return f'<p style="line-height:1.5;margin:0.3em 0;max-width:46rem">{lines}</p>'


def plain(*texts):
    """Plain `texts` as a widget."""
    return widgets.HTML(paragraph(*texts))
