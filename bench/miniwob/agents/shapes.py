"""Shapes and colors: the list states color, size and position of elements without text."""

import asyncio
import math
import re

from bench.miniwob.agents import solves
from bench.miniwob.agents.words import FIELDS, ordinal, quoted, submit
from bench.miniwob.tab import Element, Look, Point, Tab

KINDS = {"circle": "circle", "rect": "rectangle", "polygon": "triangle"}
ALIASES = {"grey": "gray", "aqua": "cyan", "fuchsia": "magenta"}
COLOURS = {
    "black",
    "blue",
    "cyan",
    "gray",
    "green",
    "lime",
    "magenta",
    "olive",
    "orange",
    "pink",
    "purple",
    "red",
    "white",
    "yellow",
}
HEX = {
    "black": "000000",
    "white": "ffffff",
    "aqua": "00ffff",
    "blue": "0000ff",
    "gray": "808080",
    "green": "008000",
    "lime": "00ff00",
    "maroon": "800000",
    "navy": "000080",
    "olive": "808000",
    "purple": "800080",
    "red": "ff0000",
    "silver": "c0c0c0",
    "teal": "008080",
    "yellow": "ffff00",
    "pink": "ffc0cb",
    "magenta": "ff00ff",
    "gold": "ffd700",
    "orange": "ffa500",
}
# Letters and shapes are drawn in two sizes; this is between them.
LARGE = 16
GRAPHIC = "svg"


def look_of(element: Element) -> Look:
    """Return the appearance of a shape.

    Raises LookupError if it is not a shape.
    """
    if element.look is None:
        raise LookupError(f"no look: {element}")
    return element.look


def shapes_of(listed: list[Element], *roles: str) -> list[Element]:
    """Return the drawn shapes with these roles."""
    return [element for element in listed if element.look and element.role in (roles or (*KINDS, "text"))]


def fits(element: Element, description: str) -> bool:
    """Return whether words such as "large red digit" describe a shape."""
    look = look_of(element)
    colour = ALIASES.get(look.colour, look.colour)
    for word in description.split():
        if word in ("large", "small"):
            good = (look.height > LARGE) == (word == "large")
        elif ALIASES.get(word, word) in COLOURS:
            good = colour == ALIASES.get(word, word)
        elif word in ("item", "shape"):
            good = True
        elif word == "digit":
            good = element.name.isdigit()
        elif word == "letter":
            good = element.name.isalpha()
        elif word in KINDS.values():
            good = KINDS.get(element.role) == word
        else:
            good = element.name == word
        if not good:
            return False
    return True


@solves("click-shape")
async def click_shape(tab: Tab, goal: str) -> None:
    words = re.findall(r"Click on an? (.*)", goal)[0]
    shape = next(shape for shape in shapes_of(await tab.look()) if fits(shape, words))
    await tab.click(shape)


@solves("count-shape")
async def count_shapes(tab: Tab, goal: str) -> None:
    words = re.findall(r"How many (.*)s are there", goal)[0]
    shapes = [shape for shape in shapes_of(await tab.look()) if fits(shape, words)]
    await tab.click_named(str(len(shapes)), "button")


@solves("identify-shape")
async def identify_shape(tab: Tab, goal: str) -> None:
    shape = shapes_of(await tab.look())[0]
    word = KINDS.get(shape.role) or ("Number" if shape.name.isdigit() else "Letter")
    await tab.click_named(word, "button")


@solves("click-color")
async def click_colour(tab: Tab, goal: str) -> None:
    word = re.findall(r"the (\w+) colored box", goal)[0]
    boxes = [box for box in await tab.elements() if box.look and box.look.colour in (word, ALIASES.get(word))]
    # The goal shows the color, too.
    await tab.click(max(boxes, key=lambda box: look_of(box).width))


def digits_of(look: Look) -> str:
    return look.digits or HEX.get(look.colour, "000000")


def channels(look: Look) -> tuple[int, int, int]:
    """Return red, green and blue."""
    digits = digits_of(look)
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


@solves("click-shades")
async def click_shades(tab: Tab, goal: str) -> None:
    channel = ("red", "green", "blue").index(re.findall(r"shades of (\w+)", goal)[0])
    for element in await tab.elements():
        if element.look and max(channels(element.look)) == channels(element.look)[channel]:
            await tab.click(element)
    await submit(tab)


@solves("use-colorwheel", "use-colorwheel-2")
async def choose_colour(tab: Tab, goal: str) -> None:
    listed = await tab.look()
    word = re.findall(r"Select (\w+) with", goal)
    digits = HEX[word[0]] if word else digits_of(next(element.look for element in listed if element.look))
    await tab.fill(next(element for element in listed if element.role in FIELDS), digits)
    await submit(tab)


@solves("visual-addition")
async def count_blocks(tab: Tab, goal: str) -> None:
    listed = await tab.look()
    blocks = [element for element in listed if element.look and element.role not in FIELDS]
    await tab.fill(next(element for element in listed if element.role in FIELDS), str(len(blocks)))
    await submit(tab)


def points_of(listed: list[Element]) -> list[tuple[str, Point]]:
    """Return the color and center of each marked point."""
    return [(look_of(shape).colour, look_of(shape).middle) for shape in shapes_of(listed, "circle")]


async def mark(tab: Tab, point: Point) -> None:
    """Click a point of the graphic and submit."""
    await tab.click(GRAPHIC, at=point)
    await submit(tab)


@solves("circle-center")
async def click_centre(tab: Tab, goal: str) -> None:
    ((_, centre),) = points_of(await tab.look())
    await mark(tab, centre)


@solves("find-midpoint")
async def click_midpoint(tab: Tab, goal: str) -> None:
    (_, (x1, y1)), (_, (x2, y2)) = points_of(await tab.look())[:2]
    await mark(tab, ((x1 + x2) / 2, (y1 + y2) / 2))


def inside(x: float, y: float) -> bool:
    """Return whether a point is well inside a graphic of the usual size."""
    return 4 < x < 146 and 4 < y < 126  # noqa: PLR2004


def vertex_first(listed: list[Element]) -> list[Point]:
    """Return the points, the blue one first."""
    return [point for _, point in sorted(points_of(listed), key=lambda found: found[0] != "blue")]


def along(start: Point, angle: float) -> Point:
    """Return a point in that direction, or in the opposite one, that is inside the graphic."""
    for length in (40, -40, 25, -25, 12, -12):
        x, y = start[0] + length * math.cos(angle), start[1] + length * math.sin(angle)
        if inside(x, y):
            return x, y
    return start


def direction(start: Point, end: Point) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])


@solves("right-angle")
async def make_right_angle(tab: Tab, goal: str) -> None:
    vertex, other = vertex_first(await tab.look())[:2]
    await mark(tab, along(vertex, direction(vertex, other) + math.pi / 2))


@solves("bisect-angle")
async def bisect_angle(tab: Tab, goal: str) -> None:
    vertex, one, two = vertex_first(await tab.look())[:3]
    first, second = direction(vertex, one), direction(vertex, two)
    await mark(tab, along(vertex, math.atan2(math.sin(first) + math.sin(second), math.cos(first) + math.cos(second))))


@solves("grid-coordinate")
async def click_coordinate(tab: Tab, goal: str) -> None:
    column, row = (int(number) for number in re.findall(r"-?\d+", goal))
    places = [point for _, point in points_of(await tab.look())]
    columns, rows = sorted({x for x, _ in places}), sorted({y for _, y in places}, reverse=True)
    await tab.click(GRAPHIC, at=(columns[len(columns) // 2 + column], rows[len(rows) // 2 + row]))


@solves("ascending-numbers")
async def click_ascending(tab: Tab, goal: str) -> None:
    numbers = [shape for shape in shapes_of(await tab.look()) if re.fullmatch(r"-?\d+", shape.name)]
    # The first click covers the numbers: only their positions remain.
    for shape in sorted(numbers, key=lambda shape: int(shape.name)):
        await tab.click(GRAPHIC, at=look_of(shape).middle)


@solves("draw-line")
async def draw_line(tab: Tab, goal: str) -> None:
    ((_, (x, y)), *_) = points_of(await tab.look())
    ends = ((x, 4), (x, 100)) if "vertical" in goal else ((4, y), (140, y))
    await tab.drag(GRAPHIC, GRAPHIC, *ends)
    await submit(tab)


@solves("drag-circle", "drag-single-shape")
async def drag_aside(tab: Tab, goal: str) -> None:
    shape = shapes_of(await tab.look())[0]
    x, y = look_of(shape).middle
    across, down = {"left": (-15, 0), "right": (15, 0), "up": (0, -15), "down": (0, 15)}[
        re.findall(r"left|right|up|down", goal)[0]
    ]
    await tab.drag(GRAPHIC, GRAPHIC, (x, y), (x + across, y + down))
    await submit(tab)


@solves("drag-shapes", "drag-shapes-2")
async def drag_shapes(tab: Tab, goal: str) -> None:
    listed = await tab.look()
    boxes = [shape for shape in shapes_of(listed, "rect") if look_of(shape).width > 2 * LARGE]
    boxes.sort(key=lambda box: look_of(box).x)
    shapes = [shape for shape in shapes_of(listed) if shape not in boxes]
    kind = re.findall(r"all (\w+?)s?(?: shapes)? into", goal)[0]
    counts = [0] * len(boxes)
    for shape in shapes:
        number = 0 if fits(shape, kind) else 1
        if number < len(boxes):
            await tab.drag(GRAPHIC, GRAPHIC, look_of(shape).middle, seat(look_of(boxes[number]), counts[number]))
            counts[number] += 1
    await submit(tab)


def seat(box: Look, number: int) -> Point:
    """Return a position in a box for one shape of several."""
    columns = max(1, int((box.width - 6) // 19))
    return box.x + 13 + number % columns * 19, box.y + 13 + number // columns * 19


@solves("click-pie", "click-pie-nodelay")
async def click_in_pie(tab: Tab, goal: str) -> None:
    name = quoted(goal)[0]
    await tab.click_named("+")
    await asyncio.sleep(1)  # the pie unfolds
    listed = await tab.look()
    middle = next(look_of(shape).middle for shape in shapes_of(listed, "text") if shape.name == name)
    await tab.click(min(shapes_of(listed, "path"), key=lambda slice_: math.dist(look_of(slice_).middle, middle)))


@solves("drag-box")
async def drag_box(tab: Tab, goal: str) -> None:
    await tab.drag(await tab.named("s"), await tab.named("L"))
    await submit(tab)


@solves("tic-tac-toe")
async def win_tic_tac_toe(tab: Tab, goal: str) -> None:
    cells = [element for element in await tab.elements() if element.look][:9]
    while True:
        listed = await tab.elements()
        board = [next((mark for mark in "xo" if f"{mark}.png" in described(listed, cell)), "") for cell in cells]
        await tab.click(cells[best_move(board)])


def described(listed: list[Element], cell: Element) -> str:
    return next((element.state + element.name for element in listed if element.selector == cell.selector), "")


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def best_move(board: list[str]) -> int:
    """Win, else prevent the loss, else choose the cell on the most lines."""
    for mark_ in "xo":
        for line in LINES:
            held = [board[cell] for cell in line]
            if held.count(mark_) == 2 and "" in held:  # noqa: PLR2004
                return line[held.index("")]
    return next(cell for cell in (4, 0, 2, 6, 8, 1, 3, 5, 7) if not board[cell])


@solves("drag-items", "drag-items-grid")
async def drag_item(tab: Tab, goal: str) -> None:
    name = re.findall(r"Drag (\S+) ", goal)[0]
    names = [element.name for element in await tab.look() if re.fullmatch(r"[A-Z][\w-]+", element.name)]
    at = names.index(name)
    columns = 3 if len(names) == 9 else 1  # noqa: PLR2004  # nine lie in rows of three
    step = re.findall(r"(up|down|left|right) by one", goal)
    steps = {"up": -columns, "down": columns, "left": -1, "right": 1}
    target = at + steps[step[0]] if step else place_in(goal)
    way = target % columns - at % columns, target // columns - at // columns
    await tab.drag(await tab.named(name), *await beyond_middle(tab, names[target], *way))


async def beyond_middle(tab: Tab, name: str, across: int, down: int) -> tuple[str, None, Point]:
    """Return an item and a point in its far half, coming from the start, where a list drops the dragged item.

    By its text: during a drag, counting selectors match other items.
    """
    item = f"text={name}"
    picture = await tab.picture(item)
    return item, None, (picture.width * (0.5 + 0.3 * sign(across)), picture.height * (0.5 + 0.3 * sign(down)))


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def place_in(goal: str) -> int:
    """Return the index that a goal's words name, in a list or in a grid of nine."""
    if "position" in goal:
        return ordinal(goal)
    row = 0 if "top" in goal else 6 if "bottom" in goal else 3
    return row + (0 if "left" in goal else 2 if "right" in goal else 1)


@solves("drag-sort-numbers")
async def sort_numbers(tab: Tab, goal: str) -> None:
    async def numbers() -> list[str]:
        return [element.name for element in await tab.look() if re.fullmatch(r"-?\d+", element.name)]

    wanted = sorted(await numbers(), key=int)
    for place, number in enumerate(wanted):
        now = await numbers()
        if now[place] != number:
            await tab.drag(await tab.named(number), *await beyond_middle(tab, now[place], 0, -1))
            await asyncio.sleep(0.3)
    await submit(tab)


@solves("resize-textarea")
async def resize(tab: Tab, goal: str) -> None:
    handle = next(element for element in await tab.elements() if element.look)
    by = 15 if "larger" in goal else -15
    await tab.drag(handle, None, None, (look_of(handle).width / 2 + by, look_of(handle).height / 2 + by))
    await submit(tab)


@solves("highlight-text", "highlight-text-2")
async def highlight(tab: Tab, goal: str) -> None:
    texts = [element for element in await tab.look() if element.role == "text" and "Highlight" not in element.name]
    words = texts[ordinal(goal) if "paragraph and" in goal and re.search(r"\d", goal) else 0].name
    await tab.click(await tab.named(words), count=3)
    await submit(tab)
