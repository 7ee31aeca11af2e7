"""What `read_tab` and `browser_get_tabs` return for the tabs that users have."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page, expect

from tests.extension.conftest import HUGE_LINES, Driver, Popup, Site, changed_waits, held_limits
from tests.support.fake_bridge import FakeBridge

Shown = Callable[[str], Awaitable[Page]]


@pytest.fixture
def bridge(driver: Driver) -> FakeBridge:
    return driver[0]


@pytest.fixture
async def paired(driver: Driver) -> AsyncGenerator[Popup]:
    """The extension's own tab; tabs that a test opens are closed after it."""
    popup = driver[1]
    before = set(popup.page.context.pages)
    yield popup
    await popup.close_sleeping_tabs()
    for page in popup.page.context.pages:
        if page not in before:
            await page.close()


@pytest.fixture(scope="module")
async def front(driver: Driver) -> AsyncGenerator[Page]:
    page = await driver[1].page.context.new_page()
    yield page
    await page.close()


@pytest.fixture
def show(front: Page, paired: Popup) -> Shown:  # noqa: ARG001 - it tidies up
    """Show an address in the tab in front, which all tests of this file share."""

    async def in_front(url: str) -> Page:
        await front.bring_to_front()
        await front.goto(url)
        return front

    return in_front


async def open_page(popup: Popup, url: str) -> Page:
    page = await popup.page.context.new_page()
    await page.goto(url)
    return page


async def open_window(popup: Popup, url: str) -> int:
    """Open a focused window with this page; return its id."""
    async with popup.page.context.expect_page() as opened:
        window = await popup.chrome(f"await chrome.windows.create({{ url: '{url}', focused: true }})")
    page = await opened.value
    await page.wait_for_url(url)
    return window["id"]


async def test_tab_in_front_is_read(paired: Popup, show: Shown, bridge: FakeBridge, site: Site) -> None:
    url = site.url("/one")
    await show(url)

    reply = await bridge.ask("read_tab", start=None, end=None)

    tab_id = await paired.tab_id(url)
    assert reply == {
        "id": reply["id"],
        "type": "response",
        "success": True,
        "result": {
            "tab_id": tab_id,
            "text": "alpha\n\nbeta\n\ngamma",
            "url": url,
            "title": "One",
            "incognito": False,
            "repeated": 1,
        },
        "error": None,
    }


async def test_page_is_read_again_in_one_message_with_the_function_that_is_compiled_there(
    paired: Popup, show: Shown, bridge: FakeBridge, site: Site
) -> None:
    site.pages["/framing"] = f"alpha<iframe hidden src='http://localhost:{site.server_port}/one'></iframe>".encode()
    await show(site.url("/framing"))
    tab_id = await paired.tab_id(site.url("/framing"))

    async def change(code: str) -> None:
        target = f"target: {{ tabId: {tab_id} }}"
        await paired.chrome(f"await chrome.scripting.executeScript({{ {target}, func: () => {{ {code} }} }})")

    await bridge.ask("read_tab")
    reading = '{ code: "", message: "", text: hasJustLooked ? "kept" : "later", url: "", title: "" }'
    await change(
        f"""let hasJustLooked = false;
        const look = () => {{ hasJustLooked = true; queueMicrotask(() => (hasJustLooked = false)); return []; }};
        globalThis.chromeTabReader.readableFrames = look;
        globalThis.chromeTabReadPage.read = () => ({reading});"""
    )
    again = await bridge.ask("read_tab")
    await change('globalThis.chromeTabReadPage.version = "of an older worker"')
    updated = await bridge.ask("read_tab")

    assert again["result"]["text"] == "kept"
    assert updated["result"]["text"] == "alpha"


async def test_keywords_limit_the_text(show: Shown, bridge: FakeBridge, site: Site) -> None:
    await show(site.url("/one"))

    reply = await bridge.ask("read_tab", start="ALPHA", end="gamma")

    assert reply["result"]["text"] == "beta"


async def test_reply_of_the_page_function_is_passed_on(show: Shown, bridge: FakeBridge, site: Site) -> None:
    await show(site.url("/one"))

    reply = await bridge.ask("read_tab", start="delta")

    assert (reply["success"], reply["result"], reply["error"]["code"]) == (False, None, "KEYWORD_NOT_FOUND")
    assert '"delta"' in reply["error"]["message"]


async def test_page_without_text_is_an_empty_page(show: Shown, bridge: FakeBridge, site: Site) -> None:
    await show(site.url("/empty"))

    assert (await bridge.ask("read_tab"))["error"]["code"] == "EMPTY_PAGE"


async def test_named_tab_is_read_while_another_is_in_front(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    await open_page(paired, site.url("/one"))
    await open_page(paired, site.url("/two"))

    reply = await bridge.ask("read_tab", tab_id=await paired.tab_id(site.url("/one")))

    assert reply["result"]["title"] == "One"


async def test_window_that_had_the_focus_last_is_read(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    await open_window(paired, site.url("/one"))
    second = await open_window(paired, site.url("/two"))
    assert (await bridge.ask("read_tab"))["result"]["title"] == "Two"

    # Headless windows take no focus from each other, so the front one has to be closed.
    await paired.chrome(f"await chrome.windows.remove({second})")

    assert (await bridge.ask("read_tab"))["result"]["title"] == "One"


async def test_window_without_focus_is_read(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    window = await open_window(paired, site.url("/one"))
    await paired.chrome("await chrome.windows.create({ url: 'about:blank', type: 'popup', focused: true })")
    await paired.chrome(f"await chrome.windows.update({window}, {{ state: 'minimized' }})")

    assert (await bridge.ask("read_tab"))["result"]["title"] == "One"


async def test_popup_open_as_a_tab_in_front_means_the_tab_before_it(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    await open_page(paired, site.url("/two"))
    await open_page(paired, site.url("/one"))
    await paired.open()
    await paired.page.bring_to_front()

    assert (await bridge.ask("read_tab"))["result"]["title"] == "One"


async def test_extension_page_named_by_its_id_cannot_be_read(paired: Popup, bridge: FakeBridge) -> None:
    reply = await bridge.ask("read_tab", tab_id=await paired.tab_id(paired.page.url))

    assert reply["error"]["code"] == "UNREADABLE_PAGE"


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("about:blank", "The tab is empty"),
        ("chrome://version/", "cannot read chrome: pages"),
        ("view-source:{site}/one", "cannot read view-source: pages"),
        ("data:text/html,hello", "cannot read data: pages"),
        ("https://chromewebstore.google.com/", "extension store"),
        ("https://chrome.google.com/webstore/category", "extension store"),
        ("http://127.0.0.1:1/", "error pages"),
    ],
)
async def test_page_that_cannot_be_read_is_rejected_with_the_reason(
    show: Shown, bridge: FakeBridge, site: Site, url: str, sentence: str
) -> None:
    # The store and the closed port do not answer here; their tabs have the address all the same.
    with suppress(PlaywrightError):
        await show(url.format(site=site.url("")))

    reply = await bridge.ask("read_tab")

    assert (reply["success"], reply["error"]["code"]) == (False, "UNREADABLE_PAGE")
    assert sentence in reply["error"]["message"]


async def test_discarded_tab_is_rejected_and_not_reloaded(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    url = site.url("/one")
    await open_page(paired, url)
    await open_page(paired, site.url("/two"))
    asleep = await paired.chrome(f"await chrome.tabs.discard({await paired.tab_id(url)})")

    reply = await bridge.ask("read_tab", tab_id=asleep["id"])

    assert reply["error"]["code"] == "UNREADABLE_PAGE"
    assert (await paired.chrome(f"await chrome.tabs.get({asleep['id']})"))["discarded"]


@pytest.mark.usefixtures("paired")
async def test_nonexistent_tab_is_not_found(bridge: FakeBridge) -> None:
    error = (await bridge.ask("read_tab", tab_id=999_999_999))["error"]

    assert error == {
        "code": "TAB_NOT_FOUND",
        "message": "There is no tab 999999999. List the open tabs with browser_get_tabs.",
    }


async def test_loading_page_is_read_once_it_is_complete(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    page = await paired.page.context.new_page()
    await page.goto(site.url("/slow"), wait_until="commit")
    await expect(page.get_by_text("first part")).to_be_visible()
    reading = asyncio.create_task(bridge.ask("read_tab"))
    assert (await bridge.ask("browser_get_tabs"))["success"]

    site.finish_slow.set()

    assert "last part" in (await reading)["result"]["text"]


async def test_page_of_3_megabytes_is_read_completely(show: Shown, bridge: FakeBridge, site: Site) -> None:
    await show(site.url("/huge"))

    text = (await bridge.ask("read_tab"))["result"]["text"]

    assert text == "\n".join(HUGE_LINES)


async def test_reply_that_escaping_makes_too_large_is_rejected(show: Shown, bridge: FakeBridge, site: Site) -> None:
    await show(site.url("/controls"))

    error = (await bridge.ask("read_tab"))["error"]

    assert error["code"] == "UNREADABLE_PAGE"
    assert "64 MiB" in error["message"]
    assert (await bridge.ask("browser_get_tabs"))["success"]


async def test_busy_page_times_out_and_delays_no_other_tab(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    context = paired.page.context
    # The interval of its pings is set when it connects.
    async with changed_waits(context, {20_000: 2_000}):
        await bridge.hang_up()
        await paired.retry()
        await bridge.connected()
    while not bridge.received.empty():
        bridge.received.get_nowait()
    page = await open_page(paired, site.url("/busy"))
    busy_id = await paired.tab_id(site.url("/busy"))
    # It waits for its server and does nothing else meanwhile, which uses no CPU time.
    busy_with = "const request = new XMLHttpRequest(); request.open('GET', '/late', false); request.send()"
    await page.evaluate(f"setTimeout(() => {{ {busy_with} }})")
    async with held_limits(context):
        busy = asyncio.create_task(bridge.ask("read_tab", tab_id=busy_id))
        behind_it = asyncio.create_task(bridge.ask("read_tab", tab_id=busy_id))

        await open_page(paired, site.url("/two"))
        assert (await bridge.ask("read_tab"))["result"]["title"] == "Two"
        assert not busy.done()
        # Its pings keep the worker alive during the wait.
        assert (await bridge.next_message("ping")) == {"type": "ping"}

    for reply in (await busy, await behind_it):
        assert reply["error"]["code"] == "COMMAND_TIMEOUT"
        assert "reload it" in reply["error"]["message"]


async def test_commands_of_one_tab_run_in_turn_and_one_that_timed_out_never_starts(paired: Popup) -> None:
    log = await paired.page.evaluate(
        """async () => {
          const { inTurn } = await import("/background/tab-queue.js");
          const log = [];
          const running = {};
          const queue = (tabId, name, signal = new AbortController().signal) =>
            inTurn(tabId, signal, () => (log.push(name), new Promise((end) => (running[name] = end))));
          const late = new AbortController();
          const first = queue(1, "first");
          const refused = queue(1, "late", late.signal).catch((reason) => reason);
          const third = queue(1, "third");
          queue(2, "other tab");
          await new Promise((turn) => setTimeout(turn));
          late.abort("time is up");
          log.push("first ends");
          running.first();
          log.push(await refused);
          await new Promise((turn) => setTimeout(turn));
          running.third();
          await Promise.all([first, third]);
          return log;
        }"""
    )

    assert [name for name in log if name != "time is up"] == ["first", "other tab", "first ends", "third"]
    assert "time is up" in log


async def test_list_contains_the_tabs_of_all_windows_except_our_own(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    first, second = site.url("/one"), site.url("/two")
    await open_page(paired, first)
    window = await open_window(paired, second)

    tabs = (await bridge.ask("browser_get_tabs"))["result"]

    listed = {tab["url"]: tab for tab in tabs}
    assert listed[second] == {
        "id": await paired.tab_id(second),
        "url": second,
        "title": "Two",
        "active": True,
        "windowId": window,
    }
    assert first in listed
    assert paired.page.url not in listed


async def test_unknown_command_is_answered_with_advice(paired: Popup, bridge: FakeBridge) -> None:
    for name in ("toString", "no_such_command"):
        error = (await bridge.ask(name))["error"]

        assert error["code"] == "INVALID_ARGUMENT"
        assert "Update the extension" in error["message"]
    await paired.open()
    await paired.shows("Connected")


async def test_keyword_that_is_not_a_string_is_rejected(show: Shown, bridge: FakeBridge, site: Site) -> None:
    await show(site.url("/one"))

    reply = await bridge.ask("read_tab", start=7)

    assert reply["error"]["code"] == "INVALID_ARGUMENT"
    assert (await bridge.ask("read_tab", start=None))["success"]


async def test_main_content_is_read_by_scripts_that_are_injected_once(
    show: Shown, bridge: FakeBridge, site: Site
) -> None:
    story = "".join(f"<p>The river rose by two metres in one night, and again in the next. {i}</p>" for i in range(8))
    closed = "<x-note></x-note><script>document.querySelector('x-note').attachShadow({ mode: 'closed' }).textContent = "
    closed += "'A note in a closed root, long enough to be read as a line of its own.'</script>"
    # One of another site, whose text is only in the whole page.
    foreign = f'<iframe src="http://localhost:{site.server_port}/one" width=300 height=200></iframe>'
    # Only HTML elements can be asked for a shadow root.
    node = "A node of a diagram, long enough to be read as a line of its own."
    diagram = f"<svg><path /><foreignObject width=300 height=90><p>{node}</p></foreignObject></svg>"
    page = f"<nav><a href=/>{'Menu ' * 60}</a></nav><main><h1>Flood</h1>{story}{closed}{diagram}</main>{foreign}"
    site.pages["/flood"] = page.encode()
    await show(site.url("/flood"))

    first, again = [(await bridge.ask("read_tab", content="main"))["result"] for _ in range(2)]
    whole = (await bridge.ask("read_tab", content="all"))["result"]
    refused = (await bridge.ask("read_tab", content="half"))["error"]

    assert first == again
    assert ("closed root" in first["text"], node in first["text"]) == (True, True)
    assert ("Menu" in first["text"], "Menu" in whole["text"]) == (False, True)
    assert ("alpha" in first["text"], "alpha" in whole["text"]) == (False, True)
    assert first["content"]["left_out"] > 0
    assert "content" not in whole
    assert refused == {"code": "INVALID_ARGUMENT", "message": 'content must be "all", "main" or "selection".'}


async def test_dialog_with_a_backdrop_next_to_a_scroll_bar_is_main_content(
    show: Shown, bridge: FakeBridge, site: Site
) -> None:
    story = "".join(f"<p>The river rose by two metres in one night, and again in the next. {i}</p>" for i in range(80))
    backdrop = "<div style='position: fixed; inset: 0; background: #0008'></div>"
    dialog = "<div role=dialog style='position: fixed; inset: 30%'><h2>Delete the flood?</h2></div>"
    site.pages["/delete"] = f"<!doctype html><main>{story}</main>{backdrop}{dialog}".encode()
    page = await show(site.url("/delete"))

    result = (await bridge.ask("read_tab", content="main"))["result"]

    assert await page.evaluate("document.documentElement.clientWidth < innerWidth")
    assert result["text"].startswith("## Delete the flood?")


async def test_page_that_consists_mainly_of_a_cross_site_frame_is_read_with_it(
    show: Shown, bridge: FakeBridge, site: Site
) -> None:
    site.pages["/shell"] = (
        f'<p>x</p><iframe src="http://localhost:{site.server_port}/one" width=300 height=200>'.encode()
    )
    await show(site.url("/shell"))

    result = (await bridge.ask("read_tab", content="main"))["result"]

    assert "alpha" in result["text"]
    assert result["content"] == {"path": "whole", "left_out": 0, "note": ""}
