"""Tasks that only a screenshot can solve."""

import itertools
import math
import time

from bench.miniwob.agents import solves
from bench.miniwob.agents.words import quoted, submit
from bench.miniwob.picture import WHITE, Picture, Region
from bench.miniwob.tab import Point, Tab, named

LIGHT = 200


def hull(points: list[Point]) -> list[Point]:
    """Return the convex hull of points, in order (Andrew's monotone chain)."""

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


def drawing(picture: Picture) -> frozenset[Point]:
    """Return the pixels of an icon: those far from the color that fills most of the image."""
    ground = picture.colours().most_common(1)[0][0]
    every = ((x, y) for y in range(picture.height) for x in range(picture.width))
    return frozenset(pixel for pixel in every if math.dist(picture[pixel], ground) > LIGHT / 2)


@solves("click-menu-2")
async def choose_in_icon_menu(tab: Tab, goal: str) -> None:
    """Open the menu with this content, and choose the item by its name, or by the icon that the goal shows."""
    names = quoted(goal)[1:]
    shown = [element for element in await tab.elements("box", "image") if element.look]
    await tab.click_named("Menu")
    await tab.hover(await tab.named("Playback"))
    listed = await tab.until(lambda listed: listed if any(element.name == "Stop" for element in listed) else None)
    if names:
        await tab.click(named(listed, names[0], "menuitem", "clickable"))
        return
    icon = await tab.picture(shown[0].selector)
    items = [element for element in listed if element.role == "menuitem" and "disabled" not in element.state]
    unlike = [difference(await tab.picture(item.selector), icon) for item in items]
    await tab.click(items[unlike.index(min(unlike))])


def difference(picture: Picture, icon: Picture) -> int:
    """Count the pixels in which an icon differs from the most similar part of an image."""
    wanted, drawn = drawing(icon), drawing(picture)
    size = range(icon.width), range(icon.height)
    places = itertools.product(range(picture.width - icon.width + 1), range(picture.height - icon.height + 1))
    shifted = (
        {(x - left, y - top) for x, y in drawn if x - left in size[0] and y - top in size[1]} for left, top in places
    )
    return min((len(wanted ^ part) for part in shifted), default=len(wanted))


@solves("simon-says")
async def repeat_sequence(tab: Tab, goal: str) -> None:
    buttons = await tab.elements("button")
    rest = [button.state for button in buttons]
    pushed: list[int] = []
    lit: int | None = None
    seen = time.monotonic()
    # It begins within 2 s, and less than a second passes between two of them.
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
