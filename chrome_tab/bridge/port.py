"""The loopback port: its server, its connections, its error responses, and the program that occupies it."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import (
    Generator,
)
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import chrome_tab_mcp_server as server
from chrome_tab.bridge import protocol

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse


def extension_origin() -> str:
    """Return a pattern that matches our extension's Origin in every supported browser."""
    return "|".join([*(f"chrome-extension://{known}" for known in protocol.EXTENSION_IDS), protocol.FIREFOX_ORIGIN])


class UnprovedConnections:
    """Connections that have not proved a key yet: limited in number, time and bytes.

    A new connection above the limit drops the oldest one: a peer that has the key proves it immediately.
    """

    def __init__(self) -> None:
        # The timer of each connection, oldest first, and the bytes received over its WebSocket.
        self._deadlines: dict[asyncio.Transport, asyncio.TimerHandle] = {}
        self._received: Counter[asyncio.Transport] = Counter()

    def add(self, transport: asyncio.Transport) -> None:
        """Add a new connection."""
        if len(self._deadlines) >= protocol.MAX_UNPROVED:
            self.drop(next(iter(self._deadlines)))
        self._deadlines[transport] = self._deadline(transport, protocol.HANDSHAKE_TIMEOUT_S)

    def extend(self, transport: asyncio.Transport, seconds: float) -> None:
        """Restart the timer of a connection, unless it has proved a key."""
        if deadline := self._deadlines.get(transport):
            deadline.cancel()
            self._deadlines[transport] = self._deadline(transport, seconds)

    def count(self, transport: asyncio.Transport, size: int) -> None:
        """Count received bytes; drop a connection that sends more than a handshake needs."""
        if transport in self._deadlines:
            self._received[transport] += size
            if self._received[transport] > protocol.MAX_UNPROVED_BYTES:
                self.drop(transport)

    def remove(self, transport: asyncio.Transport) -> None:
        """Remove the limits of a connection that has proved a key or has ended."""
        self._received.pop(transport, None)
        if deadline := self._deadlines.pop(transport, None):
            deadline.cancel()

    def drop(self, transport: asyncio.Transport) -> None:
        """Close a connection without sending anything."""
        self.remove(transport)
        transport.abort()

    def _deadline(self, transport: asyncio.Transport, seconds: float) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self.drop, transport)


def port_server(app: Starlette) -> uvicorn.Server:
    """Build the HTTP and WebSocket server of the port."""
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
    """Build the port's protocol classes; the application gets a connection as `scope["state"]["connection"]`."""
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    unproved = UnprovedConnections()

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            super().connection_made(transport)
            self.app_state = {"connection": self}
            unproved.add(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            unproved.remove(self.transport)

        def on_response_complete(self) -> None:
            unproved.extend(self.transport, protocol.HANDSHAKE_TIMEOUT_S)
            super().on_response_complete()

        def handle_websocket_upgrade(self, event: Any) -> None:
            # A slow handshake is closed with a code before this limit applies.
            unproved.extend(self.transport, protocol.HANDSHAKE_TIMEOUT_S + protocol.CLOSING_TIMEOUT_S)
            super().handle_websocket_upgrade(event)

        def send_400_response(self, msg: str) -> None:  # noqa: ARG002 -- nothing is sent
            self.drop()

        def admit(self) -> None:
            unproved.remove(self.transport)

        def drop(self) -> None:
            unproved.drop(self.transport)

    class Socket(WebSocketsSansIOProtocol):
        def data_received(self, data: bytes) -> None:
            unproved.count(self.transport, len(data))
            super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            unproved.remove(self.transport)

    return {"http": Connection, "ws": Socket}


# Why a session cannot follow the program on its port. A program that does not respond may be a suspended leader.
PORT_PROBLEMS = {
    "other version": "Port {port} belongs to another session's server, which runs another version of {app} than "
    "this one ({version}). Update both, then restart the older session.",
    "other program": "Port {port} is in use by {name}, which is not one of your servers. Choose another --port and pair "
    "again, or stop that program.",
    "connection ended": "Port {port} is in use by {name}, which ends each connection without a response. Stop that "
    "program, or choose another --port and pair again.",
    "suspended": "Port {port} belongs to another session's server, {name}, which has stopped responding: it is suspended or "
    "very busy. Resume or end that process, then check the page and repeat only what did not take effect.",
    "no answer": "Port {port} is in use by {name}, which does not respond. If that is another session's server, it is "
    "suspended or very busy: resume it, and this session connects automatically. If not, choose another --port and pair again.",
}


class PortError(server.ChromeTabError):
    """A session cannot follow the program on its port; `problem` is a key of PORT_PROBLEMS."""

    def __init__(self, problem: str, message: str) -> None:
        super().__init__("EXTENSION_NOT_CONNECTED", message)
        self.problem = problem


async def port_error(port: int, problem: str) -> PortError:
    """Build the error for one of PORT_PROBLEMS, with the name of the program on the port if the text needs it."""
    sentence = PORT_PROBLEMS[problem]
    program = await asyncio.to_thread(program_on_port, port) if "{name}" in sentence else None
    about = {
        "port": port,
        "name": program or "another program",
        "app": server.APP_NAME,
        "version": server.__version__,
    }
    return PortError(problem, sentence.format(**about))


def program_on_port(port: int) -> str | None:
    """Return the name and pid of the program that listens on a port; None if the system does not reveal it."""
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
    400: "The request is malformed. Send JSON-RPC as application/json, and over SSE the session_id from the start of the "
    "stream.",
    404: "There is nothing at this address. MCP is at /mcp with --transport http, at /sse with --transport sse.",
    405: "This address does not support that method.",
    406: "The client must accept application/json and text/event-stream.",
    413: "The request is larger than 4 MiB. Send a smaller one.",
}


def http_failure(status: int, sentence: str) -> JSONResponse:
    """Build the response to a failed HTTP request: a sentence and a code."""
    from starlette.responses import JSONResponse

    code = "PERMISSION_DENIED" if status in {401, 403} else "INVALID_ARGUMENT"
    headers = {"www-authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
    return JSONResponse(server.ChromeTabError(code, sentence).data(), status, headers)
