"""The DevTools panel as a developer sees it, by mouse, keyboard and screen reader."""

import asyncio
import itertools
import json
import re
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import BrowserContext, Locator, Page, expect
from websockets.asyncio.client import ClientConnection, connect

from tests.extension.conftest import EXTENSION, EXTENSION_URL, DrivenTab, Popup, Site, stop_worker
from tests.extension.test_popup import contrast, show_page
from tests.support.browser import chromium_arguments, chromium_path
from tests.support.fake_bridge import FakeBridge

PANEL_URL = f"{EXTENSION_URL}/ui/devtools/panel.html"
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
LAYER = "<script>window.dataLayer = [{event: 'view'}, {event: 'add_to_cart', item: 'Blue shoe'}]</script>"


class Panel:
    """The panel, open as a tab."""

    def __init__(self, page: Page, tab_id: int) -> None:
        self.page = page
        self.tab_id = tab_id

    async def open(self) -> None:
        await self.page.goto(f"{PANEL_URL}?tab={self.tab_id}")
        await expect(self.element("tab-title")).not_to_be_empty()

    def element(self, element_id: str) -> Locator:
        return self.page.locator(f"#{element_id}")

    async def show(self, view: str) -> None:
        await self.page.get_by_role("tab", name=view).click()

    async def fill_form(self, command: str, **fields: object) -> None:
        await self.element("command").select_option(command)
        for name, value in fields.items():
            await self.element(f"field-{name}").fill(str(value))

    async def run(self, command: str, **fields: object) -> Locator:
        """Run a command of the form and return its card, once it has its reply."""
        await self.fill_form(command, **fields)
        await self.element("run").click()
        card = self.page.locator("#runs details").first
        await expect(card.locator("summary")).to_contain_text(command)
        await expect(card).to_have_attribute("data-state", re.compile("ok|failed"))
        return card

    async def reply(self, command: str, **fields: object) -> Any:
        """The result of a command that succeeds, as the panel shows it."""
        card = await self.run(command, **fields)
        await expect(card).to_have_attribute("data-state", "ok")
        return json.loads(await card.locator("pre").inner_text())

    async def memory(self) -> Any:
        """What the panel has put into the browser's storage."""
        return await self.page.evaluate("chrome.storage.local.get({ history: [], saved: [] })")


async def opened_panel(context: BrowserContext, tab_id: int) -> Panel:
    panel = Panel(await context.new_page(), tab_id)
    await panel.open()
    return panel


@pytest.fixture
async def inspected(paired: Popup, bridge: FakeBridge, site: Site) -> DrivenTab:
    """An attached tab of an extension that is paired for this test alone."""
    site.pages["/blank"] = b"<title>Blank</title>"
    async with paired.page.context.expect_page() as opened:
        created = await bridge.ask("browser_create_tab", url=site.url("/blank"))
    return DrivenTab(bridge, paired, site, await opened.value, created["result"]["tab_id"])


@pytest.fixture
async def panel(inspected: DrivenTab) -> AsyncGenerator[Panel]:
    """The panel of an attached tab, with nothing to remember."""
    panel = await opened_panel(inspected.page.context, inspected.tab_id)
    yield panel
    await inspected.popup.chrome("await chrome.storage.local.remove(['history', 'saved'])")


# --- The frame


async def test_panel_shows_the_connection_and_the_tab_and_attaches_and_detaches_it(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    inspected = await show_page(paired, site.url("/one"))
    tab_id = await paired.tab_id(site.url("/one"))
    panel = await opened_panel(paired.page.context, tab_id)
    await expect(panel.element("sentence")).to_have_text("Connected to 1 session.")
    await expect(panel.element("tab-title")).to_have_text("One")
    await expect(panel.element("tab-url")).to_have_text(site.url("/one"))
    await expect(panel.element("allow-evaluate")).to_be_hidden()

    await panel.element("attachButton").click()
    assert (await bridge.next_message("tab_attached"))["tab_id"] == tab_id
    await panel.element("allow-evaluate").check()
    stored = "(await chrome.storage.session.get('attachments')).attachments"
    await expect(panel.element("attachButton")).to_have_text("Detach")
    assert [[key, value["allowEvaluate"]] for key, value in await paired.chrome(stored)] == [[tab_id, True]]

    await inspected.goto(site.url("/two"))
    await expect(panel.element("tab-title")).to_have_text("Two")
    await expect(panel.element("tab-url")).to_have_text(site.url("/two"))

    await panel.element("attachButton").click()
    assert (await bridge.next_message("tab_detached"))["tab_id"] == tab_id
    await expect(panel.element("attachButton")).to_have_text("Attach to this Tab")


async def test_panel_stays_with_its_tab_while_the_popup_follows_the_person(
    panel: Panel, inspected: DrivenTab, site: Site
) -> None:
    await show_page(inspected.popup, site.url("/two"))

    await expect(inspected.popup.element("tab-title")).to_have_text("Two")
    await expect(panel.element("tab-title")).to_have_text("Blank")

    await inspected.page.close()
    await expect(panel.element("tab-title")).to_have_text("The tab is closed.")
    await expect(panel.element("attachButton")).to_be_disabled()


async def test_panel_disconnects_and_reconnects_without_losing_the_focus(panel: Panel, bridge: FakeBridge) -> None:
    await panel.element("disconnect").focus()
    await panel.page.keyboard.press("Enter")
    await expect(panel.element("sentence")).to_have_text(re.compile("Disconnected"))
    await expect(panel.element("reconnect")).to_be_focused()

    await panel.page.keyboard.press("Enter")
    await bridge.connected()
    await expect(panel.element("sentence")).to_have_text(re.compile("Connected"))
    await expect(panel.element("disconnect")).to_be_focused()


async def test_tab_that_cannot_be_attached_says_why(paired: Popup, site: Site) -> None:
    page = await show_page(paired, "chrome://version/")
    tab_id = await paired.tab_id("chrome://version/")
    panel = await opened_panel(paired.page.context, tab_id)
    await expect(panel.element("tab-obstacle")).to_contain_text("chrome: pages")
    await expect(panel.element("attachButton")).to_be_disabled()

    await page.goto(site.url("/one"))
    await expect(panel.element("attachButton")).to_be_enabled()
    await expect(panel.element("tab-obstacle")).to_be_hidden()

    await page.close()
    await expect(panel.element("tab-title")).to_have_text("The tab is closed.")


async def test_panel_goes_on_after_the_worker_was_stopped(panel: Panel, inspected: DrivenTab) -> None:
    await stop_worker(inspected.popup)

    await inspected.bridge.connected()
    await expect(panel.element("sentence")).to_have_text(re.compile("Connected"))
    assert [tab["tab_id"] for tab in await panel.reply("list_tabs")] == [inspected.tab_id]


# --- Commands


async def test_form_of_every_command_of_the_worker_has_its_parameters(panel: Panel) -> None:
    offered = await panel.page.locator("#command option").all_inner_texts()

    known = await panel.page.evaluate("async () => Object.keys((await import('/commands/index.js')).commands)")
    assert set(offered) == set(known)
    for command, parameters in {
        "navigate": ["url", "timeout"],
        "back": [],
        "forward": [],
        "screenshot": ["selector", "width", "height"],
        "click": ["selector"],
        "hover": ["selector"],
        "fill": ["selector", "value"],
        "select": ["selector", "value"],
        "evaluate": ["code"],
        "console_logs": ["max"],
        "getDataLayer": ["name", "since"],
        "read_tab": ["start", "end"],
        "browser_close_tab": ["tab_id"],
    }.items():
        await panel.element("command").select_option(command)
        assert await panel.page.locator("#fields label").all_inner_texts() == parameters


async def test_reply_is_shown_as_json_with_the_time_it_took(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show(f"<p>alpha beta gamma</p>{LAYER}")

    card = await panel.run("read_tab", start="alpha", end="gamma")

    assert json.loads(await card.locator("pre").inner_text()) == {
        "tab_id": inspected.tab_id,
        "text": "beta",
        "url": inspected.site.url("/shown"),
        "title": "Shown",
    }
    await expect(card.locator(".state")).to_have_text(re.compile(r"^ok \d+ ms$|^ok \d\.\d s$"))
    await expect(panel.element("spoken")).to_have_text(re.compile("^read_tab is done after"))
    assert (await panel.reply("getDataLayer", since=1))["values"] == [{"event": "add_to_cart", "item": "Blue shoe"}]


async def test_error_is_shown_with_its_code_and_sentence_and_spoken(panel: Panel) -> None:
    card = await panel.run("getDataLayer", name="nothing.there")

    await expect(card).to_have_attribute("data-state", "failed")
    await expect(card.locator(".error")).to_have_text(re.compile("^DATALAYER_NOT_FOUND .*nothing"))
    await expect(card.locator(".state")).to_have_text(re.compile("^DATALAYER_NOT_FOUND "))
    await expect(panel.element("spoken")).to_have_text(re.compile("^getDataLayer failed: DATALAYER_NOT_FOUND"))


async def test_panel_needs_the_same_consent_as_the_server(panel: Panel) -> None:
    assert (await panel.reply("list_tabs")) != []
    await panel.element("attachButton").click()
    await expect(panel.element("attachButton")).to_have_text("Attach to this Tab")

    card = await panel.run("getDataLayer")

    await expect(card.locator(".code")).to_have_text("TAB_NOT_ATTACHED")


async def test_empty_fields_are_left_out_and_needed_ones_are_asked_for(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show(f"<p>text</p>{LAYER}")
    result = await panel.reply("getDataLayer")
    assert (result["name"], result["since"]) == ("dataLayer", 0)

    await panel.fill_form("click", selector="")
    await panel.element("run").click()
    await expect(panel.element("field-selector")).to_be_focused()
    await expect(panel.page.locator("#runs details")).to_have_count(1)

    await panel.fill_form("getDataLayer", since=-1)
    await panel.element("run").click()
    await expect(panel.element("field-since")).to_be_focused()
    await expect(panel.page.locator("#runs details")).to_have_count(1)


async def test_what_was_typed_is_there_again_when_its_command_comes_back(panel: Panel) -> None:
    await panel.fill_form("select", selector="#color", value="red\nblue")
    await panel.element("command").select_option("click")
    await expect(panel.element("field-selector")).to_have_value("")

    await panel.element("command").select_option("select")

    await expect(panel.element("field-selector")).to_have_value("#color")
    await expect(panel.element("field-value")).to_have_value("red\nblue")


async def test_page_is_driven_by_hand(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show(
        "<input id=name><select id=color multiple><option>red<option>blue</select>"
        "<button id=buy onclick=\"document.title = 'bought by ' + document.querySelector('input').value\">Buy</button>"
    )
    assert (await panel.reply("fill", selector="#name", value="Ann"))["value"] == "Ann"
    assert [
        each["value"] for each in (await panel.reply("select", selector="#color", value="red\nblue"))["selected"]
    ] == [
        "red",
        "blue",
    ]
    await panel.reply("click", selector="#buy")

    await expect(panel.element("tab-title")).to_have_text("bought by Ann")
    card = await panel.run("evaluate", code="document.title")
    await expect(card.locator(".code")).to_have_text("EVALUATE_NOT_ALLOWED")
    await panel.element("allow-evaluate").check()
    assert (await panel.reply("evaluate", code="document.title"))["value"] == "bought by Ann"
    await panel.fill_form("evaluate", code="1 + 1")
    await panel.element("field-code").press("Control+Enter")
    await expect(panel.page.locator("#runs pre").first).to_contain_text('"value": 2')


async def test_running_commands_show_their_order_and_finish_in_it(panel: Panel, inspected: DrivenTab) -> None:
    inspected.site.pages["/after"] = b"<title>After</title><body>after"
    await panel.fill_form("navigate", url=inspected.site.url("/slow"))
    await panel.element("run").click()
    cards = panel.page.locator("#runs details")
    await expect(cards.first.locator(".state")).to_have_text(re.compile("^running "))
    await panel.fill_form("read_tab")
    await panel.element("run").click()
    await expect(cards.first.locator(".state")).to_have_text(re.compile("^waiting "))
    await expect(cards.last.locator(".state")).to_have_text(re.compile("^running "))
    await expect(panel.element("running-count")).to_have_text("2 running")
    elapsed = await cards.last.locator(".state").inner_text()
    await expect(cards.last.locator(".state")).not_to_have_text(elapsed)

    inspected.site.finish_slow.set()

    await expect(cards.last).to_have_attribute("data-state", "ok")
    await expect(cards.first).to_have_attribute("data-state", "ok")
    await expect(cards.first.locator("pre")).to_contain_text("last part")
    await expect(panel.element("running-count")).to_be_empty()


async def test_several_commands_started_at_once_are_answered_each_in_its_card(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.show("<p>zero one two three four five</p>")
    for start in ("zero", "two", "four"):
        await panel.fill_form("read_tab", start=start)
        await panel.element("run").click()
    cards = panel.page.locator("#runs details")
    await expect(cards).to_have_count(3)
    for index, text in enumerate(["five", "three four five", "one two three four five"]):
        await expect(cards.nth(index)).to_have_attribute("data-state", "ok")
        assert json.loads(await cards.nth(index).locator("pre").text_content() or "")["text"] == text


async def test_huge_reply_is_cut_on_the_screen_and_copied_whole(panel: Panel, inspected: DrivenTab) -> None:
    await panel.page.context.grant_permissions(["clipboard-read"])
    await inspected.do("navigate", url=inspected.site.url("/huge"))

    card = await panel.run("read_tab")

    assert len(await card.locator("pre").text_content() or "") == 20_000
    await expect(card.locator(".hint")).to_have_text(re.compile("first 20,000 of 10,[0-9]{3},[0-9]{3} characters"))
    assert "20,000" in await card.locator(".hint").inner_text()
    await card.get_by_role("button", name="Copy all").click()
    copied = await panel.page.evaluate("navigator.clipboard.readText().then((text) => [text.length, text.slice(-12)])")
    assert copied[0] > 10_000_000
    assert copied[1].rstrip().endswith("}")


async def test_screenshot_is_shown_and_opens_whole_in_a_tab_by_keyboard(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show("<body style='margin:0;background:rgb(10, 200, 30)'>")
    card = await panel.run("screenshot", width=300, height=200)
    image = card.get_by_role("img", name="Screenshot, 300 by 200 pixels")
    await expect(image).to_be_visible()
    assert await image.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 300
    await expect(card.locator("pre")).to_contain_text("(base64, ")

    await card.locator("button.picture").focus()
    async with panel.page.context.expect_page() as opened:
        await panel.page.keyboard.press("Enter")
    whole = await opened.value

    assert whole.url.startswith(f"blob:{EXTENSION_URL}/")
    assert await whole.evaluate("document.images[0].naturalWidth") == 300
    # It is none of the person's pages: the tab before it is still the one that is meant.
    assert (await inspected.bridge.ask("read_tab"))["error"]["code"] == "EMPTY_PAGE"


# --- Console


async def log(inspected: DrivenTab, script: str) -> None:
    """Run a script in the page, as the page itself."""
    await inspected.page.evaluate(script)


async def test_console_shows_what_was_there_and_what_comes(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show("<script>console.info('from the start')</script>")
    await panel.show("Console")
    rows = panel.page.locator("#console-list [role=option]")
    await expect(rows).to_have_text([re.compile(r"\d\d:\d\d:\d\d\.\d{3}infofrom the start")])

    await log(inspected, "console.warn('it', 'is', 3)")
    await expect(rows.last).to_contain_text("it is 3")
    await expect(rows.last).to_have_attribute("data-level", "warn")

    await panel.open()
    await panel.show("Console")
    await expect(rows).to_have_count(2)
    await panel.element("console-clear").click()
    await expect(rows).to_have_count(0)
    await log(inspected, "setTimeout(() => { throw new Error('late') })")
    await expect(rows).to_have_count(1)
    await expect(panel.element("console-tab-count")).to_have_text("1 error")


async def test_console_is_filtered_by_level_and_text(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show("<p>text")
    await log(
        inspected, "for (const level of ['debug', 'log', 'info', 'warn', 'error']) console[level](`Said by ${level}`)"
    )
    await panel.show("Console")
    rows = panel.page.locator("#console-list [role=option]")
    await expect(rows).to_have_count(5)

    for level in ("debug", "log", "info"):
        await panel.element("console-levels").get_by_label(level).uncheck()
    await expect(rows).to_have_text([re.compile("by warn"), re.compile("by error")])
    await panel.element("console-filter").fill("BY ERR")
    await expect(rows).to_have_text([re.compile("by error")])
    await expect(panel.element("console-count")).to_have_text("1 of 5 lines")
    await log(inspected, "console.error('something else'); console.error('by error, again')")
    await expect(rows).to_have_text([re.compile("Said by error"), re.compile("by error, again")])


async def test_console_of_10000_lines_has_as_many_elements_as_fit_and_shows_them_all(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.show("<p>text")
    await panel.show("Console")
    await log(inspected, "for (let i = 1; i <= 10_000; i += 1) console.log(`line ${i}.`)")
    await panel.element("console-limit").fill("10000")
    rows = panel.page.locator("#console-list [role=option]")
    await expect(panel.element("console-count")).to_have_text("10,000 of 10,000 lines")
    await expect(rows.last).to_contain_text("line 10000.")
    assert await rows.last.get_attribute("aria-posinset") == "10000"
    assert await rows.count() < 100

    await panel.element("console-list").focus()
    await panel.page.keyboard.press("Home")
    await expect(rows.first).to_contain_text("line 1.")
    await expect(panel.element("console-detail")).to_contain_text("line 1.")
    assert await rows.count() < 100
    # Who has scrolled away is not taken back to the end.
    await log(inspected, "console.log('one more')")
    await panel.page.keyboard.press("ArrowDown")
    await expect(panel.element("console-detail")).to_contain_text(re.compile(r"line [23]\."))
    await panel.page.keyboard.press("End")
    await expect(rows.last).to_contain_text("one more")

    await panel.element("console-limit").fill("20")
    await expect(rows).to_have_count(20)
    await expect(rows.first).to_contain_text("line 9982.")


async def test_scrolled_console_keeps_its_place_while_lines_come(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show("<p>text")
    await panel.show("Console")
    await panel.element("console-limit").fill("1000")
    await log(inspected, "for (let i = 1; i <= 1_000; i += 1) console.log(`line ${i}.`)")
    rows = panel.page.locator("#console-list [role=option]")
    await expect(rows.last).to_contain_text("line 1000.")
    row_at_top = """(list) => [...list.querySelectorAll('[role=option]')]
        .find((row) => row.getBoundingClientRect().bottom > list.getBoundingClientRect().top + 5).textContent"""
    await panel.element("console-list").evaluate("(list) => { list.scrollTop = 500 * 22; }")
    await expect(rows.first).to_contain_text("line 491.")
    top = await panel.element("console-list").evaluate(row_at_top)
    assert "line 501." in top

    await log(inspected, "for (let i = 1; i <= 100; i += 1) console.log(`more ${i}.`)")

    await expect(panel.element("console-count")).to_have_text("1,000 of 1,100 lines")
    assert await panel.element("console-list").evaluate(row_at_top) == top


async def test_console_goes_on_over_navigations_and_starts_anew_when_attached_again(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.show("<script>console.log('first page')</script>", "/first")
    await inspected.show("<script>console.log('second page')</script>", "/second")
    await panel.show("Console")
    rows = panel.page.locator("#console-list [role=option]")
    await expect(rows).to_have_text([re.compile("first page"), re.compile("second page")])

    await panel.element("attachButton").click()
    await expect(panel.element("console-state")).to_have_text("Attach this tab to see its console.")
    await panel.element("attachButton").click()
    await expect(panel.element("console-state")).to_be_empty()
    await log(inspected, "console.log('attached again')")

    await expect(rows.last).to_contain_text("attached again")
    await expect(rows.filter(has_text="first page")).to_have_count(0)
    await expect(rows.filter(has_text="second page")).to_have_count(1)


# --- Data layer


async def test_data_layer_is_live_and_searched(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show(LAYER)
    await panel.show("Data layer")
    rows = panel.page.locator("#data-layer-list [role=option]")
    await expect(rows).to_have_text([re.compile("^0view"), re.compile("^1add_to_cart.*Blue shoe")])

    await log(inspected, "dataLayer.push({ event: 'purchase', value: 99 })")
    await expect(rows).to_have_count(3)
    await expect(rows.last).to_have_text(re.compile("^2purchase"))

    await panel.element("data-layer-search").fill("BLUE")
    await expect(rows).to_have_text([re.compile("^1add_to_cart")])
    await expect(panel.element("data-layer-count")).to_have_text("1 of 3 entries")
    await rows.first.click()
    await expect(panel.element("data-layer-detail")).to_have_text(
        '{\n  "event": "add_to_cart",\n  "item": "Blue shoe"\n}'
    )
    await expect(rows.first).to_have_attribute("aria-selected", "true")


async def test_data_layer_follows_reloads_changed_entries_and_another_name(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show(LAYER)
    await panel.show("Data layer")
    rows = panel.page.locator("#data-layer-list [role=option]")
    await expect(rows).to_have_count(2)
    await log(inspected, "dataLayer[1].item = 'Red shoe'")
    await expect(rows.last).to_contain_text("Red shoe")

    # As many entries as before, others.
    await inspected.show("<script>dataLayer = ['one', 'two']; digitalData = { page: 'shop' }</script>", "/other")
    await expect(rows).to_have_text([re.compile("one"), re.compile("two")])

    await panel.element("data-layer-name").fill("digitalData")
    await panel.page.keyboard.press("Enter")
    await expect(rows).to_have_text([re.compile('{"page":"shop"}')])
    await log(inspected, "digitalData.page = 'cart'")
    await expect(rows).to_have_text([re.compile('{"page":"cart"}')])

    await inspected.show("<p>none", "/none")
    await expect(panel.element("data-layer-state")).to_have_text(re.compile("^DATALAYER_NOT_FOUND: "))
    await expect(rows).to_have_count(0)


async def test_data_layer_is_asked_for_only_while_it_is_looked_at_and_the_tab_is_attached(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.show("<script>reads = 0; dataLayer = [{ get read() { return (reads += 1); } }]</script>")
    polled = "async () => { const now = reads; while (reads === now) await new Promise((r) => setTimeout(r, 50)); }"
    await panel.show("Data layer")
    await asyncio.wait_for(inspected.page.evaluate(polled), 10)

    for leave in ("Console", "attachButton"):
        if leave == "Console":
            await panel.show("Console")
        else:
            await panel.element("attachButton").click()
            await expect(panel.element("data-layer-state")).to_have_text("Attach this tab to see its data layer.")
        # Longer than the time between two polls, of which one may be under way.
        before = await inspected.page.evaluate("new Promise((go) => setTimeout(() => go(reads), 500))")
        assert await inspected.page.evaluate("new Promise((go) => setTimeout(() => go(reads), 2_000))") == before
        if leave == "Console":
            await panel.show("Data layer")
            await asyncio.wait_for(inspected.page.evaluate(polled), 10)


# --- History and saved commands


async def test_history_survives_a_reload_and_runs_again(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show("<p>alpha beta</p>")
    await panel.reply("read_tab", start="alpha")
    await panel.run("getDataLayer", name="nothing.there")
    await panel.page.wait_for_function("chrome.storage.local.get('history').then(({history}) => history?.length === 2)")

    await panel.open()
    await panel.show("History")

    items = panel.page.locator("#history > li")
    await expect(items).to_have_count(2)
    await expect(items.first).to_contain_text('getDataLayer{"name":"nothing.there"}DATALAYER_NOT_FOUND')
    await expect(items.last).to_contain_text('read_tab{"start":"alpha"}ok')
    await expect(items.last).to_contain_text('"text":"beta"')
    await items.last.get_by_role("button", name="Run read_tab again").click()
    card = panel.page.locator("#runs details").first
    await expect(card).to_have_attribute("data-state", "ok")
    assert json.loads(await card.locator("pre").inner_text())["text"] == "beta"
    await panel.show("History")
    await expect(items).to_have_count(3)

    await items.nth(1).get_by_role("button", name="Edit getDataLayer").click()
    await expect(panel.element("command")).to_have_value("getDataLayer")
    await expect(panel.element("field-name")).to_have_value("nothing.there")

    await panel.show("History")
    await panel.element("history-clear").click()
    await expect(items).to_have_count(0)
    assert (await panel.memory())["history"] == []


async def test_history_keeps_no_picture_and_nothing_typed_into_a_field(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show("<input type=password id=secret><input id=pin>")
    await panel.reply("fill", selector="#secret", value="hunter2-secret")
    assert (await panel.reply("fill", selector="#pin", value="hunter2-secret"))["value"] == "hunter2-secret"
    await panel.run("fill", selector="#absent", value="hunter2-secret")
    await panel.reply("screenshot")
    await panel.page.wait_for_function("chrome.storage.local.get('history').then(({history}) => history?.length === 4)")

    kept = (await panel.memory())["history"]

    assert [(run["command"], run["params"], run["withheld"]) for run in kept] == [
        ("screenshot", {}, []),
        ("fill", {"selector": "#absent"}, ["value"]),
        ("fill", {"selector": "#pin"}, ["value"]),
        ("fill", {"selector": "#secret"}, ["value"]),
    ]
    assert "hunter2" not in json.dumps(kept)
    assert all(len(run["reply"]) <= 200 for run in kept)
    assert "iVBOR" not in json.dumps(kept)
    await panel.show("History")
    oldest = panel.page.locator("#history > li").last
    await expect(oldest).to_contain_text("value not kept")
    await expect(oldest.get_by_role("button", name="Run fill again")).to_have_count(0)
    await oldest.get_by_role("button", name="Edit fill").click()
    await expect(panel.element("field-selector")).to_have_value("#secret")
    await expect(panel.element("field-value")).to_be_focused()


async def test_history_is_bounded(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show("<p>" + "word " * 10_000)
    old = {"id": "x", "time": "2026-01-01T00:00:00Z", "command": "back", "params": {}, "withheld": []}
    old |= {"code": "", "milliseconds": 1, "reply": ""}
    runs = [old | {"id": str(number)} for number in range(100)]
    await panel.page.evaluate("(history) => chrome.storage.local.set({ history })", runs)
    await panel.run("read_tab", start="x" * 20_000)

    await panel.page.wait_for_function("chrome.storage.local.get('history').then(({history}) => history[0].id !== '0')")

    kept = (await panel.memory())["history"]
    assert len(kept) == 100
    assert (kept[0]["params"], kept[0]["code"]) == (None, "KEYWORD_NOT_FOUND")
    assert [run["id"] for run in kept[1:]] == [str(number) for number in range(99)]
    await panel.show("History")
    await expect(panel.page.locator("#history > li").first).to_contain_text("too long to keep")


async def test_forgetting_the_server_leaves_history_and_saved_commands(panel: Panel, inspected: DrivenTab) -> None:
    await panel.fill_form("click", selector="#buy")
    await panel.element("save-name").fill("Buy")
    await panel.element("save").click()
    await expect(panel.page.locator("#saved > li")).to_have_count(1)

    await inspected.popup.press("forget")
    await inspected.popup.shows("Setup")

    assert [each["name"] for each in (await panel.memory())["saved"]] == ["Buy"]
    assert "pairing" not in await panel.page.evaluate("chrome.storage.local.get()")
    await expect(panel.element("sentence")).to_have_text(re.compile("^Setup.*popup of the extension"))


async def test_saved_command_runs_is_replaced_under_its_name_and_deleted(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show("<p>alpha beta gamma</p>")
    saved = panel.page.locator("#saved > li")
    for name, start in (("Second", "alpha"), ("First", "gamma"), ("Second", "beta")):
        await panel.fill_form("read_tab", start=start)
        await panel.element("save-name").fill(name)
        await panel.element("save").click()
        await expect(panel.element("save-name")).to_have_value("")
    await panel.open()
    await expect(saved.locator(".name")).to_have_text(["First", "Second"])

    await saved.last.get_by_role("button", name="Run Second").click()
    card = panel.page.locator("#runs details").first
    await expect(card).to_have_attribute("data-state", "ok")
    assert json.loads(await card.locator("pre").inner_text())["text"] == "gamma"

    await saved.last.get_by_role("button", name="Edit Second").click()
    await expect(panel.element("field-start")).to_have_value("beta")

    await saved.first.get_by_role("button", name="Delete First").focus()
    await panel.page.keyboard.press("Enter")
    await expect(saved).to_have_count(1)
    await expect(saved.get_by_role("button", name="Delete Second")).to_be_focused()
    await panel.page.keyboard.press("Enter")
    await expect(saved).to_have_count(0)
    await expect(panel.element("save-name")).to_be_focused()


async def test_full_list_of_saved_commands_asks_to_delete_one(panel: Panel) -> None:
    saved = [{"name": f"{number:02}", "command": "back", "params": {}} for number in range(50)]
    await panel.page.evaluate("(saved) => chrome.storage.local.set({ saved })", saved)
    await expect(panel.element("saved-state")).to_have_text(re.compile("50 commands are saved"))
    await expect(panel.element("save")).to_be_disabled()

    await panel.page.get_by_role("button", name="Delete 07").click()

    await expect(panel.element("save")).to_be_enabled()
    await expect(panel.element("saved-state")).to_be_empty()


async def test_two_panels_show_the_same_memory(panel: Panel, inspected: DrivenTab) -> None:
    other = await opened_panel(inspected.page.context, inspected.tab_id)
    await other.show("History")

    await asyncio.gather(*(panel.page.evaluate(save_script(name)) for name in "abc"), panel.run("list_tabs"))

    await expect(other.page.locator("#history > li")).to_have_count(1)
    await other.show("Commands")
    await expect(other.page.locator("#saved .name")).to_have_text(["a", "b", "c"])


def save_script(name: str) -> str:
    return f"import('./history.js').then((m) => m.saveCommand({{ name: '{name}', command: 'back', params: {{}} }}))"


# --- Safety


async def test_hostile_page_is_shown_as_text_everywhere(panel: Panel, inspected: DrivenTab) -> None:
    quoted = json.dumps(HOSTILE).replace("</", "<\\/")
    script = f"<script>dataLayer = [{{ event: {quoted}, [{quoted}]: {quoted} }}]; console.log({quoted})</script>"
    await inspected.show(f"<p id=text></p>{script}<script>text.textContent = document.title = {quoted}</script>")

    assert HOSTILE in (await panel.reply("read_tab"))["text"]
    await expect(panel.element("tab-title")).to_have_text(HOSTILE)
    await expect(panel.page.locator("#runs")).to_contain_text("<img src=x")
    for view, list_id in (("Console", "console"), ("Data layer", "data-layer")):
        await panel.show(view)
        row = panel.page.locator(f"#{list_id}-list [role=option]").last
        await expect(row).to_contain_text("<img src=x")
        await row.click()
        await expect(panel.element(f"{list_id}-detail")).to_contain_text("<img src=x")
    await panel.show("History")
    await expect(panel.page.locator("#history")).to_contain_text("<img src=x")
    assert await panel.page.locator("img").count() == 0
    assert await panel.page.title() == "Chrome Tab Reader"


async def test_web_page_can_neither_embed_the_panel_nor_open_its_port(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show("<p>text")
    frame = """(url) => new Promise((go) => {
      const frame = document.createElement('iframe');
      frame.src = url;
      frame.onload = frame.onerror = () => go(frame.contentWindow.length);
      document.body.append(frame);
    })"""
    await inspected.page.evaluate(frame, f"{PANEL_URL}?tab={panel.tab_id}")

    assert not any(each.url.startswith(PANEL_URL) for each in inspected.page.frames)
    assert await inspected.page.evaluate("typeof globalThis.chrome?.runtime?.connect") == "undefined"
    # The control: the very address works in a tab.
    await panel.open()


# --- Keyboard, screen reader, looks


async def test_every_view_is_reached_and_used_by_keyboard_alone(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show(f"<p>alpha beta</p>{LAYER}<script>console.log('said')</script>")
    await panel.open()
    keyboard = panel.page.keyboard
    visited: list[str] = []
    for _ in range(20):
        await keyboard.press("Tab")
        visited.append(await panel.page.evaluate("document.activeElement.id"))
        assert await panel.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        if visited[-1] == "save":
            break
    assert visited == [
        "disconnect",
        "attachButton",
        "allow-evaluate",
        "tab-commands",
        "command",
        "field-url",
        "field-timeout",
        "run",
        "save-name",
        "save",
    ]

    await panel.element("command").focus()
    await keyboard.type("read")
    await expect(panel.element("field-start")).to_be_visible()
    await keyboard.press("Tab")
    await keyboard.type("alpha")
    await keyboard.press("Enter")
    card = panel.page.locator("#runs details").first
    await expect(card).to_have_attribute("data-state", "ok")

    await panel.element("tab-commands").focus()
    views: list[str | None] = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "End", "Home", "ArrowLeft"):
        await keyboard.press(key)
        selected = panel.page.locator("[role=tab][aria-selected=true]")
        await expect(selected).to_be_focused()
        await expect(panel.page.locator("[role=tabpanel]:visible")).to_have_count(1)
        view = panel.page.locator("[role=tabpanel]:visible")
        assert await view.get_attribute("aria-labelledby") == await selected.get_attribute("id")
        views.append(await selected.get_attribute("id"))
    assert views == [
        "tab-console",
        "tab-data-layer",
        "tab-history",
        "tab-commands",
        "tab-history",
        "tab-commands",
        "tab-history",
    ]

    await keyboard.press("Tab")
    await expect(panel.element("history-clear")).to_be_focused()
    await keyboard.press("Tab")
    await keyboard.press("Enter")
    await expect(panel.page.locator("#runs summary").first).to_be_focused()
    await expect(panel.page.locator("#runs details")).to_have_count(2)

    await panel.element("tab-data-layer").click()
    await expect(panel.page.locator("#data-layer-list [role=option]")).to_have_count(2)
    await panel.element("data-layer-name").focus()
    await keyboard.press("Tab")
    await keyboard.press("ArrowUp")
    active = await panel.element("data-layer-list").get_attribute("aria-activedescendant")
    await expect(panel.element(active or "")).to_contain_text("Blue shoe")
    await keyboard.press("Tab")
    await expect(panel.element("data-layer-detail")).to_be_focused()


async def test_every_control_has_a_name_for_screen_readers(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show(f"{LAYER}<script>console.log('said')</script>")
    await panel.reply("list_tabs")
    await panel.fill_form("evaluate", code="1")
    await panel.element("save-name").fill("One")
    await panel.element("save").click()
    await expect(panel.page.locator("#saved > li")).to_have_count(1)
    session = await panel.page.context.new_cdp_session(panel.page)
    controls = {"button", "checkbox", "textbox", "searchbox", "spinbutton", "combobox", "listbox", "tab", "tabpanel"}
    heard: set[str] = set()
    for view in ("Commands", "Console", "Data layer", "History"):
        await panel.show(view)
        nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
        for node in nodes:
            role = node.get("role", {}).get("value")
            if not node["ignored"] and role in controls:
                assert node.get("name", {}).get("value"), (view, node)
                heard.add(role)
    assert heard == controls


async def test_panel_fits_narrow_and_its_text_has_contrast_in_light_and_dark(
    panel: Panel, inspected: DrivenTab
) -> None:
    title = "unbreakable" * 30
    await inspected.show(f"{LAYER}<script>console.error('{title}'); console.warn('x')</script>", title=title)
    await panel.run("getDataLayer", name="nothing.there." + "x" * 100)
    await panel.reply("getDataLayer", name="dataLayer")
    await panel.page.set_viewport_size({"width": 400, "height": 600})
    for view in ("Commands", "Console", "Data layer", "History"):
        await panel.show(view)
        assert await panel.page.evaluate("document.documentElement.scrollWidth") <= 400
        wide = """[...document.querySelectorAll('button, input, select, textarea, summary')].filter((control) =>
            control.checkVisibility() && control.getBoundingClientRect().right > 400).map((control) => control.id)"""
        assert await panel.page.evaluate(wide) == []

    schemes: list[Literal["light", "dark"]] = ["light", "dark"]
    seen = {
        "Commands": ["#sentence", "#tab-url", "#run", ".hint", ".state", ".params", ".code", "[aria-selected=true]"],
        "Console": [".row[data-level=error] .message", ".row[data-level=warn] .level", ".row .muted", "#console-count"],
        "History": ["#history .hint", "#history .state"],
    }
    backgrounds: set[str] = set()
    for scheme in schemes:
        await panel.page.emulate_media(color_scheme=scheme)
        backgrounds.add(await panel.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        for view, selectors in seen.items():
            await panel.show(view)
            for selector in selectors:
                assert await contrast(panel.page, selector) >= 4.5, (scheme, selector)
    assert len(backgrounds) == 2


# --- In DevTools itself


class BrowserSession:
    """The browser's own debugging protocol: Playwright shows no DevTools windows."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self._ids = itertools.count(1)

    async def send(self, method: str, params: dict[str, Any] | None = None, session_id: str | None = None) -> Any:
        message: dict[str, Any] = {"id": next(self._ids), "method": method, "params": params or {}}
        if session_id:
            message["sessionId"] = session_id
        await self.socket.send(json.dumps(message))
        while True:
            reply = json.loads(await self.socket.recv())
            if reply.get("id") == message["id"]:
                return reply["result"]

    async def attached(self, start: str) -> str:
        """The session of the first target whose address starts like that, once there is one."""
        while True:
            targets = (await self.send("Target.getTargets", {"filter": [{}]}))["targetInfos"]
            for target in targets:
                if target["url"].startswith(start) and target["type"] in {"page", "iframe"}:
                    asked = {"targetId": target["targetId"], "flatten": True}
                    return (await self.send("Target.attachToTarget", asked))["sessionId"]
            await asyncio.sleep(0.1)

    async def value(self, session_id: str, expression: str) -> Any:
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return (await self.send("Runtime.evaluate", asked, session_id))["result"].get("value")


@asynccontextmanager
async def chromium_with_devtools(url: str) -> AsyncGenerator[BrowserSession]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            chromium_path(),
            "--headless=new",
            "--auto-open-devtools-for-tabs",
            "--remote-debugging-port=0",
            f"--user-data-dir={profile}",
            f"--load-extension={EXTENSION}",
            f"--disable-extensions-except={EXTENSION}",
            *chromium_arguments(),
            url,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            port, path = await debugging_address(Path(profile))
            async with connect(f"ws://127.0.0.1:{port}{path}", max_size=None) as socket:
                yield BrowserSession(socket)
        finally:
            process.terminate()
            await process.wait()


async def debugging_address(profile: Path) -> list[str]:
    while True:
        try:
            port, path = (profile / "DevToolsActivePort").read_text(encoding="utf-8").splitlines()
        except (FileNotFoundError, ValueError):
            await asyncio.sleep(0.1)
        else:
            return [port, path]


OPEN_PANEL = """import('devtools://devtools/bundled/ui/legacy/legacy.js').then(async ({ InspectorView }) => {
  const view = InspectorView.InspectorView.instance();
  const id = () => view.tabbedPane.tabIds().find((each) => each.endsWith('ChromeTabReader'));
  while (!id()) await new Promise((again) => setTimeout(again, 100));
  await view.showPanel(id());
  return view.tabbedPane.selectedTabId;
})"""


DARK_THEME = """import('devtools://devtools/bundled/core/common/common.js').then(({ Settings }) =>
  Settings.Settings.instance().moduleSetting('ui-theme').set('dark'))"""


async def test_devtools_has_the_panel_about_the_inspected_tab(site: Site) -> None:
    async with asyncio.timeout(60), chromium_with_devtools(site.url("/one")) as browser:
        devtools = await browser.attached("devtools://devtools/bundled/devtools_app.html")
        await browser.attached(f"{EXTENSION_URL}/ui/devtools/devtools.html")

        assert await browser.value(devtools, OPEN_PANEL) == f"{EXTENSION_URL}ChromeTabReader"

        panel = await browser.attached(PANEL_URL)
        text = "document.getElementById('{}')?.textContent"
        title = text.format("tab-title")
        shown = f"(async () => {{ while (!{title}) await new Promise((r) => setTimeout(r, 50)); return {title}; }})()"
        assert await browser.value(panel, shown) == "One"
        assert await browser.value(panel, text.format("tab-url")) == site.url("/one")
        assert await browser.value(panel, "document.documentElement.dataset.theme") == "light"
        await browser.value(devtools, DARK_THEME)
        dark = "document.documentElement.dataset.theme === 'dark'"
        background = f"""(async () => {{
          while (!({dark})) await new Promise((r) => setTimeout(r, 50));
          return getComputedStyle(document.body).backgroundColor;
        }})()"""
        assert await browser.value(panel, background) == "rgb(31, 33, 36)"
        await browser.value(panel, "document.getElementById('attachButton').click()")
        attached = """(async () => {
          while (document.getElementById('attachButton').textContent !== 'Detach') await new Promise((r) => setTimeout(r, 50));
          return true;
        })()"""
        assert await browser.value(panel, attached)
        # Our debugger works beside DevTools.
        inspected = await browser.attached(site.url("/one"))
        await browser.value(inspected, "console.log('beside DevTools')")
        logged = """(async () => {
          document.getElementById('tab-console').click();
          const list = document.getElementById('console-list');
          while (!list.textContent.includes('beside')) await new Promise((r) => setTimeout(r, 50));
          return list.querySelectorAll('[role=option]').length;
        })()"""
        assert await browser.value(panel, logged) == 1
