"""Waiting for texts and elements: to appear, disappear or stay away, also on the next page."""

from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, shared_tab_at

PAGE = """<p id=there>Order <b>42</b> is on its way</p><p id=spinner>Loading your orders</p><p id=hidden hidden>Secret sale</p>
<div id=host></div><script>
  document.querySelector("#host").attachShadow({ mode: "open" }).innerHTML = "<p>In the shadow</p>";
  globalThis.later = (change) => setTimeout(change, 200);
</script>"""
blank = shared_tab_at("/blank")


@pytest.fixture
async def page(blank: DrivenTab) -> DrivenTab:
    await blank.write(f"{PAGE}<script>globalThis.kept = null</script>")
    return blank


@pytest.fixture
async def same_page(blank: DrivenTab) -> DrivenTab:
    await blank.keep(PAGE)
    return blank


@pytest.mark.parametrize(
    ("params", "selector"),
    [
        ({"text": "order 42 is on"}, "#there"),
        ({"text": "In the shadow"}, "#host >>> p"),
        ({"selector": "#there", "text": "Loading"}, "#there"),
        ({"gone": "No such text"}, None),
        ({"gone": "Secret sale"}, None),
    ],
)
async def test_condition_that_is_already_true_is_answered_with_the_element(
    same_page: DrivenTab, params: dict[str, str], selector: str | None
) -> None:
    result = await same_page.do("wait_for", **params)

    assert result.get("element", {}).get("selector") == selector
    assert (result["title"], "notes" in result) == ("Shown", False)


@pytest.mark.parametrize(
    ("params", "change"),
    [
        ({"text": "Thank you"}, "there.textContent = 'Thank you!'"),
        ({"text": "Secret sale"}, "hidden.hidden = false"),
        ({"selector": "#hidden"}, "hidden.hidden = false"),
        ({"gone": "Loading"}, "spinner.remove()"),
        ({"gone": "Loading"}, "spinner.style.display = 'none'"),
        ({"gone": "Loading", "text": "Secret sale"}, "(spinner.remove(), later(() => (hidden.hidden = false)))"),
    ],
)
async def test_appearing_and_disappearing_are_waited_for(page: DrivenTab, params: dict[str, str], change: str) -> None:
    await page.page.evaluate(f"later(() => {{ {change}; globalThis.hasChanged = true; }})")

    await page.do("wait_for", **params)

    assert await page.page.evaluate("globalThis.hasChanged")
    for text in (params.get("text"), params.get("gone")):
        shown = text and text in await page.page.evaluate("document.body.innerText")
        assert shown == (text and text != params.get("gone"))


@pytest.mark.parametrize(
    "style",
    [
        "opacity: 0",
        "position: absolute; left: -9999px",
        "position: fixed; top: 100vh",
        "position: fixed; right: 100%; width: 90px",
        "height: 0; overflow: hidden",
    ],
)
async def test_text_that_users_cannot_see_is_not_shown(blank: DrivenTab, style: str) -> None:
    # The hidden text is the whole one, which is usually preferred.
    inner = "<p id=toast>Saved</p><iframe id=frame srcdoc='<p>Sent'></iframe>"
    await blank.write(f"<div id=box style='{style}'>{inner}</div><p id=draft hidden>Saved as a draft</p>")
    for hidden in ({"text": "Saved"}, {"text": "Sent"}, {"selector": "#toast"}, {"selector": "#frame"}):
        code, message = await blank.refused("wait_for", timeout=50, **hidden)
        assert (code, "is there, but hidden" in message) == ("COMMAND_TIMEOUT", True)
    await blank.do("wait_for", gone="Saved")

    await blank.page.evaluate("draft.hidden = false")
    assert (await blank.do("wait_for", text="Saved"))["element"]["selector"] == "#draft"
    await blank.refused("wait_for", gone="Saved", timeout=50)

    await blank.page.evaluate("box.removeAttribute('style')")
    for shown in ({"text": "Saved"}, {"text": "Sent"}, {"selector": "#toast"}, {"selector": "#frame"}):
        await blank.do("wait_for", **shown)


async def test_text_for_screen_readers_and_a_field_below_its_drawing_are_shown(blank: DrivenTab) -> None:
    small = "position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0)"
    await blank.write(
        f"<p>Orders <span style='{small}'>Loading</span></p><input id=box type=checkbox style='opacity: 0'>"
    )

    await blank.refused("wait_for", gone="Loading", timeout=50)
    await blank.do("wait_for", selector="#box", text="Loading")


async def test_option_is_shown_once_it_is_chosen(blank: DrivenTab) -> None:
    await blank.write("<label>Status <select id=choice><option>Open<option>Paid by card</select></label><p id=row>Open")

    code, message = await blank.refused("wait_for", text="Paid", timeout=50)
    assert (code, "select#choice" in message) == ("COMMAND_TIMEOUT", True)
    await blank.do("wait_for", gone="Paid", text="Open")

    await blank.page.evaluate("row.textContent = 'Paid'")
    assert (await blank.do("wait_for", text="Paid"))["element"]["selector"] == "#row"

    await blank.page.evaluate("(row.remove(), (choice.selectedIndex = 1))")
    assert (await blank.do("wait_for", text="Paid"))["element"]["selector"] == "#choice"


async def test_waiting_continues_on_the_next_page(page: DrivenTab) -> None:
    page.site.pages["/next"] = (
        b"<title>Next</title><script>setTimeout(() => document.body.append('Arrived'), 200)</script><body>"
    )
    await page.page.evaluate("later(() => { location.href = '/next'; })")

    assert (await page.do("wait_for", text="Arrived"))["title"] == "Next"


async def test_tab_in_the_background_is_rendered_during_the_wait(page: DrivenTab) -> None:
    await page.popup.page.bring_to_front()
    await page.page.evaluate("requestAnimationFrame(() => (hidden.hidden = false)), 0")

    await page.do("wait_for", text="Secret sale")


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"text": "Ordr 42 is on its wy"}, ["After 0.3 s, the page shows no text", "#there"]),
        ({"text": "Secret sale"}, ['shows no text "Secret sale"']),
        ({"gone": "Loading"}, ['still shows the text "Loading", in p#spinner']),
        ({"selector": "#ther", "gone": "x"}, ['no element that matches "#ther"', "#there"]),
        ({"selector": "#there", "text": "Thank you", "gone": "Loading"}, ['no text "Thank you"']),
    ],
)
async def test_timeout_names_what_is_missing_with_suggestions(
    same_page: DrivenTab, params: dict[str, str], says: list[str]
) -> None:
    code, message = await same_page.refused("wait_for", timeout=300, **params)

    assert code == "COMMAND_TIMEOUT"
    assert [words for words in says if words not in message] == [], message


@pytest.mark.parametrize(
    ("params", "code", "says"),
    [
        ({}, "INVALID_ARGUMENT", "text, gone or selector"),
        ({"text": " "}, "INVALID_ARGUMENT", "text, gone or selector"),
        ({"text": 5}, "INVALID_ARGUMENT", "text must be"),
        ({"text": "x", "timeout": 25_001}, "INVALID_ARGUMENT", "from 1 to 25000"),
        ({"selector": "p["}, "INVALID_SELECTOR", "p["),
    ],
)
async def test_impossible_wait_is_rejected(same_page: DrivenTab, params: dict[str, Any], code: str, says: str) -> None:
    found, message = await same_page.refused("wait_for", **params)

    assert (found, says in message) == (code, True), message
