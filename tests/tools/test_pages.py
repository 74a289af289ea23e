"""The portfolio's pages: complete, the same in both forms, and safe to open."""

import html as htmllib
import platform
import re
from html.parser import HTMLParser

import jax
import nbconvert.filters
import pytest
from asking import answer, kinds
from hypothesis import given, settings
from hypothesis import strategies as st

from lessonlib.teaching.ask import pages, storage
from lessonlib.teaching.ask.comparison import reveal
from lessonlib.teaching.ask.questions import Quiz, questions

NASTY = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "[a](javascript:alert(1)) ![b](http://x/y.png) <http://x>",
    "*a* _b_ `c` # d | e $f$ ~~g~~",
    "&lt;b&gt; &amp;",
    "</pre></dd><h1>gotcha</h1>",
    "```\n</code><b>out</b>\n````",
]
TEXTS = st.sampled_from(NASTY) | st.text(
    st.characters(exclude_categories=("C", "Zl", "Zp"), include_characters="\n"), max_size=40
)


class Tags(HTMLParser):
    """The tags and the text of a page, as a browser would find them."""

    def __init__(self, page):
        super().__init__()
        self.found, self.attributes, self.text = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def flat(text):
    return " ".join(text.split())


def kept(text):
    """Chapters in which a student typed `text` wherever anything can be typed."""
    one = [
        (
            "prediction",
            "gone",
            {"prompt": text, "answer": text, "confidence": text, "reason": text},
        ),
        ("quiz", "gone", {"prompt": text, "answer": text, "right": False}),
        ("check", text, {"passed": True, "code": text, text: text}),
        ("run", text, {"values": [text, 1.5]}),
        ("reasoning", "mine", {"text": text}),
    ]
    when = storage.datetime(2026, 1, 2, 3, 4, 5, tzinfo=storage.UTC)
    return pages.chapters(storage.Event(kind, name, when, details) for kind, name, details in one)


@given(TEXTS)
def test_what_a_student_typed_is_text_in_the_page_and_never_a_tag(text):
    page = Tags(pages.html_page(kept(text), "0" * 64))
    allowed = {
        *("html", "head", "meta", "title", "style", "body", "main", "section"),
        *("h1", "h2", "h3", "p", "code", "dl", "dt", "dd", "pre"),
    }
    assert set(page.found) <= allowed
    assert page.found.count("h1") == 1
    assert flat(text) in flat(page.text)


@settings(max_examples=20)
@given(TEXTS)
def test_what_a_student_typed_is_text_in_the_markdown_twin(text):
    rendered = nbconvert.filters.markdown2html(pages.markdown_page(pages.markdown(kept(text))))
    page = Tags(rendered)
    assert not {"script", "img", "svg", "b", "em", "strong", "del", "table"} & set(page.found)
    links = [value for name, value in page.attributes if name == "href" and value[:1] != "#"]
    assert all(link.startswith("http://") for link in links)  # addresses that stand in the text
    assert page.found.count("h1") == 1
    assert flat(text) in flat(page.text)


@pytest.mark.parametrize("text", NASTY)
def test_no_script_or_other_file_is_ever_reached(text):
    page = pages.html_page(kept(text), "0" * 64)
    names = {name for name, _ in Tags(page).attributes}
    assert not {name for name in names if name.startswith("on")} and "src" not in names
    assert "default-src 'none'" in htmllib.unescape(page)


def test_both_forms_hold_the_same_facts():
    asked = kinds()["probabilities"]
    answer(asked, confidence="certain", reason="flow to action 0")
    reveal(asked.id, [1.0] + [0.0] * (len(asked.labels) - 1))
    storage.record("check", "ratios", passed=False, code="def ratios():\n    return 1")
    storage.record("check", "ratios", passed=True, code="def ratios():\n    return 2")
    storage.record("run", "lesson", final_reward=1.9185447692871094, kl=[0.1, 0.2])
    chapters = pages.chapters(storage.read().events)
    forms = pages.html(chapters), re.sub(r"\\(.)", r"\1", pages.markdown(chapters))
    for form in (Tags(forms[0]).text, forms[1]):
        for fact in (
            *(asked.prompt, "certain", "flow to action 0", "has to move"),
            *("return 2", "Times recorded", "1.91854477", "[0.1, 0.2]"),
        ):
            assert fact in form, fact
        assert "return 1" not in form  # the last attempt is the one shown
    assert forms[0].count("<img") == 1


def test_the_first_answer_is_the_one_shown():
    asked = kinds()["number"]
    for value in (asked.low, asked.high):
        details = {"prompt": asked.prompt, "confidence": "guess", "reason": ""}
        storage.record("prediction", asked.id, answer=value, **details)
    (entry,) = pages.chapters(storage.read().events)[0].entries
    assert f"{asked.low:.4g}" in dict(fact[:2] for fact in entry.facts)["Answer"]


def test_confidence_is_set_beside_being_right():
    for asked in [asked for asked in questions() if type(asked) is type(kinds()["choice"])][:4]:
        answer(asked, confidence="certain")
        reveal(asked.id)
    rights = [event.details["right"] for event in storage.read("outcome").events]
    (entry,) = pages.chapters(storage.read().events)[1].entries
    assert entry.facts[0][:2] == ("Certain", f"{sum(rights)} of {len(rights)} right")


def test_each_try_of_a_quiz_question_is_shown():
    asked = next(asked for asked in questions() if isinstance(asked, Quiz))
    for option in asked.options[:2]:
        storage.record(
            "quiz", asked.id, prompt=asked.prompt, answer=option.text, right=option.right
        )
    (entry,) = pages.chapters(storage.read().events)[2].entries
    assert [fact.label for fact in entry.facts] == ["Try 1", "Try 2"]
    assert [asked.options[n].text in entry.facts[n].text for n in (0, 1)] == [True, True]


def test_an_empty_portfolio_says_so_in_every_chapter():
    chapters = pages.chapters([])
    assert not any(chapter.entries for chapter in chapters)
    page = pages.html(chapters)
    assert all(chapter.empty in page for chapter in chapters)


def test_the_fingerprint_follows_every_change_and_nothing_else():
    one, same, other = (pages.markdown(kept(text)) for text in ("a", "a", "b"))
    assert pages.fingerprint(one) == pages.fingerprint(same) != pages.fingerprint(other)


def test_versions_are_those_that_run():
    facts = {fact.label: fact.text for fact in pages.versions()}
    assert facts["jax"] == jax.__version__ and facts["Python"] == platform.python_version()
