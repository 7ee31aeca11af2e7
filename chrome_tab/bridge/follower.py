"""The follower: a server that sends its commands through another session's server, which owns the port."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

import chrome_tab_mcp_server as server
from chrome_tab.bridge import handshake, pending, port, protocol
from chrome_tab.bridge.channel import Channel
from chrome_tab.bridge.roles import Role

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

    from chrome_tab.bridge.roles import Session


class Follower:
    """This session's connection to the leader of its port."""

    role = Role.FOLLOWER
    # A follower does not know about the others.
    sessions = 1

    def __init__(self, session: Session, leader: ClientConnection) -> None:
        self._session, self._leader = session, leader
        # Set when the leader has stopped responding.
        self._silence: server.ChromeTabError | None = None
        # The leader's time limit is a little longer than the extension's, and a follower's a little longer than that.
        self.channel = Channel(leader.send, session.spawn, grace_s=1 + protocol.RECONNECT_WAIT_S)

    async def follow(self) -> None:
        """Exchange messages with the leader until it disconnects; raise ChromeTabError if it stops responding."""
        self._session.enter_role(self)
        watching = self._session.spawn(self._watch())
        try:
            async for frame in self._leader:
                self._on_message(frame)
        except protocol.closed_errors():
            if self._silence is None:
                raise
        finally:
            watching.cancel()
            self.channel.close()
        if self._silence is not None:
            raise self._silence

    async def _watch(self) -> None:
        """Disconnect from a leader that does not respond: its process may be suspended."""
        with contextlib.suppress(*protocol.closed_errors()):
            while True:
                await asyncio.sleep(protocol.LEADER_PING_S)
                try:
                    async with asyncio.timeout(protocol.LEADER_PONG_S):
                        await (await self._leader.ping())
                except TimeoutError:
                    self._silence = await port.port_error(self._session.port, "suspended")
                    self._leader.transport.abort()
                    return

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any) -> Any:
        """Run a command through the leader."""
        try:
            return await self.channel.command(command, tab_id, params, session)
        except pending.ConnectionLostError:
            raise self._silence or pending.ConnectionLostError(command) from None

    async def notify(self, profile: str, event: Mapping[str, Any]) -> None:
        """Do nothing: browsers send their prompts to the leader only."""

    def _on_message(self, frame: str | bytes) -> None:
        message = protocol.parse_frame(frame)
        self.channel.failures = 0
        match message.get("type"), message.get("event"):
            case "response", _:
                self.channel.on_reply(message)
            case "event", "extension_connected":
                # A leader of an older version has a single browser without a name.
                self._session.on_browsers(server.items(message, "browsers") or [message])
            case "event", "extension_disconnected":
                self._session.on_browsers([])
            case "event", "tab_ids":
                self._session.tab_ids.learn(message.get("tab_ids") or [])
            case "event", "tabs_changed":
                self._session.on_tabs_change()
            case kind, _:
                server.logger.debug("dropped a message of type %s", server.one_line(str(kind), 40))


@contextlib.asynccontextmanager
async def connected_to_leader(number: int, key: str, client: str) -> AsyncGenerator[ClientConnection]:
    """Connect to the leader of port `number`; both sides have proved the key when the block begins.

    The block ends without an error when the leader disconnects. Raises HandshakeError if the program on the port is
    not one of this user's servers.
    """
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

    address, is_open = f"ws://{server.HOST}:{number}/session", False
    options: dict[str, Any] = {"proxy": None, "compression": None, "max_size": protocol.MAX_FRAME_BYTES}
    options["ping_interval"] = None  # Follower sends its own
    try:
        leader = await connect(address, **options, open_timeout=protocol.FOLLOWER_HANDSHAKE_TIMEOUT_S)
        try:
            async with asyncio.timeout(protocol.FOLLOWER_HANDSHAKE_TIMEOUT_S):
                await handshake.handshake_with_leader(leader, key, number, client)
            is_open = True
            yield leader
        finally:
            await close(leader)
    except TimeoutError:
        raise handshake.HandshakeError("no answer") from None
    except (InvalidHandshake, OSError) as error:
        cause = error.__cause__ if isinstance(error, InvalidMessage) else error
        problem = "connection ended" if isinstance(cause, (OSError, EOFError)) else "other program"
        raise handshake.HandshakeError(problem) from None
    except ConnectionClosed as closed:
        code = closed.rcvd.code if closed.rcvd else None
        if code == protocol.WRONG_PROTOCOL:
            raise handshake.HandshakeError("other version") from None
        if not is_open:
            problem = {None: "connection ended", protocol.HANDSHAKE_TOO_SLOW: "no answer"}.get(code, "other program")
            raise handshake.HandshakeError(problem) from None


async def close(leader: ClientConnection) -> None:
    """Close a connection to the leader within a bounded time: a suspended leader does not read the close frame."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(protocol.CLOSING_TIMEOUT_S):
            await leader.close()
    leader.transport.abort()
