"""The lesson as pages to read, opened from files with the network cut."""

import pytest

from lessonlib.teaching.ask.questions import Quiz, questions
from notebooks.tools import publish

NAMES = sorted(path.stem for path in publish.FOLDER.glob("*.ipynb"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    publish.pages(folder)
    return folder


@pytest.mark.parametrize("name", [*NAMES, "index"])
def test_page_is_whole_without_a_network(offline, folder, artefacts, name):
    offline.open(folder / f"{name}.html")
    assert offline.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert offline.page.locator("h1").count() == 1
    assert offline.broken_pictures() == []
    assert offline.broken_links(folder) == []
    assert offline.missing == []
    offline.page.screenshot(path=artefacts / f"page-{name}.png")


@pytest.mark.parametrize("name", ["04_baseline", "06_exact_optimum"])
def test_formulas_are_set(offline, folder, name):
    offline.open(folder / f"{name}.html")
    assert offline.page.locator("mjx-container svg").count() > 0
    assert "$$" not in offline.page.locator("main").inner_text()


@pytest.mark.parametrize("name", NAMES)
def test_answers_are_folded_and_open(offline, folder, name):
    """Nothing that answers a question is to be read before the reader opens it, by key."""
    offline.open(folder / f"{name}.html")
    asked = [each for each in questions() if each.notebook == name and isinstance(each, Quiz)]
    read = offline.page.locator("main").inner_text()
    assert [option.why for each in asked for option in each.options if option.why in read] == []
    for each in asked[:1]:
        for option in each.options:
            fold = offline.page.locator("details", has=offline.page.get_by_text(option.text))
            fold.first.locator("summary").focus()
            offline.page.keyboard.press("Enter")
            assert option.why in fold.first.inner_text()


def test_index_leads_to_every_page(offline, folder):
    offline.open(folder / "index.html")
    links = offline.page.evaluate("[...document.links].map(link => link.getAttribute('href'))")
    assert {f"{name}.html" for name in NAMES} <= set(links)


def test_a_missing_picture_is_noticed(offline, folder):
    html = (folder / "index.html").read_text("utf-8")
    picture = '<img src="gone.png" alt="A picture that nobody has put here">'
    (folder / "gap.html").write_text(html.replace("<ol>", f"{picture}<ol>"), "utf-8")
    offline.open(folder / "gap.html")
    assert offline.broken_pictures() != []
    assert any("gone.png" in url for url in offline.missing)
