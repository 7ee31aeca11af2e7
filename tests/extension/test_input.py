"""Clicks and hovers: when an element is ready for them, what they do, and the error if it never is."""

import json

import pytest

from tests.extension.conftest import DrivenTab, rewritten_tab_at, shared_tab_at

readiness = rewritten_tab_at("/readiness.html")
same_readiness = shared_tab_at("/readiness.html")
# For tests that open a page of their own in it.
tab = shared_tab_at("/readiness.html")


AWKWARD = [
    "#partly-covered",
    "#in-legend",
    "#two-lines",
    "#in-scroller",
    "#far-down",
    "#drawn",
    "#below-label",
]


async def test_awkward_element_is_scrolled_into_view_and_hit(readiness: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector in AWKWARD:
        with subtests.test(selector):
            await readiness.page.evaluate("scrollTo(0, 0)")
            result = await readiness.do("click", selector=selector)

            assert selector.removeprefix("#") in await readiness.page.evaluate("clicked")
            assert result["element"]["selector"] == selector


async def test_element_in_view_is_not_scrolled(same_readiness: DrivenTab) -> None:
    await same_readiness.page.evaluate("scrollTo(0, 13)")
    await same_readiness.do("click", selector="#in-legend")
    assert await same_readiness.page.evaluate("scrollY") == 13

    await same_readiness.do("click", selector="#far-down")
    assert await same_readiness.page.evaluate("scrollY") > 1000


async def test_element_in_a_zoomed_page_is_hit(same_readiness: DrivenTab, subtests: pytest.Subtests) -> None:
    for zoom in (0.5, 1.5):
        with subtests.test(f"zoom {zoom}"):
            await same_readiness.popup.chrome(f"await chrome.tabs.setZoom({same_readiness.tab_id}, {zoom})")
            try:
                await same_readiness.do("click", selector="#far-down")
                await same_readiness.do("click", selector="#in-scroller")
            finally:
                await same_readiness.popup.chrome(f"await chrome.tabs.setZoom({same_readiness.tab_id}, 1)")

            assert await same_readiness.page.evaluate("clicked.splice(0)") == ["far-down", "in-scroller"]


async def test_element_in_a_page_that_the_user_has_magnified_is_hit(
    same_readiness: DrivenTab, subtests: pytest.Subtests
) -> None:
    session = await same_readiness.page.context.new_cdp_session(same_readiness.page)
    pinch = {"x": 300, "y": 300, "relativeSpeed": 9_000}
    await session.send("Input.synthesizePinchGesture", {**pinch, "scaleFactor": 2})
    try:
        for selector in ("#partly-covered", "#far-down"):
            with subtests.test(selector):
                await same_readiness.do("click", selector=selector)
                assert await same_readiness.page.evaluate("clicked.splice(0)") == [selector[1:]]
    finally:
        await session.send("Input.synthesizePinchGesture", {**pinch, "scaleFactor": 0.5})
        await session.detach()


BECOMES_READY = [
    ("#covered", "document.querySelector('#cookie-banner').remove()"),
    ("#hidden", "document.querySelector('#hidden').style.display = ''"),
    ("#invisible", "document.querySelector('#invisible').style.visibility = ''"),
    ("#disabled", "document.querySelector('#disabled').disabled = false"),
    ("#in-fieldset", "document.querySelector('fieldset').disabled = false"),
    ("#aria-disabled", "document.querySelector('[aria-disabled]').removeAttribute('aria-disabled')"),
    ("#inert", "document.querySelector('[inert]').inert = false"),
    ("#transparent", "document.querySelector('#transparent').style.pointerEvents = ''"),
    ("#moving", "document.querySelector('#moving').style.animation = 'none'"),
    (
        "#added",
        "document.body.prepend(Object.assign(document.createElement('button'), {id: 'added', textContent: 'x'}))",
    ),
    ("#late", "document.querySelector('#late').outerHTML = '<button id=late>replaced</button>'"),
]


async def test_element_that_becomes_ready_is_waited_for(readiness: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, change in BECOMES_READY:
        with subtests.test(selector):
            await readiness.page.evaluate(f"setTimeout(() => {{ {change} }}, 300)")

            await readiness.do_patiently("click", selector=selector)

            assert await readiness.page.evaluate("clicked.splice(0)") == [selector.removeprefix("#")]


NEVER_READY = {
    "#covered": 'is still covered by div#cookie-banner "We use cookies"',
    "#hidden": 'button#hidden "Hidden" is still not visible',
    "#invisible": "is still not visible",
    "#behind": "input#in-front",
    "#disabled": "is still disabled",
    "#in-fieldset": "is still disabled",
    "#aria-disabled": "is still disabled",
    "#inert": 'is still inert behind dialog div "Tour"',
    "#transparent": "lets the mouse through",
    "#moving": 'button#moving "Moving" is still moving',
}


async def test_element_that_never_becomes_ready_is_an_error_with_the_reason(readiness: DrivenTab) -> None:
    for selector, says in NEVER_READY.items():
        code, message = await readiness.refused_soon("click", selector=selector)

        assert code == "EXECUTION_ERROR"
        assert message.startswith("After 0.5 s, ")
        assert says in message
    assert await readiness.page.evaluate("clicked") == []


async def test_element_that_no_mouse_can_reach_is_an_error_about_what_it_is_in(blank: DrivenTab) -> None:
    out = "<div id=out style='position: fixed; left: -500px'><button id=away>Away</button></div>"
    cut = "<div id=cut style='overflow: clip; height: 20px'><p style='height: 90px'>A</p><button id=below>Below</button></div>"
    await blank.write(f"{out}<main id=around style='height: 200px'>{cut}</main>")

    away = (await blank.refused_soon("click", selector="#away"))[1]
    below = (await blank.refused_soon("click", selector="#below"))[1]

    assert "cannot be scrolled into view. Open or move what it is in" in away
    assert 'button#below "Below" is cut off or covered by main#around' in below
    assert below.endswith("Open or enlarge that, or act on it.")


@pytest.mark.parametrize("selector", ["#hidden", "#added"])
async def test_waiting_continues_in_the_next_page(readiness: DrivenTab, selector: str) -> None:
    readiness.site.pages["/next"] = f"<title>Next</title><button id={selector[1:]}>Here</button>".encode()
    await readiness.page.evaluate("setTimeout(() => { location.href = '/next'; }, 300)")

    result = await readiness.do_patiently("click", selector=selector)

    assert (result["element"]["text"], result["title"]) == ("Here", "Next")


async def test_element_missing_in_the_next_page_is_an_error(readiness: DrivenTab) -> None:
    await readiness.page.evaluate("setTimeout(() => { location.href = '/one'; }, 300)")

    assert (await readiness.refused("click", selector="#hidden"))[0] == "ELEMENT_NOT_FOUND"
    assert (await readiness.do("click", selector="body"))["title"] == "One"


async def test_tab_in_the_background_is_clicked_without_being_shown(readiness: DrivenTab) -> None:
    await readiness.popup.page.bring_to_front()

    await readiness.do("click", selector="#far-down")

    assert await readiness.page.evaluate("clicked") == ["far-down"]
    assert not await readiness.popup.chrome(f"(await chrome.tabs.get({readiness.tab_id})).active")


async def test_named_item_is_clicked_although_the_list_opens_below_the_mouse(tab: DrivenTab) -> None:
    await tab.open("/acting/list-that-skips-a-move.html")

    await tab.do("click", selector="#second")

    assert await tab.page.evaluate("taken") == "second"


def press_on(element: str) -> list[str]:
    return [f"{event} {element}" for event in ("pointerdown", "mousedown", "mouseup", "click")]


async def test_press_that_another_element_would_receive_is_blocked_and_reported(tab: DrivenTab) -> None:
    await tab.open("/acting/covered-when-hovered.html")

    code, message = await tab.refused_soon("click", selector="#delete")

    assert (code, 'i#cover "Cover"' in message) == ("EXECUTION_ERROR", True)
    assert await tab.page.evaluate("events") == []
    await tab.do("click", selector="#free")
    assert await tab.page.evaluate("events") == press_on("free")


async def test_cover_that_comes_and_goes_with_the_mouse_causes_no_false_success(tab: DrivenTab) -> None:
    await tab.open("/acting/covered-when-hovered.html#flickering")

    reply = await tab.ask("click", selector="#delete")

    # Each move of the mouse toggles which of the two is there when it arrives.
    events = await tab.page.evaluate("events")
    notes = reply["result"].get("notes", []) if reply["success"] else []
    assert ("click delete" in events) == (reply["success"] and not notes)
    assert ("mousedown delete" in events) == reply["success"]
    assert all('i#cover "Cover" covered the element' in note for note in notes)


async def test_list_that_opens_over_its_button_on_press_is_reported(tab: DrivenTab) -> None:
    await tab.write(
        """<button id=open>Open</button><button id=menu>Menu</button><p id=others><button id=more>More</button></p>
        <div id=list hidden style="position: absolute; inset: 0">List</div><script>
          document.querySelector("#open").onmousedown = () => (document.querySelector("#list").hidden = false);
          document.querySelector("#menu").onmousedown = () => (document.body.style.pointerEvents = "none");
          document.querySelector("#more").onmousedown = () => (document.querySelector("#others").inert = true);
          document.documentElement.onclick = () => (document.body.style.pointerEvents = "");
        </script>"""
    )

    # Around an open menu nothing takes the mouse, but nothing lies over the button either.
    assert "notes" not in await tab.do("click", selector="#menu")
    assert "notes" not in await tab.do("click", selector="#more")

    result = await tab.do("click", selector="#open")

    assert result["notes"] == [
        'When the mouse was released, div#list "List" covered the element. Check whether that counted as a click.'
    ]
    assert "notes" not in await tab.do("click", selector="#list")


async def test_element_that_is_drawn_again_on_press_gets_no_click_and_the_reply_says_so(tab: DrivenTab) -> None:
    await tab.write(
        """<button id=go>Go</button><button id=once>Once</button><script>
          document.querySelector("#go").onmousedown = ({ target }) => {
            const other = target.cloneNode(true);
            other.onclick = () => (document.title = "Clicked");
            target.replaceWith(other);
          };
          document.querySelector("#once").onmousedown = ({ target }) => target.remove();
        </script>"""
    )

    result = await tab.do("click", selector="#go")
    assert (len(result["notes"]), result["title"]) == (1, "Shown")
    assert "notes" not in await tab.do("click", selector="#once")
    assert (await tab.do("click", selector="#go"))["title"] == "Clicked"


async def test_element_that_is_replaced_on_hover_is_still_clicked(tab: DrivenTab) -> None:
    await tab.write(
        """<button id=go>Go</button><script>
          window.clicked = 0;
          document.querySelector("#go").onmousemove = ({ target }) => {
            const other = target.cloneNode(true);
            other.onclick = () => (clicked += 1);
            target.replaceWith(other);
          };
        </script>"""
    )

    await tab.do("click", selector="#go")

    assert await tab.page.evaluate("clicked") == 1


# --- What a click does


clicking = rewritten_tab_at("/clicking.html")
same_clicking = shared_tab_at("/clicking.html")


async def test_page_gets_the_same_events_as_from_a_user(clicking: DrivenTab) -> None:
    result = await clicking.do("click", selector="#pointer")

    # Type, trusted, button, click count, buttons held.
    assert await clicking.page.evaluate("events") == [
        "mouseover true 0 0 0",
        "mousedown true 0 1 1",
        "focus true 0 0 0",
        "mouseup true 0 1 0",
        "click true 0 1 0",
    ]
    assert result == {
        "element": {"selector": "#pointer", "tag": "button", "text": "pointer"},
        "matches": 1,
        "url": clicking.site.url("/clicking.html"),
        "title": "What clicks do",
    }
    assert len(json.dumps(result)) < 300


async def test_mouse_press_has_the_pressure_of_a_real_mouse(same_clicking: DrivenTab) -> None:
    await same_clicking.page.evaluate(
        "document.addEventListener('pointerdown', ({ pressure }) => (window.pressure = pressure))"
    )

    await same_clicking.do("click", selector="#pointer")

    assert await same_clicking.page.evaluate("pressure") == 0.5


async def test_link_is_followed_before_the_reply(clicking: DrivenTab) -> None:
    result = await clicking.do("click", selector="#link")

    assert (result["url"], result["title"]) == (clicking.site.url("/one"), "One")
    assert "notes" not in result


async def test_checked_state_after_the_click_is_reported(clicking: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, is_checked in (
        ("#terms", True),
        ("text=terms", False),
        ("text=terms", True),
        ("#terms", False),
        ("#large", True),
        ("#switch", True),
    ):
        with subtests.test(f"{selector} {is_checked}"):
            assert (await clicking.do("click", selector=selector))["checked"] is is_checked


OPENS_A_WINDOW = [
    ("#file", "Use upload"),
    ("#file-label", "Use upload"),
    ("#list", "Use select"),
    ("#list option", "Use select"),
    ("#color", "Use fill"),
]


async def test_click_that_would_open_a_browser_window_is_rejected(
    same_clicking: DrivenTab, subtests: pytest.Subtests
) -> None:
    for selector, says in OPENS_A_WINDOW:
        with subtests.test(selector):
            code, message = await same_clicking.refused("click", selector=selector)

            assert code == "EXECUTION_ERROR"
            assert says in message
            await same_clicking.do("hover", selector="#file")


async def test_dialog_opened_by_a_click_is_reported_and_does_not_block(same_clicking: DrivenTab) -> None:
    result = await same_clicking.do("click", selector="#asker")

    assert result["dialogs"] == [{"type": "confirm", "message": "Sure?", "answer": "dismissed"}]
    assert await same_clicking.page.evaluate("answer") is False


async def test_element_that_disappears_with_its_click_is_still_reported(same_clicking: DrivenTab) -> None:
    assert (await same_clicking.do("click", selector="#remover"))["element"]["text"] == "remove me"
    assert await same_clicking.page.evaluate("document.querySelector('#remover')") is None


async def test_hover_opens_a_menu_whose_item_can_be_clicked(same_clicking: DrivenTab) -> None:
    result = await same_clicking.do("hover", selector="#menu-title")

    assert result["element"] == {"selector": "#menu-title", "tag": "span", "text": "menu"}
    assert (await same_clicking.do("click", selector="#menu-item"))["element"]["text"] == "item"
