"""Frames of other sites: selectors lead into them, and elements there work like any others."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Frame

from tests.extension.conftest import DrivenTab, Driver, changed_worker, processes_of, shared_tab_at
from tests.extension.test_page_elements_list import all_lines, lines_of, selectors_of
from tests.extension.test_screenshot import color_at
from tests.support.polling import until

page = shared_tab_at("/frames.html")
# For tests that open a page of their own in it: with a dozen frames, loading takes longer than such a test.
blank = shared_tab_at("/blank")
pytestmark = pytest.mark.usefixtures("patience", "live_processes")


@pytest.fixture(scope="module")
async def live_processes(driver: Driver) -> AsyncGenerator[None]:
    async with processes_of(driver, "localhost"):
        yield


def other_site(page: DrivenTab, path: str) -> str:
    """The same server, which is another site under this name."""
    return page.site.url(path).replace("127.0.0.1", "localhost")


async def frame_of(page: DrivenTab, name: str) -> Frame:
    """Return Playwright's own handle of the frame whose address ends in this name, once it is known."""

    async def look() -> list[Frame]:
        return [frame for frame in page.page.frames if frame.url.endswith(f"/framed.html#{name}")]

    (frame,) = await until(look)
    await frame.wait_for_load_state()
    return frame


async def clicked_in(page: DrivenTab, name: str) -> list[str]:
    return await (await frame_of(page, name)).evaluate("clicked.splice(0)")


# The first test: the page is as it was loaded.
async def test_elements_in_cross_site_frames_follow_their_frames_line_and_are_searched(page: DrivenTab) -> None:
    last = {'button "Deep"  #far >>> #inner >>> #deep', 'button "Boxed"  #pay >>> my-box >>> #boxed'}

    async def whole() -> list[str]:
        lines = await all_lines(page)
        return lines if last <= {*lines} else []

    # Frames load after the page around them.
    lines = await until(whole)

    place = lines.index(next(line for line in lines if line.endswith("  #pay")))
    assert lines[place + 1 : place + 4] == [
        'button "Buy now"  #pay >>> #buy',
        'textbox "Card number"  #pay >>> #card',
        "select {Small*|Large}  #pay >>> #size",
    ]
    assert 'button "Buy now"  #within >>> #buy' in lines
    for selector in ("#pay >>> #deep", "#far >>> #inner >>> #deep"):
        assert f'button "Deep"  {selector}' in lines
        hovered = await page.do("hover", selector=selector)
        assert (hovered["matches"], hovered["element"]["text"]) == (1, "Deep")

    found = selectors_of(lines_of(await page.do("page_elements", find="card number")))
    within = await page.do("page_elements", within="#pay >>> label")

    assert "#pay >>> #card" in found
    assert lines_of(within)[-1] == 'checkbox "terms" off  #pay >>> #terms'
    assert within["url"] == page.site.url("/frames.html")
    assert (await page.refused("page_elements", within="#pay >>> #nothing"))[0] == "ELEMENT_NOT_FOUND"


@pytest.mark.parametrize(
    ("selector", "name", "hit"),
    [
        ("#pay >>> #buy", "pay", "buy"),
        ("iframe[src*=pay] >>> text=Buy now", "pay", "buy"),
        ("#pay >>> my-box >>> button", "pay", "boxed"),
        ("#turned >>> #deep", "turned", "deep"),
        ("#scrolled >>> #buy", "scrolled", "buy"),
        ("#same >>> iframe >>> #buy", "within", "buy"),
        ("#far >>> #deep", "far", "deep"),
        ("#far >>> iframe >>> #deep", "inner-far", "deep"),
        ("#nest >>> #inner >>> my-box >>> #boxed", "inner-nest", "boxed"),
        ("my-till >>> #wide >>> #buy", "wide", "buy"),
        ("#slim >>> #buy", "slim", "buy"),
        ("#other >>> #buy", "other", "buy"),
    ],
)
async def test_element_in_a_frame_is_clicked_and_gets_a_selector_that_finds_it_again(
    page: DrivenTab, selector: str, name: str, hit: str
) -> None:
    await page.page.evaluate("scrollTo(0, 0)")

    result = await page.do("click", selector=selector)

    assert await clicked_in(page, name) == [hit]
    assert "notes" not in result
    again = await page.do("wait_for", selector=result["element"]["selector"])
    assert (again["element"], again["matches"]) == (result["element"], 1)


async def test_fields_in_a_frame_are_filled_selected_and_checked(page: DrivenTab) -> None:
    frame = await frame_of(page, "pay")

    filled = await page.do("fill", selector="#pay >>> #card", value="4242 4242")
    chosen = await page.do("select", selector="#pay >>> #size", value="Large")
    checked = await page.do("click", selector="#pay >>> text=terms")

    assert (filled["value"], chosen["selected"]) == ("4242 4242", [{"value": "l", "label": "Large"}])
    assert checked["checked"] is True
    assert await frame.evaluate("[card.value, size.value, terms.checked]") == ["4242 4242", "l", True]


async def test_mouse_hovers_over_an_element_in_a_frame(page: DrivenTab) -> None:
    await page.do("hover", selector="#pay >>> #buy")

    # Its process receives mouse events with a delay, and draws nothing while the tab is behind another.
    await (await frame_of(page, "pay")).wait_for_function("buy.matches(':hover')", polling=50)


async def test_keys_are_pressed_in_a_frame(page: DrivenTab) -> None:
    frame = await frame_of(page, "pay")
    await frame.evaluate("card.value = '42'; terms.checked = false; void clicked.splice(0)")

    typed = await page.do("press", selector="#pay >>> #card", keys="Backspace")
    checked = await page.do("press", selector="#pay >>> #terms", keys="Space")

    assert (typed["value"], checked["checked"]) == ("4", True)
    assert await frame.evaluate("[card.value, terms.checked]") == ["4", True]
    assert await clicked_in(page, "pay") == ["terms"]


async def test_frame_is_scrolled(page: DrivenTab) -> None:
    frame = await frame_of(page, "pay")
    await frame.evaluate("scrollTo(0, 0)")

    result = await page.do("scroll", selector="#pay >>> html", to="bottom")
    assert result["element"]["selector"].startswith("#pay >>>")
    assert await frame.evaluate(
        "scrollY > 0 && Math.abs(scrollY + innerHeight - document.documentElement.scrollHeight) < 2"
    )

    await page.do("scroll", selector="#pay >>> #buy")
    assert await frame.evaluate("buy.getBoundingClientRect().top >= 0")


@pytest.mark.parametrize("is_native", [False, True])
async def test_element_in_a_frame_is_dragged_to_another_in_it(page: DrivenTab, *, is_native: bool) -> None:
    """By the mouse and by the browser's native dragging."""
    frame = await frame_of(page, "pay")
    await frame.evaluate(
        """(isNative) => {
            window.done = [];
            document.body.insertAdjacentHTML("afterbegin", `<div id=stage style="height: 70px"><div id=card-1
              style="width: 30px; height: 20px; background: red; user-select: none">1</div><div id=place style="width: 90px;
              height: 30px; background: blue"></div></div>`);
            const [card, place] = stage.children;
            card.draggable = isNative;
            card.ondragstart = ({ dataTransfer }) => dataTransfer.setData("text/plain", card.id);
            place.ondragover = (event) => event.preventDefault();
            place.ondrop = ({ dataTransfer }) => done.push(`dropped ${dataTransfer.getData("text/plain")}`);
            card.onmousedown = () => isNative || done.push("held");
            place.onmouseup = ({ offsetX, offsetY }) => done.push(`released ${offsetX},${offsetY}`);
        }""",
        is_native,
    )
    try:
        result = await page.do("drag", source="#pay >>> #card-1", target="#pay >>> #place", target_at=[50, 10])
        done = await frame.evaluate("done")
    finally:
        await frame.evaluate("stage.remove()")

    assert done == (["dropped card-1"] if is_native else ["held", "released 50,10"])
    assert result["target"]["selector"] == "#pay >>> #place"
    # The browser turns it into a click on their common ancestor.
    assert await clicked_in(page, "pay") == ([] if is_native else ["stage"])


async def test_drop_into_a_frame_of_another_site_is_delivered_or_reported_as_refused(page: DrivenTab) -> None:
    frame = await frame_of(page, "pay")
    await page.page.evaluate(
        """() => {
            document.body.insertAdjacentHTML("afterbegin", "<div id=moved draggable=true>Moved</div>");
            moved.ondragstart = ({ dataTransfer }) => dataTransfer.setData("text/plain", "moved");
        }"""
    )
    await frame.evaluate(
        """() => {
            window.done = [];
            document.body.insertAdjacentHTML("afterbegin", "<div id=place style='height: 30px'>Place</div>");
            place.ondrop = ({ dataTransfer }) => done.push(dataTransfer.getData("text/plain"));
        }"""
    )
    try:
        code, message = await page.refused("drag", source="#moved", target="#pay >>> #place")
        before = await frame.evaluate("done")
        await frame.evaluate("void (place.ondragover = (event) => event.preventDefault())")
        result = await page.do("drag", source="#moved", target="#pay >>> #place")
        after = await frame.evaluate("done")
    finally:
        await frame.evaluate("place.remove()")
        await page.page.evaluate("moved.remove()")

    assert (code, "#pay >>> #place" in message, before) == ("EXECUTION_ERROR", True, [])
    assert ("notes" in result, after) == (False, ["moved"])


async def test_screenshot_shows_an_element_in_a_frame(page: DrivenTab) -> None:
    frame = await frame_of(page, "far")
    await frame.evaluate(
        "deep.style.cssText = 'all: unset; display: block; width: 60px; height: 30px; background: red'"
    )

    async def shows_it() -> bool:
        shot = await page.do("screenshot", selector="#far >>> #deep")
        assert (shot["width"], shot["height"]) == (60, 30)
        corners = [await color_at(page, shot, x, y) for x, y in ((1, 1), (58, 1), (1, 28), (58, 28))]
        return corners == [[255, 0, 0]] * 4

    # A frame's process draws on its own.
    await until(shows_it)


async def test_cover_in_the_page_around_a_frame_is_named_and_waited_for(page: DrivenTab) -> None:
    code, message = await page.refused("click", selector="#covered >>> #buy")

    assert (code, message) == (
        "EXECUTION_ERROR",
        'After 5 s, iframe#covered is still covered by div#cover "We use cookies" (#cover). '
        "Close it, for example with Escape or a hover on something else, or scroll it away, then try again.",
    )
    await page.page.evaluate("setTimeout(() => (cover.style.display = 'none'), 500)")
    await page.do("click", selector="#covered >>> #buy")
    assert await clicked_in(page, "covered") == ["buy"]


async def test_hidden_frame_is_waited_for_and_reported(page: DrivenTab) -> None:
    code, message = await page.refused_soon("click", selector="#hidden >>> #buy")

    assert code == "EXECUTION_ERROR"
    assert message.startswith("After 0.5 s, iframe#hidden is still not visible")
    await page.page.evaluate("setTimeout(() => (hidden.style.display = 'block'), 500)")
    await page.do("click", selector="#hidden >>> #buy")
    assert await clicked_in(page, "hidden") == ["buy"]


async def test_menu_that_opens_over_a_frame_on_hover_causes_no_false_success(page: DrivenTab) -> None:
    frame = await frame_of(page, "pay")
    await page.do("hover", selector="#own")
    # Busy for as long as the page around it takes to draw the menu.
    await frame.evaluate(
        "buy.onmousemove = () => { const end = performance.now() + 100; while (performance.now() < end); }"
    )
    await page.page.evaluate(
        """() => {
          const menu = document.body.appendChild(document.createElement("div"));
          menu.id = "menu";
          menu.textContent = "Menu";
          menu.style.cssText = "position: fixed; inset: 0; background: white; display: none";
          pay.onmouseenter = () => (menu.style.display = "block");
        }"""
    )

    reply = await page.ask("click", selector="#pay >>> #buy")

    await page.page.evaluate("menu.remove()")
    # Only the element is pressed, and a press that did not reach it is reported.
    assert await page.page.evaluate("clicked") == []
    assert await clicked_in(page, "pay") == (["buy"] if reply["success"] else [])
    assert reply["success"] or 'div#menu "Menu"' in reply["error"]["message"]
    await page.do("click", selector="#pay >>> #buy")
    assert await clicked_in(page, "pay") == ["buy"]


@pytest.mark.parametrize(
    ("selector", "code", "says"),
    [
        (
            "#pay >>> #buyy",
            "ELEMENT_NOT_FOUND",
            'No element matches "#pay >>> #buyy". Did you mean #pay >>> #buy (button ',
        ),
        ("#pay >>> #buy >>> b", "ELEMENT_NOT_FOUND", 'No element matches "#pay >>> #buy >>> b".'),
        (
            "#crad",
            "ELEMENT_NOT_FOUND",
            "Frames of other sites are searched only when the selector names them, for example",
        ),
        ("#pay >>> div[", "INVALID_SELECTOR", "square brackets"),
        ("#pay >>> ", "INVALID_SELECTOR", "empty"),
    ],
)
async def test_selector_that_leads_nowhere_gets_suggestions(
    page: DrivenTab, selector: str, code: str, says: str
) -> None:
    refusal = await page.refused("hover", selector=selector)

    assert (refusal[0], says in refusal[1]) == (code, True), refusal


async def test_first_frame_that_contains_the_element_is_used(page: DrivenTab) -> None:
    result = await page.do("hover", selector="iframe >>> #inner >>> #buy")

    assert result["element"]["selector"] in {"#far >>> #inner >>> #buy", "#nest >>> #inner >>> #buy"}


async def test_element_that_appears_late_in_one_of_several_frames_is_waited_for(page: DrivenTab) -> None:
    frame = await frame_of(page, "turned")
    await frame.evaluate("setTimeout(() => (deep.className = 'late'), 500)")

    found = await page.do_patiently("hover", selector="iframe >>> .late")

    assert found["element"]["selector"] == "#turned >>> #deep"


async def test_text_that_is_gone_may_still_be_in_a_frame(page: DrivenTab) -> None:
    assert len((await page.do("wait_for", gone="No such text"))["notes"]) == 1


@pytest.mark.parametrize("selector", ["#pay >>> .shown", "iframe >>> .shown"])
async def test_element_in_a_frame_is_waited_for(page: DrivenTab, selector: str) -> None:
    frame = await frame_of(page, "pay")

    code, message = await page.refused("wait_for", selector=selector, timeout=300)
    await frame.evaluate("setTimeout(() => (card.className = 'shown'), 500)")
    result = await page.do("wait_for", selector=selector, text="Own button")
    await frame.evaluate("card.className = ''")

    assert (code, message.startswith("After 0.3 s, the page shows no element that matches")) == (
        "COMMAND_TIMEOUT",
        True,
    )
    assert (result["element"]["selector"], result["matches"]) == ("#pay >>> #card", 1)


async def show_frame(page: DrivenTab, name: str) -> Frame:
    """Show a page with one of the frames of `frames.html`."""
    await page.write(f"<iframe id={name} src='{other_site(page, '/framed.html')}#{name}'></iframe>")
    return await frame_of(page, name)


async def test_field_in_a_frame_is_filled_in_a_background_tab_that_was_never_clicked(blank: DrivenTab) -> None:
    page = blank
    await show_frame(page, "nest")
    await page.popup.page.bring_to_front()

    filled = await page.do("fill", selector="#nest >>> iframe >>> #card", value="by keys")

    assert filled["value"] == "by keys"
    assert await (await frame_of(page, "inner-nest")).evaluate("card.value") == "by keys"
    await page.do("click", selector="#nest >>> iframe >>> #buy")
    assert await clicked_in(page, "inner-nest") == ["buy"]


# In the service worker: until the mouse has moved this many times, its events go to the page around a frame, as they do
# until the frame is first drawn.
ASTRAY = """count => {
  const { debugger: cdp } = chrome;
  const real = (cdp.sendCommand.real ??= cdp.sendCommand);
  let moves = 0;
  const send = (target, method, params) => {
    if (method !== "Input.dispatchMouseEvent" || moves >= count) return real.call(cdp, target, method, params);
    if (params.type === "mouseMoved") moves += 1;
    return real.call(cdp, target, method, { ...params, x: 1, y: 1 });
  };
  cdp.sendCommand = Object.assign(send, { real });
}"""


@asynccontextmanager
async def mouse_astray(page: DrivenTab, moves: int) -> AsyncGenerator[Frame]:
    """A frame that the mouse has not entered, and does not reach before it has moved this many times."""
    await page.page.mouse.move(700, 500)
    frame = await show_frame(page, "pay")
    assert await frame.evaluate("document.querySelector(':hover')") is None
    async with changed_worker(page.page.context, ASTRAY, moves, 0):
        yield frame


async def test_mouse_is_moved_until_a_frame_receives_it(blank: DrivenTab) -> None:
    page = blank
    async with mouse_astray(page, 12) as frame:
        clicked = await page.do("click", selector="#pay >>> #buy")
        assert ("notes" in clicked, await frame.evaluate("clicked.splice(0)")) == (False, ["buy"])

    async with mouse_astray(page, 12) as frame:
        hovered = await page.do("hover", selector="#pay >>> #buy")
        assert ("notes" in hovered, await frame.evaluate("buy.matches(':hover')")) == (False, True)


async def test_mouse_that_never_reaches_a_frame_is_reported(blank: DrivenTab) -> None:
    page = blank
    async with mouse_astray(page, 1_000) as frame:
        hovered = await page.do("hover", selector="#pay >>> #buy")
        assert len(hovered["notes"]) == 1

        code, message = await page.refused("click", selector="#pay >>> #buy")
        assert (code, "so nothing was clicked" in message) == ("EXECUTION_ERROR", True)
        assert await frame.evaluate("clicked.splice(0)") == []


async def test_frame_that_navigates_is_searched_in_its_new_page(blank: DrivenTab) -> None:
    page = blank
    frame = await show_frame(page, "pay")
    await frame.evaluate("setTimeout(() => (location.href = 'selectors.html'), 300)")

    # Not in the first page.
    assert (await page.do_patiently("click", selector="#pay >>> #address"))["element"]["tag"] == "input"
    await page.page.evaluate("url => void (pay.src = url)", other_site(page, "/framed.html#pay"))
    assert (await page.do("click", selector="#pay >>> #buy"))["element"]["tag"] == "button"


async def test_frame_that_is_removed_during_the_search_is_reported(blank: DrivenTab) -> None:
    await show_frame(blank, "turned")
    await blank.page.evaluate("setTimeout(() => turned.remove(), 300)")

    assert (await blank.refused("click", selector="#turned >>> #nothing"))[0] == "ELEMENT_NOT_FOUND"


async def test_link_in_a_frame_that_navigates_the_tab_is_followed_before_the_reply(blank: DrivenTab) -> None:
    await show_frame(blank, "pay")

    result = await blank.do("click", selector="#pay >>> #leave")

    assert result["title"] == "One"


# --- Reading


async def show(page: DrivenTab, body: str, framed: dict[str, str]) -> None:
    page.site.pages |= {path: text.encode() for path, text in framed.items()}
    await page.show(body)


async def test_text_of_frames_follows_the_pages_after_a_line_with_their_host(blank: DrivenTab) -> None:
    page = blank
    await show(
        page,
        f"""<p>Page</p><iframe src="{other_site(page, "/left")}"></iframe>
        <div style="height: 3000px"></div><iframe src="{other_site(page, "/right")}"></iframe>
        <iframe src="{other_site(page, "/tiny")}" width=90 height=40></iframe>
        <iframe src="{other_site(page, "/unseen")}" style="visibility: hidden"></iframe>
        <iframe src="{other_site(page, "/clear")}" style="opacity: 0"></iframe>
        <iframe src="{other_site(page, "/aside")}" style="position: absolute; left: -9999px"></iframe>""",
        {
            "/left": f"Left<p>Page</p><iframe src='{page.site.url('/inner')}'></iframe>",
            "/inner": "Inner",
            "/right": "Right",
            **dict.fromkeys(("/tiny", "/unseen", "/clear", "/aside"), "This is invisible"),
        },
    )

    whole = await page.do("read_tab", start=None, end=None)
    part = await page.do("read_tab", start="page", end="right")

    frames = "[Frame: localhost]\nLeft\n\nPage\n\n[Frame: 127.0.0.1]\nInner\n\n[Frame: localhost]"
    assert whole["text"] == f"Page\n\n{frames}\nRight"
    assert part["text"] == frames
    assert (whole["title"], whole["url"]) == ("Shown", page.site.url("/shown"))
    assert (await page.refused("read_tab", start="is invisible", end=None))[0] == "KEYWORD_NOT_FOUND"


async def test_page_without_its_own_text_is_read_for_its_frame(blank: DrivenTab) -> None:
    page = blank
    frame = f"<iframe src='{other_site(page, '/job')}'></iframe>"
    await show(page, f"<div><template shadowrootmode=open>{frame}</template></div>", {"/job": "A job"})

    # The second reading finds its frames in another way.
    for _ in range(2):
        assert (await page.do("read_tab", start=None, end=None))["text"] == "[Frame: localhost]\nA job"


async def test_page_in_an_object_is_read_listed_and_entered(blank: DrivenTab) -> None:
    pay = "<p>Ferry</p><button onclick='this.textContent = `Paid`'>Pay</button>"
    drawing = "<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>Map</text></svg>"
    objects = "<object data=/pay></object><object data=/map.svg></object><object><p>No ferry</p></object>"
    await show(blank, f"<h1>Ports</h1>{objects}", {"/pay": pay, "/map.svg": drawing})
    await blank.do("wait_for", selector="object >>> button")

    read = [(await blank.do("read_tab", content=content))["text"] for content in ("all", "main")]
    listed = (await blank.do("page_elements"))["text"]
    await blank.do("click", selector="object >>> text=Pay")

    assert read == ["Ports\nFerry\n\nPay\nMap\n\nNo ferry", "# Ports\n\nFerry\n\nMap\n\nNo ferry"]
    assert 'button "Pay"' in listed
    assert "Paid" in (await blank.do("read_tab"))["text"]


async def test_text_of_frames_without_a_host_is_read(blank: DrivenTab) -> None:
    # Sandboxed, they are closed to the page around them.
    await blank.write("<p>Mail</p><iframe srcdoc='<iframe sandbox srcdoc=Dear></iframe>'></iframe>")
    nested = await blank.do("read_tab", start=None, end=None)
    await blank.write("<p>Mail</p><iframe src='data:text/html,Dear'></iframe>")
    own = await blank.do("read_tab", start=None, end=None)

    assert [nested["text"], own["text"]] == ["Mail\n\n[Frame]\nDear"] * 2


# --- Denied hosts


async def test_frame_of_a_denied_host_is_neither_entered_nor_read(blank: DrivenTab, subtests: pytest.Subtests) -> None:
    page = blank
    await show(page, f"Page<iframe id=pay src='{other_site(page, '/pay')}'></iframe>", {"/pay": "<button>Pay</button>"})

    for denied in ("localhost", "*.localhost", "local*"):
        with subtests.test(denied):
            hosts = ["bank.example", denied]
            code, message = await page.refused("click", selector="#pay >>> button", denied_hosts=hosts)
            read = await page.do("read_tab", start=None, end=None, denied_hosts=hosts)

            assert (code, "shows localhost" in message) == ("HOST_BLOCKED", True)
            assert read["text"] == "Page"
    await page.do("click", selector="#pay >>> button", denied_hosts=["bank.example", "local"])
    assert "Pay" in (await page.do("read_tab", start=None, end=None, denied_hosts=["x.localhost"]))["text"]
