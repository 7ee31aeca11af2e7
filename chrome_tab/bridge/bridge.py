"""The bridge: how this server reaches the extension, as the leader of its port or as a follower of the leader."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import anyio

import chrome_tab_mcp_server as server
from chrome_tab.bridge import command_table, pairing, pending, protocol
from chrome_tab.bridge.follower import Follower, connected_to_leader
from chrome_tab.bridge.handshake import HandshakeError
from chrome_tab.bridge.leader import Leader, take_port
from chrome_tab.bridge.port import port_error
from chrome_tab.bridge.roles import Role
from chrome_tab.bridge.tab_ids import TabIds

if TYPE_CHECKING:
    import socket

    from chrome_tab.bridge.roles import HttpSide, Route


def not_connected(port: int, waited_s: float) -> server.ChromeTabError:
    """Build the error for a call that needs the extension while it is disconnected."""
    last = pairing.last_port()
    waited = f", and did not connect within {waited_s:g} s" if waited_s else ""
    if last not in {None, port}:
        return server.ChromeTabError(
            "EXTENSION_NOT_CONNECTED",
            f"The Chrome extension is not connected to port {port}{waited}. It was on port {last} before: use --port "
            f"{last}, or pair again.",
        )
    return server.ChromeTabError(
        "EXTENSION_NOT_CONNECTED",
        f"The Chrome extension is not connected to port {port}{waited}. Open the browser and the popup of the extension: "
        "if it says Disconnected, press Reconnect. If it says Setup, or there is no extension yet, run "
        f"`{server.start_command()} --setup`.",
    )


# Set when the side panel acts instead of the session's client; the extension's activity log shows it.
current_client: ContextVar[str] = ContextVar("current_client", default="")


class Bridge:
    """Sends commands to the extension, and elects this server's role on the port."""

    def __init__(self, port: int) -> None:
        self.port = port
        # Why the extension cannot be reached; None while it is reachable and before the first attempt.
        self.problem: server.ChromeTabError | None = None
        # The connected browsers, most recently viewed first: `{name, kind, version, missing}` each.
        self.browsers: list[dict[str, Any]] = []
        self.tab_ids = TabIds()
        # Called when the extension has connected or disconnected.
        self.on_change: Callable[[], None] = lambda: None
        # Called when the extension reports a change of an attached tab.
        self.on_tabs_change: Callable[[], None] = lambda: None
        # Called with a prompt from a browser's side panel, and the browser's id for `notify`.
        self.on_prompt: Callable[[Mapping[str, Any], str], None] = lambda _, __: None
        # What is sent to each browser about this server: `{denied_hosts, commands}`.
        self.server_info: Callable[[], Mapping[str, Any]] = dict
        # The name of this session's client, empty until it is known, and the id that distinguishes the session.
        self.client, self.session_id = "", secrets.token_hex(2)
        # What the leader serves on the port in addition to the bridge; set once, before `own`.
        self.http: HttpSide | None = None
        self._connected = asyncio.Event()
        # How many consecutive calls have waited for a connection without success.
        self._failed_waits = 0
        self._route: Route | None = None
        self._running: asyncio.Task[None] | None = None
        self._stopped = False
        # Set after the first attempt to use the port.
        self._tried = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def role(self) -> Role:
        """Return this server's role on its port."""
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
        """Start looking for the extension, once; return after the first attempt to use the port."""
        if self._running is None:
            self._running = asyncio.create_task(self._elect())
        await self._tried.wait()

    async def claim(self, key: str) -> socket.socket:
        """Open the port's listening socket; raise ChromeTabError when another program has it."""
        if listener := take_port(self.port):
            return listener
        # Find out whether one of our servers or another program has the port.
        following = asyncio.create_task(self._follow(key))
        tried = asyncio.create_task(self._tried.wait())
        await asyncio.wait({following, tried}, return_when=asyncio.FIRST_COMPLETED)
        is_ours = self.role is Role.FOLLOWER
        for task in (following, tried):
            task.cancel()
        ended, _ = await asyncio.gather(following, tried, return_exceptions=True)
        if isinstance(ended, HandshakeError) and not is_ours:
            raise await port_error(self.port, ended.problem)
        raise server.ChromeTabError(
            "EXTENSION_NOT_CONNECTED",
            f"Port {self.port} belongs to another of your servers, started by an MCP client or by hand. "
            "Use that server, stop it, or choose another --port for this one and pair the extension again.",
        )

    async def own(self, listener: socket.socket, key: str) -> None:
        """Lead on a socket from `claim`, without an election; return when the port is being served."""
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
        """Wait at most `timeout_s` until the extension is connected; return whether it is."""
        with anyio.move_on_after(timeout_s):
            await self._connected.wait()
        return self.connected

    async def reach(self, timeout_s: float | None = None) -> None:
        """Wait for the extension; raise ChromeTabError if it does not connect."""
        await self.start()
        given_up = self._failed_waits >= protocol.MAX_EXTENSION_FAILURES
        waited_s = 0.0
        if not (self.connected or self.problem or given_up):
            await server.report_progress("waiting for the extension")
            waited_s = protocol.EXTENSION_WAIT_S if timeout_s is None else timeout_s
            is_connected = await self.wait_connected(waited_s)
            self._failed_waits += timeout_s is None and not is_connected
        if not self.connected:
            problem = self.problem or not_connected(self.port, waited_s)
            raise server.ChromeTabError(problem.code, problem.message)

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any = None) -> Any:
        """Send a command and return its result; `session` names another session that it is sent for.

        A read-only command is retried once if the leader disconnects. All failures are ChromeTabErrors.
        """
        await self.reach()
        session = session or {"id": self.session_id, "client": current_client.get() or self.client}
        route = self._route
        try:
            return await self._run(route, command, tab_id, params, session)
        except pending.ConnectionLostError:
            # A leader has already waited for the browser to reconnect.
            is_leader = route is not None and route.role is Role.LEADER
            if (
                is_leader
                or not command_table.only_reads(command)
                or not await self.wait_connected(protocol.RECONNECT_WAIT_S)
            ):
                raise
        return await self._run(self._route, command, tab_id, params, session)

    async def _run(
        self, route: Route | None, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any
    ) -> Any:
        if route is None or not self.connected:
            raise pending.ConnectionLostError(command)
        return await route.command(command, tab_id, params, session)

    async def notify(self, profile: str, event: Mapping[str, Any]) -> None:
        """Send an event to one of the browsers, if it is connected."""
        if self._route is not None:
            await self._route.notify(profile, event)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the background; a stored reference protects the task from garbage collection."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Election

    async def _elect(self) -> None:
        """Lead on the port or follow its leader; while neither is possible, record the reason and retry."""
        endings = 0
        try:
            # An error during `stop` could replace the cancellation; without this check the port would be taken again.
            while not self._stopped:
                try:
                    key = pairing.pairing_key()
                    if listener := take_port(self.port):
                        await self._lead(listener, key)
                    else:
                        await self._follow(key)
                except HandshakeError as error:
                    if error.problem == "connection ended" and endings < protocol.ENDING_RETRIES:
                        endings += 1
                        await asyncio.sleep(protocol.ENDING_RETRY_S)
                        continue
                    # Only now: finding the name of the program may take a second.
                    self.problem = await port_error(self.port, error.problem)
                except server.ChromeTabError as error:
                    self.problem = error
                except Exception as error:  # noqa: BLE001 -- a session must not lose its bridge for good
                    server.logger.warning("the bridge failed: %s", server.describe_place(error))
                    problem = f"The connection to the extension failed ({type(error).__name__})."
                    sentence = f"{problem} Retrying; try again in a few seconds."
                    self.problem = server.ChromeTabError("EXTENSION_NOT_CONNECTED", sentence)
                else:
                    endings = 0
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
        """Follow the port's leader until it disconnects; raise HandshakeError if it is not one of our servers."""

        async def follow() -> None:
            async with connected_to_leader(self.port, key, self.client) as leader:
                await Follower(self, leader).follow()

        await self._until_role_ends(follow())

    async def _until_role_ends(self, work: Awaitable[None]) -> None:
        try:
            await work
        finally:
            self._route = None
            self.on_browsers([])

    # Events of the leader or follower

    def enter_role(self, route: Route) -> None:
        """Send commands over this route from now on."""
        self._route, self.problem = route, None
        self._tried.set()

    def on_browsers(self, browsers: list[dict[str, Any]]) -> None:
        """Update the connected browsers, most recently viewed first."""
        before, self.browsers = (self.connected, self.missing), browsers
        if bool(browsers) != self.connected:
            pairing.remember_port(self.port)
            server.logger.info("extension %s", "connected" if browsers else "disconnected")
        if browsers:
            self._connected.set()
            self._failed_waits = 0
        else:
            self._connected.clear()
        if before != (self.connected, self.missing):
            self.on_change()

    @property
    def missing(self) -> set[str]:
        """Return the commands that no connected browser supports."""
        lists = [browser.get("missing") for browser in self.browsers]
        sets = [set(missing) if isinstance(missing, list) else set() for missing in lists]
        return set.intersection(*sets) if sets else set()
