"""The two roles of a server on its port, and what leader, follower and bridge know about each other."""

from __future__ import annotations

import enum
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio

    from chrome_tab.http import HttpSide


class Role(enum.Enum):
    """The role of a server on its port: the leader owns it, a follower sends its commands through the leader."""

    NONE = "none"
    LEADER = "leader"
    FOLLOWER = "follower"


class Route(Protocol):
    """Where messages for the extension go while this server has a role: the leader or the follower."""

    role: Role

    @property
    def sessions(self) -> int:
        """Return how many sessions share the extension, as far as this server knows."""
        ...

    async def send(self, text: str) -> None:
        """Send one message towards the extension; raise one of `protocol.closed_errors` when the socket is closed."""
        ...


class Session(Protocol):
    """What a leader and a follower use of the bridge: its data, and where they report events."""

    port: int
    # The name of this session's client.
    client: str
    # The last known extension: `version` and `missing`.
    extension: dict[str, Any]
    # What the leader serves on the port in addition to the bridge.
    http: HttpSide | None
    on_tabs_change: Callable[[], None]
    on_question: Callable[[Mapping[str, Any]], None]

    def enter_role(self, route: Route) -> None:
        """Send commands over this route from now on."""

    def on_extension_connected(self, extension: dict[str, Any]) -> None:
        """Mark the extension as connected."""

    def on_extension_lost(self) -> None:
        """Mark the extension as disconnected."""

    def on_extension_alive(self) -> None:
        """Note that the extension has sent something."""

    def on_reply(self, message: Mapping[str, Any]) -> bool:
        """Complete the command that a reply belongs to; return False if there is none."""
        ...

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any = None) -> Any:
        """Run a command on behalf of a session."""

    async def tell(self, event: Mapping[str, Any]) -> None:
        """Send an event to the extension, if it is connected."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something in the background."""
        ...
