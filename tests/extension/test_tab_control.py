"""Opening, closing and listing tabs, with pairing as the only consent."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

import pytest
from playwright.async_api import BrowserContext, Dialog
from playwright.async_api import Error as PlaywrightError

from tests.extension.conftest import Popup, Site, held_limits, limit_begins, use_as_user
from tests.extension.test_attaching import until
from tests.extension.test_reading import open_page, open_window
from tests.support import polling
from tests.support.fake_bridge import FakeBridge
from tests.support.fake_extension import free_port

UNLOAD_QUESTION = "<title>Draft</title><body>x<script>onbeforeunload = (event) => event.preventDefault()</script>"


@pytest.fixture
async def no_content() -> AsyncGenerator[str]:
    """An address that answers without a page."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def test_created_tab_is_loaded_attached_and_in_front(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    url = site.url("/one")

    reply = await bridge.ask("browser_create_tab", url=url)

    tab_id = await paired.tab_id(url)
    assert reply["result"] == {"tab_id": tab_id, "url": url, "title": "One"}
    attached = await bridge.next_message("tab_attached")
    (listed,) = (await bridge.ask("list_tabs"))["result"]
    assert listed == {"tab_id": tab_id, "url": url, "title": "One", "connected_at": attached["connected_at"]}
    assert (await bridge.ask("read_tab"))["result"]["text"] == "alpha\n\nbeta\n\ngamma"
    stored = "(await chrome.storage.session.get('attachments')).attachments.map(([, tab]) => [tab.evaluateOn, tab.privateOn])"
    assert await paired.chrome(stored) == [["", ""]]


@pytest.mark.usefixtures("paired")
async def test_created_tab_has_the_console_requests_and_data_layer_of_its_first_load(
    bridge: FakeBridge, site: Site
) -> None:
    url = site.url("/acting/first-load.html")

    tab_id = (await bridge.ask("browser_create_tab", url=url))["result"]["tab_id"]

    requests = (await bridge.ask("network_requests", tab_id=tab_id))["result"]["entries"]
    assert {request["url"] for request in requests} >= {url, site.url("/two")}
    console = (await bridge.ask("console_logs", tab_id=tab_id))["result"]["entries"]
    assert [entry["message"] for entry in console if entry["message"] == "begun"] == ["begun"]
    pushed = (await bridge.ask("getDataLayer", tab_id=tab_id))["result"]["values"]
    assert pushed == [{"event": "begun"}]
    # The empty page before it cannot be reached by going back.
    assert (await bridge.ask("back", tab_id=tab_id))["error"]["code"] == "NAVIGATION_FAILED"


async def test_creating_a_tab_is_answered_when_its_page_has_loaded_completely(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    creating = asyncio.create_task(bridge.ask("browser_create_tab", url=site.url("/slow")))
    await until(paired, "(await chrome.tabs.query({ title: 'Slow' })).length === 1")
    assert (await bridge.ask("list_tabs"))["result"] == []
    assert not creating.done()

    site.finish_slow.set()

    assert (await creating)["result"]["title"] == "Slow"
    assert "last part" in (await bridge.ask("read_tab"))["result"]["text"]


@pytest.mark.usefixtures("paired")
async def test_redirects_are_followed_to_the_final_page(bridge: FakeBridge, site: Site) -> None:
    site.pages["/from"] = b"<title>From</title><script>location.replace('/two')</script>"

    result = (await bridge.ask("browser_create_tab", url=site.url("/from")))["result"]

    assert (result["url"], result["title"]) == (site.url("/two"), "Two")


async def test_only_web_addresses_are_opened(paired: Popup, bridge: FakeBridge) -> None:
    before = await paired.chrome("(await chrome.tabs.query({})).length")
    schemes = ["javascript:alert(1)", "file:///etc/passwd", "chrome://settings", "data:text/html,x", "about:blank"]
    for url in (*schemes, "/x", "", 7, None):
        error = (await bridge.ask("browser_create_tab", url=url))["error"]

        assert (error["code"], "http://" in error["message"]) == ("INVALID_ARGUMENT", True)
        assert await paired.chrome("(await chrome.tabs.query({})).length") == before


async def test_page_that_does_not_load_is_an_error_and_its_tab_is_closed(
    paired: Popup, bridge: FakeBridge, no_content: str, site: Site
) -> None:
    before = await paired.chrome("(await chrome.tabs.query({})).length")
    expected = {
        f"http://127.0.0.1:{free_port()}/": "net::ERR_CONNECTION_REFUSED",
        no_content: "net::ERR_ABORTED",
    }
    for url, reason in expected.items():
        error = (await bridge.ask("browser_create_tab", url=url))["error"]

        assert (error["code"], reason in error["message"]) == ("NAVIGATION_FAILED", True), error
        assert await paired.chrome("(await chrome.tabs.query({})).length") == before
    assert (await bridge.ask("list_tabs"))["result"] == []
    assert (await bridge.ask("browser_create_tab", url=site.url("/one")))["success"]


async def test_tab_that_is_closed_during_loading_is_disconnected(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    creating = asyncio.create_task(bridge.ask("browser_create_tab", url=site.url("/slow")))
    await until(paired, "(await chrome.tabs.query({ title: 'Slow' })).length === 1")

    await paired.chrome("await chrome.tabs.remove((await chrome.tabs.query({ title: 'Slow' }))[0].id)")

    assert (await creating)["error"]["code"] == "TAB_DISCONNECTED"


async def test_page_that_never_finishes_is_used_as_far_as_it_has_loaded(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    context = paired.page.context

    async def is_requested() -> bool:
        return "/late" in site.asked

    async with held_limits(context, 28_000):
        creating = asyncio.create_task(bridge.ask("browser_create_tab", url=site.url("/slow")))
        await until(paired, "(await chrome.tabs.query({ title: 'Slow' })).length === 1")
        await limit_begins(context)
    created = (await creating)["result"]
    before = await paired.chrome("(await chrome.tabs.query({})).length")
    async with held_limits(context, 28_000):
        creating = asyncio.create_task(bridge.ask("browser_create_tab", url=site.url("/late")))
        await polling.until(is_requested)
        await limit_begins(context)
    error = (await creating)["error"]

    assert (created["title"], len(created["notes"])) == ("Slow", 1)
    assert "first part" in (await bridge.ask("read_tab", tab_id=created["tab_id"]))["result"]["text"]
    assert [tab["tab_id"] for tab in (await bridge.ask("list_tabs"))["result"]] == [created["tab_id"]]
    assert error["code"] == "COMMAND_TIMEOUT"
    assert await paired.chrome("(await chrome.tabs.query({})).length") == before


async def test_closed_tab_is_gone_and_another_stays(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    await open_page(paired, site.url("/one"))
    await open_page(paired, site.url("/two"))
    tab_id = await paired.tab_id(site.url("/one"))

    assert (await bridge.ask("browser_close_tab", tab_id=tab_id))["result"] == {"success": True}

    urls = [tab["url"] for tab in (await bridge.ask("browser_get_tabs"))["result"]]
    assert site.url("/one") not in urls
    assert site.url("/two") in urls
    assert (await bridge.ask("browser_close_tab", tab_id=tab_id))["error"]["code"] == "TAB_NOT_FOUND"
    assert (await bridge.ask("browser_close_tab"))["error"]["code"] == "INVALID_ARGUMENT"


async def test_tab_that_the_browser_does_not_close_is_not_reported_as_closed(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    await open_page(paired, site.url("/one"))
    tab_id = await paired.tab_id(site.url("/one"))
    (worker,) = paired.page.context.service_workers
    # The browser's error while the user drags a tab, which is impossible in a headless one.
    await worker.evaluate("""() => {
        globalThis.remove = chrome.tabs.remove;
        chrome.tabs.remove = () => Promise.reject(Error("Tabs cannot be edited right now"));
    }""")

    refused = await bridge.ask("browser_close_tab", tab_id=tab_id)

    await worker.evaluate("() => void (chrome.tabs.remove = remove)")
    assert (refused["error"]["code"], "refused to close" in refused["error"]["message"]) == ("EXECUTION_ERROR", True)
    assert (await bridge.ask("browser_close_tab", tab_id=tab_id))["result"] == {"success": True}


async def test_tab_in_a_popup_window_is_listed_and_read(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    url = site.url("/two")
    async with paired.page.context.expect_page() as opened:
        await paired.chrome(f"await chrome.windows.create({{ url: '{url}', type: 'popup', focused: true }})")
    await (await opened.value).wait_for_url(url)

    assert url in [tab["url"] for tab in (await bridge.ask("browser_get_tabs"))["result"]]
    assert (await bridge.ask("read_tab"))["result"]["text"] == "second page"


async def test_extension_page_cannot_be_closed(paired: Popup, bridge: FakeBridge) -> None:
    tab_id = await paired.tab_id(paired.page.url)

    assert (await bridge.ask("browser_close_tab", tab_id=tab_id))["error"]["code"] == "INVALID_ARGUMENT"

    await paired.shows("Connected")


async def test_page_that_asks_before_it_closes_asks_only_after_user_interaction(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    site.pages["/draft"] = UNLOAD_QUESTION.encode()
    # Forms of these names hide methods of the document from scripts.
    site.pages["/own"] = UNLOAD_QUESTION.encode() + b"<form name=open></form><form name=createEvent></form>"
    page = await open_page(paired, site.url("/draft"))
    asked: asyncio.Queue[Dialog] = asyncio.Queue()
    # Playwright accepts a dialog before its browser knows that there is a listener; the next line reaches it too.
    page.on("dialog", asked.put_nowait)
    await use_as_user(page)
    drafts = await paired.tab_id(site.url("/draft"))

    error = (await bridge.ask("browser_close_tab", tab_id=drafts))["error"]
    assert (error["code"], "asks the user" in error["message"]) == ("COMMAND_TIMEOUT", True)
    await (await asked.get()).dismiss()
    assert drafts in [tab["id"] for tab in (await bridge.ask("browser_get_tabs"))["result"]]

    async with paired.page.context.expect_page() as opened:
        created = (await bridge.ask("browser_create_tab", url=site.url("/own")))["result"]
    await use_as_user(await opened.value)
    closed = (await bridge.ask("browser_close_tab", tab_id=created["tab_id"]))["result"]
    assert (closed["success"], len(closed["notes"])) == (True, 1)
    # Control: unused, it would not have asked.
    unused = (await bridge.ask("browser_create_tab", url=site.url("/own")))["result"]["tab_id"]
    assert (await bridge.ask("browser_close_tab", tab_id=unused))["result"] == {"success": True}


async def test_tabs_of_two_windows_are_listed_completely(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    window = await open_window(paired, site.url("/one"))
    script = """(windowId) => Promise.all(Array.from({ length: 4 }, (_, index) =>
      chrome.tabs.create({ url: `about:blank?${index}`, active: false, ...(index % 2 && { windowId }) })))"""
    created = await paired.page.evaluate(script, window)

    tabs = (await bridge.ask("browser_get_tabs"))["result"]
    # So many that Playwright, which closes what a test leaves behind, may not know all of them yet.
    await paired.chrome(f"await chrome.tabs.remove({[tab['id'] for tab in created]})")

    asked = [tab for tab in tabs if tab["url"].startswith("about:blank?")]
    assert {tab["url"] for tab in asked} == {f"about:blank?{index}" for index in range(4)}
    assert len({tab["id"] for tab in asked}) == 4
    assert len([tab for tab in tabs if tab["windowId"] == window]) == 3
    assert len([tab for tab in tabs if tab["active"] and tab["windowId"] == window]) == 1


async def allow_private(context: BrowserContext, bridge: FakeBridge) -> Popup:
    """Turn the switch in chrome://extensions; Chrome then restarts the extension, and the next event wakes it."""
    settings = await context.new_page()
    await settings.goto("chrome://extensions/strings.m.js")
    # An unpacked extension does not return without developer mode.
    await settings.evaluate(
        """async () => {
          const extensionId = "odmielohngedldmmnjkobeohjielmdjk";
          await chrome.developerPrivate.updateProfileConfiguration({ inDeveloperMode: true });
          await chrome.developerPrivate.updateExtensionConfiguration({ extensionId, incognitoAccess: true });
        }"""
    )
    popup = Popup(await context.new_page())
    async with asyncio.timeout(60):
        while not popup.page.url.startswith("chrome-extension:"):
            # Until it is back, its pages are blocked.
            with suppress(PlaywrightError):
                await popup.open()
    await bridge.connected()
    return popup
