"""What must keep working despite other programs, faults and load: `make soak`.

Ends by itself, with status 1 if something failed. The servers are real processes over stdio; the extension is a fake
one that answers everything and reconnects when it is disconnected, as the real one does. SECONDS and SERVERS bound the
last and longest part.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing, protocol
from tests.support.fake_extension import (
    CLOSED,
    ORIGIN,
    FakeExtension,
    connected,
    connecting,
    free_port,
    make_nonce,
    raw_request,
    wait_for_port,
)
from tests.support.fake_models import FakeOpenAIServer, Reply, Request, answer
from tests.support.stdio_server import started

ENDLESS, LONG = "^(a+)+$", "a" * 60 + "!"
PAGE = {"tab_id": 1, "text": "the page", "url": "https://page.test/", "title": "A page"}
CALL_S = 60
RETRY_S = 0.5
FRAMES, SOCKETS, CALLS, CALLS_AT_ONCE, KILLS, COMMANDS = 10_000, 800, 600, 20, 3, 200
SLOW_REQUESTS, LARGE_REPLIES, LARGE_CHARS = 300, 8, 2_000_000
GIVEN = 0.7
LONGEST_S = 150
MOST_GROWTH = 1.2
MALFORMED: list[Any] = [
    "",
    "{",
    "null",
    "[" * 5_000,
    b"\xff\x00",
    {"type": ["response"]},
    {"type": "response", "id": None, "success": True},
    {"type": "response", "id": "999999", "success": True, "result": "not asked for"},
    {"type": "event", "event": {"a": 1}},
    {"type": "\ud800"},
]
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2**63,
    1.5,
    "",
    "a",
    "x" * 60_000,
    "\x00",
    [],
    [1],
    ["a"] * 100,
    {},
    {"a": {}},
]
REPLIES: list[Any] = [None, {}, [], "text", 7, PAGE, {"values": [1]}, {"entries": [{}]}, {"value": "x" * 100_000}]

Check = tuple[str, str, bool]


class Session:
    """A server's process, and the client that started it."""

    def __init__(self, client: Client[Any], process: psutil.Process) -> None:
        self.client = client
        self.process = process

    async def call(self, tool: str = "read_chrome_tab", **arguments: Any) -> Any:
        """Call a tool; raise TimeoutError if it is not answered."""
        return await asyncio.wait_for(self.client.call_tool(tool, arguments, raise_on_error=False), CALL_S)


class Ground:
    """One port, the fake extension on it, and how sessions are started there."""

    def __init__(self, model: FakeOpenAIServer) -> None:
        self.port = free_port()
        self.key = pairing.pairing_key()
        self.reply: Callable[[], Any] = lambda: PAGE
        self.extension: FakeExtension | None = None
        self.model = model

    @property
    def arguments(self) -> list[str]:
        """Return a server's arguments."""
        model = ["--ollama-url", self.model.url, "--model", "fake-model"]
        return [*model, "--source", "extension", "--port", str(self.port)]

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Session]:
        """Start a server."""
        before = set(psutil.Process().children())
        transport = StdioTransport(
            sys.executable, [server.__file__, *self.arguments], env=dict(os.environ), keep_alive=False
        )
        async with Client(transport) as client:
            (process,) = set(psutil.Process().children()) - before
            session = Session(client, process)
            await session.call("chrome_tab_status")
            yield session

    async def answer(self) -> None:
        """Be the extension until cancelled: answer every command, and reconnect when disconnected."""
        while True:
            with suppress(OSError, ConnectionClosed, InvalidHandshake, InvalidMessage, TimeoutError, AssertionError):
                async with connected(self.port, self.key) as extension:
                    self.extension = extension
                    async for frame in extension.socket:
                        message = json.loads(frame)
                        if message["type"] == "command":
                            await extension.reply(message, self.reply())
            self.extension = None
            await asyncio.sleep(RETRY_S)

    async def comes_back(self, session: Session) -> None:
        """Wait until a session reads a page."""
        while (await session.call()).is_error:  # noqa: ASYNC110 -- no event announces it
            await asyncio.sleep(0.05)


async def wrong_proofs(ground: Ground, session: Session) -> Check:
    """Request a WebSocket with wrong headers, and replay a proof."""
    host = f"127.0.0.1:{ground.port}"
    wrong = [(host, origin) for origin in ("null", "https://evil.test", ORIGIN + "/", ORIGIN.upper(), ORIGIN[:-1])]
    wrong += [(name, ORIGIN) for name in ("evil.test", "127.0.0.1", f"{host}.evil.test", f"[::1]:{ground.port}", "")]
    fixed = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + "A" * 22
    refused = 0
    for name, origin in wrong:
        for path in ("extension", "session"):
            head = f"GET /{path} HTTP/1.1\r\n{fixed}==\r\nHost: {name}\r\nOrigin: {origin}\r\n\r\n"
            refused += (await raw_request(ground.port, head))[0] == CLOSED
    for proof in ("", "A" * 43, make_nonce()):
        async with connecting(ground.port, ground.key) as client:
            challenge = await client.challenged()
            await client.send({"type": "proof", "proof": proof or challenge["proof"]})
            refused += await client.close_code() == protocol.WRONG_KEY
    asked = 2 * len(wrong) + 3
    well = not (await session.call()).is_error
    return "wrong headers and proofs refused", f"{refused} of {asked}", refused == asked and well


async def malformed_frames(ground: Ground, session: Session) -> Check:
    """Send malformed frames as the extension."""
    assert ground.extension
    for i in range(FRAMES):
        await ground.extension.send(MALFORMED[i % len(MALFORMED)])
    well = not (await session.call()).is_error
    return "malformed frames, then a page read", f"{FRAMES:,}", well


async def idle_sockets(ground: Ground, session: Session) -> Check:
    """Open connections that send nothing."""
    idle = [await asyncio.open_connection("127.0.0.1", ground.port) for _ in range(SOCKETS)]
    well = not (await session.call()).is_error
    ended = await asyncio.wait_for(
        asyncio.gather(*(reader.read() for reader, _ in idle), return_exceptions=True), CALL_S
    )
    for _, writer in idle:
        writer.close()
    return (
        "idle sockets closed, a page read meanwhile",
        f"{len(ended):,} of {SOCKETS:,}",
        well and len(ended) == SOCKETS,
    )


async def slow_requests(ground: Ground, session: Session) -> Check:
    """Hold half-sent requests open; the extension and a new session must get through meanwhile."""
    head = f"POST /health HTTP/1.1\r\nHost: 127.0.0.1:{ground.port}\r\n"
    halves = ["POST /hea", head, f"{head}Content-Length: 1000\r\n\r\nx"]
    held = [await asyncio.open_connection("127.0.0.1", ground.port) for _ in range(SLOW_REQUESTS)]
    for i, (_, writer) in enumerate(held):
        writer.write(halves[i % len(halves)].encode())
    assert ground.extension
    began = time.monotonic()
    await ground.extension.socket.close()
    await ground.comes_back(session)
    async with ground.session() as late:
        well = not (await late.call()).is_error
    back = time.monotonic() - began
    for _, writer in held:
        writer.close()
    return f"{SLOW_REQUESTS} half requests, then the extension and a session come in", f"{back:.1f} s", well


async def suspended_follower(ground: Ground) -> Check:
    """End the leader's client while a suspended follower has not read its replies; the next session takes over."""
    async with started(*ground.arguments) as leader:
        await leader.initialize()
        await leader.request("tools/list")
        await wait_for_port(ground.port)
        async with ground.session() as follower:
            await ground.comes_back(follower)
            sent = asyncio.Event()

            def large() -> dict[str, Any]:
                follower.process.suspend()
                sent.set()
                return PAGE | {"text": "x" * LARGE_CHARS}

            ground.reply = large
            calls = [asyncio.create_task(follower.call()) for _ in range(LARGE_REPLIES)]
            await sent.wait()
            # Replies that the leader has received by then are in flight to the follower.
            await leader.request("tools/list")
            leader.close_stdin()
            began = time.monotonic()
            await asyncio.wait_for(leader.process.wait(), CALL_S)
            left = time.monotonic() - began
            ground.reply = lambda: PAGE
            async with ground.session() as heir:
                await ground.comes_back(heir)
            follower.process.resume()
            await asyncio.gather(*calls, return_exceptions=True)
    most = protocol.PORT_LEAVING_TIMEOUT_S + protocol.CLOSING_TIMEOUT_S
    return "a suspended follower does not hold its leader", f"left in {left:.1f} s", left < most


async def fuzzed_calls(ground: Ground, session: Session) -> Check:
    """Call every tool with arguments and replies of any kind: each call gets a result."""
    chance = random.Random(1)  # noqa: S311 -- no secret
    tools = await session.client.list_tools()
    waiting = asyncio.Semaphore(CALLS_AT_ONCE)
    ground.reply = lambda: chance.choice(REPLIES)

    async def one() -> bool:
        tool = chance.choice(tools)
        names = [*tool.input_schema.get("properties", {}), "nonsense"]
        arguments = {name: chance.choice(VALUES) for name in names if chance.random() < GIVEN}
        async with waiting:
            return bool((await session.call(tool.name, **arguments)).content is not None)

    done = await asyncio.gather(*(one() for _ in range(CALLS)), return_exceptions=True)
    ground.reply = lambda: PAGE
    answered = sum(result is True for result in done)
    return "fuzzed calls answered", f"{answered:,} of {CALLS:,}", answered == CALLS


async def endless_patterns(ground: Ground, session: Session) -> Check:
    """Check answers and data layers with patterns that never finish: other calls are answered meanwhile."""
    schema = {"not": {"pattern": ENDLESS}}
    layer: dict[str, Any] = {
        "name": "dataLayer",
        "values": [{"a": LONG}],
        "total": 1,
        "since": 0,
        "redacted": {},
        "notes": [],
    }
    ground.reply = lambda: PAGE | layer
    endless = [
        asyncio.create_task(session.call("getDataLayer", tab_id=1, path=f"$[?search(@.a,'{ENDLESS}')]")),
        asyncio.create_task(session.call("process_chrome_tab", output_schema={"enum": [LONG]} | schema)),
    ]
    meanwhile = 0
    while not all(task.done() for task in endless):
        meanwhile += not (await session.call()).is_error
    ground.reply = lambda: PAGE
    ended = sum("INVALID_ARGUMENT" in str(result.content) for result in await asyncio.gather(*endless))
    figure = f"{ended} of {len(endless)} ended, {meanwhile:,} pages read meanwhile"
    return "endless patterns", figure, ended == len(endless) and meanwhile > ended


async def leader_kills(ground: Ground, stack: AsyncExitStack) -> Check:
    """Kill the leader with commands in flight: each of a follower's commands ends, and a page can soon be read again."""
    back: list[float] = []
    ended = 0
    sessions = [await stack.enter_async_context(ground.session()) for _ in range(KILLS + 1)]
    for _ in range(KILLS):
        leader = next(one for one in sessions if listens(one.process, ground.port))
        sessions.remove(leader)
        calls = [asyncio.create_task(sessions[i % len(sessions)].call()) for i in range(COMMANDS)]
        await asyncio.sleep(0.05)
        os.kill(leader.process.pid, signal.SIGKILL)
        killed = time.monotonic()
        ended += sum(not isinstance(one, BaseException) for one in await asyncio.gather(*calls, return_exceptions=True))
        await ground.comes_back(sessions[0])
        back.append(time.monotonic() - killed)
    figure = f"{ended} of {KILLS * COMMANDS} commands ended, back in {', '.join(f'{s:.1f}' for s in back)} s"
    return f"{KILLS} leaders killed", figure, ended == KILLS * COMMANDS and max(back) < protocol.RECONNECT_WAIT_S


def listens(process: psutil.Process, port: int) -> bool:
    """Return whether a process owns the port."""
    return any(found.status == psutil.CONN_LISTEN and found.laddr.port == port for found in process.net_connections())


async def many_servers(ground: Ground, stack: AsyncExitStack, count: int, seconds: float) -> list[Check]:
    """Let many sessions read pages at once for a while; check errors and memory."""
    sessions = [await stack.enter_async_context(ground.session()) for _ in range(count)]
    calls = errors = 0
    until = time.monotonic() + seconds

    async def read(session: Session, end: float) -> None:
        nonlocal calls, errors
        while time.monotonic() < end:
            calls += 1
            errors += (await session.call()).is_error

    # After the first quarter a server has allocated what it needs.
    await asyncio.gather(*(read(session, until - 0.75 * seconds) for session in sessions))
    before = [session.process.memory_info().rss for session in sessions]
    await asyncio.gather(*(read(session, until) for session in sessions))
    growth = max(session.process.memory_info().rss / old for session, old in zip(sessions, before, strict=True))
    return [
        (f"{count} servers for {seconds:g} s", f"{calls:,} calls, {errors} errors", errors == 0 and calls > count),
        ("largest growth of their memory", f"{growth:.2f} times", growth < MOST_GROWTH),
    ]


def reply_of_model(request: Request) -> Reply:
    """Answer; if JSON is requested, with a text on which patterns take long."""
    return answer(json.dumps(LONG) if "response_format" in request.body else "An answer.")


async def soak(seconds: float, servers: int) -> bool:
    """Run every part; print each figure, and return whether all passed."""
    held, began = True, time.monotonic()

    async def report(part: Awaitable[Check | list[Check]]) -> None:
        nonlocal held
        checks = await part
        for what, figure, well in checks if isinstance(checks, list) else [checks]:
            held &= well
            print(f"{'ok ' if well else 'NOT'}  {what}: {figure} ({time.monotonic() - began:.0f} s)", flush=True)

    async with FakeOpenAIServer(script=reply_of_model) as model:
        ground = Ground(model)
        answering = asyncio.create_task(ground.answer())
        try:
            async with ground.session() as session:
                await ground.comes_back(session)
                await report(wrong_proofs(ground, session))
                await report(malformed_frames(ground, session))
                await report(idle_sockets(ground, session))
                await report(slow_requests(ground, session))
                await report(fuzzed_calls(ground, session))
                await report(endless_patterns(ground, session))
            await report(suspended_follower(ground))
            async with AsyncExitStack() as stack:
                await report(leader_kills(ground, stack))
            async with AsyncExitStack() as stack:
                await report(many_servers(ground, stack, servers, seconds))
        finally:
            answering.cancel()
    return held


def main() -> int:
    """Return 0 if all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="how long the servers are called")
    parser.add_argument("--servers", type=int, default=5, help="how many of them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        server.config_dir = lambda: Path(folder, server.APP_NAME)
        try:
            bounded = asyncio.wait_for(soak(given.seconds, given.servers), LONGEST_S + given.seconds)
            return 0 if asyncio.run(bounded) else 1
        except TimeoutError:
            print(f"NOT  ended after {LONGEST_S + given.seconds:g} s: something hangs, or the machine is too busy")
            return 1


if __name__ == "__main__":
    sys.exit(main())
