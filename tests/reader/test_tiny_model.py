"""The small model that the demo and the end-to-end tests rely on: it answers, and exits when it is no longer needed."""

import socket
import urllib.parse

import httpx
import pytest

from demo.tiny_model import TinyModel, started
from tests.support.fake_osascript import FakeOsascript
from tests.support.tool_client import receipt_of, serving

QUESTION = {
    "temperature": 0,
    "messages": [{"role": "user", "content": "The ferry leaves at 22:40. When does the ferry leave?"}],
}


async def answer(model: TinyModel) -> str:
    async with httpx.AsyncClient(timeout=60) as client:
        reply = await client.post(f"{model.url}/v1/chat/completions", json={"model": model.model, **QUESTION})
    return str(reply.raise_for_status().json()["choices"][0]["message"]["content"])


async def test_tiny_model_is_deterministic(tiny_model: TinyModel) -> None:
    first = await answer(tiny_model)

    assert first.strip()
    assert await answer(tiny_model) == first


@pytest.mark.e2e
async def test_small_window_is_read_in_chunks_and_the_port_is_free_at_the_end_of_the_block(
    osascript: FakeOsascript,
) -> None:
    osascript.shows("\n\n".join(f"Stop {i}: the bus leaves at {i + 5}:10 from the market square." for i in range(8)))
    with started(context_length=512) as small:
        async with serving(small.url, model=small.model) as asker:
            receipt = receipt_of(await asker.ask(system_prompt="Which stop is the first?"))

    assert (receipt["window"], receipt["window_source"]) == (512, "llama.cpp /props")
    assert receipt["chunks"] > 1
    assert receipt["characters_read"] == receipt["page_characters"]
    assert receipt["retries"] == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(small.url).port or 0), timeout=5)
