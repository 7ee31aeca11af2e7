"""A Chromium as users run it: its back/forward cache is on and only the extension debugs its tabs.

Playwright turns the cache off and enables its domains in every tab, which changes how pages leave their tabs.
"""

import asyncio
import itertools
import json
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from demo.browser import SUGGESTIONS, without
from tests.support.browser import chromium_arguments, chromium_path
from tests.support.polling import until

START_S = 30


class PlainChromium:
    """The browser's own connection: one request at a time."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._ids = itertools.count(1)

    async def ask(self, method: str, session: str | None = None, **params: object) -> Any:
        """Send a command of the Chrome DevTools Protocol and return its result."""
        message_id = next(self._ids)
        message = {"id": message_id, "method": method, "params": params}
        async with asyncio.timeout(START_S):
            await self._connection.send(json.dumps(message | ({"sessionId": session} if session else {})))
            while True:
                answer = json.loads(await self._connection.recv())
                if answer.get("id") == message_id:
                    return answer["result"]

    async def attached(self, target: str) -> str:
        """Return a session of a target."""
        return (await self.ask("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]

    async def evaluate(self, session: str, expression: str) -> Any:
        """Return the protocol's reply for an expression: `result`, and `exceptionDetails` if it threw."""
        return await self.ask("Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True)

    async def run_in_page(self, url: str, expression: str) -> Any:
        """Open a page, evaluate an expression there and leave the page open."""
        session = await self.attached((await self.ask("Target.createTarget", url=url))["targetId"])
        while True:
            answer = await self.evaluate(session, expression)
            # The first attempt may still hit the empty page before.
            if "exceptionDetails" not in answer:
                return answer["result"].get("value")

    async def run_in_worker(self, expression: str) -> None:
        """Evaluate an expression in the extension's service worker, which has to be running."""
        targets = (await self.ask("Target.getTargets"))["targetInfos"]
        (worker,) = [target["targetId"] for target in targets if target["type"] == "service_worker"]
        session = await self.attached(worker)
        answer = await self.evaluate(session, expression)
        assert "exceptionDetails" not in answer, answer
        await self.ask("Target.detachFromTarget", sessionId=session)

    async def close_welcome(self) -> None:
        """Close the page that the extension opens at installation: left open it would come before another one."""
        (welcome,) = await until(self._welcomes)
        await self.ask("Target.closeTarget", targetId=welcome)

    async def _welcomes(self) -> list[str]:
        targets = (await self.ask("Target.getTargets"))["targetInfos"]
        pages = [target for target in targets if target["url"].endswith("/ui/welcome/welcome.html")]
        # Closed before it has its texts, it would leave the whole extension without any.
        return [target["targetId"] for target in pages if target["title"] == "Chrome Tab Reader"]


async def address_in(profile: Path) -> str:
    """Return the address that the browser writes into its profile once it listens."""
    reported = profile / "DevToolsActivePort"
    async with asyncio.timeout(START_S):
        while not reported.is_file() or len(lines := reported.read_text().splitlines()) < 2:  # noqa: ASYNC110 - no event announces it
            await asyncio.sleep(0.05)
    return f"ws://127.0.0.1:{lines[0]}{lines[1]}"


@asynccontextmanager
async def plain_chromium(extension: Path, *arguments: str) -> AsyncGenerator[PlainChromium]:
    """Run Chromium headless with the extension and a fresh profile for the duration of the block.

    `arguments`: additional arguments for the browser, and an address to open.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            chromium_path(),
            "--headless=new",
            "--remote-debugging-port=0",
            f"--user-data-dir={folder}",
            f"--load-extension={extension}",
            f"--disable-extensions-except={extension}",
            *chromium_arguments(),
            without(SUGGESTIONS),  # Playwright's browser does this by default
            *arguments,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with connect(await address_in(Path(folder)), max_size=None) as connection:
                browser = PlainChromium(connection)
                await browser.close_welcome()
                yield browser
                await browser.ask("Browser.close")
            await asyncio.wait_for(process.wait(), START_S)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
