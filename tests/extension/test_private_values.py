"""Private values in a data layer leave the browser only if the user shows them, and are stored nowhere."""

import json
import re
import tempfile
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.async_api import Playwright, expect

from tests.extension.conftest import EXTENSION_URL, DrivenTab, Site, comes_true, launched_chromium
from tests.extension.test_attaching import opened_popup, until
from tests.extension.test_in_sight import prefer
from tests.extension.test_tab_control import allow_private
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


async def test_nothing_private_leaves_the_browser_until_the_user_shows_it_on_this_origin(tab: DrivenTab) -> None:
    reported = await tab.do("getDataLayer")

    assert reported["values"] == [
        PURCHASE,
        {
            "event": "login",
            "user": {"id": "[id]", "name": "[name]"},
            "mail": "write to [email]",
            "note": "[card]",
        },
    ]
    assert reported["redacted"] == {"id": 1, "name": 1, "email": 1}
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
    assert shown["redacted"] == {}
    # A client that does not request them does not get them, and none on another origin.
    assert (await tab.do("getDataLayer"))["redacted"] == reported["redacted"]
    await tab.do("navigate", url=tab.site.url("/shown").replace("127.0.0.1", "localhost"))
    assert (await tab.refused("getDataLayer", redact=False))[0] == "PRIVATE_NOT_ALLOWED"
    await tab.do("navigate", url=tab.site.url("/shown"))
    assert (await tab.do("getDataLayer", redact=False))["redacted"] == {}


# In a data layer, addresses of requests, a hit, a body, and errors; each is under a private name or has a private form.
OWN = {
    "mail": "ada@larsen.example",
    "login": "larsen-login-17",
    "street": "Storgata 17 Larvik",
    "born": "1815-12-10",
    "iban": "DE89370400440532013000",
    "card": "4111111111111111",
    "phone": "+47 22 86 44 00",
    "ip": "203.0.113.77",
    "token": "hunter2-s3cr3t",
}
TELLING = """async (own) => {
  globalThis.dataLayer = [
    { event: "login", userId: own.login, note: `of ${own.mail} at ${own.ip}`, address: { line1: own.street } },
    { event: "purchase", user: { birthDate: own.born, iban: own.iban }, text: [own.card, own.phone] },
    ["set", "user_id", own.login],
  ];
  await fetch(`/one?token=${own.token}&email=${encodeURIComponent(own.mail)}&uid=${own.login}`);
  await fetch(`/collect?uid=${own.login}&ep.note=${own.card}&em=${own.mail}`);
  await (await fetch("/body")).text();
}"""
LISTEN = """() => {
  globalThis.said = [];
  for (const level of ["debug", "log", "info", "warn", "error"]) {
    const real = (console[level].real ??= console[level]);
    console[level] = Object.assign((...all) => (said.push(all.map(String).join(" ")), real.apply(console, all)), { real });
  }
}"""


def found(text: str | bytes) -> set[str]:
    """Return which of them appear, as JSON, UTF-8 or an address would encode them."""
    data = text if isinstance(text, bytes) else text.encode()
    ways = {name: {value, quote(value), json.dumps(value)[1:-1]} for name, value in OWN.items()}
    return {name for name, texts in ways.items() if any(text.encode() in data for text in texts)}


async def test_no_private_byte_is_sent_stored_shown_or_logged_until_the_user_shows_it(
    driven: DrivenTab,
) -> None:
    bridge, site, (worker,) = driven.bridge, driven.site, driven.page.context.service_workers
    site.pages["/body"] = json.dumps({"customer": {"email": OWN["mail"], "id": OWN["login"]}, "n": 1}).encode()
    await worker.evaluate(LISTEN)
    panel = await driven.page.context.new_page()
    await panel.goto(f"{EXTENSION_URL}/ui/devtools/panel.html?tab={driven.tab_id}")
    await driven.show("nothing")
    await driven.page.evaluate(TELLING, OWN)
    bridge.frames = []
    await driven.do("getDataLayer")
    (body,) = [each for each in (await driven.do("network_requests"))["entries"] if each["url"].endswith("/body")]
    await driven.do("network_requests", filter="collect")
    assert "[contact]" in (await driven.do("network_requests", body_of=body["id"]))["entries"][0]["body"]
    await driven.refused("getDataLayer", name="dataLayer.larsen")
    await panel.get_by_role("tab", name="Data layer").click()
    await expect(panel.locator("#data-layer-tree [role=treeitem]").first).to_contain_text("user_id")
    await panel.get_by_role("tab", name="Commands").click()
    for command in ("getDataLayer", "network_requests"):
        await panel.locator("#command").select_option(command)
        await panel.locator("#run").click()
        await expect(panel.locator("#runs details").first).to_contain_text(command)
        await expect(panel.locator("#runs details").first).to_have_attribute("data-state", "ok")

    async def kept() -> str:
        stored = "JSON.stringify([await chrome.storage.local.get(), await chrome.storage.session.get()])"
        return await driven.popup.chrome(stored) + json.dumps(await worker.evaluate("said"))

    async def shown() -> str:
        values = "[...document.querySelectorAll('input, textarea')].map(({value}) => value).join()"
        return await panel.content() + await panel.evaluate(values)

    assert found(b"".join(bridge.frames)) == set()
    assert found(await shown()) == set()
    assert found(await kept()) == set()

    await driven.show_private()
    await driven.do("getDataLayer", redact=False)
    await panel.locator("#command").select_option("getDataLayer")
    await panel.locator("#field-redact").select_option("false")
    await panel.locator("#run").click()
    await expect(panel.locator("#runs details").first).to_contain_text(OWN["street"])

    assert found(b"".join(bridge.frames)) == set(OWN) - {"token"}
    assert found(await shown()) == set(OWN) - {"token"}
    assert found(await kept()) == set()
    bridge.frames = None
    await panel.close()


async def test_page_does_not_notice_that_values_are_withheld(driven: DrivenTab) -> None:
    await driven.show(
        "<script>globalThis.reads = 0; Object.defineProperty(globalThis, 'dataLayer', { get: () => [++reads] })</script>"
    )
    before = await driven.page.evaluate("Object.getOwnPropertyNames(globalThis).length")
    assert (await driven.refused("getDataLayer", redact=False))[0] == "PRIVATE_NOT_ALLOWED"
    assert (await driven.refused("evaluate", code="++reads"))[0] == "EVALUATE_NOT_ALLOWED"
    driven.bridge.session = {"id": "aaaa", "client": "agent"}
    await prefer(driven.popup, deniedHosts=["127.*"])
    for command in ("getDataLayer", "read_tab", "page_elements", "screenshot"):
        assert (await driven.refused(command))[0] == "HOST_BLOCKED"
    await prefer(driven.popup, deniedHosts=[])
    driven.bridge.session = None

    assert await driven.page.evaluate("[reads, Object.getOwnPropertyNames(globalThis).length]") == [0, before]
    await driven.do("getDataLayer")
    assert await driven.page.evaluate("reads") > 0


async def test_the_panel_shows_the_same_and_its_history_contains_no_values(tab: DrivenTab) -> None:
    page = await tab.page.context.new_page()
    await page.goto(f"{EXTENSION_URL}/ui/devtools/panel.html?tab={tab.tab_id}")
    await page.get_by_role("tab", name="Data layer").click()
    entry = page.locator("#data-layer-tree [role=treeitem]").first
    await expect(entry).to_contain_text("login")
    await page.locator("#data-layer-search").fill("ada@larsen")
    await expect(page.locator("#data-layer-count")).to_have_text("0 of 2")

    await page.locator("#connection").click()
    await page.locator("#show-private").click()

    await expect(page.locator("#data-layer-count")).to_have_text("1 of 2")
    await page.keyboard.press("Escape")
    await page.get_by_role("tab", name="Commands").click()
    await page.locator("#command").select_option("getDataLayer")
    await page.locator("#field-redact").select_option("false")
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


async def test_incognito_tabs_are_listed_only_if_the_user_allows_it_and_nothing_of_them_is_stored(
    playwright: Playwright, bridge: FakeBridge, site: Site
) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        async with launched_chromium(playwright, Path(profile)) as context:
            popup = await opened_popup(context)
            await popup.paste(bridge.connection_string)
            await bridge.connected()
            popup = await allow_private(context, bridge)
            history = "chrome.storage.local.get('history').then(({history}) => history?.length === 1)"
            tab_ids: dict[bool, int] = {}
            for incognito in (True, False):
                create = f"chrome.windows.create({{ incognito: {json.dumps(incognito)}, url: '{site.url('/one')}' }})"
                tab_id = tab_ids[incognito] = (await popup.chrome(f"await {create}"))["tabs"][0]["id"]
                page = await context.new_page()
                await page.goto(f"{EXTENSION_URL}/ui/devtools/panel.html?tab={tab_id}")
                await expect(page.locator("#tab-title")).not_to_be_empty()
                for part in ("#save-form", "#save-hint"):
                    await expect(page.locator(part)).to_be_visible(visible=not incognito)
                await page.locator("#command").select_option("read_tab")
                await page.locator("#run").click()
                await expect(page.locator("#runs details")).to_have_attribute("data-state", "ok")
                if not incognito:
                    await comes_true(page, history)
                assert len((await page.evaluate("chrome.storage.local.get({history: []})"))["history"]) == (
                    not incognito
                )
            logged = "(await chrome.storage.local.get({activity: []})).activity"
            await until(popup, f"{logged}.some((entry) => entry.tab_id === {tab_ids[False]})")
            assert {entry["tab_id"] for entry in await popup.chrome(logged)} == {tab_ids[False]}

            tabs = (await bridge.ask("browser_get_tabs"))["result"]
            assert [tab["id"] for tab in tabs if tab.get("incognito")] == [tab_ids[True]]
            assert len(tabs) > 1
            read = (await bridge.ask("read_tab", tab_id=tab_ids[True]))["result"]
            assert (read["title"], read["incognito"]) == ("One", True)
