"""The extension's half of the wire protocol, honest or not, for tests of the server's bridge."""

import asyncio
import base64
import functools
import hmac
import itertools
import json
import secrets
import socket
from collections.abc import AsyncGenerator, Awaitable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import psutil
from fastmcp import Client
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Message = dict[str, Any]

ORIGIN = "chrome-extension://odmielohngedldmmnjkobeohjielmdjk"
WAIT_S = 60
CLOSED = 0
# How many ports a test process owns: one that a server has used stays taken for a minute.
PORTS = 500
# Below the ports that systems assign, and above 10080, the last one that browsers refuse to connect to.
FIRST_PORT, LAST_PORT = 11_000, 32_000
# The parameters for tests that do not care what is read.
PAGE = {"tab_id": 1, "text": "the page", "url": "https://page.test/", "title": "A page"}


def encode(data: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def make_nonce() -> str:
    return encode(secrets.token_bytes(32))


def make_proof(key: str, role: str, port: int, client_nonce: str, server_nonce: str) -> str:
    statement = f"chrome-tab-reader/1|{role}|{port}|{client_nonce}|{server_nonce}"
    return encode(hmac.digest(base64.urlsafe_b64decode(key + "="), statement.encode(), "sha256"))


def free_port() -> int:
    """Return a port below those that systems assign: no connection can get it meanwhile, and no other process."""
    for port in own_ports():
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError


@functools.cache
def own_ports() -> Iterator[int]:
    """Cycle through ports that no other test process uses: a process owns them by holding the port before the first."""
    while True:
        first = FIRST_PORT + PORTS * secrets.randbelow((LAST_PORT - FIRST_PORT) // PORTS)
        with socket.socket() as held, suppress(OSError):
            held.bind(("127.0.0.1", first))
            held.detach()  # as long as this process runs
            return itertools.cycle(range(first + 1, first + PORTS))


def process_on(port: int) -> psutil.Process:
    """Return the process of ours that listens on the port. Processes of a browser may end during the search."""
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in child.net_connections("tcp")):
                return child
    raise AssertionError(f"nothing listens on {port}")


async def within(awaitable: Awaitable[Any]) -> Any:
    # Not wait_for: in Python 3.11 it ignores a cancellation that comes with the message, so that a test's reader would
    # take the next test's messages.
    async with asyncio.timeout(WAIT_S):
        return await awaitable


class FakeExtension:
    """One connection to the server. It answers nothing by itself."""

    def __init__(self, socket: ClientConnection, port: int, key: str, browser: Message | None = None) -> None:
        self.socket = socket
        # What its hello reports about its browser; an older extension reports nothing.
        self.browser = browser
        self.welcome: Message = {}
        self.port = port
        self.key = key
        self.nonce = make_nonce()

    async def send(self, message: object) -> None:
        """Send a JSON value; text and bytes are sent unchanged."""
        await self.socket.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def receive(self) -> Message:
        return json.loads(await within(self.socket.recv()))

    def hello(self, **changes: object) -> Message:
        hello = {"type": "hello", "protocol": 2, "version": "1.0.0", "nonce": self.nonce} | changes
        return hello | ({"browser": self.browser} if self.browser else {})

    async def challenged(self) -> Message:
        """Send a hello; return the server's challenge, which must prove the key."""
        await self.send(self.hello())
        challenge = await self.receive()
        assert challenge["type"] == "challenge"
        assert challenge["proof"] == make_proof(self.key, "server", self.port, self.nonce, challenge["nonce"])
        return challenge

    async def prove(self, challenge: Message) -> None:
        proof = make_proof(self.key, "extension", self.port, self.nonce, challenge["nonce"])
        await self.send({"type": "proof", "proof": proof})

    async def open(self) -> None:
        """Run the whole handshake as the real extension does."""
        await self.prove(await self.challenged())
        self.welcome = await self.receive()
        assert self.welcome["type"] == "welcome"

    async def reply(self, command: Message, result: object) -> None:
        await self.send({"id": command["id"], "type": "response", "success": True, "result": result, "error": None})

    async def refuse(self, command: Message, error: object) -> None:
        await self.send({"id": command["id"], "type": "response", "success": False, "result": None, "error": error})

    async def ping(self) -> None:
        """Wait until the server has processed everything that was sent before."""
        await self.send({"type": "ping"})
        assert await self.receive() == {"type": "pong"}

    async def close_code(self) -> int | None:
        """Wait for the server to close; any message before that fails the test."""
        try:
            message = await within(self.socket.recv())
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None
        raise AssertionError(message)


@asynccontextmanager
async def connecting(port: int, key: str, browser: Message | None = None) -> AsyncGenerator[FakeExtension]:
    """A WebSocket on which nothing has been sent."""
    url = f"ws://127.0.0.1:{port}/extension"
    options: dict[str, Any] = {"origin": ORIGIN, "max_size": None, "proxy": None}
    async with connect(url, **options, open_timeout=WAIT_S, close_timeout=1) as socket:
        yield FakeExtension(socket, port, key, browser)


@asynccontextmanager
async def connected(port: int, key: str, browser: Message | None = None) -> AsyncGenerator[FakeExtension]:
    """An extension that the server has accepted."""
    async with connecting(port, key, browser) as extension:
        await extension.open()
        yield extension


class Call:
    """A tool call in progress, and the commands that it sends to the extension."""

    def __init__(self, parts: tuple[Client[Any], FakeExtension], tool: str, **arguments: Any) -> None:
        client, self.extension = parts
        self.result = asyncio.create_task(client.call_tool(tool, arguments, raise_on_error=False))

    async def answer(self, command: str, result: Any) -> dict[str, Any]:
        message = await self.extension.receive()
        assert message["command"] == command
        await self.extension.reply(message, result)
        return message

    async def refuse(self, command: str, code: str, sentence: str) -> None:
        message = await self.extension.receive()
        assert message["command"] == command
        await self.extension.refuse(message, {"code": code, "message": sentence})

    async def ended(self) -> Any:
        return await within(self.result)


async def wait_for_port(port: int) -> None:
    """Wait until a server answers there."""
    async with asyncio.timeout(WAIT_S):
        while True:
            try:
                await raw_request(port, f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")
            except OSError:
                await asyncio.sleep(0.05)
            else:
                return


async def raw_request(port: int, request: str) -> tuple[int, str]:
    """Send these bytes; return the status and the rest of the response (of a response other than 101).

    A connection that is closed without one byte has the status CLOSED.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request.encode("latin-1"))
        await writer.drain()
        try:
            head = (await within(reader.readuntil(b"\r\n\r\n"))).decode("latin-1")
        except ConnectionResetError:
            return CLOSED, ""
        except asyncio.IncompleteReadError as closed:
            if closed.partial:
                raise
            return CLOSED, ""
        status = int(head.split()[1])
        rest = head if status == 101 else head + (await within(reader.read())).decode("utf-8", "replace")
        return status, rest
    finally:
        writer.close()
        with suppress(ConnectionResetError):
            await writer.wait_closed()
