"""Commands that wait for a reply from the extension."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import chrome_tab_mcp_server as server
from chrome_tab.bridge.protocol import ERROR_CODES


def shown_name(command: str) -> str:
    """Return a command's name for an error: a client knows no tool named read_tab."""
    return "reading the page" if command == "read_tab" else command


class ConnectionLostError(server.ChromeTabError):
    """The connection to the extension broke during a command; whether it ran is unknown."""

    def __init__(self, command: str, browser: str = "") -> None:
        peer = f"the extension in {browser}" if browser else "the Chrome extension"
        super().__init__(
            "EXTENSION_NOT_CONNECTED",
            f"The connection to {peer} broke during {shown_name(command)}. If the browser is closed, ask the user to open "
            "it. Otherwise it reconnects within seconds: check the page, then repeat only what did not take effect.",
        )


class PendingCommands:
    """The commands that wait for a reply, by id. No I/O."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[str, asyncio.Future[Any]]] = {}
        self._last_id = 0

    def add(
        self, command: str, tab_id: int | None, params: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any], asyncio.Future[Any]]:
        """Add a command; return its id, the message to send, and a future for its result."""
        self._last_id += 1
        command_id = str(self._last_id)
        message: dict[str, Any] = {"id": command_id, "type": "command", "command": command, "params": params}
        if tab_id is not None:
            message["tab_id"] = tab_id
        future = asyncio.get_running_loop().create_future()
        # Retrieve its exception, which asyncio would log otherwise: the caller may have failed before it.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._waiting[command_id] = (command, future)
        return command_id, message, future

    def forget(self, command_id: str) -> None:
        """Remove a command whose caller has stopped waiting; a late reply will be dropped."""
        self._waiting.pop(command_id, None)

    def settle(self, reply: Mapping[str, Any]) -> bool:
        """Complete the command that a reply answers; return False if there is none."""
        _, future = self._waiting.pop(str(reply.get("id")), ("", None))
        if future is None or future.done():
            return False
        if reply.get("success") is True:
            future.set_result(reply.get("result"))
        else:
            future.set_exception(reply_error(reply.get("error")))
        return True

    def fail_all(self, browser: str) -> None:
        """Fail every command with ConnectionLostError; `browser` names the one that disconnected."""
        for command, future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionLostError(command, browser))
        self._waiting.clear()


def reply_error(error: Any) -> server.ChromeTabError:
    """Build the error from a reply; an unknown code becomes EXECUTION_ERROR."""
    error = error if isinstance(error, dict) else {}
    code, message = error.get("code"), error.get("message")
    if code not in ERROR_CODES or not isinstance(message, str):
        sentence = "The extension failed without giving a reason. Reload it in chrome://extensions, then try again."
        return server.ChromeTabError("EXECUTION_ERROR", sentence)
    return server.ChromeTabError(code, server.one_line(message, 1500))
