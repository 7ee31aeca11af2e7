"""The server's half of the wire protocol, honest or not, for tests of the extension."""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from tests.support.fake_extension import free_port

Message = dict[str, Any]
Handshake = Callable[["FakeBridge", ServerConnection, Message], Awaitable[None]]

# A command may take 30 s, and so may the slowest retry.
WAIT_S = 40
MAX_FRAME = 64 * 1024 * 1024


class FakeBridge:
    """Listens for the extension. `handshake` is its reaction to the first message; by default what a server should do."""

    def __init__(self, key: str | None = None) -> None:
        self.key = key or encode(secrets.token_bytes(32))
        self.handshake: Handshake = honest_handshake
        self.answers_pings = True
        # What the welcome contains in addition to the number of sessions.
        self.server_info: Message = {}
        # The client named in commands; None to leave it out.
        self.session: dict[str, str] | None = None
        self.port = free_port()
        self.origins: list[str | None] = []
        self.hellos: list[Message] = []
        # Messages after the hello other than replies: proofs, events and pings.
        self.received: asyncio.Queue[Message] = asyncio.Queue()
        self.close_codes: asyncio.Queue[int | None] = asyncio.Queue()
        # All frames of the extension after its hello, for a test that wants to search them.
        self.frames: list[bytes] | None = None
        self._server: Server | None = None
        self._open: asyncio.Queue[ServerConnection] = asyncio.Queue()
        # The newest connection accepted by both ends.
        self._peer: ServerConnection | None = None
        self._replies: dict[str, asyncio.Future[Message]] = {}
        self.last_id = 0

    @property
    def connection_string(self) -> str:
        return connection_string({"v": 1, "s": f"ws://127.0.0.1:{self.port}", "k": self.key})

    async def start(self) -> None:
        """Listen, again on the same port: while the bridge is stopped, no other program can get that."""
        self._server = await serve(self._serve, "127.0.0.1", self.port, max_size=MAX_FRAME, close_timeout=2)

    async def stop(self) -> None:
        if self._server:
            # asyncio hands a new connection to a task; if the server closed before that, its socket would stay open.
            for listening in self._server.sockets:
                asyncio.get_running_loop().remove_reader(listening)
            await asyncio.sleep(0)
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    async def connected(self) -> None:
        """Wait for the next connection that both ends accept and that lasts: an earlier one may have ended unnoticed."""
        async with asyncio.timeout(WAIT_S):
            while (peer := await self._open.get()) is not self._peer or peer.state is not State.OPEN:
                pass

    async def ask(self, command: str, *, tab_id: int | None = None, **params: object) -> Message:
        """Send a command and return its reply, success or failure."""
        self.last_id += 1
        command_id = str(self.last_id)
        reply = self._replies[command_id] = asyncio.get_running_loop().create_future()
        message = {"id": command_id, "type": "command", "command": command, "tab_id": tab_id, "params": params}
        await self.send(message | ({"session": self.session} if self.session else {}))
        return await asyncio.wait_for(reply, WAIT_S)

    async def send(self, frame: Message | str | bytes) -> None:
        assert self._peer, "send() before connected()"
        await self._peer.send(json.dumps(frame) if isinstance(frame, dict) else frame)

    async def hang_up(self, code: int = 1001) -> None:
        assert self._peer, "hang_up() before connected()"
        await self._peer.close(code)

    async def next_message(self, kind: str) -> Message:
        """Wait for a message of this type, or for an event of this name; others before it are dropped."""
        while True:
            message = await asyncio.wait_for(self.received.get(), WAIT_S)
            if kind in {message["type"], message.get("event")}:
                return message

    async def next_close_code(self) -> int | None:
        return await asyncio.wait_for(self.close_codes.get(), WAIT_S)

    def proof(self, role: str, hello_nonce: str, own_nonce: str, port: int | None = None) -> str:
        is_binary = len(self.key) == 43
        key = base64.urlsafe_b64decode(self.key + "=") if is_binary else self.key.encode()
        statement = f"chrome-tab-reader/1|{role}|{port or self.port}|{hello_nonce}|{own_nonce}"
        return encode(hmac.digest(key, statement.encode(), hashlib.sha256))

    def accept(self, peer: ServerConnection) -> None:
        self._peer = peer
        self._open.put_nowait(peer)

    async def _serve(self, peer: ServerConnection) -> None:
        try:
            hello = json.loads(await peer.recv())
            self.origins.append(peer.request.headers.get("Origin") if peer.request else None)
            self.hellos.append(hello)
            await self.handshake(self, peer, hello)
            async for frame in peer:
                if self.frames is not None:
                    self.frames.append(frame if isinstance(frame, bytes) else frame.encode())
                message = json.loads(frame)
                self._receive(message)
                if message == {"type": "ping"} and self.answers_pings:
                    await peer.send(json.dumps({"type": "pong"}))
        except ConnectionClosed:
            pass
        finally:
            await peer.wait_closed()
            self.close_codes.put_nowait(peer.close_code)

    def _receive(self, message: Message) -> None:
        if message["type"] == "response":
            # An unexpected reply fails the test here.
            self._replies.pop(message["id"]).set_result(message)
            return
        self.received.put_nowait(message)


async def honest_handshake(bridge: FakeBridge, peer: ServerConnection, hello: Message) -> None:
    nonce = make_nonce()
    proof = bridge.proof("server", hello["nonce"], nonce)
    await peer.send(json.dumps(challenge(nonce, proof)))
    answer = json.loads(await peer.recv())
    bridge.received.put_nowait(answer)
    expected = bridge.proof("extension", hello["nonce"], nonce)
    if not hmac.compare_digest(answer["proof"], expected):
        await peer.close(4401)
        return
    await peer.send(json.dumps({"type": "welcome", "sessions": 1, **bridge.server_info}))
    bridge.accept(peer)


def challenge(nonce: str, proof: str, protocol: int = 2) -> Message:
    return {"type": "challenge", "protocol": protocol, "version": "1.0.0", "nonce": nonce, "proof": proof}


def make_nonce() -> str:
    return encode(secrets.token_bytes(32))


def encode(data: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def connection_string(content: object) -> str:
    return "vf://" + encode(json.dumps(content).encode())


@asynccontextmanager
async def running_bridge(key: str | None = None) -> AsyncGenerator[FakeBridge]:
    bridge = FakeBridge(key)
    await bridge.start()
    try:
        yield bridge
    finally:
        await bridge.stop()
