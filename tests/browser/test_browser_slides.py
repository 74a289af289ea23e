"""The decks on a projector of 1280 × 720, opened from files with the network cut."""

from pathlib import Path

import pytest

from notebooks.tools import publish

NAMES = sorted(path.stem for path in publish.FOLDER.glob("*.ipynb"))
SMALLEST = 14  # pixels on a picture of 720 lines; anything smaller is not read from the back row
# Each slide with all its fragments shown: how far it reaches, and its smallest letters.
MEASURE = """() => {
    Reveal.configure({fragments: false});
    return Reveal.getSlides().map(slide => {
        const {h, v} = Reveal.getIndices(slide);
        Reveal.slide(h, v);
        const seen = [...slide.querySelectorAll('*')].filter(
            part => !part.closest('aside, details > :not(summary), mjx-container') &&
                part.getBoundingClientRect().height > 0);
        const boxes = seen.map(part => part.getBoundingClientRect());
        const written = seen.filter(part =>
            [...part.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
        return {
            place: `${h}/${v}`,
            right: Math.max(...boxes.map(box => box.right)),
            bottom: Math.max(...boxes.map(box => box.bottom)),
            letters: Math.min(...written.map(part => parseFloat(getComputedStyle(part).fontSize))),
            empty: !slide.innerText.trim() && !slide.querySelector('img'),
        };
    });
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("Folien für alle")  # spaces and letters beyond ASCII
    publish.slides(folder)
    return folder


@pytest.fixture
def deck(offline, folder, request):
    offline.open(folder / f"{request.param}.html")
    offline.page.wait_for_function("Reveal.isReady()")
    return offline


@pytest.mark.parametrize("deck", [*NAMES, "index"], indirect=True)
def test_every_slide_fits_and_can_be_read(deck, folder, artefacts, request):
    slides = deck.page.evaluate(MEASURE)
    too_large = [s for s in slides if s["bottom"] > 720 or s["right"] > 1280]
    assert [(s["place"], s["right"], s["bottom"]) for s in too_large] == []
    assert [(s["place"], s["letters"]) for s in slides if (s["letters"] or 99) < SMALLEST] == []
    assert [s["place"] for s in slides if s["empty"]] == []
    assert deck.broken_pictures() == []
    assert deck.broken_links(folder) == []
    assert deck.missing == []
    name = request.node.callspec.params["deck"]
    deck.page.evaluate("Reveal.slide(0)")
    deck.page.screenshot(path=artefacts / f"slides-{name}.png")


@pytest.mark.parametrize("deck", NAMES, indirect=True)
def test_keys_turn_every_slide(deck):
    """Space goes on to the end, fragment by fragment, and no slide is left out."""
    total = deck.page.evaluate("Reveal.getTotalSlides()")
    visited = set()
    for _ in range(20 * total):
        visited.add(deck.page.evaluate("JSON.stringify(Reveal.getIndices()).split(',\"f\"')[0]"))
        if deck.page.evaluate("Reveal.isLastSlide() && !Reveal.availableFragments().next"):
            break
        deck.page.keyboard.press("Space")
    assert len(visited) == total


@pytest.mark.parametrize("deck", ["04_baseline"], indirect=True)
def test_formulas_are_set(deck):
    assert deck.page.locator("mjx-container svg").count() > 0
    assert "$$" not in deck.page.locator(".slides").inner_text()


@pytest.mark.parametrize("deck", ["03_signed_clipping"], indirect=True)
def test_a_note_is_for_the_speaker_only(deck):
    notes = deck.page.locator("aside.notes")
    assert notes.count() > 0
    assert not any(note.is_visible() for note in notes.all())
    with deck.context.expect_page() as opened:
        deck.page.keyboard.press("s")
    speaker = opened.value
    speaker.wait_for_load_state()
    assert "Speaker View" in speaker.title()
    speaker.close()


def test_a_slide_that_is_too_tall_is_noticed(offline, folder):
    html = (folder / "index.html").read_text("utf-8")
    tall = folder / "tall.html"
    tall.write_text(html.replace("<ol>", '<p style="height:700px">tall</p><ol>'), "utf-8")
    offline.open(Path(tall))
    offline.page.wait_for_function("Reveal.isReady()")
    assert max(slide["bottom"] for slide in offline.page.evaluate(MEASURE)) > 720
