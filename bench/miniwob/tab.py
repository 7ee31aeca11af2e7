"""What an agent has: one tab, the server's tools, and their replies."""

import asyncio
import base64
import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.miniwob.picture import Picture

LINE = re.compile(r'(?P<role>[\w-]+)(?: "(?P<name>.*?)"(?= |$))?(?P<state>.*?)(?:  (?P<selector>\S.*))?$')
LOOK = re.compile(r"(?:(\w+)(?: #([0-9a-f]{6}))? )?(\d+)x(\d+)(?: at (-?\d+),(-?\d+))?$")
SHAPE = re.compile(r"(?:circle|ellipse|rect|polygon|polyline|line|path|text)(?= .*\d+x\d+)")
# The machine may be slow, and polling without a pause would make it slower.
WAIT_S = 30
PAUSE_S = 0.1
STILL_S = 0.4


@dataclass(frozen=True)
class Look:
    """What a line states about a shape: a color's name, hexadecimal digits if it is not quite that, size and position."""

    colour: str
    digits: str
    width: int
    height: int
    x: int
    y: int

    @property
    def middle(self) -> tuple[float, float]:
        """The center, in the graphic."""
        return self.x + self.width / 2, self.y + self.height / 2


class ToolError(Exception):
    """A tool has failed; the text is its message."""


@dataclass(frozen=True)
class Element:
    """One line of `page_elements`; a landmark has no selector."""

    role: str
    name: str
    state: str
    selector: str

    @property
    def value(self) -> str:
        """The value of a field."""
        found = re.search(r'= "(.*)"', self.state)
        return found[1] if found else ""

    @property
    def look(self) -> Look | None:
        """The appearance of a shape; None for elements with text."""
        found = LOOK.search(self.state)
        if not found:
            return None
        colour, digits, *numbers = found.groups(default="")
        width, height, x, y = (int(number or 0) for number in numbers)
        return Look(colour, digits, width, height, x, y)


Target = Element | str
Point = tuple[float, float]


def element_of(line: str) -> Element | None:
    """Read one line of `page_elements`."""
    if line.startswith("# "):
        return Element("heading", line[2:], "", "")
    found = LINE.match(line.strip())
    if not found:
        return None
    state = found["state"].strip()
    # A shape that can be acted on says after that what it is.
    shape = SHAPE.match(state)
    return Element(shape[0] if shape else found["role"], found["name"] or "", state, found["selector"] or "")


def selector_of(target: Target) -> str:
    return target if isinstance(target, str) else target.selector


def named(elements: Sequence[Element], name: str, *roles: str, partly: bool = True) -> Element:
    """Return the element with this name: exact, else ignoring case, else (unless disabled) a partial match.

    Raises LookupError if there is none.
    """
    offered = [element for element in elements if element.selector and (not roles or element.role in roles)]
    wanted = name.strip().casefold()
    tests: list[Callable[[str], bool]] = [lambda said: said == name, lambda said: said.casefold() == wanted]
    if partly:
        offered.sort(key=lambda element: len(element.name))
        tests.append(lambda said: wanted in said.casefold())
    for test in tests:
        for element in offered:
            if test(element.name.strip()):
                return element
    raise LookupError(f"nothing is named {name!r} among {[element.name for element in offered]}")


class Tab:
    """The tab as its agent drives it; counts calls and the characters that the agent has read."""

    def __init__(self, client: Any, tab_id: int) -> None:
        self._client = client
        self._tab_id = tab_id
        self.calls = 0
        self.read = 0

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and return its result.

        Raises ToolError if the tool fails.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        result = await self._client.call_tool(tool, {"tab_id": self._tab_id, **given}, raise_on_error=False)
        said = "\n".join(block.text for block in result.content if block.type == "text")
        self.calls += 1
        self.read += len(said)
        if result.is_error:
            raise ToolError(f"{tool} {given}: {said}")
        return result

    async def say(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool and return its text."""
        result = await self.call(tool, **arguments)
        return "\n".join(block.text for block in result.content if block.type == "text")

    async def overview(self) -> list[Element]:
        """List the page as one call returns it."""
        said = (await self.say("page_elements")).splitlines()
        return [element for line in said[:-1] if (element := element_of(line))]

    async def look(self, find: str | None = None, within: str | None = None) -> list[Element]:
        """List the page, elements and the landmarks between them; completely if the overview leaves out texts."""
        lines: list[str] = []
        offset: int | None = None
        while True:
            said = (await self.say("page_elements", find=find, within=within, offset=offset)).splitlines()
            if not find and not within and "left out" in said[-1]:
                return await self.look(within="body")
            lines += said[:-1]
            more = re.search(r"offset=(\d+)", said[-1])
            if more is None:
                return [element for line in lines if (element := element_of(line))]
            offset = int(more[1])

    async def elements(self, *roles: str, find: str | None = None) -> list[Element]:
        """List the interactive elements with these roles."""
        listed = await self.look(find)
        return [element for element in listed if element.selector and (not roles or element.role in roles)]

    async def text(self) -> str:
        """Read the page's text."""
        return await self.say("read_chrome_tab")

    async def picture(self, selector: str | None = None) -> Picture:
        """Take a screenshot of the page, or of one element."""
        result = await self.call("screenshot", name="look", selector=selector)
        return Picture.of_png(base64.b64decode(next(block.data for block in result.content if block.type == "image")))

    async def click(self, target: Target, at: Point | None = None, count: int | None = None) -> str:
        """Click an element, or a point in it."""
        point = [round(side, 1) for side in at] if at else None
        return await self.say("click", selector=selector_of(target), at=point, count=count)

    async def named(self, name: str, *roles: str) -> Element:
        """Find the element with this name; plain text has a selector if it was searched for.

        Raises LookupError if there is none.
        """
        listed = await self.look()
        with contextlib.suppress(LookupError):
            return named(listed, name, *roles, partly=False)
        with contextlib.suppress(LookupError):
            return named(await self.look(find=name), name, *roles, partly=False)
        return named(listed, name, *roles)

    async def click_named(self, name: str, *roles: str) -> str:
        """Click the element with this name."""
        return await self.click(await self.named(name, *roles))

    async def fill(self, target: Target, value: str) -> str:
        """Write into a field."""
        return await self.say("fill", selector=selector_of(target), value=value)

    async def select(self, target: Target, value: str | list[str]) -> str:
        """Select options."""
        return await self.say("select", selector=selector_of(target), value=value)

    async def press(self, keys: str, target: Target | None = None) -> str:
        """Press keys, in an element or where the focus is."""
        return await self.say("press", keys=keys, selector=selector_of(target) if target else None)

    async def hover(self, target: Target) -> str:
        """Move the mouse over an element."""
        return await self.say("hover", selector=selector_of(target))

    async def scroll(self, target: Target, to: str) -> str:
        """Scroll an element to its top or bottom."""
        return await self.say("scroll", selector=selector_of(target), to=to)

    async def drag(
        self, source: Target, target: Target | None, start: Point | None = None, end: Point | None = None
    ) -> str:
        """Drag an element, or a point in it, onto another; without one the end is measured from the source."""
        return await self.say(
            "drag",
            source=selector_of(source),
            target=selector_of(target) if target else None,
            source_at=list(start) if start else None,
            target_at=list(end) if end else None,
        )

    async def until(
        self, test: Callable[[list[Element]], Any], find: str | None = None, within_s: float = WAIT_S
    ) -> Any:
        """List until the list matches; return what the test found.

        Raises TimeoutError after this many seconds.
        """
        async with asyncio.timeout(within_s):
            while not (found := test(await self.look(find))):  # noqa: ASYNC110 - no event announces it
                await asyncio.sleep(PAUSE_S)
        return found

    async def still(self) -> list[Element]:
        """List the page once it has been stable for a moment: parts slide open.

        Raises TimeoutError after `WAIT_S` seconds.
        """
        listed = await self.look()
        async with asyncio.timeout(WAIT_S):
            while True:
                await asyncio.sleep(STILL_S)
                before, listed = listed, await self.look()
                if listed == before:
                    return listed
