"""FlightWoB: the search forms of two airlines, as they once were."""

import asyncio
import contextlib
import json
import re
from typing import Any

from bench.miniwob.agents import solves
from bench.miniwob.agents.widgets import pick_date
from bench.miniwob.agents.words import FIELDS, shortest
from bench.miniwob.tab import Element, Tab

# What the pages consider to be today.
MARCH, YEAR = 3, 2017


async def field(tab: Tab, label: str) -> Element:
    """Find the field whose name begins like this."""
    fields = await tab.elements(*FIELDS)
    return next(found for found in fields if found.name.casefold().startswith(label))


def city_in(name: str, city: str) -> bool:
    return not name.startswith("{") and all(word in name for word in city.split())


async def choose_city(tab: Tab, label: str, city: str) -> None:
    """Type a city's name, or the start of it, and choose the shortest suggestion."""
    target = await field(tab, label)

    def offered(listed: list[Element]) -> Element | None:
        # The goal is on the page, too, in a table and as JSON.
        fits = [one for one in listed if one.selector and one.role not in (*FIELDS, "row") and city_in(one.name, city)]
        return shortest(fits)

    beginning, *_ = city.split()
    for typed in dict.fromkeys([city, beginning]):
        await tab.fill(target, "")
        await tab.press(f'"{typed}"', target)
        with contextlib.suppress(TimeoutError):
            await tab.click(await tab.until(offered, find=beginning))
            return
    raise LookupError(city)


@solves("AA", "Alaska", "Alaska-auto", "Alaska-auto-medium")
async def search_flight(tab: Tab, goal: str) -> None:
    wanted: dict[str, Any] = json.loads(goal)
    kind = str(wanted.get("One Way or Round Trip") or wanted.get("Ticket Type"))
    is_return = bool(re.search("return|round", kind, re.IGNORECASE))
    if not is_return:
        await tab.click(next(one for one in await tab.look(find="one") if re.match("One.way", one.name)))
    await choose_city(tab, "from", wanted["Departure City"])
    await choose_city(tab, "to", wanted["Destination City"])
    await pick_date(
        tab, await field(tab, "depart"), wanted.get("Departure Month", MARCH), wanted["Departure Day"], YEAR
    )
    if is_return:
        await pick_date(
            tab, await field(tab, "return"), wanted.get("Returning Month", MARCH), wanted["Returning Day"], YEAR
        )
    for _ in range(1, int(wanted.get("Passengers", 1))):
        await tab.click_named("+")
    await tab.click(
        next(one for one in await tab.elements("button") if re.search("^Search|Find Flights", f"{one.name}{one.value}"))
    )
    await asyncio.sleep(0.2)
