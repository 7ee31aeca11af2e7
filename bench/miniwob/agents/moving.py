"""Moving targets."""

import time

from bench.miniwob.agents import solves
from bench.miniwob.agents.shapes import GRAPHIC, look_of, shapes_of
from bench.miniwob.tab import Point, Tab

# In a graphic of the usual size.
LEFT, RIGHT = 4, 150
LASTS_S = 12


@solves("moving-items")
async def click_moving(tab: Tab, goal: str) -> None:
    """Aim where each circle will be after the time that a click takes."""
    seen: dict[str, tuple[float, Point]] = {}
    ends = time.monotonic() + LASTS_S
    takes = 0.05
    while time.monotonic() < ends:
        at = time.monotonic()
        for shape in shapes_of(await tab.look(), "circle"):
            place = look_of(shape).middle
            before = seen.get(shape.selector)
            seen[shape.selector] = at, place
            if before is None or before[1] == place or not LEFT < place[0] < RIGHT:
                continue
            share = (time.monotonic() - at + takes) / (at - before[0])
            aim = tuple(now + (now - then) * share for now, then in zip(place, before[1], strict=True))
            if LEFT < aim[0] < RIGHT and aim[1] > LEFT:
                begun = time.monotonic()
                await tab.click(GRAPHIC, at=(aim[0], aim[1]))
                takes = (time.monotonic() - begun) / 2
                seen.clear()
                break
