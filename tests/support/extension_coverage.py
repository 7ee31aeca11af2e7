"""Which lines and branches of the extension ran, as the browser itself counts them.

Active where EXTENSION_COVERAGE names a folder: each browser of the tests leaves one file there. The service worker, our
own pages and the page functions in other pages' isolated worlds all count, each in the target that runs it.
"""

import asyncio
import contextlib
import json
import os
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

FOLDER = os.environ.get("EXTENSION_COVERAGE")
# What runs between the last look and a page's end is not seen.
LOOK_S = 0.2
PORT_S = 20
KINDS = ("page", "service_worker", "iframe")
# What a browser needs to be started with.
ARGUMENTS = ["--remote-debugging-port=0"] if FOLDER else []


class Collector:
    """A second debugging client of one browser, beside that of the tests."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last_id = 0
        self._replies: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._sessions: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        # By file of the extension, in UTF-16 units: functions and blocks, and which units have run (1) or not (0).
        self.blocks: dict[str, set[tuple[int, int]]] = {}
        self.units: dict[str, bytes] = {}

    async def ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        self._last_id += 1
        reply = self._replies[self._last_id] = asyncio.get_running_loop().create_future()
        message = {"id": self._last_id, "method": method, "params": params}
        await self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        return await asyncio.wait_for(reply, PORT_S)

    async def attach_to_new(self, session: str | None = None, **more: Any) -> None:
        """Attach to every target below that one, before it runs anything."""
        await self.ask(
            "Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True, **more
        )

    async def listen(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for frame in self._socket:
                message = json.loads(frame)
                if (reply := self._replies.pop(message.get("id"), None)) and not reply.done():
                    reply.set_result(message.get("result") or {})
                if message.get("method") == "Target.attachedToTarget":
                    self._start(self._count(message["params"]["sessionId"]))
                if message.get("method") == "Target.detachedFromTarget":
                    self._sessions.discard(message["params"]["sessionId"])

    async def look(self) -> None:
        """Take what has run since the last look."""
        for session in list(self._sessions):
            with contextlib.suppress(TimeoutError):
                self._add(await self.ask("Profiler.takePreciseCoverage", session))

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _count(self, session: str) -> None:
        with contextlib.suppress(TimeoutError, ConnectionClosed):
            await self.ask("Profiler.enable", session)
            await self.ask("Profiler.startPreciseCoverage", session, callCount=True, detailed=True)
            await self.attach_to_new(session)
            await self.ask("Runtime.runIfWaitingForDebugger", session)
            self._sessions.add(session)

    def _add(self, taken: dict[str, Any]) -> None:
        for script in taken.get("result", []):
            scheme, _, path = script["url"].partition("://")
            if scheme != "chrome-extension":
                continue
            file = path.partition("/")[2]
            ranges = [one for function in script["functions"] for one in function["ranges"]]
            counts = [one["count"] for one in ranges]
            # Where a function has run its module has too, maybe before we came.
            units = bytearray([any(counts)]) * (max((one["endOffset"] for one in ranges), default=0))
            # The inner ones come after those that hold them.
            for one in sorted(ranges, key=lambda one: (one["startOffset"], -one["endOffset"])):
                start, end = one["startOffset"], one["endOffset"]
                if start > 0:  # the module itself is painted above
                    units[start:end] = bytes([one["count"] > 0]) * (end - start)
                self.blocks.setdefault(file, set()).add((start, end))
            self.units[file] = either(self.units.get(file, b""), bytes(units))


@asynccontextmanager
async def counted(profile: Path) -> AsyncGenerator[None]:
    """Count what runs in the browser of this profile, which was started with `ARGUMENTS`, during the block."""
    if not FOLDER:
        yield
        return
    async with asyncio.timeout(PORT_S):
        while not (profile / "DevToolsActivePort").exists():  # noqa: ASYNC110 -- nobody tells of it
            await asyncio.sleep(0.05)
    port, path = (profile / "DevToolsActivePort").read_text(encoding="ascii").split()
    async with connect(f"ws://127.0.0.1:{port}{path}", max_size=None, proxy=None, ping_interval=None) as socket:
        collector = Collector(socket)
        tasks = [asyncio.create_task(collector.listen())]
        await collector.attach_to_new(filter=[{"type": kind} for kind in KINDS])
        tasks.append(asyncio.create_task(looking(collector)))
        try:
            yield
        finally:
            await collector.look()
            for task in tasks:
                task.cancel()
            files = {
                file: {"blocks": sorted(blocks), "units": collector.units[file].hex()}
                for file, blocks in collector.blocks.items()
            }
            (Path(FOLDER) / f"{secrets.token_hex(8)}.json").write_text(json.dumps(files), encoding="ascii")


def either(one: bytes, other: bytes) -> bytes:
    """Put two notes about the same file together: a unit has run when either says so."""
    size = max(len(one), len(other))
    both = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return both.to_bytes(size, "little")


async def looking(collector: Collector) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await asyncio.sleep(LOOK_S)
            await collector.look()
