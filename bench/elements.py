"""The cost of listing a page's elements, compared with other servers' snapshots of the same page: `measure_elements`.

The floor is a command that no list can do without: it walks the page once and reads from each element whether it is
drawn, where, and with which cursor.

Alone: python -m bench.elements. The pages, the other servers and the method are those of bridge.py.
"""

import asyncio

from bench.bridge import (
    PAGES,
    Call,
    StdioClient,
    Words,
    entry,
    in_turns,
    opened_scene,
    our_server,
    page_of,
    peers,
    tool,
)
from bench.driving import allow_evaluate
from bench.lines import Line, print_lines

TO_LOOK, TO_SHOW, TO_GROW, TO_FLOOR = 0.5, 0.15, 12, 1.5
FEW, MANY = 1_000, 10_000
WALK = """(() => {
  let drawn = 0;
  for (const element of document.querySelectorAll("*")) {
    const { width, height } = element.getBoundingClientRect();
    const { visibility, cursor } = getComputedStyle(element);
    if (width && height && visibility === "visible" && cursor) drawn += 1;
  }
  return drawn;
})()"""


def rows_page(elements: int) -> str:
    """Return a table with this many HTML elements, twelve to a row as in a long list."""
    words = Words()
    rows = "".join(entry(words, number) for number in range(1, elements // 12 + 1))
    return f"<!doctype html><meta charset=utf-8><title>Rows</title><table><tbody>{rows}</tbody></table>"


async def time_of(ours: StdioClient, look: Call, url: str) -> float:
    """Return the median milliseconds of listing the page."""
    await tool(ours, "navigate", url=url)()
    return (await in_turns({"look": look}, "elements"))["look"]


async def measure_elements() -> list[Line]:
    """List each page in all three ways; then a small and a large one, to see how the cost grows."""
    sized = {f"{count:,} elements": rows_page(count) for count in (FEW, MANY)}
    pages = {name: page_of(*kind) for name, kind in PAGES.items()} | sized
    lines: list[Line] = []
    async with opened_scene(pages) as scene, our_server(scene) as ours, peers(scene.folder) as (playwright, devtools):
        first = scene.address_of(next(iter(pages)))
        created = await ours.request("tools/call", name="browser_create_tab", arguments={"url": first})
        tab_id = int(created["structuredContent"]["tab_id"])
        look = tool(ours, "page_elements", tab_id=tab_id)
        walk = tool(ours, "evaluate", tab_id=tab_id, code=WALK)
        await allow_evaluate(scene, tab_id)
        for name in PAGES:
            await tool(ours, "navigate", url=scene.address_of(name))()
            await tool(playwright, "browser_navigate", url=scene.address_of(name))()
            await tool(devtools, "navigate_page", pageId=1, url=scene.address_of(name))()
            others = {
                "browser_snapshot": tool(playwright, "browser_snapshot"),
                "take_snapshot": tool(devtools, "take_snapshot", pageId=1),
            }
            times = await in_turns({"page_elements": look, "floor": walk, **others}, "")
            assert int(await walk()) > FEW // 2, "the walk did not happen"
            sizes = {other: len(await call()) for other, call in others.items()}
            faster, smaller = min(others, key=times.__getitem__), min(sizes, key=sizes.__getitem__)
            lines += [
                (f"page_elements, {name}", times["page_elements"], "one walk", times["floor"], "ms", TO_FLOOR),
                (f"page_elements, {name}", times["page_elements"], faster, times[faster], "ms", TO_LOOK),
                (f"its characters, {name}", len(await look()), smaller, sizes[smaller], "characters", TO_SHOW),
            ]
        small, large = [await time_of(ours, look, scene.address_of(name)) for name in sized]
        lines.append((f"page_elements, {MANY:,} elements", large, f"{FEW:,} elements", small, "ms", TO_GROW))
    return lines


if __name__ == "__main__":
    print_lines(asyncio.run(measure_elements()))
