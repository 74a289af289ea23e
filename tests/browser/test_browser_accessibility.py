"""Without a mouse, without sight, in either theme: what Chromium says of the lesson's widgets."""

import pytest

from lessonlib.teaching.ask.questions import question

CHOICE, QUIZ = question("gaining_action"), question("quiz_00_masks")
CELLS = (
    "from lessonlib import *",
    f"predict({CHOICE.id!r})",
    "predict('kl_curve')",
    "predict('pair_probability')",
    "predict('final_probabilities')",
    f"quiz({QUIZ.id!r})",
    "step = stepper()\nstep",
    "ex = explore()\nex",
    "data = figure_data(train(lesson_bandit(), Settings()), lesson_bandit())\n"
    "picture(plot_panels(data), 'Reward and KL of a run rise together.', data)",
)
START = """() => {
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = 0; notebook.mode = 'command'; notebook.activate();
}"""
# Every control in outputs that is to be reached; those with the focus are marked on the way.
CONTROLS = "button:not(:disabled), input, select, textarea, summary, [role=slider]"
LEFT_OUT = """controls => [...document.querySelectorAll('.jp-OutputArea-output')]
    .flatMap(output => [...output.querySelectorAll(controls)])
    .filter(e => e.checkVisibility() && !e.dataset.reached).map(e => e.outerHTML.slice(0, 120))"""
REACHED = "() => { document.activeElement.dataset.reached = 'yes' }"
# [contrast, text] of all that is written in outputs, on the colour that is really behind it.
CONTRASTS = """() => {
    const channel = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = c => 0.2126 * channel(c[0] / 255) + 0.7152 * channel(c[1] / 255)
        + 0.0722 * channel(c[2] / 255);
    const rgba = text => [...text.match(/[\\d.]+/g).map(Number), 1].slice(0, 4);
    const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
    const behind = e => {
        const colour = rgba(getComputedStyle(e).backgroundColor);
        return colour[3] === 1 || !e.parentElement ? colour : over(colour, behind(e.parentElement));
    };
    const found = [];
    for (const output of document.querySelectorAll('.jp-OutputArea-output')) {
        const texts = document.createTreeWalker(output, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const text = texts.currentNode.textContent.trim(), e = texts.currentNode.parentElement;
            if (!text || !e.checkVisibility() || e.tagName === 'STYLE') continue;
            const style = getComputedStyle(e), ground = behind(e);
            const ink = e.closest('svg') && style.fill !== 'none' ? style.fill : style.color;
            const [dark, bright] = [light(over(rgba(ink), ground)), light(ground)].sort(
                (one, other) => one - other);
            found.push([(bright + 0.05) / (dark + 0.05), text]);
        }
    }
    return found;
}"""


@pytest.fixture(scope="module")
def opened(lab):
    lab.open(lab.write("accessibility.ipynb", *CELLS))
    lab.run_all()
    lab.page.locator(".noUi-handle").nth(7).wait_for()  # three curve points, three bars, β and ε
    return lab


def tab_to(page, selector):
    """Press Tab until what `selector` describes has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def test_tab_reaches_every_control(opened):
    page = opened.page
    assert len(page.evaluate(LEFT_OUT, CONTROLS)) > 35
    page.evaluate(START)
    for _ in range(80):
        page.keyboard.press("Tab")
        page.evaluate(REACHED)
    assert page.evaluate(LEFT_OUT, CONTROLS) == []


def test_every_control_has_its_name_in_the_accessibility_tree(opened):
    session = opened.page.context.new_cdp_session(opened.page)
    nodes = {}
    for cell in opened.page.locator(".jp-CodeCell").all():
        cell.scroll_into_view_if_needed()  # what is far away is not laid out, nor in the tree
        for node in session.send("Accessibility.getFullAXTree")["nodes"]:
            if not node["ignored"] and "backendDOMNodeId" in node:
                nodes[node["backendDOMNodeId"]] = node
    named = {}
    for node in nodes.values():
        name = node.get("name", {}).get("value", "").strip()
        named.setdefault(node["role"]["value"], []).append(name)
    points = [f"{x} {question('kl_curve').xlabel} (nats)" for x in question("kl_curve").x]
    actions = [f"action {n}" for n in range(3)]
    assert {option.text for option in (*CHOICE.options, *QUIZ.options)} <= set(named["radio"])
    assert named["slider"] == [*points, *actions, "beta β", "clip ε"]
    boxes = [*points, *actions, "exact β", "exact ε"]
    assert [name for name in named["spinbutton"] if name] == boxes
    assert "Your answer, from 0 to 1" in named["textbox"]
    assert named["textbox"].count("Why? (optional)") == 4
    assert {"Lock in", "Check", "Inner step", "Keep this run"} <= set(named["button"])
    assert any(name.startswith("With β = 0.2 and clip 0.2, after 40") for name in named["image"])
    assert opened.unnamed_controls() == []


def test_the_explorer_its_table_and_the_stepper_obey_keys(opened):
    page = opened.page
    page.get_by_role("slider", name="beta β").focus()
    page.keyboard.press("ArrowRight")
    opened.wait_until("ex.beta.value == 0.25")
    page.keyboard.press("End")
    opened.wait_until("ex.beta.value == 5")
    page.get_by_role("button", name="Numbers as a table").focus()
    page.keyboard.press("Space")
    page.get_by_role("cell", name=f"{opened.ask('float(ex.history.kl[-1])'):.3f}").last.wait_for()
    page.get_by_role("button", name="Inner step").focus()
    page.keyboard.press("Enter")
    opened.wait_until("step.moment.inner_steps == 1")


def test_a_figures_numbers_are_one_key_away(opened):
    page = opened.page
    summary = page.locator("summary", has_text="Numbers as a table")
    table = page.locator("details table").first
    assert not table.is_visible()
    summary.focus()
    page.keyboard.press("Enter")
    assert table.is_visible()


def test_everything_written_is_legible_in_both_themes(opened):
    page = opened.page
    for theme, light in (("JupyterLab Dark", "false"), ("JupyterLab Light", "true")):
        page.evaluate(f"jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}})")
        page.wait_for_function(f"document.body.dataset.jpThemeLight === '{light}'")
        page.wait_for_timeout(500)
        found = page.evaluate(CONTRASTS)
        assert len(found) > 150
        assert [pair for pair in found if pair[0] < 4.5] == []


def test_a_slider_does_not_glide_where_less_motion_is_wished(opened):
    page = opened.page
    glides = """() => {
        const slider = document.querySelector('.lesson-slider .noUi-target');
        slider.classList.add('noUi-state-tap');
        const time = getComputedStyle(slider.querySelector('.noUi-origin')).transitionDuration;
        slider.classList.remove('noUi-state-tap');
        return time;
    }"""
    assert page.evaluate(glides) != "0s"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(glides) == "0s"
    page.emulate_media(reduced_motion="no-preference")


def test_a_prediction_is_locked_in_by_keys_and_the_focus_stays_there(opened):
    page = opened.page
    panel = page.locator(".lesson-panel").filter(has_text=CHOICE.prompt)
    page.evaluate(START)
    tab_to(page, "input[type=radio]")
    page.keyboard.press("Space")
    tab_to(page, "input[type=radio]:not(:checked)")
    while not page.evaluate("document.activeElement.closest('label').innerText.includes('guess')"):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    tab_to(page, "input[type=text]")
    page.keyboard.type("a reason")
    tab_to(page, "button")
    page.keyboard.press("Enter")
    panel.get_by_text("Locked in on").wait_for()
    panel.get_by_text("Your reason: a reason").wait_for()
    assert CHOICE.options[0].text in panel.inner_text()
    page.wait_for_function("document.activeElement.matches('[role=status]')")
    assert panel.evaluate("panel => panel.contains(document.activeElement)")
    page.keyboard.press("Tab")
    following = page.locator(".jp-CodeCell").nth(2)  # on to the next question, not to the top
    assert following.evaluate("cell => cell.contains(document.activeElement)")
    assert opened.errors == []
