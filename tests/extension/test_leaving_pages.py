"""Pages that leave their tab during a command, in a browser that keeps them for going back.

None of these commands may wait for the page that has left: that would take the command's own limit of 30 s.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from demo.web import serving
from tests.extension.conftest import ELEMENT_LIMITS, EXTENSION, EXTENSION_URL, PATIENT, AttachedTab, Site
from tests.support.fake_bridge import Message, running_bridge
from tests.support.plain_chromium import PlainChromium, plain_chromium

# A command that waits for the page it has lost takes 30 s, and one whose next page never comes 5 s.
SOON_S = 28
TWO = "<title>Two</title><button id=go onclick='document.title = &quot;Pressed&quot;'>Go</button>"


POPUP = f"{EXTENSION_URL}/ui/popup/popup.html"


@pytest.fixture(scope="module")
async def browser() -> AsyncGenerator[PlainChromium]:
    async with plain_chromium(EXTENSION) as browser:
        yield browser


@pytest.fixture(scope="module")
async def tab(browser: PlainChromium) -> AsyncGenerator[AttachedTab]:
    """One tab for all tests of the file."""
    site = Site()
    site.pages["/two"] = f"<!doctype html>{TWO}".encode()
    async with running_bridge() as bridge:
        with serving(site):
            wish = f"{{ action: 'connect', connectionString: {bridge.connection_string!r} }}"
            await browser.run_in_page(POPUP, f"chrome.runtime.connect().postMessage({wish})")
            await bridge.connected()
            opened = await bridge.ask("browser_create_tab", url=site.url("/blank"))
            yield AttachedTab(bridge, site, opened["result"]["tab_id"])


async def soon(tab: AttachedTab, command: str, **params: object) -> Message:
    return await asyncio.wait_for(tab.do(command, **params), SOON_S)


@asynccontextmanager
async def patience(browser: PlainChromium) -> AsyncGenerator[None]:
    """Give elements that appear late the whole timeout of their command inside the block."""
    await browser.run_in_worker(f"({ELEMENT_LIMITS})({json.dumps(PATIENT)})")
    try:
        yield
    finally:
        await browser.run_in_worker(f"({ELEMENT_LIMITS})(null)")


async def test_browser_caches_the_pages_that_are_left(tab: AttachedTab) -> None:
    """Without that the other tests of this file prove nothing. A busy browser may skip it, but not five times."""
    title = ""
    for _ in range(3):
        await tab.show("<script>onpageshow = ({ persisted }) => document.title = persisted ? 'Kept' : 'New'</script>")
        await tab.do("navigate", url=tab.site.url("/two"))
        title = (await tab.do("back"))["title"]
        if title == "Kept":
            break

    assert title == "Kept"


async def test_element_is_searched_in_the_next_page(browser: PlainChromium, tab: AttachedTab) -> None:
    async with patience(browser):
        await tab.show("<script>setTimeout(() => location.href = '/two', 400)</script>")
        clicked = await soon(tab, "click", selector="#go")

    assert (clicked["url"], clicked["title"]) == (tab.site.url("/two"), "Pressed")


LEAVE = "onchange=\"location.href = '/two'\""


async def test_list_that_navigates_reports_its_selection(tab: AttachedTab) -> None:
    await tab.show(f"<select id=list {LEAVE}><option>a<option>b</select>")

    chosen = await soon(tab, "select", selector="#list", value="b")

    assert chosen["selected"] == [{"value": "b", "label": "b"}]
    assert chosen["title"] == "Two"


async def test_checkbox_that_navigates_reports_its_click(tab: AttachedTab) -> None:
    await tab.show(f"<input type=checkbox id=box {LEAVE}>")

    clicked = await soon(tab, "click", selector="#box")

    assert clicked["title"] == "Two"
    assert clicked.get("checked") is True or "The page navigated away" in clicked["notes"][0]


async def test_field_that_navigates_reports_its_value(tab: AttachedTab) -> None:
    await tab.show(f"<input id=field {LEAVE}>")

    filled = await soon(tab, "fill", selector="#field", value="words")

    assert filled["element"]["selector"] == "#field"
    assert filled.get("value") == "words" or "The page navigated away" in filled["notes"][0]


async def test_page_is_left_for_an_error_page_and_returned_to(tab: AttachedTab) -> None:
    await tab.show("<a href='http://127.0.0.1:9/'>Nowhere</a>")
    assert 'link "Nowhere"' in (await soon(tab, "page_elements"))["text"]

    await soon(tab, "click", selector="a")
    code, message = await asyncio.wait_for(tab.refused("page_elements"), SOON_S)

    assert (code, "error pages" in message) == ("UNREADABLE_PAGE", True)
    await soon(tab, "back")
    assert 'link "Nowhere"' in (await soon(tab, "page_elements"))["text"]


async def test_page_with_a_dialog_from_before_attaching_is_reported_and_can_be_left(
    browser: PlainChromium, tab: AttachedTab
) -> None:
    tab.site.pages["/asks"] = b"<body onload='setTimeout(() => { document.title = 1; alert(2) })'>"
    # In front, because the browser closes the dialog of a tab that is left.
    asking_id = await browser.run_in_page(
        POPUP,
        f"""(async () => {{
          const {{ id }} = await chrome.tabs.create({{ url: "{tab.site.url("/asks")}" }});
          while ((await chrome.tabs.get(id)).title !== "1") await new Promise((again) => setTimeout(again, 50));
          chrome.runtime.connect().postMessage({{ action: "attach", tabId: id }});
          return id;
        }})()""",
    )
    asking = AttachedTab(tab.bridge, tab.site, asking_id)
    while (await tab.bridge.next_message("tab_attached"))["tab_id"] != asking_id:
        pass

    code, message = await asking.refused("click", selector="body")

    assert (code, "show a dialog" in message) == ("COMMAND_TIMEOUT", True)
    assert (await soon(asking, "navigate", url=tab.site.url("/two")))["title"] == "Two"
    assert (await soon(asking, "click", selector="#go"))["title"] == "Pressed"
