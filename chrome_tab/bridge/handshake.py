"""The handshake of a connection: each side proves that it has the pairing key, the leader first."""

from __future__ import annotations

import hmac
import json
from collections.abc import (
    Mapping,
)
from typing import TYPE_CHECKING, Any

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing, protocol
from chrome_tab.bridge.known_browsers import About, about_browser

if TYPE_CHECKING:
    from starlette.websockets import WebSocket
    from websockets.asyncio.client import ClientConnection


class HandshakeError(Exception):
    """This server cannot follow the program on its port; `problem` is a key of `port.PORT_PROBLEMS`."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Handshake:
    """The leader's side of one handshake: builds each message from the previous one. No I/O."""

    def __init__(self, role: str, key: str, port: int) -> None:
        # The role of the other side: "extension" or "session".
        self.role, self._key, self._port = role, key, port
        self._server_nonce = pairing.make_nonce()
        self._client_nonce = ""
        self.about, self.client = About(), ""

    def challenge(self, hello: Mapping[str, Any]) -> dict[str, Any] | int:
        """Build the reply to a hello, with the leader's proof; return a close code if the hello is malformed."""
        nonce = str(hello.get("nonce"))
        is_hello = (hello.get("type"), hello.get("protocol")) == ("hello", protocol.PROTOCOL)
        if not is_hello or not pairing.BASE64URL_32_BYTES.fullmatch(nonce):
            return protocol.WRONG_PROTOCOL
        self._client_nonce = nonce
        self.about = about_browser(hello)
        self.client = server.one_line(str(hello.get("client", "")), protocol.MAX_CLIENT_NAME)
        return {
            "type": "challenge",
            "protocol": protocol.PROTOCOL,
            "version": server.__version__,
            "nonce": self._server_nonce,
            "proof": self._proof("server"),
        }

    def accepts(self, answer: Mapping[str, Any]) -> bool:
        """Return whether the other side's proof is right, in constant time."""
        given = str(answer.get("proof")) if answer.get("type") == "proof" else ""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._proof(self.role).encode())

    def _proof(self, role: str) -> str:
        return pairing.proof(self._key, role, self._port, self._client_nonce, self._server_nonce)


async def handshake_with_client(websocket: WebSocket, handshake: Handshake) -> int:
    """Run the leader's side of a handshake; return 0 on success, else the close code."""
    challenge = handshake.challenge(await receive_message(websocket))
    if isinstance(challenge, int):
        return challenge
    await websocket.send_text(json.dumps(challenge))
    answer = await receive_message(websocket)
    if not answer:
        return protocol.WRONG_PROTOCOL
    if not handshake.accepts(answer):
        server.logger.warning("rejected a %s with a wrong key", handshake.role)
        return protocol.WRONG_KEY
    return 0


async def receive_message(websocket: WebSocket) -> dict[str, Any]:
    """Receive the next handshake message; an empty one if the socket closed, or the frame is binary or too large."""
    frame = await protocol.receive_frame(websocket)
    return protocol.parse_frame(frame) if isinstance(frame, str) and len(frame) <= protocol.MAX_HANDSHAKE_BYTES else {}


async def handshake_with_leader(leader: ClientConnection, key: str, port: int, client: str) -> None:
    """Run the follower's side of a handshake; raise HandshakeError if the leader does not prove the key.

    The follower sends its proof only after checking the leader's.
    """
    nonce = pairing.make_nonce()
    hello = {
        "type": "hello",
        "protocol": protocol.PROTOCOL,
        "version": server.__version__,
        "nonce": nonce,
        "client": client,
    }
    await leader.send(json.dumps(hello))
    challenge = protocol.parse_frame(await leader.recv())
    if challenge.get("type") != "challenge":
        raise HandshakeError("other program")
    if challenge.get("protocol") != protocol.PROTOCOL:
        raise HandshakeError("other version")
    server_nonce = str(challenge.get("nonce"))
    expected = pairing.proof(key, "server", port, nonce, server_nonce)
    if not hmac.compare_digest(str(challenge.get("proof")).encode(), expected.encode()):
        raise HandshakeError("other program")
    answer = pairing.proof(key, "session", port, nonce, server_nonce)
    await leader.send(json.dumps({"type": "proof", "proof": answer}))
    if protocol.parse_frame(await leader.recv()).get("type") != "welcome":
        raise HandshakeError("other program")
