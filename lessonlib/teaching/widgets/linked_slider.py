"""A slider whose scale is finer at one end, linked with a number box."""

import ipywidgets as widgets

# ipywidgets gives a slider's handle no accessible name. This gives it the label's, as soon
# as both stand in the page; where a page forbids it, the number box still has its own.
NAME_HANDLE = """<style onload="const name = () => {
  const row = this.closest('.lesson-slider'), handle = row?.querySelector('.noUi-handle');
  if (!handle) return requestAnimationFrame(name);
  handle.setAttribute('aria-label', row.querySelector('.widget-label').textContent);
}; name()">.lesson-slider { max-width: 640px }
@media (prefers-reduced-motion: reduce) {
  .lesson-slider * { transition: none !important }
}</style>"""


def named_row(*children) -> widgets.HBox:
    """A row of widgets in which a slider's handle takes its name from the row's first label."""
    hook = widgets.HTML(NAME_HANDLE, layout=widgets.Layout(width="0", margin="0"))
    row = widgets.HBox([*children, hook])
    row.add_class("lesson-slider")
    return row


def steps(*parts):
    """Values from 0 upwards: each part, an (end, step) pair, goes on where the last ended."""
    values = [0.0]
    for end, step in parts:
        first = values[-1]
        values += [round(first + step * (n + 1), 4) for n in range(round((end - first) / step))]
    return values


class LinkedSlider:
    """A slider over chosen values, with a number box that takes any value between its ends.

    The box holds the value; the slider shows the nearest of its own. Raises ValueError for
    a first value beyond the ends, calling it `argument`.
    """

    def __init__(self, argument, symbol, values, value):
        if not values[0] <= value <= values[-1]:
            raise ValueError(
                f"{argument} must be a number from {values[0]:g} to {values[-1]:g}, got {value!r}"
            )
        self.values = values
        self.box = widgets.BoundedFloatText(
            value=value, min=values[0], max=values[-1], step=0.01, description=f"exact {symbol}",
            layout=widgets.Layout(width="9em"), style={"description_width": "4em"},
        )  # fmt: skip
        self.slider = widgets.SelectionSlider(
            options=[(f"{v:g}", v) for v in values], index=self._nearest(),
            description=f"{argument} {symbol}", readout=False,
            layout=widgets.Layout(flex="1 1 12em", min_width="12em"),
            style={"description_width": "4em"},
        )  # fmt: skip
        self.row = named_row(self.slider, self.box)
        self.slider.observe(self._from_slider, "index")
        self.box.observe(self._from_box, "value")

    def _nearest(self):
        return min(range(len(self.values)), key=lambda n: abs(self.values[n] - self.box.value))

    def _from_slider(self, _):
        # The slider also moves because the box did, to the nearest value; that is no choice.
        if self.slider.index != self._nearest():
            self.box.value = self.values[self.slider.index]

    def _from_box(self, _):
        self.slider.index = self._nearest()
