"""A prediction outlives the page and the kernel."""

from lessonlib.teaching.ask.questions import Choice, question

ID = "warm_up"
CELLS = ("from lessonlib import predict, reveal", f"predict({ID!r})", f"reveal({ID!r})")


def test_a_locked_prediction_is_there_after_reload_and_restart(lab):
    asked = question(ID)
    assert isinstance(asked, Choice)
    chosen = asked.options[1]
    lab.open(lab.write("predict.ipynb", *CELLS))
    lab.run_all()
    page = lab.page
    assert page.get_by_text("Locked in on").count() == 0
    page.get_by_text(chosen.text, exact=True).click()
    page.get_by_text("fairly sure", exact=True).click()
    page.get_by_label("Why? (optional)").fill("a <b>reason</b>")
    page.get_by_role("button", name="Lock in").click()
    page.get_by_text("Locked in on").first.wait_for()

    page.reload()
    lab.wait_for_kernel()
    lab.restart_kernel()
    lab.run_all()
    page.get_by_text("Locked in on").first.wait_for()
    assert page.get_by_role("button", name="Lock in").count() == 0
    assert page.get_by_text("a <b>reason</b>").count() >= 1
    assert page.get_by_text(chosen.why).count() >= 1
    assert lab.errors == []
