"""The opening of a connection: each side proves that it has the key, the server first."""

from __future__ import annotations

import hmac
import json
from collections.abc import (
    Mapping,
)
from typing import TYPE_CHECKING, Any

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing, protocol

if TYPE_CHECKING:
    from starlette.websockets import WebSocket


class Opening:
    """The server's side of one opening: what came in decides what goes out. No I/O."""

    def __init__(self, role: str, key: str, port: int) -> None:
        # Who comes in: "extension" or "session".
        self.role, self._key, self._port = role, key, port
        self._server_nonce = pairing.make_nonce()
        self._client_nonce = ""
        self.extension, self.client = protocol.about_extension({}), ""

    def challenge(self, hello: Mapping[str, Any]) -> dict[str, Any] | int:
        """Answer a hello with the server's proof, or with the close code for a stranger."""
        nonce = str(hello.get("nonce"))
        if (hello.get("type"), hello.get("protocol")) != (
            "hello",
            protocol.PROTOCOL,
        ) or not pairing.BASE64URL_32_BYTES.fullmatch(nonce):
            return protocol.WRONG_PROTOCOL
        self._client_nonce = nonce
        self.extension = protocol.about_extension(hello)
        self.client = server.one_line(str(hello.get("client", "")), protocol.MAX_CLIENT_NAME)
        return {
            "type": "challenge",
            "protocol": protocol.PROTOCOL,
            "version": server.__version__,
            "nonce": self._server_nonce,
            "proof": self._proof("server"),
        }

    def accepts(self, answer: Mapping[str, Any]) -> bool:
        """Say whether the other side has proved the key, in constant time."""
        given = str(answer.get("proof")) if answer.get("type") == "proof" else ""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._proof(self.role).encode())

    def _proof(self, role: str) -> str:
        return pairing.proof(self._key, role, self._port, self._client_nonce, self._server_nonce)


async def open_connection(websocket: WebSocket, opening: Opening) -> int:
    """Run the owner's side of an opening; return 0 or the close code."""
    challenge = opening.challenge(await receive_opening(websocket))
    if isinstance(challenge, int):
        return challenge
    await websocket.send_text(json.dumps(challenge))
    answer = await receive_opening(websocket)
    if not answer:
        return protocol.WRONG_PROTOCOL
    if not opening.accepts(answer):
        server.logger.warning("a %s with a wrong key was turned away", opening.role)
        return protocol.WRONG_KEY
    return 0


async def receive_opening(websocket: WebSocket) -> dict[str, Any]:
    """Return the next message of an opening; an empty one for the end, a binary or a too large frame."""
    frame = await protocol.receive_frame(websocket)
    return server.parse_frame(frame) if isinstance(frame, str) and len(frame) <= protocol.MAX_OPENING_BYTES else {}
