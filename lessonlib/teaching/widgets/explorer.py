"""The explorer: β and clip under the student's hand, with real training at every move."""

import threading
from dataclasses import replace
from html import escape

import ipywidgets as widgets
import jax

from lessonlib.bandit import Bandit, lesson_bandit
from lessonlib.grid import sweep
from lessonlib.rollout import Settings
from lessonlib.teaching.figure import picture, tables
from lessonlib.teaching.panels import plot_panels
from lessonlib.teaching.widgets.linked_slider import LinkedSlider, steps
from lessonlib.teaching.widgets.live_figure import describe, draw_frame, fill
from lessonlib.teaching.widgets.run_view import compare, objective_text, run, summary, view_data
from lessonlib.validation import checked

MOST_KEPT = 3
SEEDS = range(32)
CARD = (
    "background:#fff;color:#1a1a1a;border:1px solid #767676;border-radius:6px;padding:6px;"
    "max-width:1040px;box-sizing:border-box"
)
OVERLAY = f"{CARD};background:none;border-color:transparent"
TEXT = "line-height:1.45;max-width:1040px;margin-top:4px"


@checked
def explore(bandit: Bandit | None = None, settings: Settings | None = None) -> "Explorer":
    """Sliders for β and clip over the three panels; each move runs `train` anew.

    Starts at `settings` (the lesson's own, if left out). Raises ValueError where these lie
    outside the sliders: β from 0 to 5, clip from 0.01 to 1.
    """
    bandit = lesson_bandit() if bandit is None else bandit
    return Explorer(bandit, settings or Settings())


BETAS = steps((0.2, 0.01), (1, 0.05), (5, 0.1))
CLIPS = steps((0.2, 0.01), (1, 0.05))[1:]


class Explorer:
    """What `explore` returns.

    `beta` and `clip` are the number boxes (set their `value` from code as well); `history`
    is what the shown run returned and `data` what is drawn, both None while a message
    stands in place of the plot.
    """

    def __init__(self, bandit, settings):
        self.history = self.data = None
        self._bandit, self._start = bandit, settings
        self._lock = threading.RLock()  # callbacks may come on a second thread
        self._frame, self._kept = None, []
        self._beta = LinkedSlider("beta", "β", BETAS, settings.beta)
        self._clip = LinkedSlider("clip", "ε", CLIPS, settings.clip)
        self.beta, self.clip = self._beta.box, self._clip.box
        box = {"layout": {"width": "13em"}, "style": {"description_width": "7.5em"}}
        self.epochs = widgets.BoundedIntText(
            value=settings.epochs,
            min=1,
            max=max(50, settings.epochs),
            description="inner epochs",
            **box,
        )
        self.learning_rate = widgets.FloatText(
            value=settings.learning_rate, step=0.05, description="learning rate", **box
        )
        self.seed = widgets.BoundedIntText(
            value=settings.seed, min=0, max=2**32 - 1, description="seed", **box
        )
        self._band = widgets.Checkbox(description="band over 32 seeds", indent=False)
        self._more = widgets.ToggleButton(description="More settings")
        self._numbers = widgets.ToggleButton(description="Numbers as a table")
        self._keep = widgets.Button(description="Keep this run")
        self._forget = widgets.Button(description="Forget kept runs", disabled=True)
        self._reset = widgets.Button(description="Back to the lesson's settings")
        for button in (self._more, self._numbers, self._keep, self._forget, self._reset):
            button.layout.width = "auto"
        self._band.layout.width = "auto"
        self._folded = widgets.HBox([self.epochs, self.learning_rate, self.seed, self._band])
        self._folded.layout = widgets.Layout(display="none", flex_flow="row wrap")
        # The data lie over axes and letters, which the browser then need not lay out anew.
        self.backdrop, self.picture = (
            widgets.HTML(layout=widgets.Layout(grid_area="1 / 1")) for _ in range(2)
        )
        self.status, self.table = widgets.HTML(), widgets.HTML()
        buttons = widgets.HBox([self._keep, self._forget, self._reset, self._more, self._numbers])
        buttons.layout.flex_flow = "row wrap"
        self.widget = widgets.VBox(
            [
                self._beta.row, self._clip.row, buttons, self._folded,
                widgets.GridBox([self.backdrop, self.picture]), self.status, self.table,
            ]
        )  # fmt: skip
        for control in (*self._controls().values(), self._band):
            control.observe(self._update, "value")
        self._more.observe(self._fold, "value")
        self._numbers.observe(self._tabulate, "value")
        self._keep.on_click(self._keep_run)
        self._forget.on_click(self._forget_runs)
        self._reset.on_click(self._to_start)
        self._update()

    def _controls(self):
        return {
            "beta": self.beta,
            "clip": self.clip,
            "epochs": self.epochs,
            "learning_rate": self.learning_rate,
            "seed": self.seed,
        }

    def _update(self, _=None):
        """Run and show what the controls say now, not what they said when the event left."""
        with self._lock:
            try:
                values = {name: control.value for name, control in self._controls().items()}
                settings = replace(self._start, **values)
                history = run(self._bandit, settings)
                self._show(settings, history)
            except Exception as error:  # in a callback nobody would see it
                self._refuse(error)

    def _show(self, settings, history):
        compared = compare(self._bandit, history.logp[-1], settings.beta)
        band = None
        if self._band.value:
            axes = {"betas": [settings.beta], "clips": [settings.clip], "seeds": SEEDS}
            band = jax.tree.map(lambda x: x[0, 0], sweep(self._bandit, settings, **axes))
        data = view_data(self._bandit, history, compared, self._kept, band)
        if self._frame is None or self._frame.description != describe(data):
            self._frame = draw_frame(data)
        sentence = summary(settings, compared)
        self.picture.value = (
            f'<div role="img" aria-label="{escape(sentence)}" style="{OVERLAY}">'
            f"{fill(self._frame, data)}</div>"
        )
        self.backdrop.value = (
            f'<div class="lesson-card" style="{CARD}">{self._frame.backdrop}</div>'
        )
        self.status.value = (
            f'<div style="{TEXT}"><div role="status">{escape(sentence)}</div>'
            f"<div>{escape(objective_text(settings, history, compared))}</div></div>"
        )
        self.history, self.data, self._sentence = history, data, sentence
        self._keep.disabled = len(self._kept) >= MOST_KEPT
        self._tabulate()

    def _refuse(self, error):
        self.history = self.data = None
        self._keep.disabled = True
        self.backdrop.value = ""
        self.picture.value = (
            f'<div role="alert" style="{CARD};aspect-ratio:2.9;padding:1em;{TEXT}">'
            f"These settings cannot run: {escape(str(error))}.</div>"
        )
        self.status.value = ""
        self._tabulate()

    def _keep_run(self, _):
        with self._lock:
            if self.history is None or len(self._kept) >= MOST_KEPT:
                return
            self._kept.append((f"kept {len(self._kept) + 1}: {self._name()}", self.history))
            self._forget.disabled = False
            self._update()

    def _name(self):
        """The shown run in short: β and clip, and what else differs from the start."""
        other = [
            f"{name.replace('_', ' ')} {control.value:g}"
            for name, control in self._controls().items()
            if name not in ("beta", "clip") and control.value != getattr(self._start, name)
        ]
        return ", ".join([f"β {self.beta.value:g}", f"ε {self.clip.value:g}", *other])

    def _forget_runs(self, _):
        with self._lock:
            self._kept.clear()
            self._forget.disabled = True
            self._update()

    def _to_start(self, _):
        with self._lock:
            self._band.value = False
            for name, control in self._controls().items():
                control.value = getattr(self._start, name)

    def _fold(self, _):
        self._folded.layout.display = "flex" if self._more.value else "none"

    def _tabulate(self, _=None):
        with self._lock:
            self.table.value = tables(self.data) if self._numbers.value and self.data else ""

    def __repr__(self):
        return "Explorer: run this cell to use it"

    def _repr_mimebundle_(self, **_):
        """The widget, and a still picture for a reader without a kernel."""
        bundle = self.widget._repr_mimebundle_() | {"text/plain": repr(self)}
        if self.data is not None:
            still = picture(plot_panels(self.data), self._sentence, self.data)
            bundle["text/html"] = still._repr_html_()
        return bundle
