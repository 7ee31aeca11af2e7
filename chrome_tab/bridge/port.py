"""The one loopback port: who may send requests to it, and who has it."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import (
    Generator,
)
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import chrome_tab_mcp_server as server
from chrome_tab.bridge import bridge, protocol

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.datastructures import Headers
    from starlette.responses import JSONResponse
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


def extension_origin() -> str:
    """Return the pattern of the Origin that our extension has in the browsers."""
    return "|".join([*(f"chrome-extension://{known}" for known in protocol.EXTENSION_IDS), protocol.FIREFOX_ORIGIN])


class Strangers:
    """Connections that have not shown a key: a bounded number, each for a bounded time.

    Where one more comes, the oldest is dropped: who has a key shows it at once.
    """

    def __init__(self) -> None:
        # The oldest first: when each ends, and the bytes that it has sent over its WebSocket.
        self._deadlines: dict[asyncio.Transport, asyncio.TimerHandle] = {}
        self._received: Counter[asyncio.Transport] = Counter()

    def add(self, transport: asyncio.Transport) -> None:
        """Take a new connection."""
        if len(self._deadlines) >= protocol.MAX_UNPROVED:
            self.drop(next(iter(self._deadlines)))
        self._deadlines[transport] = self._deadline(transport, protocol.OPENING_TIMEOUT_S)

    def extend(self, transport: asyncio.Transport, seconds: float) -> None:
        """Give a connection so long from now, unless it has shown a key."""
        if deadline := self._deadlines.get(transport):
            deadline.cancel()
            self._deadlines[transport] = self._deadline(transport, seconds)

    def count(self, transport: asyncio.Transport, size: int) -> None:
        """Count what a connection sends; drop one that sends more than an opening takes."""
        if transport in self._deadlines:
            self._received[transport] += size
            if self._received[transport] > protocol.MAX_UNPROVED_BYTES:
                self.drop(transport)

    def remove(self, transport: asyncio.Transport) -> None:
        """Leave a connection alone: it has shown a key, or ended."""
        self._received.pop(transport, None)
        if deadline := self._deadlines.pop(transport, None):
            deadline.cancel()

    def drop(self, transport: asyncio.Transport) -> None:
        """End a connection without another byte."""
        self.remove(transport)
        transport.abort()

    def _deadline(self, transport: asyncio.Transport, seconds: float) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self.drop, transport)


def port_server(app: Starlette) -> uvicorn.Server:
    """Return the HTTP and WebSocket server of the port."""
    import uvicorn

    class Server(uvicorn.Server):
        # Signals belong to the MCP server; uvicorn must not take them.
        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None]:
            yield

    silent: dict[str, Any] = {"log_config": None, "log_level": "critical", "access_log": False, "lifespan": "off"}
    limits: dict[str, Any] = {"ws_max_size": protocol.MAX_FRAME_BYTES, "timeout_graceful_shutdown": 1}
    protocols = {**port_protocols(), "ws_per_message_deflate": False}
    return Server(uvicorn.Config(app, **protocols, **limits, **silent))


def port_protocols() -> dict[str, Any]:
    """Return what takes the port's connections; the application finds one as `scope["state"]["connection"]`."""
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    strangers = Strangers()

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            super().connection_made(transport)
            self.app_state = {"connection": self}
            strangers.add(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            strangers.remove(self.transport)

        def on_response_complete(self) -> None:
            strangers.extend(self.transport, protocol.OPENING_TIMEOUT_S)
            super().on_response_complete()

        def handle_websocket_upgrade(self, event: Any) -> None:
            # An opening that takes too long is closed with a code first.
            strangers.extend(self.transport, protocol.OPENING_TIMEOUT_S + protocol.CLOSING_TIMEOUT_S)
            super().handle_websocket_upgrade(event)

        def send_400_response(self, msg: str) -> None:  # noqa: ARG002 -- nothing is sent
            self.drop()

        def admit(self) -> None:
            strangers.remove(self.transport)

        def drop(self) -> None:
            strangers.drop(self.transport)

    class Socket(WebSocketsSansIOProtocol):
        def data_received(self, data: bytes) -> None:
            strangers.count(self.transport, len(data))
            super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            strangers.remove(self.transport)

    return {"http": Connection, "ws": Socket}


# Why no session comes in through the port, by what is there. A silent program may be one of our servers, suspended.
PORT_PROBLEMS = {
    "other version": "Another session's server holds port {port} and is another version of {APP_NAME} than this one "
    "({__version__}). Update both, then restart the older session.",
    "stranger": "Port {port} is taken by {name}, which is not a server of yours. Choose another --port and pair again, or free this one.",
    "silence": "Port {port} is taken by {name}, which does not answer. If that is another session's server, it is "
    "suspended or very busy: let it go on, and this session comes in by itself. If not, choose another --port and pair "
    "again.",
}


async def port_error(port: int, what: str) -> server.ChromeTabError:
    """Return the error for one of PORT_PROBLEMS; it names the program that has the port where that must be known."""
    sentence = PORT_PROBLEMS[what]
    program = await asyncio.to_thread(program_on_port, port) if "{name}" in sentence else None
    about = {
        "port": port,
        "name": program or "another program",
        "APP_NAME": server.APP_NAME,
        "__version__": server.__version__,
    }
    return server.ChromeTabError("EXTENSION_NOT_CONNECTED", sentence.format(**about))


def program_on_port(port: int) -> str | None:
    """Return the name and pid of the program that listens on a port, if we may know it."""
    import psutil

    for process in psutil.process_iter():
        try:
            for connection in process.net_connections("tcp"):
                if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
                    return f"{server.one_line(process.name(), 60)} (process {process.pid})"
        except (psutil.Error, OSError):
            continue
    return None


PAGE_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
HTTP_SENTENCES = {
    400: "The request cannot be read. Send JSON-RPC, and over SSE the session_id that the stream named first.",
    404: "There is nothing at this address. MCP is at /mcp with --transport http, at /sse with --transport sse.",
    405: "This address does not take that method.",
    406: "The client must accept application/json and text/event-stream.",
    413: "The request is larger than 4 MiB. Send less.",
}


def http_failure(status: int, sentence: str) -> JSONResponse:
    """Return a failure of an HTTP request: a sentence and a code."""
    from starlette.responses import JSONResponse

    code = "PERMISSION_DENIED" if status in {401, 403} else "INVALID_ARGUMENT"
    headers = {"www-authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
    return JSONResponse(server.ChromeTabError(code, sentence).data(), status, headers)


class HttpBorder:
    """ASGI middleware of the port: who may ask, and each failure as JSON with a sentence and a code."""

    def __init__(self, app: ASGIApp, bridge: bridge.Bridge) -> None:
        self._app = app
        self._bridge = bridge

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may be asked; what may come from a page of another site gets no answer at all."""
        from starlette.datastructures import Headers

        headers, connection, http = Headers(scope=scope), scope["state"]["connection"], self._bridge.http
        shows_key = http is not None and http.shows_key(headers)
        if not shows_key and self._may_be_a_page(scope, headers):
            connection.drop()
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        ended = scope["state"]["ended"] = asyncio.Event()
        try:
            path = scope["path"]
            inner = {**scope, "path": "/message/"} if path == "/message" else scope
            refusal = self._refusal(scope, headers)
            if shows_key:
                connection.admit()
            elif http and http.is_open and path in http.mcp_paths and not refusal:
                receive = admitting(connection, receive)
            await (refusal or self._app)(inner, receive, JsonFailures(send, path))
        finally:
            ended.set()

    def _may_be_a_page(self, scope: Scope, headers: Headers) -> bool:
        """Say whether a page of another site may have sent this: it must not learn that anything listens here."""
        origins = headers.getlist("origin")
        if not self._bridge.addressed_to_us(headers) or len(origins) > 1:
            return True
        if origins and re.fullmatch(extension_origin(), origins[0]):
            return False
        is_elsewhere = headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}
        return is_elsewhere or not self._is_own(scope, headers)

    def _is_own(self, scope: Scope, headers: Headers) -> bool:
        """Say whether an HTTP request has no Origin but that of our own pages."""
        has_pages = self._bridge.http and scope["type"] == "http"
        return headers.getlist("origin") in ([], *([[f"http://{headers.get('host')}"]] if has_pages else []))

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        """Return why a request is not taken; None when it is."""
        http = self._bridge.http
        if not self._bridge.addressed_to_us(headers) or not self._is_own(scope, headers):
            return http_failure(
                403, f"Host or Origin is not allowed. Ask http://{server.HOST}:{self._bridge.port} directly."
            )
        if http and not http.is_public(scope["path"]) and not http.admits(headers):
            return http_failure(
                401,
                "The bearer key is missing or wrong. Run the server's file with --pair --http to see it, and send it as "
                "Authorization: Bearer KEY.",
            )
        return None


def admitting(connection: Any, receive: Receive) -> Receive:
    """Return a `receive` that admits a connection without a key when its whole request has come."""

    async def receive_part() -> Message:
        message = await receive()
        if not message.get("more_body"):
            connection.admit()
        return message

    return receive_part


class JsonFailures:
    """An ASGI `send` that makes a JSON sentence of a failure that is none, and adds the headers of our pages."""

    def __init__(self, send: Send, path: str) -> None:
        self._send = send
        self._path = path
        self._replaced = False

    async def __call__(self, message: Message) -> None:
        """Send a part of a response on."""
        from starlette.datastructures import MutableHeaders

        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(PAGE_HEADERS)
            status = message["status"]
            # An unknown session is a wrong argument here; the library calls it not found.
            status = 400 if status == HTTPStatus.NOT_FOUND and self._path == "/message" else status
            self._replaced = status >= HTTPStatus.BAD_REQUEST and "json" not in headers.get("content-type", "")
            if self._replaced:
                failure = http_failure(status, HTTP_SENTENCES.get(status, "The request failed."))
                allowed = {"allow": headers["allow"]} if "allow" in headers else {}
                failure.headers.update(PAGE_HEADERS | allowed)
                await self._send({**message, "status": status, "headers": failure.raw_headers})
                await self._send({"type": "http.response.body", "body": bytes(failure.body)})
                return
        if not self._replaced:
            await self._send(message)
