"""The leader: the server that owns the port, and with it the extension's socket and the followers' connections."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import re
import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import chrome_tab_mcp_server as server
from chrome_tab.bridge import port, protocol
from chrome_tab.bridge.handshake import Handshake, handshake_with_client
from chrome_tab.bridge.request_guard import RequestGuard
from chrome_tab.bridge.roles import Role

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.websockets import WebSocket

    from chrome_tab.bridge.roles import Session


def take_port(number: int) -> socket.socket | None:
    """Open the listening socket of a port; return None when another program has it."""
    try:
        listener = socket.create_server((server.HOST, number))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return None
        sentence = f"Port {number} cannot be used ({error.strerror or error}). Choose another --port and pair again."
        raise server.ChromeTabError("EXTENSION_NOT_CONNECTED", sentence) from None
    # Connections inherit it. asyncio does not set it on sockets made this way, which delays parts of a reply by 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class Leader:
    """The port's HTTP and WebSocket server, with the extension and the followers that are connected to it."""

    role = Role.LEADER

    def __init__(self, session: Session, key: str) -> None:
        self._session, self._key = session, key
        self._extension: WebSocket | None = None
        self._followers: set[FollowerConnection] = set()

    @property
    def sessions(self) -> int:
        """Return how many sessions share the extension."""
        return 1 + len(self._followers)

    async def send(self, text: str) -> None:
        """Send one message to the extension."""
        if self._extension is None:
            raise ConnectionResetError
        await self._extension.send_text(text)

    async def lead(self, listener: socket.socket) -> None:
        """Serve the port until this task is cancelled."""
        with listener:
            web_server = port.port_server(self._app())
            self._session.enter_role(self)
            serving = asyncio.create_task(web_server.serve(sockets=[listener]))
            try:
                await asyncio.shield(serving)
            finally:
                web_server.should_exit = True
                web_server.force_exit = True
                try:
                    await asyncio.wait({serving}, timeout=protocol.PORT_LEAVING_TIMEOUT_S)
                finally:
                    serving.cancel()
                    # New connections may have arrived meanwhile, and a suspended follower reads no close frame.
                    for connection in web_server.server_state.connections.copy():
                        connection.transport.abort()
                    self._extension = None

    def _app(self) -> Starlette:
        from starlette.applications import Starlette
        from starlette.middleware import Middleware as ASGIMiddleware
        from starlette.routing import Route, WebSocketRoute

        http = self._session.http
        routes = [
            Route("/health", self._health),
            WebSocketRoute("/extension", self._accept_extension),
            WebSocketRoute("/session", self._accept_follower),
            *(http.routes() if http else ()),
        ]
        return Starlette(routes=routes, middleware=[ASGIMiddleware(RequestGuard, port=self._session.port, http=http)])

    async def _health(self, _request: Request) -> JSONResponse:
        from starlette.responses import JSONResponse

        is_connected = self._extension is not None
        return JSONResponse({"status": "ok", "extensionConnected": is_connected, "sessions": self.sessions})

    async def _accept_extension(self, websocket: WebSocket) -> None:
        await self._accept(websocket, "extension", port.extension_origin(), self._serve_extension)

    async def _accept_follower(self, websocket: WebSocket) -> None:
        # Browsers send an Origin with every WebSocket: no page can be a session.
        await self._accept(websocket, "session", "", self._serve_follower)

    async def _accept(
        self, websocket: WebSocket, role: str, origin: str, serve: Callable[[WebSocket, Handshake], Awaitable[None]]
    ) -> None:
        """Run one WebSocket from handshake to end; its Origin must match the pattern `origin` ("": no Origin)."""
        connection = websocket.scope["state"]["connection"]
        if not re.fullmatch(origin, ",".join(websocket.headers.getlist("origin"))):
            connection.drop()
            return
        await websocket.accept()
        handshake = Handshake(role, self._key, self._session.port)
        try:
            async with asyncio.timeout(protocol.OPENING_TIMEOUT_S):
                close_code = await handshake_with_client(websocket, handshake)
        except TimeoutError:
            close_code = protocol.OPENING_TOO_SLOW
        if close_code == 0 and role == "extension" and self._extension is not None:
            close_code = protocol.ALREADY_CONNECTED
        if close_code:
            # The other side may have closed already.
            with contextlib.suppress(*protocol.closed_errors()):
                await websocket.close(close_code)
        else:
            connection.admit()
            await serve(websocket, handshake)

    async def _serve_extension(self, websocket: WebSocket, handshake: Handshake) -> None:
        """Read the extension's messages until it leaves."""
        self._extension = websocket
        self._session.on_extension_connected(handshake.extension)
        try:
            await websocket.send_text(json.dumps({"type": "welcome", **self._session_info()}))
            self._send_followers({"event": "extension_connected", **handshake.extension})
            while (frame := await protocol.receive_frame(websocket)) is not None:
                self._session.on_extension_alive()
                await self._on_extension_message(server.parse_frame(frame))
        finally:
            # After `lead` has ended, another role may have found the extension again.
            if self._extension is websocket:
                self._extension = None
                self._session.on_extension_lost()
            self._send_followers({"event": "extension_disconnected"})

    async def _on_extension_message(self, message: Mapping[str, Any]) -> None:
        """Handle one message of the extension; drop what is malformed, unknown or late."""
        kind = message.get("type")
        if kind == "ping":
            await self.send(json.dumps({"type": "pong"}))
        elif kind == "question":
            self._session.on_question(message)
        elif kind == "event":
            self._send_followers({"event": "tabs_changed"})
            self._session.on_tabs_change()
        elif not (kind == "response" and self._session.on_reply(message)):
            server.logger.debug("dropped a message of type %s", server.one_line(str(kind), 40))

    async def _serve_follower(self, websocket: WebSocket, handshake: Handshake) -> None:
        """Run a follower's commands until it leaves or stops reading."""
        follower = FollowerConnection(self._session, websocket, handshake.client)
        self._followers.add(follower)
        follower.send({"type": "welcome", "sessions": self.sessions})
        if self._extension is not None:
            follower.send({"type": "event", "event": "extension_connected", **self._session.extension})
        self._session.spawn(self._send_session_info())
        try:
            await follower.serve()
        finally:
            self._followers.discard(follower)
            self._session.spawn(self._send_session_info())

    def _send_followers(self, event: Mapping[str, Any]) -> None:
        for follower in self._followers:
            follower.send({"type": "event", **event})

    async def _send_session_info(self) -> None:
        if self._extension is not None:
            await self._session.tell({"event": "sessions", **self._session_info()})

    def _session_info(self) -> dict[str, Any]:
        """Return how many sessions share the extension, and the names of their clients."""
        names = [self._session.client, *sorted(follower.client for follower in self._followers)]
        return {"sessions": self.sessions, "clients": [name for name in names if name]}


class FollowerConnection:
    """The leader's connection to one follower. Messages to it are queued: the leader never waits until it reads."""

    def __init__(self, session: Session, websocket: WebSocket, client: str) -> None:
        self._session, self._websocket, self.client = session, websocket, client
        # Its running commands, by the ids that it gave them.
        self._running: dict[str, asyncio.Task[None]] = {}
        self._outgoing: asyncio.Queue[str] = asyncio.Queue()

    def send(self, message: Mapping[str, Any]) -> None:
        """Queue a message."""
        self._outgoing.put_nowait(json.dumps(message))

    async def serve(self) -> None:
        """Run its commands until it leaves or stops reading; then cancel those that are running."""
        loops = [self._session.spawn(loop) for loop in (self._write_messages(), self._read_commands())]
        try:
            await asyncio.wait(loops, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*loops, *self._running.values()):
                task.cancel()

    async def _write_messages(self) -> None:
        """Send queued messages until the socket closes, or has not been read for a while: the follower may be suspended."""
        try:
            while text := await self._outgoing.get():
                async with asyncio.timeout(protocol.FOLLOWER_TIMEOUT_S):
                    await self._websocket.send_text(text)
        except TimeoutError:
            # A close frame would wait behind the unread messages.
            self._websocket.scope["state"]["connection"].drop()
        except protocol.closed_errors():
            return

    async def _read_commands(self) -> None:
        """Start the follower's commands, and cancel those that it no longer waits for."""
        while (frame := await protocol.receive_frame(self._websocket)) is not None:
            match server.parse_frame(frame):
                case {"type": "command", "id": str(command_id), "command": str(), "params": dict()} as message:
                    self._running[command_id] = self._session.spawn(self._forward(message))
                case {"type": "cancel", "id": str(command_id)} if command_id in self._running:
                    self._running[command_id].cancel()
                case {"type": "link"}:
                    http = self._session.http
                    self.send({"type": "link", "link": http.new_link() if http else None})
                case message:
                    kind = server.one_line(str(message.get("type")), 40)
                    server.logger.debug("dropped a follower's message of type %s", kind)

    async def _forward(self, message: Mapping[str, Any]) -> None:
        """Run one command of the follower and send it the reply."""
        tab_id = message.get("tab_id") if isinstance(message.get("tab_id"), int) else None
        reply = {"id": message["id"], "type": "response", "success": True, "result": None, "error": None}
        try:
            session = message.get("session") or {"client": self.client}
            reply["result"] = await self._session.command(message["command"], tab_id, message["params"], session)
        except server.ChromeTabError as error:
            reply |= {"success": False, **error.data()}
        finally:
            self._running.pop(message["id"], None)
        self.send(reply)
