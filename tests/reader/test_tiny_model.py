"""The small model that the demo and the end-to-end tests rely on: it answers, and exits when it is no longer needed."""

import socket
import urllib.parse

import httpx
import pytest

from demo.tiny_model import TinyModel, started

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
def test_tiny_model_frees_its_port_at_the_end_of_the_block() -> None:
    with started() as server:
        address = ("127.0.0.1", urllib.parse.urlsplit(server.url).port or 0)
        socket.create_connection(address, timeout=5).close()

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=5)
