"""What moves, or shows itself only below the mouse."""

import asyncio
import itertools
import time

from bench.miniwob.agents import solves
from bench.miniwob.agents.shapes import GRAPHIC, look_of, shapes_of
from bench.miniwob.agents.words import lines_below_goal
from bench.miniwob.tab import Point, Tab

# Of a graphic of the usual size.
LEFT, RIGHT = 4, 150
LASTS_S = 12


@solves("moving-items")
async def click_moving(tab: Tab, goal: str) -> None:
    """Aim where each circle will be by the time that a click takes."""
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


@solves("chase-circle")
async def chase_circle(tab: Tab, goal: str) -> None:
    ends = time.monotonic() + LASTS_S
    while time.monotonic() < ends:
        circles = shapes_of(await tab.look(), "circle")
        if not circles:
            return
        await tab.hover(GRAPHIC, at=look_of(circles[0]).middle)


@solves("hot-cold")
async def find_hot(tab: Tab, goal: str) -> None:
    """Go over the area in a grid, then around where it was warmest."""
    area = next(element for element in await tab.elements() if element.look)
    look = look_of(area)
    heats = ("ICE COLD", "COLD", "WARM", "HOT")

    async def heat(point: Point) -> int:
        await tab.hover(area, at=point)
        lines = await lines_below_goal(tab, goal)
        return max((heats.index(line) for line in lines if line in heats), default=0)

    step = 28.0
    points: list[Point] = list(itertools.product(grid(look.width, step), grid(look.height, step)))
    while True:
        felt = {point: await heat(point) for point in points}
        best = max(felt, key=lambda point: felt[point])
        if felt[best] == len(heats) - 1:
            await tab.click(area, at=best)
            return
        warm = [point for point, degree in felt.items() if degree == felt[best]]
        middle = sum(x for x, _ in warm) / len(warm), sum(y for _, y in warm) / len(warm)
        step = max(4, step / 3)
        offsets = [step * number for number in (-3, -2, -1, 0, 1, 2, 3)]
        points = [
            (middle[0] + across, middle[1] + down)
            for across, down in sorted(
                itertools.product(offsets, offsets), key=lambda offset: abs(offset[0]) + abs(offset[1])
            )
            if 1 < middle[0] + across < look.width - 1 and 1 < middle[1] + down < look.height - 1
        ]
        await asyncio.sleep(0)


def grid(side: int, step: float) -> list[float]:
    count = int(side / step) + 1
    return [side * (number + 0.5) / count for number in range(count)]
