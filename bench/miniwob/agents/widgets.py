"""Calendars, sliders, menus, editors and other widgets."""

import asyncio
import calendar
import contextlib
import re

from bench.miniwob.agents import solves
from bench.miniwob.agents.words import FIELDS, lines_below_goal, ordinal, quoted, squeezed, submit, take_suggestion
from bench.miniwob.tab import PAUSE_S, Element, Tab, Target, named

MONTHS = list(calendar.month_name)
CALENDAR_S, CLOSING_S = 60, 2
UNITS = {"d": 24 * 60, "h": 60, "m": 1}


def shown_month(listed: list[Element]) -> int:
    """Return the number of the month that a calendar shows, counted from the year 0; 0 if there is none."""
    said = " ".join(element.name for element in listed)
    found = re.search(rf"({'|'.join(MONTHS[1:])})\s+(\d{{4}})", said, re.IGNORECASE)
    return int(found[2]) * 12 + MONTHS.index(found[1].capitalize()) - 1 if found else 0


async def pick_date(tab: Tab, field: Target, month: int, day: int, year: int) -> None:
    """Open a field's calendar, page to the month, press the day.

    Raises TimeoutError if no calendar opens, or if it does not get there.
    """
    await tab.click(field)
    wanted = year * 12 + month - 1
    async with asyncio.timeout(CALENDAR_S):
        while (shown := shown_month(await tab.overview())) != wanted:
            if shown:
                await tab.click_named("Next" if shown < wanted else "Prev")
            else:
                await asyncio.sleep(PAUSE_S)
    for _ in range(3):
        days = [element for element in await tab.look(find=str(day)) if element.name == str(day)]
        if not days:  # the calendar closed late
            return
        await tab.click(min(days, key=lambda element: element.role == "text"))
        for done in [element for element in await tab.overview() if element.name == "Done"]:
            await tab.click(done)
        # Some calendars ignore clicks while they slide in.
        with contextlib.suppress(TimeoutError):
            await tab.until(lambda listed: not shown_month(listed), within_s=CLOSING_S)
            return
    raise TimeoutError


@solves("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
async def choose_date(tab: Tab, goal: str) -> None:
    month, day, year = map(int, re.findall(r"(\d+)/(\d+)/(\d+)", goal)[0])
    await pick_date(tab, (await tab.elements(*FIELDS))[0], month, day, year)
    await submit(tab)


def minutes(said: str) -> int:
    """Read a duration such as "1d 4h 30m"."""
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"(\d+)([dhm])", said))


def prices_and_durations(listed: list[Element]) -> list[tuple[int, int, Element]]:
    """Return price, minutes and button of each flight."""
    flights: list[tuple[int, int, Element]] = []
    lasts = 0
    for element in listed:
        price = re.search(r"\$(\d+)", element.name)
        if price and element.selector:
            flights.append((int(price[1]), lasts, element))
        elif found := re.search(r"(?:\d+[dhm] ?)+$", element.name):
            lasts = minutes(found[0])
    return flights


async def buy(tab: Tab, goal: str) -> None:
    """Press the button of the flight that the goal describes."""
    flights = prices_and_durations(await tab.until(lambda listed: listed if prices_and_durations(listed) else None))
    by_price = re.search(r"cheapest|expensive|cost|price", goal)
    best = max if re.search(r"longest|expensive|highest", goal) else min
    await tab.click(best(flights, key=lambda flight: flight[0] if by_price else flight[1])[2])


@solves("buy-ticket")
async def buy_ticket(tab: Tab, goal: str) -> None:
    await buy(tab, goal)


@solves("book-flight", "book-flight-nodelay")
async def book_flight(tab: Tab, goal: str) -> None:
    found = re.search(r"from: (.*) to: (.*) on (\d+)/(\d+)/(\d+)", goal)
    assert found
    fields = await tab.elements(*FIELDS)
    for field, place in zip(fields, found.group(1, 2), strict=False):
        await take_suggestion(tab, field, place, lambda name, place=place: place in name)
    await pick_date(tab, fields[2], *map(int, found.group(3, 4, 5)))
    await tab.click_named("Search")
    await buy(tab, goal)


async def slide(tab: Tab, handle: Target, shown: int, wanted: int) -> None:
    """Move a slider with arrow keys; one press shows the size of a step."""
    if shown != wanted:
        await tab.press(" ".join(["ArrowRight" if shown < wanted else "ArrowLeft"] * abs(wanted - shown)), handle)


def handles(listed: list[Element]) -> list[tuple[Element, int]]:
    """Return each slider with the number below it."""
    found: list[tuple[Element, int]] = []
    handle: Element | None = None
    for element in listed:
        if "slider" in f"{element.role}{element.state}{element.selector}":
            handle = element
        elif handle and (number := re.fullmatch(r"-?\d+", element.name)):
            found.append((handle, int(number[0])))
            handle = None
    return found


@solves("use-slider", "use-slider-2")
async def use_sliders(tab: Tab, goal: str) -> None:
    wanted = [int(number) for number in re.findall(r"-?\d+", goal)]
    for (handle, shown), value in zip(handles(await tab.look()), wanted, strict=True):
        await slide(tab, handle, shown, value)
    await submit(tab)


@solves("form-sequence")
async def slide_and_check(tab: Tab, goal: str) -> None:
    listed = await tab.look()
    (handle, shown), *_ = handles(listed)
    await slide(tab, handle, shown, int(re.findall(r"-?\d+", goal)[0]))
    await tab.click([element for element in listed if element.role == "checkbox"][ordinal(goal)])
    await submit(tab)


@solves("stock-market")
async def buy_when_cheap(tab: Tab, goal: str) -> None:
    most = float(re.findall(r"\$([\d.]+\d)", goal)[0])
    button = named(await tab.look(), "Buy")
    while True:
        prices = re.findall(r"price: *\$([\d.]+)", "\n".join(await lines_below_goal(tab, goal)))
        if prices and float(prices[0]) <= most:
            break
    await tab.click(button)


@solves("terminal")
async def delete_in_terminal(tab: Tab, goal: str) -> None:
    field = (await tab.elements("textbox"))[0]
    await tab.press('"ls" Enter', field)
    lines = await lines_below_goal(tab, goal)
    names = next(
        line for line in reversed(lines) if "." in line and "user$" not in line and "Welcome" not in line
    ).split()
    ending = re.findall(r"extension (\.\S+)", goal)
    fits = [name for name in names if (name.endswith(ending[0]) if ending else "." not in name)]
    await tab.press(f'"rm {fits[0]}" Enter', field)


@solves("text-editor")
async def style_text(tab: Tab, goal: str) -> None:
    listed = await tab.elements()
    editor = next(element for element in listed if len((element.name or element.value).split()) > 1)
    style = re.findall(r"(?:style|color) (\w+)", goal)[0]
    text = editor.name or editor.value
    await tab.click(editor)
    word = re.search(r"text (\S+) the|give the text (.*?) the", goal)
    if "everything" in goal:
        await tab.press("Control+A")
    else:
        wanted = (word[1] or word[2]) if word else quoted(goal)[0]
        begins = text.index(wanted)
        keys = ["Control+Home", *["ArrowRight"] * begins, *["Shift+ArrowRight"] * len(wanted)]
        await tab.press(" ".join(keys))
    keys = {"bold": "Control+B", "italics": "Control+I", "underlined": "Control+U"}
    if style in keys:
        await tab.press(keys[style])
    else:
        await tab.click(next(element for element in listed if "picker" in element.state))
        swatches = [element for element in await tab.elements() if style in element.name + element.state]
        await tab.click(swatches[0])
    await submit(tab)


@solves("find-greatest")
async def pick_greatest(tab: Tab, _goal: str) -> None:
    cards = [element for element in await tab.elements() if element.name.isdecimal()]
    await tab.click(max(cards, key=lambda card: int(card.name)))
    await submit(tab)


@solves("order-food")
async def order_food(tab: Tab, goal: str) -> None:
    listed = await tab.look()
    many = re.search(r"Order (\d+) items? that (?:are|contains?|is|have|has) (\S+)", goal)
    if many:
        offers = [line for line, element in enumerate(listed) if element.role == "image" and element.name == many[2]]
        places = offers[: int(many[1])]
    else:
        wanted = {squeezed(name) for name in goal.partition(": ")[2].split(", ")}
        places = [line for line, element in enumerate(listed) if squeezed(element.name) in wanted]
    for place in places:
        await tab.click(next(element for element in listed[place:] if element.name == "+"))
    await submit(tab, "Order!")
