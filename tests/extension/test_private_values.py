"""What is private in a data layer leaves the browser only where the person shows it, and stays nowhere."""

import json
import re
import tempfile
from pathlib import Path

import pytest
from playwright.async_api import Playwright, expect

from tests.extension.conftest import EXTENSION_URL, DrivenTab, Site, comes_true, launched_chromium
from tests.extension.test_attaching import until
from tests.extension.test_tab_control import allow_private, opened_popup
from tests.support.fake_bridge import FakeBridge

LAYER = """<script>dataLayer = [
  { event: "purchase", ecommerce: { value: 30, items: [{ item_name: "Tee" }] } },
  { event: "login", user: { id: "u-17", name: "Ada Larsen" }, mail: "write to ada@larsen.example", note: "[card]" },
]</script>"""
PRIVATE = re.compile("u-17|Ada|Larsen|larsen")
PURCHASE = {"event": "purchase", "ecommerce": {"value": 30, "items": [{"item_name": "Tee"}]}}


@pytest.fixture
async def tab(driven: DrivenTab) -> DrivenTab:
    await driven.show(LAYER)
    return driven


async def test_nothing_private_crosses_the_wire_until_the_person_shows_it(tab: DrivenTab) -> None:
    told = await tab.do("getDataLayer")

    assert told["values"] == [
        PURCHASE,
        {
            "event": "login",
            "user": {"id": "[id]", "name": "[name]"},
            "mail": "write to [email]",
            "note": "[card]",
        },
    ]
    assert told["masked"] == {"id": 1, "name": 1, "email": 1}
    code, message = await tab.refused("getDataLayer", redact=False)
    assert code == "PRIVATE_NOT_ALLOWED"
    assert "Show private values" in message
    assert "popup" in message
    code, message = await tab.refused("getDataLayer", redact="no")
    assert code == "INVALID_ARGUMENT"
    assert not PRIVATE.search(message)

    await tab.show_private()

    shown = await tab.do("getDataLayer", redact=False)
    assert shown["values"][1]["user"] == {"id": "u-17", "name": "Ada Larsen"}
    assert shown["masked"] == {}
    # Who does not ask for them does not get them.
    assert (await tab.do("getDataLayer"))["masked"] == told["masked"]


async def test_private_values_are_shown_on_no_other_origin(tab: DrivenTab) -> None:
    await tab.show_private()
    await tab.do("navigate", url=tab.site.url("/shown").replace("127.0.0.1", "localhost"))
    assert (await tab.refused("getDataLayer", redact=False))[0] == "PRIVATE_NOT_ALLOWED"

    await tab.do("navigate", url=tab.site.url("/shown"))

    assert (await tab.do("getDataLayer", redact=False))["masked"] == {}


async def test_the_panel_shows_the_same_and_its_history_keeps_no_values(tab: DrivenTab) -> None:
    page = await tab.page.context.new_page()
    await page.goto(f"{EXTENSION_URL}/ui/devtools/panel.html?tab={tab.tab_id}")
    await page.get_by_role("tab", name="Data layer").click()
    entry = page.locator("#data-layer-tree [role=treeitem]").first
    await expect(entry).to_contain_text("login")
    await page.locator("#data-layer-search").fill("ada@larsen")
    await expect(page.locator("#data-layer-count")).to_have_text("0 of 2")

    await page.locator("#connection").click()
    await page.locator("#show-private").check()

    await expect(page.locator("#data-layer-count")).to_have_text("1 of 2")
    await page.keyboard.press("Escape")
    await page.get_by_role("tab", name="Commands").click()
    await page.locator("#command").select_option("getDataLayer")
    await page.locator("#field-redact").fill("false")
    # Panels of other tests may have left theirs.
    await page.evaluate("chrome.storage.local.remove('history')")
    await page.locator("#run").click()
    await expect(page.locator("#runs pre")).to_contain_text("Ada Larsen")
    await comes_true(page, "chrome.storage.local.get('history').then(({history}) => history?.length === 1)")
    (run,) = (await page.evaluate("chrome.storage.local.get('history')"))["history"]
    assert (run["command"], run["params"], run["reply"]) == ("getDataLayer", {"redact": False}, "")
    assert not PRIVATE.search(json.dumps(await page.evaluate("chrome.storage.local.get()")))
    await page.evaluate("chrome.storage.local.remove('history')")
    await page.close()


async def test_nothing_of_an_incognito_tab_is_kept(playwright: Playwright, bridge: FakeBridge, site: Site) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        async with launched_chromium(playwright, Path(profile)) as context:
            popup = await opened_popup(context)
            await popup.paste(bridge.connection_string)
            await bridge.connected()
            popup = await allow_private(context, bridge, allowed=True)
            history = "chrome.storage.local.get('history').then(({history}) => history?.length === 1)"
            for incognito in (True, False):
                create = f"chrome.windows.create({{ incognito: {json.dumps(incognito)}, url: '{site.url('/one')}' }})"
                tab_id = (await popup.chrome(f"await {create}"))["tabs"][0]["id"]
                page = await context.new_page()
                await page.goto(f"{EXTENSION_URL}/ui/devtools/panel.html?tab={tab_id}")
                await expect(page.locator("#tab-title")).not_to_be_empty()
                await expect(page.locator("#save-form")).to_be_visible(visible=not incognito)
                await page.locator("#command").select_option("read_tab")
                await page.locator("#run").click()
                await expect(page.locator("#runs details")).to_have_attribute("data-state", "ok")
                if not incognito:
                    await comes_true(page, history)
                assert len((await page.evaluate("chrome.storage.local.get({history: []})"))["history"]) == (
                    not incognito
                )
            logged = "(await chrome.storage.local.get({activity: []})).activity"
            await until(popup, f"{logged}.some((entry) => entry.tab_id === {tab_id})")
            assert {entry["tab_id"] for entry in await popup.chrome(logged)} == {tab_id}
