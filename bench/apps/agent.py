"""A scripted agent: it acts only on what the tools have listed, found by role and name as a reader of the list would."""

import asyncio
import itertools
import json
import re
from collections.abc import AsyncGenerator, Sequence
from typing import Any, TextIO

from bench.miniwob.tab import Element, Tab, ToolError, element_of

# A busy machine needs time; each look costs, so the intervals grow.
WAIT_S = 60
PAUSES_S = (0.5, 1, 2, 4)
# The longest wait of wait_for.
MOST_S = 25
OFFERED = re.compile(r'"([^"]*)" (\S[^,;]*?)(?=, "|;|$)')


class NotListedError(Exception):
    """No listed line has the role and the name that the agent is looking for."""


class Agent:
    """Drives one tab. A selector that no reply has shown is rejected before it is sent."""

    def __init__(self, tab: Tab, transcript: TextIO | None = None) -> None:
        self.tab = tab
        self._transcript = transcript
        self._shown = ""
        self._elements: list[Element] = []

    async def say(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool and return its text."""
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            said = await self.tab.say(tool, **given)
        except ToolError as failure:
            self._note(f"> {failure}\n")
            raise
        self._note(f"> {tool} {json.dumps(given, ensure_ascii=False)}\n{said}\n")
        self._shown += f"{said}\n"
        # In JSON a selector's quotes are escaped.
        self._shown += said.replace('\\"', '"')
        return said

    def _note(self, line: str) -> None:
        if self._transcript:
            self._transcript.write(line)
            self._transcript.flush()

    async def look(self, find: str | None = None, within: str | None = None) -> list[Element]:
        """List the page, or what fits; the next names are searched in these lines."""
        lines: list[str] = []
        offset: int | None = None
        while True:
            said = (await self.say("page_elements", find=find, within=within, offset=offset)).splitlines()
            lines += said[:-1]
            more = re.search(r"offset=(\d+)", said[-1])
            if more is None:
                break
            offset = int(more[1])
        self._elements = [element for line in lines if (element := element_of(line))]
        return self._elements

    async def pick(self, name: str, *roles: str, find: str | None = None, at: int = 0) -> Element:
        """Find a line by role and name: in the last list, else with `find`, until the page shows it.

        `find` defaults to the name; with an empty one the whole page is listed. `at` chooses among several lines of the
        same role and name, in the order of the list.

        Raises NotListedError after `WAIT_S` seconds.
        """
        found = chosen(self._elements, name, roles, at) if find is None else None
        find = None if find == "" else (find or name)
        async for _ in pauses():
            found = found or chosen(await self.look(find), name, roles, at)
            if found:
                return found
        listed = [f"{element.role} {element.name}" for element in await self.look()]
        raise NotListedError(f"no {'/'.join(roles)} {name!r} among {listed}")

    async def within(self, element: Element, *roles: str) -> Element:
        """List the contents of a listed element and return the first line with one of these roles.

        Raises NotListedError if there is none.
        """
        self.refuse_unlisted(element.selector)
        found = chosen(await self.look(within=element.selector), "", roles, 0)
        if found is None:
            raise NotListedError(f"no {'/'.join(roles)} in {element.selector}")
        return found

    async def act(self, tool: str, element: Element | None, /, **arguments: Any) -> dict[str, Any]:
        """Act on a listed element; its changes make the list stale.

        Raises NotListedError for a selector that nothing has shown.
        """
        if element:
            self.refuse_unlisted(element.selector)
            arguments["selector"] = element.selector
        reply: dict[str, Any] = json.loads(await self.say(tool, **arguments))
        if reply.get("changed"):
            self._elements = []
        return reply

    def refuse_unlisted(self, selector: str) -> None:
        """Raise NotListedError for a selector that nothing has shown."""
        if selector not in self._shown:
            raise NotListedError(f"{selector} was not listed")

    async def click(self, name: str, *roles: str, at: int = 0, **arguments: Any) -> dict[str, Any]:
        """Click the element with this role and name."""
        return await self.act("click", await self.pick(name, *roles, at=at), **arguments)

    async def choose(self, reply: dict[str, Any], name: str, *roles: str) -> dict[str, Any]:
        """Click what the previous reply offered by name and selector, such as a menu item; else what is listed."""
        for offered, selector in OFFERED.findall(reply.get("changed", "")):
            if offered.strip() == name:
                return await self.act("click", Element("", name, "", selector))
        return await self.click(name, *roles)

    async def fill(self, name: str, value: str, *roles: str, at: int = 0) -> dict[str, Any]:
        """Write into the field with this name."""
        return await self.act("fill", await self.pick(name, *roles, at=at), value=value)

    async def fill_form(self, fields: Sequence[tuple[Element, Any]]) -> dict[str, Any]:
        """Write several listed fields in one call."""
        for element, _ in fields:
            self.refuse_unlisted(element.selector)
        listed = [{"selector": element.selector, "value": value} for element, value in fields]
        return await self.act("fill_form", None, fields=listed)

    async def press(self, keys: str, element: Element | None = None) -> dict[str, Any]:
        """Press keys in a listed element, or where the focus is."""
        return await self.act("press", element, keys=keys)

    async def wait(self, text: str) -> None:
        """Wait until the page shows a text."""
        await self.say("wait_for", text=text, timeout=1000 * MOST_S)

    async def read(self, pattern: str, find: str | None = None) -> re.Match[str]:
        """Read until the page matches the pattern: its text, or with `find` the matching lines.

        Raises NotListedError after `WAIT_S` seconds.
        """
        said = ""
        async for _ in pauses():
            said = await (self.say("read_chrome_tab") if find is None else self.say("page_elements", find=find))
            match = re.search(pattern, said)
            if match:
                return match
        raise NotListedError(f"{pattern!r} is not in {said[-2000:]!r}")


async def pauses() -> AsyncGenerator[None]:
    """Yield an attempt at once, and more of them with pauses between, for `WAIT_S` seconds."""
    end = asyncio.get_running_loop().time() + WAIT_S
    for pause in itertools.chain(PAUSES_S, itertools.repeat(PAUSES_S[-1])):
        yield
        if asyncio.get_running_loop().time() > end:
            return
        await asyncio.sleep(pause)


def chosen(elements: Sequence[Element], name: str, roles: Sequence[str], at: int) -> Element | None:
    """Return the line with this role and name: an equal name before a longer one, of several the one at index `at`."""
    wanted = name.casefold()
    fitting = [element for element in elements if element.selector and (not roles or element.role in roles)]
    equal = [element for element in fitting if wanted in ("", name_of(element))]
    found = equal or sorted((one for one in fitting if wanted in name_of(one)), key=lambda one: len(name_of(one)))
    return found[at] if at < len(found) else None


def name_of(element: Element) -> str:
    """Return the name of a line; a field without one is known by the text next to it."""
    neighbour = re.match(r'next to "([^"]*)"', element.state)
    return (element.name or (neighbour[1] if neighbour else "")).strip().casefold()


__all__ = ["Agent", "Element", "NotListedError", "ToolError"]
