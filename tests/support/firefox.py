"""A real Firefox with the extension, controlled by its own WebDriver BiDi server."""

import asyncio
import itertools
import json
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from scripts import dist

# Each profile has its own; this one is fixed.
EXTENSION_HOST = "7c1c5b7e-9c0d-4d5e-8f43-0a2b6c8d9e10"
WAIT_S = 60
# An idle Firefox without a screen draws its window 60 times a second, which takes most of a core.
FRAMES_PER_S = 4


def firefox_path() -> str | None:
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """One browser. Values of a page are exchanged as JSON."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)

    async def do(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one command of the protocol; return its result."""
        command_id = next(self._ids)
        await self._socket.send(json.dumps({"id": command_id, "method": method, "params": params}))
        async with asyncio.timeout(WAIT_S):
            while (message := json.loads(await self._socket.recv())).get("id") != command_id:
                pass
        assert message["type"] == "success", message
        return message["result"]

    async def open(self, page: str) -> str:
        """Open a page of the extension in a tab; return the tab's id."""
        tab = (await self.do("browsingContext.create", type="tab"))["context"]
        url = f"moz-extension://{EXTENSION_HOST}/{page}"
        await self.do("browsingContext.navigate", context=tab, url=url, wait="complete")
        return tab

    async def value(self, tab: str, expression: str) -> Any:
        """Evaluate an expression in a tab's page and return its settled value."""
        reported = f"Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))"
        target = {"context": tab}
        answer = await self.do("script.evaluate", expression=reported, target=target, awaitPromise=True)
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])


@asynccontextmanager
async def firefox_with_extension(folder: Path) -> AsyncGenerator[Firefox]:
    """Run Firefox with the distributed package; `folder` is still empty."""
    path = firefox_path()
    assert path
    profile = folder / "profile"
    profile.mkdir()
    hosts = json.dumps({dist.FIREFOX_ID: EXTENSION_HOST})
    settings = {"extensions.webextensions.uuids": hosts, "layout.frame_rate": FRAMES_PER_S}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items()]
    (profile / "user.js").write_text("".join(lines))
    # The last one lets the protocol open pages of extensions.
    flags = ["--headless", "--no-remote", "--remote-debugging-port", "0", "--remote-allow-system-access"]
    process = await asyncio.create_subprocess_exec(
        path, *flags, "--profile", profile, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr
    draining: asyncio.Task[bytes] | None = None
    try:
        async with asyncio.timeout(WAIT_S):
            while " listening on " not in (line := (await process.stderr.readline()).decode()):
                assert line, "Firefox has ended"
        draining = asyncio.create_task(process.stderr.read())
        async with connect(f"{line.rpartition(' ')[2].strip()}/session", max_size=None) as socket:
            firefox = Firefox(socket)
            await firefox.do("session.new", capabilities={})
            package = str(await asyncio.to_thread(dist.firefox_package, folder))
            await firefox.do("webExtension.install", extensionData={"type": "archivePath", "path": package})
            yield firefox
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if draining:
            await draining
