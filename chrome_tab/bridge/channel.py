"""Commands and replies over one connection: between leader and browser, or between follower and leader."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pending, protocol

Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]


class Channel:
    """One connection: sends commands and completes them with their replies.

    `send` writes to the socket; `grace_s` is added to each command's time limit.
    """

    def __init__(self, send: Callable[[str], Awaitable[None]], spawn: Spawn, grace_s: float = 0) -> None:
        # The browser's name for the user; empty while it is the only one connected.
        self.name = ""
        # The number of consecutive unanswered commands.
        self.failures = 0
        self._send_text, self._spawn, self._grace_s = send, spawn, grace_s
        self._pending = pending.PendingCommands()
        self._is_closed = False

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any) -> Any:
        """Send a command and return its result; raise ChromeTabError, immediately after too many unanswered ones."""
        who = f"The extension in {self.name}" if self.name else "The extension"
        if self.failures >= protocol.MAX_EXTENSION_FAILURES:
            raise server.ChromeTabError(
                "COMMAND_TIMEOUT",
                f"{who} did not respond to {self.failures} calls in a row; calls fail immediately until it responds. "
                "Ask the user to reload it in chrome://extensions.",
            )
        command_id, message, future = self._pending.add(command, tab_id, params)
        limit_s = protocol.COMMAND_TIMEOUT_S + protocol.ANSWER_TIMEOUT_S * (
            command == "browser_attach_tab" or "ask_hosts" in params
        )
        try:
            async with asyncio.timeout(limit_s + self._grace_s):
                await self.send(message | {"session": session})
                return await future
        except TimeoutError:
            self.failures += 1
            action = pending.shown_name(command)
            raise server.ChromeTabError(
                "COMMAND_TIMEOUT",
                f"{who} did not complete {action} within {limit_s:g} s. The page may be busy: reload it, then try again.",
            ) from None
        finally:
            self._pending.forget(command_id)
            if not future.done() or future.cancelled():
                self._spawn(self._cancel(command_id))

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send one message; raise ChromeTabError if it is too large, ConnectionLostError if the socket is closed."""
        text, command = json.dumps(message), str(message.get("command"))
        if len(text) > protocol.MAX_COMMAND_BYTES:
            raise server.ChromeTabError(
                "INVALID_ARGUMENT",
                f"The arguments of {command} are {len(text):,} bytes long; the extension accepts at most "
                f"{protocol.MAX_COMMAND_BYTES:,}. Send less at once.",
            )
        if self._is_closed:
            raise pending.ConnectionLostError(command, self.name)
        try:
            await self._send_text(text)
        except protocol.closed_errors():
            raise pending.ConnectionLostError(command, self.name) from None

    async def notify(self, event: Mapping[str, Any]) -> None:
        """Send an event; ignore failures."""
        with contextlib.suppress(server.ChromeTabError):
            await self.send({"type": "event", **event})

    def on_reply(self, message: Mapping[str, Any]) -> bool:
        """Complete the command that a reply answers; return False if there is none."""
        return self._pending.settle(message)

    def close(self) -> None:
        """Fail the commands that wait for a reply; whether they ran is unknown."""
        self._is_closed = True
        self._pending.fail_all(self.name)

    async def _cancel(self, command_id: str) -> None:
        """Cancel a command whose caller has stopped waiting, so that it does not start later."""
        with contextlib.suppress(server.ChromeTabError):
            await self.send({"type": "cancel", "id": command_id})
