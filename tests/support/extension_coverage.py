"""Which lines and branches of the extension ran, as the browser itself counts them.

Active if EXTENSION_COVERAGE names a directory: each browser of the tests leaves one file there. The service worker, our
own pages and the page functions in other pages' isolated worlds all count, each in the target that runs it.
"""

import asyncio
import contextlib
import json
import os
import re
import secrets
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

EXTENSION = Path(__file__).resolve().parents[2] / "extension"
FUNCTION = re.compile(r"^(?:export )?(?P<text>(?:async )?function (?P<name>\w+)\(.*?^\})", re.MULTILINE | re.DOTALL)
FOLDER = os.environ.get("EXTENSION_COVERAGE")
# What runs between the last collection and a page's end is missed.
LOOK_S = 0.2
PORT_S = 20
KINDS = ("page", "service_worker", "iframe")
# Additional arguments for starting a browser.
ARGUMENTS = ["--remote-debugging-port=0"] if FOLDER else []


class Collector:
    """A second debugging client of one browser, in addition to that of the tests."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last_id = 0
        self._replies: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._sessions: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = dict(places())
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
        """Attach to every target below this one, before it runs anything."""
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
        """Collect what has run since the last collection."""
        for session in list(self._sessions):
            with contextlib.suppress(TimeoutError):
                self._add(await self.ask("Profiler.takePreciseCoverage", session))

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _count(self, session: str) -> None:
        with contextlib.suppress(TimeoutError, ConnectionClosed):
            # Concurrently: some targets answer only once they run.
            await asyncio.gather(
                self.ask("Profiler.enable", session),
                self.ask("Profiler.startPreciseCoverage", session, callCount=True, detailed=True),
                self.attach_to_new(session),
                self.ask("Runtime.runIfWaitingForDebugger", session),
            )
            self._sessions.add(session)

    def _add(self, taken: dict[str, Any]) -> None:
        for script in taken.get("result", []):
            scheme, _, path = script["url"].partition("://")
            if scheme == "chrome-extension":
                self._add_file(path.partition("/")[2], script["functions"])
            elif not script["url"]:
                self._add_injected(script["functions"])

    def _add_file(self, file: str, functions: list[dict[str, Any]]) -> None:
        ranges = [one for function in functions for one in function["ranges"]]
        # If a function has run so has its module, maybe before we attached.
        self._note(file, ranges, around=any(one["count"] for one in ranges))

    def _add_injected(self, functions: list[dict[str, Any]]) -> None:
        """Add functions that were sent into a page as source text and have no URL: name and length identify them."""
        for injected in functions:
            start, end = extent(injected)
            if place := self._places.get((injected["functionName"], end - start)):
                file, moved = place[0], place[1] - start
                ranges = [
                    one | {"startOffset": one["startOffset"] + moved, "endOffset": one["endOffset"] + moved}
                    for function in functions
                    for one in function["ranges"]
                    if start <= one["startOffset"] and one["endOffset"] <= end
                ]
                self._note(file, ranges, around=False)

    def _note(self, file: str, ranges: list[dict[str, int]], *, around: bool) -> None:
        """Record which of these ranges of a file have run; code outside its functions has run if `around`."""
        units = bytearray([around]) * max((one["endOffset"] for one in ranges), default=0)
        # The inner ones come after the outer ones.
        for one in sorted(ranges, key=lambda one: (one["startOffset"], -one["endOffset"])):
            start, end = one["startOffset"], one["endOffset"]
            if start > 0:  # the module itself is recorded above
                units[start:end] = bytes([one["count"] > 0]) * (end - start)
            self.blocks.setdefault(file, set()).add((start, end))
        self.units[file] = either(self.units.get(file, b""), bytes(units))


def places() -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
    """Return, by a function's name and length, its file and where it starts there, for all top-level functions."""
    for path in EXTENSION.rglob("*.js"):
        source = path.read_text(encoding="utf-8")
        for found in FUNCTION.finditer(source):
            before, text = source[: found.start("text")], found["text"]
            size = len(text.encode("utf-16-le")) // 2
            file = path.relative_to(EXTENSION).as_posix()
            yield (found["name"], size), (file, len(before.encode("utf-16-le")) // 2)


def extent(function: dict[str, Any]) -> tuple[int, int]:
    """Return where the function starts and ends in its script."""
    return function["ranges"][0]["startOffset"], function["ranges"][0]["endOffset"]


@asynccontextmanager
async def counted(profile: Path) -> AsyncGenerator[None]:
    """Count what runs in the browser of this profile, which was started with `ARGUMENTS`, during the block."""
    if not FOLDER:
        yield
        return
    async with asyncio.timeout(PORT_S):
        while not (profile / "DevToolsActivePort").exists():  # noqa: ASYNC110 -- no event announces it
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
    """Merge two records of the same file: a unit has run if either says so."""
    size = max(len(one), len(other))
    both = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return both.to_bytes(size, "little")


async def looking(collector: Collector) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await asyncio.sleep(LOOK_S)
            await collector.look()
