"""Some of the tasks with playwright-mcp, for its calls and characters: python -m bench.apps.playwright.

Its agents act by the references of its snapshots, and take one only where the last has not shown what they need.
"""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.apps.agent import pauses
from bench.apps.installing import install
from bench.apps.programs import PROGRAMS, Site
from bench.apps.tasks import TASKS
from bench.apps.tasks.task import Task, checked
from bench.bridge import StdioClient, started
from demo.browser import chromium

NAME = "Willow"
LINE = re.compile(r'- (?P<role>[a-z]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?.*\[ref=(?P<ref>\w+)\](?P<rest>.*)')
PACKAGE = "@playwright/mcp@>=0.0.83 <0.1"


@dataclass(frozen=True)
class Node:
    """A line of a snapshot."""

    role: str
    name: str
    ref: str
    rest: str


class Snapshots:
    """Drives the tab of a playwright-mcp; counts calls and the characters that they answer."""

    def __init__(self, client: StdioClient) -> None:
        self._client = client
        self._nodes: list[Node] = []
        self.text = ""
        self.calls = 0
        self.characters = 0

    async def call(self, tool: str, **arguments: object) -> str:
        """Call a tool and return its text.

        Raises RuntimeError when the tool refuses.
        """
        result = await self._client.request("tools/call", name=tool, arguments=arguments)
        said = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
        self.calls += 1
        self.characters += len(said)
        if result.get("isError"):
            raise RuntimeError(said[:500])
        return said

    async def look(self) -> None:
        """Take a snapshot."""
        self.text = await self.call("browser_snapshot")
        found = [LINE.search(line) for line in self.text.splitlines()]
        self._nodes = [Node(one["role"], one["name"] or "", one["ref"], one["rest"]) for one in found if one]

    async def node(self, role: str, name: str) -> Node:
        """Give a node by its role and the start of its name, from the last snapshot if it has one."""

        def fits(one: Node) -> bool:
            return one.role == role and one.name.startswith(name)

        found = next(filter(fits, self._nodes), None)
        async for _ in pauses():
            if found:
                return found
            await self.look()
            found = next(filter(fits, self._nodes), None)
        raise LookupError(f"no {role} {name!r} in {self.text[:2000]}")

    async def click(self, role: str, name: str) -> None:
        """Click a node."""
        node = await self.node(role, name)
        await self.call("browser_click", element=name, target=node.ref)

    async def type(self, role: str, name: str, text: str, *, submit: bool = False) -> None:
        """Write into a node."""
        node = await self.node(role, name)
        await self.call("browser_type", element=name, target=node.ref, text=text, submit=submit)

    async def fill_form(self, values: dict[str, str]) -> None:
        """Write into several text fields, by their names."""
        nodes = [(await self.node("textbox", name), value) for name, value in values.items()]
        fields = [{"target": one.ref, "name": one.name, "type": "textbox", "value": value} for one, value in nodes]
        await self.call("browser_fill_form", fields=fields)

    async def read(self, pattern: str) -> str:
        """Take snapshots until one shows what fits the pattern; return its group."""
        async for _ in pauses():
            await self.look()
            match = re.search(pattern, self.text)
            if match:
                return match[1]
        raise LookupError(f"{pattern!r} is not in {self.text[:2000]}")


async def write_recipe(agent: Snapshots, name: str) -> str:
    await agent.click("button", "new tiddler")
    await agent.type("textbox", "Type the text", "Two eggs")
    title = await agent.read(r"textbox \[active\] \[ref=(\w+)\]")
    await agent.call("browser_type", element="title", target=title, text=f"Recipe {name}")
    await agent.type("textbox", "tag name", "food", submit=True)
    await agent.click("button", "Confirm changes")
    await agent.type("searchbox", "", "eggs")
    return await agent.read(r"(\d+) matches")


async def change_looks(agent: Snapshots, name: str) -> str:
    await agent.click("button", "control panel")
    subtitle = await agent.read(r'cell "a non-linear.*\n\s*- textbox \[ref=(\w+)\]')
    await agent.call("browser_type", element="subtitle", target=subtitle, text=f"notes of {name}")
    await agent.click("tab", "Appearance")
    await agent.click("tab", "Palette")
    await agent.click("link", "Contrast (Dark)")
    return "Contrast (Dark)"


async def sign_in(agent: Snapshots) -> None:
    await agent.fill_form({"Username": "admin", "Password": "pw-admin-1"})
    await agent.click("button", "Sign in")


async def publish_news(agent: Snapshots, name: str) -> str:
    await sign_in(agent)
    await agent.click("link", "1 Page")
    await agent.click("link", "Add child page")
    await agent.type("textbox", "Title*", f"News {name}")
    await agent.click("tab", "Promote")
    slug = await agent.read(r'textbox "Slug\*".*: ([\w-]+)')
    await agent.click("button", "More actions")
    await agent.click("button", "Publish")
    status = (await agent.read(rf"News {name}[\s\S]*?status: (\w+)")).lower()
    await agent.click("button", f"More options for 'News {name}'")
    await agent.click("link", "Unpublish")
    await agent.click("button", "Yes, unpublish")
    return f"{slug}, {status}"


async def add_editor(agent: Snapshots, name: str) -> str:
    # Its browser has signed in with the task before.
    await agent.click("button", "Settings")
    await agent.click("link", "Users")
    await agent.click("link", "Add a user")
    texts = {"Username": f"editor{name}", "Email": f"editor{name}@example.com", "First Name": "Ed", "Last Name": "Itor"}
    passwords = {"Password*": "Winter-2026-xyz", "Password confirmation": "Winter-2026-xyz"}
    await agent.fill_form({**texts, **passwords})
    await agent.click("tab", "Roles")
    await agent.click("checkbox", "Editors")
    await agent.click("button", "Create")
    return await agent.read(r"(\d+ users)")


async def book(agent: Snapshots, _name: str) -> str:
    await agent.type("textbox", "Guest", "Ada")
    await agent.click("combobox", "Room")
    await agent.click("option", "Double")
    await agent.type("spinbutton", "number input for Nights", "5")
    await agent.click("checkbox", "Breakfast")
    for extra in ("Boat trip", "Sauna"):
        await agent.click("combobox", "Extras")
        await agent.click("option", extra)
    await agent.type("textbox", "YYYY-MM-DD", "2026-12-24", submit=True)
    await agent.click("button", "Book")
    confirmation = await agent.read(r"(Booking \d+ for [^\n\"]*EUR)")
    await agent.click("tab", "Contact")
    await agent.click("radio", "Complaint")
    await agent.type("textbox", "Message", "The tap drips.")
    await agent.click("button", "Send")
    return f"{confirmation} | {await agent.read(r'(Ticket T-.*Complaint.)')}"


Solve = Callable[[Snapshots, str], Awaitable[str]]
SOLVED: dict[str, Solve] = {"A5": write_recipe, "A6": change_looks, "B1": publish_news, "B2": add_editor, "B3": book}


@asynccontextmanager
async def opened_client(folder: Path) -> AsyncGenerator[StdioClient]:
    """Run playwright-mcp with a browser of its own for the time of the block."""
    program = install("playwright-mcp", npm=(PACKAGE,)) / "node_modules" / ".bin" / "playwright-mcp"
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    arguments = ["--executable-path", chromium(), "--headless", "--isolated", *sandbox]
    async with started(folder, os.environ, str(program), *arguments) as client:
        yield client


async def solve(client: StdioClient, task: Task, site: Site) -> None:
    """Try a task and print its row."""
    agent = Snapshots(client)
    trouble = ""
    try:
        await agent.call("browser_navigate", url=site.address + task.path(site))
        report = await SOLVED[task.number](agent, NAME)
        await checked(task, site, NAME, report)
    except Exception as failure:  # noqa: BLE001  # whatever ends an agent is an outcome
        trouble = f"{type(failure).__name__}: {failure}"
    solved = "no" if trouble else "yes"
    print(f"| {task.number} | {task.program} | {solved} | {agent.calls} | {agent.characters:,} |", flush=True)
    if trouble:
        print(f"{task.number}: {trouble}", file=sys.stderr, flush=True)


async def main() -> None:
    """Go through the programs."""
    print("| task | program | solved | calls | characters |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="apps-", ignore_cleanup_errors=True) as folder:
        async with opened_client(Path(folder)) as client:
            for name in dict.fromkeys(task.program for task in TASKS if task.number in SOLVED):
                with ExitStack() as stack:
                    site = await asyncio.to_thread(stack.enter_context, PROGRAMS[name].running(Path(folder) / name))
                    for task in (task for task in TASKS if task.program == name and task.number in SOLVED):
                        await solve(client, task, site)


if __name__ == "__main__":
    asyncio.run(main())
