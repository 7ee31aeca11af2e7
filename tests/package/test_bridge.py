"""The bridge: the handshake, commands and replies, the key, the port."""

import asyncio
import json
import logging
import os
import re
import stat
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from fastmcp import Client
from fastmcp.client.client import CallToolResult
from mcp_types import Implementation
from websockets.asyncio.server import ServerConnection, serve

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from chrome_tab.bridge.bridge import Bridge, Role
from chrome_tab.bridge.port import PortError
from tests.support.fake_extension import (
    CLOSED,
    ORIGIN,
    PAGE,
    FakeExtension,
    Message,
    connected,
    connecting,
    encode,
    free_port,
    make_nonce,
    make_proof,
    raw_request,
    within,
)
from tests.support.polling import until
from tests.support.tool_client import error_of, text_of

Pause = Callable[[], Awaitable[None]]


class Session:
    """A server that owns a port, and a client that calls its tools."""

    def __init__(self, client: Client[Any], port: int) -> None:
        self.client = client
        self.port = port

    @property
    def key(self) -> str:
        return pairing.pairing_key()

    async def health(self) -> Message:
        request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n\r\n"
        status, reply = await raw_request(self.port, request)
        assert status == 200
        return json.loads(reply.partition("\r\n\r\n")[2])

    def read(self, **arguments: Any) -> asyncio.Task[CallToolResult]:
        call = self.client.call_tool("read_chrome_tab", arguments, raise_on_error=False)
        return asyncio.create_task(call)

    async def status(self) -> str:
        return text_of(await self.client.call_tool("chrome_tab_status", {}))

    async def reads_through(self, extension: FakeExtension) -> None:
        """Read a page through this extension, which shows that both ends work."""
        reading = self.read()
        await extension.reply(await extension.receive(), PAGE)
        assert text_of(await within(reading)) == "the page"


async def is_listening(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


@asynccontextmanager
async def running_session(port: int) -> AsyncGenerator[Session]:
    settings = server.load_settings({"source": "extension", "port": port}, need_model=False)
    ours = Implementation(name="tests", version="1")
    async with Client(app.create_server(settings), client_info=ours) as client:
        await client.list_tools()
        yield Session(client, port)


@pytest.fixture(scope="module")
async def shared_session() -> AsyncGenerator[tuple[Session, Path]]:
    """A server, and the directory of its key."""
    port = free_port()
    async with running_session(port) as running:
        await until(lambda: is_listening(port))
        yield running, server.config_dir()


@pytest.fixture
def session(shared_session: tuple[Session, Path], monkeypatch: pytest.MonkeyPatch) -> Session:
    """One server for all tests that change nothing about it: each leaves it without an extension."""
    running, folder = shared_session
    monkeypatch.setattr(server, "config_dir", lambda: folder)
    return running


# --- Who may open a WebSocket ---

GOOD_HEADERS = [("Host", "127.0.0.1:{port}"), ("Origin", ORIGIN)]


async def upgrade(port: int, headers: list[tuple[str, str]]) -> int:
    """Request a WebSocket with exactly these headers; return the status."""
    lines = [f"{name}: {value.format(port=port)}" for name, value in headers]
    fixed = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    nonce = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    status, _ = await raw_request(port, f"GET /extension HTTP/1.1\r\n{fixed}{nonce}" + "\r\n".join(lines) + "\r\n\r\n")
    return status


async def test_the_right_key_connects_and_health_reports_it(session: Session) -> None:
    assert await session.health() == {"status": "ok", "extensionConnected": False, "sessions": 1}

    async with connected(session.port, session.key) as extension:
        assert (await session.health())["extensionConnected"] is True
        await session.reads_through(extension)

    await until(lambda: is_disconnected(session))


async def is_disconnected(session: Session) -> bool:
    return not (await session.health())["extensionConnected"]


STRANGE_ORIGINS = [
    [],
    ["null"],
    ["https://evil.test"],
    ["http://127.0.0.1:{port}"],
    ["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
    [ORIGIN + ".evil.test"],
    [ORIGIN + "/"],
    [ORIGIN[:-1]],
    ["x" + ORIGIN],
    [ORIGIN.replace("chrome-extension", "moz-extension")],
    [ORIGIN.upper()],
    [ORIGIN, ORIGIN],
    [ORIGIN, "https://evil.test"],
    [f"{ORIGIN}, {ORIGIN}"],
]


@pytest.mark.parametrize("origins", STRANGE_ORIGINS)
async def test_websocket_of_another_origin_is_closed_without_a_response(origins: list[str], session: Session) -> None:
    headers = [("Host", "127.0.0.1:{port}"), *(("Origin", origin) for origin in origins)]

    # No browser sends two Origin headers.
    assert await upgrade(session.port, headers) == (CLOSED if len(origins) < 2 else 400)
    assert await upgrade(session.port, GOOD_HEADERS) == 101


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("moz-extension://7c1c5b7e-9c0d-4d5e-8f43-0a2b6c8d9e10", 101),
        ("moz-extension://7c1c5b7e-9c0d-4d5e-8f43-0a2b6c8d9e10.evil.test", CLOSED),
        ("moz-extension://evil.test", CLOSED),
        ("https://7c1c5b7e-9c0d-4d5e-8f43-0a2b6c8d9e10", CLOSED),
    ],
)
async def test_an_extension_of_firefox_is_accepted_whatever_id_its_profile_has_assigned(
    origin: str, status: int, session: Session
) -> None:
    assert await upgrade(session.port, [("Host", "127.0.0.1:{port}"), ("Origin", origin)]) == status


async def test_the_extension_of_the_store_is_accepted_like_the_unpacked_one_once_its_id_is_known(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_the_store = [("Host", "127.0.0.1:{port}"), ("Origin", f"chrome-extension://{'p' * 32}")]

    assert await upgrade(session.port, of_the_store) == CLOSED
    monkeypatch.setattr(protocol, "EXTENSION_IDS", [*protocol.EXTENSION_IDS, "p" * 32])
    assert await upgrade(session.port, of_the_store) == 101
    assert await upgrade(session.port, GOOD_HEADERS) == 101
    assert await upgrade(session.port, [*GOOD_HEADERS, of_the_store[1]]) == 400


STRANGE_HOSTS = [
    ["evil.test:{port}"],
    ["evil.test"],
    ["127.0.0.1"],
    ["127.0.0.1:1"],
    ["127.0.0.1:{port}.evil.test"],
    ["127.0.0.1.evil.test:{port}"],
    ["localhost.evil.test:{port}"],
    ["[::1]:{port}"],
    [""],
    [],
    ["127.0.0.1:{port}", "127.0.0.1:{port}"],
    ["127.0.0.1:{port}", "evil.test"],
]


@pytest.mark.parametrize("hosts", STRANGE_HOSTS)
async def test_websocket_under_another_host_is_closed_without_a_response(hosts: list[str], session: Session) -> None:
    headers = [*(("Host", host) for host in hosts), ("Origin", ORIGIN)]

    assert await upgrade(session.port, headers) == CLOSED
    assert await upgrade(session.port, [("Host", "localhost:{port}"), ("Origin", ORIGIN)]) == 101


PAGE_HEADERS = [
    "Origin: https://evil.test",
    "Origin: null",
    "Origin: http://127.0.0.1:{port}",
    "Origin: http://localhost:{port}",
    f"Origin: {ORIGIN}\r\nOrigin: https://evil.test",
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Site: same-site",
    "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors",
    "Access-Control-Request-Private-Network: true\r\nOrigin: https://evil.test",
]


@pytest.mark.parametrize("path", ["/health", "/", "/nowhere", "//health", "/mcp"])
@pytest.mark.parametrize("header", PAGE_HEADERS)
async def test_page_cannot_detect_that_something_listens(header: str, path: str, session: Session) -> None:
    for method in ("GET", "HEAD", "OPTIONS", "POST"):
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{session.port}\r\n{header.format(port=session.port)}\r\n\r\n"
        )
        assert await raw_request(session.port, head) == (CLOSED, "")

    assert (await session.health())["status"] == "ok"


@pytest.mark.parametrize("header", ["X: y", "Sec-Fetch-Site: none", f"Origin: {ORIGIN}", "Sec-Fetch-Site: same-origin"])
async def test_the_extension_and_other_programs_get_a_response(header: str, session: Session) -> None:
    head = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{session.port}\r\n{header}\r\nConnection: close\r\n\r\n"

    status, reply = await raw_request(session.port, head)

    assert status == (403 if "Origin" in header else 200)
    assert ("extensionConnected" in reply) == (status == 200)


async def test_health_reveals_nothing_under_another_host_name(session: Session) -> None:
    request = f"GET /health HTTP/1.1\r\nHost: evil.test:{session.port}\r\nConnection: close\r\n\r\n"

    assert await raw_request(session.port, request) == (CLOSED, "")
    assert (await session.health())["status"] == "ok"


@pytest.mark.parametrize(
    "request_line", ["", "\x16\x03\x01\x02\x00", "GET", "GET /health HTTP/9.9", "GET / HTTP/1.1\r\nHost"]
)
async def test_non_http_input_is_closed_without_a_response(request_line: str, session: Session) -> None:
    assert await raw_request(session.port, request_line + "\r\n\r\n") == (CLOSED, "")
    assert (await session.health())["status"] == "ok"


# --- The handshake ---


async def test_the_server_proves_the_key_first_with_a_new_nonce_each_time(session: Session) -> None:
    nonces: set[str] = set()
    for _ in range(3):
        async with connecting(session.port, session.key) as extension:
            challenge = await extension.challenged()
            assert challenge.keys() == {"type", "protocol", "version", "nonce", "proof"}
            nonces.add(challenge["nonce"])

    assert len(nonces) == 3


BAD_HELLOS: list[Any] = [
    "",
    "hello",
    "{",
    "null",
    "[]",
    "5",
    '"hello"',
    "[" * 100_000,
    '{"type":"hello","version":' + "[" * 1_500 + "]" * 1_500 + "}",
    "{}",
    b"\x00\x01",
    b'{"type":"hello"}',
    {"type": "hello"},
    {"type": "command"},
    {"type": "ping"},
    {"type": ["hello"]},
    {"protocol": 1},
    {"protocol": "2"},
    {"protocol": None},
    {"nonce": None},
    {"nonce": ""},
    {"nonce": "short"},
    {"nonce": "A" * 44},
    {"nonce": "A" * 42 + "|"},
    {"nonce": ["A" * 43]},
    {"padding": "x" * 5_000},
]


@pytest.mark.parametrize("hello", BAD_HELLOS, ids=range(len(BAD_HELLOS)))
async def test_a_malformed_hello_gets_4400_and_nothing_else(hello: Any, session: Session) -> None:
    async with connecting(session.port, session.key) as client:
        await client.send(client.hello(**hello) if isinstance(hello, dict) and "type" not in hello else hello)
        assert await client.close_code() == 4400

    async with connected(session.port, session.key) as extension:
        await session.reads_through(extension)


@pytest.mark.parametrize("version", ["1.2.3", "x" * 3_000, "\ud800\n", 5, None, ["1"]])
async def test_an_extension_of_any_version_may_connect(version: object, session: Session) -> None:
    async with connecting(session.port, session.key) as extension:
        await extension.send(extension.hello(version=version))
        await extension.prove(await extension.receive())
        assert (await extension.receive())["type"] == "welcome"


BadProof = Callable[[FakeExtension, Message], object]


def proof_message(proof: object) -> Message:
    return {"type": "proof", "proof": proof}


def other_proof(**changes: Any) -> BadProof:
    """Return a proof that differs in one respect."""

    def make(extension: FakeExtension, challenge: Message) -> object:
        right: dict[str, Any] = {
            "key": extension.key,
            "role": "extension",
            "port": extension.port,
            "client_nonce": extension.nonce,
            "server_nonce": challenge["nonce"],
        }
        return proof_message(make_proof(**(right | changes)))

    return make


BAD_PROOFS: dict[str, BadProof] = {
    "another key": other_proof(key=encode(b"\x01" * 32)),
    "the server's role": other_proof(role="server"),
    "another port": other_proof(port=1),
    "another client nonce": other_proof(client_nonce=make_nonce()),
    "another server nonce": other_proof(server_nonce=make_nonce()),
    "the server's own proof": lambda _, challenge: proof_message(challenge["proof"]),
    "empty": lambda _e, _c: proof_message(""),
    "none": lambda _e, _c: {"type": "proof"},
    "null": lambda _e, _c: proof_message(None),
    "a list": lambda _e, _c: proof_message(["A" * 43]),
    "not ASCII": lambda _e, _c: proof_message("\u00e9" * 43),
    "a lone surrogate": lambda _e, _c: '{"type":"proof","proof":"\\ud800"}',
    "a prefix": lambda extension, challenge: proof_message(right_proof(extension, challenge)[:-1]),
    "padded": lambda extension, challenge: proof_message(right_proof(extension, challenge) + "="),
    "under another type": lambda extension, challenge: {"type": "hello", "proof": right_proof(extension, challenge)},
    "the key itself": lambda extension, _: proof_message(extension.key),
}


def right_proof(extension: FakeExtension, challenge: Message) -> str:
    return make_proof(extension.key, "extension", extension.port, extension.nonce, challenge["nonce"])


@pytest.mark.parametrize("name", BAD_PROOFS)
async def test_a_proof_that_is_not_exactly_right_gets_4401_and_nothing_else(name: str, session: Session) -> None:
    async with connecting(session.port, session.key) as client:
        challenge = await client.challenged()
        await client.send(BAD_PROOFS[name](client, challenge))
        assert await client.close_code() == 4401
    assert await is_disconnected(session)

    async with connected(session.port, session.key) as extension:
        await session.reads_through(extension)


async def test_a_proof_of_an_earlier_handshake_does_not_work_again(session: Session) -> None:
    async with connecting(session.port, session.key) as extension:
        challenge = await extension.challenged()
        proof = right_proof(extension, challenge)
        await extension.prove(challenge)
        assert (await extension.receive())["type"] == "welcome"
        nonce = extension.nonce
    await until(lambda: is_disconnected(session))

    async with connecting(session.port, session.key) as thief:
        thief.nonce = nonce
        await thief.challenged()
        await thief.send(proof_message(proof))
        assert await thief.close_code() == 4401


@pytest.mark.parametrize(
    "frame", ["", "{", b"\x00", "[" * 100_000, json.dumps({"type": "proof", "proof": "x" * 5_000})]
)
async def test_a_second_frame_that_is_not_a_proof_gets_4400(frame: Any, session: Session) -> None:
    async with connecting(session.port, session.key) as client:
        await client.challenged()
        await client.send(frame)
        assert await client.close_code() == 4400
    assert await is_disconnected(session)


@pytest.mark.parametrize("says_hello", [False, True], ids=["silent", "silent after hello"])
async def test_a_handshake_that_takes_too_long_gets_4408(
    says_hello: object, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HANDSHAKE_TIMEOUT_S", 0.5)
    async with connecting(session.port, session.key) as slow:
        if says_hello:
            await slow.challenged()
        assert await slow.close_code() == 4408

    monkeypatch.setattr(protocol, "HANDSHAKE_TIMEOUT_S", 20)
    async with connected(session.port, session.key) as extension:
        await session.reads_through(extension)


HELD = {
    "nothing": "",
    "half a line": "GET /hea",
    "half of the headers": "GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: ",
    "half a body": "POST /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 1000\r\n\r\nx",
    "a handshake": "GET /session HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
}


@pytest.mark.parametrize("held", HELD)
async def test_the_oldest_connection_without_a_key_is_closed_for_the_next_one(
    held: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HANDSHAKE_TIMEOUT_S", 1000.0)
    async with connected(session.port, session.key) as extension:
        unproved = [await asyncio.open_connection("127.0.0.1", session.port) for _ in range(protocol.MAX_UNPROVED)]
        for _, writer in unproved:
            writer.write(HELD[held].format(port=session.port).encode())
        more = [await asyncio.open_connection("127.0.0.1", session.port) for _ in range(30)]

        assert all(await within(asyncio.gather(*(ended(reader) for reader, _ in unproved[:30]))))
        assert (await session.health())["status"] == "ok"
        await session.reads_through(extension)
        follower = Bridge(session.port)
        await within(follower.start())
        assert follower.role is Role.FOLLOWER
        await within(follower.stop())
        for _, writer in [*unproved, *more]:
            writer.close()


@pytest.mark.parametrize("held", HELD)
async def test_connection_without_a_key_is_closed_after_its_timeout(
    held: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HANDSHAKE_TIMEOUT_S", 0.5)
    reader, writer = await asyncio.open_connection("127.0.0.1", session.port)
    writer.write(HELD[held].format(port=session.port).encode())

    assert await within(ended(reader))
    writer.close()
    monkeypatch.setattr(protocol, "HANDSHAKE_TIMEOUT_S", 20)
    async with connected(session.port, session.key) as extension:
        await session.reads_through(extension)


async def test_handshake_cannot_send_more_than_it_needs(session: Session) -> None:
    async with connecting(session.port, session.key) as client:
        await client.send("x" * 2 * protocol.MAX_UNPROVED_BYTES)
        assert await client.close_code() is None

    async with connected(session.port, session.key) as extension:
        await extension.send("x" * 2 * protocol.MAX_UNPROVED_BYTES)
        await session.reads_through(extension)


async def ended(reader: asyncio.StreamReader) -> bool:
    """Read to the end of a connection, whatever arrives before it."""
    with suppress(ConnectionResetError):
        while await reader.read(65_536):
            pass
    return True


async def test_connections_that_send_nothing_are_closed_and_block_no_other(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HANDSHAKE_TIMEOUT_S", 2.0)
    # Less than half of the 256 file descriptors that some systems allow a process.
    silent = [await asyncio.open_connection("127.0.0.1", session.port) for _ in range(80)]

    async with connected(session.port, session.key) as extension:
        await session.reads_through(extension)

    assert all(await within(asyncio.gather(*(ended(reader) for reader, _ in silent))))
    for _, writer in silent:
        writer.close()


async def test_nothing_secret_is_logged(session: Session, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with connecting(session.port, session.key) as client:
        challenge = await client.challenged()
        await client.send(proof_message("guess"))
        assert await client.close_code() == 4401
    async with connected(session.port, session.key) as extension:
        await extension.send({"type": "secret-in-type" * 10, "x": "secret-in-message"})
        await session.reads_through(extension)

    ours = [record.getMessage() for record in caplog.records if record.name == "chrome_tab"]
    assert any("wrong key" in line for line in ours)
    assert "extension connected" in ours
    for secret in (session.key, challenge["nonce"], challenge["proof"], "secret-in-message", "the page"):
        assert not any(secret in line for line in ours)


# --- Commands and replies ---


async def test_a_command_specifies_what_to_read_and_its_reply_becomes_the_page(session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        reading = session.read(start="a", end="b", tab_id=7)
        command = await extension.receive()
        await extension.reply(command, PAGE | {"text": "\u4e2d \U0001f600"})
        result = await within(reading)

    assert command.pop("id")
    assert re.fullmatch("[0-9a-f]{4}", command["session"].pop("id"))
    assert command.pop("session") == {"client": "tests"}
    params = {"start": "a", "end": "b", "content": "all"}
    assert command == {"type": "command", "command": "read_tab", "tab_id": 7, "params": params}
    assert text_of(result) == "\u4e2d \U0001f600"
    assert result.meta
    assert result.meta["receipt"]["source"] == "extension"
    assert result.meta["receipt"]["url"] == "https://page.test/"


GARBAGE: list[Any] = [
    "",
    "{",
    "nonsense",
    "null",
    "[]",
    "7",
    b"\xff\x00",
    "[" * 5_000,
    {},
    {"type": None},
    {"type": ["response"]},
    {"type": "response"},
    {"type": "response", "id": None, "success": True},
    {"type": "response", "id": {"a": 1}, "success": True},
    {"type": "response", "id": [], "success": True},
    {"type": "response", "id": "999", "success": True, "result": "not asked for"},
    {"type": "response", "id": 1.5, "success": False, "error": {"code": "X"}},
    {"type": "event"},
    {"type": "event", "event": "tab_updated", "tab_id": "x"},
    {"type": "command", "id": "1", "command": "read_tab"},
    {"type": "hello"},
    {"type": "welcome"},
    {"type": "\ud800"},
]


async def test_ten_thousand_malformed_messages_do_not_affect_the_reply_after_them(session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        reading = session.read()
        command = await extension.receive()
        for i in range(10_000):
            await extension.send(GARBAGE[i % len(GARBAGE)])
        assert not reading.done()
        await extension.reply(command, PAGE)

        assert text_of(await within(reading)) == "the page"
        await session.reads_through(extension)


@pytest.mark.parametrize("success", [1, "true", None, [True]])
async def test_only_the_value_true_is_a_success(success: object, session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        reading = session.read()
        command = await extension.receive()
        await extension.send({"id": command["id"], "type": "response", "success": success, "result": PAGE})
        assert error_of(await within(reading))[0] == "EXECUTION_ERROR"


async def test_a_ping_is_answered(session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        await extension.ping()


async def test_only_the_first_reply_counts(session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        reading = session.read()
        command = await extension.receive()
        await extension.reply(command, PAGE)
        await extension.reply(command, PAGE | {"text": "again"})
        await extension.refuse(command, {"code": "TAB_NOT_FOUND", "message": "no"})

        assert text_of(await within(reading)) == "the page"
        await session.reads_through(extension)


async def test_a_reply_that_comes_too_late_is_dropped(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "COMMAND_TIMEOUT_S", 0.5)
    async with connected(session.port, session.key) as extension:
        reading = session.read()
        late = await extension.receive()
        code, message = error_of(await within(reading))
        assert code == "COMMAND_TIMEOUT"
        assert "0.5 s" in message
        assert "read_tab" not in message

        assert await extension.receive() == {"type": "cancel", "id": late["id"]}
        monkeypatch.setattr(protocol, "COMMAND_TIMEOUT_S", 20)
        reading = session.read()
        command = await extension.receive()
        await extension.reply(late, PAGE | {"text": "too late"})
        await extension.reply(command, PAGE)
        assert text_of(await within(reading)) == "the page"


async def test_a_command_whose_caller_is_gone_is_cancelled_and_an_answered_one_is_not(session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        kept, left = session.read(tab_id=1), session.read(tab_id=2)
        commands = {command["tab_id"]: command for command in [await extension.receive(), await extension.receive()]}
        left.cancel()
        assert await extension.receive() == {"type": "cancel", "id": commands[2]["id"]}
        await extension.reply(commands[1], PAGE)
        assert text_of(await within(kept)) == "the page"
        # Nothing comes between the reply and the pong.
        await extension.ping()


UNREADABLE_REPLIES = [
    '{"id":"%s","type":"response","success":true,"result":{"text":"cut o',
    b'{"id":"%s","type":"response","success":true,"result":"\xff"}',
    '{"id":"%s","type":"response","success":true,"result":' + "[" * 100_000 + "]" * 100_000 + "}",
    '{"id": "%s", "type": "response", "success": NaN.5}',
    '{"id":"%s","type":"response"}',
    '{"id":%s,"type":"response","success":"yes"}',
]


@pytest.mark.parametrize("frame", UNREADABLE_REPLIES, ids=range(len(UNREADABLE_REPLIES)))
async def test_an_unreadable_reply_ends_its_command_at_once(frame: str | bytes, session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        other, reading = session.read(), session.read()
        first, second = await extension.receive(), await extension.receive()
        text = second["id"] if isinstance(frame, str) else second["id"].encode()
        await extension.send(frame % text)
        assert error_of(await within(reading))[0] == "EXECUTION_ERROR"
        await extension.reply(first, PAGE)
        assert text_of(await within(other)) == "the page"


async def test_a_command_over_the_extensions_limit_is_rejected_before_it_is_sent(session: Session) -> None:
    def choose(length: int) -> asyncio.Task[CallToolResult]:
        arguments = {"tab_id": 1, "selector": "select", "value": ["x" * 2_000] * length}
        return asyncio.create_task(session.client.call_tool("select", arguments, raise_on_error=False))

    async with connected(session.port, session.key) as extension:
        code, message = error_of(await within(choose(530)))
        assert code == "INVALID_ARGUMENT"
        assert "1,048,576" in message

        choosing = choose(500)
        command = await extension.receive()
        # A cancel message for a command that was never sent may come first.
        command = command if command["type"] == "command" else await extension.receive()
        assert len(command["params"]["value"]) == 500
        await extension.reply(command, {"selected": []})
        assert not (await within(choosing)).is_error


@pytest.mark.parametrize("code", protocol.ERROR_CODES)
async def test_an_error_of_the_extension_keeps_its_code_and_sentence(code: str, session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        reading = session.read()
        await extension.refuse(await extension.receive(), {"code": code, "message": "What happened. Do this."})

        assert error_of(await within(reading)) == (code, "What happened. Do this.")


BAD_ERRORS: list[Any] = [
    None,
    "TAB_NOT_FOUND",
    [],
    {},
    {"code": "NOT_OURS", "message": "m"},
    {"code": "tab_not_found", "message": "m"},
    {"code": ["TAB_NOT_FOUND"], "message": "m"},
    {"code": "TAB_NOT_FOUND"},
    {"code": "TAB_NOT_FOUND", "message": 5},
]


@pytest.mark.parametrize("error", BAD_ERRORS, ids=range(len(BAD_ERRORS)))
async def test_an_unknown_error_becomes_a_sentence_about_the_extension(error: Any, session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        reading = session.read()
        await extension.refuse(await extension.receive(), error)

        code, message = error_of(await within(reading))
        assert code == "EXECUTION_ERROR"
        assert "chrome://extensions" in message


async def test_an_errors_sentence_is_one_printable_line(session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        reading = session.read()
        message = "a\nb\x1b[31m\ud800" + "x" * 10_000
        await extension.refuse(await extension.receive(), {"code": "TAB_NOT_FOUND", "message": message})

        _, shown = error_of(await within(reading))
        assert shown.startswith("a b [31m")
        assert shown.isprintable()
        assert len(shown) <= 1_500


BAD_PAGES: list[Any] = [
    None,
    "text",
    [],
    {},
    {"text": "t", "url": "u"},
    PAGE | {"text": None},
    PAGE | {"url": 5},
    PAGE | {"title": ["x"]},
]


@pytest.mark.parametrize("page", BAD_PAGES, ids=range(len(BAD_PAGES)))
async def test_a_reply_that_is_not_a_page_is_a_sentence_about_the_extension(page: Any, session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        reading = session.read()
        await extension.reply(await extension.receive(), page)

        assert error_of(await within(reading))[0] == "EXECUTION_ERROR"
        await session.reads_through(extension)


async def test_concurrent_calls_each_get_their_own_reply_in_any_order(session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        readings = {tab_id: session.read(tab_id=tab_id) for tab_id in range(1, 101)}
        commands = [await extension.receive() for _ in readings]
        for command in sorted(commands, key=lambda command: command["tab_id"] % 7):
            await extension.reply(command, PAGE | {"text": f"tab {command['tab_id']}"})

        for tab_id, reading in readings.items():
            assert text_of(await within(reading)) == f"tab {tab_id}"


async def test_an_extension_that_disconnects_and_stays_away_ends_its_calls(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "RECONNECT_WAIT_S", 0.1)
    async with connected(session.port, session.key) as extension:
        readings = [session.read() for _ in range(3)]
        for _ in readings:
            await extension.receive()

    for reading in readings:
        code, message = error_of(await within(reading))
        assert code == "EXTENSION_NOT_CONNECTED"
        assert "read_tab" not in message
    async with connected(session.port, session.key) as extension:
        await session.reads_through(extension)


async def test_a_read_is_repeated_when_the_extension_comes_back(session: Session) -> None:
    async with connected(session.port, session.key) as extension:
        reading = session.read()
        await extension.receive()
    async with connected(session.port, session.key) as extension:
        await extension.reply(await extension.receive(), PAGE)

        assert not (await within(reading)).is_error


async def test_without_an_extension_the_sentence_explains_what_to_do_in_the_popup(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)

    code, message = error_of(await within(session.read()))

    assert code == "EXTENSION_NOT_CONNECTED"
    assert f"port {session.port}" in message
    assert "--setup" in message


async def test_a_call_waits_for_an_extension_that_is_connecting(session: Session) -> None:
    reading = session.read()
    async with connected(session.port, session.key) as extension:
        await extension.reply(await extension.receive(), PAGE)

        assert text_of(await within(reading)) == "the page"


async def test_a_missing_extension_is_waited_for_three_times_and_then_not_until_it_was_back(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    for _ in range(3):
        assert error_of(await within(session.read()))[0] == "EXTENSION_NOT_CONNECTED"
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 1000)

    assert error_of(await within(session.read()))[0] == "EXTENSION_NOT_CONNECTED"

    async with connected(session.port, session.key) as extension:
        await session.reads_through(extension)
    reading = session.read()
    async with connected(session.port, session.key) as extension:
        await extension.reply(await extension.receive(), PAGE)
        assert text_of(await within(reading)) == "the page"


async def test_an_extension_that_ignores_three_calls_gets_no_more_until_it_responds(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connected(session.port, session.key) as extension:
        monkeypatch.setattr(protocol, "COMMAND_TIMEOUT_S", 0.1)
        for _ in range(3):
            assert error_of(await within(session.read()))[0] == "COMMAND_TIMEOUT"
            assert [(await extension.receive())["type"] for _ in range(2)] == ["command", "cancel"]
        monkeypatch.setattr(protocol, "COMMAND_TIMEOUT_S", 20)

        assert error_of(await within(session.read()))[0] == "COMMAND_TIMEOUT"

        # A call that failed at once would have come before the pong.
        await extension.ping()
        await session.reads_through(extension)


async def test_a_frame_over_the_limit_closes_only_that_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_FRAME_BYTES", 1_000_000)
    port = free_port()
    async with running_session(port) as session:
        await until(lambda: is_listening(port))
        async with connected(port, session.key) as extension:
            reading = session.read()
            await extension.reply(await extension.receive(), PAGE | {"text": "x" * 900_000})
            assert len(text_of(await within(reading))) == 20_000
            await extension.send("x" * 1_000_001)
            assert await extension.close_code() == 1009
        async with connected(port, session.key) as extension:
            await session.reads_through(extension)


# --- The key ---


def test_the_key_is_created_once(config_home: Path) -> None:
    key = pairing.pairing_key()

    path = config_home / "key"
    assert path.read_text(encoding="ascii") == key + "\n"
    assert list(config_home.iterdir()) == [path]
    assert pairing.pairing_key() == key
    path.unlink()
    assert pairing.pairing_key() != key


@pytest.mark.posix
def test_the_key_is_readable_only_by_its_owner(config_home: Path) -> None:
    pairing.pairing_key()

    assert stat.S_IMODE((config_home / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE(config_home.stat().st_mode) == 0o700


def test_servers_that_create_the_key_at_the_same_time_get_the_same_one(config_home: Path) -> None:
    barrier = threading.Barrier(16)

    def make(_: int) -> str:
        barrier.wait()
        return pairing.pairing_key()

    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(make, range(16)))

    assert len(keys) == 1
    assert [path.name for path in config_home.iterdir()] == ["key"]


@pytest.mark.posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o606, 0o610])
def test_a_key_that_others_can_read_is_rejected(mode: int, config_home: Path) -> None:
    key = pairing.pairing_key()
    path = config_home / "key"
    path.chmod(mode)

    with pytest.raises(server.ChromeTabError, match=r"chmod 600") as raised:
        pairing.pairing_key()

    assert raised.value.code == "PERMISSION_DENIED"
    assert str(path) in raised.value.message
    assert key not in raised.value.message
    path.chmod(0o600)
    assert pairing.pairing_key() == key


@pytest.mark.parametrize("content", [b"", b"\n", b"short\n", b"A" * 44, b"A" * 42 + b"=", b"\xff" * 43, b"A" * 100_000])
def test_a_damaged_key_is_a_sentence_and_stays_unchanged(content: bytes, config_home: Path) -> None:
    pairing.pairing_key()
    path = config_home / "key"
    path.write_bytes(content)

    with pytest.raises(server.ChromeTabError, match=r"is damaged\. Delete it, and pair again") as raised:
        pairing.pairing_key()

    assert raised.value.code == "PERMISSION_DENIED"
    assert path.read_bytes() == content


def test_a_key_that_cannot_be_saved_is_a_sentence(config_home: Path) -> None:
    config_home.write_text("a file where the folder should be", encoding="ascii")

    with pytest.raises(server.ChromeTabError, match=r"cannot be read or created") as raised:
        pairing.pairing_key()

    assert raised.value.code == "PERMISSION_DENIED"


@pytest.mark.posix
async def test_status_reports_an_unsafe_key_until_it_is_fixed(
    config_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "PORT_RETRY_S", 0.2)
    key = pairing.pairing_key()
    (config_home / "key").chmod(0o644)
    port = free_port()
    async with running_session(port) as session:
        assert "bridge     FIX Other users can read the pairing key" in await session.status()
        assert error_of(await session.read())[1].startswith("Other users can read the pairing key")
        assert not await is_listening(port)

        (config_home / "key").chmod(0o600)
        await until(lambda: is_listening(port))
        async with connected(port, key) as extension:
            await session.reads_through(extension)


# --- The port ---

Foreigner = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def says_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def never_stops(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    try:
        while True:
            writer.write(b"x" * 65_536)
            await writer.drain()
    except ConnectionError:
        writer.close()


async def greets(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-x\r\n")
    await writer.drain()
    writer.close()


def answers(body: bytes) -> Foreigner:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        writer.close()

    return answer


FOREIGNERS = {
    "says nothing": says_nothing,
    "never stops": never_stops,
    "speaks HTML": answers(b"<html>"),
    "speaks other JSON": answers(b'{"status": "ok"}'),
    "speaks no UTF-8": answers(b"\xff\xfe"),
    "speaks no HTTP": greets,
}


@pytest.mark.parametrize("name", FOREIGNERS)
async def test_another_program_on_the_port_is_named_and_the_port_taken_when_it_exits(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "PORT_RETRY_S", 0.3)
    if name in {"says nothing", "never stops"}:
        monkeypatch.setattr(protocol, "FOLLOWER_HANDSHAKE_TIMEOUT_S", 0.5)
    port = free_port()
    foreigner = await asyncio.start_server(FOREIGNERS[name], "127.0.0.1", port)
    async with running_session(port) as session:
        assert f"bridge     FIX Port {port} is in use by {psutil.Process().name()}" in await session.status()
        code, message = error_of(await within(session.read()))
        assert code == "EXTENSION_NOT_CONNECTED"
        for named in (port, psutil.Process().name(), os.getpid(), "--port"):
            assert str(named) in message

        foreigner.close()

        async def is_ours() -> bool:
            return f"listening on 127.0.0.1:{port}" in await session.status()

        monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
        await until(is_ours)
        async with connected(port, session.key) as extension:
            await session.reads_through(extension)


@pytest.mark.parametrize(
    ("message", "problem"),
    [({"type": "registered"}, "other program"), ({"type": "challenge", "protocol": 1}, "other version")],
)
async def test_another_program_that_speaks_websocket_is_distinguished_from_another_version_of_ours(
    message: dict[str, Any], problem: str
) -> None:
    async def speak(connection: ServerConnection) -> None:
        await connection.send(json.dumps(message))
        await connection.wait_closed()

    async with serve(speak, "127.0.0.1", 0) as foreigner:
        port = next(iter(foreigner.sockets)).getsockname()[1]
        bridge = Bridge(port)
        await within(bridge.start())
        assert isinstance(bridge.problem, PortError)
        assert bridge.problem.problem == problem
        await within(bridge.stop())


async def test_a_server_that_stops_frees_the_port_although_an_extension_is_connected() -> None:
    port = free_port()
    async with running_session(port) as session:
        await until(lambda: is_listening(port))
        key = session.key
        silent = await asyncio.open_connection("127.0.0.1", port)
        handshake = connecting(port, key)
        await (await handshake.__aenter__()).challenged()
        extension = connected(port, key)
        open_extension = await extension.__aenter__()
        reading = session.read()
        command = await open_extension.receive()

    assert not await is_listening(port)
    assert await open_extension.receive() == {"type": "cancel", "id": command["id"]}
    assert await open_extension.close_code() == 1012
    await asyncio.gather(reading, return_exceptions=True)
    await extension.__aexit__(None, None, None)
    await handshake.__aexit__(None, None, None)
    silent[1].close()
    async with running_session(port) as session:
        await until(lambda: is_listening(port))
        async with connected(port, key) as extension:
            await session.reads_through(extension)


async def test_a_call_after_the_stop_does_not_take_the_port_again() -> None:
    bridge = Bridge(free_port())
    await within(bridge.start())
    assert await is_listening(bridge.port)

    await within(bridge.stop())
    with pytest.raises(server.ChromeTabError) as raised:
        await within(bridge.reach(0.01))

    assert raised.value.code == "EXTENSION_NOT_CONNECTED"
    assert not await is_listening(bridge.port)
