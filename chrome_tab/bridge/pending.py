"""Commands on their way to the extension, and the replies that end them."""

from __future__ import annotations

import asyncio
from collections.abc import (
    Mapping,
)
from typing import TYPE_CHECKING, Any

import chrome_tab_mcp_server as server

if TYPE_CHECKING:
    pass


class ConnectionLostError(server.ChromeTabError):
    """The way to the extension broke while a command was under way: nobody knows whether it happened."""

    def __init__(self, command: str) -> None:
        super().__init__(
            "EXTENSION_NOT_CONNECTED",
            f"The connection to the Chrome extension broke during {command}. It comes back by itself: look "
            "at the page in a few seconds, then repeat what has not happened.",
        )


class PendingCommands:
    """Commands on their way and the replies that end them. No I/O."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[str, asyncio.Future[Any]]] = {}
        self._last_id = 0

    def add(
        self, command: str, tab_id: int | None, params: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any], asyncio.Future[Any]]:
        """Return the id, the message to send and the future of its result."""
        self._last_id += 1
        command_id = str(self._last_id)
        message: dict[str, Any] = {"id": command_id, "type": "command", "command": command, "params": params}
        if tab_id is not None:
            message["tab_id"] = tab_id
        future = asyncio.get_running_loop().create_future()
        # Its caller may have failed otherwise when the connection ends it with an error.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._waiting[command_id] = (command, future)
        return command_id, message, future

    def forget(self, command_id: str) -> None:
        """Drop a command whose caller has stopped waiting; a late reply is then unknown."""
        self._waiting.pop(command_id, None)

    def settle(self, reply: Mapping[str, Any]) -> bool:
        """End the command that a reply belongs to; False when no command waits for it."""
        _, future = self._waiting.pop(str(reply.get("id")), ("", None))
        if future is None or future.done():
            return False
        if reply.get("success") is True:
            future.set_result(reply.get("result"))
        else:
            future.set_exception(reply_error(reply.get("error")))
        return True

    def fail_all(self) -> None:
        """End every command: the connection is gone."""
        for command, future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionLostError(command))
        self._waiting.clear()


def reply_error(error: Any) -> server.ChromeTabError:
    """Return the error of a reply; a code that is not ours becomes EXECUTION_ERROR."""
    error = error if isinstance(error, dict) else {}
    code, message = error.get("code"), error.get("message")
    if code not in server.ERROR_CODES or not isinstance(message, str):
        sentence = "The extension failed without saying why. Reload it in chrome://extensions, then ask again."
        return server.ChromeTabError("EXECUTION_ERROR", sentence)
    return server.ChromeTabError(code, server.one_line(message, 1500))
