"""Dragging: with the mouse, as the page's own drag and drop, and what is rejected or undone."""

import asyncio
from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, changed_waits, changed_worker, reloaded_tab_at, rewritten_tab_at

page = rewritten_tab_at("/acting/dragging.html")
reloaded = reloaded_tab_at("/acting/dragging.html")

# In the service worker: the browser gets the moves of a pressed mouse only when the button is released.
HELD_MOVES = """isOn => {
  const api = chrome.debugger;
  const real = (api.sendCommand.real ??= api.sendCommand);
  const { promise: untilReleased, resolve: release } = Promise.withResolvers();
  const send = async (target, method, params) => {
    if (params?.type === "mouseReleased") release();
    if (["mouseMoved", "mouseReleased"].includes(params?.type) && params.buttons !== undefined) await untilReleased;
    return real.call(api, target, method, params);
  };
  api.sendCommand = isOn ? Object.assign(send, { real }) : real;
}"""


async def order(page: DrivenTab) -> str:
    return await page.page.evaluate("[...document.querySelectorAll('li')].map(({ id }) => id).join('')")


async def test_mouse_drags_an_element_to_where_it_should_end(page: DrivenTab) -> None:
    result = await page.do("drag", source="#box", target="#zone", source_at=[5, 5], target_at=[20, 30])

    assert await page.page.evaluate(
        "[box.getBoundingClientRect().x - zone.getBoundingClientRect().x, box.getBoundingClientRect().y - zone.getBoundingClientRect().y]"
    ) == [15, 25]
    assert (result["element"]["selector"], result["target"]["selector"]) == ("#box", "#zone")
    place = await page.page.evaluate("[box.offsetLeft - 400, box.offsetTop - 20]")
    assert result["changed"] == "moved by {}, {} px".format(*place)
    events = await page.page.evaluate("events")
    assert events[-1] == "up"
    assert events.count("move 1") > 5


@pytest.mark.parametrize(("source", "target", "after"), [("#a", "#c", "bcad"), ("#d", "#a", "dabc")])
async def test_list_is_sorted(page: DrivenTab, source: str, target: str, after: str) -> None:
    await page.do("drag", source=source, target=target)

    assert await order(page) == after


async def test_list_that_looks_at_the_mouse_now_and_then_is_sorted(page: DrivenTab) -> None:
    await page.do("drag", source="#polled > li", target="#polled > :last-child")

    assert await page.page.locator("#polled > li").all_text_contents() == ["2", "3", "1"]


async def test_what_moves_only_after_the_button_was_held_is_dragged(page: DrivenTab) -> None:
    result = await page.do("drag", source="#patient", target="#zone", target_at=[70, 5])

    assert await page.page.evaluate("patient.style.marginLeft") in {"70px", "71px"}
    assert result.get("notes") is None


async def test_drag_that_selects_text_has_moved_nothing(page: DrivenTab) -> None:
    await page.page.evaluate("document.body.style.userSelect = 'auto'")

    result = await page.do("drag", source="#fixed", source_at=[1, 8], target_at=[60, 8])

    assert await page.page.evaluate("getSelection().toString()") == "Fixed"
    assert ["did not move" in note for note in result["notes"]] == [True]


async def test_target_is_the_named_element_as_it_was_before_the_list_makes_room(page: DrivenTab) -> None:
    await page.page.evaluate(
        "list.addEventListener('mousedown', () => list.prepend(Object.assign(document.createElement('li'), { id: '-' })), { once: true })"
    )

    result = await page.do("drag", source="#a", target="#list > li:nth-child(4)")

    assert (result["target"]["text"], await order(page)) == ("D", "-bcda")


async def test_slider_moves_to_a_point_of_its_track_and_a_range_reports_its_value(reloaded: DrivenTab) -> None:
    await reloaded.do("drag", source="#thumb", target="#track", target_at=[150, 10])
    assert await reloaded.page.evaluate("thumb.style.left") == "140px"

    result = await reloaded.do("drag", source="#range", source_at=[8, 8], target="#range", target_at=[100, 8])
    assert result["value"] == "50"
    result = await reloaded.do("drag", source="#range", source_at=[100, 8], target_at=[900, 8])
    assert (result["value"], "target" in result) == ("100", False)


@pytest.mark.parametrize(
    ("source", "target", "dropped"), [("#card", "#zone", "card"), ("#frame >>> #inside", "#frame >>> #there", "inside")]
)
async def test_native_drag_and_drop_delivers_its_data(page: DrivenTab, source: str, target: str, dropped: str) -> None:
    result = await page.do("drag", source=source, target=target)

    assert "notes" not in result
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
    result = await page.do("drag", source="#stuck", target="#zone")

    assert ["did not move" in note for note in result["notes"]] == [True]
    events = await page.page.evaluate("events")
    assert (events[-1], "dragover" in events) == ("up", False)


async def test_drop_that_the_target_refuses_is_an_error(page: DrivenTab) -> None:
    code, message = await page.refused("drag", source="#card", target="#wall")

    assert (code, "#wall" in message) == ("EXECUTION_ERROR", True), message
    events = [event for event in await page.page.evaluate("events") if "move" not in event]
    assert (events[0], events[-1], [each for each in events if "drop" in each]) == ("dragstart", "dragend", [])
    await page.do("drag", source="#card", target="#zone")


async def test_drop_on_nothing_is_noted_because_the_page_may_use_where_the_drag_ended(page: DrivenTab) -> None:
    result = await page.do("drag", source="#own", target_at=[300, 5])

    assert len(result["notes"]) == 1
    assert await page.page.evaluate("own.style.marginLeft") == "300px"


async def test_draggable_element_whose_drag_never_begins_is_noted(page: DrivenTab) -> None:
    result = await page.do("drag", source="#lazy", target="#zone")

    assert ["#lazy" in note for note in result["notes"]] == [True]


# In the service worker: whether the browser keeps its drags for itself, and hands none over.
KEEP_DRAGS = """isKept => {
  const api = chrome.debugger;
  const real = (api.sendCommand.real ??= api.sendCommand);
  const send = (target, method, params) =>
    real.call(api, target, method, method === "Input.setInterceptDrags" ? { enabled: false } : params);
  api.sendCommand = isKept ? Object.assign(send, { real }) : real;
}"""


async def test_drag_that_the_browser_does_not_hand_over_is_an_error(page: DrivenTab) -> None:
    context = page.page.context
    async with changed_worker(context, KEEP_DRAGS, True, False), changed_waits(context, {5_000: 100}):
        code, _ = await page.refused("drag", source="#card", target="#zone")

    assert code == "EXECUTION_ERROR"
    assert "dragstart" in await page.page.evaluate("events")
    assert [event for event in await page.page.evaluate("events") if "drop" in event] == []
    await page.do("drag", source="#card", target="#zone")


async def test_drag_that_begins_after_the_first_steps_is_an_error(page: DrivenTab) -> None:
    context = page.page.context
    async with changed_worker(context, HELD_MOVES, True, False), changed_waits(context, {300: 1, 2_000: 10}):
        code, _ = await page.refused("drag", source="#card", target="#zone")

    assert code == "EXECUTION_ERROR"
    assert [event for event in await page.page.evaluate("events") if "drop" in event] == []
    await page.do("drag", source="#card", target="#zone")
    assert "drop card" in await page.page.evaluate("events")


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
    await page.user_does("detach")
    reply = await dragging
    await page.user_does("attach")
    await page.received("tab_attached")

    assert reply["error"]["code"] == "TAB_DISCONNECTED"
    await page.page.wait_for_function("events.at(-1) === 'up'")


async def test_impossible_drag_is_rejected_before_anything_is_pressed(page: DrivenTab) -> None:
    impossible: list[tuple[dict[str, Any], str, str]] = [
        ({"source": "#box"}, "INVALID_ARGUMENT", "target, or target_at"),
        ({"target": "#box"}, "INVALID_ARGUMENT", "source must be"),
        ({"source": "#box", "target": 5}, "INVALID_ARGUMENT", "target must be"),
        ({"source": "#box", "target": "#zone", "target_at": [-1, 0]}, "INVALID_ARGUMENT", "target_at must be"),
        ({"source": "#box", "target": "#zonee"}, "ELEMENT_NOT_FOUND", "#zone"),
        ({"source": "#boxx", "target": "#zone"}, "ELEMENT_NOT_FOUND", "#box"),
    ]
    for params, code, says in impossible:
        found, message = await page.refused("drag", **params)

        assert (found, says in message) == (code, True), message
    assert [event for event in await page.page.evaluate("events") if event != "move 0"] == []


async def test_list_whose_items_move_out_of_the_way_gets_the_element_at_its_target(page: DrivenTab) -> None:
    result = await page.do("drag", source="#slow > li:nth-child(1)", target="#slow > li:nth-child(3)")

    assert (await page.page.inner_text("#slow")).split() == ["2", "3", "1"]
    assert result["changed"] == 'moved "1"'


async def test_element_that_the_page_draws_again_at_the_target_has_moved(page: DrivenTab) -> None:
    result = await page.do("drag", source="#remade", target="#zone")

    way = "one => { const { x, y } = one.getBoundingClientRect(); return [x, y - one.dataset.from].map(Math.round); }"
    right, down = await page.page.locator("[data-from]").evaluate(way)
    assert result["changed"] == f"moved by {right}, {down} px"


async def test_element_that_a_drag_enlarges_is_reported_with_its_new_size(page: DrivenTab) -> None:
    await page.show("""<body style="margin: 0"><p id=box style="margin: 0; width: 100px; height: 40px"></p><script>
      const box = document.querySelector("#box");
      box.onpointerdown = (event) => box.setPointerCapture(event.pointerId);
      box.onpointermove = ({ buttons, x }) => buttons && (box.style.width = `${Math.round(x)}px`);
    </script>""")

    result = await page.do("drag", source="#box", source_at=[99, 20], target_at=[200, 20])

    assert result["changed"] == "resized to 200x40 px"


@pytest.mark.parametrize("source", ["#fixed", "#back"])
async def test_drag_that_moves_nothing_is_noted(page: DrivenTab, source: str) -> None:
    result = await page.do("drag", source=source, target="#zone")

    assert ["did not move" in note for note in result["notes"]] == [True]
    assert "notes" not in await page.do("drag", source="#box", target="#zone")


async def test_selection_that_a_drag_has_left_is_not_what_the_next_one_drags(page: DrivenTab) -> None:
    await page.write("<p id=locked>This does not move</p><p id=other>Other</p>")

    for _ in range(2):
        result = await page.do("drag", source="#locked", target="#other")

        assert ["did not move" in note for note in result["notes"]] == [True]
        assert await page.page.evaluate("!getSelection().isCollapsed"), "a control: the drag selects text"
