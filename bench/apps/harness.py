"""Each program in turn: started on loopback, driven through the real server in a real browser, its data checked."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from playwright.async_api import BrowserContext

from bench.apps.agent import Agent
from bench.apps.programs import Site
from bench.apps.tasks.task import Task, checked
from bench.driven import driven_browser
from bench.miniwob.tab import Tab

TASK_S = 400


@dataclass(frozen=True)
class Outcome:
    """The result of a task; `trouble` is empty if it was solved."""

    task: Task
    calls: int
    characters: int
    seconds: float
    report: str
    trouble: str


class Driver:
    """Our server with a browser that it drives."""

    def __init__(self, client: Any, browser: BrowserContext, transcript: TextIO | None) -> None:
        self._client = client
        self._browser = browser
        self._transcript = transcript

    async def solve(self, task: Task, site: Site, name: str) -> Outcome:
        """Let an agent try a task in its own tab."""
        begun = time.monotonic()
        async with self._browser.expect_page() as opened:
            created = await self._client.call_tool("browser_create_tab", {"url": site.address + task.path(site)})
        tab_id = (created.structured_content or {})["tab_id"]
        # Timers and animations of a background tab are slowed down.
        await (await opened.value).bring_to_front()
        tab = Tab(self._client, tab_id)
        # The agent has read the reply to the tab's creation.
        tab.calls, tab.read = 1, len(str(created.structured_content))
        report = trouble = ""
        try:
            async with asyncio.timeout(TASK_S):
                report = await task.solve(Agent(tab, self._transcript), site, name)
                await checked(task, site, name, report)
        except Exception as failure:  # noqa: BLE001  # whatever ends an agent is an outcome
            trouble = f"{type(failure).__name__}: {failure}"
        seconds = time.monotonic() - begun
        await self._client.call_tool("browser_close_tab", {"tab_id": tab_id}, raise_on_error=False)
        return Outcome(task, tab.calls, tab.read, seconds, report, trouble)


@asynccontextmanager
async def opened_driver(folder: Path, transcript: TextIO | None) -> AsyncGenerator[Driver]:
    """Run the server, and a browser with the extension, for the duration of the block."""
    async with driven_browser(folder) as (client, browser):
        yield Driver(client, browser, transcript)
