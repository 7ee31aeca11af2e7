"""Episodes of MiniWoB++ in a real browser, driven through the real server."""

import asyncio
import functools
import importlib.util
import json
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page

from bench.miniwob.agents import Agent
from bench.miniwob.tab import Tab
from demo.web import QuietHandler, WebServer, serving

# An agent that is stuck does not delay the others.
EPISODE_S = 120
REWARD_S = 10
# The pages otherwise end an episode after 10 s, and a cover lies over them until it begins. Their own statistics and
# the overlay that shows clicks are not part of a task: MiniWoB++ does not show them to agents either. Until a page is
# rendered, which takes longer on a busy machine, the browser may drop mouse input.
START = """async seed => {
  Math.seedrandom(seed);
  core.EPISODE_MAX_TIME = 1e6;
  core.startEpisodeReal();
  const own = "#reward-display, #click-canvas { display: none !important }";
  document.head.append(Object.assign(document.createElement("style"), { textContent: own }));
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
}"""
GOAL = "(said => said.utterance ?? said)(core.getUtterance())"
IS_DONE = "WOB_DONE_GLOBAL"
REWARD = "WOB_DONE_GLOBAL ? WOB_RAW_REWARD_GLOBAL : 0"
FLIGHTS = ("AA", "Alaska", "Alaska-auto", "Alaska-auto-medium")


@dataclass(frozen=True)
class Outcome:
    """The result of an episode; `said` is empty if it was solved."""

    task: str
    seed: int
    is_solved: bool
    calls: int
    read: int
    said: str


def pages_folder() -> Path:
    """Find the installed pages without importing their package, which would need its own browser driver.

    Raises RuntimeError if they are not installed.
    """
    found = importlib.util.find_spec("miniwob")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("The pages of MiniWoB++ are missing. Run scripts/setup, then try again.")
    return Path(found.submodule_search_locations[0]) / "html"


def task_names() -> list[str]:
    """Return the names of all kinds of tasks."""
    return sorted(path.stem for path in (pages_folder() / "miniwob").glob("*.html")) + list(FLIGHTS)


def path_of(task: str) -> str:
    return f"flight/{task}/wrapper.html" if task in FLIGHTS else f"miniwob/{task}.html"


@contextmanager
def served_pages() -> Generator[str]:
    """Serve the pages on loopback; yield the address."""
    handler = functools.partial(QuietHandler, directory=pages_folder())
    with serving(WebServer(handler)) as address:
        yield address


class Bench:
    """One tab for consecutive episodes."""

    def __init__(self, client: Any, page: Page, tab_id: int, address: str) -> None:
        self._client = client
        self._page = page
        self._tab_id = tab_id
        self._address = address

    async def episode(self, task: str, seed: int, agent: Agent) -> Outcome:
        """Let an agent try a task."""
        await self._page.goto(self._address + path_of(task))
        await self._page.evaluate(START, seed)
        await self._page.wait_for_function("WOB_TASK_READY")
        goal = await self._page.evaluate(GOAL)
        tab = Tab(self._client, self._tab_id)
        said = ""
        try:
            async with asyncio.timeout(EPISODE_S):
                await agent(tab, goal if isinstance(goal, str) else json.dumps(goal))
                await self._wait_for_reward()
        except Exception as failure:  # noqa: BLE001  # whatever ends an agent is an outcome
            said = f"{type(failure).__name__}: {failure}"
        reward = await self._page.evaluate(REWARD)
        is_solved = reward > 0
        said = "" if is_solved else said or f"reward {reward}"
        return Outcome(task, seed, is_solved, tab.calls, tab.read, f"{goal} | {said}" if said else "")

    async def _wait_for_reward(self) -> None:
        async with asyncio.timeout(REWARD_S):
            await self._page.wait_for_function(IS_DONE, timeout=0)


@asynccontextmanager
async def opened_bench(client: Any, browser: BrowserContext) -> AsyncGenerator[Bench]:
    """Serve the pages, and open an attached tab in a driven browser, for the duration of the block."""
    with served_pages() as address:
        async with browser.expect_page() as opened:
            created = await client.call_tool("browser_create_tab", {"url": address + path_of("click-test")})
        tab_id = (created.structured_content or {})["tab_id"]
        page = await opened.value
        # Timers and animations are slowed down where no user sees them.
        await page.bring_to_front()
        yield Bench(client, page, tab_id, address)
        await page.close()
