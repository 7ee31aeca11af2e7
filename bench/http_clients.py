"""One server for many HTTP clients at once, compared with sessions over stdio: `measure_http`.

Alone: python -m bench.http_clients. Everything is a real process on loopback; the model and the extension are fakes
that answer at once, so that only the transport is measured.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

import chrome_tab_mcp_server as server
from bench.lines import Line, print_lines
from chrome_tab.bridge import pairing
from tests.support.fake_extension import connected, free_port
from tests.support.fake_models import HANG, FakeOpenAIServer, Reply, Request, answer
from tests.support.tool_client import text_of

CLIENTS, SESSIONS = 50, 3
SETTLED_S, TOTAL_S = 10.0, 60.0
ROUNDS = 60
TO_STDIO, TO_GROW, TO_FREE_S = 1.3, 1.2, 1.0
MEGABYTE = 1_000_000
START_S = 60
PAGE_TEXT = "word " * 400


def asked(request: Request) -> Reply:
    """Answer with the question, so that mixed-up answers are noticed; one question is never answered."""
    question = request.instruction
    return HANG if question == "hang" else answer(f"You asked: {question}.")


async def be_the_extension(port: int, ready: asyncio.Event) -> None:
    """Answer every command with the page of the command's tab."""
    async with connected(port, pairing.pairing_key()) as extension:
        ready.set()
        while True:
            command = await extension.receive()
            if command["type"] == "command":
                number = command.get("tab_id", 0)
                page = {
                    "tab_id": number,
                    "url": f"https://{number}.test/",
                    "title": "T",
                    "text": f"{number} {PAGE_TEXT}",
                }
                await extension.reply(command, page)


@asynccontextmanager
async def http_process(port: int, model: str) -> AsyncGenerator[psutil.Process]:
    """Start the server over HTTP, and end it with the signal that a service manager sends."""
    arguments = [server.__file__, "--transport", "http", "--port", str(port), "--source", "extension"]
    arguments += ["--ollama-url", model, "--model", "fake-model", "--context-length", "8192", "--parallel", "16"]
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stderr=asyncio.subprocess.PIPE)
    assert process.stderr
    try:
        await asyncio.wait_for(process.stderr.readline(), START_S)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        await asyncio.wait_for(process.communicate(), START_S)


def over_http(port: int) -> Client[Any]:
    bearer = pairing.bearer_key(pairing.pairing_key())
    headers = {"authorization": f"Bearer {bearer}"}
    return Client(StreamableHttpTransport(f"http://127.0.0.1:{port}/mcp", headers=headers))


def over_stdio(port: int, model: str) -> Client[Any]:
    arguments = [server.__file__, "--port", str(port), "--source", "extension", "--ollama-url", model]
    arguments += ["--model", "fake-model", "--context-length", "8192"]
    return Client(StdioTransport(sys.executable, arguments, env=dict(os.environ), keep_alive=False))


class Load:
    """Clients that send requests until a given time, each a different one."""

    def __init__(self) -> None:
        self.right = 0
        self.wrong = 0
        self.ends_at = time.monotonic() + TOTAL_S

    async def ask(self, client: Client[Any], number: int) -> None:
        """Ask about tab `number`, with another question each time."""
        count = 0
        while time.monotonic() < self.ends_at:
            count += 1
            question = f"{number} for the {count}th time"
            result = await client.call_tool("process_chrome_tab", {"system_prompt": question, "tab_id": number})
            self._count(f"You asked: {question}." in text_of(result))

    async def read(self, client: Client[Any], number: int) -> None:
        """Read tab `number`."""
        while time.monotonic() < self.ends_at:
            result = await client.call_tool("read_chrome_tab", {"tab_id": number})
            self._count(text_of(result).startswith(f"{number} "))

    def _count(self, is_right: bool) -> None:  # noqa: FBT001
        self.right += is_right
        self.wrong += not is_right


async def measure_load(stack: AsyncExitStack, port: int, model: str, process: psutil.Process) -> list[Line]:
    """Let all clients send requests at once, and measure the server's memory after a while and at the end."""
    asking = [await stack.enter_async_context(over_http(port)) for _ in range(CLIENTS)]
    reading = [await stack.enter_async_context(over_stdio(port, model)) for _ in range(SESSIONS)]
    load = Load()
    work = [load.ask(client, number) for number, client in enumerate(asking)]
    work += [load.read(client, 1000 + number) for number, client in enumerate(reading)]
    running = asyncio.gather(*work)
    await asyncio.sleep(SETTLED_S)
    memory, files = process.memory_info().rss, process.num_fds()
    await running
    calls = load.right + load.wrong
    return [
        (f"lost or mixed up, {CLIENTS} HTTP clients and {SESSIONS} sessions", load.wrong, "calls", calls, "calls", 0),
        (
            "memory at the end",
            process.memory_info().rss / MEGABYTE,
            f"after {SETTLED_S:g} s",
            memory / MEGABYTE,
            "MB",
            TO_GROW,
        ),
        ("open files at the end", process.num_fds(), f"after {SETTLED_S:g} s", files, "files", 1.0),
    ]


async def median_s(call: Callable[[], Awaitable[Any]]) -> float:
    """Return the median seconds of a call."""
    seconds: list[float] = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        await call()
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds)


async def measure_call(port: int, model: str) -> list[Line]:
    """Time a tool call over HTTP compared with the same over stdio, through a follower of the same server."""
    async with over_http(port) as http, over_stdio(port, model) as stdio:
        for client in (http, stdio):
            await client.call_tool("read_chrome_tab")
        ours = await median_s(lambda: http.call_tool("read_chrome_tab"))
        other = await median_s(lambda: stdio.call_tool("read_chrome_tab"))
    return [("a tool call over HTTP", 1000 * ours, "over stdio", 1000 * other, "ms", TO_STDIO)]


async def measure_vanishing(port: int, model: FakeOpenAIServer) -> list[Line]:
    """Time how long the model continues to work for a client that is gone."""
    async with over_http(port) as client:
        call = asyncio.create_task(client.call_tool("process_chrome_tab", {"system_prompt": "hang"}))
        await asyncio.wait_for(model.hanging.wait(), START_S)
        begun = time.perf_counter()
        call.cancel()
        await asyncio.wait({call})
        await asyncio.wait_for(model.left.wait(), START_S)
        waited = time.perf_counter() - begun
    return [("model freed after its client has gone", waited, "limit", TO_FREE_S, "s", 1.0)]


async def measure_http() -> list[Line]:
    """Measure everything in one run."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(mock.patch.dict(os.environ, XDG_CONFIG_HOME=str(folder)))
        model = await stack.enter_async_context(FakeOpenAIServer(script=asked))
        port = free_port()
        process = await stack.enter_async_context(http_process(port, model.url))
        ready = asyncio.Event()
        extension = asyncio.create_task(be_the_extension(port, ready))
        stack.callback(extension.cancel)
        await asyncio.wait_for(ready.wait(), START_S)
        lines = await measure_call(port, model.url)
        lines += await measure_vanishing(port, model)
        async with AsyncExitStack() as clients:
            lines += await measure_load(clients, port, model.url, process)
        return lines


if __name__ == "__main__":
    print_lines(asyncio.run(measure_http()))
