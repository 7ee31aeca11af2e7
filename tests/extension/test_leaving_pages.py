"""Pages that leave their tab while a command is about them, in a browser that keeps them for the way back.

None of these commands may wait for the page that has left: it would be the command's own limit of 30 s.
"""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from demo.web import serving
from tests.extension.conftest import EXTENSION, EXTENSION_URL, AttachedTab, Site
from tests.support.fake_bridge import Message, running_bridge
from tests.support.plain_chromium import plain_chromium

# A command that waits for the page it has lost takes 30 s, and one whose next page never comes 5.
SOON_S = 20
TWO = "<title>Two</title><button id=go onclick='document.title = &quot;Pressed&quot;'>Go</button>"


@pytest.fixture(scope="module")
async def tab() -> AsyncGenerator[AttachedTab]:
    """One tab in one browser for all tests of the file."""
    site = Site()
    site.pages["/two"] = f"<!doctype html>{TWO}".encode()
    async with running_bridge() as bridge, plain_chromium(EXTENSION) as browser:
        with serving(site):
            wish = f"{{ action: 'connect', connectionString: {bridge.connection_string!r} }}"
            await browser.run_in_page(
                f"{EXTENSION_URL}/ui/popup/popup.html", f"chrome.runtime.connect().postMessage({wish})"
            )
            await bridge.connected()
            opened = await bridge.ask("browser_create_tab", url=site.url("/blank"))
            yield AttachedTab(bridge, site, opened["result"]["tab_id"])


async def soon(tab: AttachedTab, command: str, **params: object) -> Message:
    return await asyncio.wait_for(tab.do(command, **params), SOON_S)


async def test_browser_keeps_the_pages_that_are_left(tab: AttachedTab) -> None:
    """Without that the other tests of this file show nothing."""
    await tab.show("<script>onpageshow = ({ persisted }) => document.title = persisted ? 'Kept' : 'New'</script>")
    await tab.do("navigate", url=tab.site.url("/two"))

    assert (await tab.do("back"))["title"] == "Kept"


async def test_element_is_looked_for_in_the_page_that_follows(tab: AttachedTab) -> None:
    await tab.show("<script>setTimeout(() => location.href = '/two', 400)</script>")

    clicked = await soon(tab, "click", selector="#go")

    assert (clicked["url"], clicked["title"]) == (tab.site.url("/two"), "Pressed")


LEAVE = "onchange=\"location.href = '/two'\""


async def test_list_that_leads_elsewhere_has_been_chosen_from(tab: AttachedTab) -> None:
    for _ in range(5):
        await tab.show(f"<select id=list {LEAVE}><option>a<option>b</select>")

        chosen = await soon(tab, "select", selector="#list", value="b")

        assert chosen["selected"] == [{"value": "b", "label": "b"}]
        assert chosen["title"] == "Two"


async def test_checkbox_that_leads_elsewhere_has_been_clicked(tab: AttachedTab) -> None:
    for _ in range(5):
        await tab.show(f"<input type=checkbox id=box {LEAVE}>")

        clicked = await soon(tab, "click", selector="#box")

        assert clicked["title"] == "Two"
        assert clicked.get("checked") is True or "The page has left" in clicked["notes"][0]


async def test_field_that_leads_elsewhere_has_been_filled(tab: AttachedTab) -> None:
    for _ in range(5):
        await tab.show(f"<input id=field {LEAVE}>")

        filled = await soon(tab, "fill", selector="#field", value="words")

        assert filled["element"]["selector"] == "#field"
        assert filled.get("value") == "words" or "The page has left" in filled["notes"][0]
