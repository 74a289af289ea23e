"""From key press to new pixels, in a real JupyterLab. Not part of the tests: `make bench`."""

import statistics

import numpy as np
import pytest

from lessonlib.teaching.widgets.explorer import BETAS

EXPLORER = """import time
from lessonlib import Settings, explore, figure_data, lesson_bandit, plot_panels, train
ex = explore()
work, update = [], ex._update
def timed(change):
    start = time.perf_counter()
    update(change)
    work.append(1000 * (time.perf_counter() - start))
ex.beta.unobserve(update, "value")
ex.beta.observe(timed, "value")
ex"""
INTERACT = """from IPython.display import display
from ipywidgets import FloatSlider, interact
bandit = lesson_bandit()
@interact(beta=FloatSlider(0.2, min=0, max=5, step=0.05, description="plain"))
def draw(beta):
    display(plot_panels(figure_data(train(bandit, Settings(beta=beta)), bandit)))"""
COLD = """import subprocess, sys
first = '''import time; start = time.perf_counter(); from lessonlib import explore
explore()._repr_mimebundle_(); print(time.perf_counter() - start)'''
cold = [float(subprocess.check_output([sys.executable, "-c", first])) for _ in range(3)]"""
PRESS = """async ([label, presses]) => {
    const row = [...document.querySelectorAll('.widget-slider')].find(
        slider => slider.querySelector('.widget-label').textContent.includes(label));
    const handle = row.querySelector('.noUi-handle');
    const output = row.closest('.jp-OutputArea-output');
    const frame = () => new Promise(done => requestAnimationFrame(done));
    // We are in a frame whose picture is new: what is posted now comes after its painting.
    const painted = () => new Promise(done => {
        const channel = new MessageChannel();
        channel.port1.onmessage = done;
        channel.port2.postMessage(null);
    });
    const picture = () => output.querySelector('img')?.src ??
        output.querySelector('[role=img]')?.getAttribute('aria-label');
    const times = [];
    for (let press = 0; press < presses; press++) {
        const before = picture(), start = performance.now();
        const key = press % 2 ? 'ArrowLeft' : 'ArrowRight';
        handle.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
        while (!picture() || picture() === before) await frame();
        await output.querySelector('img')?.decode();
        await painted();
        times.push(performance.now() - start);
        await new Promise(done => setTimeout(done, 150));
    }
    return times;
}"""


@pytest.fixture(scope="module")
def opened(lab):
    lab.open(lab.write("bench.ipynb", EXPLORER, INTERACT, COLD))
    lab.run_all()
    return lab


def test_key_press_to_pixels(opened):
    explorer = opened.page.evaluate(PRESS, ["beta", 60])[5:]
    plain = opened.page.evaluate(PRESS, ["plain", 20])[3:]
    work = opened.ask("work")[5:]
    print(
        f"\nexplorer, key press to pixels: median {statistics.median(explorer):.0f} ms, "
        f"p95 {np.quantile(explorer, 0.95):.0f} ms"
        f"\nexplorer, work in the kernel: median {statistics.median(work):.1f} ms, "
        f"p95 {np.quantile(work, 0.95):.1f} ms"
        f"\ninteract, key press to pixels: median {statistics.median(plain):.0f} ms, "
        f"{statistics.median(plain) / statistics.median(explorer):.1f} times the explorer's"
    )


def test_burst(opened):
    opened.type_into("exact β", "0")
    opened.wait_until("ex.beta.value == 0")
    seen = opened.burst("beta")
    asked = {f"With β = {BETAS[round(a['place'])]:g} ": a["at"] for a in seen["asked"]}
    late = [s["at"] - at for s in seen["shown"] for words, at in asked.items()
            if s["text"].startswith(words)]  # fmt: skip
    within = sum(s["at"] <= seen["end"] for s in seen["shown"])
    last = BETAS[round(seen["asked"][-1]["place"])]
    print(
        f"\nburst of 60 events in a second: {within} pictures within it, never more than "
        f"{max(late):.0f} ms behind, the last shown is the last asked: "
        f"{seen['shown'][-1]['text'].startswith(f'With β = {last:g} ')}"
    )


def test_cold_start(opened):
    print(f"\nimport to first explorer: {min(opened.ask('cold')):.1f} s, best of three processes")
