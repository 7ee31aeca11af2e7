"""Commands that need an attached tab: which one they use, and what ends with it."""

import asyncio

import pytest
from playwright.async_api import BrowserContext, Page, expect

from tests.extension.conftest import Popup, Site, full_storage, stop_worker
from tests.extension.test_popup import show_page, wait_for_badge
from tests.support import polling
from tests.support.fake_bridge import FakeBridge, Message

LAYER = b"<title>%s</title><body>%s<script>window.dataLayer = ['%s']</script>"


@pytest.fixture
def layers(site: Site) -> Site:
    for name in (b"a", b"b"):
        site.pages[f"/{name.decode()}"] = LAYER % (name, name, name)
    # It blocks once its data is requested, and announces that in its title first. Waiting for its server uses no CPU time.
    site.pages["/stuck"] = b"""<title>Stuck</title><body>x<script>
      const request = new XMLHttpRequest();
      const block = () => (request.open("GET", "/late", false), request.send());
      window.dataLayer = [{ get busy() { document.title = "Busy"; block(); } }];
    </script>"""
    return site


async def attach(popup: Popup, bridge: FakeBridge, url: str) -> tuple[Page, int]:
    page = await show_page(popup, url)
    await expect(popup.element("attachButton")).to_have_text("Attach to this Tab")
    await popup.press("attachButton")
    while True:
        event = await bridge.next_message("tab_attached")
        if event["url"] == url:
            return page, event["tab_id"]


def error_of(asked: Message) -> tuple[str, str]:
    assert not asked["success"]
    return asked["error"]["code"], asked["error"]["message"]


async def test_tab_must_be_attached_to_show_its_data_layer(paired: Popup, bridge: FakeBridge, layers: Site) -> None:
    await show_page(paired, layers.url("/a"))
    tab_id = await paired.tab_id(layers.url("/a"))

    for asked_id in (None, tab_id):
        code, message = error_of(await bridge.ask("getDataLayer", tab_id=asked_id))
        assert code == "TAB_NOT_ATTACHED"
        assert "Attach to this Tab" in message
        assert "browser_create_tab" in message
    code, _ = error_of(await bridge.ask("getDataLayer", tab_id=999_999_999))
    assert code == "TAB_NOT_FOUND"
    assert (await bridge.ask("list_tabs"))["result"] == []

    await paired.press("attachButton")
    attached = await bridge.next_message("tab_attached")
    for asked_id in (None, tab_id):
        assert (await bridge.ask("getDataLayer", tab_id=asked_id))["result"]["values"] == ["a"]
    assert (await bridge.ask("list_tabs"))["result"] == [
        {"tab_id": tab_id, "url": layers.url("/a"), "title": "a", "connected_at": attached["connected_at"]}
    ]

    await paired.press("attachButton")
    await bridge.next_message("tab_detached")
    assert (error_of(await bridge.ask("getDataLayer")))[0] == "TAB_NOT_ATTACHED"


async def test_two_attached_tabs_are_distinguished_by_their_ids(
    paired: Popup, bridge: FakeBridge, layers: Site
) -> None:
    layers.pages["/b"] = LAYER % (b'b", 5 "x', b"b", b"b")
    _, first = await attach(paired, bridge, layers.url("/a"))
    page, second = await attach(paired, bridge, layers.url("/b"))

    code, message = error_of(await bridge.ask("getDataLayer"))

    assert code == "AMBIGUOUS_TAB"
    assert message.startswith(f'2 tabs are attached: {first} "a", {second} "b\\", 5 \\"x". ')
    assert (await bridge.ask("getDataLayer", tab_id=first))["result"]["values"] == ["a"]
    assert (await bridge.ask("getDataLayer", tab_id=second))["result"]["values"] == ["b"]
    await page.close()
    await bridge.next_message("tab_detached")
    assert (await bridge.ask("getDataLayer"))["result"]["values"] == ["a"]


@pytest.mark.parametrize("way", ["closed", "detached"])
async def test_commands_end_at_once_when_their_tab_is_detached_or_closed(
    paired: Popup, bridge: FakeBridge, layers: Site, way: str
) -> None:
    _, tab_id = await attach(paired, bridge, layers.url("/stuck"))
    # The first one is stuck in the page, and the others wait for their turn.
    names = ("getDataLayer", "read_tab", "getDataLayer")
    commands = [asyncio.create_task(bridge.ask(name, tab_id=tab_id)) for name in names]
    await tab_has(paired, tab_id, "title", "Busy")
    assert not any(command.done() for command in commands)

    if way == "closed":
        assert (await bridge.ask("browser_close_tab", tab_id=tab_id))["result"] == {"success": True}
    else:
        await paired.press("attachButton")

    for reply in await asyncio.gather(*commands):
        assert error_of(reply)[0] == "TAB_DISCONNECTED"


async def test_commands_end_when_their_page_crashes(paired: Popup, bridge: FakeBridge, layers: Site) -> None:
    page = await paired.page.context.new_page()
    await page.goto(layers.url("/slow"), wait_until="commit")
    await expect(page.get_by_text("first part")).to_be_visible()
    commands = [asyncio.create_task(bridge.ask("read_tab")) for _ in range(2)]
    assert (await bridge.ask("browser_get_tabs"))["success"]
    assert not any(command.done() for command in commands)

    await crash(page)

    for reply in await asyncio.gather(*commands):
        assert error_of(reply)[0] == "TAB_DISCONNECTED"


async def test_stop_detaches_every_tab_even_if_that_cannot_be_stored(
    paired: Popup, bridge: FakeBridge, layers: Site
) -> None:
    for name in ("a", "b"):
        await attach(paired, bridge, layers.url(f"/{name}"))
    await show_page(paired, layers.url("/one"))
    tab_id = await paired.tab_id(layers.url("/one"))
    (worker,) = paired.page.context.service_workers
    async with full_storage(worker, "session"):
        await paired.press("stop")
        await expect(paired.element("problem")).to_contain_text("disk full")
        assert [(await bridge.next_message("tab_detached"))["event"] for _ in "ab"] == ["tab_detached"] * 2
        assert (await bridge.ask("list_tabs"))["result"] == []

        await paired.act("attach", tabId=tab_id)
        assert (error_of(await bridge.ask("getDataLayer", tab_id=tab_id)))[0] == "TAB_NOT_ATTACHED"

    await paired.act("attach", tabId=tab_id)
    assert (await bridge.next_message("tab_attached"))["tab_id"] == tab_id


async def test_a_shortcut_whose_effect_cannot_be_stored_is_reported(
    paired: Popup, bridge: FakeBridge, layers: Site
) -> None:
    await attach(paired, bridge, layers.url("/a"))
    tab_id = await paired.tab_id(layers.url("/a"))
    (worker,) = paired.page.context.service_workers
    shortcut = "async (id) => chrome.commands.onCommand.dispatch('attach', await chrome.tabs.get(id))"
    async with full_storage(worker, "session"):
        await worker.evaluate(shortcut, tab_id)
        await expect(paired.element("problem")).to_contain_text("disk full")
        await bridge.next_message("tab_detached")

    await worker.evaluate(shortcut, tab_id)
    assert (await bridge.next_message("tab_attached"))["tab_id"] == tab_id


async def tab_has(popup: Popup, tab_id: int, key: str, value: str) -> None:
    """Wait until the tab has this title or status."""
    await until(popup, f"(await chrome.tabs.get({tab_id})).{key} === '{value}'")


async def until(popup: Popup, condition: str) -> None:
    """Wait for a condition that uses the extension's own APIs."""
    await polling.until(lambda: popup.chrome(condition))


async def crash(page: Page) -> None:
    session = await page.context.new_cdp_session(page)
    async with page.expect_event("crash"):
        crashing = asyncio.create_task(session.send("Page.crash"))
    # No server is left to answer it.
    crashing.cancel()


async def test_tab_detached_while_it_is_being_announced_stays_detached(
    paired: Popup, bridge: FakeBridge, layers: Site
) -> None:
    await show_page(paired, layers.url("/a"))
    tab_id = await paired.tab_id(layers.url("/a"))
    (worker,) = paired.page.context.service_workers
    # So that detaching falls between attaching and its announcement.
    await worker.evaluate("""() => {
        globalThis.get = chrome.tabs.get;
        chrome.tabs.get = async (tabId) => {
            const tab = await get(tabId);
            await new Promise((go) => setTimeout(go, 300));
            return tab;
        };
    }""")

    await paired.act("attach", tabId=tab_id)
    await until(paired, "(await chrome.storage.session.get('attachments')).attachments?.length === 1")
    await paired.act("detach", tabId=tab_id)
    await bridge.next_message("tab_detached")
    # It looks at the tab later than the announcement did.
    assert (await bridge.ask("read_tab", tab_id=tab_id))["success"]

    await worker.evaluate("() => void (chrome.tabs.get = get)")
    assert bridge.received.empty()


async def test_crashed_tab_stays_attached_and_asks_for_a_reload(
    paired: Popup, bridge: FakeBridge, layers: Site
) -> None:
    page, tab_id = await attach(paired, bridge, layers.url("/a"))
    await crash(page)
    await tab_has(paired, tab_id, "status", "unloaded")

    code, message = error_of(await bridge.ask("getDataLayer"))

    assert (code, "crashed" in message) == ("TAB_DISCONNECTED", True)
    await paired.chrome(f"await chrome.tabs.reload({tab_id})")
    await tab_has(paired, tab_id, "status", "complete")
    assert (await bridge.ask("getDataLayer"))["result"]["values"] == ["a"]


async def test_attached_tab_stays_attached_through_navigation_and_the_workers_death(
    paired: Popup, bridge: FakeBridge, layers: Site
) -> None:
    page, tab_id = await attach(paired, bridge, layers.url("/a"))
    await page.goto(layers.url("/b"))
    assert (await bridge.ask("getDataLayer"))["result"]["values"] == ["b"]

    await stop_worker(paired)
    await paired.open()
    await bridge.connected()

    assert (await bridge.next_message("tab_attached"))["tab_id"] == tab_id
    assert (await bridge.ask("getDataLayer"))["result"]["values"] == ["b"]
    await paired.open()
    await wait_for_badge(paired.page, tab_id, "•", "Chrome Tab Reader: Connected")


async def opened_popup(context: BrowserContext) -> Popup:
    popup = Popup(await context.new_page())
    await popup.open()
    return popup


async def test_status_line_shows_the_number_of_sessions(paired: Popup, bridge: FakeBridge) -> None:
    await bridge.send({"type": "event", "event": "sessions", "sessions": 2})
    await paired.shows("Connected · 2 sessions$")

    for wrong in (0, -1, 1.5, "3", None, [4]):
        await bridge.send({"type": "event", "event": "sessions", "sessions": wrong})
    await bridge.send({"type": "event", "event": "other", "sessions": 9})
    assert (await bridge.ask("list_tabs"))["success"]
    await paired.shows("Connected · 2 sessions$")

    await bridge.send({"type": "event", "event": "sessions", "sessions": 1})
    await paired.shows("Connected · 1 session$")
