"""Other kinds of clicks: several in a row, other buttons, at a point of the element."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, shared_tab_at

PAGE = """<style>body { margin: 0 } #map { position: relative; width: 300px; height: 3000px; background: linear-gradient(red, blue) }
#pin { position: absolute; left: 100px; top: 40px; width: 20px; height: 20px; background: black }
#small { width: 100px; height: 100px; overflow: auto } #wide { width: 900px; height: 900px }</style>
<p id=text>Some words of a line</p><button id=button>Go</button><a id=link href=/two>Two</a>
<button id=once>Once</button><div id=over hidden style="position: fixed; inset: 0">Over</div>
<div id=small><div id=wide>Wide</div></div><div id=map>Map<div id=pin></div></div><script>
  window.events = [];
  for (const type of ["mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu"]) {
    addEventListener(type, (event) => {
      const { target, button, buttons, detail, defaultPrevented } = event;
      events.push(`${type} ${target.id} ${button} ${buttons} ${detail}${defaultPrevented ? " prevented" : ""}`);
    });
  }
  window.at = null;
  for (const id of ["map", "wide"]) {
    document.getElementById(id).onclick = ({ target, offsetX, offsetY }) => (at = [target.id, offsetX, offsetY]);
  }
  document.querySelector("#once").onclick = () => (document.querySelector("#over").hidden = false);
</script>"""


blank = shared_tab_at("/blank")


@pytest.fixture
async def page(blank: DrivenTab) -> DrivenTab:
    await blank.write(PAGE)
    return blank


async def test_two_clicks_are_a_double_click_and_three_select_a_line(page: DrivenTab) -> None:
    await page.do("click", selector="#button", count=2)
    assert await page.page.evaluate("events.splice(0)") == [
        "mousedown button 0 1 1",
        "mouseup button 0 0 1",
        "click button 0 0 1",
        "mousedown button 0 1 2",
        "mouseup button 0 0 2",
        "click button 0 0 2",
        "dblclick button 0 0 2",
    ]

    await page.do("click", selector="#text", count=3)
    assert (await page.page.evaluate("getSelection().toString()")).strip() == "Some words of a line"
    await page.do("click", selector="#text", count=2)
    assert (await page.page.evaluate("getSelection().toString()")).strip() in PAGE.partition("<p id=text>")[2].split(
        "<"
    )[0]


async def test_press_is_not_in_the_very_middle_which_looks_like_a_screen_reader(page: DrivenTab) -> None:
    await page.page.evaluate("void (button.onpointerdown = ({ offsetX }) => (at = offsetX - button.clientWidth / 2))")

    await page.do("click", selector="#button")

    assert 0.5 < abs(await page.page.evaluate("at")) < 2


async def test_element_opened_by_the_first_of_two_clicks_does_not_get_the_second(page: DrivenTab) -> None:
    result = await page.do("click", selector="#once", count=2)

    assert 'div#over "Over" covered the element' in result["notes"][0]
    assert not [event for event in await page.page.evaluate("events") if " over " in event]
    await page.do("click", selector="#over")
    assert "click over 0 0 1" in await page.page.evaluate("events")


async def test_layer_that_receives_all_input_is_named_and_listed_alone(page: DrivenTab) -> None:
    await page.open("/acting/layer-with-all-input.html")

    code, message = await page.refused_soon("click", selector="#button")
    listed = (await page.do("page_elements"))["text"]

    assert (code, '"News' in message or "#news" in message) == ("EXECUTION_ERROR", True)
    assert ('button "Got it"' in listed, 'button "Run"' in listed) == (True, False)


async def test_tour_in_front_of_a_page_whose_parts_take_no_input_is_named(page: DrivenTab) -> None:
    await page.write(
        "<style>main, main * { pointer-events: none }</style><main><button id=run>Run</button></main>"
        "<div role=dialog aria-label=Tour id=tour>Step one</div>"
        "<section><button id=alone style='pointer-events: none'>Alone</button></section>"
    )

    named = {selector: await page.refused_soon("click", selector=selector) for selector in ("#run", "#alone")}

    assert [(code, "#tour" in message) for code, message in named.values()] == [
        ("EXECUTION_ERROR", True),
        ("EXECUTION_ERROR", False),
    ]


async def test_menu_that_opens_below_the_right_button_causes_no_note(page: DrivenTab) -> None:
    await page.write(
        "<button id=button>File</button><div id=menu role=menu hidden style='position:fixed;inset:0'>Open</div>"
        "<script>button.onpointerdown = () => { menu.hidden = false }</script>"
    )

    assert "notes" not in await page.do("click", selector="#button", button="right")


async def test_right_button_opens_the_pages_menu_and_not_the_browsers(page: DrivenTab) -> None:
    await page.do("click", selector="#button", button="right")

    assert sorted(await page.page.evaluate("events.splice(0)")) == [
        "auxclick button 2 0 1",
        "contextmenu button 2 2 0",
        "mousedown button 2 2 1",
        "mouseup button 2 0 1",
    ]
    await page.page.evaluate("addEventListener('contextmenu', (event) => (window.menu = event))")
    await page.do("click", selector="#button", button="right")
    assert await page.page.evaluate("menu.defaultPrevented")
    await page.page.mouse.click(5, 5, button="right")
    assert not await page.page.evaluate("menu.defaultPrevented")


async def test_middle_button_opens_a_link_in_another_tab(page: DrivenTab) -> None:
    result = await page.do("click", selector="#link", button="middle")

    assert page.site.url("/two") in result["notes"][0]
    assert len(result["notes"]) == 1
    assert result["title"] == "Shown"


POINTS = [
    ("#map", [10, 5], ["map", 10, 5]),
    ("#map", [10, 2990], ["map", 10, 2990]),
    ("#map", [110, 50], ["pin", 10, 10]),
    ("#wide", [850, 870], ["wide", 850, 870]),
]


async def test_point_of_an_element_is_scrolled_into_view_and_hit(page: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, at, hit in POINTS:
        with subtests.test(f"{selector} {at}"):
            await page.page.evaluate("scrollTo(0, 0); at = null")
            await page.do("click", selector=selector, at=at)

            assert await page.page.evaluate("at") == hit


async def test_mouse_hovers_over_a_point_of_an_element(page: DrivenTab) -> None:
    await page.page.evaluate(
        "void (map.onmousemove = ({ target, offsetX, offsetY }) => (at = [target.id, offsetX, offsetY]))"
    )

    for at, hit in (([10, 2990], ["map", 10, 2990]), ([110, 50], ["pin", 10, 10])):
        await page.do("hover", selector="#map", at=at)
        assert await page.page.evaluate("at") == hit
    code, message = await page.refused("hover", selector="#map", at=[301, 5])
    assert (code, "300 pixels wide" in message) == ("EXECUTION_ERROR", True)


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"count": 4}, "count must be an integer from 1 to 3"),
    ({"count": 0}, "count must be"),
    ({"count": 1.5}, "count must be"),
    ({"button": "both"}, "button must be one of left, right, middle"),
    ({"at": [1]}, "at must be [x, y]"),
    ({"at": [-1, 2]}, "at must be [x, y]"),
    ({"at": "1, 2"}, "at must be [x, y]"),
    ({"at": ["1", 2]}, "at must be [x, y]"),
]


async def test_impossible_click_and_point_outside_the_element_or_under_another_are_rejected(page: DrivenTab) -> None:
    for params, says in IMPOSSIBLE:
        code, message = await page.refused("click", selector="#button", **params)
        assert (code, says in message) == ("INVALID_ARGUMENT", True), message
    code, message = await page.refused_soon("click", selector="#small", at=[101, 5])
    assert (code, "100 pixels wide and 100 high" in message) == ("EXECUTION_ERROR", True)

    await page.page.evaluate("document.querySelector('#pin').insertAdjacentHTML('afterend', '<i id=i>x</i>')")
    await page.page.evaluate("map.after(over); over.hidden = false; over.style.inset = '0 0 50% 0'")
    code, message = await page.refused_soon("click", selector="#button", at=[2, 2])
    assert (code, "is still covered by div#over" in message) == ("EXECUTION_ERROR", True)
    assert await page.page.evaluate("events") == []


# --- Presses that the page does not show


NO_SIGN = (
    "The page did not react to the press. It may be busy, or a prompt of the browser, such as a sign-in, may keep "
    "input from it. Check it, or ask the user, before you try again."
)
BUSY = "for (const end = performance.now() + 700; performance.now() < end;);"
COVERING = "setTimeout(() => { cover.hidden = false; document.title = 'Covered' }, 500)"
LEAVING = "location.href = '/two'"
WHEN_TOUCHED = """<button id=go style="margin-left: 300px">Go</button>
<div id=cover hidden style="position: fixed; inset: 0">Cover</div><script>
  window.events = [];
  addEventListener("click", ({{ target }}) => events.push(target.id));
  go.addEventListener("mousemove", () => {{ {does} }}, {{ once: true }});
</script>"""
KEEPS_QUIET = """<button id=stopped>Go</button><iframe id=other src="{other}"></iframe>
<object id=object type="text/html" data="{other}"></object><a id=left href=# onpointerdown="location.href = '/two'">Leave</a><script>
  window.events = [];
  for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {{
    addEventListener(type, (event) => {{
      if (event.target.id === "stopped") event.stopImmediatePropagation();
      events.push(type);
    }}, true);
  }}
</script>"""


@asynccontextmanager
async def dead_to_the_mouse(tab: DrivenTab) -> AsyncGenerator[None]:
    """Make the browser drop mouse events in the tab, as it does below one of its own windows."""
    session = await tab.page.context.new_cdp_session(tab.page)
    await session.send("Input.setIgnoreInputEvents", {"ignore": True})
    try:
        yield
    finally:
        await session.detach()


async def test_press_that_never_reaches_the_page_is_reported(page: DrivenTab) -> None:
    async with dead_to_the_mouse(page):
        lost = await page.do("click", selector="#button")
        dragged = await page.do("drag", source="#button", target_at=[20, 0])

    assert (lost["notes"], dragged["notes"]) == ([NO_SIGN], [NO_SIGN])
    assert len(json.dumps(lost)) < 400
    assert await page.page.evaluate("events") == []
    assert "notes" not in await page.do("click", selector="#button")
    assert "click button 0 0 1" in await page.page.evaluate("events")


async def test_press_that_a_busy_page_handles_late_is_not_considered_lost(blank: DrivenTab) -> None:
    await blank.write(WHEN_TOUCHED.format(does=BUSY))

    assert "notes" not in await blank.do("click", selector="#go")
    assert await blank.page.evaluate("events") == ["go"]


async def test_delayed_press_is_blocked_from_an_element_that_now_covers_the_target(blank: DrivenTab) -> None:
    await blank.write(WHEN_TOUCHED.format(does=COVERING))

    async with blank.mouse_held_up("Covered", "mousePressed", "mouseReleased"):
        code, message = await blank.refused_soon("click", selector="#go")

    assert (code, 'is still covered by div#cover "Cover"' in message) == ("EXECUTION_ERROR", True)
    assert await blank.page.evaluate("events") == []
    await blank.do("click", selector="#cover")
    assert await blank.page.evaluate("events") == ["cover"]


async def test_press_that_arrives_after_the_page_has_left_is_reported(blank: DrivenTab) -> None:
    await blank.write(WHEN_TOUCHED.format(does=LEAVING))

    async with blank.mouse_held_up("Two", "mousePressed", "mouseReleased"):
        result = await blank.do("click", selector="#go")

    assert (result["title"], result["notes"]) == ("Two", [NO_SIGN])


async def test_press_that_a_page_stops_from_propagating_is_not_considered_lost(
    blank: DrivenTab, subtests: pytest.Subtests
) -> None:
    await blank.write(KEEPS_QUIET.format(other=blank.site.url("/one").replace("127.0.0.1", "localhost")))
    # The last one leaves the page.
    for selector in ["#stopped", "#other", "#object", "#left"]:
        with subtests.test(selector):
            result = await blank.do("click", selector=selector)

            assert "notes" not in result
            assert result["title"] == ("Two" if selector == "#left" else "Shown")
            if selector == "#stopped":
                assert await blank.page.evaluate("events") == [
                    "pointerdown",
                    "mousedown",
                    "pointerup",
                    "mouseup",
                    "click",
                ]
