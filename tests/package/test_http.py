"""MCP over HTTP and SSE: one process for all clients, and for no one else."""

import asyncio
import functools
import itertools
import json
import os
import re
import socket
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import psutil
import pytest
import uvicorn
from fastmcp import Client
from playwright.async_api import async_playwright
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab import http as chrome_tab_http
from chrome_tab.bridge import pairing, port, protocol
from chrome_tab.bridge.bridge import Bridge
from demo.web import QuietHandler, WebServer, serving
from tests.conftest import Run
from tests.reader.test_cli import in_a_thread
from tests.support.browser import chromium_arguments, chromium_path
from tests.support.fake_extension import PAGE, FakeExtension, connected, free_port, make_nonce, raw_request, within
from tests.support.fake_models import HANG, FakeOpenAIServer, Reply, Request, answer
from tests.support.http_server import HttpServer, http_server
from tests.support.tool_client import error_of, text_of

HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
# Returns the server of a transport and settings.
SharedServer = Callable[..., Awaitable[HttpServer]]
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture(scope="module")
async def shared_servers(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[tuple[Path, AsyncExitStack, dict[str, HttpServer]]]:
    """The directory of their key, where to keep them open, and the servers that tests have needed so far."""
    async with AsyncExitStack() as stack:
        yield tmp_path_factory.mktemp("shared"), stack, {}


@pytest.fixture
def shared(
    shared_servers: tuple[Path, AsyncExitStack, dict[str, HttpServer]], monkeypatch: pytest.MonkeyPatch
) -> SharedServer:
    """One server of each kind for all tests that change nothing about it: starting and stopping takes longer."""
    folder, stack, servers = shared_servers
    monkeypatch.setattr(server, "config_dir", lambda: folder)

    async def at(transport: str = "http", **settings: Any) -> HttpServer:
        kind = f"{transport} {settings}"
        if kind not in servers:
            servers[kind] = await stack.enter_async_context(http_server(transport, **settings))
        return servers[kind]

    return at


@pytest.fixture(params=["http", "sse"])
async def served(request: pytest.FixtureRequest, shared: SharedServer) -> HttpServer:
    return await shared(request.param)


def browser(served: HttpServer, **headers: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=served.base, headers=headers, trust_env=False)


def failure_of(response: httpx.Response) -> tuple[str, str]:
    """Return the code and the sentence of a failed request."""
    assert response.headers["content-type"] == "application/json"
    error = response.json()["error"]
    assert error["message"].endswith(".")
    return error["code"], error["message"]


@asynccontextmanager
async def extension_with_a_page(port: int) -> AsyncGenerator[None]:
    """A connected extension that answers every command with a page."""

    async def serve_pages(extension: FakeExtension) -> None:
        while True:
            message = await extension.receive()
            if message["type"] == "command":
                await extension.reply(message, PAGE)

    async with connected(port, pairing.pairing_key()) as extension:
        serving = asyncio.create_task(serve_pages(extension))
        yield
        serving.cancel()


# --- Clients ---


async def test_both_transports_offer_the_same_tools_as_stdio(served: HttpServer) -> None:
    follower = app.create_server(server.load_settings({"port": served.port}, need_model=False))
    async with extension_with_a_page(served.port), Client(follower) as stdio, served.client() as client:
        await stdio.call_tool("read_chrome_tab")
        found = [{tool.name: tool.input_schema for tool in await each.list_tools()} for each in (stdio, client)]
        status = await client.call_tool("chrome_tab_status", raise_on_error=False)

    assert len(found[0]) > 10
    assert found[0] == found[1]
    assert f"listening on 127.0.0.1:{served.port}" in text_of(status)


async def test_http_clients_and_sessions_share_one_extension(served: HttpServer) -> None:
    follower = app.create_server(server.load_settings({"port": served.port, "source": "extension"}, need_model=False))
    async with (
        extension_with_a_page(served.port),
        served.client() as one,
        served.client() as two,
        Client(follower) as session,
    ):
        texts = [text_of(await client.call_tool("read_chrome_tab")) for client in (one, two, session, one)]

    assert texts == [PAGE["text"]] * 4


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_client_that_disappears_cancels_its_model_request(transport: str) -> None:
    async with (
        FakeOpenAIServer(HANG) as model,
        http_server(transport, ollama_url=model.url) as asked,
        extension_with_a_page(asked.port),
    ):
        async with asked.client() as client:
            call = asyncio.create_task(client.call_tool("process_chrome_tab", raise_on_error=False))
            await within(model.hanging.wait())
            assert not model.left.is_set()
            call.cancel()
            await asyncio.wait({call})
        await within(model.left.wait())


async def test_a_closed_connection_cancels_the_model_request_of_its_call() -> None:
    call = {"name": "process_chrome_tab", "arguments": {}}
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
    async with (
        FakeOpenAIServer(HANG) as model,
        http_server(ollama_url=model.url) as asked,
        extension_with_a_page(asked.port),
        browser(asked, **ACCEPT, **asked.authorization) as client,
    ):
        session = (await client.post("/mcp", json=HANDSHAKE)).headers["mcp-session-id"]
        calling = asyncio.create_task(client.post("/mcp", json=request, headers={"mcp-session-id": session}))
        await within(model.hanging.wait())
        assert not model.left.is_set()
        calling.cancel()
        await within(model.left.wait())


async def test_a_stop_ends_running_calls_and_frees_the_port() -> None:
    async with (
        FakeOpenAIServer(HANG) as model,
        http_server(ollama_url=model.url) as asked,
        extension_with_a_page(asked.port),
        asked.client() as client,
    ):
        call = asyncio.create_task(client.call_tool("process_chrome_tab", raise_on_error=False))
        await within(model.hanging.wait())
        await asked.stop()
        await within(model.left.wait())
        with socket.create_server(("127.0.0.1", asked.port)):
            call.cancel()
            await asyncio.wait({call})


async def test_a_connection_that_arrives_while_the_others_are_closed_is_closed_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shut_down = uvicorn.Server.shutdown

    async def shut_down_too_early(self: uvicorn.Server, sockets: list[socket.socket] | None = None) -> None:
        late, self.server_state.connections = self.server_state.connections, set()
        await shut_down(self, sockets)
        self.server_state.connections = late

    monkeypatch.setattr(uvicorn.Server, "shutdown", shut_down_too_early)
    async with http_server() as asked:
        reader, writer = await asyncio.open_connection("127.0.0.1", asked.port)
        question = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{asked.port}\r\n\r\n".encode()
        writer.write(question)
        assert b"200 OK" in await within(reader.readuntil(b"}"))
        await asked.stop()
        writer.write(question)
        with suppress(ConnectionResetError):
            assert await within(reader.read()) == b""
        writer.close()


async def test_answers_for_two_clients_are_not_mixed_up() -> None:
    def echo(request: Request) -> Reply:
        return answer(f"You asked: {request.body['messages'][-1]['content'].rpartition(chr(10))[2]}.")

    async with (
        FakeOpenAIServer(script=echo) as model,
        http_server(ollama_url=model.url) as asked,
        extension_with_a_page(asked.port),
        asked.client() as one,
        asked.client() as two,
    ):
        questions = [(client, f"question {number}") for number, client in enumerate([one, two] * 10)]
        results = await asyncio.gather(
            *(client.call_tool("process_chrome_tab", {"system_prompt": question}) for client, question in questions)
        )

    for (_, question), result in zip(questions, results, strict=True):
        assert f"You asked: {question}." in text_of(result)


# --- Who has access ---


WRONG_KEYS = ["Bearer wrong", "Basic {key}", "Bearer ².x", f"Bearer {'9' * 5_000}.x"]


@pytest.mark.parametrize("shown", [None, *WRONG_KEYS], ids=lambda shown: str(shown)[:15])
async def test_mcp_needs_the_bearer_key(served: HttpServer, shown: str | None) -> None:
    given = {b"authorization": shown.format(key=served.bearer).encode("latin-1")} if shown else {}
    async with browser(served, **ACCEPT) as client:
        refused = await client.post(served.url, json=HANDSHAKE, headers=given)

    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert "--pair --http" in failure_of(refused)[1]
    assert pairing.pairing_key() not in refused.text
    async with served.client() as client:  # the control: with the key
        assert await client.list_tools()


async def test_open_server_needs_no_key(shared: SharedServer) -> None:
    async with browser(await shared(open=True), **ACCEPT) as client:
        assert (await client.post("/mcp", json=HANDSHAKE)).status_code == 200
        assert (await client.post("/link", json={})).json() == {"key": ""}


@pytest.mark.parametrize("is_open", [False, True], ids=["key", "open"])
async def test_the_start_reports_whether_a_key_is_needed(capsys: pytest.CaptureFixture[str], *, is_open: bool) -> None:
    async with http_server(open=is_open) as started:
        printed = capsys.readouterr().err

    assert f"{started.base}/mcp" in printed
    assert ("--pair --http prints its bearer key" in printed) is not is_open
    assert ("any program on this machine can use it" in printed) is is_open
    assert (f"{started.base}/#" in printed) is not is_open


PATHS = ["/", "/health", "/connect", "/link", "/mcp", "/sse", "/message", "/test-app/main.js", "/nowhere"]


FOREIGN_HEADERS = [
    {"origin": "http://evil.test"},
    {"origin": "http://127.0.0.1.evil.test:{port}"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
    {"host": "evil.test"},
    {"host": "evil.test:{port}"},
    {"host": "127.0.0.1"},
]


@pytest.mark.parametrize("path", PATHS)
async def test_page_of_another_site_gets_no_response_from_any_route(path: str, shared: SharedServer) -> None:
    served = await shared(open=True)
    async with browser(served) as client:
        for headers in FOREIGN_HEADERS:
            with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
                await client.get(
                    path, headers={name: value.format(port=served.port) for name, value in headers.items()}
                )
        for headers in ({}, {"origin": served.base}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}):
            answered = await client.get(path, headers=headers)
            assert answered.status_code != 403 or path == "/connect"


async def test_client_with_the_key_gets_a_sentence_about_its_origin_or_host(served: HttpServer) -> None:
    async with browser(served, **ACCEPT, **served.authorization) as client:
        for headers in ({"origin": "http://evil.test"}, {"host": "evil.test"}, {"origin": "null"}):
            refused = await client.post(served.url, json=HANDSHAKE, headers=headers)
            assert (refused.status_code, failure_of(refused)[0]) == (403, "PERMISSION_DENIED"), headers
            assert port.PAGE_HEADERS.items() <= refused.headers.items()
        for headers in ({"origin": served.base}, {"sec-fetch-site": "cross-site"}):
            assert (await client.post("/link", headers=headers)).status_code == 200


@pytest.mark.e2e
async def test_chromium_shows_a_page_no_difference_between_our_port_and_a_free_one(tmp_path: Path) -> None:
    handler = functools.partial(QuietHandler, directory=tmp_path)
    ways = """async (port) => {
        const outcome = (promise) => promise.then((reply) => reply.type, (error) => String(error));
        const url = `http://127.0.0.1:${port}/health`;
        return [
            await outcome(fetch(url, { mode: "no-cors" })),
            await outcome(fetch(url)),
            await outcome(fetch(url, { method: "POST", body: "x", mode: "no-cors" })),
            await new Promise((resolve) => {
                const socket = new WebSocket(`ws://127.0.0.1:${port}/extension`);
                socket.onclose = ({ code, reason, wasClean }) => resolve([code, reason, wasClean]);
            }),
        ];
    }"""
    with serving(WebServer(handler)) as site:
        async with http_server() as served, async_playwright() as playwright:
            chromium = await playwright.chromium.launch(executable_path=chromium_path(), args=chromium_arguments())
            page = await chromium.new_page()
            await page.goto(site)
            ours, free = [await page.evaluate(ways, port) for port in (served.port, free_port())]
            itself = await page.evaluate("(url) => fetch(url).then((reply) => reply.type)", site)  # the control
            await page.goto(f"{served.base}/")
            of_ours = await page.evaluate("() => fetch('/health').then((reply) => reply.json())")
            await chromium.close()

    assert ours == free
    assert itself == "basic"
    assert of_ours["status"] == "ok"


SPELLINGS = [
    *(
        "/mcp/",
        "//mcp",
        "/MCP",
        "/%6dcp",
        "/mcp%2f",
        "/mcp/x",
        "/./mcp",
        "/test-app/../mcp",
        "/health/../mcp",
        "/mcp;x",
    ),
    *(
        "/sse/",
        "//sse",
        "/SSE",
        "/%73se",
        "/message",
        "/message/",
        "//message/",
        "/message/x",
        "/MESSAGE/",
        "/%6dessage/",
    ),
    *(
        "/messages",
        "/health/",
        "//health",
        "/HEALTH",
        "/link/",
        "/connect/",
        "/nowhere",
        "/test-app",
        "//test-app/main.js",
    ),
]


async def test_every_private_path_needs_the_bearer_key_however_it_is_spelled(served: HttpServer) -> None:
    methods = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "get")
    for path, method in itertools.product(SPELLINGS, methods):
        head = (
            f"{method} {path}?session_id={'0' * 32} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nConnection: close\r\n"
        )
        status, _ = await raw_request(served.port, f"{head}\r\n")
        # A directory of files is public, and nothing else is in it.
        assert status in ({404, 405} if path.startswith("/test-app/") else {401}), (method, path)
        key = f"Authorization: Bearer {served.bearer}\r\nContent-Length: 0\r\n"
        if method not in {"GET", "HEAD"} or not unquote(path).lower().endswith("sse"):  # a stream does not end
            with_key, _ = await raw_request(served.port, f"{head}{key}\r\n")
            assert with_key not in {401, 403}, (method, path)


@pytest.mark.parametrize("is_open", [False, True], ids=["key", "open"])
async def test_clients_get_through_while_others_hold_300_half_bodies_open(
    shared: SharedServer, *, is_open: bool
) -> None:
    served = await shared(open=is_open)
    paths = ["/link", "/mcp", "/health", "/connect", "/"]
    async with served.client() as before:
        strangers = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(300)]
        for (_, writer), path in zip(strangers, itertools.cycle(paths)):
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Length: 900\r\n\r\n{{"
            writer.write(head.encode())
        assert await within(before.list_tools())
        async with served.client() as client:
            assert await within(client.list_tools())
        async with extension_with_a_page(served.port):
            assert text_of(await within(before.call_tool("read_chrome_tab"))) == PAGE["text"]
        # The oldest one of each path is closed.
        for reader, _ in strangers[: len(paths)]:
            with suppress(ConnectionResetError):
                await within(reader.read())
        for _, writer in strangers:
            writer.close()


async def test_half_a_body_keeps_no_connection_without_a_key(
    shared: SharedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = await shared(open=True)
    monkeypatch.setattr(protocol, "HANDSHAKE_TIMEOUT_S", 0.5)
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Length: 900\r\n\r\n{{".encode())

    with suppress(ConnectionResetError):
        assert await within(reader.read()) == b""
    writer.close()


PUBLIC = ["/", "/health", "/test-app/main.js", "/extension/ui/theme.css"]


@pytest.mark.parametrize("path", PUBLIC)
async def test_public_paths_need_no_key(served: HttpServer, path: str) -> None:
    async with browser(served) as client:
        assert (await client.get(path)).status_code == 200


async def test_stdio_server_accepts_no_page_of_its_own_address() -> None:
    bridge = Bridge(free_port())
    await bridge.start()
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{bridge.port}", trust_env=False) as client:
            assert (await client.get("/health")).json()["status"] == "ok"
            with pytest.raises(httpx.RemoteProtocolError):
                await client.get("/health", headers={"origin": f"http://127.0.0.1:{bridge.port}"})
            assert (await client.get("/")).status_code == 404
    finally:
        await bridge.stop()


async def test_connection_string_is_returned_only_after_pair_and_never_to_a_browser(config_home: Path) -> None:
    async with http_server() as served, browser(served) as client:
        before = await client.get("/connect")
        mark = config_home / "paired"
        mark.touch()
        reported = await client.get("/connect")
        to_pages = [
            await client.get("/connect", headers=each) for each in ({"sec-fetch-site": "none"}, {"origin": served.base})
        ]
        later = []
        # In the future: the clock was changed.
        for seconds in (-chrome_tab_http.LINK_VALID_S - 1, 60):
            then = time.time() + seconds
            os.utime(mark, (then, then))
            later.append(await client.get("/connect"))

    assert [each.status_code for each in (before, *to_pages, *later)] == [403] * 5
    assert reported.json() == {
        "connectionString": pairing.connection_string(served.port, pairing.pairing_key()),
        "serverUrl": f"ws://127.0.0.1:{served.port}",
    }


ASK_AS_USER = """
import encodings.idna, os, sys, urllib.request, urllib.error
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
address, user = input().split()
if user != "-":
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
try:
    print(opener.open(address, timeout=60).read().decode())
except urllib.error.HTTPError as refused:
    print(refused.code, refused.read().decode())
"""
UNPRIVILEGED = 65_534


@pytest.mark.e2e
@pytest.mark.posix
async def test_connection_string_is_only_for_programs_of_the_same_user(
    config_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only root can run a program as another user. Without root, the lookup of the program's owner is replaced."""
    is_root = os.geteuid() == 0
    real_owner = chrome_tab_http.owner

    async def ask(served: HttpServer, *, as_another: bool) -> str:
        pipe = asyncio.subprocess.PIPE
        program = await asyncio.create_subprocess_exec(sys.executable, "-c", ASK_AS_USER, stdin=pipe, stdout=pipe)

        def owner(process: psutil.Process) -> str:
            return "another" if process.pid == program.pid else real_owner(process)

        monkeypatch.setattr(chrome_tab_http, "owner", owner if as_another and not is_root else real_owner)
        user = UNPRIVILEGED if as_another and is_root else "-"
        out, _ = await within(program.communicate(f"{served.base}/connect {user}\n".encode()))
        return out.decode()

    async with http_server() as served:
        (config_home / "paired").touch()
        refused = await ask(served, as_another=True)
        given = await ask(served, as_another=False)

    assert refused.startswith("403")
    assert pairing.pairing_key() not in refused
    assert "connectionString" in given


@pytest.mark.parametrize("peer", [None, ("127.0.0.1", 1), ("127.0.0.2", 1)])
async def test_unknown_peer_is_treated_as_another_user(peer: Any, shared: SharedServer) -> None:
    served = await shared()
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    known = writer.get_extra_info("sockname")

    assert await asyncio.to_thread(chrome_tab_http.is_of_this_user, known, served.port)
    assert not await asyncio.to_thread(chrome_tab_http.is_of_this_user, peer, served.port)
    assert not await asyncio.to_thread(chrome_tab_http.is_of_this_user, known, served.port + 1)
    writer.close()
    del reader


async def test_a_peer_whose_process_is_hidden_is_treated_as_another_user(
    shared: SharedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without root, the system does not report which process of another user has a connection."""
    served = await shared()
    _, writer = await asyncio.open_connection("127.0.0.1", served.port)
    known = writer.get_extra_info("sockname")
    found = [(None, each) for _, each in await asyncio.to_thread(lambda: [*chrome_tab_http.connections()])]
    assert any(each.laddr == known for _, each in found)
    monkeypatch.setattr(chrome_tab_http, "connections", lambda: found)

    assert not await asyncio.to_thread(chrome_tab_http.is_of_this_user, known, served.port)
    writer.close()


# --- Access of the test app ---


async def test_a_link_gives_one_page_access_once(shared: SharedServer) -> None:
    served = await shared()
    async with browser(served) as client:
        link = (await client.post("/link", headers=served.authorization)).json()["link"]
        shown = {"link": link.partition("#")[2]}
        first = await client.post("/link", json=shown)
        second = await client.post("/link", json=shown)
        page = {"authorization": f"Bearer {first.json()['key']}"}
        handshake = await client.post("/mcp", json=HANDSHAKE, headers=ACCEPT | page)

    assert link.startswith(f"{served.base}/#")
    assert handshake.status_code == 200
    assert second.status_code == 401
    assert "two minutes" in failure_of(second)[1]
    assert not {served.bearer, pairing.pairing_key()} & {first.json()["key"], shown["link"]}


async def test_a_link_expires(shared: SharedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    served = await shared()
    async with browser(served) as client:
        monkeypatch.setattr(chrome_tab_http, "LINK_VALID_S", 0.0)
        link = (await client.post("/link", headers=served.authorization)).json()["link"]

        assert (await client.post("/link", json={"link": link.partition("#")[2]})).status_code == 401


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"link": 1}', b'{"link": ""}', b'{"link": "' + b"x" * 50 + b'"}'])
async def test_a_wrong_link_gives_no_access(body: bytes, shared: SharedServer) -> None:
    async with browser(await shared()) as client:
        assert (await client.post("/link", content=body)).status_code == 401
        assert (await client.post("/link", content=b"x" * 2_000)).status_code == 413


async def test_a_pages_key_expires_and_cannot_be_renewed(shared: SharedServer) -> None:
    served = await shared()
    async with browser(served, **ACCEPT) as client:
        link = (await client.post("/link", headers=served.authorization)).json()["link"]
        key = (await client.post("/link", json={"link": link.partition("#")[2]})).json()["key"]
        until, _, proof = key.partition(".")
        past = int(time.time()) - 1
        old = f"{past}.{pairing.bearer_key(served.bearer, f'page|{past}')}"
        longer = f"{int(until) + 1}.{proof}"
        statuses = [
            (await client.post("/mcp", json=HANDSHAKE, headers={"authorization": f"Bearer {each}"})).status_code
            for each in (key, old, longer)
        ]

    assert statuses == [200, 401, 401]


async def test_pair_http_reports_the_key_and_a_link(capsys: pytest.CaptureFixture[str]) -> None:
    async with http_server() as served:
        capsys.readouterr()
        status = await asyncio.to_thread(app.main, ["--pair", "--http", "--port", str(served.port)])
        out, err = capsys.readouterr()
        link = re.search(rf"{served.base}/#(\S+)", err)
        assert link
        async with browser(served) as client:
            assert (await client.post("/link", json={"link": link[1]})).status_code == 200

    assert (status, out.strip()) == (0, served.bearer)
    assert await asyncio.to_thread(app.main, ["--pair", "--http", "--port", str(served.port)]) == 0
    out, err = capsys.readouterr()
    assert out.strip() == served.bearer
    assert f"{served.base}/#" not in err


@pytest.mark.parametrize("speaks", ["HTTP", "WebSocket"])
async def test_pair_http_shows_no_key_to_a_program_that_has_taken_the_port(
    speaks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[bytes] = []

    async def as_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(65_536))
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n{"link": "http://evil.test/#x"}')
        writer.write_eof()
        heard.append(await reader.read())
        writer.close()

    async def as_websocket(follower: ServerConnection) -> None:
        challenge = {
            "type": "challenge",
            "protocol": 2,
            "version": "1.0.0",
            "nonce": make_nonce(),
            "proof": make_nonce(),
        }
        heard.append(str(follower.request.headers if follower.request else "").encode())
        with suppress(ConnectionClosed):
            heard.append(str(await follower.recv()).encode())
            for message in (challenge, {"type": "welcome"}, {"type": "link", "link": "http://evil.test/#x"}):
                await follower.send(json.dumps(message))
            heard.append(str(await follower.recv()).encode())

    port = free_port()
    start = (
        asyncio.start_server(as_http, "127.0.0.1", port) if speaks == "HTTP" else serve(as_websocket, "127.0.0.1", port)
    )
    async with await start:
        status = await within(asyncio.to_thread(app.main, ["--pair", "--http", "--port", str(port)]))
    out, err = capsys.readouterr()
    bearer = pairing.bearer_key(pairing.pairing_key())

    assert (status, out.strip()) == (0, bearer)
    assert "evil.test" not in err
    assert heard
    assert not any(secret.encode() in b"".join(heard) for secret in (bearer, pairing.pairing_key()))


def test_http_without_pair_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        app.main(["--http"])
    assert "--http works only with --pair" in capsys.readouterr().err


REPLIES = ["/", "/test-app/main.js", "/extension/ui/theme.css", "/health", "/nowhere", "/mcp"]


@pytest.mark.parametrize("path", REPLIES)
async def test_every_response_forbids_code_that_is_not_ours(path: str, shared: SharedServer) -> None:
    async with browser(await shared()) as client:
        headers = (await client.get(path)).headers

    policy = headers["content-security-policy"]
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"} <= set(
        policy.split("; ")
    )
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_no_page_of_the_test_app_contains_an_inline_script_or_style() -> None:
    markup = (chrome_tab_http.TEST_APP / "index.html").read_text(encoding="utf-8")

    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", markup) == []
    assert markup.count("<script") == 1


# --- Bad input ---


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/test-app/../chrome_tab_mcp_server.py", 404),
        ("GET", "/test-app/%2e%2e/chrome_tab_mcp_server.py", 404),
        ("GET", "/sse", 404),
        ("POST", "/health", 405),
        ("GET", "/link", 405),
    ],
)
async def test_an_unknown_path_is_answered_with_a_sentence(
    method: str, path: str, status: int, shared: SharedServer
) -> None:
    served = await shared()
    async with browser(served, **served.authorization) as client:
        response = await client.request(method, path)

    assert response.status_code == status
    assert ("allow" in response.headers) is (status == 405)
    assert failure_of(response)[0] == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{bad", 400), (b"\xff", 400), (b"[" * 100_000, 400), (b"x" * 5_000_000, 413), (b"{}", 400)],
    ids=["no JSON", "no UTF-8", "deep", "too large", "no request"],
)
async def test_bad_bodies_are_rejected_and_other_requests_continue(
    body: bytes, status: int, shared: SharedServer
) -> None:
    served = await shared()
    async with served.client() as other, browser(served, **served.authorization) as client:
        refused = await client.post("/mcp", content=body, headers=ACCEPT)

        assert refused.status_code == status
        assert len(refused.json()["error"]["message"].splitlines()) == 1
        assert refused.json()["error"]["code"]
        assert await other.list_tools()


async def test_sse_sends_its_endpoint_first_and_answers_over_the_stream(shared: SharedServer) -> None:
    served = await shared("sse")
    async with browser(served, **served.authorization) as client:
        async with client.stream("GET", "/sse") as stream:
            lines = stream.aiter_lines()
            first = [await within(anext(lines)) for _ in range(2)]
            address = first[1].removeprefix("data: ")
            posted = await client.post(address, json=HANDSHAKE)
            data = ""
            while not data.startswith("data: {"):
                data = await within(anext(lines))

        assert first[0] == "event: endpoint"
        assert re.fullmatch(r"/message\?session_id=[0-9a-f]{32}", address)
        assert posted.status_code == 202
        assert json.loads(data.removeprefix("data: "))["result"]["serverInfo"]["name"] == server.APP_NAME


@pytest.mark.parametrize("query", ["", "?session_id=x", "?session_id=00000000000000000000000000000000"])
async def test_message_of_an_unknown_session_is_rejected(query: str, shared: SharedServer) -> None:
    served = await shared("sse")
    async with browser(served, **served.authorization) as client:
        response = await client.post(f"/message{query}", json=HANDSHAKE)

        assert response.status_code == 400
        assert failure_of(response)[0] == "INVALID_ARGUMENT"
        assert (await client.put("/message")).status_code == 405


# --- The port ---


async def test_port_of_another_of_our_servers_is_reported_and_left_alone(served: HttpServer) -> None:
    taken = server.load_settings(
        {"ollama_url": "http://127.0.0.1:9", "model": "m", "transport": "http", "port": served.port}, need_model=True
    )

    with pytest.raises(server.ChromeTabError, match=r"belongs to another of your servers.*choose another --port"):
        await within(app.serve_http(taken))

    async with served.client() as client:
        assert await client.list_tools()


async def test_port_of_another_program_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "FOLLOWER_HANDSHAKE_TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as foreign:
        port = foreign.getsockname()[1]
        taken = server.load_settings(
            {"ollama_url": "http://127.0.0.1:9", "model": "m", "transport": "http", "port": port}, need_model=True
        )

        with pytest.raises(server.ChromeTabError, match=rf"Port {port}.*process {os.getpid()}"):
            await within(app.serve_http(taken))


def test_a_server_that_finds_its_port_taken_exits_with_status_1(run: Run) -> None:
    with in_a_thread(FakeOpenAIServer()) as foreign:
        flags = ["--transport", "http", "--ollama-url", "http://127.0.0.1:9", "--model", "m"]
        status, _, err = run(*flags, "--port", foreign.url.rpartition(":")[2])

    assert status == 1
    assert f"process {os.getpid()}" in err


async def test_missing_extension_is_a_tool_error_over_http_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    async with http_server() as served, served.client() as client:
        result = await client.call_tool("browser_get_tabs", raise_on_error=False)

    assert error_of(result)[0] == "EXTENSION_NOT_CONNECTED"
