"""Answers reach the client as the model wrote them, and nothing in them loads, runs or leads off the page."""

import random
import re
import tomllib
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from chrome_tab_mcp_server import plain_text, sanitize_answer, sanitize_json, settled_end, truncate_answer
from tests.support.browser import launch_chromium
from tests.support.rendered import acting

DATA = Path(__file__).parents[1] / "data"
LEGITIMATE: dict[str, Any] = tomllib.loads((DATA / "legitimate_answers.toml").read_text("utf-8"))
HOSTILE: dict[str, Any] = tomllib.loads((DATA / "hostile_answers.toml").read_text("utf-8"))
KNOWN = {
    "https://good.example/fares",
    "http://good.example/fares",
    "http://www.harbour.test",
    "https://www.harbour.test",
    "mailto:info@ferry.test",
}
# Building blocks of answers; an address may appear anywhere.
ADDRESSES = [
    *(
        "https://evil.test/SECRET",
        "//evil.com/SECRET",
        "www.evil.com/S",
        "javascript:alert(1)",
        "&#104;ttps://evil.test/S",
    ),
    *(
        "https&#58;//evil.test/S",
        "https://good.example/fares",
        "https://good.example/fares?SECRET",
        "a@evil.test",
        "/ok",
    ),
    *("<https://evil.test/S>", "https:evil.test", "data:text/html,x"),
]
PIECES = [
    *(
        "[",
        "]",
        "](",
        ")",
        "![",
        "(",
        "]: ",
        "[r]",
        "[r]: ",
        "\n[r]: ",
        "<",
        "<a href=",
        "<img src=",
        "<img alt=",
        ">",
        '"',
        "'",
    ),
    *(
        " onerror=x",
        "`",
        "``",
        "```",
        "\n```\n",
        "~~~\n",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "    ",
        "\\",
        "*",
        "_",
        "|",
        "\n|-|-|\n",
        "!",
    ),
    *(
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<pre>",
        "<b ",
        "x",
        "a b",
        " ",
        "&",
        "$",
        "=",
        "/>",
        '<p title="',
        "# ",
        "1. ",
        "{",
        "}",
    ),
    *("<svg>", "<style>", "</style>", "@import '", "url(", " style=", "~~", "\t", "</a>", "<a>"),
]


@pytest.fixture(scope="module")
def browser() -> Generator[Page]:
    with launch_chromium() as chromium:
        yield chromium.new_page()


@pytest.mark.parametrize("kind", dict.fromkeys(entry["kind"] for entry in LEGITIMATE["answer"]))
def test_legitimate_answers_arrive_as_they_were_written(kind: str) -> None:
    texts = [entry["text"] for entry in LEGITIMATE["answer"] if entry["kind"] == kind]

    assert [sanitize_answer(text, LEGITIMATE["page"])[0] for text in texts] == texts
    assert [truncate_answer(text, LEGITIMATE["page"])[1] for text in texts] == [[]] * len(texts)


@pytest.mark.e2e
@pytest.mark.parametrize("kind", dict.fromkeys(entry["kind"] for entry in HOSTILE["answer"]))
def test_nothing_in_a_hostile_answer_takes_effect_in_any_client(kind: str, browser: Page) -> None:
    texts = [entry["text"] for entry in HOSTILE["answer"] if entry["kind"] == kind]
    safe = [sanitize_answer(text, HOSTILE["page"])[0] for text in texts]

    assert [(text, found) for text, found in zip(safe, acting(browser, safe, KNOWN), strict=True) if found] == []
    # The parsers are no weaker than real clients: most answers would have taken effect.
    assert sum(map(bool, acting(browser, texts, KNOWN))) > 0.7 * len(texts)


@pytest.mark.e2e
def test_nothing_in_a_random_answer_takes_effect_in_any_client(browser: Page) -> None:
    made = random.Random(27)  # noqa: S311 -- the same texts each time
    texts = [
        "".join(made.choice(ADDRESSES if made.random() < 0.25 else PIECES) for _ in range(made.randint(3, 16)))
        for _ in range(400)
    ]
    safe = [sanitize_answer(text, HOSTILE["page"])[0] for text in texts]

    assert [(text, found) for text, found in zip(safe, acting(browser, safe, KNOWN), strict=True) if found] == []
    assert sum(map(bool, acting(browser, texts, KNOWN))) > 100


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("https://example.com", "https://example.com.evil"),
        ("https://good.example/?d=SECRET", "https://good.example/"),
        ("https://good.example/", "https://good.example/?d=1"),
        ("https://evil.test/https://good.example/", "https://good.example/"),
        ("https://good.example@evil.test/", "https://good.example/"),
        ("https://good.example/PATH", "https://good.example/path"),
    ],
)
def test_only_complete_addresses_match(written: str, known: str) -> None:
    assert sanitize_answer(written, f"See {known} for more.")[0] != written
    assert sanitize_answer(written, f"See {written}, {known}.")[0] == written


@pytest.mark.parametrize("text", [r"\/www.evil.test/S", r"a\.www.evil.test/S"])
def test_an_address_after_an_escaped_character_is_broken(text: str) -> None:
    # marked begins a new word there; other renderers do not.
    assert "www." not in sanitize_answer(text, "")[0]


def test_sanitizing_again_changes_nothing() -> None:
    made = random.Random(28)  # noqa: S311 -- the same texts each time
    texts = [entry["text"] for entry in HOSTILE["answer"]]
    texts += ["".join(made.choice(ADDRESSES + PIECES) for _ in range(12)) for _ in range(250)]
    once = [sanitize_answer(text, HOSTILE["page"])[0] for text in texts]

    assert [sanitize_answer(text, HOSTILE["page"])[0] for text in once] == once


@pytest.mark.parametrize(
    "piece",
    [
        "![a](<",
        "> ",
        "`",
        "[",
        "](",
        "<a ",
        '<a "',
        'a="',
        "a://",
        "https://a)",
        "a@b.c",
        ".com",
        "- ",
        "&#58;",
        " ",
        "\u200d",
    ],
)
def test_sanitizing_a_long_hostile_answer_takes_linear_time(piece: str) -> None:
    # Anything but linear would run into the timeout of the test.
    text = "https://evil.test/ " + piece * (100_000 // len(piece))

    assert "https ://evil.test/" in sanitize_answer(text, HOSTILE["page"])[0]


def test_an_answer_that_is_cut_is_safe_at_its_end() -> None:
    text = "`" + "x" * 90 + " https://evil.test/SECRET" + "y" * 20 + "`"

    assert sanitize_answer(text, "")[0] == text
    cut, notes = truncate_answer(text, "", 120)
    assert len(cut) <= 120
    assert "https://evil" not in cut
    assert notes[0].startswith("the answer was cut at 120")


def test_the_shown_part_of_an_unfinished_answer_never_takes_effect_and_is_its_beginning() -> None:
    page = LEGITIMATE["page"]
    for entry in LEGITIMATE["answer"] + HOSTILE["answer"]:
        # Right-to-left text after a direction mark also decides whether it stays.
        whole = re.sub("[\u200e\u200f\u2066-\u2069]", "", plain_text(entry["text"]))
        if len(whole) > 400:
            continue
        answer = sanitize_answer(whole, page)[0]
        for end in range(len(whole) + 1):
            block, words = settled_end(whole[:end])
            shown = sanitize_answer(whole[:block], page)[0] + whole[block:words]
            assert sanitize_answer(shown, page)[0] == shown
            assert answer.startswith(shown.rstrip()), (answer, shown)
    assert settled_end("It costs 17 crowns. See https://evi") == (0, len("It costs 17 crowns. See https"))
    assert settled_end("It leaves at 12") == settled_end("It leaves at 12:30") == (0, len("It leaves at "))
    assert settled_end("It leaves at 12:30, not") == (0, len("It leaves at 12:30, not"))


def test_keys_and_values_of_json_are_sanitized_and_counted() -> None:
    counts: Counter[str] = Counter()
    value = {
        "[a](//evil.com)": ["https://evil.test/", 1, None, {"x": "![a](https://good.example/fares)"}],
        "plain": "x",
    }

    assert sanitize_json(value, HOSTILE["page"], counts) == {
        "[a] (/ /evil.com)": ["https ://evil.test/", 1, None, {"x": "! [a](https://good.example/fares)"}],
        "plain": "x",
    }
    assert (counts["link"], counts["address"], counts["picture"]) == (1, 1, 1)
