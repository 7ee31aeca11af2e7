"""Helpers for several families of agents: words of the goal, numbers, labels."""

import re
from collections.abc import Callable, Iterable

from bench.miniwob.tab import Element, Tab

FIELDS = ("textbox", "searchbox", "spinbutton", "combobox", "number", "password", "date", "time")


def quoted(goal: str) -> list[str]:
    """Return the text in quotation marks."""
    return re.findall(r'"([^"]*)"', goal)


def ordinal(goal: str) -> int:
    """Return the index that "1st", "2nd" ... name."""
    found = re.search(r"(\d+)(?:st|nd|rd|th)\b", goal)
    if not found:
        raise LookupError("the goal names no place")
    return int(found[1]) - 1


def shortest(elements: Iterable[Element]) -> Element | None:
    """Return the element with the shortest name, which is not a frame around the others, or None."""
    return min(elements, key=lambda element: len(element.name), default=None)


def squeezed(text: str) -> str:
    return " ".join(text.split())


async def lines_below_goal(tab: Tab, goal: str) -> list[str]:
    """Read the page's lines after the goal."""
    lines = [line if "\t" in line else squeezed(line) for line in (await tab.text()).splitlines() if line.strip()]
    ends = [number for number, line in enumerate(lines) if squeezed(goal).endswith(squeezed(line))]
    return lines[ends[0] + 1 :] if ends else lines


def labelled(listed: list[Element], *roles: str) -> list[tuple[str, Element]]:
    """Return each field with its name, else the text before it, or after it where fields come first."""
    fields = [line for line, element in enumerate(listed) if element.selector and element.role in (roles or FIELDS)]
    is_below = fields and not any(not element.selector for element in listed[: fields[0]])
    pairs: list[tuple[str, Element]] = []
    for line in fields:
        others = listed[line + 1 :] if is_below else listed[line - 1 :: -1] if line else []
        text = next((element.name for element in others if not element.selector and element.name), "")
        pairs.append((listed[line].name or text, listed[line]))
    return pairs


async def take_suggestion(tab: Tab, field: Element, typed: str, fits: Callable[[str], bool]) -> None:
    """Type, wait for a matching suggestion, and reach it by keys: such lists move under the mouse."""
    known = {element.selector for element in await tab.look()}
    await tab.press(f'"{typed}"', field)

    def offered(listed: list[Element]) -> int:
        names = [element.name for element in listed if element.selector not in known]
        return next((place for place, name in enumerate(names, 1) if fits(name)), 0)

    await tab.press(" ".join(["ArrowDown"] * await tab.until(offered)) + " Enter")


async def submit(tab: Tab, name: str = "Submit") -> None:
    """Press the button with this name."""
    await tab.click_named(name)
