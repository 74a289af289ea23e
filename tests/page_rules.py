"""What every page must keep for readers without sight, mouse or colour: page to complaints.

A page is parsed HTML. Whatever shows something goes through here: notebooks with their
outputs, documents in Markdown, and what widgets and reports say.
"""

import itertools
import re

from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
SAYS_NOTHING = {"here", "click here", "link", "this", "this link", "more", "read more", "page"}
FILE_NAME = re.compile(r"\.(svg|png|jpe?g|gif|ipynb|py)\b")
CONTROLS = ("a", "button", "input", "select", "summary", "textarea")
MOVES = re.compile(
    r"transition\s*:|animation|@keyframes|<marquee|<blink|<animate|setInterval|\.gif\b|autoplay"
)


def parsed(html):
    return BeautifulSoup(html, "html.parser")


def page_of_markdown(text):
    return parsed(MARKDOWN.render(text))


def page_of_notebook(notebook):
    """Texts and outputs in their order."""
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(MARKDOWN.render(cell.source))
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            pictures = [kind for kind in data if kind.startswith("image/")]
            # Where a picture is all there is, nothing can be read instead of it.
            parts.append(data.get("text/html", "<img>" if pictures else ""))
    return parsed("".join(parts))


def headings(page):
    """One title, first; and no level left out on the way down."""
    levels = [int(tag.name[1]) for tag in page.find_all(re.compile(r"^h[1-6]$"))]
    jumps = [f"h{high} → h{low}" for high, low in itertools.pairwise(levels) if low > high + 1]
    return jumps + ([] if levels[:1] == [1] and levels.count(1) == 1 else [f"levels {levels}"])


def alternative_texts(page):
    """Each picture says in a sentence what it shows, and no two different ones say the same."""
    complaints, said = [], {}
    for tag in pictures(page):
        text = " ".join((tag.get("alt") or tag.get("aria-label") or "").split())
        if len(text.split()) < 5 or FILE_NAME.search(text):
            complaints.append(f"{tag.name}: {text!r} does not say what it shows")
        if tag.name == "img" and said.setdefault(text, tag.get("src")) != tag.get("src"):
            complaints.append(f"two pictures say {text!r}")
    return complaints


def pictures(page):
    """Images, drawings, and what plays the role of one; drawings inside those are hidden."""
    return [
        tag
        for tag in page.find_all(True)
        if (tag.name in ("img", "svg") or tag.get("role") == "img")
        and tag.get("aria-hidden") != "true"
    ]


def tables(page):
    """A table has a row of column headers, none of them empty."""
    return [
        f"table {table.get_text(' ', strip=True)[:60]!r}"
        for table in page.find_all("table")
        if not (row := table.find("tr"))
        or [cell.name for cell in row.find_all(["th", "td"])] != ["th"] * len(row.find_all("th"))
        or not all(head.get_text(strip=True) for head in table.find_all("th"))
    ]


def links(page):
    """A link's text says where it leads, and the same text always leads to the same place."""
    complaints, targets = [], {}
    for link in page.find_all("a"):
        text = " ".join(link.get_text().split())
        if text.lower() in SAYS_NOTHING or not re.search(r"\w{2}", text) or "://" in text:
            complaints.append(f"link {text!r}")
        if targets.setdefault(text, link.get("href")) != link.get("href"):
            complaints.append(f"{text!r} leads to two places")
    return complaints


def folds(page):
    """What is folded opens with one key: a summary that says what is inside comes first."""
    return [
        f"fold {fold.get_text(' ', strip=True)[:60]!r}"
        for fold in page.find_all("details")
        if not (first := fold.find(True, recursive=False))
        or first.name != "summary"
        or not re.search(r"\w{2}", first.get_text())
    ] + [f"no key reaches {tag.name}" for tag in page.find_all(CONTROLS, tabindex="-1")]


def numbers(page):
    """A figure drawn from numbers has them beside it as tables, in a fold."""
    return [
        f"figure {image.get('alt', '')[:60]!r}"
        for image in page.find_all("img")
        if (image.get("src") or "data:").startswith("data:")
        and not (
            (card := image.find_parent("figure"))
            and (fold := card.find("details"))
            and fold.find("table")
        )
    ]


def stillness(page):
    """Nothing moves or flashes, unless it heeds the reader's wish for less motion."""
    html = str(page)
    return [] if "prefers-reduced-motion" in html else MOVES.findall(html)


def only_keys(page):
    """What answers a click is something that the keyboard can reach and press."""
    return [
        f"{tag.name} answers clicks only"
        for tag in page.find_all(onclick=True)
        if tag.name not in CONTROLS
    ]


FOR_PARTS = (alternative_texts, tables, links, folds, numbers, stillness, only_keys)
RULES = (headings, *FOR_PARTS)
