"""A scripted agent: it acts only on what the tools have listed, found by role and name as a reader of the list would."""

import asyncio
import contextlib
import itertools
import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, TextIO, TypeVar

from bench.miniwob.tab import Element, Tab, ToolError, element_of

# A busy machine needs time; each look costs, so the intervals grow.
WAIT_S = 60
PAUSES_S = (0.5, 1, 2, 4)
# The longest wait of wait_for.
MOST_S = 25
WAITS = 3
LISTED = re.compile(r"with \d+ \w+: ([^;]*)")
OFFERED = re.compile(r'"([^"]*)" (\S[^,;]*?)(?=, "|;|$)')


class NotListedError(Exception):
    """No listed line has the role and the name that the agent is looking for."""


class Agent:
    """Drives one tab. A selector that no reply has shown is rejected before it is sent.

    It remembers the lines that were listed, and acts on them without another look: selectors remain valid when the page
    changes. A selector that no longer matches is an error of the tool.
    """

    def __init__(self, tab: Tab, transcript: TextIO | None = None) -> None:
        self.tab = tab
        self._transcript = transcript
        self._shown = ""
        self.latest = ""
        self.known: list[Element] = []

    async def say(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool and return its text."""
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            said = await self.tab.say(tool, **given)
        except ToolError as failure:
            self._note(f"> {failure}\n")
            raise
        self._note(f"> {tool} {json.dumps(given, ensure_ascii=False)}\n{said}\n")
        # In JSON a selector's quotes are escaped.
        self.latest = said.replace('\\"', '"')
        self._shown += f"{self.latest}\n"
        return said

    def _note(self, line: str) -> None:
        if self._transcript:
            self._transcript.write(line)
            self._transcript.flush()

    async def look(self, find: str | None = None, within: str | None = None) -> list[Element]:
        """List the page, or what fits. Without `find` and `within`, earlier lines are forgotten."""
        lines: list[str] = []
        offset: int | None = None
        while True:
            said = (await self.say("page_elements", find=find, within=within, offset=offset)).splitlines()
            lines += said[:-1]
            more = re.search(r"offset=(\d+)", said[-1])
            if more is None:
                break
            offset = int(more[1])
        self.latest = "\n".join(lines)
        found = [element for line in lines if (element := element_of(line))]
        if find is None and within is None:
            self.known = []
        self._remember(found)
        return found

    async def look_settled(self, find: str) -> list[Element]:
        """List what fits, again while the list says that the page is still loading, for `WAIT_S` seconds at most."""
        found: list[Element] = []
        async for _ in pauses():
            found = await self.look(find)
            if "still loading" not in self.latest:
                break
        return found

    def _remember(self, elements: Sequence[Element]) -> None:
        """Put new lines before the earlier ones."""
        new = {element.selector for element in elements}
        self.known = [*elements, *(element for element in self.known if element.selector not in new)]

    async def pick(self, name: str, *roles: str, find: str | None = None, at: int = 0) -> Element:
        """Find a line by role and name: among the known ones, else by listing what fits, until the page shows it.

        With `find` only new lines count, and these words are searched for instead of the name. `at` chooses among
        several lines of the same role and name, in the order of the list.

        Raises NotListedError after `WAIT_S` seconds.
        """
        found = chosen(self.known, name, roles, at) if find is None else None
        async for _ in pauses():
            found = found or chosen(await self.look(find or name), name, roles, at)
            if found:
                return found
        listed = [f"{element.role} {element.name}" for element in await self.look()]
        raise NotListedError(f"no {'/'.join(roles)} {name!r} among {listed}")

    def read_text(self, name: str) -> Element:
        """Return what has a text that a reply has shown, for a tool that finds it by `text=`.

        Raises NotListedError for a text that nothing has shown.
        """
        self.refuse_unlisted(name)
        return Element("", name, "", f"text={name}")

    async def act(self, tool: str, element: Element | None, /, **arguments: Any) -> dict[str, Any]:
        """Act on a listed element. What the reply offers by name and selector, such as menu items, is known then.

        Raises NotListedError for a selector that nothing has shown.
        """
        if element:
            self.refuse_unlisted(element.selector)
            arguments["selector"] = element.selector
        reply: dict[str, Any] = json.loads(await self.say(tool, **arguments))
        offered = OFFERED.findall(", ".join(LISTED.findall(reply.get("changed", ""))))
        self._remember([Element("", name.strip(), "", selector) for name, selector in offered])
        return reply

    def refuse_unlisted(self, selector: str) -> None:
        """Raise NotListedError for a selector that nothing has shown."""
        if selector.removeprefix("text=") not in self._shown:
            raise NotListedError(f"{selector} was not listed")

    async def click(self, name: str, *roles: str, at: int = 0, **arguments: Any) -> dict[str, Any]:
        """Click the element with this role and name."""
        return await self.act("click", await self.pick(name, *roles, at=at), **arguments)

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

    async def wait(self, text: str) -> Element:
        """Wait until the page shows a text, and return what has it; on a busy machine up to `WAITS` times.

        Raises ToolError if the page does not show it.
        """
        for _ in range(WAITS - 1):
            with contextlib.suppress(ToolError):
                return await self._wait_once(text)
        return await self._wait_once(text)

    async def _wait_once(self, text: str) -> Element:
        reply = json.loads(await self.say("wait_for", text=text, timeout=1000 * MOST_S))
        self._remember([Element("", text, "", reply["element"]["selector"])])
        return self.known[0]

    async def is_gone(self, text: str, within_s: float) -> bool:
        """Wait until the page shows a text no more; False when it still does after so many seconds."""
        try:
            await self.say("wait_for", gone=text, timeout=int(1000 * within_s))
        except ToolError:
            return False
        return True

    async def read(self, pattern: str, find: str | None = None) -> re.Match[str]:
        """Match the latest reply, else read until the page matches: its text, or with `find` the matching lines.

        Raises NotListedError after `WAIT_S` seconds.
        """
        if match := re.search(pattern, self.latest):
            return match
        async for _ in pauses():
            await (self.say("read_chrome_tab") if find is None else self.look(find))
            if match := re.search(pattern, self.latest):
                return match
        raise NotListedError(f"{pattern!r} is not in {self.latest[-2000:]!r}")


async def pauses() -> AsyncGenerator[None]:
    """Yield an attempt at once, and more of them with pauses between, for `WAIT_S` seconds."""
    end = asyncio.get_running_loop().time() + WAIT_S
    for pause in itertools.chain(PAUSES_S, itertools.repeat(PAUSES_S[-1])):
        yield
        if asyncio.get_running_loop().time() > end:
            return
        await asyncio.sleep(pause)


def chosen(elements: Sequence[Element], name: str, roles: Sequence[str], at: int) -> Element | None:
    """Return the line with this role and name, its own one first. What a reply has offered has no role, which fits any."""
    fitting = [element for element in elements if element.selector and (not roles or element.role in ("", *roles))]
    return best_named(sorted(fitting, key=lambda one: bool(name) and not one.name), name, at, name_of)


Named = TypeVar("Named")


def best_named(fitting: Sequence[Named], name: str, at: int, name_of: Callable[[Named], str]) -> Named | None:
    """Return one of these: an equal name before a longer one, of several the one at index `at`."""
    wanted = name.casefold()
    equal = [one for one in fitting if wanted in ("", name_of(one))]
    found = equal or sorted((one for one in fitting if wanted in name_of(one)), key=lambda one: len(name_of(one)))
    return found[at] if at < len(found) else None


def name_of(element: Element) -> str:
    """Return the name of a line; a field without one is known by the text next to it or by its column."""
    neighbour = re.match(r'(?:next to|in) "([^"]*)"', element.state)
    return (element.name or (neighbour[1] if neighbour else "")).strip().casefold()


__all__ = ["Agent", "Element", "NotListedError", "ToolError"]
