"""The DevTools panel as a developer sees it, by mouse, keyboard and screen reader."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable
from typing import Any, Literal

import pytest
from playwright.async_api import BrowserContext, Error, Locator, Page, expect

from demo.web import serving
from tests.extension.conftest import (
    EXTENSION,
    EXTENSION_URL,
    DrivenTab,
    Driver,
    Popup,
    Site,
    comes_true,
    driven_tab,
    stop_worker,
)
from tests.extension.test_popup import contrast, show_page
from tests.support.plain_chromium import PlainChromium, plain_chromium
from tests.support.polling import until
from tests.support.ui_texts import ui_text

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
        await expect(self.element("sentence")).not_to_be_empty()

    def element(self, element_id: str) -> Locator:
        return self.page.locator(f"#{element_id}")

    async def show(self, view: str) -> None:
        await self.page.get_by_role("tab", name=view).click()

    async def show_details(self) -> None:
        """Open the menu behind the dot in the toolbar."""
        await self.element("connection").click()
        await expect(self.element("details")).to_be_visible()

    async def allow_evaluate(self) -> None:
        await self.show_details()
        await self.element("allow-evaluate").click()
        # The click itself checks the box; the worker stores it later.
        attachment = f"new Map(attachments).get({self.tab_id})"
        stored = f"({{ attachments }}) => {attachment}.evaluateOn !== ''"
        await comes_true(self.page, f"chrome.storage.session.get('attachments').then({stored})")
        await self.page.keyboard.press("Escape")

    async def attach(self) -> None:
        """Attach the tab if it is not attached."""
        button = self.element("attachButton")
        await expect(button).to_have_text(re.compile("tach"))
        if await button.inner_text() == "Attach":
            await button.click()
            await expect(button).to_have_text("Detach")

    async def detach(self) -> None:
        await self.element("attachButton").click()
        await expect(self.element("attachButton")).to_have_text("Attach")

    async def fill_form(self, command: str, **fields: object) -> None:
        await self.element("command").select_option(command)
        for name, value in fields.items():
            field = self.element(f"field-{name}")
            if await field.evaluate("(field) => field instanceof HTMLSelectElement"):
                await field.select_option(str(value))
            else:
                await field.fill(str(value))

    async def run(self, command: str, **fields: object) -> Locator:
        """Run a command with the form and return its card, once it has its reply."""
        await self.fill_form(command, **fields)
        await self.element("run").click()
        card = self.page.locator("#runs details").first
        await expect(card.locator("summary")).to_contain_text(command)
        await expect(card).to_have_attribute("data-state", re.compile("ok|failed"))
        return card

    async def reply(self, command: str, **fields: object) -> Any:
        """Return the result of a successful command, as the panel shows it."""
        card = await self.run(command, **fields)
        await expect(card).to_have_attribute("data-state", "ok")
        return json.loads(await card.locator("pre").inner_text())

    async def memory(self) -> Any:
        """Return what the panel has put into the browser's storage."""
        return await self.page.evaluate("chrome.storage.local.get({ history: [], saved: [] })")


async def opened_panel(context: BrowserContext, tab_id: int, script: str = "") -> Panel:
    """Open another panel; *script* runs in it first."""
    page = await context.new_page()
    await page.add_init_script(script)
    panel = Panel(page, tab_id)
    await panel.open()
    return panel


@pytest.fixture(scope="module")
async def shared_tab_and_panel(driver: Driver) -> AsyncGenerator[tuple[DrivenTab, Panel]]:
    """One tab and its panel for all tests of the file: opening them takes longer than such a test."""
    site = Site()
    with serving(site):
        async with driven_tab(driver, site, "/blank") as tab:
            yield tab, await opened_panel(tab.page.context, tab.tab_id)


# In the panel: what the last test has opened, run, typed and chosen there is gone, as if it had just been opened.
AS_OPENED = """() => {
  const fill = (field, value) => {
    if (field.value === value) return;
    field.value = value;
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type));
  };
  const command = document.querySelector("#command");
  const [first] = command.options;
  // Each command's form keeps what was typed into it.
  for (const { value } of [...command.options, first]) {
    fill(command, value);
    for (const field of document.querySelectorAll("#fields :is(input, textarea, select)")) fill(field, "");
  }
  const fields = { "data-layer-name": "dataLayer", "data-layer-search": "", "elements-find": "", "console-filter": "" };
  for (const [id, value] of Object.entries({ ...fields, "console-level": "debug", "console-limit": "1000", "save-name": "" })) {
    fill(document.getElementById(id), value);
  }
  document.querySelector("#details").hidePopover();
  for (const id of ["runs", "spoken"]) document.getElementById(id).replaceChildren();
  document.querySelector("#tab-commands").click();
  document.activeElement.blur();
}"""


@pytest.fixture
async def panel(shared_tab_and_panel: tuple[DrivenTab, Panel]) -> Panel:
    """The panel of an attached tab, as it opens and without history. The tab shows what the last test has left.

    It is not loaded again: that costs more than many tests.
    """
    _tab, panel = shared_tab_and_panel
    await panel.page.evaluate(AS_OPENED)
    # The last run may still be about to be remembered.
    forget = "navigator.locks.request('panel-memory', () => chrome.storage.local.remove(['history', 'saved']))"
    await panel.page.evaluate(forget)
    await panel.attach()
    await panel.page.bring_to_front()
    return panel


@pytest.fixture
def inspected(shared_tab_and_panel: tuple[DrivenTab, Panel]) -> DrivenTab:
    """The tab of `panel`, which attaches it."""
    return shared_tab_and_panel[0]


# --- Layout


async def switch_of(popup: Popup, tab_id: int) -> bool:
    """Return whether JavaScript is allowed in an attached tab, as the worker has stored it."""
    return dict(await popup.chrome("(await chrome.storage.session.get('attachments')).attachments"))[tab_id][
        "evaluateOn"
    ]


async def test_panel_shows_the_connection_and_its_own_tab_and_attaches_and_detaches_it(
    driver: Driver, site: Site
) -> None:
    bridge, popup = driver
    page = await show_page(popup, site.url("/one"))
    shown = DrivenTab(bridge, popup, site, page, await popup.tab_id(site.url("/one")))
    panel = await opened_panel(popup.page.context, shown.tab_id)
    await panel.show_details()
    await expect(panel.element("sentence")).to_have_text(re.compile("^Connected · 1 session"))
    await expect(panel.element("connection-word")).to_have_text("Connected")
    await expect(panel.element("tab-title")).to_have_text("One")
    await expect(panel.element("tab-url")).to_have_text(site.url("/one"))
    await expect(panel.element("allow-evaluate")).to_be_hidden()

    await panel.element("attachButton").click()
    await shown.received("tab_attached")
    await panel.allow_evaluate()
    await until(lambda: switch_of(popup, shown.tab_id))

    await page.goto(site.url("/two"))
    await expect(panel.element("inspected")).to_have_text("Two")
    await expect(panel.element("tab-url")).to_have_text(site.url("/two"))

    await panel.element("attachButton").click()
    await shown.received("tab_detached")
    await expect(panel.element("attachButton")).to_have_text("Attach")

    await page.goto("chrome://version/")
    await expect(panel.element("tab-obstacle")).to_contain_text("chrome: pages")
    await expect(panel.element("attachButton")).to_be_disabled()
    await page.goto(site.url("/one"))
    await expect(panel.element("attachButton")).to_be_enabled()
    await expect(panel.element("tab-obstacle")).to_be_hidden()

    # A command without a tab is for the active one.
    other = await show_page(popup, site.url("/two"))
    assert (await bridge.ask("read_tab"))["result"]["title"] == "Two"
    await expect(panel.element("tab-title")).to_have_text("One")
    await page.close()
    await expect(panel.element("tab-obstacle")).to_have_text("The tab is closed.")
    await expect(panel.element("attachButton")).to_be_disabled()
    await panel.page.close()
    await other.close()


async def test_panel_disconnects_and_reconnects_without_losing_the_focus(panel: Panel, driver: Driver) -> None:
    await panel.show_details()
    await panel.element("disconnect").focus()
    await panel.page.keyboard.press("Enter")
    await expect(panel.element("sentence")).to_have_text(re.compile("^Disconnected"))
    await expect(panel.element("spoken")).to_have_text(re.compile("^Disconnected"))
    await expect(panel.element("reconnect")).to_be_focused()

    await panel.page.keyboard.press("Enter")
    await driver[0].connected()
    await expect(panel.element("sentence")).to_have_text(re.compile("^Connected"))
    await expect(panel.element("disconnect")).to_be_focused()


async def test_panel_continues_after_the_worker_was_stopped(panel: Panel, inspected: DrivenTab) -> None:
    await stop_worker(inspected.popup)

    await inspected.bridge.connected()
    await expect(panel.element("sentence")).to_have_text(re.compile("^Connected"))
    assert inspected.tab_id in [tab["tab_id"] for tab in await panel.reply("list_tabs")]


# --- Commands


async def test_form_of_every_command_has_its_parameters(panel: Panel) -> None:
    offered = await panel.page.locator("#command option").all_inner_texts()

    known = await panel.page.evaluate(
        "async () => Object.keys(await (await import('/shared/command-table.js')).commandTable())"
    )
    assert set(offered) == set(known)
    for command, parameters in {
        "navigate": ["url", "timeout", "on_dialog", "dialog_text"],
        "back": [],
        "forward": [],
        "page_elements": ["find", "within", "offset"],
        "screenshot": ["selector", "width", "height"],
        "click": ["selector", "count", "button", "at", "on_dialog", "dialog_text"],
        "hover": ["selector", "at"],
        "fill": ["selector", "value"],
        "press": ["keys", "selector", "on_dialog", "dialog_text"],
        "select": ["selector", "value", "on_dialog", "dialog_text"],
        "evaluate": ["code", "timeout"],
        "console_logs": ["max"],
        "network_requests": ["filter", "max", "body_of"],
        "getDataLayer": ["name", "redact", "since"],
        "read_tab": ["start", "end", "content", "links"],
        "browser_close_tab": ["tab_id"],
        "browser_attach_tab": ["tab_id", "reason"],
    }.items():
        await panel.element("command").select_option(command)
        assert await panel.page.locator("#fields label").all_inner_texts() == parameters


async def test_reply_is_shown_as_json_with_its_duration_and_an_error_with_its_code(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.show(f"<p>alpha beta gamma</p>{LAYER}")

    card = await panel.run("read_tab", start="alpha", end="gamma")

    assert json.loads(await card.locator("pre").inner_text()) == {
        "tab_id": inspected.tab_id,
        "text": "beta",
        "url": inspected.site.url("/shown"),
        "title": "Shown",
        "incognito": False,
    }
    await expect(card.locator(".state")).to_have_text(re.compile(r"^ok \d+ ms$|^ok \d\.\d s$"))
    await expect(panel.element("spoken")).to_have_text(re.compile("^read_tab finished in"))

    card = await panel.run("getDataLayer", name="nothing.there")

    await expect(card).to_have_attribute("data-state", "failed")
    await expect(card.locator(".error")).to_have_text(re.compile("^The page has no .*nothing"))
    await expect(card.locator(".state")).to_have_text(re.compile("^DATALAYER_NOT_FOUND "))
    await expect(panel.element("spoken")).to_have_text(re.compile("^getDataLayer failed: The page has no"))


async def test_fields_are_checked_before_a_command_runs_and_the_tabs_consent_is_when_it_does(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.write(LAYER)
    result = await panel.reply("getDataLayer", since=1)
    assert result["values"] == [{"event": "add_to_cart", "item": "Blue shoe"}]

    # A field without a value is left out.
    result = await panel.reply("getDataLayer", since="")
    assert (result["name"], result["since"], result["total"]) == ("dataLayer", 0, 2)
    runs = panel.page.locator("#runs details")
    await expect(runs).to_have_count(2)
    for command, name, value in (("click", "selector", ""), ("getDataLayer", "since", "-1")):
        await panel.fill_form(command, **{name: value})
        await panel.element("run").click()
        await expect(panel.element(f"field-{name}")).to_be_focused()
        await expect(runs).to_have_count(2)

    await panel.detach()
    card = await panel.run("getDataLayer", since="")

    await expect(card.locator(".state")).to_have_text(re.compile("^TAB_NOT_ATTACHED "))
    # Not the agent's message, which names the popup and a tool.
    await expect(card.locator(".error")).to_have_text(
        "The tab is not attached. Press Attach at the top, then run this again."
    )


async def test_input_is_restored_when_its_command_is_selected_again(panel: Panel) -> None:
    await panel.fill_form("select", selector="#color", value="red\nblue")
    await panel.element("command").select_option("click")
    await expect(panel.element("field-selector")).to_have_value("")

    await panel.element("command").select_option("select")

    await expect(panel.element("field-selector")).to_have_value("#color")
    await expect(panel.element("field-value")).to_have_value("red\nblue")


async def test_page_can_be_driven_by_hand(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write(
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

    await expect(panel.element("inspected")).to_have_text("bought by Ann")
    card = await panel.run("evaluate", code="document.title")
    await expect(card.locator(".state")).to_have_text(re.compile("^EVALUATE_NOT_ALLOWED "))
    await expect(card.locator(".error")).to_have_text(ui_text("replyNoEvaluate"))
    await expect(panel.page.locator("#history > li").first).to_contain_text(ui_text("replyNoEvaluate"))
    await panel.allow_evaluate()
    assert (await panel.reply("evaluate", code="document.title"))["value"] == "bought by Ann"
    await panel.fill_form("evaluate", code="1 + 1")
    await panel.element("field-code").press("Control+Enter")
    await expect(panel.page.locator("#runs pre").first).to_contain_text('"value": 2')


async def test_running_commands_show_their_order_and_are_answered_in_it_each_in_its_card(
    panel: Panel, inspected: DrivenTab
) -> None:
    await panel.fill_form("navigate", url=inspected.site.url("/slow"))
    await panel.element("run").click()
    cards = panel.page.locator("#runs details")
    await expect(cards.first.locator(".state")).to_have_text(re.compile("^running "))
    for start in ("first", "last"):
        await panel.fill_form("read_tab", start=start)
        await panel.element("run").click()
    for waiting in (cards.nth(0), cards.nth(1)):
        await expect(waiting.locator(".state")).to_have_text(re.compile("^waiting "))
    await expect(cards.last.locator(".state")).to_have_text(re.compile("^running "))
    elapsed = await cards.last.locator(".state").inner_text()
    await expect(cards.last.locator(".state")).not_to_have_text(elapsed)

    inspected.site.finish_slow.set()

    await expect(cards).to_have_count(3)
    for card in (cards.nth(2), cards.nth(1), cards.nth(0)):
        await expect(card).to_have_attribute("data-state", "ok")
    texts = [json.loads(await cards.nth(number).locator("pre").text_content() or "")["text"] for number in (0, 1)]
    assert [text.split() for text in texts] == [["part"], ["part", "last", "part"]]


async def test_huge_reply_is_cut_on_the_screen_and_copied_completely(panel: Panel, inspected: DrivenTab) -> None:
    await panel.page.context.grant_permissions(["clipboard-read"])
    lines = "\n".join(f"{number} {'word ' * 200}end" for number in range(1_000))
    await inspected.write(f"<pre>{lines}</pre>")

    card = await panel.run("read_tab")

    assert len(await card.locator("pre").text_content() or "") == 20_000
    await expect(card.locator(".hint")).to_have_text(re.compile("first 20,000 of 1,[0-9]{3},[0-9]{3} characters"))
    assert "20,000" in await card.locator(".hint").inner_text()
    await card.get_by_role("button", name="Copy all").click()
    copied = await panel.page.evaluate("navigator.clipboard.readText().then((text) => [text.length, text.slice(-12)])")
    assert copied[0] > 1_000_000
    assert copied[1].rstrip().endswith("}")


async def test_screenshot_is_shown_and_opens_in_full_size_in_a_tab_by_keyboard(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.page.bring_to_front()
    await panel.page.bring_to_front()
    await inspected.write("<body style='margin:0;background:rgb(10, 200, 30)'>")
    card = await panel.run("screenshot", width=300, height=200)
    image = card.get_by_role("img", name=ui_text("screenshotOf", 300, 200))
    await expect(image).to_be_visible()
    assert await image.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 300
    await expect(card.locator("pre")).to_contain_text("(base64, ")
    await saved_and_copied(panel, card)

    await card.locator("button.picture").focus()
    async with panel.page.context.expect_page() as opened:
        await panel.page.keyboard.press("Enter")
    whole = await opened.value

    assert whole.url.startswith(f"blob:{EXTENSION_URL}/")
    assert await whole.evaluate("document.images[0].naturalWidth") == 300
    # It is not one of the user's pages: the tab before it is still the current one.
    assert (await inspected.bridge.ask("read_tab"))["error"]["code"] == "EMPTY_PAGE"


async def saved_and_copied(panel: Panel, card: Locator) -> None:
    """Check that a screenshot is saved as a file, and copied as an image unless that is blocked."""
    await panel.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    async with panel.page.expect_download() as downloading:
        await card.get_by_role("button", name=ui_text("pictureSave")).click()
    download = await downloading.value
    assert re.fullmatch(r"screenshot-[\d-]+T[\d-]+\.png", download.suggested_filename)
    assert (await download.path()).read_bytes().startswith(b"\x89PNG")

    await card.get_by_role("button", name=ui_text("pictureCopy")).click()
    await expect(card.get_by_role("status")).to_have_text("Copied.")
    width = """navigator.clipboard.read().then(async ([item]) =>
        (await createImageBitmap(await item.getType('image/png'))).width)"""
    assert await panel.page.evaluate(width) == 300

    refused = "navigator.clipboard.write = () => Promise.reject(new DOMException('', 'NotAllowedError'))"
    await panel.page.evaluate(f"() => {{ {refused} }}")
    await card.get_by_role("button", name=ui_text("pictureCopy")).click()
    await expect(card.get_by_role("status")).to_have_text(ui_text("pictureNoCopy"))
    await panel.page.evaluate("() => { delete navigator.clipboard.write }")


# --- Console


@pytest.fixture
async def rows(panel: Panel, inspected: DrivenTab) -> Locator:
    """Return the lines of a console that starts without any."""
    await inspected.page.goto(inspected.site.url("/blank"))
    await panel.detach()
    await panel.attach()
    await panel.show("Console")
    return panel.page.locator("#console-list > li")


async def log(inspected: DrivenTab, script: str) -> None:
    """Run a script in the page's own world."""
    await inspected.page.evaluate(script)


async def test_console_shows_earlier_and_new_messages_and_is_filtered_by_level_and_text(
    panel: Panel, inspected: DrivenTab, rows: Locator
) -> None:
    await log(inspected, "console.warn('it', 'is', 3)")
    await expect(rows).to_have_text([re.compile(r"\d\d:\d\d:\d\d\.\d{3}warnit is 3")])
    await expect(rows.last).to_have_attribute("data-level", "warn")

    await panel.element("console-clear").click()
    await expect(rows).to_have_count(0)
    await log(inspected, "setTimeout(() => { throw new Error('late') })")
    await expect(rows).to_have_count(1)
    await expect(panel.page.get_by_role("tab", name="Console, 1 error")).to_have_text(re.compile(r"^\s*Console1\s*$"))

    await panel.element("console-clear").click()
    levels = "for (const level of ['debug', 'log', 'info', 'warn', 'error']) console[level](`Said by ${level}`)"
    await log(inspected, levels)
    await expect(rows).to_have_count(5)
    await panel.element("console-level").select_option("log")
    await expect(rows).to_have_count(4)
    await panel.element("console-level").select_option("warn")
    await expect(rows).to_have_text([re.compile("by warn"), re.compile("by error")])
    await panel.element("console-filter").fill("BY ERR")
    await expect(rows).to_have_text([re.compile("by error")])
    await expect(panel.element("console-count")).to_have_text("1 of 5")
    await log(inspected, "console.error('something else'); console.error('by error, again')")
    await expect(rows).to_have_text([re.compile("Said by error"), re.compile("by error, again")])


# In the service worker: the debugger reports these lines, one each millisecond, which is not a flood. A page that writes
# as many keeps the browser and Playwright busy for seconds.
WRITE_LINES = """({ tabId, from, to }) => {
  for (let i = from; i <= to; i += 1) {
    const args = [{ type: "string", value: `line ${i}.` }];
    const timestamp = Date.now() + i;
    chrome.debugger.onEvent.dispatch({ tabId }, "Runtime.consoleAPICalled", { type: "log", args, timestamp });
  }
}"""


async def test_console_keeps_10000_lines_shows_as_many_as_selected_and_keeps_its_place_when_scrolled_away(
    panel: Panel, inspected: DrivenTab, rows: Locator
) -> None:
    (worker,) = panel.page.context.service_workers

    async def write(first: int, last: int) -> None:
        await worker.evaluate(WRITE_LINES, {"tabId": inspected.tab_id, "from": first, "to": last})

    await write(1, 10_400)
    await expect(rows.last).to_contain_text("line 10400.")
    await write(10_401, 10_500)
    await expect(rows.last).to_contain_text("line 10500.")
    await expect(panel.element("console-count")).to_have_text("1,000 of 10,000")
    await expect(panel.element("console-state")).to_have_text(ui_text("consoleGone", 500))
    await expect(rows).to_have_count(1_000)
    await expect(rows.last).to_be_in_viewport()

    await panel.element("console-scroll").focus()
    await panel.page.keyboard.press("Home")
    await expect(rows.first).to_be_in_viewport()
    await panel.element("console-scroll").evaluate("(list) => list.scrollBy(0, 5_000)")
    row_at_top = """(list) => [...list.querySelectorAll('li')]
        .find((row) => row.getBoundingClientRect().bottom > list.getBoundingClientRect().top + 5).textContent"""
    top = await panel.element("console-scroll").evaluate(row_at_top)
    await write(10_501, 10_600)
    await expect(rows.last).to_contain_text("line 10600.")
    assert await panel.element("console-scroll").evaluate(row_at_top) == top

    await panel.element("console-limit").select_option("100 lines")
    await expect(rows).to_have_count(100)
    await expect(rows.first).to_contain_text("line 10501.")
    for text, count in (("line 600.", 0), ("line 601.", 1)):
        await panel.element("console-filter").fill(text)
        await expect(rows).to_have_count(count)

    await panel.open()
    await expect(panel.element("console-state")).to_have_text(ui_text("consoleGone", 600))
    await expect(panel.element("console-count")).to_have_text("1,000 of 10,000")
    await panel.show("Console")
    await panel.element("console-clear").click()
    await expect(panel.element("console-state")).to_have_text(ui_text("consoleEmpty"))
    await panel.detach()  # each panel would get the lines


async def test_console_continues_across_navigations_and_restarts_when_reattached(
    panel: Panel, inspected: DrivenTab, rows: Locator
) -> None:
    await inspected.show("<script>console.info('first page')</script>", "/first")
    await inspected.show("<script>console.log('second page')</script>", "/second")
    await expect(rows).to_have_text([re.compile("infofirst page"), re.compile("second page")])

    await expect(panel.element("console-state")).to_be_empty()

    await panel.element("attachButton").click()
    await expect(panel.element("console-state")).to_have_text(ui_text("consoleDetached"))
    await expect(rows).to_have_count(2)
    await panel.element("console-clear").click()
    await expect(panel.element("console-state")).to_have_text("Attach the tab to see its console.")
    await panel.element("attachButton").click()
    await expect(panel.element("console-state")).to_be_empty()
    await log(inspected, "console.log('attached again')")

    await expect(rows.last).to_contain_text("attached again")
    await expect(rows.filter(has_text="first page")).to_have_count(0)
    await expect(rows.filter(has_text="second page")).to_have_count(1)


# --- Data layer


def entries_of(panel: Panel) -> Locator:
    return panel.page.locator("#data-layer-tree > li")


async def test_data_layer_is_live_and_searchable(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write(LAYER)
    await panel.show("Data layer")
    entries = entries_of(panel)
    await expect(entries).to_have_text([re.compile("^1add_to_cart.*Blue shoe"), re.compile("^0view")])

    await log(inspected, "dataLayer.push({ event: 'purchase', order: { items: [{ name: 'Red laces' }] } })")
    await expect(entries).to_have_count(3)
    await expect(entries.first).to_have_text(re.compile("^2purchase"))

    await panel.element("data-layer-search").fill("LACES")
    await expect(entries).to_have_count(1)
    await expect(panel.element("data-layer-count")).to_have_text("1 of 3")
    # The match is in view, however deep it is.
    await expect(entries.get_by_role("treeitem", name='name: "Red laces"', exact=True)).to_be_visible()

    await panel.element("data-layer-search").fill("")
    await expect(entries.get_by_role("treeitem")).to_have_count(0)


async def test_data_layer_is_a_tree_for_mouse_and_keyboard(panel: Panel, inspected: DrivenTab) -> None:
    await panel.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await inspected.write("<script>dataLayer = [{event: 'a'}, {event: 'b', list: [1, null], none: {}}]</script>")
    await panel.show("Data layer")
    tree = panel.element("data-layer-tree")
    entry = entries_of(panel).first
    await expect(entry).to_have_text('1b{event: "b", list: Array(2), none: {...}}')
    await expect(entry).to_have_attribute("aria-expanded", "false")
    keyboard = panel.page.keyboard
    await panel.element("data-layer-search").focus()
    await keyboard.press("Tab")
    await expect(entry).to_be_focused()

    names: list[str] = []
    for key in ["ArrowRight", "ArrowRight", "ArrowDown", "Enter", "ArrowDown", "ArrowDown", "ArrowLeft", "End", "Home"]:
        await keyboard.press(key)
        focused = tree.locator(":focus")
        names.append(f"{await focused.get_attribute('aria-label')} {await focused.get_attribute('aria-expanded')}")
    assert names == [
        '1 b {event: "b", list: Array(2), none: {...}} true',
        'event: "b" None',
        "list: [1, null] false",
        "list: [1, null] true",
        "0: 1 None",
        "1: null None",
        "list: [1, null] true",
        '0 a {event: "a"} false',
        '1 b {event: "b", list: Array(2), none: {...}} true',
    ]

    await keyboard.press("ControlOrMeta+c")
    copied = json.loads(await panel.page.evaluate("navigator.clipboard.readText()"))
    assert copied == {"event": "b", "list": [1, None], "none": {}}
    # One stop for the Tab key; opening an empty object does not make it one.
    await expect(tree.locator("[tabindex='0']")).to_have_count(1)
    await tree.get_by_role("treeitem", name="none: {}").click()
    await expect(tree.get_by_role("treeitem", name="none: {}")).not_to_have_attribute("aria-expanded", "true")
    await entry.locator("> .node").click()
    await expect(entry.get_by_role("treeitem")).to_have_count(0)


async def test_open_nodes_of_the_data_layer_stay_open_while_it_changes(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write("<script>dataLayer = [{event: 'a'}, {cart: {total: 1}}]</script>")
    await panel.show("Data layer")
    cart = entries_of(panel).filter(has_text="cart").get_by_role("treeitem", name="cart:")
    await expect(entries_of(panel).first).to_contain_text("cart")
    await entries_of(panel).first.click()
    await cart.locator("> .node").click()
    await expect(cart.get_by_role("treeitem")).to_have_text(["total:1"])
    await expect(cart).to_be_focused()

    await log(inspected, "dataLayer[1].cart.total = 2")
    await expect(cart.get_by_role("treeitem")).to_have_text(["total:2"])
    await expect(cart).to_be_focused()
    await log(inspected, "dataLayer.push({event: 'c'})")
    await expect(entries_of(panel)).to_have_count(3)

    await expect(cart.get_by_role("treeitem")).to_have_text(["total:2"])
    await expect(cart).to_be_focused()


# Presses the key on whatever has the focus.
PRESS_DOWN = """(_tree, times) => {
  const press = () => new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true });
  while (times--) document.activeElement.dispatchEvent(press());
}"""


async def test_large_data_layer_is_shown_in_steps(panel: Panel, inspected: DrivenTab) -> None:
    big = "{many: Array.from({length: 450}, (_, i) => `item ${i}`)}"
    await inspected.write(
        f"<script>dataLayer = Array.from({{length: 1_000}}, (_, i) => ({{n: i}})); dataLayer.push({big})</script>"
    )
    await panel.show("Data layer")
    entries = entries_of(panel)
    await expect(panel.element("data-layer-count")).to_have_text("1,001 of 1,001")
    tree = panel.element("data-layer-tree")
    await expect(entries).to_have_count(201)
    await expect(entries.last).to_have_text(ui_text("treeMore", 801))
    await entries.last.click()
    await expect(entries).to_have_count(401)

    await entries.first.click()
    await entries.first.get_by_role("treeitem").click()
    items = entries.first.get_by_role("group").get_by_role("group").get_by_role("treeitem")
    await expect(items).to_have_count(201)
    await panel.page.keyboard.press("ArrowRight")
    await tree.evaluate(PRESS_DOWN, 200)
    await expect(items.last).to_be_focused()
    await panel.page.keyboard.press("Enter")
    await expect(items).to_have_count(401)
    await expect(items.nth(200)).to_be_focused()
    await expect(items.nth(200)).to_have_text('200:"item 200"')


async def test_data_layer_follows_reloads_changed_entries_and_another_name(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.show(LAYER)
    await panel.show("Data layer")
    entries = entries_of(panel)
    await expect(entries).to_have_count(2)
    await log(inspected, "dataLayer[1].item = 'Red shoe'")
    await expect(entries.first).to_contain_text("Red shoe")

    # As many entries as before, but different ones.
    await inspected.show("<script>dataLayer = ['one', 'two']; digitalData = { page: 'shop' }</script>", "/other")
    await expect(entries).to_have_text([re.compile("two"), re.compile("one")])

    await panel.element("data-layer-name").fill("digitalData")
    await panel.page.keyboard.press("Enter")
    await expect(entries).to_have_text([re.compile('{page: "shop"}')])
    await log(inspected, "digitalData.page = 'cart'")
    await expect(entries).to_have_text([re.compile('{page: "cart"}')])

    await inspected.show("<p>none", "/none")
    await expect(panel.element("data-layer-state")).to_have_text(ui_text("dataLayerMissing", "digitalData"))
    await expect(entries).to_have_count(0)


async def test_dialog_is_left_to_the_user_while_the_data_layer_is_shown(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write(f"{LAYER}<button onclick=\"document.title = confirm('Pay?')\">Pay</button>")
    await panel.show("Data layer")
    await expect(entries_of(panel)).to_have_count(2)

    async with inspected.page.expect_event("dialog") as opening:
        await log(inspected, "void setTimeout(() => { document.title = confirm('Pay?'); dataLayer.push('answered') })")
    await expect(panel.element("data-layer-state")).to_have_text(re.compile(f"^{ui_text('dataLayerTrouble')} .*dialog"))
    await (await opening.value).accept()

    await expect(entries_of(panel).first).to_contain_text("answered")
    await comes_true(inspected.page, "document.title === 'true'")
    await expect(panel.element("data-layer-state")).to_be_empty()
    # The control: an action does answer it.
    assert (await inspected.do("click", selector="button"))["dialogs"] == [
        {"type": "confirm", "message": "Pay?", "answer": "dismissed"}
    ]
    await comes_true(inspected.page, "document.title === 'false'")


# In the panel: its first two reads of the data layer fail.
BROKEN_PORT = """
globalThis.failures = [
  () => { throw new Error('Attempting to use a disconnected port object'); },
  ({ id }, respond) => respond({ id, type: 'response', success: true, result: {}, error: null }),
];
const connect = chrome.runtime.connect.bind(chrome.runtime);
chrome.runtime.connect = () => {
  const port = connect();
  const post = port.postMessage.bind(port);
  const listen = port.onMessage.addListener.bind(port.onMessage);
  let respond = () => {};
  port.onMessage.addListener = (listener) => listen((respond = listener));
  port.postMessage = (message) => {
    const fail = message.command === 'getDataLayer' && failures.shift();
    return fail ? fail(message, respond) : post(message);
  };
  return port;
};
"""


async def test_data_layer_is_read_despite_two_failures_and_only_while_it_is_shown_and_the_tab_is_attached(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.write("<p>text<script>reads = 0; dataLayer = [{ get read() { return (reads += 1); } }]</script>")
    hasty = "const wait = setTimeout; globalThis.setTimeout = (work, delay) => wait(work, delay / 100);"
    other = await opened_panel(inspected.page.context, panel.tab_id, BROKEN_PORT + hasty)

    async def reads() -> int:
        return await inspected.page.evaluate("reads")

    async def is_read() -> None:
        before = await reads()
        await until(lambda: has_grown(before))

    async def has_grown(before: int) -> bool:
        return await reads() > before

    async def is_not_read() -> None:
        """Check that it is not read while other commands run in the tab, one after another."""
        await inspected.do("read_tab")
        before = await reads()
        for _ in range(5):
            await inspected.ask("read_tab")
        assert await reads() == before

    await other.show("Data layer")
    await expect(entries_of(other)).to_have_count(1)
    assert await other.page.evaluate("failures.length") == 0
    await is_read()
    await other.show("Console")
    await expect(other.element("console-scroll")).to_be_visible()
    await is_not_read()
    await other.show("Data layer")
    await is_read()
    await other.element("attachButton").click()
    await expect(other.element("data-layer-state")).to_contain_text(ui_text("dataLayerDetached"))
    await is_not_read()
    await other.page.close()


# --- History and saved commands


async def test_elements_are_live_searchable_and_paged(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write("<h1>Shop</h1><button id=buy>Buy now</button><input name=mail aria-label=Mail>")
    await panel.show("Elements")
    lines = panel.page.locator("#elements > li")
    await expect(lines).to_contain_text(["Shop", "Buy now", "Mail"])
    await expect(panel.element("elements-count")).to_have_text("2 of 2")

    await log(inspected, "document.querySelector('#buy').textContent = 'Sold out'")
    await expect(lines).to_contain_text(["Shop", "Sold out", "Mail"])
    await panel.element("elements-find").fill("mail")
    await expect(lines).to_contain_text(["Mail"])
    await expect(lines).to_have_count(1)
    await panel.element("elements-find").fill("nothing like it")
    await expect(panel.element("elements-state")).to_have_text(ui_text("elementsNoMatch"))

    names = "".join(f"<button id=b{i}>Button of number {i} {'x' * 30}</button>" for i in range(100))
    await inspected.write(f"<main>{names}</main>")
    await panel.element("elements-find").fill("button")
    more = panel.element("elements-more")
    await expect(panel.element("elements-count")).to_have_text(re.compile(r"^\d\d of 100$"))
    await more.click()
    await expect(panel.element("elements-count")).not_to_have_text(re.compile(r"^[1-5]\d of"))


async def test_hovering_over_a_line_highlights_its_element_and_clicking_it_inserts_its_selector(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.write("<body style='margin: 60px'><button id=buy>Buy now</button><input name=mail aria-label=Mail>")
    await panel.show("Elements")
    plain = await until(lambda: picture_of(inspected.page))
    line = panel.page.locator("#elements button").filter(has_text="Buy now")

    await line.hover()
    await pictured(inspected, lambda picture: picture != plain)
    await panel.element("elements-find").hover()
    await pictured(inspected, lambda picture: picture == plain)

    await line.click()
    await expect(panel.element("command")).to_have_value("click")
    await expect(panel.element("field-selector")).to_have_value("#buy")
    await panel.show("Elements")
    await panel.page.locator("#elements button").filter(has_text="Mail").click()
    await expect(panel.element("command")).to_have_value("fill")


async def pictured(tab: DrivenTab, is_right: Callable[[bytes], bool]) -> None:
    """Wait until the tab looks as expected."""

    async def look() -> bool:
        picture = await picture_of(tab.page)
        return picture is not None and is_right(picture)

    await until(look)


async def picture_of(page: Page) -> bytes | None:
    """Return None when the browser has none yet, as sometimes happens when it is busy."""
    try:
        return await page.screenshot()
    except Error as error:
        if "Unable to capture screenshot" in error.message:
            return None
        raise


async def test_history_and_saved_commands_are_in_every_panel_and_history_can_be_rerun(
    panel: Panel, inspected: DrivenTab
) -> None:
    await inspected.write("<p>alpha beta</p>")
    await panel.reply("read_tab", start="alpha")
    await panel.run("getDataLayer", name="nothing.there")
    await comes_true(panel.page, "chrome.storage.local.get('history').then(({history}) => history?.length === 2)")
    await panel.page.evaluate(save_script("Back"))

    in_language = "Date.prototype.toLocaleString = (language) => `a time in ${language}`"
    other = await opened_panel(inspected.page.context, inspected.tab_id, in_language)
    await expect(other.page.locator("#saved .name")).to_have_text(["Back"])
    await other.show("History")

    items = other.page.locator("#history > li")
    await expect(items).to_have_count(2)
    await expect(items.first).to_contain_text('getDataLayer{"name":"nothing.there"}DATALAYER_NOT_FOUND')
    await expect(items.last).to_contain_text('read_tab{"start":"alpha"}ok')
    await expect(items.last).to_contain_text('"text":"beta"')
    await expect(items.last).to_contain_text("a time in en")
    await items.last.get_by_role("button", name="Run again: read_tab").click()
    card = other.page.locator("#runs details").first
    await expect(card).to_have_attribute("data-state", "ok")
    assert json.loads(await card.locator("pre").inner_text())["text"] == "beta"
    await other.show("History")
    await expect(items).to_have_count(3)

    await items.nth(1).get_by_role("button", name="Edit getDataLayer").click()
    await expect(other.element("command")).to_have_value("getDataLayer")
    await expect(other.element("field-name")).to_have_value("nothing.there")

    # The panel shows what the other one does, and that one what several save at once.
    await panel.show("History")
    await expect(panel.page.locator("#history > li")).to_have_count(3)
    await panel.element("history-clear").click()
    await expect(panel.page.locator("#history > li")).to_have_count(0)
    assert (await panel.memory())["history"] == []
    await asyncio.gather(*(panel.page.evaluate(save_script(name)) for name in "abc"))
    await expect(other.page.locator("#saved .name")).to_have_text(["a", "b", "Back", "c"])
    await other.show("History")
    await expect(items).to_have_count(0)
    await other.page.close()


async def test_history_contains_no_image_and_nothing_typed_into_a_field(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write("<input id=pin>")
    assert (await panel.reply("fill", selector="#pin", value="hunter2-secret"))["value"] == "hunter2-secret"
    await panel.run("fill", selector="#absent", value="hunter2-secret")
    await panel.reply("screenshot")
    await comes_true(panel.page, "chrome.storage.local.get('history').then(({history}) => history?.length === 3)")

    kept = (await panel.memory())["history"]

    assert [(run["command"], run["params"], run["withheld"]) for run in kept] == [
        ("screenshot", {}, []),
        ("fill", {"selector": "#absent"}, ["value"]),
        ("fill", {"selector": "#pin"}, ["value"]),
    ]
    assert "hunter2" not in json.dumps(kept)
    assert all(len(run["reply"]) <= 200 for run in kept)
    assert "iVBOR" not in json.dumps(kept)
    await panel.show("History")
    oldest = panel.page.locator("#history > li").last
    await expect(oldest).to_contain_text(ui_text("notKept", "value"))
    await expect(oldest.get_by_role("button", name="Run again: fill")).to_have_count(0)
    await oldest.get_by_role("button", name="Edit fill").click()
    await expect(panel.element("field-selector")).to_have_value("#pin")
    await expect(panel.element("field-value")).to_be_focused()


async def test_history_is_bounded(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write("<p>text")
    old = {"id": "x", "time": "2026-01-01T00:00:00Z", "command": "back", "params": {}, "withheld": []}
    old |= {"code": "", "milliseconds": 1, "reply": ""}
    runs = [old | {"id": str(number)} for number in range(100)]
    await panel.page.evaluate("(history) => chrome.storage.local.set({ history })", runs)
    await panel.run("read_tab", start="x" * 20_000)

    await comes_true(panel.page, "chrome.storage.local.get('history').then(({history}) => history[0].id !== '0')")

    kept = (await panel.memory())["history"]
    assert len(kept) == 100
    assert (kept[0]["params"], kept[0]["code"]) == (None, "KEYWORD_NOT_FOUND")
    assert [run["id"] for run in kept[1:]] == [str(number) for number in range(99)]
    await panel.show("History")
    await expect(panel.page.locator("#history > li").first).to_contain_text(ui_text("tooLong"))


async def test_unpairing_keeps_history_and_saved_commands_and_the_panel_can_pair_again(
    panel: Panel, inspected: DrivenTab
) -> None:
    await panel.fill_form("click", selector="#buy")
    await panel.element("save-name").fill("Buy")
    await panel.element("save").click()
    await expect(panel.page.locator("#saved > li")).to_have_count(1)

    await inspected.popup.act("unpair")
    await expect(panel.element("sentence")).to_have_text(ui_text("statusSetup"))

    assert [each["name"] for each in (await panel.memory())["saved"]] == ["Buy"]
    assert "pairing" not in await panel.page.evaluate("chrome.storage.local.get()")
    await panel.element("connection").click()
    await panel.element("connection-string").fill("nonsense")
    await panel.element("connect").click()
    await expect(panel.element("pairing-problem")).to_contain_text("not a connection string")
    await panel.element("connection-string").fill(inspected.bridge.connection_string)
    await panel.element("connect").click()
    await inspected.bridge.connected()
    await expect(panel.element("setup")).to_be_hidden()
    await panel.page.keyboard.press("Escape")


async def test_saved_command_can_be_run_replaced_and_deleted(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write("<p>alpha beta gamma</p>")
    saved = panel.page.locator("#saved > li")
    for name, start in (("Second", "alpha"), ("First", "gamma"), ("Second", "beta")):
        await panel.fill_form("read_tab", start=start)
        await panel.element("save-name").fill(name)
        await panel.element("save").click()
        await expect(panel.element("save-name")).to_have_value("")
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


async def test_full_list_of_saved_commands_asks_the_user_to_delete_one(panel: Panel) -> None:
    saved = [{"name": f"{number:02}", "command": "back", "params": {}} for number in range(50)]
    await panel.page.evaluate("(saved) => chrome.storage.local.set({ saved })", saved)
    await expect(panel.element("saved-state")).to_have_text(ui_text("savedFull", 50))
    await expect(panel.element("save")).to_be_disabled()

    await panel.page.get_by_role("button", name="Delete 07").click()

    await expect(panel.element("save")).to_be_enabled()
    await expect(panel.element("saved-state")).to_be_empty()


def save_script(name: str) -> str:
    return f"import('./history.js').then((m) => m.saveCommand({{ name: '{name}', command: 'back', params: {{}} }}))"


# --- Safety


async def test_hostile_page_is_shown_as_text_everywhere(panel: Panel, inspected: DrivenTab) -> None:
    quoted = json.dumps(HOSTILE).replace("</", "<\\/")
    script = f"<script>dataLayer = [{{ event: {quoted}, [{quoted}]: {quoted} }}]; console.log({quoted})</script>"
    await inspected.write(f"<p id=text></p>{script}<script>text.textContent = document.title = {quoted}</script>")

    assert HOSTILE in (await panel.reply("read_tab"))["text"]
    await expect(panel.element("inspected")).to_have_text(HOSTILE)
    await expect(panel.page.locator("#runs")).to_contain_text("<img src=x")
    await panel.show("Console")
    await expect(panel.element("console-list")).to_contain_text("<img src=x")
    await panel.show("Data layer")
    entry = panel.page.locator("#data-layer-tree > li")
    # Until it is read, the panel shows the previous test's.
    await expect(entry).to_have_count(1)
    await entry.click()
    await expect(entry.get_by_role("treeitem")).to_have_text(
        [re.compile("^event.*<img src=x"), re.compile("^<img.*<img")]
    )
    # Nor does text that changes the direction affect its surroundings.
    parts = entry.locator("strong, .object, span:not(.muted)")
    bidi = await parts.evaluate_all("(elements) => elements.map((element) => getComputedStyle(element).unicodeBidi)")
    assert set(bidi) == {"isolate"}
    await panel.show("History")
    await expect(panel.page.locator("#history")).to_contain_text("<img src=x")
    assert await panel.page.locator("img").count() == 0
    assert await panel.page.title() == "Chrome Tab Reader"


async def test_web_page_can_neither_embed_the_panel_nor_open_its_port(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write("<p>text")
    frame = """(url) => new Promise((go) => {
      const frame = document.createElement('iframe');
      frame.src = url;
      frame.onload = frame.onerror = () => go(frame.contentWindow.length);
      document.body.append(frame);
    })"""
    await inspected.page.evaluate(frame, f"{PANEL_URL}?tab={panel.tab_id}")

    assert not any(each.url.startswith(PANEL_URL) for each in inspected.page.frames)
    assert await inspected.page.evaluate("typeof globalThis.chrome?.runtime?.connect") == "undefined"
    # The control: the same address works in a tab.
    assert panel.page.url == f"{PANEL_URL}?tab={panel.tab_id}"


# --- Keyboard, screen reader, appearance


async def test_every_view_can_be_reached_and_used_by_keyboard_alone(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write(f"<p>alpha beta</p>{LAYER}<script>console.log('said')</script>")
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
        "tab-commands",
        "attachButton",
        "connection",
        "command",
        "field-url",
        "field-timeout",
        "field-on_dialog",
        "field-dialog_text",
        "run",
        "save-name",
        "save",
    ]

    await panel.element("connection").focus()
    await keyboard.press("Enter")
    for control in ("disconnect", "allow-evaluate"):
        await keyboard.press("Tab")
        await expect(panel.element(control)).to_be_focused()
    await keyboard.press("Escape")
    await expect(panel.element("details")).to_be_hidden()
    await expect(panel.element("connection")).to_be_focused()

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
    for key in (*6 * ["ArrowRight"], "End", "Home", "ArrowLeft", "ArrowLeft"):
        await keyboard.press(key)
        selected = panel.page.locator("[role=tab][aria-selected=true]")
        await expect(selected).to_be_focused()
        await expect(panel.page.locator("[role=tabpanel]:visible")).to_have_count(1)
        view = panel.page.locator("[role=tabpanel]:visible")
        assert await view.get_attribute("aria-labelledby") == await selected.get_attribute("id")
        views.append(await selected.get_attribute("id"))
    assert views == [
        "tab-elements",
        "tab-console",
        "tab-data-layer",
        "tab-history",
        "tab-activity",
        "tab-commands",
        "tab-activity",
        "tab-commands",
        "tab-activity",
        "tab-history",
    ]

    for control in ("attachButton", "connection", "history-clear"):
        await keyboard.press("Tab")
        await expect(panel.element(control)).to_be_focused()
    await keyboard.press("Tab")
    await keyboard.press("Enter")
    await expect(panel.page.locator("#runs summary").first).to_be_focused()
    await expect(panel.page.locator("#runs details")).to_have_count(2)

    await panel.element("tab-data-layer").click()
    await expect(entries_of(panel)).to_have_count(2)
    await panel.element("data-layer-search").focus()
    await keyboard.press("Tab")
    await expect(entries_of(panel).first).to_be_focused()
    await panel.element("tab-console").click()
    await panel.element("console-limit").focus()
    await keyboard.press("Tab")
    await expect(panel.element("console-scroll")).to_be_focused()


async def test_every_control_has_a_name_for_screen_readers(panel: Panel, inspected: DrivenTab) -> None:
    await inspected.write(f"{LAYER}<script>console.log('said')</script>")
    await panel.reply("list_tabs")
    await panel.fill_form("screenshot", width=100)
    await panel.element("save-name").fill("One")
    await panel.element("save").click()
    await expect(panel.page.locator("#saved > li")).to_have_count(1)
    session = await panel.page.context.new_cdp_session(panel.page)
    controls = {"button", "checkbox", "textbox", "searchbox", "spinbutton", "combobox", "tab", "tabpanel"}
    controls |= {"tree", "treeitem", "region"}
    heard: set[str] = set()
    for view in ("Commands", "Elements", "Console", "Data layer", "History"):
        await panel.show(view)
        if view == "Data layer":
            await expect(entries_of(panel)).to_have_count(2)
        if view == "Commands":
            await panel.show_details()
        nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
        for node in nodes:
            role = node.get("role", {}).get("value")
            if not node["ignored"] and role in controls:
                assert node.get("name", {}).get("value"), (view, node)
                heard.add(role)
    assert heard == controls


@pytest.fixture
async def full(panel: Panel, inspected: DrivenTab) -> AsyncGenerator[Panel]:
    """The panel with something long in every view; its size and colors are restored afterwards."""
    title = "unbreakable" * 30
    size = panel.page.viewport_size
    layer = json.dumps([{"event": title, title: {title: [title]}}])
    script = f"<script>dataLayer = {layer}; console.error('{title}'); console.warn('x')</script>"
    await inspected.write(f"<button id={title}>{title}</button>{script}", title=title)
    await panel.run("getDataLayer", name="nothing.there." + "x" * 100)
    await panel.reply("getDataLayer", name="dataLayer")
    await panel.element("save-name").fill("name" * 15)
    await panel.element("save").click()
    await panel.show("Data layer")
    # Until it is read, the panel shows the previous test's.
    await expect(entries_of(panel)).to_have_text([re.compile("unbreakable")])
    await entries_of(panel).click()
    yield panel
    await panel.page.emulate_media(color_scheme=None, forced_colors="none")
    if size:
        await panel.page.set_viewport_size(size)


# By the view: what has text.
TEXTS = {
    "Commands": ["#inspected", "#tab-url", "#run", ".hint", ".state", ".params", ".error", "[aria-selected=true]"],
    "Elements": ["#elements code", "#elements-count"],
    "Console": ["[data-level=error] .message", "[data-level=warn] .level", "time", "#console-count"],
    "Data layer": [".node .muted", ".node .key", ".node .string"],
    "History": ["#history .hint", "#history .state"],
}
# What is cut off or scrolls sideways in a panel of this width, and how wide and high it is.
WIDE = """(width) => [
  [...document.querySelectorAll('button, input, select, textarea, summary, #tabs, .scroll, pre')]
    .filter((each) => each.checkVisibility())
    .filter((each) => each.getBoundingClientRect().right > width || each.getBoundingClientRect().left < 0
        || (each.matches('button, #tabs, .scroll, pre') && each.scrollWidth > each.clientWidth))
    .map((each) => each.id || each.outerHTML),
  [document.documentElement.scrollWidth, scrollY, document.querySelector('main').getBoundingClientRect().top],
]"""


LINES = """(element) => {
  const content = new Range();
  content.selectNodeContents(element);
  return content.getClientRects().length;
}"""


async def test_nothing_is_cut_off_and_text_has_contrast_in_light_and_dark(full: Panel) -> None:
    await full.page.get_by_role("treeitem", name="unbreakable").last.click()
    for width, height in [(320, 640), (554, 640), (1280, 280)]:
        await full.page.set_viewport_size({"width": width, "height": height})
        for view, texts in TEXTS.items():
            await full.show(view)
            if view == "Elements":
                await expect(full.page.locator("#elements button")).to_have_count(1)
            # Above a view there is only one toolbar, in a narrow panel with a second row of tabs.
            above = 55 if width == 320 else 28
            assert await full.page.evaluate(WIDE, width) == [[], [width, 0, above]], (width, view)
            if width == 1280:
                await has_contrast(full, texts)
        await full.show("Commands")
        await full.show_details()
        await full.element("sentence").evaluate("(sentence) => (sentence.textContent = 'long '.repeat(40))")
        assert await full.element("disconnect").evaluate(LINES) == 1
        assert (await full.page.evaluate(WIDE, width))[0] == [], width
        await full.page.keyboard.press("Escape")


async def has_contrast(full: Panel, texts: list[str]) -> None:
    """Check these texts of the open view in both themes."""
    backgrounds: set[str] = set()
    schemes: list[Literal["light", "dark"]] = ["light", "dark"]
    for scheme in schemes:
        await full.page.emulate_media(color_scheme=scheme)
        backgrounds.add(await full.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        for selector in texts:
            assert await contrast(full.page, selector) >= 4.5, (scheme, selector)
    assert len(backgrounds) == 2


async def test_open_view_stands_out_in_high_contrast(panel: Panel) -> None:
    await panel.page.mouse.move(5, 300)  # a tab under the pointer has a line too
    await panel.page.emulate_media(forced_colors="active")
    line = "(tab) => getComputedStyle(tab).borderBottomColor"
    shown = await panel.page.locator("[role=tab]").evaluate_all(f"(tabs) => tabs.map({line})")
    chosen = await panel.page.locator("[aria-selected=true]").evaluate(line)
    behind = await panel.page.evaluate("getComputedStyle(document.body).backgroundColor")
    await panel.page.emulate_media(forced_colors="none")

    assert chosen != behind
    assert sorted(shown) == sorted([chosen, *[behind] * (len(shown) - 1)])


# --- Inside DevTools itself

# Playwright has no access to DevTools windows, so the browser is queried directly.


async def session_of(browser: PlainChromium, start: str) -> str:
    """Return the session of the first target whose address starts like this, once there is one."""
    while True:
        targets = (await browser.ask("Target.getTargets", filter=[{}]))["targetInfos"]
        for target in targets:
            if target["url"].startswith(start) and target["type"] in {"page", "iframe"}:
                return await browser.attached(target["targetId"])
        await asyncio.sleep(0.1)


async def value_in(browser: PlainChromium, session: str, expression: str) -> Any:
    return (await browser.evaluate(session, expression))["result"].get("value")


OPEN_PANEL = """import('devtools://devtools/bundled/ui/legacy/legacy.js').then(async ({ InspectorView }) => {
  const view = InspectorView.InspectorView.instance();
  const id = () => view.tabbedPane.tabIds().find((each) => each.endsWith('ChromeTabReader'));
  while (!id()) await new Promise((again) => setTimeout(again, 100));
  await view.showPanel(id());
  return view.tabbedPane.selectedTabId;
})"""


DARK_THEME = """import('devtools://devtools/bundled/core/common/common.js').then(({ Settings }) =>
  Settings.Settings.instance().moduleSetting('ui-theme').set('dark'))"""


async def test_devtools_has_the_panel_for_the_inspected_tab(site: Site) -> None:
    arguments = ["--auto-open-devtools-for-tabs", site.url("/one")]
    async with asyncio.timeout(150), plain_chromium(EXTENSION, *arguments) as browser:
        devtools = await session_of(browser, "devtools://devtools/bundled/devtools_app.html")
        await session_of(browser, f"{EXTENSION_URL}/ui/devtools/devtools.html")

        assert await value_in(browser, devtools, OPEN_PANEL) == f"{EXTENSION_URL}ChromeTabReader"

        panel = await session_of(browser, PANEL_URL)
        text = "document.getElementById('{}')?.textContent"
        title = text.format("tab-title")
        shown = f"(async () => {{ while (!{title}) await new Promise((r) => setTimeout(r, 50)); return {title}; }})()"
        assert await value_in(browser, panel, shown) == "One"
        assert await value_in(browser, panel, text.format("tab-url")) == site.url("/one")
        assert await value_in(browser, panel, "document.documentElement.dataset.theme") == "light"
        await value_in(browser, devtools, DARK_THEME)
        dark = "document.documentElement.dataset.theme === 'dark'"
        background = f"""(async () => {{
          while (!({dark})) await new Promise((r) => setTimeout(r, 50));
          return getComputedStyle(document.body).backgroundColor;
        }})()"""
        assert await value_in(browser, panel, background) == "rgb(31, 33, 36)"
        await value_in(browser, panel, "document.getElementById('attachButton').click()")
        attached = """(async () => {
          while (document.getElementById('attachButton').textContent !== 'Detach') await new Promise((r) => setTimeout(r, 50));
          return true;
        })()"""
        assert await value_in(browser, panel, attached)
        # Our debugger works alongside DevTools.
        inspected = await session_of(browser, site.url("/one"))
        await value_in(browser, inspected, "console.log('next to DevTools')")
        logged = """(async () => {
          document.getElementById('tab-console').click();
          const list = document.getElementById('console-list');
          while (!list.textContent.includes('next to')) await new Promise((r) => setTimeout(r, 50));
          return list.querySelectorAll('li').length;
        })()"""
        assert await value_in(browser, panel, logged) == 1
