"""The tasks by our tools and by playwright-mcp's, in one run: python -m bench.apps.peer [PROGRAM ...].

Each side has its own scripts, as a good agent would use its tools: `bench.apps.tasks` and `bench.apps.peer_tasks`.
playwright-mcp does each task twice: it looks at the page by `browser_snapshot`, or searches it by `browser_find` where
the agent knows what to look for. Each attempt has a fresh program.
"""

import argparse
import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import TextIO

from bench.apps.harness import TASK_S, Driver, Outcome, opened_driver
from bench.apps.installing import install
from bench.apps.peer_agent import PeerAgent, PeerTab
from bench.apps.peer_tasks import PEER_TASKS
from bench.apps.programs import PROGRAMS, Site
from bench.apps.tasks import TASKS
from bench.apps.tasks.task import Task, checked
from bench.bridge import StdioClient, started
from demo.browser import chromium

NAME = "Linden"
SIDES = ("ours", "snapshots", "searches")


@asynccontextmanager
async def opened_peer(folder: Path) -> AsyncGenerator[StdioClient]:
    """Run playwright-mcp with a browser of its own for the time of the block."""
    environment = install("playwright-mcp", npm=["@playwright/mcp@>=0.0.83 <0.1"])
    program = str(environment / "node_modules" / ".bin" / "playwright-mcp")
    arguments = ["--executable-path", chromium(), "--headless", "--isolated", "--viewport-size=1280,800"]
    # Mouse tools for drawings, and the longest wait that ours has.
    arguments += ["--caps=vision", "--timeout-action=25000"]
    arguments += ["--no-sandbox"] * (os.geteuid() == 0)
    async with started(folder, os.environ, program, *arguments) as client:
        yield client


async def open_tab(client: StdioClient) -> None:
    """Give the next task its own tab, as with ours; replies list the open tabs, so the earlier one is closed."""
    opened = await client.request("tools/call", name="browser_tabs", arguments={"action": "new"})
    said = "\n".join(block["text"] for block in opened["content"])
    for _ in range(len(re.findall(r"^- \d+: ", said, re.MULTILINE)) - 1):
        await client.request("tools/call", name="browser_tabs", arguments={"action": "close", "index": 0})


async def solve_by_peer(
    client: StdioClient, task: Task, site: Site, *, searches: bool, transcript: TextIO | None
) -> Outcome:
    """Let the peer's agent try a task."""
    begun = time.monotonic()
    await open_tab(client)
    tab = PeerTab(client, 0)
    agent = PeerAgent(tab, searches=searches, transcript=transcript)
    report = trouble = ""
    try:
        async with asyncio.timeout(TASK_S):
            await agent.say("browser_navigate", url=site.address + task.path(site))
            report = await PEER_TASKS[task.number](agent, site, NAME)
            await checked(task, site, NAME, report)
    except Exception as failure:  # noqa: BLE001  # whatever ends an agent is an outcome
        trouble = f"{type(failure).__name__}: {failure}"
    return Outcome(task, tab.calls, tab.read, time.monotonic() - begun, report, trouble)


async def try_all(
    ours: Driver, theirs: StdioClient, program: str, folder: Path, transcript: TextIO | None
) -> list[tuple[Outcome, ...]]:
    """Try a program's tasks by each side, and return each task's outcomes in the order of `SIDES`."""
    tasks = [task for task in TASKS if task.program == program]
    tried: list[list[Outcome]] = []
    for side in SIDES:
        with PROGRAMS[program].running(folder / f"{program}-{side}") as site:
            if side == "ours":
                tried.append([await ours.solve(task, site, NAME) for task in tasks])
            else:
                searches = side == "searches"
                tried.append(
                    [
                        await solve_by_peer(theirs, task, site, searches=searches, transcript=transcript)
                        for task in tasks
                    ]
                )
    return list(zip(*tried, strict=True))


async def run(programs: Sequence[str], transcript: TextIO | None) -> list[tuple[Outcome, ...]]:
    """Try the tasks of the programs; print a row for each task, and failures on standard error."""
    results: list[tuple[Outcome, ...]] = []
    with tempfile.TemporaryDirectory(prefix="peer-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        async with opened_driver(folder, transcript) as ours, opened_peer(folder) as theirs:
            for program in programs:
                for outcomes in await try_all(ours, theirs, program, folder, transcript):
                    results.append(outcomes)
                    print(row_of(f"{outcomes[0].task.number} {program}", [outcomes]), flush=True)
                    for side, one in zip(SIDES, outcomes, strict=True):
                        if one.trouble:
                            print(f"{one.task.number}, {side}: {one.trouble}", file=sys.stderr, flush=True)
    return results


def row_of(name: str, results: Sequence[tuple[Outcome, ...]]) -> str:
    """Return the row of one task or of several: calls, characters, for the peer also ours divided by theirs."""
    cells: list[str] = []
    mine = 0
    for outcomes in zip(*results, strict=True):
        calls, characters = sum(one.calls for one in outcomes), sum(one.characters for one in outcomes)
        unsolved = sum(bool(one.trouble) for one in outcomes)
        cells += [f"{calls}{f' ({unsolved} not solved)' if unsolved else ''}", f"{characters:,}"]
        if mine:
            cells.append(f"{mine / max(1, characters):.2f}")
        mine = mine or characters
    return f"| {name} | {' | '.join(cells)} |"


def main() -> int:
    """Compare what the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m bench.apps.peer", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--transcript", type=Path, help="file for each call and its answer")
    given = parser.parse_args()
    print(
        "| task | our calls | characters | snapshots: calls | characters | ratio | searches: calls | characters | ratio |"
    )
    print(f"|{' --- |' * 9}")
    with given.transcript.open("w", encoding="utf-8") if given.transcript else nullcontext() as transcript:
        results = asyncio.run(run(given.programs or list(PROGRAMS), transcript))
    solved = [outcomes for outcomes in results if not any(one.trouble for one in outcomes)]
    print(row_of(f"{len(solved)} solved by all", solved))
    return int(len(solved) < len(results))


if __name__ == "__main__":
    sys.exit(main())
