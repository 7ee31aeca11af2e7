"""The same tasks by the same scripted agents with playwright-mcp, in one run: python -m bench.apps.peer [PROGRAM ...].

Its agent looks at the page by `browser_snapshot`, which is always whole, and keeps what it has seen until a reply says that
the page has changed. It needs no more looks than ours: where our agent waits by looking again, both do.
"""

import argparse
import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bench.apps.agent import Agent, Element, ToolError
from bench.apps.harness import TASK_S, Outcome, opened_driver
from bench.apps.installing import install
from bench.apps.programs import PROGRAMS, Site
from bench.apps.tasks import TASKS
from bench.apps.tasks.task import Task, checked
from bench.bridge import StdioClient, started
from bench.miniwob.tab import Tab
from demo.browser import chromium

NAME = "Linden"
# What both sides can be asked to do: the others need what the tree of names does not have (nodes of a drawing, cells of a
# canvas), and scripts for them would be written around that.
PROGRAMS_OF_BOTH = ("tiddlywiki",)
NODE = re.compile(
    r'^\s*- (?P<role>[\w-]+)(?: "(?P<name>(?:\\.|[^"\\])*)")?(?P<states>(?: \[[^\]]*\])*)(?:: ?(?P<text>.*))?$'
)
FIELDS = {"combobox", "searchbox", "slider", "spinbutton", "textbox"}
REF = re.compile(r"\[ref=(\w+)\]")
# Our words for roles that the tree calls otherwise; None: any.
THEIR_ROLES: dict[str, str | None] = {
    **dict.fromkeys(("clickable", "draggable", "summary", "text"), None),
    "number": "spinbutton",
    "select": "combobox",
}


class PeerTab(Tab):
    """A tab of playwright-mcp; calls and characters are counted as those of ours."""

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and return its text.

        Raises ToolError when the tool refuses.
        """
        client: StdioClient = self._client
        result = await client.request("tools/call", name=tool, arguments=arguments)
        said = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
        self.calls += 1
        self.read += len(said)
        if result.get("isError"):
            raise ToolError(f"{tool} {arguments}: {said}")
        return said

    async def say(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool and return its text."""
        return str(await self.call(tool, **arguments))


class PeerAgent(Agent):
    """The agent of the tasks, by the peer's tools: selectors are references into its snapshots."""

    async def look(self, find: str | None = None, within: str | None = None) -> list[Element]:
        """List the whole page, again for a while where it has not yet what is looked for: a snapshot has no search."""
        _ = within
        for pause in (0.5, 1, 2, 4, 0):
            self._elements = elements_of(await self.tab.say("browser_snapshot"))
            if not find or not pause or any(find.lower() in line_of(one).lower() for one in self._elements):
                break
            await asyncio.sleep(pause)
        return self._elements

    async def pick(self, name: str, *roles: str, find: str | None = None, at: int = 0) -> Element:
        """Find a node by role and name; roles that the tree does not have fit any."""
        theirs = [THEIR_ROLES.get(role, role) for role in roles]
        wanted = [] if None in theirs else [role for role in theirs if role]
        return await super().pick(name, *wanted, find=find if self._elements or find else "", at=at)

    async def act(self, tool: str, element: Element | None, /, **arguments: Any) -> dict[str, Any]:
        """Do what one of our tools does."""
        ref = {"target": element.selector} if element else {}
        if tool == "click":
            said = await self.tab.say("browser_click", **ref)
        elif tool == "fill":
            said = await self.tab.say("browser_type", **ref, text=str(arguments["value"]))
        elif tool == "press":
            said = await self.tab.say("browser_press_key", key=arguments["keys"])
        else:
            raise ToolError(f"{tool} has no counterpart among the peer's tools here")
        if "### Snapshot" in said:
            self._elements = []
        return {}

    async def fill_form(self, fields: Sequence[tuple[Element, Any]]) -> dict[str, Any]:
        """Write plain fields in one call, and choose what lists offer by clicks."""
        plain = [(element, value) for element, value in fields if element.role != "combobox"]
        kinds = {"checkbox": "checkbox", "radio": "radio", "slider": "slider"}
        given = [
            {
                "name": element.name or "field",
                "type": kinds.get(element.role, "textbox"),
                "target": element.selector,
                "value": str(value).lower() if isinstance(value, bool) else str(value),
            }
            for element, value in plain
        ]
        await self.tab.say("browser_fill_form", fields=given)
        for element, value in fields:
            if element.role == "combobox":
                for one in value if isinstance(value, list) else [value]:
                    await self.act("click", element)
                    await self.click(one, "option")
        return {}

    async def read(self, pattern: str, find: str | None = None) -> re.Match[str]:
        """Look until a line fits the pattern, which is about our lines."""
        _ = find
        end = time.monotonic() + TASK_S / 4
        while True:
            said = await self.tab.say("browser_snapshot")
            lines = "\n".join(line_of(element) for element in elements_of(said))
            match = re.search(pattern, lines) or re.search(pattern, said)
            if match:
                return match
            if time.monotonic() > end:
                raise ToolError(f"{pattern!r} is not in {lines[-2000:]!r}")
            await asyncio.sleep(1)

    async def is_gone(self, text: str, within_s: float) -> bool:
        """Wait until the page shows a text no more; the tool has a limit of its own."""
        _ = within_s
        try:
            await self.tab.say("browser_wait_for", textGone=text)
        except ToolError:
            return False
        self._elements = []
        return True

    async def wait(self, text: str) -> None:
        """Wait until the page shows a text."""
        await self.tab.say("browser_wait_for", text=text)


def elements_of(snapshot: str) -> list[Element]:
    """Read the nodes of a snapshot that have references; without a name they are known by their text, or by what is before."""
    found: list[Element] = []
    before = ""
    for line in snapshot.splitlines():
        node = NODE.match(line.rstrip())
        if not node:
            continue
        role, name, text = node["role"], node["name"] or "", (node["text"] or "").strip('"')
        ref = REF.search(node["states"])
        if ref and role in FIELDS:
            kind = "password" if "password" in name.lower() else role
            place = f'next to "{before}" ' if before and not name else ""
            found.append(Element(kind, name, place + (f'= "{text}"' if text else ""), ref[1]))
        elif ref:
            found.append(Element(role, name or text, "", ref[1]))
        before = name or text or before
    return found


def line_of(element: Element) -> str:
    """Write a node as our list writes it."""
    return f'{element.role} "{element.name}" {element.state}'.strip()


@asynccontextmanager
async def opened_peer(folder: Path) -> AsyncGenerator[StdioClient]:
    """Run playwright-mcp with a browser of its own for the time of the block."""
    environment = install("playwright-mcp", npm=["@playwright/mcp@>=0.0.83 <0.1"])
    program = str(environment / "node_modules" / ".bin" / "playwright-mcp")
    arguments = ["--executable-path", chromium(), "--headless", "--isolated", "--viewport-size=1280,800"]
    arguments += ["--no-sandbox"] * (os.geteuid() == 0)
    async with started(folder, os.environ, program, *arguments) as client:
        yield client


async def solve_by_peer(client: StdioClient, task: Task, site: Site) -> Outcome:
    """Let the peer's agent try a task."""
    begun = time.monotonic()
    tab = PeerTab(client, 0)
    report = trouble = ""
    try:
        async with asyncio.timeout(TASK_S):
            await tab.say("browser_navigate", url=site.address + task.path(site))
            report = await task.solve(PeerAgent(tab), site, NAME)
            await checked(task, site, NAME, report)
    except Exception as failure:  # noqa: BLE001  # whatever ends an agent is an outcome
        trouble = f"{type(failure).__name__}: {failure}"
    return Outcome(task, tab.calls, tab.read, time.monotonic() - begun, report, trouble)


async def run(programs: Sequence[str]) -> list[tuple[Outcome, Outcome]]:
    """Try the tasks of the programs with both, each with a fresh program; print a row for each task."""
    pairs: list[tuple[Outcome, Outcome]] = []
    with tempfile.TemporaryDirectory(prefix="peer-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        async with opened_driver(folder, None) as ours, opened_peer(folder) as theirs:
            for program in programs:
                tasks = [task for task in TASKS if task.program == program]
                with PROGRAMS[program].running(folder / f"{program}-ours") as site:
                    mine = [await ours.solve(task, site, NAME) for task in tasks]
                with PROGRAMS[program].running(folder / f"{program}-theirs") as site:
                    other = [await solve_by_peer(theirs, task, site) for task in tasks]
                for pair in zip(mine, other, strict=True):
                    pairs.append(pair)
                    print(row_of(pair), flush=True)
                    for side, one in zip(("ours", "theirs"), pair, strict=True):
                        if one.trouble:
                            print(f"{one.task.number}, {side}: {one.trouble}", file=sys.stderr, flush=True)
    return pairs


def row_of(pair: tuple[Outcome, Outcome]) -> str:
    """Give the row of a task."""
    mine, other = pair
    cells = [f"{one.calls} | {one.characters:,} | {'no' if one.trouble else 'yes'}" for one in pair]
    return f"| {mine.task.number} | {' | '.join(cells)} | {mine.characters / max(1, other.characters):.2f} |"


def main() -> int:
    """Compare what the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m bench.apps.peer", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS_OF_BOTH))
    given = parser.parse_args()
    print("| task | calls | characters | solved | their calls | their characters | solved | characters, ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    pairs = asyncio.run(run(given.programs or PROGRAMS_OF_BOTH))
    solved = [pair for pair in pairs if not any(one.trouble for one in pair)]
    sums = [[sum(getattr(pair[side], what) for pair in solved) for what in ("calls", "characters")] for side in (0, 1)]
    (calls, characters), (their_calls, their_characters) = sums
    print(
        f"\n{len(solved)} of {len(pairs)} tasks solved by both: {calls} calls with {characters:,} characters;", end=" "
    )
    print(f"playwright-mcp {their_calls} calls with {their_characters:,} characters.")
    return int(len(solved) < len(pairs))


if __name__ == "__main__":
    sys.exit(main())
