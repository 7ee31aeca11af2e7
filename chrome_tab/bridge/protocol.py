"""Limits, close codes and frames of the WebSocket protocol between servers and extension."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import chrome_tab_mcp_server as server

if TYPE_CHECKING:
    from starlette.websockets import WebSocket


# The codes of all errors, of this program and of the extension; extension/shared/errors.js has the same.
ERROR_CODES = (
    *("NO_BROWSER", "PERMISSION_DENIED", "UNREADABLE_PAGE", "KEYWORD_NOT_FOUND", "EMPTY_PAGE", "INVALID_ARGUMENT"),
    *("EXTENSION_NOT_CONNECTED", "TAB_NOT_FOUND", "TAB_NOT_ATTACHED", "TAB_DISCONNECTED", "AMBIGUOUS_TAB"),
    *("RATE_LIMITED", "COMMAND_TIMEOUT", "INVALID_SELECTOR", "ELEMENT_NOT_FOUND", "EXECUTION_ERROR", "VALUE_NOT_KEPT"),
    *("EVALUATE_NOT_ALLOWED", "PRIVATE_NOT_ALLOWED", "ATTACH_DENIED", "NAVIGATION_FAILED", "DATALAYER_NOT_FOUND"),
    *("HOST_BLOCKED", "FILE_NOT_ALLOWED"),
    *("MODEL_UNREACHABLE", "MODEL_NOT_FOUND", "MODEL_TIMEOUT", "MODEL_ERROR", "MODEL_EMPTY"),
)
PROTOCOL = 2
EXTENSION_IDS = ["odmielohngedldmmnjkobeohjielmdjk"]  # from the manifest's key; the Chrome Web Store's ID will be added
FIREFOX_ORIGIN = r"moz-extension://[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"  # unique to each Firefox profile
COMMAND_TIMEOUT_S = 35.0
ANSWER_TIMEOUT_S = 60.0  # for the user to answer a consent prompt; added to the command's limit
HANDSHAKE_TIMEOUT_S = 10.0  # for a handshake
# The extension retries every 2 to 3 s; on a busy machine its worker and the handshake take as long again.
EXTENSION_WAIT_S = 8.0
RECONNECT_WAIT_S = 8.0
FOLLOWER_HANDSHAKE_TIMEOUT_S = 3.0  # for a follower's handshake with the leader
LEADER_PING_S = 10.0  # between a follower's checks that its leader responds
LEADER_PONG_S = 10.0  # for the leader to respond to one
PORT_RETRY_S = 2.0
# A leader that exits ends its connections a moment before it releases the port.
ENDING_RETRIES = 5
ENDING_RETRY_S = 0.2
MAX_EXTENSION_FAILURES = 3
FOLLOWER_TIMEOUT_S = 10.0  # for a follower to read a message
PORT_LEAVING_TIMEOUT_S = 2.0
CLOSING_TIMEOUT_S = 1.0  # for the close frames of a WebSocket
MAX_FRAME_BYTES = 64 * 1024 * 1024
MAX_COMMAND_BYTES = 1024 * 1024
MAX_HANDSHAKE_BYTES = 4096
MAX_UNPROVED = 100  # connections without a proof; some systems limit a process to 256 open files
MAX_UNPROVED_BYTES = 256 * 1024
MAX_CLIENT_NAME = 40
WRONG_KEY = 4401
WRONG_PROTOCOL = 4400
HANDSHAKE_TOO_SLOW = 4408
TOO_MANY_BROWSERS = 4429
MAX_BROWSERS = 8
MAX_KNOWN_BROWSERS = 50  # whose names are stored
BROWSER_ID = re.compile(r"[\w-]{8,64}", re.ASCII)  # of a profile, and of one run of its browser
LIST_TIMEOUT_S = 3.0  # for each of several browsers to list its tabs
ALIVE_TIMEOUT_S = 3.0  # for a browser to respond when another one connects with its id
# Browsers that were connected to the previous leader reconnect within one retry.
RETURN_WAIT_S = 4.0
MAX_EVENT_DELAY_S = 5.0  # between an event and its arrival; more means that a clock was changed


async def receive_frame(websocket: WebSocket) -> str | bytes | None:
    """Receive the next frame; return None if the socket has closed."""
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        return None
    return message.get("text") or message.get("bytes") or ""


def parse_frame(frame: str | bytes) -> dict[str, Any]:
    """Return a frame's JSON object, or an empty one if it is not an object; binary frames are UTF-8.

    The id of an unreadable reply can still be read, so that its command fails at once.
    """
    try:
        message = server.parse_json(frame if isinstance(frame, str) else frame.decode())
    except ValueError:
        head = frame[:100] if isinstance(frame, str) else frame[:100].decode("utf-8", "replace")
        reply = re.match(r'\{"id":\s?"(\d+)",\s?"type":\s?"response"', head)
        return {"type": "response", "id": reply[1], **unreadable_reply("the command").data()} if reply else {}
    return message if isinstance(message, dict) else {}


def unreadable_reply(command: str) -> server.ChromeTabError:
    """Return the error for a reply that does not fit its command."""
    return server.ChromeTabError(
        "EXECUTION_ERROR",
        f"The extension's reply to {command} cannot be read. Reload it in chrome://extensions, then check the "
        "page before you repeat anything.",
    )


def closed_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that a send on a closed socket can raise."""
    from starlette.websockets import WebSocketDisconnect
    from websockets.exceptions import ConnectionClosed

    return (WebSocketDisconnect, ConnectionClosed, ConnectionError, RuntimeError)
