"""What only a screenshot tells."""

import time

from bench.miniwob.agents import solves
from bench.miniwob.agents.words import submit
from bench.miniwob.picture import WHITE, Region
from bench.miniwob.tab import Point, Tab

LIGHT = 200


def hull(points: list[Point]) -> list[Point]:
    """Give the corners around points, in turn (Andrew's monotone chain)."""

    def half(points: list[Point]) -> list[Point]:
        chain: list[Point] = []
        for point in points:
            while len(chain) > 1 and turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        return chain[:-1]

    ordered = sorted(points)
    return half(ordered) + half(ordered[::-1])


def turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def corners(region: Region, least: float) -> int:
    """Count the corners of a convex shape: those without which it would lose more than a sliver."""
    around = hull([(float(x), float(y)) for x, y in region.pixels])
    while len(around) > 3:  # noqa: PLR2004  # a triangle has no corner to spare
        lost = [abs(turn(around[i - 1], around[i], around[(i + 1) % len(around)])) for i in range(len(around))]
        smallest = min(lost)
        if smallest > least:
            break
        around.pop(lost.index(smallest))
    return len(around)


@solves("count-sides")
async def count_sides(tab: Tab, goal: str) -> None:
    canvas = (await tab.elements("canvas"))[0]
    picture = await tab.picture(canvas.selector)
    region = picture.regions(lambda colour: colour != WHITE)[0]
    await tab.click_named(str(corners(region, region.width * region.height / 25)), "button")


@solves("number-checkboxes")
async def copy_pattern(tab: Tab, goal: str) -> None:
    listed = await tab.look()
    picture = await tab.picture(
        next(element.selector for element in listed if element.selector and ".png" in element.state)
    )
    boxes = [element for element in listed if element.role == "checkbox"]
    rows = len(boxes) // 4
    for number, box in enumerate(boxes):
        x, y = (number % 4 + 0.5) * picture.width / 4, (number // 4 + 0.5) * picture.height / rows
        if sum(picture[int(x), int(y)]) > 3 * LIGHT:
            await tab.click(box)
    await submit(tab)


@solves("simon-says")
async def repeat_sequence(tab: Tab, goal: str) -> None:
    buttons = await tab.elements("button")
    rest = [button.state for button in buttons]
    pushed: list[int] = []
    lit: int | None = None
    seen = time.monotonic()
    # It begins within 2 s, and between two of them less than a second goes by.
    while time.monotonic() - seen < (1.2 if pushed else 2):
        now = [button.state for button in await tab.elements("button")]
        changed = next((number for number, state in enumerate(now) if state != rest[number]), None)
        if changed is not None and changed != lit:
            pushed.append(changed)
        if changed is not None:
            seen = time.monotonic()
        lit = changed
    for number in pushed:
        await tab.click(buttons[number])
