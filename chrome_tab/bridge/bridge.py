"""The way to the extension."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import errno
import hmac
import json
import re
import secrets
import socket
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Coroutine,
    Mapping,
)
from typing import TYPE_CHECKING, Any

import anyio

import chrome_tab_mcp_server as server
from chrome_tab.bridge import handshake, pairing, pending, port, protocol
from chrome_tab.extension import commands

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.datastructures import Headers
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.websockets import WebSocket
    from websockets.asyncio.client import ClientConnection

    from chrome_tab.http import HttpSide


def not_connected(port: int, waited_s: float = 0) -> server.ChromeTabError:
    """Return the error for a call that needs the extension while it is away, and has waited for it."""
    last = pairing.last_port()
    waited = f", and did not come within {waited_s:g} s" if waited_s else ""
    elsewhere = "" if last in {None, port} else f" It was on port {last} before: use --port {last}, or pair again."
    return server.ChromeTabError(
        "EXTENSION_NOT_CONNECTED",
        f"The Chrome extension is not connected to port {port}{waited}.{elsewhere} Open its popup: if it says Setup, paste the "
        f"connection string that `{server.command()} --pair` prints; if it says Disconnected, "
        f"press Reconnect. If it is not installed, `{server.command()} --setup` leads through it.",
    )


class Role(enum.Enum):
    """What a server is to the port."""

    NONE = "none"
    OWNER = "owner"
    GUEST = "guest"


class Bridge:
    """The way to the extension: over our own port, or as a guest of the server that owns it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.role = Role.NONE
        # Why there is no way to the extension; None while there is one or none was tried.
        self.problem: server.ChromeTabError | None = None
        # As it was when it came last.
        self.extension = protocol.about_extension({})
        # Called when the extension has come or gone.
        self.on_change: Callable[[], None] = lambda: None
        # Called when the extension has told that something about an attached tab is another.
        self.on_tabs_change: Callable[[], None] = lambda: None
        # Called with what the person asks in the browser.
        self.on_question: Callable[[Mapping[str, Any]], None] = lambda _: None
        # What this session's client calls itself, empty while nobody knows it; and what tells it from the others.
        self.client, self.session_id = "", secrets.token_hex(2)
        self._connected = asyncio.Event()
        # How many calls in a row the extension has left alone.
        self._failures = 0
        # Where commands go: the extension's socket for the owner, the owner's for a guest.
        self._send_text: Callable[[str], Awaitable[None]] | None = None
        self._pending = pending.PendingCommands()
        self._guests: set[Guest] = set()
        self._running: asyncio.Task[None] | None = None
        self._stopped = False
        self._tried = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        # What this port serves besides the bridge: set once, before `own`.
        self.http: HttpSide | None = None

    # Public

    async def start(self) -> None:
        """Begin to look for the extension, once; return when the port has been tried a first time."""
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        await self._tried.wait()

    async def claim(self, key: str) -> socket.socket:
        """Take the port and return its listening socket; raise ChromeTabError when another program has it."""
        if listener := self._take_port():
            return listener
        # Somebody else has it: one of our servers, or a foreign program.
        visiting = asyncio.create_task(self._visit(key))
        tried = asyncio.create_task(self._tried.wait())
        await asyncio.wait({visiting, tried}, return_when=asyncio.FIRST_COMPLETED)
        is_ours = self.role is Role.GUEST
        for task in (visiting, tried):
            task.cancel()
        ended, _ = await asyncio.gather(visiting, tried, return_exceptions=True)
        if isinstance(ended, server.ChromeTabError) and not is_ours:
            raise ended
        raise server.ChromeTabError(
            "EXTENSION_NOT_CONNECTED",
            f"Port {self.port} is held by another server of yours, which was started by an MCP client or by hand. "
            "Use that one, end it, or choose another --port for this one and pair the extension again.",
        )

    async def own(self, listener: socket.socket, key: str) -> None:
        """Serve the port from now on, in place of looking for its owner."""
        self._running = asyncio.create_task(self._own(listener, key))
        await self._tried.wait()

    async def stop(self) -> None:
        """Close the connections and leave the port; what is asked for later does not take it again."""
        self._stopped = True
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    @property
    def connected(self) -> bool:
        """Say whether a proven extension is connected."""
        return self._connected.is_set()

    @property
    def sessions(self) -> int:
        """Return how many servers share the extension, as far as the owner knows."""
        return 1 + len(self._guests)

    async def wait_connected(self, timeout_s: float) -> bool:
        """Wait until the extension is connected, at most `timeout_s`."""
        with anyio.move_on_after(timeout_s):
            await self._connected.wait()
        return self.connected

    async def reach(self, timeout_s: float | None = None) -> None:
        """Give the extension the time to come, and say so; raise ChromeTabError when it does not, or is given up."""
        await self.start()
        given_up = self._failures >= protocol.MAX_EXTENSION_FAILURES
        waited_s = 0.0
        if not (self.connected or self.problem or given_up):
            await server.tell("waiting for the extension")
            waited_s = protocol.EXTENSION_WAIT_S if timeout_s is None else timeout_s
            is_there = await self.wait_connected(waited_s)
            self._failures += timeout_s is None and not is_there
        if not self.connected:
            problem = self.problem or not_connected(self.port, waited_s)
            raise server.ChromeTabError(problem.code, problem.message)
        if given_up:
            sentence = (
                f"The extension left {self._failures} calls in a row unanswered: until it is back, all fail at once."
            )
            raise server.ChromeTabError(
                "COMMAND_TIMEOUT", sentence + " Ask the person to reload it in chrome://extensions."
            )

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any = None) -> Any:
        """Send a command, in the name of another session if one is given; raise ChromeTabError for whatever goes wrong.

        A command that only reads is repeated once when the connection broke under it.
        """
        await self.reach()
        asker = session or {"id": self.session_id, "client": self.client}
        try:
            return await self._command_once(command, tab_id, params, asker)
        except pending.ConnectionLostError:
            if not commands.only_reads(command) or not await self.wait_connected(protocol.RECONNECT_WAIT_S):
                raise
        return await self._command_once(command, tab_id, params, asker)

    async def _command_once(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any) -> Any:
        command_id, message, future = self._pending.add(command, tab_id, params)
        limit_s = protocol.COMMAND_TIMEOUT_S + protocol.ANSWER_TIMEOUT_S * (
            command == "browser_attach_tab" or "ask_hosts" in params
        )
        try:
            # The owner gives up a little later than the extension, a guest a little later than the owner.
            async with asyncio.timeout(limit_s + (self.role is Role.GUEST)):
                await self._send(message | {"session": session})
                return await future
        except TimeoutError:
            self._failures += 1
            raise server.ChromeTabError(
                "COMMAND_TIMEOUT",
                f"The extension did not answer {command} within {limit_s:g} s. The page may be busy: reload it, then ask again.",
            ) from None
        finally:
            self._pending.forget(command_id)
            if not future.done() or future.cancelled():
                self.spawn(self._cancel(command_id))

    async def _cancel(self, command_id: str) -> None:
        """Say that nobody waits for a command any more: what has not begun must not happen."""
        with contextlib.suppress(server.ChromeTabError):
            await self._send({"type": "cancel", "id": command_id})

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something that nobody waits for; a task that nobody holds may be collected."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def tell(self, event: Mapping[str, Any]) -> None:
        """Tell the extension of an event, if it is still there."""
        with contextlib.suppress(server.ChromeTabError):
            await self._send({"type": "event", **event})

    async def _send(self, message: Mapping[str, Any]) -> None:
        """Send to where commands go; a socket that is closing raises as one that has closed."""
        text = json.dumps(message)
        if len(text) > protocol.MAX_COMMAND_BYTES:
            raise server.ChromeTabError(
                "INVALID_ARGUMENT",
                f"The arguments of {message.get('command')} take {len(text):,} bytes, and the extension takes at most "
                f"{protocol.MAX_COMMAND_BYTES:,}. Send less at once.",
            )
        if self._send_text is None:
            raise pending.ConnectionLostError(str(message.get("command")))
        try:
            await self._send_text(text)
        except protocol.closed_errors():
            raise pending.ConnectionLostError(str(message.get("command"))) from None

    # Owner or guest

    async def _run(self) -> None:
        """Own the port or be the guest of its owner; while neither can be, say why and try again."""
        try:
            # An error while it stops would otherwise replace the cancellation, and the port would be taken again.
            while not self._stopped:
                try:
                    key = pairing.pairing_key()
                    listener = self._take_port()
                    if listener is None:
                        await self._visit(key)
                    else:
                        await self._own(listener, key)
                except server.ChromeTabError as error:
                    self.problem = error
                except Exception as error:  # noqa: BLE001 -- a session without a bridge must get it back
                    server.logger.warning("the bridge failed: %s", server.describe_place(error))
                    sentence = f"The bridge failed ({type(error).__name__}) and is tried again. Ask again."
                    self.problem = server.ChromeTabError("EXTENSION_NOT_CONNECTED", sentence)
                else:
                    continue
                self._tried.set()
                if not self._stopped:
                    await asyncio.sleep(protocol.PORT_RETRY_S + secrets.randbelow(1000) / 1000)
        finally:
            # Nobody may wait for a port that will not be tried any more.
            self._tried.set()

    def _take_port(self) -> socket.socket | None:
        """Return the listening socket, None when another program has the port."""
        try:
            listener = socket.create_server((server.HOST, self.port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return None
            sentence = (
                f"Port {self.port} cannot be used ({error.strerror or error}). Choose another --port and pair again."
            )
            raise server.ChromeTabError("EXTENSION_NOT_CONNECTED", sentence) from None
        # Connections inherit it. asyncio leaves it out for sockets made this way, and the parts of a reply would wait 40 ms.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener

    def _settle_in(self, role: Role) -> None:
        self.role, self.problem = role, None
        self._tried.set()

    def _reached(self, send_text: Callable[[str], Awaitable[None]], extension: dict[str, Any]) -> None:
        """Take the extension as connected."""
        self._send_text, self.extension = send_text, extension
        self._connected.set()
        self._failures = 0
        pairing.remember_port(self.port)
        server.logger.info("extension connected")
        self.on_change()

    def _lost(self) -> None:
        """Take the extension as gone: what is under way ends, and nobody knows whether it happened."""
        self._send_text = None
        self._pending.fail_all()
        if self.connected:
            self._connected.clear()
            pairing.remember_port(self.port)
            server.logger.info("extension disconnected")
            self.on_change()

    # The guest's side

    async def _visit(self, key: str) -> None:
        """Be the guest of the port's owner until it goes; raise ChromeTabError when it is not ours."""
        try:
            async with self.visit(key) as owner:
                self._settle_in(Role.GUEST)
                async for frame in owner:
                    self._take_as_guest(frame, owner)
        finally:
            self.role = Role.NONE
            self._lost()

    @contextlib.asynccontextmanager
    async def visit(self, key: str) -> AsyncGenerator[ClientConnection]:
        """Open a session at the port's owner; both sides have proved the key when the block begins.

        The block ends quietly when the owner goes. Raises ChromeTabError when the owner is not ours.
        """
        from websockets.asyncio.client import connect
        from websockets.exceptions import ConnectionClosed, InvalidHandshake

        address, is_open = f"ws://{server.HOST}:{self.port}/session", False
        options: dict[str, Any] = {"proxy": None, "compression": None, "max_size": protocol.MAX_FRAME_BYTES}
        try:
            owner = await connect(address, **options, open_timeout=protocol.VISIT_TIMEOUT_S)
            try:
                async with asyncio.timeout(protocol.VISIT_TIMEOUT_S):
                    await self._introduce(owner, key)
                is_open = True
                yield owner
            finally:
                # A suspended owner reads no close frame.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(protocol.CLOSING_TIMEOUT_S):
                        await owner.close()
                owner.transport.abort()
        except TimeoutError:
            raise await port.port_error(self.port, "silence") from None
        except (InvalidHandshake, OSError, EOFError):
            raise await port.port_error(self.port, "stranger") from None
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else None
            if code == protocol.WRONG_PROTOCOL:
                raise await port.port_error(self.port, "other version") from None
            if not is_open:
                what = "silence" if code in (None, protocol.OPENING_TOO_SLOW) else "stranger"
                raise await port.port_error(self.port, what) from None

    async def _introduce(self, owner: ClientConnection, key: str) -> None:
        """Prove the key to the owner after it has proved it to us."""
        nonce = pairing.make_nonce()
        hello = {
            "type": "hello",
            "protocol": protocol.PROTOCOL,
            "version": server.__version__,
            "nonce": nonce,
            "client": self.client,
        }
        await owner.send(json.dumps(hello))
        challenge = server.parse_frame(await owner.recv())
        if challenge.get("type") != "challenge":
            raise await port.port_error(self.port, "stranger")
        if challenge.get("protocol") != protocol.PROTOCOL:
            raise await port.port_error(self.port, "other version")
        server_nonce = str(challenge.get("nonce"))
        expected = pairing.proof(key, "server", self.port, nonce, server_nonce)
        if not hmac.compare_digest(str(challenge.get("proof")).encode(), expected.encode()):
            raise await port.port_error(self.port, "stranger")
        answer = pairing.proof(key, "session", self.port, nonce, server_nonce)
        await owner.send(json.dumps({"type": "proof", "proof": answer}))
        if server.parse_frame(await owner.recv()).get("type") != "welcome":
            raise await port.port_error(self.port, "stranger")

    def _take_as_guest(self, frame: str | bytes, owner: ClientConnection) -> None:
        """Act on one message of the owner."""
        message = server.parse_frame(frame)
        match message.get("type"), message.get("event"):
            case "response", _:
                self._failures = 0
                self._pending.settle(message)
            case "event", "extension_connected":
                self._reached(owner.send, protocol.about_extension(message))
            case "event", "extension_disconnected":
                self._lost()
            case "event", "tabs_changed":
                self.on_tabs_change()
            case _:
                server.logger.debug("dropped a message of type %s", server.one_line(str(message.get("type")), 40))

    # The owner's side

    async def _own(self, listener: socket.socket, key: str) -> None:
        """Serve the port until this task is cancelled."""
        with listener:
            server = port.port_server(self._app(key))
            self._settle_in(Role.OWNER)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                await asyncio.shield(serving)
            finally:
                server.should_exit = True
                server.force_exit = True
                try:
                    await asyncio.wait({serving}, timeout=protocol.PORT_LEAVING_TIMEOUT_S)
                finally:
                    serving.cancel()
                    # Some came while the others were closed, and a suspended guest reads nothing that is sent to it.
                    for connection in server.server_state.connections.copy():
                        connection.transport.abort()
                    self.role = Role.NONE
                    self._lost()

    def _app(self, key: str) -> Starlette:
        """Return the ASGI application of the port."""
        from starlette.applications import Starlette
        from starlette.middleware import Middleware as ASGIMiddleware
        from starlette.responses import JSONResponse
        from starlette.routing import Route, WebSocketRoute

        async def health(_request: Request) -> JSONResponse:
            return JSONResponse({"status": "ok", "extensionConnected": self.connected, "sessions": self.sessions})

        async def extension(websocket: WebSocket) -> None:
            opening = handshake.Opening("extension", key, self.port)
            await self._attend(websocket, port.extension_origin(), opening, self._serve_extension)

        async def session(websocket: WebSocket) -> None:
            # A browser always says where a WebSocket comes from: no page can be a session.
            await self._attend(websocket, "", handshake.Opening("session", key, self.port), self._serve_guest)

        routes = [
            Route("/health", health),
            WebSocketRoute("/extension", extension),
            WebSocketRoute("/session", session),
            *(self.http.routes() if self.http else ()),
        ]
        return Starlette(routes=routes, middleware=[ASGIMiddleware(port.HttpBorder, bridge=self)])

    def addressed_to_us(self, headers: Headers) -> bool:
        """Say whether the one Host header is ours: a name that DNS was bent to is not."""
        return headers.getlist("host") in ([f"{server.HOST}:{self.port}"], [f"localhost:{self.port}"])

    async def _attend(
        self, websocket: WebSocket, origin: str, opening: handshake.Opening, serve: Callable[..., Awaitable[None]]
    ) -> None:
        """Serve one WebSocket from its first frame to its end; its Origin matches the pattern `origin`, or is not there."""
        connection = websocket.scope["state"]["connection"]
        if not re.fullmatch(origin, ",".join(websocket.headers.getlist("origin"))):
            connection.drop()
            return
        await websocket.accept()
        try:
            async with asyncio.timeout(protocol.OPENING_TIMEOUT_S):
                refused = await handshake.open_connection(websocket, opening)
        except TimeoutError:
            refused = protocol.OPENING_TOO_SLOW
        if refused == 0 and opening.role == "extension" and self.connected:
            refused = protocol.ALREADY_CONNECTED
        if refused:
            # The other side may have closed already.
            with contextlib.suppress(*protocol.closed_errors()):
                await websocket.close(refused)
        else:
            connection.admit()
            await serve(websocket, opening)

    async def _serve_extension(self, websocket: WebSocket, opening: handshake.Opening) -> None:
        """Take the extension's messages until it leaves; what is malformed, unknown or late is dropped."""
        self._reached(websocket.send_text, opening.extension)
        try:
            await websocket.send_text(json.dumps({"type": "welcome", **self._company()}))
            self._tell_guests({"event": "extension_connected", **opening.extension})
            while (frame := await protocol.receive_frame(websocket)) is not None:
                self._failures = 0
                message = server.parse_frame(frame)
                kind = message.get("type")
                if kind == "ping":
                    await self._send({"type": "pong"})
                elif kind == "question":
                    self.on_question(message)
                elif kind == "event":
                    self._tell_guests({"event": "tabs_changed"})
                    self.on_tabs_change()
                elif not (kind == "response" and self._pending.settle(message)):
                    server.logger.debug("dropped a message of type %s", server.one_line(str(kind), 40))
        finally:
            self._lost()
            self._tell_guests({"event": "extension_disconnected"})

    async def _serve_guest(self, websocket: WebSocket, opening: handshake.Opening) -> None:
        """Run a guest's commands until it leaves or stops reading; then nobody waits for what is under way."""
        guest = Guest(opening.client)
        self._guests.add(guest)
        guest.tell({"type": "welcome", "sessions": self.sessions})
        if self.connected:
            guest.tell({"type": "event", "event": "extension_connected", **self.extension})
        self.spawn(self._tell_sessions())
        ends = [self.spawn(end) for end in (guest.deliver(websocket), self._hear(guest, websocket))]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*ends, *guest.running.values()):
                task.cancel()
            self._guests.discard(guest)
            self.spawn(self._tell_sessions())

    async def _hear(self, guest: Guest, websocket: WebSocket) -> None:
        """Take a guest's commands, and its word that nobody waits for one any more."""
        while (frame := await protocol.receive_frame(websocket)) is not None:
            match server.parse_frame(frame):
                case {"type": "command", "id": str(command_id), "command": str(), "params": dict()} as message:
                    guest.running[command_id] = self.spawn(self._forward(guest, message))
                case {"type": "cancel", "id": str(command_id)} if command_id in guest.running:
                    guest.running[command_id].cancel()
                case {"type": "link"}:
                    guest.tell({"type": "link", "link": self.http.new_link() if self.http else None})
                case message:
                    server.logger.debug(
                        "dropped a guest's message of type %s", server.one_line(str(message.get("type")), 40)
                    )

    async def _forward(self, guest: Guest, message: Mapping[str, Any]) -> None:
        """Run one command of a guest and send it the reply."""
        tab_id = message.get("tab_id") if isinstance(message.get("tab_id"), int) else None
        reply = {"id": message["id"], "type": "response", "success": True, "result": None, "error": None}
        try:
            asker = message.get("session") or {"client": guest.client}
            reply["result"] = await self.command(message["command"], tab_id, message["params"], asker)
        except server.ChromeTabError as error:
            reply |= {"success": False, **error.data()}
        finally:
            guest.running.pop(message["id"], None)
        guest.tell(reply)

    def _tell_guests(self, event: Mapping[str, Any]) -> None:
        for guest in self._guests:
            guest.tell({"type": "event", **event})

    async def _tell_sessions(self) -> None:
        """Tell the extension who is there."""
        if self.connected:
            await self.tell({"event": "sessions", **self._company()})

    def _company(self) -> dict[str, Any]:
        """Return how many sessions share the extension, and the names of their clients."""
        names = [self.client, *sorted(guest.client for guest in self._guests)]
        return {"sessions": self.sessions, "clients": [name for name in names if name]}


class Guest:
    """A session that goes through this owner. Nobody waits for it to read what it is told."""

    def __init__(self, client: str) -> None:
        self.client = client
        # Its commands under way, by the ids that it gave them.
        self.running: dict[str, asyncio.Task[None]] = {}
        self._untold: asyncio.Queue[str] = asyncio.Queue()

    def tell(self, message: Mapping[str, Any]) -> None:
        """Let it know, after all that it was told before."""
        self._untold.put_nowait(json.dumps(message))

    async def deliver(self, websocket: WebSocket) -> None:
        """Send what it is told until it has gone, or has not read for a while: it may be suspended."""
        try:
            while text := await self._untold.get():
                async with asyncio.timeout(protocol.GUEST_TIMEOUT_S):
                    await websocket.send_text(text)
        except TimeoutError:
            # Closing would wait until it has read what was sent.
            websocket.scope["state"]["connection"].drop()
        except protocol.closed_errors():
            return
