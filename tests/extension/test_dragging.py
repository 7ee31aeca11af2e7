"""Dragging: with the mouse, as the page's own drag and drop, and what is rejected or undone."""

import asyncio
from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, shared_tab_at

# A box that follows the mouse, a list that is sorted as in jQuery UI, a slider, and the browser's drag and drop.
PAGE = """<style>body { margin: 0; user-select: none } li { height: 30px; width: 200px; list-style: none }
#box { position: absolute; left: 400px; top: 20px; width: 60px; height: 60px; background: red }
#zone, #far { width: 120px; height: 60px; border: 1px solid } #track { position: relative; width: 220px; height: 20px; background: gray }
#thumb { position: absolute; left: 0; width: 20px; height: 20px; background: blue } #far { margin-top: 3000px }</style>
<ul id=list><li id=a>A</li><li id=b>B</li><li id=c>C</li><li id=d>D</li></ul>
<input id=range type=range min=0 max=100 value=0 style="width: 200px; margin: 0"><div id=track><div id=thumb></div></div>
<div id=card draggable=true>Card</div><div id=stuck draggable=true>Stuck</div><div id=zone>Zone</div>
<div id=box>Box</div><iframe id=frame srcdoc="<body style='margin: 0'><div id=inside draggable=true>Inside</div><p id=there style='height: 80px'>There"></iframe>
<div id=far>Far</div><script>
  const $ = (id) => document.getElementById(id);
  window.events = [];
  let grip = null;
  box.onmousedown = (event) => { grip = { x: event.clientX - box.offsetLeft, y: event.clientY - box.offsetTop }; };
  let sorted = null, from = null;
  list.onmousedown = ({ target, clientY }) => { sorted = target; from = clientY; };
  let slid = false;
  thumb.onmousedown = () => (slid = true);
  addEventListener("mousemove", (event) => {
    events.push(`move ${event.buttons}`);
    if (grip) box.style.left = `${event.clientX - grip.x}px`, box.style.top = `${event.clientY - grip.y}px`;
    if (slid) thumb.style.left = `${Math.min(200, Math.max(0, event.clientX - 10))}px`;
    // As sortable: nothing at the first move over another one, and after it is where the mouse goes.
    if (sorted && Math.abs(event.clientY - from) > 5) {
      const over = document.elementFromPoint(100, event.clientY);
      if (over?.matches("li") && over !== sorted) over[event.clientY > from ? "after" : "before"](sorted);
      from = event.clientY;
    }
  });
  addEventListener("mouseup", () => { events.push("up"); grip = sorted = null; slid = false; });
  const watch = (page, card, zone) => {
    card.ondragstart = (event) => { events.push("dragstart"); event.dataTransfer.setData("text/plain", card.id); };
    zone.ondragover = (event) => { if (events.at(-1) !== "dragover") events.push("dragover"); event.preventDefault(); };
    zone.ondrop = (event) => { events.push(`drop ${event.dataTransfer.getData("text/plain")}`); event.preventDefault(); zone.append(card); };
    card.ondragend = () => events.push("dragend");
  };
  watch(document, card, zone);
  stuck.ondragstart = (event) => event.preventDefault();
  $("frame").onload = ({ target: { contentDocument } }) => {
    watch(contentDocument, ...contentDocument.querySelectorAll("div, p"));
    document.title = "Ready";
  };
</script>"""
blank = shared_tab_at("/blank")


@pytest.fixture
async def page(blank: DrivenTab) -> DrivenTab:
    await blank.show(PAGE)
    await blank.do("wait_for", selector="#frame >>> #there")
    await blank.page.evaluate("events.splice(0)")
    return blank


@pytest.fixture
async def same_page(blank: DrivenTab) -> DrivenTab:
    await blank.keep(PAGE)
    return blank


async def order(page: DrivenTab) -> str:
    return await page.page.evaluate("[...document.querySelectorAll('li')].map(({ id }) => id).join('')")


async def test_mouse_drags_an_element_to_where_it_should_end(page: DrivenTab) -> None:
    result = await page.do("drag", source="#box", target="#zone", source_at=[5, 5], target_at=[20, 30])

    assert await page.page.evaluate(
        "[box.getBoundingClientRect().x - zone.getBoundingClientRect().x, box.getBoundingClientRect().y - zone.getBoundingClientRect().y]"
    ) == [15, 25]
    assert (result["element"]["selector"], result["target"]["selector"]) == ("#box", "#zone")
    events = await page.page.evaluate("events")
    assert events[-1] == "up"
    assert events.count("move 1") > 5


@pytest.mark.parametrize(
    ("source", "target", "after"), [("#a", "#c", "bcad"), ("#d", "#a", "dabc"), ("#b", "#d", "acdb")]
)
async def test_list_is_sorted(page: DrivenTab, source: str, target: str, after: str) -> None:
    await page.do("drag", source=source, target=target)

    assert await order(page) == after


async def test_target_is_the_named_element_as_it_was_before_the_list_makes_room(page: DrivenTab) -> None:
    await page.page.evaluate(
        "list.addEventListener('mousedown', () => list.prepend(Object.assign(document.createElement('li'), { id: '-' })), { once: true })"
    )

    result = await page.do("drag", source="#a", target="#list > li:nth-child(4)")

    assert (result["target"]["text"], await order(page)) == ("D", "-bcda")


async def test_slider_moves_to_a_point_of_its_track_and_a_range_reports_its_value(page: DrivenTab) -> None:
    await page.do("drag", source="#thumb", target="#track", target_at=[150, 10])
    assert await page.page.evaluate("thumb.style.left") == "140px"

    result = await page.do("drag", source="#range", source_at=[8, 8], target="#range", target_at=[100, 8])
    assert result["value"] == "50"
    result = await page.do("drag", source="#range", source_at=[100, 8], target_at=[900, 8])
    assert (result["value"], "target" in result) == ("100", False)


@pytest.mark.parametrize(
    ("source", "target", "dropped"), [("#card", "#zone", "card"), ("#frame >>> #inside", "#frame >>> #there", "inside")]
)
async def test_native_drag_and_drop_delivers_its_data(page: DrivenTab, source: str, target: str, dropped: str) -> None:
    await page.do("drag", source=source, target=target)

    events = [event for event in await page.page.evaluate("events") if "move" not in event]
    assert events[:3] == ["dragstart", "dragover", f"drop {dropped}"]
    assert events[3:] == ["dragend"]
    await page.do("drag", source="#box", target="#zone")
    assert (await page.page.evaluate("events"))[-1] == "up"


async def test_native_drag_and_drop_works_even_if_its_first_move_comes_late(page: DrivenTab) -> None:
    await page.page.evaluate("card.onmousedown = () => void setTimeout(() => (document.title = 'Held'), 500)")

    async with page.mouse_held_up("Held", "mouseMoved", "mouseReleased"):
        await page.do("drag", source="#card", target="#zone")

    assert [event for event in await page.page.evaluate("events") if event.startswith("drop")] == ["drop card"]


async def test_drag_whose_native_form_is_prevented_remains_a_mouse_drag(page: DrivenTab) -> None:
    await page.do("drag", source="#stuck", target="#zone")

    events = await page.page.evaluate("events")
    assert (events[-1], "dragover" in events) == ("up", False)


async def test_target_out_of_view_is_scrolled_into_view(page: DrivenTab) -> None:
    await page.do("drag", source="#card", target="#far")

    assert await page.page.evaluate("far.getBoundingClientRect().bottom <= innerHeight")


async def test_dragging_works_in_a_background_tab_too(page: DrivenTab) -> None:
    await page.popup.page.bring_to_front()

    await page.do("drag", source="#card", target="#zone")

    assert "drop card" in await page.page.evaluate("events")


async def test_mouse_is_released_if_the_drag_fails_halfway(page: DrivenTab) -> None:
    await page.page.evaluate("box.addEventListener('mousedown', () => zone.remove())")

    code, message = await page.refused("drag", source="#box", target="#zone")

    assert (code, "#zone" in message) == ("ELEMENT_NOT_FOUND", True)
    assert (await page.page.evaluate("events"))[-1] == "up"


async def test_mouse_is_released_when_the_command_is_cancelled(page: DrivenTab) -> None:
    await page.page.evaluate("box.addEventListener('mousedown', () => (zone.hidden = true))")
    dragging = asyncio.create_task(page.ask("drag", source="#box", target="#zone"))
    await page.page.wait_for_function("zone.hidden")
    await page.person_does("detach")
    reply = await dragging
    await page.person_does("attach")

    assert reply["error"]["code"] == "TAB_DISCONNECTED"
    await page.page.wait_for_function("events.at(-1) === 'up'")


@pytest.mark.parametrize(
    ("params", "code", "says"),
    [
        ({"source": "#box"}, "INVALID_ARGUMENT", "target, or target_at"),
        ({"target": "#box"}, "INVALID_ARGUMENT", "source must be"),
        ({"source": "#box", "target": 5}, "INVALID_ARGUMENT", "target must be"),
        ({"source": "#box", "target": "#zone", "target_at": [-1, 0]}, "INVALID_ARGUMENT", "target_at must be"),
        ({"source": "#box", "target": "#zonee"}, "ELEMENT_NOT_FOUND", "#zone"),
        ({"source": "#boxx", "target": "#zone"}, "ELEMENT_NOT_FOUND", "#box"),
    ],
)
async def test_impossible_drag_is_rejected_before_anything_is_pressed(
    same_page: DrivenTab, params: dict[str, Any], code: str, says: str
) -> None:
    found, message = await same_page.refused("drag", **params)

    assert (found, says in message) == (code, True), message
    assert [event for event in await same_page.page.evaluate("events") if event != "move 0"] == []
