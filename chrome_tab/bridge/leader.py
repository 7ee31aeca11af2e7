"""The leader: the server that owns the port and the connections of browsers and followers."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import chrome_tab_mcp_server as server
from chrome_tab.bridge import port, protocol
from chrome_tab.bridge.browsers import Browser, Browsers
from chrome_tab.bridge.channel import Channel
from chrome_tab.bridge.dispatcher import Dispatcher, is_id
from chrome_tab.bridge.handshake import Handshake, handshake_with_client
from chrome_tab.bridge.known_browsers import About, KnownBrowsers
from chrome_tab.bridge.request_guard import RequestGuard
from chrome_tab.bridge.roles import Role

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.websockets import WebSocket

    from chrome_tab.bridge.roles import Session


def take_port(number: int) -> socket.socket | None:
    """Open the listening socket of a port; return None if another program has it."""
    try:
        listener = socket.create_server((server.HOST, number))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return None
        sentence = f"Port {number} cannot be used ({error.strerror or error}). Choose another --port and pair again."
        raise server.ChromeTabError("EXTENSION_NOT_CONNECTED", sentence) from None
    # Connections inherit TCP_NODELAY. asyncio does not set it on such sockets, which delays parts of a reply by 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class Leader:
    """The port's HTTP and WebSocket server, with the connected browsers and followers."""

    role = Role.LEADER

    def __init__(self, session: Session, key: str) -> None:
        self._session, self._key = session, key
        self._browsers = Browsers(KnownBrowsers(), session.tab_ids)
        self._dispatcher = Dispatcher(self._browsers, session.tab_ids)
        self._followers: set[FollowerConnection] = set()

    @property
    def sessions(self) -> int:
        """Return how many sessions share the extension."""
        return 1 + len(self._followers)

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any) -> Any:
        """Run a command on its target browser."""
        try:
            return await self._dispatcher.command(command, tab_id, params, session)
        finally:
            # Sent before the reply, so that the next leader knows every tab id that clients have seen.
            self._send_tab_ids(self._session.tab_ids.take_news(), self._followers)

    async def notify(self, profile: str, event: Mapping[str, Any]) -> None:
        """Send an event to one of the browsers, if it is connected; `evidence` gets the browser's own tab ids."""
        if browser := self._browsers.connected.get(profile):
            passages = [self._with_own_tab(each) for each in server.items(event, "evidence")]
            await browser.channel.notify({**event, "evidence": passages} if passages else event)

    async def lead(self, listener: socket.socket) -> None:
        """Serve the port until this task is cancelled."""
        with listener:
            web_server = port.port_server(self._app())
            self._session.enter_role(self)
            serving = asyncio.create_task(web_server.serve(sockets=[listener]))
            try:
                await asyncio.shield(serving)
            finally:
                self._browsers.is_ending = True
                web_server.should_exit = True
                web_server.force_exit = True
                try:
                    await asyncio.wait({serving}, timeout=protocol.PORT_LEAVING_TIMEOUT_S)
                finally:
                    serving.cancel()
                    # New connections may have arrived meanwhile; a suspended follower does not read the close frame.
                    for connection in web_server.server_state.connections.copy():
                        connection.transport.abort()
                    self._browsers.close()

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

        is_connected = bool(self._browsers.connected)
        return JSONResponse({"status": "ok", "extensionConnected": is_connected, "sessions": self.sessions})

    async def _accept_extension(self, websocket: WebSocket) -> None:
        await self._accept(websocket, "extension", port.extension_origin(), self._serve_extension)

    async def _accept_follower(self, websocket: WebSocket) -> None:
        # Browsers send an Origin with every WebSocket, so no page can pose as a session.
        await self._accept(websocket, "session", "", self._serve_follower)

    async def _accept(
        self, websocket: WebSocket, role: str, origin: str, serve: Callable[[WebSocket, Handshake], Awaitable[None]]
    ) -> None:
        """Run one WebSocket from handshake to close; its Origin must match the pattern `origin` ("": no Origin)."""
        connection = websocket.scope["state"]["connection"]
        if not re.fullmatch(origin, ",".join(websocket.headers.getlist("origin"))):
            connection.drop()
            return
        await websocket.accept()
        handshake = Handshake(role, self._key, self._session.port)
        try:
            async with asyncio.timeout(protocol.HANDSHAKE_TIMEOUT_S):
                close_code = await handshake_with_client(websocket, handshake)
        except TimeoutError:
            close_code = protocol.HANDSHAKE_TOO_SLOW
        if close_code:
            # The other side may have closed already.
            with contextlib.suppress(*protocol.closed_errors()):
                await websocket.close(close_code)
        else:
            connection.admit()
            await serve(websocket, handshake)

    async def _serve_extension(self, websocket: WebSocket, handshake: Handshake) -> None:
        """Read the messages of a browser's extension until it disconnects."""
        about = await self._distinct(handshake.about)
        if len(self._browsers.connected) >= protocol.MAX_BROWSERS:
            await websocket.close(protocol.TOO_MANY_BROWSERS)
            return
        browser = Browser(about, Channel(websocket.send_text, self._session.spawn))
        self._browsers.add(browser)
        try:
            is_copy = bool(handshake.about.profile) and handshake.about.profile != about.profile
            profile = {"profile": about.profile} if is_copy else {}
            info = {**self._session_info(browser), **self._session.server_info()}
            await websocket.send_text(json.dumps({"type": "welcome", **info, **profile}))
            self._report_browsers()
            self._send_session_info(excluding=browser)
            while (frame := await protocol.receive_frame(websocket)) is not None:
                browser.channel.failures = 0
                await self._on_extension_message(browser, protocol.parse_frame(frame))
                # Otherwise a flood of messages would block the event loop.
                await asyncio.sleep(0)
        finally:
            # After `lead` has ended, the browser may already be connected in another role.
            if self._browsers.remove(browser):
                self._report_browsers()
                self._send_session_info()

    async def _distinct(self, about: About) -> About:
        """Return a browser's description, with a new id if it is a copy of a connected profile.

        An earlier connection with the same id is replaced if it is from the same run or does not respond.
        """
        if not about.profile:
            return about._replace(profile=self._browsers.profile_without_id())
        while older := self._browsers.connected.get(about.profile):
            if older.about.run != about.run and await self._dispatcher.is_alive(older):
                return about._replace(profile=secrets.token_urlsafe(16))
            self._browsers.remove(older)
        return about

    async def _on_extension_message(self, browser: Browser, message: Mapping[str, Any]) -> None:
        """Handle one message of an extension; drop malformed, unknown and late ones."""
        match message:
            case {"type": "ping"}:
                await browser.channel.send({"type": "pong"})
            case {"type": "response"} if browser.channel.on_reply(message):
                pass
            case {"type": "prompt"}:
                self._session.on_prompt(self._with_known_tabs(browser, message), browser.about.profile)
            case {"type": "event"}:
                self._on_event(browser, message)
            case _:
                server.logger.debug("dropped a message of type %s", server.one_line(str(message.get("type")), 40))

    def _with_own_tab(self, passage: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a passage with its browser's own tab id."""
        place = self._session.tab_ids.find(passage.get("tab_id", 0))
        return {**passage, "tab_id": place.own_id} if place else passage

    def _with_known_tabs(self, browser: Browser, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a prompt about tabs with the clients' tab ids."""
        match message:
            case {"prompt": {"tab_ids": list(own_ids)} as prompt}:
                ids = [self._session.tab_ids.id_of(browser.place(own)) if is_id(own) else own for own in own_ids]
                return {**message, "prompt": {**prompt, "tab_ids": ids}}
            case _:
                return message

    def _on_event(self, browser: Browser, event: Mapping[str, Any]) -> None:
        match event:
            case {"event": "looked_at"}:
                first = self._browsers.latest_first()[0]
                self._browsers.note_look(browser, event.get("at"))
                if first is not browser:
                    self._report_browsers()
                return
            case {"event": "renamed"}:
                self._browsers.rename(browser, event.get("name"))
                self._report_browsers()
                self._send_session_info()
                return
            case {"event": "tab_attached", "tab_id": int(own_id)}:
                browser.attached.add(own_id)
            case {"event": "tab_detached", "tab_id": int(own_id)}:
                browser.attached.discard(own_id)
            case _:
                pass
        self._send_followers({"event": "tabs_changed"})
        self._session.on_tabs_change()

    def _report_browsers(self) -> None:
        """Notify all sessions of the connected browsers."""
        infos = [browser.info() for browser in self._browsers.latest_first()]
        self._session.on_browsers(infos)
        self._send_followers(connection_event(infos))

    async def _serve_follower(self, websocket: WebSocket, handshake: Handshake) -> None:
        """Run a follower's commands until it disconnects or stops reading."""
        follower = FollowerConnection(self._session, websocket, handshake.client)
        self._followers.add(follower)
        follower.send({"type": "welcome", "sessions": self.sessions})
        self._send_tab_ids(self._session.tab_ids.all(), [follower])
        if self._browsers.connected:
            infos = [browser.info() for browser in self._browsers.latest_first()]
            follower.send({"type": "event", **connection_event(infos)})
        self._send_session_info()
        try:
            await follower.serve()
        finally:
            self._followers.discard(follower)
            self._send_session_info()

    def _send_followers(self, event: Mapping[str, Any]) -> None:
        for follower in self._followers:
            follower.send({"type": "event", **event})

    def _send_tab_ids(self, entries: Sequence[Any], followers: Iterable[FollowerConnection]) -> None:
        if entries:
            for follower in followers:
                follower.send({"type": "event", "event": "tab_ids", "tab_ids": entries})

    def _send_session_info(self, excluding: Browser | None = None) -> None:
        for browser in self._browsers.connected.values():
            if browser is excluding:
                continue
            # In separate tasks: a browser that does not read must not delay the others.
            self._session.spawn(browser.channel.notify({"event": "sessions", **self._session_info(browser)}))

    def _session_info(self, browser: Browser) -> dict[str, Any]:
        """Return the number of sessions and of browsers, the clients' names, and this browser's name."""
        names = [self._session.client, *sorted(follower.client for follower in self._followers)]
        clients = [name for name in names if name]
        browsers = len(self._browsers.connected)
        return {"sessions": self.sessions, "clients": clients, "name": browser.name, "browsers": browsers}


def connection_event(browsers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Build the event for followers about connected browsers; `version` and `missing` are for older followers."""
    if not browsers:
        return {"event": "extension_disconnected"}
    about = {key: browsers[0][key] for key in ("version", "missing")}
    return {"event": "extension_connected", **about, "browsers": browsers}


class FollowerConnection:
    """The leader's connection to one follower. Messages are queued, so the leader never waits for it to read."""

    def __init__(self, session: Session, websocket: WebSocket, client: str) -> None:
        self._session, self._websocket, self.client = session, websocket, client
        # Its running commands, by the follower's own ids.
        self._running: dict[str, asyncio.Task[None]] = {}
        self._outgoing: asyncio.Queue[str] = asyncio.Queue()

    def send(self, message: Mapping[str, Any]) -> None:
        """Queue a message."""
        self._outgoing.put_nowait(json.dumps(message))

    async def serve(self) -> None:
        """Run its commands until it disconnects or stops reading; then cancel those that still run."""
        loops = [self._session.spawn(loop) for loop in (self._write_messages(), self._read_commands())]
        try:
            await asyncio.wait(loops, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*loops, *self._running.values()):
                task.cancel()

    async def _write_messages(self) -> None:
        """Send queued messages until the socket closes or the follower stops reading, for example because suspended."""
        try:
            while text := await self._outgoing.get():
                async with asyncio.timeout(protocol.FOLLOWER_TIMEOUT_S):
                    await self._websocket.send_text(text)
        except TimeoutError:
            # A close frame would queue behind the unread messages.
            self._websocket.scope["state"]["connection"].drop()
        except protocol.closed_errors():
            return

    async def _read_commands(self) -> None:
        """Start the follower's commands, and cancel those that it no longer needs."""
        while (frame := await protocol.receive_frame(self._websocket)) is not None:
            match protocol.parse_frame(frame):
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
