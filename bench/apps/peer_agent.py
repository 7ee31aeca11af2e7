"""A scripted agent that drives playwright-mcp: it acts on references that its tools' replies have shown."""

import asyncio
import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO

from bench.apps.agent import WAITS, best_named
from bench.bridge import StdioClient
from bench.miniwob.tab import Tab, ToolError

# A line of a snapshot; lines with special characters are quoted as YAML demands.
NODE = re.compile(
    r"^\s*- '?(?P<role>[\w-]+)(?: \"(?P<name>(?:\\.|[^\"\\])*)\")?(?P<states>(?: \[[^\]]*\])*)'?(?:: ?(?P<text>.*))?$"
)
FIELDS = {"combobox", "searchbox", "slider", "spinbutton", "textbox"}
NAMED = {"button", "link", "menuitem", "option", "tab"}
REF = re.compile(r"\[ref=(\w+)\]")
LOOKS = 12
PAUSE_S = 2


@dataclass(frozen=True)
class Node:
    """A node of the page's accessibility tree; without a name it has its text, or for a field the text before it."""

    role: str
    name: str
    text: str
    ref: str


class PeerTab(Tab):
    """A tab of playwright-mcp; calls and characters are counted as those of ours."""

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and return its text.

        Raises ToolError when the tool fails.
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


class PeerAgent:
    """Looks at the page by `browser_snapshot`, or with `searches` by `browser_find` where it knows what to look for.

    It keeps the references that it has seen: they are valid as long as the page keeps the element.
    """

    def __init__(self, tab: PeerTab, *, searches: bool = False, transcript: TextIO | None = None) -> None:
        self.tab = tab
        self._searches = searches
        self._transcript = transcript
        self.latest = ""
        self._known: list[Node] = []

    async def say(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool and return its text."""
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            self.latest = await self.tab.say(tool, **given)
        except ToolError as failure:
            self.latest = str(failure)
            raise
        finally:
            if self._transcript:
                print(f"> {tool} {given}\n{self.latest}", file=self._transcript, flush=True)
        return self.latest

    async def look(self) -> list[Node]:
        """Take a snapshot of the whole page."""
        self._known = nodes_of(await self.say("browser_snapshot"))
        return self._known

    async def see(self, text: str) -> list[Node]:
        """Look for a text: by a search, or by a snapshot."""
        if not self._searches:
            return await self.look()
        found = nodes_of(await self.say("browser_find", text=text))
        new = {node.ref for node in found}
        self._known = [*found, *(node for node in self._known if node.ref not in new)]
        return found

    async def pick(self, name: str, *roles: str, at: int = 0, find: str | None = None) -> Node:
        """Find a node by role and name: among the known ones, else by looking until the page shows it.

        With `find` only new nodes count, and this text is searched for.

        Raises ToolError if the page does not show it.
        """
        node = chosen(self._known, name, roles, at) if find is None else None
        for attempt in range(LOOKS):
            if node:
                return node
            if attempt:
                await asyncio.sleep(PAUSE_S)
            node = chosen(await self.see(find or name), name, roles, at)
        raise ToolError(f"no {'/'.join(roles)} {name!r} in {self.latest[-2000:]}")

    async def click(self, name: str, *roles: str, at: int = 0, find: str | None = None, **arguments: Any) -> str:
        """Click the node with this role and name."""
        node = await self.pick(name, *roles, at=at, find=find)
        return await self.say("browser_click", target=node.ref, **arguments)

    async def type(self, name: str, text: str, *roles: str, **arguments: Any) -> str:
        """Write into the field with this name."""
        node = await self.pick(name, *roles)
        return await self.say("browser_type", target=node.ref, text=text, **arguments)

    async def fill_form(self, fields: Sequence[tuple[Node, str, str]]) -> str:
        """Write several fields, each with its kind and its value, in one call."""
        given = [
            {"name": node.name or "field", "type": kind, "target": node.ref, "value": value}
            for node, kind, value in fields
        ]
        return await self.say("browser_fill_form", fields=given)

    async def press(self, key: str) -> str:
        """Press a key where the focus is."""
        return await self.say("browser_press_key", key=key)

    async def wait(self, text: str) -> str:
        """Wait until the page shows a text; on a busy machine up to `WAITS` times.

        Raises ToolError if the page does not show it.
        """
        for _ in range(WAITS - 1):
            with contextlib.suppress(ToolError):
                return await self.say("browser_wait_for", text=text)
        return await self.say("browser_wait_for", text=text)

    async def read(self, pattern: str, find: str | None = None) -> re.Match[str]:
        """Match the latest reply, else look until the page matches; a search is for `find`, or for the pattern itself.

        Raises ToolError if it does not.
        """
        for attempt in range(LOOKS):
            if match := re.search(pattern, self.latest):
                return match
            if attempt > 1:
                await asyncio.sleep(PAUSE_S)
            if self._searches:
                await self.say("browser_find", text=find, regex=None if find else pattern)
            else:
                await self.look()
        raise ToolError(f"{pattern!r} is not in {self.latest[-2000:]}")


def nodes_of(snapshot: str) -> list[Node]:
    """Read the nodes of a snapshot that have references."""
    found: list[Node] = []
    before, nameless = "", 0
    for line in snapshot.splitlines():
        node = NODE.match(line.rstrip())
        if not node:
            continue
        role, name, text = node["role"], node["name"] or "", (node["text"] or "").strip("\"'")
        said, indent = name or text, len(line) - len(line.lstrip())
        if nameless and indent > nameless and said:
            found[-1] = replace(found[-1], name=said)
        if ref := REF.search(node["states"]):
            found.append(Node(role, name or (before if role in FIELDS else text), text, ref[1]))
        # Buttons whose text is in a child.
        nameless = indent if ref and not said and role in NAMED else 0
        before = said or before
    return found


def chosen(nodes: Sequence[Node], name: str, roles: Sequence[str], at: int) -> Node | None:
    """Return the node with this role and name."""
    fitting = [node for node in nodes if not roles or node.role in roles]
    return best_named(fitting, name, at, lambda node: node.name.strip().casefold())
