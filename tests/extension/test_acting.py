"""An action reports what happened: what received the click, what was in the way, what changed."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Route

from tests.extension.conftest import DrivenTab, shared_tab_at

tab = shared_tab_at("/blank")

# A list that opens below the resting mouse takes the next move as one onto the item below it.
SUGGESTING = """<style>body { margin: 0 } div { height: 40px } li { height: 40px; list-style: none }</style>
<div id=rest style="width: 200px">Rest</div><ul id=list style="position: absolute; top: 0; margin: 0; padding: 0; width: 300px; background: white"
hidden><li>SFO<li>PWM<li>PDX</ul><input id=field onfocus="document.querySelector('#list').hidden = false" style="position: absolute; top: 300px"><script>
  window.chosen = "";
  let active = "", isNew = true;
  for (const item of document.querySelector("#list").children) {
    item.onmouseenter = () => {
      if (isNew) addEventListener("mousemove", () => (active = item.textContent), { once: true });
      else active = item.textContent;
      isNew = false;
    };
    item.onclick = () => (chosen = active);
  }
</script>"""


async def test_clicking_an_item_selects_it_although_the_list_opened_below_the_resting_mouse(tab: DrivenTab) -> None:
    await tab.show(SUGGESTING)
    await tab.do("hover", selector="#rest")
    await tab.do("press", selector="#field", keys="Shift")

    await tab.do("click", selector="text=PDX")

    assert await tab.page.evaluate("chosen.trim()") == "PDX"


# The mouse's arrival starts a script that moves it, for longer than a press takes to arrive.
LEAVING = """<style>body { margin: 0; height: 400px } button { position: absolute; left: 0; width: 40px }</style>
<button id=go>Go</button><script>
  window.pressed = [];
  addEventListener("pointerdown", ({ target }) => pressed.push(target.id), true);
  const step = (left) => {
    document.querySelector("#go").style.left = `${left}px`;
    if (left < 600) requestAnimationFrame(() => step(left + 60));
  };
  addEventListener("mousemove", () => step(60), { once: true });
</script>"""


async def test_element_that_moves_away_before_the_press_is_pressed_where_it_stops(tab: DrivenTab) -> None:
    await tab.show(LEAVING)

    await tab.do("click", selector="#go")

    assert await tab.page.evaluate("[pressed.at(-1), document.querySelector('#go').style.left]") == ["go", "600px"]


async def test_hover_works_in_quirks_mode(tab: DrivenTab) -> None:
    tab.site.pages["/quirks"] = b"<title>Quirks</title><p id=menu onmouseover='document.title = \"Over\"'>Menu</p>"
    await tab.do("navigate", url=tab.site.url("/quirks"))

    result = await tab.do("hover", selector="#menu")

    assert await tab.page.evaluate("document.compatMode") == "BackCompat"
    assert (result["title"], "notes" in result) == ("Over", False)


@pytest.mark.parametrize(
    "body",
    [
        "<a id=go href=#>A <div><div id=inner style='pointer-events: none'>Inner</div></div></a>",
        "<svg width=300 height=100><g id=go><rect width=200 height=60 fill=red /><text id=inner x=20 y=30"
        " pointer-events=none>Inner</text></g></svg>",
        "<svg width=300 height=100><g><rect id=go width=200 height=60 fill=red /><g><text id=inner x=20 y=30"
        " pointer-events=none>Inner</text></g></g></svg>",
    ],
    ids=["two levels below a link", "a label on a shape", "a label in a group of its own"],
)
async def test_click_on_an_element_without_pointer_events_reaches_the_one_that_handles_it_there(
    tab: DrivenTab, body: str
) -> None:
    await tab.show(
        f"{body}<script>document.querySelector('#go').onclick = () => {{ document.title = 'Clicked' }}</script>"
    )

    result = await tab.do("click", selector="#inner")

    assert result["title"] == "Clicked"


async def test_refusal_names_what_is_in_the_way_and_how_to_close_it(tab: DrivenTab) -> None:
    await tab.show(
        "<button id=go>Go</button><div style='position: fixed; inset: 0'><div role=dialog aria-label=Cookies id=box>"
        "<p style='height: 400px; margin: 0'>We use them</p><button id=shut aria-label=Close onclick="
        "this.closest('[style]').remove()>x</button></div></div>"
    )

    code, message = await tab.refused_soon("click", selector="#go")

    assert code == "EXECUTION_ERROR"
    assert [part for part in ("dialog ", "(#box)", "Close it with #shut") if part not in message] == [], message
    await tab.do("click", selector="#shut")
    await tab.do("click", selector="#go")


# Responses of a server that take longer than a page without requests is watched.
SLOW_MS = 350
ASKING = """<button id=go>Go</button><button id=forever>Go on</button><button id=soon>Soon</button><p id=said role=status></p>
<input id=field value=old aria-label=Name><input id=search aria-label=Search><input id=filter aria-label=Filter><input id=file type=file><script>
  const ask = (path) => fetch(path).then((answer) => answer.text());
  document.querySelector("#go").onclick = async () => {
    await ask("/asked");
    document.querySelector("#said").textContent = await ask("/asked");
  };
  const said = async () => (document.querySelector("#said").textContent = await ask("/asked"));
  document.querySelector("#soon").onclick = () => setTimeout(said, 45);
  document.querySelector("#file").onchange = said;
  document.querySelector("#search").onkeydown = ({ key }) => void (key === "Enter" && said());
  document.querySelector("#filter").oninput = () => {
    document.querySelector("#said").textContent = "Searching";
    setTimeout(said, 45);
  };
  document.querySelector("#forever").onclick = () => ask("/never");
  const field = document.querySelector("#field");
  field.onchange = async () => (field.value = await ask("/asked"));
</script>"""


@pytest.fixture
async def asking(tab: DrivenTab) -> AsyncGenerator[DrivenTab]:
    async def answer(route: Route) -> None:
        await asyncio.sleep(SLOW_MS / 1000)
        await route.fulfill(body="Saved")

    await tab.page.route("**/asked", answer)
    await tab.page.route("**/never", lambda _route: None)
    await tab.show(ASKING)
    yield tab
    await tab.page.unroute_all()


async def test_toast_after_a_clicks_requests_is_in_its_reply(asking: DrivenTab) -> None:
    assert (await asking.do("click", selector="#go"))["changed"] == 'status "Saved"'


async def test_request_that_starts_within_50_ms_is_waited_for(asking: DrivenTab) -> None:
    assert (await asking.do("click", selector="#soon"))["changed"] == 'status "Saved"'


@pytest.mark.parametrize(("selector", "value"), [("#search", "ada\n"), ("#filter", "ada")], ids=["entered", "typed"])
async def test_what_a_filled_field_asks_for_is_waited_for(asking: DrivenTab, selector: str, value: str) -> None:
    assert (await asking.do("fill", selector=selector, value=value))["changed"] == 'status "Saved"'


async def test_what_hovering_asks_for_is_waited_for(asking: DrivenTab) -> None:
    await asking.show(
        "<p id=hint>Hint</p><p id=said role=status></p><script>hint.onmouseover = async () => {"
        " said.textContent = await (await fetch('/asked')).text() }</script>"
    )

    assert (await asking.do("hover", selector="#hint"))["changed"] == 'status "Saved"'


async def test_what_an_upload_asks_for_is_waited_for(asking: DrivenTab, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("one")

    result = await asking.do("upload", selector="#file", paths=[str(tmp_path / "one.txt")])

    assert (result["changed"], result["files"]) == ('status "Saved"', ["one.txt"])


async def test_endless_request_is_not_waited_for_long(asking: DrivenTab) -> None:
    async with asking.page.expect_request("**/never"):
        assert "changed" not in await asking.do("click", selector="#forever")


async def test_field_that_a_server_changes_after_blur_is_reported_as_not_kept(asking: DrivenTab) -> None:
    code, message = await asking.refused("fill", selector="#field", value="new")

    assert (code, '"Saved" now' in message) == ("VALUE_NOT_KEPT", True)
    assert (await asking.do("fill", selector="#field", value="Saved"))["value"] == "Saved"


MENU = "".join(f"<div role=menuitem id=m{n}>Entry {n}</div>" for n in range(19))
# A page, and parts that the reply after a click on #go must or must not contain.
CHANGES = {
    "a menu": (
        f"<button id=go onclick='box.hidden = false'>Go</button><div id=box role=menu hidden>{MENU}</div>",
        ['menu with 19 items: "Entry 0" #m0, "Entry 1" #m1'],
        [],
    ),
    "styles and scripts": (
        "<button id=go onclick=\"sheet.firstChild.data = '.b {}'; sheet.append('.c {}'); made.text = 'var a'\">Go</button>"
        "<style id=sheet>.a {}</style><script id=made></script>",
        [],
        ["changed"],
    ),
    "a text for screen readers only": (
        "<button id=go onclick=\"said.textContent = '40 options'\">Go</button><div id=said role=log aria-live=assertive "
        "style='position: absolute; width: 1px; height: 1px; overflow: hidden'></div>",
        [],
        ["changed"],
    ),
    "a line between nodes": (
        "<button id=go>Go</button><svg id=flow width=300 height=200><g id=links></g></svg><script>go.onclick = () => {"
        "links.innerHTML = '<path id=wire stroke=black d=\"M 10 20 L 200 20\" />' }</script>",
        ["SVG path drawn: #wire"],
        [],
    ),
    "a label": (
        "<button id=go aria-label=Pin onclick=\"this.ariaLabel = 'Unpin'\">o</button>",
        ['button "Pin" is now "Unpin"'],
        [],
    ),
    "a label in a drawing": (
        "<button id=go onclick=\"name1.textContent = 'counter'\">Go</button><svg width=300 height=200>"
        "<text id=name1 x=10 y=50>node</text></svg>",
        ['now "counter"; gone "node"'],
        [],
    ),
    "a dialog that fades": (
        "<style>#box { transition: opacity .25s, visibility .25s } .off { opacity: 0; visibility: hidden }</style>"
        "<div id=box role=dialog aria-label=Tour>Welcome <button id=go onclick=\"box.className = 'off'\">Skip</button></div>",
        ['dialog "Tour" closed'],
        [],
    ),
    "a long text": (
        "<button id=go onclick=\"said.textContent = 'word '.repeat(60)\">Go</button><p id=said></p>",
        [' word..."'],
        ["wo...", "wor..."],
    ),
}


@pytest.mark.parametrize("case", CHANGES)
async def test_changes_are_complete_items_that_a_user_would_read(tab: DrivenTab, case: str) -> None:
    body, said, unsaid = CHANGES[case]
    await tab.show(body)

    result = await tab.do("click", selector="#go")

    assert [part for part in said if part not in result.get("changed", "")] == [], result
    assert [part for part in unsaid if part in json.dumps(result)] == []
    assert len(result.get("changed", "")) <= 210
