"""The two roles of a server on its port, and the interfaces between leader, follower and bridge."""

from __future__ import annotations

import enum
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio

    from starlette.datastructures import Headers
    from starlette.routing import BaseRoute

    from chrome_tab.bridge.tab_ids import TabIds


class Role(enum.Enum):
    """The role of a server on its port: the leader owns it, a follower sends its commands through the leader."""

    NONE = "none"
    LEADER = "leader"
    FOLLOWER = "follower"


class Route(Protocol):
    """The object that carries commands to the extension while this server has a role: the leader or the follower."""

    role: Role

    @property
    def sessions(self) -> int:
        """Return how many sessions share the extension, as far as this server knows."""
        ...

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any) -> Any:
        """Run a command; raise ConnectionLostError if its connection breaks, another ChromeTabError if it fails."""

    async def notify(self, profile: str, event: Mapping[str, Any]) -> None:
        """Send an event to one of the browsers, if it is connected."""


class HttpSide(Protocol):
    """What the leader serves on its port in addition to the bridge."""

    is_open: bool

    @property
    def mcp_paths(self) -> tuple[str, ...]:
        """Return the paths where MCP is served."""
        ...

    def is_public(self, path: str) -> bool:
        """Return whether a path is served without a key."""
        ...

    def admits(self, headers: Headers) -> bool:
        """Return whether a request is allowed to use MCP."""
        ...

    def shows_key(self, headers: Headers) -> bool:
        """Return whether a request has a key that allows MCP."""
        ...

    def new_link(self) -> str:
        """Return a link to the test app that admits one page, once."""
        ...

    def routes(self) -> list[BaseRoute]:
        """Return the port's additional routes."""
        ...


class Session(Protocol):
    """The part of the bridge that leader and follower use: its data, and the methods that take their events."""

    port: int
    # The name of this session's client.
    client: str
    # The clients' tab ids; they survive a change of role.
    tab_ids: TabIds
    http: HttpSide | None
    on_tabs_change: Callable[[], None]
    on_prompt: Callable[[Mapping[str, Any], str], None]
    # What the leader sends each browser about this server: `{denied_hosts, commands}`.
    server_info: Callable[[], Mapping[str, Any]]

    def enter_role(self, route: Route) -> None:
        """Send commands over this route from now on."""

    def on_browsers(self, browsers: list[dict[str, Any]]) -> None:
        """Update the connected browsers, most recently viewed first: `{name, kind, version, missing}` each."""

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any = None) -> Any:
        """Run a command on behalf of a session."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the background."""
        ...
