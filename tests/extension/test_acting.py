"""An action reports what happened: what received the click, what was in the way, which requests it started."""

from pathlib import Path

import pytest

from tests.extension.conftest import DrivenTab, changed_worker, rewritten_tab_at, shared_tab_at
from tests.support.polling import until

tab = shared_tab_at("/blank")


async def test_clicking_an_item_selects_it_although_the_list_opened_below_the_resting_mouse(tab: DrivenTab) -> None:
    await tab.open("/acting/list-below-mouse.html")
    await tab.do("hover", selector="#rest")
    await tab.do("press", selector="#field", keys="Shift")

    await tab.do("click", selector="text=PDX")

    assert await tab.page.evaluate("chosen.trim()") == "PDX"


async def test_element_that_moves_away_before_the_press_is_pressed_where_it_stops(tab: DrivenTab) -> None:
    await tab.open("/acting/moving-button.html")

    await tab.do("click", selector="#go")

    assert await tab.page.evaluate("[pressed.at(-1), document.querySelector('#go').style.left]") == ["go", "600px"]


async def test_hover_works_in_quirks_mode(tab: DrivenTab) -> None:
    await tab.open("/acting/quirks.html")

    result = await tab.do("hover", selector="#menu")

    assert await tab.page.evaluate("document.compatMode") == "BackCompat"
    assert (result["title"], "notes" in result) == ("Over", False)


async def test_hover_works_on_a_layer_above_a_page_without_input(tab: DrivenTab) -> None:
    await tab.page.set_content(
        "<!doctype html><body style='pointer-events: none'><div popover=manual id=menu style='pointer-events: auto'>More</div>"
        "<script>menu.showPopover(); menu.onmouseenter = () => (document.title = 'Over')</script>"
    )

    result = await tab.do("hover", selector="#menu")

    assert (result["title"], "notes" in result) == ("Over", False)


async def test_component_that_the_page_removed_once_it_was_clicked_stops_no_further_click(tab: DrivenTab) -> None:
    await tab.page.set_content(
        "<div><x-option id=one onclick='this.parentNode.remove()' style='cursor: pointer'>Pizza</x-option></div>"
        "<button onclick='this.textContent = 1'>0</button>"
    )

    await tab.do("click", selector="#one")
    await tab.do("click", selector="button")

    assert await tab.page.text_content("button") == "1"


async def test_click_on_what_disappears_under_the_mouse_is_refused_soon(tab: DrivenTab) -> None:
    await tab.page.mouse.move(700, 500)
    await tab.page.set_content(
        "<div onmouseover='hide.hidden = true; show.hidden = false' style='width: 90px; height: 30px'>"
        "<button id=hide>Layers</button><label id=show hidden>Pins</label></div>"
    )

    code, message = await tab.refused("click", selector="#hide")

    assert (code, "disappears when the mouse moves" in message) == ("EXECUTION_ERROR", True)
    assert await tab.page.locator("#show").is_visible()


async def test_item_of_a_menu_without_a_state_so_far_is_reported_as_checked(tab: DrivenTab) -> None:
    await tab.page.set_content("<p role=menuitemcheckbox onclick='this.ariaChecked = true'>Wrap</p>")

    assert (await tab.do("click", selector="p"))["checked"] is True


TREE = f"""<ul role=tree onclick="document.title = event.target.closest('[role]').id">
<li role=treeitem id=branch>Branch<ul role=group>{"<li role=treeitem>Leaf</li>" * 40}</ul></li>
<li role=treeitem id=ticked style="width: 150px">
<span role=checkbox style="display: inline-block; width: 90px; height: 20px"></span>Leaf</li></ul>"""


@pytest.mark.parametrize("node", ["branch", "ticked"])
async def test_click_on_a_node_of_a_tree_is_for_nothing_in_it(tab: DrivenTab, node: str) -> None:
    await tab.page.set_content(TREE)

    assert (await tab.do("click", selector=f"#{node}"))["title"] == node


CHECKED_BELOW = """<title>Check boxes above what is drawn for them</title>
<p style="position: relative"><input type=checkbox style="position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0">
<span>Off</span></p>
<p style="position: relative"><input type=checkbox style="position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0">
<button>Delete</button></p>
<ul tabindex=0><li id=current style="pointer-events: none">First<li><a href=#second>Second</a></ul>"""


async def test_click_is_for_the_check_box_above_its_drawing_but_not_for_what_is_next_to_the_element(
    tab: DrivenTab,
) -> None:
    await tab.page.set_content(CHECKED_BELOW)

    await tab.do("click", selector="span")

    assert await tab.page.eval_on_selector_all("input", "all => all.map(one => one.checked)") == [True, False]
    for other in ("button", "#current"):
        assert (await tab.refused_soon("click", selector=other))[0] == "EXECUTION_ERROR"


async def test_click_on_an_element_without_pointer_events_reaches_the_one_that_handles_it_there(
    tab: DrivenTab,
) -> None:
    await tab.open("/acting/pointer-events.html")

    takers = {
        "#inner": ("Clicked link", "#link > div"),
        "#label": ("Clicked shape", "#shape > rect"),
        "#label-apart": ("Clicked apart", "#apart"),
        "#text": ("Clicked button", "#text"),
        "#caption": ("Clicked field", "#caption"),
        "#size": ("Clicked touch", "#size"),
        "#lower": ("Clicked upper", "#lower"),
        "#sheet": ("Clicked glass", "#sheet"),
        "#veiled": ("Clicked veil", "#veiled"),
    }
    for inner, (title, taker) in takers.items():
        result = await tab.do("click", selector=inner)

        assert (result["title"], result["element"]["selector"]) == (title, taker)

    for covered in ("#written", "#masked"):
        assert (await tab.refused_soon("click", selector=covered))[0] == "EXECUTION_ERROR"


async def test_nodes_and_ports_of_a_drawing_are_acted_on_by_their_listed_selectors(tab: DrivenTab) -> None:
    await tab.open("/acting/drawing.html")
    text = (await tab.do("page_elements"))["text"]
    first, port, other = [line.split("  ")[1] for line in text.splitlines() if line.startswith("draggable")][:3]

    opened = await tab.do("click", selector=first, count=2)
    wired = await tab.do("drag", source=port, target=other)
    await tab.do("drag", source=other, target_at=[45, 115])

    assert opened["changed"] == 'status "Edit inject"'
    assert "SVG path drawn: #wire" in wired["changed"]
    assert await tab.page.evaluate("document.querySelector('[data-node=debug]').getBoundingClientRect().y") > 150


async def test_refusal_names_what_is_in_the_way_and_how_to_close_it(tab: DrivenTab) -> None:
    await tab.open("/acting/dialog-in-the-way.html")

    code, message = await tab.refused_soon("click", selector="#go")

    assert code == "EXECUTION_ERROR"
    assert [part for part in ("dialog ", "(#box)", "Close it with #shut or #ok") if part not in message] == [], message
    await tab.do("click", selector="#shut")
    await tab.do("click", selector="#go")

    await tab.page.evaluate("question.showModal()")
    _, message = await tab.refused_soon("click", selector="#go")
    assert [part for part in ("(#question)", "with #yes or #no", "Escape") if part not in message] == [], message


# Responses of a server that take longer than a page without requests is watched.
SLOW_S = 0.2


requests = rewritten_tab_at("/acting/requests.html")


@pytest.fixture
async def asking(requests: DrivenTab) -> DrivenTab:
    requests.site.pages["/asked"] = b"Saved"
    requests.site.delays_s["/asked"] = SLOW_S
    return requests


async def test_toast_after_a_clicks_requests_is_in_its_reply(asking: DrivenTab) -> None:
    # The page makes two, one after the other, and a busy machine needs most of the second in which they are waited for.
    asking.site.delays_s["/asked"] = SLOW_S / 2

    assert (await asking.do("click", selector="#go"))["changed"] == 'status "Saved"'


async def test_request_that_starts_within_50_ms_is_waited_for(asking: DrivenTab) -> None:
    assert (await asking.do("click", selector="#soon"))["changed"] == 'status "Saved"'


@pytest.mark.parametrize(("selector", "value"), [("#search", "ada\n"), ("#filter", "ada")], ids=["entered", "typed"])
async def test_what_a_filled_field_asks_for_is_waited_for(asking: DrivenTab, selector: str, value: str) -> None:
    assert (await asking.do("fill", selector=selector, value=value))["changed"] == 'status "Saved"'


async def test_what_hovering_a_busy_page_asks_for_is_waited_for(asking: DrivenTab) -> None:
    # The page shows the response late. No earlier test has left the mouse where the hint is.
    await asking.show(
        "<p id=hint style='margin-top: 400px'>Hint</p><p id=said role=status></p><script>"
        "const busy = setInterval(() => { const end = performance.now() + 400; while (performance.now() < end) ; }, 0);"
        "hint.onmouseover = async () => {"
        " said.textContent = await (await fetch('/asked')).text(); clearInterval(busy) }</script>"
    )

    assert (await asking.do("hover", selector="#hint"))["changed"] == 'status "Saved"'


async def test_what_an_upload_asks_for_is_waited_for(asking: DrivenTab, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("one")

    result = await asking.do("upload", selector="#file", paths=[str(tmp_path / "one.txt")])

    assert (result["changed"], result["files"]) == ('status "Saved"', ["one.txt"])


async def test_endless_request_is_not_waited_for_long_but_noted_until_it_ends(asking: DrivenTab) -> None:
    asking.site.asked.clear()

    async def arrived() -> bool:
        return "/late" in asking.site.asked

    async def ended() -> bool:
        return note not in (await asking.refused("wait_for", text="Done", timeout=1))[1]

    clicked = await asking.do("click", selector="#forever")
    (note,) = clicked["notes"]
    assert "changed" not in clicked
    await until(arrived)
    assert not await ended()
    assert "notes" not in await asking.do("wait_for", selector="#go")
    asking.site.finish_slow.set()
    await until(ended)


IMAGE_MAP = """<map name="the plan"><area coords="0,0,50,50" alt=Kitchen href="#kitchen">
<area shape=circle coords="80,80,15" alt=Stairs href="#stairs"><area shape=poly coords="50,0,100,0,100,40" alt=Roof href="#roof">
<area shape=default alt=Garden href="#garden"></map><map name=unused><area coords="0,0,9,9" alt=Unused href="#unused"></map>
<div style="height: 2000px"></div><img usemap="#the plan" width=100 height=100 alt=Plan
style="border: 20px solid; padding: 30px" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">"""


async def test_parts_of_an_image_map_are_listed_and_clicked(asking: DrivenTab) -> None:
    await asking.show(IMAGE_MAP)

    listed = (await asking.do("page_elements"))["text"]
    names = ["Kitchen", "Stairs", "Roof", "Garden"]
    assert [name for name in [*names, "Unused"] if f'link "{name}"' in listed] == names
    for name in names[:3]:
        await asking.do("click", selector=f'[alt="{name}"]')
        assert await asking.page.evaluate("location.hash") == f"#{name.lower()}"


FAILING = """<button id=save>Save</button> <button id=missing>Load</button> <button id=searched>Search</button>
<button id=reported>Report</button> <button id=given-up>Give up</button> <button id=saved>Save a copy</button>
<p id=said role=status></p><script>
  const on = (id, action) => (document.getElementById(id).onclick = action);
  on("save", async () => { await fetch("/failing", { method: "POST" }); said.textContent = "Done" });
  on("saved", () => fetch("/asked", { method: "POST" }));
  on("missing", () => fetch("/failing"));
  on("searched", async () => { await fetch("/failing"); said.textContent = "Nothing found" });
  on("reported", () => fetch("OTHER/failing", { method: "POST", mode: "no-cors" }));
  on("given-up", () => { const ended = new AbortController();
    fetch("/asked", { method: "POST", signal: ended.signal }).catch(() => {}); ended.abort() });
</script>"""


async def test_request_that_failed_is_noted_although_the_page_does_not_show_it(asking: DrivenTab) -> None:
    asking.site.statuses["/failing"] = 500
    asking.site.pages["/failing"] = b"No space left"
    asking.site.delays_s.clear()
    await asking.show(FAILING.replace("OTHER", asking.site.url("").replace("127.0.0.1", "localhost")))

    saved = await asking.do("click", selector="#save")
    failed, *_ = (await asking.do("network_requests", filter="/failing"))["entries"]

    assert saved["changed"] == 'status "Done"'
    assert [(f'body_of="{failed["id"]}"' in note, "500" in note) for note in saved["notes"]] == [(True, True)]
    assert (await asking.do("network_requests", body_of=failed["id"]))["entries"][0]["body"] == "No space left"
    # A request that only reads is noted if nothing else happened.
    assert ["500" in note for note in (await asking.do("click", selector="#missing"))["notes"]] == [True]
    for other in ("#saved", "#searched", "#reported", "#given-up"):
        assert (other, (await asking.do("click", selector=other)).get("notes")) == (other, None)


async def test_script_that_failed_is_noted_if_nothing_else_happened(asking: DrivenTab) -> None:
    await asking.show("""<button id=thrown>Save</button> <button id=rejected>Load</button> <button id=shown>Send</button>
        <button id=handled>Search</button><p id=said role=status></p><script>
        thrown.onclick = () => { throw new Error("boom") };
        rejected.onclick = async () => missing.click();
        shown.onclick = () => { said.textContent = "Sent"; throw new Error("boom") };
        handled.onclick = () => console.error("boom");</script>""")

    for silent in ("#thrown", "#rejected"):
        assert ["console_logs" in note for note in (await asking.do("click", selector=silent))["notes"]] == [True]
    for other in ("#shown", "#handled"):
        assert (other, (await asking.do("click", selector=other)).get("notes")) == (other, None)


# In the service worker: the reply to a released mouse button comes once the tab has loaded a page of this title.
LATE_REPLY = """title => {
  const api = chrome.debugger;
  const real = (api.sendCommand.real ??= api.sendCommand);
  const isThere = async () => (await chrome.tabs.query({ title, status: "complete" })).length > 0;
  const late = async (target, method, params) => {
    const reply = await real.call(api, target, method, params);
    while (params?.type === "mouseReleased" && !(await isThere())) await new Promise((go) => setTimeout(go, 20));
    return reply;
  };
  api.sendCommand = title ? Object.assign(late, { real }) : real;
}"""


async def test_page_of_an_error_that_follows_is_noted(asking: DrivenTab) -> None:
    asking.site.statuses["/failing"] = 500
    asking.site.pages["/failing"] = b"<title>Orders</title>"
    links = "<a id=failing href=/failing>Buy</a> <a id=fine href=/one>Look</a>"

    async def notes_of(selector: str) -> list[str] | None:
        await asking.show(links)
        return (await asking.do("click", selector=selector)).get("notes")

    (note,) = await notes_of("#failing") or []

    assert "500" in note
    assert await notes_of("#fine") is None
    # Also if it is there before the extension knows that the button was released.
    await asking.show(links)
    async with changed_worker(asking.page.context, LATE_REPLY, "Orders", ""):
        assert (await asking.do("click", selector="#failing")).get("notes") == [note]


async def test_error_names_the_request_that_failed(asking: DrivenTab) -> None:
    asking.site.statuses["/failing"] = 500
    await asking.show(
        "<input id=city onchange=\"fetch('/failing', { method: 'PUT' }).then(() => { this.value = 'Rome' })\">"
    )

    code, message = await asking.refused("fill", selector="#city", value="Oslo")

    assert (code, "500" in message) == ("VALUE_NOT_KEPT", True)


async def test_list_names_a_frame_that_does_not_answer(tab: DrivenTab) -> None:
    address = tab.site.url("/busy").replace("127.0.0.1", "localhost")
    tab.site.pages["/busy"] = b"""<button>Pay</button><script>
      onmessage = () => { const held = new XMLHttpRequest(); held.open("GET", "/late", false); held.send() }
    </script>"""
    await tab.show(f"<button>Order</button><iframe id=bank src='{address}'></iframe>")

    async def is_listed() -> bool:
        return "Pay" in (await tab.do("page_elements"))["text"]

    async def is_busy() -> bool:
        return "/late" in tab.site.asked

    await until(is_listed)
    tab.site.finish_slow.clear()
    tab.site.asked.clear()
    await tab.page.evaluate("bank.contentWindow.postMessage('', '*')")
    await until(is_busy)
    text = (await tab.do("page_elements"))["text"]
    tab.site.finish_slow.set()

    assert 'button "Order"  button' in text
    assert "the frame #bank are not listed" in text
    await until(is_listed)
    assert "are not listed" not in (await tab.do("page_elements"))["text"]


async def test_field_that_a_server_changes_after_blur_is_reported_as_not_kept(asking: DrivenTab) -> None:
    code, message = await asking.refused("fill", selector="#field", value="new")

    assert (code, '"Saved" now' in message) == ("VALUE_NOT_KEPT", True)
    assert (await asking.do("fill", selector="#field", value="Saved"))["value"] == "Saved"
