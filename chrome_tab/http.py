"""MCP over HTTP or SSE, and the test app: what `--transport http` and `sse` add to the port.

One process serves all MCP clients of this machine, on the port that the extension and other sessions use anyway. MCP
clients send a bearer key that is derived from the pairing key and cannot be used for pairing.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import re
import time
from typing import TYPE_CHECKING, Any

from fastmcp.server.dependencies import get_http_request
from fastmcp.server.http import create_sse_app, create_streamable_http_app
from fastmcp.server.middleware import Middleware
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing, pending, port, protocol
from chrome_tab.tasks import runs_as_task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import FastMCP
    from fastmcp.server.http import StarletteWithLifespan
    from fastmcp.tools.base import ToolResult
    from psutil import Process
    from starlette.datastructures import Address, Headers
    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from chrome_tab.bridge.bridge import Bridge

LINK_VALID_S = 120.0
PAGE_KEY_VALID_S = 12 * 3600
MAX_LINK_BYTES = 1_000
TEST_APP = server.FILES / "test-app"
SERVED_FOLDERS = ("test-app", "extension/ui", "extension/shared", "extension/icons")
MCP_PATHS = {"http": ("/mcp",), "sse": ("/sse", "/message")}
# All paths that are served without a key, exactly as in the routes; every other path requires one.
PUBLIC_PATHS = {"/", "/connect", "/health", "/link"}
PUBLIC_FOLDERS = tuple(f"/{folder}/" for folder in SERVED_FOLDERS)


async def serve_http(mcp: FastMCP, bridge: Bridge, settings: server.Settings) -> int:
    """Serve MCP over HTTP or SSE until this task is cancelled."""
    if settings.transport == "sse":
        app = create_sse_app(mcp, message_path="/message", sse_path="/sse")
    else:
        app = create_streamable_http_app(mcp, "/mcp")
    key = pairing.pairing_key()
    http = bridge.http = HttpSide(app, settings, pairing.bearer_key(key))
    listener = await bridge.claim(key)
    async with app.lifespan(app):
        await bridge.own(listener, key)
        address = f"http://{server.HOST}:{settings.port}"
        shown = (
            "without a key: any program on this machine can use it"
            if settings.open
            else "--pair --http prints its bearer key"
        )
        server.print_message(f"MCP is served at {address}{http.mcp_paths[0]} ({shown}).")
        link = f"{address}/" if settings.open else f"{http.new_link()} (works once, for two minutes)"
        server.print_message(f"Try the tools in a browser: {link}")
        await asyncio.Event().wait()
    return 0


class HttpSide:
    """What the port serves in addition to the bridge: MCP over HTTP or SSE, and the test app with one-time links."""

    def __init__(self, mcp: StarletteWithLifespan, settings: server.Settings, bearer: str) -> None:
        self.mcp = mcp
        self.mcp_paths: tuple[str, ...] = MCP_PATHS[settings.transport]
        self.is_open = settings.open
        self._port = settings.port
        self._links: dict[str, float] = {}
        self._bearer = bearer

    def is_public(self, path: str) -> bool:
        """Return whether a path is served without a key."""
        return path in PUBLIC_PATHS or path.startswith(PUBLIC_FOLDERS)

    def admits(self, headers: Headers) -> bool:
        """Return whether a request is allowed to use MCP."""
        return self.is_open or self.shows_key(headers)

    def shows_key(self, headers: Headers) -> bool:
        """Return whether a request has a key that allows MCP (the bearer key or a page's key), in constant time."""
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        until = shown.partition(".")[0]
        is_time = re.fullmatch(r"\d{1,12}", until, re.ASCII)
        expected = self._page_key(until) if is_time and time.time() < int(until) else self._bearer
        is_key = hmac.compare_digest(shown.strip().encode(), expected.encode())
        return scheme.lower() == "bearer" and is_key

    def _page_key(self, until: str) -> str:
        """Return the key for pages, valid until a Unix time. It survives a restart, so that pages need no new link."""
        return f"{until}.{pairing.bearer_key(self._bearer, f'page|{until}')}"

    def new_link(self) -> str:
        """Return a link to the test app that admits one page, once, within two minutes."""
        link = pairing.make_nonce()
        now = time.monotonic()
        self._links = {link: until for link, until in self._links.items() if until > now} | {link: now + LINK_VALID_S}
        # After a # it appears neither in logs nor in a Referer.
        return f"http://{server.HOST}:{self._port}/#{link}"

    def redeem(self, link: str) -> str | None:
        """Return a key for the page that presents a link; None if the link was used, has expired, or is unknown."""
        if self._links.pop(link, 0.0) <= time.monotonic():
            return None
        return self._page_key(str(int(time.time() + PAGE_KEY_VALID_S)))

    def routes(self) -> list[BaseRoute]:
        """Return the port's additional routes: links, MCP, the test app's files."""
        # FastMCP mounts its handler of messages, and a mount's path ends with a slash.
        mcp = [Route(path.replace("/message", "/message/"), self.mcp) for path in self.mcp_paths]
        folders = [Mount(f"/{each}", StaticFiles(directory=TEST_APP.parent / each)) for each in SERVED_FOLDERS]
        pages = [Route("/", self._start_page), *folders] if TEST_APP.is_dir() else []
        return [Route("/connect", self._connect), Route("/link", self._link, methods=["POST"]), *mcp, *pages]

    async def _start_page(self, _request: Request) -> FileResponse:
        return FileResponse(TEST_APP / "index.html")

    async def _link(self, request: Request) -> JSONResponse:
        """Exchange a link for a key; make a new link for a caller with the bearer key."""
        if self.is_open:
            return JSONResponse({"key": ""})
        if self.admits(request.headers):
            return JSONResponse({"link": self.new_link()})
        body = b""
        async for chunk in request.stream():
            if len(body := body + chunk) > MAX_LINK_BYTES:
                return port.http_failure(413, "The request is too long for a link. Send the link as it was printed.")
        shown = protocol.parse_frame(body).get("link")
        if isinstance(shown, str) and (key := self.redeem(shown)):
            return JSONResponse({"key": key})
        return port.http_failure(
            401,
            "This link has been used or is older than two minutes. Get a new one: run the server with --pair --http.",
        )

    async def _connect(self, request: Request) -> JSONResponse:
        """Return the connection string again, for programs that pair their own browser."""
        if {"origin", "sec-fetch-site"} & set(request.headers.keys()):
            return port.http_failure(403, "This address is not for browsers.")
        if not recently_paired():
            return port.http_failure(
                403, "Run --pair first; for two minutes after it this address returns the connection string."
            )
        if not await asyncio.to_thread(is_of_this_user, request.client, self._port):
            return port.http_failure(403, "Only programs of the user who runs this server get the connection string.")
        address = f"ws://{server.HOST}:{self._port}"
        return JSONResponse(
            {"connectionString": pairing.connection_string(self._port, pairing.pairing_key()), "serverUrl": address}
        )


def is_of_this_user(peer: Address | None, port: int) -> bool:
    """Return whether a process of this server's user has the other end of a connection; False if unknown."""
    import psutil

    user = owner(psutil.Process())
    for pid, found in connections():
        if pid and (found.laddr, found.raddr, found.status) == (peer, (server.HOST, port), psutil.CONN_ESTABLISHED):
            with contextlib.suppress(psutil.Error, OSError):  # it has ended, or belongs to another user
                if owner(psutil.Process(pid)) == user:
                    return True
    return False


def connections() -> Iterator[tuple[int | None, Any]]:
    """Yield the TCP connections that this user may see, each with the id of its process if known."""
    import psutil

    try:
        yield from ((found.pid, found) for found in psutil.net_connections("tcp4"))
    except psutil.AccessDenied:  # macOS lists only the connections of one process at a time
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                yield from ((process.pid, found) for found in process.net_connections("tcp4"))


def owner(process: Process) -> str:
    """Return the user who started a process. Tests replace this, since they cannot start one as another user."""
    return process.username()


def recently_paired() -> bool:
    """Return whether --pair, which touches the file `paired`, was run within the last two minutes."""
    try:
        age = time.time() - (server.config_dir() / "paired").stat().st_mtime
    except OSError:
        return False
    return 0 <= age < LINK_VALID_S


class CancelOnDisconnect(Middleware):
    """Cancels a call whose HTTP client has disconnected: otherwise the model would keep working for no one."""

    async def on_call_tool(self, context: server.ToolCall, call_next: server.RunTool) -> ToolResult:
        """Run a call while its request is open. Not for tasks and SSE: there requests end before their calls."""
        if runs_as_task.get():
            return await call_next(context)
        ended = get_http_request().state.ended
        call = asyncio.ensure_future(call_next(context))
        gone = asyncio.create_task(ended.wait())
        try:
            await asyncio.wait({call, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                raise pending.ConnectionLostError(context.message.name)
            return call.result()
        finally:
            gone.cancel()
            call.cancel()
            await asyncio.wait({call})
