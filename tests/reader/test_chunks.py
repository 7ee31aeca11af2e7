"""Chunks of a long page: where they are cut, what context each shows, how full they are, and what is saved."""

import json
import random
import re
import stat
from typing import Any

import pytest

import chrome_tab_mcp_server as server
from chrome_tab_mcp_server import TextLayout, split_text
from tests.support.fake_models import FakeOllama, FakeOpenAIServer, answer
from tests.support.fake_osascript import FakeOsascript
from tests.support.tool_client import receipt_of, serving, text_of

WORDS = [
    "the",
    "ferry",
    "leaves",
    "old",
    "harbour",
    "at",
    "noon",
    "and",
    "every",
    "ticket",
    "for",
    "two",
    "children",
    "costs",
    "seventeen",
    "crowns",
]


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=12)).capitalize() + "."


def article(sections: int = 40) -> str:
    rng = random.Random(1)  # noqa: S311 -- the same page in each run
    paragraphs = ("\n\n".join(" ".join(sentence(rng) for _ in range(5)) for _ in range(3)) for _ in range(sections))
    return "\n\n".join(f"{'#' * (1 + number % 3)} Section {number}\n\n{text}" for number, text in enumerate(paragraphs))


def table(rows: int = 400) -> str:
    return "Port\tFare\tLeaves\n" + "".join(f"Harbour {i}. East\t{i * 7} crowns\t{i % 24}:10\n" for i in range(rows))


def code(lines: int = 300) -> str:
    return "# Ferry\n\n```python\n" + "".join(f"    fare_{i} = port[{i}].fare * 2\n" for i in range(lines)) + "```\n"


def chunks_of(text: str, budget: int, **about: Any) -> list[tuple[str, list[str], str]]:
    """Return each chunk with the headings above it, and what it continues."""
    layout = TextLayout(text, **about)
    slices = split_text(text, lambda piece: len(piece) / budget, opening=layout.opening, headings=layout.headings)
    assert "".join(text[start:end] for start, end in slices) == text
    assert all(len(layout.opening(start)) + end - start <= budget for start, end in slices)
    return [(text[start:end], layout.path(start), layout.opening(start)) for start, end in slices]


def test_no_chunk_cuts_a_row_and_each_has_the_header_of_its_table() -> None:
    before = "Fares. All prices in crowns.\n\n"
    first, *rest = chunks_of(before + table() + "\nThe end.", 1000)

    assert first[0].startswith(f"{before}Port\tFare\tLeaves\n")
    assert len(rest) > 10
    for chunk, _, continued in rest[:-1]:
        assert continued == "Port\tFare\tLeaves\n"
        assert all(line.count("\t") == 2 for line in chunk.splitlines())
    assert sum(len(chunk) for chunk, *_ in rest[:-1]) / len(rest[:-1]) > 900


def test_a_chunk_of_a_markdown_table_has_its_header_and_a_chunk_after_the_table_has_none() -> None:
    rows = "".join(f"| Port {i} | {i} crowns |\n" for i in range(100))
    header = "| Port | Fare |\n| --- | --- |\n"
    text = f"# Fares\n\n{header}{rows}\n{article(4)}"
    chunks = chunks_of(text, 800, is_markdown=True)

    inside = [continued for chunk, _, continued in chunks[1:] if chunk.startswith("| Port")]
    assert len(inside) > 2
    assert set(inside) == {header}
    assert {continued for chunk, _, continued in chunks if chunk.startswith("#")} == {""}


def test_no_chunk_cuts_a_line_of_code_and_each_reopens_its_block() -> None:
    first, *rest = chunks_of(code(), 900, is_markdown=True)

    assert first[2] == ""
    assert {continued for _, _, continued in rest} == {"```python\n"}
    assert all(chunk.endswith("\n") for chunk, *_ in rest)
    assert {tuple(path) for _, path, _ in rest} == {("Ferry",)}


def test_a_hash_in_a_code_block_is_not_a_heading_and_lines_of_plain_text_are_not_either() -> None:
    text = "# Ferry\n\n```sh\n# not a heading\n```\n\nAt noon.\n\n## Fares\n\n17"

    markdown = TextLayout(text, is_markdown=True)
    assert markdown.path(len(text)) == ["Ferry", "Fares"]
    assert markdown.path(text.index("At noon")) == ["Ferry"]
    # A chunk that begins with a heading shows the ones above it.
    assert markdown.path(text.index("## Fares")) == ["Ferry"]
    assert TextLayout(text).path(len(text)) == []


def test_chunks_end_before_a_heading_or_at_a_sentence_and_know_the_headings_above() -> None:
    chunks = chunks_of(article(), 3000, is_markdown=True)

    assert sum(chunk.startswith("#") for chunk, *_ in chunks) >= len(chunks) / 3
    for chunk, path, _ in chunks[1:]:
        assert chunk.rstrip()[-1] == "."
        assert path or chunk.startswith("# ")


def test_headings_reported_by_the_page_function_are_at_line_starts() -> None:
    text = "Home\nFares\n\nAbout Fares today\n\nChildren\n\nFree.\n\nDogs\n\nNot free."
    listed = [(text.index("Fares"), 1), (text.index("Children"), 2), (text.index("Dogs"), 2)]
    # Headings that are out of order, inside a line or past the end are dropped.
    wrong = [(text.index("Children"), 1), (text.index("today"), 1), (len(text), 1), (-1, 1)]
    layout = TextLayout(text, listed + wrong)

    assert layout.path(text.index("Free.")) == ["Fares", "Children"]
    assert layout.path(text.index("Not free.")) == ["Fares", "Dogs"]
    assert layout.path(text.index("About")) == ["Fares"]


@pytest.mark.parametrize("headings", [None, 7, {}, [1], [[1]], [["1", 1]], [[0, "Fares"]], [[]], [[1.5, 1]]])
def test_malformed_headings_are_dropped(headings: Any) -> None:
    malformed = server.page_from({"headings": headings}, "text", "extension")
    assert (malformed.repeated_lines, malformed.headings) == (0, ())
    page = server.page_from({"headings": [[5, 2]], "repeated": 3}, "text", "extension")
    assert (page.repeated_lines, page.headings) == (3, ((5, 2),))


@pytest.mark.parametrize(
    "text",
    [
        "\t" * 200_000,
        "a\t" * 100_000 + "\n" + "x" * 200_000,
        "|" * 200_000,
        "```\n" * 50_000,
        "# a\n" * 50_000,
        "#" * 200_000,
    ],
)
def test_odd_text_is_scanned_only_once(text: str) -> None:
    """It finishes: quadratic behavior would take minutes."""
    layout = TextLayout(text, is_markdown=True)

    assert len(layout.headings) <= server.MAX_HEADINGS
    layout.opening(len(text))


# --- While reading ---

WINDOW = 4096
ROOM = WINDOW * 3 // 4


async def read(fake: FakeOllama, prompt: str, *, model: str = "fake-model") -> dict[str, Any]:
    async with serving(fake, model=model) as asker:
        return receipt_of(await asker.ask(system_prompt=prompt))


@pytest.mark.parametrize("text", [article(), table(580)], ids=["prose", "table"])
async def test_chunks_fill_three_quarters_of_the_windows_room_and_are_the_same_for_every_prompt(
    text: str, osascript: FakeOsascript
) -> None:
    osascript.shows(text)
    async with FakeOllama(WINDOW) as fake:
        await read(fake, "When?")  # teaches the model's token rates
        osascript.shows(text, mode="normal")
        for prompt in ("What does it cost?", "Which words does the page use most of all, and which of them are names?"):
            fake.requests.clear()
            fake.sizes.clear()
            receipt = await read(fake, prompt)
            assert all(size >= 0.75 * ROOM for size in fake.sizes[: receipt["chunks"] - 1])
            assert max(fake.sizes) <= WINDOW
        again = fake.chats
        fake.requests = []
        await read(fake, "Who?")

    prefixes = [[request.prefix for request in chats if "[Part" in request.data] for chats in (again, fake.chats)]
    assert len(prefixes[0]) == receipt["chunks"] > 3
    assert prefixes[0] == prefixes[1]


@pytest.mark.parametrize("mode", ["normal", "incognito", ""])
async def test_the_first_reading_has_the_same_chunks_as_the_next_sessions(mode: str, osascript: FakeOsascript) -> None:
    """The cuts are saved, because the model's rates have just been learned; but not for a private window."""
    osascript.shows(article(), mode=mode)
    async with FakeOllama(WINDOW) as fake:
        await read(fake, "When?")
        first, fake.requests = fake.chats, []
        await read(fake, "What does it cost?")

    same = [request.prefix for request in first[:-1]] == [request.prefix for request in fake.chats[:-1]]
    kept = json.loads(server.memory_file().read_text())
    assert (same, len(kept["plans"])) == ((True, 1) if mode == "normal" else (False, 0))


async def test_a_page_that_fits_is_not_split_before_or_after_anything_is_learned(osascript: FakeOsascript) -> None:
    async with FakeOllama(WINDOW) as fake:
        for seed in range(2):
            text = article()[seed : 4 * 2400 + seed]
            osascript.shows(text)
            assert (await read(fake, "When?"))["chunks"] == 1
            assert fake.sizes[-1] > 0.6 * ROOM


def scale_learned_rate(factor: float) -> None:
    """Change what the model's memory file says about Latin text."""
    path = server.memory_file()
    kept = json.loads(path.read_text())
    kept["models"]["fake-model"]["factors"]["latin"] *= factor
    path.write_text(json.dumps(kept))


async def test_chunks_that_were_read_before_stay_the_same_when_the_rates_rise(osascript: FakeOsascript) -> None:
    osascript.shows(article(), mode="normal")
    async with FakeOllama(WINDOW) as fake:
        await read(fake, "When?")
        first, fake.requests = fake.chats, []
        scale_learned_rate(1.5)
        await read(fake, "What does it cost?")

    assert len(first) > 3
    assert [request.prefix for request in fake.chats[:-1]] == [request.prefix for request in first[:-1]]


async def test_the_rest_of_a_page_is_split_by_what_its_first_chunk_has_shown(osascript: FakeOsascript) -> None:
    osascript.shows(article())
    async with FakeOllama(WINDOW) as fake:
        await read(fake, "When?")
        scale_learned_rate(1.4)
        fake.sizes.clear()
        await read(fake, "What does it cost?")

    first, second, *_ = fake.sizes
    assert first < 0.75 * ROOM < second


def sparse(text: str) -> list[str]:
    """Split into so few tokens per word that the lower bound is wrong."""
    return [text[at : at + 16] for at in range(0, len(text), 16)]


def uneven(text: str) -> list[str]:
    """Split the letters after m into twice as many tokens as the others."""
    return re.findall(r"[n-z ]{1,2}|[^n-z]{1,5}", text)


@pytest.mark.parametrize(
    ("text", "fake", "plans"),
    [
        pytest.param(article(), FakeOllama(WINDOW, sparse), 1, id="wrong suspicion"),
        pytest.param(article(), FakeOllama(WINDOW // 2, reported=WINDOW), 0, id="smaller window"),
        pytest.param("back " * 5600 + "sorry " * 2000, FakeOllama(WINDOW, uneven), 0, id="last chunk cut"),
    ],
)
async def test_a_wrong_suspicion_keeps_the_plan_and_a_cut_does_not(
    text: str, fake: FakeOllama, plans: int, osascript: FakeOsascript
) -> None:
    osascript.shows(text, mode="normal")
    async with fake:
        receipt = await read(fake, "When?")

    assert receipt["requests"] > receipt["chunks"] + 1
    assert len(json.loads(server.memory_file().read_text())["plans"]) == plans


async def test_a_page_that_fits_is_not_split_by_rates_that_are_too_high(osascript: FakeOsascript) -> None:
    async with FakeOllama(WINDOW) as fake:
        osascript.shows(article()[:9000])
        await read(fake, "When?")
        scale_learned_rate(1.15)
        osascript.shows(article()[:11_000])
        receipt = await read(fake, "When?")

    assert receipt["chunks"] == 1
    assert 0.85 * ROOM < fake.sizes[-1] < ROOM


@pytest.mark.posix
async def test_the_memory_file_contains_numbers_and_no_text_and_is_private(osascript: FakeOsascript) -> None:
    osascript.shows(article(), mode="normal")
    async with FakeOllama(WINDOW) as fake:
        await read(fake, "When?")

    path = server.memory_file()
    kept = json.loads(path.read_text())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(kept["models"]) == ["fake-model"]
    assert all(isinstance(end, int) for ends in kept["plans"].values() for end in ends)
    assert not any(word in path.read_text() for word in ("ferry", "Section", "page.test", "When"))


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"models": 7, "plans": []}', '{"plans": {"x": ["y"]}, "models": {"fake-model": []}}']
)
async def test_a_damaged_memory_file_is_harmless(damage: str, osascript: FakeOsascript) -> None:
    osascript.shows(article(4))
    path = server.memory_file()
    path.parent.mkdir(parents=True)
    path.write_text(damage)
    async with FakeOllama(2048) as fake:
        receipt = await read(fake, "When?")

    assert receipt["characters_read"] == receipt["page_characters"]
    assert json.loads(path.read_text())["models"]["fake-model"]["factors"]


async def test_each_chunk_shows_the_title_and_what_it_continues_from_the_page_alone(osascript: FakeOsascript) -> None:
    osascript.shows(table(600))
    async with FakeOpenAIServer(answer("Noted.")) as fake, serving(fake, context_length=4096) as asker:
        text_of(await asker.ask(system_prompt="When?"))

    chunks = [request.data for request in fake.chats if request.data.startswith("[Part")]
    assert chunks[0].startswith("[Part 1 of 'A page']\n\nPort\tFare\tLeaves\nHarbour 0")
    assert len(chunks) > 3
    for number, chunk in enumerate(chunks[1:], 2):
        assert chunk.startswith(f"[Part {number} of 'A page']\n\nPort\tFare\tLeaves\nHarbour ")
