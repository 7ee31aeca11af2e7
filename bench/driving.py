"""The cost of driving a page, compared with other servers that drive the same page: `measure_driving`.

Alone: python -m bench.driving. The scene, the other servers and the method are those of bridge.py.
"""

import asyncio
import re
from collections.abc import Mapping

from bench.bridge import (
    ROUNDS,
    Call,
    Scene,
    StdioClient,
    in_turns,
    opened_scene,
    our_server,
    page_of,
    peers,
    tool,
)
from bench.lines import Line, print_lines
from demo.browser import extension_id

PAGE = "shop with a form"
FORM = (
    '<form><input id="name" aria-label="Name of the customer">'
    '<button type="button" id="press" onclick="window.pressed = (window.pressed ?? 0) + 1">Press to order</button></form>'
)
TO_EVALUATE, TO_CLICK, TO_FILL, TO_SHOOT = 0.06, 0.3, 0.8, 0.6
TO_PRESS, TO_WAIT = 0.3, 0.3
MAX_CLICK_ANSWER = 300
TYPED = "Ada Lovelace"
STATE = "`${window.pressed} ${document.querySelector('#name').value}`"


def driven_page() -> str:
    """Return a shop of 250 kB with a small form at its top."""
    return page_of("shop", 250_000).replace("<main>", f"<main>{FORM}", 1)


def uid_of(snapshot: str, name: str) -> str:
    """Return chrome-devtools-mcp's name for an element."""
    found = re.search(rf'uid=(\S+) \w+ "{name}"', snapshot)
    assert found, f"no {name} in the snapshot"
    return found[1]


async def allow_evaluate(scene: Scene, tab_id: int) -> None:
    """Turn on the tab's switch, as a user does in the popup."""
    popup = await scene.browser.new_page()
    await popup.goto(f"chrome-extension://{extension_id()}/ui/popup/popup.html")
    wish = f"{{ action: 'set_allow_evaluate', tabId: {tab_id}, on: true }}"
    await popup.evaluate(
        f"async () => {{ const port = chrome.runtime.connect(); port.postMessage({wish});"
        " await new Promise((resolve) => port.onMessage.addListener(resolve)); }"
    )
    await popup.close()


async def open_tab(scene: Scene, ours: StdioClient) -> int:
    """Open the page in an attached tab, in front."""
    created = await ours.request("tools/call", name="browser_create_tab", arguments={"url": scene.address_of(PAGE)})
    tab_id = int(created["structuredContent"]["tab_id"])
    await allow_evaluate(scene, tab_id)
    return tab_id


def actions(
    ours: StdioClient, playwright: StdioClient, devtools: StdioClient, uids: Mapping[str, str]
) -> dict[str, dict[str, Call]]:
    """Return the same action for each server, ours first."""
    title = "() => document.title"
    return {
        "evaluate": {
            "evaluate": tool(ours, "evaluate", code="document.title"),
            "browser_evaluate": tool(playwright, "browser_evaluate", function=title),
            "evaluate_script": tool(devtools, "evaluate_script", pageId=1, function=title),
        },
        "click": {
            "click": tool(ours, "click", selector="#press"),
            "browser_click": tool(playwright, "browser_click", target="#press"),
            "click, chrome-devtools-mcp": tool(devtools, "click", pageId=1, uid=uids["button"]),
        },
        # A key that opens something: for other keys playwright-mcp reports nothing.
        "press": {
            "press": tool(ours, "press", keys="Enter"),
            "browser_press_key": tool(playwright, "browser_press_key", key="Enter"),
            "press_key": tool(devtools, "press_key", pageId=1, key="Enter"),
        },
        "fill": {
            "fill": tool(ours, "fill", selector="#name", value=TYPED),
            "browser_type": tool(playwright, "browser_type", target="#name", text=TYPED),
            "fill, chrome-devtools-mcp": tool(devtools, "fill", pageId=1, uid=uids["field"], value=TYPED),
        },
        "wait for what is there": {
            "wait_for": tool(ours, "wait_for", text="Press to order"),
            "browser_wait_for": tool(playwright, "browser_wait_for", text="Press to order"),
            "wait_for, chrome-devtools-mcp": tool(devtools, "wait_for", pageId=1, text=["Press to order"]),
        },
        "screenshot": {
            "screenshot": tool(ours, "screenshot", name="page"),
            "browser_take_screenshot": tool(playwright, "browser_take_screenshot"),
            "take_screenshot": tool(devtools, "take_screenshot", pageId=1),
        },
    }


async def check_state(ours: StdioClient, playwright: StdioClient, devtools: StdioClient, expected: str) -> None:
    """Fail unless the measured actions took effect in each browser."""
    for call in (
        tool(ours, "evaluate", code=STATE),
        tool(playwright, "browser_evaluate", function=f"() => {STATE}"),
        tool(devtools, "evaluate_script", pageId=1, function=f"() => {STATE}"),
    ):
        said = await call()
        assert expected in said, f"{expected!r} is not what the page says: {said[:200]}"


async def measure_driving() -> list[Line]:
    """Measure each action compared with the faster of the two others."""
    limits = {
        "evaluate": TO_EVALUATE,
        "click": TO_CLICK,
        "press": TO_PRESS,
        "fill": TO_FILL,
        "wait for what is there": TO_WAIT,
        "screenshot": TO_SHOOT,
    }
    lines: list[Line] = []
    async with opened_scene({PAGE: driven_page()}) as scene, our_server(scene) as ours:
        await open_tab(scene, ours)
        async with peers(scene.folder) as (playwright, devtools):
            await tool(playwright, "browser_navigate", url=scene.address_of(PAGE))()
            await tool(devtools, "navigate_page", pageId=1, url=scene.address_of(PAGE))()
            snapshot = await tool(devtools, "take_snapshot", pageId=1)()
            uids = {"button": uid_of(snapshot, "Press to order"), "field": uid_of(snapshot, "Name of the customer")}
            calls = actions(ours, playwright, devtools, uids)
            for action, limit in limits.items():
                times = await in_turns(calls[action], "")
                mine, *others = times
                faster = min(others, key=times.__getitem__)
                lines.append((action, times[mine], faster, times[faster], "ms", limit))
            answer = await calls["click"]["click"]()
            for call in (calls["click"]["browser_click"], calls["click"]["click, chrome-devtools-mcp"]):
                await call()
            await check_state(ours, playwright, devtools, f"{2 * ROUNDS + 3} {TYPED}")
    lines.append(("a click's answer", len(answer), "budget", MAX_CLICK_ANSWER, "characters", 1))
    return lines


if __name__ == "__main__":
    print_lines(asyncio.run(measure_driving()))
