"""Answers about whole pages: parts, silent cuts, gaps, progress, cancellation, the cache and the receipt."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

import chrome_tab_mcp_server as server
from demo.tiny_model import TinyModel
from tests.asking import asking, error_of, receipt_of, text_of
from tests.fake_models import (
    HANG,
    FakeLlamaCpp,
    FakeOllama,
    FakeOpenAIServer,
    Reply,
    Request,
    answer,
    as_json,
    as_text,
    delta,
    events,
    joined,
    refused_port,
    tokens_by_byte,
    tokens_by_four_characters,
    tokens_by_word,
    tokens_like_usual,
    too_long,
)
from tests.fake_osascript import FakeOsascript, installed

WAIT_S = 20
PROMPT = "List the facts."
ENGLISH = "the ferry leaves harbour at noon and every ticket for two children costs seventeen crowns".split()
CHINESE = "这艘渡轮中午离开港口每张儿童票价十七克朗周末另有夜间航班"
FACTS = 200


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow at once."""
    monkeypatch.setattr(server, "RETRY_DELAY_S", 0.0)


@pytest.fixture
def osascript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOsascript:
    return installed(tmp_path / "fake", monkeypatch)


@pytest.fixture
async def ollama() -> AsyncGenerator[FakeOllama]:
    async with FakeOllama(2048) as fake:
        yield fake


# --- Pages ---


def prose(rng: random.Random, chars: int) -> str:
    words = [rng.choice(ENGLISH) + rng.choice(["", "", "", ",", ".", ".\n\n"]) for _ in range(chars // 5)]
    return " ".join(words)[:chars]


def chinese(rng: random.Random, chars: int) -> str:
    return "".join(rng.choice([*CHINESE, "。"]) for _ in range(chars))


def base64(rng: random.Random, chars: int) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return "".join(rng.choices(letters, k=chars))


def prose_then_base64(rng: random.Random, chars: int) -> str:
    return prose(rng, chars // 2) + "\n" + base64(rng, chars - chars // 2)


def with_facts(text: str) -> str:
    """The text with a fact at each of `FACTS` places, on a line of its own."""
    step = len(text) / FACTS
    pieces = [text[int(i * step) : int((i + 1) * step)] + f"\nfact{i:03d}\n" for i in range(FACTS)]
    return "".join(pieces)


def facts_in(seen: str) -> int:
    return sum(f"fact{i:03d}" in seen for i in range(FACTS))


def page_of(kind: Callable[[random.Random, int], str], tokenize: Callable[[str], list[str]], tokens: int) -> str:
    """A page of a kind that takes about so many tokens, with its facts."""
    rng = random.Random(1)
    rate = len(tokenize(kind(rng, 4000))) / 4000
    page = with_facts(kind(rng, int(1.05 * tokens / rate)))
    assert len(tokenize(page)) >= tokens
    return page


PAGES = [
    pytest.param(prose, tokens_like_usual, id="prose"),
    pytest.param(prose, tokens_by_four_characters, id="prose, four characters a token"),
    pytest.param(prose, tokens_by_word, id="prose, a word a token"),
    pytest.param(prose, tokens_by_byte, id="prose, a byte a token"),
    pytest.param(chinese, tokens_like_usual, id="Chinese"),
    pytest.param(chinese, tokens_by_four_characters, id="Chinese, four characters a token"),
    pytest.param(prose_then_base64, tokens_like_usual, id="prose, then base64"),
    pytest.param(base64, tokens_by_four_characters, id="base64, four characters a token"),
]


TOLD_TOO_MUCH = [
    pytest.param(40_000, prose, tokens_like_usual, id="prose"),
    pytest.param(16_384, prose, tokens_by_byte, id="prose, a byte a token"),
    pytest.param(40_000, chinese, tokens_like_usual, id="Chinese"),
    pytest.param(16_384, chinese, tokens_by_four_characters, id="Chinese, four characters a token"),
    pytest.param(16_384, prose_then_base64, tokens_like_usual, id="prose, then base64"),
    pytest.param(16_384, base64, tokens_by_four_characters, id="base64, four characters a token"),
]


# --- The whole page is seen ---


@pytest.mark.parametrize(("kind", "tokenize"), PAGES)
async def test_every_fact_of_a_page_20_windows_long_is_seen_by_the_model(
    kind: Callable[[random.Random, int], str], tokenize: Callable[[str], list[str]], osascript: FakeOsascript
) -> None:
    osascript.shows(page_of(kind, tokenize, 20 * 2048))
    async with FakeOllama(2048, tokenize) as fake, asking(fake) as asker:
        receipt = receipt_of(await asker.ask(system_prompt=PROMPT))

    assert facts_in(joined(fake.seen)) == FACTS
    assert receipt["characters_read"] == receipt["page_characters"]
    assert (receipt["window"], receipt["window_source"]) == (2048, "Ollama /api/ps")


@pytest.mark.parametrize(("told", "kind", "tokenize"), TOLD_TOO_MUCH)
async def test_every_fact_is_seen_although_the_context_length_is_set_too_large(
    told: int,
    kind: Callable[[random.Random, int], str],
    tokenize: Callable[[str], list[str]],
    osascript: FakeOsascript,
) -> None:
    osascript.shows(page_of(kind, tokenize, 20 * 2048))
    async with FakeOllama(2048, tokenize) as fake, asking(fake, context_length=told) as asker:
        receipt_of(await asker.ask(system_prompt=PROMPT))

    assert facts_in(joined(fake.seen)) == FACTS


async def test_every_fact_is_seen_although_the_server_tells_a_wrong_window(osascript: FakeOsascript) -> None:
    osascript.shows(page_of(prose, tokens_like_usual, 20 * 2048))
    async with FakeOllama(2048, told=32_768) as fake, asking(fake) as asker:
        receipt = receipt_of(await asker.ask(system_prompt=PROMPT))

    assert facts_in(joined(fake.seen)) == FACTS
    assert receipt["window_source"] == "shown by the server"
    assert 2048 <= receipt["window"] <= 2200


async def test_a_single_request_shows_the_model_less_than_a_tenth(ollama: FakeOllama) -> None:
    page = page_of(prose, tokens_like_usual, 20 * 2048)

    class Silent:
        def wrote(self, tokens: int) -> None: ...
        def retrying(self, reason: str) -> None: ...

    model_server = server.ModelServer(ollama.url, api_key=None, timeout_s=20)
    messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": page}]
    await model_server.complete("fake-model", messages, watcher=Silent(), stream=False)
    await model_server.close()

    assert 0 < facts_in(joined(ollama.seen)) < FACTS / 10
