"""The bridge: how this server reaches the extension, as the leader of its port or as a follower of the leader."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import (
    Awaitable,
    Callable,
    Coroutine,
    Mapping,
)
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import anyio

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing, pending, protocol
from chrome_tab.bridge.follower import Follower, connected_to_leader
from chrome_tab.bridge.leader import Leader, take_port
from chrome_tab.bridge.roles import Role
from chrome_tab.extension import commands

if TYPE_CHECKING:
    import socket

    from chrome_tab.bridge.roles import Route
    from chrome_tab.http import HttpSide


def not_connected(port: int, waited_s: float = 0) -> server.ChromeTabError:
    """Build the error for a call that needs the extension while it is disconnected."""
    last = pairing.last_port()
    waited = f", and did not come within {waited_s:g} s" if waited_s else ""
    elsewhere = "" if last in {None, port} else f" It was on port {last} before: use --port {last}, or pair again."
    return server.ChromeTabError(
        "EXTENSION_NOT_CONNECTED",
        f"The Chrome extension is not connected to port {port}{waited}.{elsewhere} Open its popup: if it says Setup, paste the "
        f"connection string that `{server.command()} --pair` prints; if it says Disconnected, "
        f"press Reconnect. If it is not installed, run `{server.command()} --setup`.",
    )


# Who acts instead of the session's client: the side panel. The extension's activity log names it.
current_client: ContextVar[str] = ContextVar("current_client", default="")


class Bridge:
    """Sends commands to the extension, and elects the role by which they reach it."""

    def __init__(self, port: int) -> None:
        self.port = port
        # Why the extension cannot be reached; None while it can be, and before the first try.
        self.problem: server.ChromeTabError | None = None
        # The last known extension.
        self.extension = protocol.about_extension({})
        # Called when the extension has connected or disconnected.
        self.on_change: Callable[[], None] = lambda: None
        # Called when the extension reports a change of an attached tab.
        self.on_tabs_change: Callable[[], None] = lambda: None
        # Called with the questions that the user asks in the browser.
        self.on_question: Callable[[Mapping[str, Any]], None] = lambda _: None
        # The name of this session's client, empty until it is known, and the id that distinguishes the session.
        self.client, self.session_id = "", secrets.token_hex(2)
        # What the leader serves on the port in addition to the bridge: set once, before `own`.
        self.http: HttpSide | None = None
        self._connected = asyncio.Event()
        # How many calls in a row the extension has not answered.
        self._failures = 0
        self._route: Route | None = None
        self._pending = pending.PendingCommands()
        self._running: asyncio.Task[None] | None = None
        self._stopped = False
        # Set when the port has been tried once.
        self._tried = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def role(self) -> Role:
        """Return the role of this server on its port."""
        return self._route.role if self._route else Role.NONE

    @property
    def connected(self) -> bool:
        """Return whether an extension with the right key is connected."""
        return self._connected.is_set()

    @property
    def sessions(self) -> int:
        """Return how many sessions share the extension, as far as this server knows."""
        return self._route.sessions if self._route else 1

    # Start and stop

    async def start(self) -> None:
        """Start looking for the extension, once; return when the port has been tried once."""
        if self._running is None:
            self._running = asyncio.create_task(self._elect())
        await self._tried.wait()

    async def claim(self, key: str) -> socket.socket:
        """Open the port's listening socket; raise ChromeTabError when another program has it."""
        if listener := take_port(self.port):
            return listener
        # Find out whether one of our servers or a foreign program has the port.
        following = asyncio.create_task(self._follow(key))
        tried = asyncio.create_task(self._tried.wait())
        await asyncio.wait({following, tried}, return_when=asyncio.FIRST_COMPLETED)
        is_ours = self.role is Role.FOLLOWER
        for task in (following, tried):
            task.cancel()
        ended, _ = await asyncio.gather(following, tried, return_exceptions=True)
        if isinstance(ended, server.ChromeTabError) and not is_ours:
            raise ended
        raise server.ChromeTabError(
            "EXTENSION_NOT_CONNECTED",
            f"Port {self.port} is held by another server of yours, which was started by an MCP client or by hand. "
            "Use that one, stop it, or choose another --port for this one and pair the extension again.",
        )

    async def own(self, listener: socket.socket, key: str) -> None:
        """Start to lead on a socket from `claim`, instead of an election; return when the port is served."""
        self._running = asyncio.create_task(self._lead(listener, key))
        await self._tried.wait()

    async def stop(self) -> None:
        """Close the connections and free the port; later calls do not take it again."""
        self._stopped = True
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    # Commands

    async def wait_connected(self, timeout_s: float) -> bool:
        """Wait until the extension is connected, at most `timeout_s`; return whether it is."""
        with anyio.move_on_after(timeout_s):
            await self._connected.wait()
        return self.connected

    async def reach(self, timeout_s: float | None = None) -> None:
        """Wait for the extension; raise ChromeTabError if it does not connect, or has left too many calls unanswered."""
        await self.start()
        given_up = self._failures >= protocol.MAX_EXTENSION_FAILURES
        waited_s = 0.0
        if not (self.connected or self.problem or given_up):
            await server.tell("waiting for the extension")
            waited_s = protocol.EXTENSION_WAIT_S if timeout_s is None else timeout_s
            is_connected = await self.wait_connected(waited_s)
            self._failures += timeout_s is None and not is_connected
        if not self.connected:
            problem = self.problem or not_connected(self.port, waited_s)
            raise server.ChromeTabError(problem.code, problem.message)
        if given_up:
            raise server.ChromeTabError(
                "COMMAND_TIMEOUT",
                f"The extension left {self._failures} calls in a row unanswered; calls fail at once until it responds. "
                "Ask the user to reload it in chrome://extensions.",
            )

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any = None) -> Any:
        """Send a command and return its result, on behalf of another session if one is given.

        A command that only reads is sent once more if the connection breaks. All failures are ChromeTabErrors.
        """
        await self.reach()
        session = session or {"id": self.session_id, "client": current_client.get() or self.client}
        try:
            return await self._command_once(command, tab_id, params, session)
        except pending.ConnectionLostError:
            if not commands.only_reads(command) or not await self.wait_connected(protocol.RECONNECT_WAIT_S):
                raise
        return await self._command_once(command, tab_id, params, session)

    async def _command_once(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any) -> Any:
        command_id, message, future = self._pending.add(command, tab_id, params)
        limit_s = protocol.COMMAND_TIMEOUT_S + protocol.ANSWER_TIMEOUT_S * (
            command == "browser_attach_tab" or "ask_hosts" in params
        )
        try:
            # The leader times out a little later than the extension, a follower a little later than the leader.
            async with asyncio.timeout(limit_s + (self.role is Role.FOLLOWER)):
                await self._send(message | {"session": session})
                return await future
        except TimeoutError:
            self._failures += 1
            raise server.ChromeTabError(
                "COMMAND_TIMEOUT",
                f"The extension did not answer {command} within {limit_s:g} s. The page may be busy: reload it, then try again.",
            ) from None
        finally:
            self._pending.forget(command_id)
            if not future.done() or future.cancelled():
                self.spawn(self._cancel(command_id))

    async def _cancel(self, command_id: str) -> None:
        """Cancel a command whose caller has stopped waiting, so that it does not start later."""
        with contextlib.suppress(server.ChromeTabError):
            await self._send({"type": "cancel", "id": command_id})

    async def tell(self, event: Mapping[str, Any]) -> None:
        """Send an event to the extension, if it is connected."""
        with contextlib.suppress(server.ChromeTabError):
            await self._send({"type": "event", **event})

    async def _send(self, message: Mapping[str, Any]) -> None:
        text = json.dumps(message)
        if len(text) > protocol.MAX_COMMAND_BYTES:
            raise server.ChromeTabError(
                "INVALID_ARGUMENT",
                f"The arguments of {message.get('command')} are {len(text):,} bytes long; the extension accepts at most "
                f"{protocol.MAX_COMMAND_BYTES:,}. Send less at once.",
            )
        if self._route is None or not self.connected:
            raise pending.ConnectionLostError(str(message.get("command")))
        try:
            await self._route.send(text)
        except protocol.closed_errors():
            raise pending.ConnectionLostError(str(message.get("command"))) from None

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something in the background, with a reference that keeps the task from garbage collection."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Election

    async def _elect(self) -> None:
        """Lead on the port, or follow its leader; while neither is possible, record why and retry."""
        try:
            # An error during `stop` would replace the cancellation, and the port would be taken again.
            while not self._stopped:
                try:
                    key = pairing.pairing_key()
                    if listener := take_port(self.port):
                        await self._lead(listener, key)
                    else:
                        await self._follow(key)
                except server.ChromeTabError as error:
                    self.problem = error
                except Exception as error:  # noqa: BLE001 -- a session must not lose its bridge for good
                    server.logger.warning("the bridge failed: %s", server.describe_place(error))
                    sentence = f"The bridge failed ({type(error).__name__}). Retrying; try again in a few seconds."
                    self.problem = server.ChromeTabError("EXTENSION_NOT_CONNECTED", sentence)
                else:
                    continue
                self._tried.set()
                if not self._stopped:
                    await asyncio.sleep(protocol.PORT_RETRY_S + secrets.randbelow(1000) / 1000)
        finally:
            # Release `start`: the port will not be tried again.
            self._tried.set()

    async def _lead(self, listener: socket.socket, key: str) -> None:
        """Serve the port until this task is cancelled."""
        await self._until_role_ends(Leader(self, key).lead(listener))

    async def _follow(self, key: str) -> None:
        """Follow the leader of the port until it leaves; raise ChromeTabError if it is not one of our servers."""

        async def follow() -> None:
            async with connected_to_leader(self.port, key, self.client) as leader:
                await Follower(self, leader).follow()

        await self._until_role_ends(follow())

    async def _until_role_ends(self, work: Awaitable[None]) -> None:
        try:
            await work
        finally:
            self._route = None
            self.on_extension_lost()

    # Events of the leader or follower

    def enter_role(self, route: Route) -> None:
        """Send commands over this route from now on."""
        self._route, self.problem = route, None
        self._tried.set()

    def on_extension_connected(self, extension: dict[str, Any]) -> None:
        """Mark the extension as connected."""
        self.extension = extension
        self._connected.set()
        self._failures = 0
        pairing.remember_port(self.port)
        server.logger.info("extension connected")
        self.on_change()

    def on_extension_lost(self) -> None:
        """Mark the extension as disconnected, and fail its pending commands: whether they ran is unknown."""
        self._pending.fail_all()
        if self.connected:
            self._connected.clear()
            pairing.remember_port(self.port)
            server.logger.info("extension disconnected")
            self.on_change()

    def on_extension_alive(self) -> None:
        """Note that the extension has sent something."""
        self._failures = 0

    def on_reply(self, message: Mapping[str, Any]) -> bool:
        """Complete the command that a reply belongs to; return False if there is none."""
        return self._pending.settle(message)
