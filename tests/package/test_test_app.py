"""The test app in a real browser: every tool used by hand, with a fake extension behind the server."""

import asyncio
import base64
import json
import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, Error, Page, Playwright, ViewportSize, async_playwright, expect

from chrome_tab.bridge import pairing
from tests.support.browser import chromium_arguments, chromium_path
from tests.support.fake_browsers import World, tab
from tests.support.fake_extension import PAGE, FakeExtension, connected, free_port, within
from tests.support.fake_models import HANG, FakeOpenAIServer, answer
from tests.support.http_server import HttpServer, http_server

pytestmark = pytest.mark.e2e
# A busy machine needs time; an event that comes at once costs none of it.
expect.set_options(timeout=40_000)

HOSTILE = "<img src=x onerror=\"document.title='run'\"><b>bold</b>"
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ACTED = {
    "element": {"selector": "#a", "tag": "a", "text": "A"},
    "matches": 1,
    "url": "https://page.test/",
    "title": "T",
}
ARRIVED = {"url": "https://page.test/", "title": "T", "status": 200}
# The extension's reply to each command.
REPLIES: dict[str, Any] = {
    "read_tab": PAGE,
    "browser_get_tabs": [
        {"id": 7, "url": "https://page.test/", "title": HOSTILE, "active": True, "windowId": 1},
        {"id": 8, "url": "https://other.test/", "title": "Other", "active": False, "windowId": 1},
    ],
    "list_tabs": [
        {"tab_id": 8, "url": "https://other.test/", "title": "Other", "connected_at": "2026-01-01T00:00:00Z"}
    ],
    "browser_create_tab": {"tab_id": 9, "url": "https://new.test/", "title": "New"},
    "browser_close_tab": {"success": True},
    "getDataLayer": {
        "name": "dataLayer",
        "values": [{"event": "seen"}],
        "total": 1,
        "since": 0,
        "redacted": {},
        "notes": [],
    },
    "highlight_in_tab": {"tab_id": 7, "matches": 1, "in_view": True, "url": "https://page.test/", "title": "T"},
    "navigate": ARRIVED,
    "back": ARRIVED,
    "forward": ARRIVED,
    "screenshot": {"data": DOT, "mime_type": "image/png", "width": 1, "height": 1},
    "fill": {**ACTED, "value": "secret"},
    "evaluate": {"value": 42, "url": "https://page.test/", "title": "T"},
    "console_logs": {"entries": [], "total": 0},
    "network_requests": {"entries": [], "total": 0},
}
DESKTOP = ViewportSize(width=1280, height=720)
# The input for each tool's form; tools without an entry need none.
FORMS: dict[str, dict[str, str]] = {
    "process_chrome_tabs": {"tab_ids": "[7, 8]"},
    "look_at_chrome_tab": {"question": "What is blue?"},
    "browser_create_tab": {"url": "https://new.test/"},
    "browser_attach_tab": {"tab_id": "8", "reason": "To fill in the order"},
    "browser_close_tab": {"tab_id": "8"},
    "highlight_in_tab": {"text": "Apples"},
    "navigate": {"url": "https://page.test/", "timeout": "1000"},
    "evaluate": {"code": "6 * 7"},
    "click": {"selector": "#a"},
    "hover": {"selector": "#a"},
    "scroll": {"selector": "#a"},
    "fill": {"selector": "#a", "value": "secret"},
    "select": {"selector": "#a", "value": '["b"]'},
    "press": {"keys": "Control+A secret"},
    "drag": {"source": "#a", "target": "#b"},
    "wait_for": {"text": "Saved"},
    "fill_form": {"fields": '[{"selector": "#a", "value": "secret"}]'},
}


@pytest.fixture(scope="module")
async def started_playwright() -> AsyncGenerator[Playwright]:
    async with async_playwright() as started:
        yield started


@pytest.fixture(scope="module")
async def chromium(started_playwright: Playwright) -> AsyncGenerator[Browser]:
    browser = await started_playwright.chromium.launch(executable_path=chromium_path(), args=chromium_arguments())
    yield browser
    await browser.close()


@pytest.fixture(scope="module")
async def page(chromium: Browser) -> Page:
    """One tab for all tests with their own server, which has its own port and thus its own storage."""
    return await chromium.new_page()


@pytest.fixture(scope="module")
async def shared_page(chromium: Browser) -> Page:
    """One tab for all tests of the shared server, where the app stays open."""
    return await chromium.new_page()


# As if it had just been opened by a link, except for the chosen tab.
AS_OPENED = """() => {
  for (const id of ["as-form", "clear", "history-clear"]) document.getElementById(id).click();
  const filter = document.getElementById("tools-filter");
  filter.value = "";
  filter.dispatchEvent(new Event("input"));
  document.querySelector("#tools button").click();
}"""
# Executes a tool from its form; returns the tool's name, the outcome and the time as they are shown.
EXECUTE = """async ([tool, fields]) => {
  const named = (id) => document.getElementById(id);
  [...document.querySelectorAll("#tools button")].find(({ textContent }) => textContent === tool).click();
  for (const [name, value] of Object.entries(fields)) named(`argument-${name}`).value = value;
  const outcome = named("outcome");
  outcome.textContent = "";
  const done = new Promise((go) => {
    new MutationObserver(() => outcome.textContent && go()).observe(outcome, { childList: true });
  });
  named("execute").click();
  await done;
  return ["tool-name", "outcome", "time"].map((id) => named(id).textContent);
}"""


class App:
    """The test app, operated as by a user."""

    def __init__(self, page: Page, served: HttpServer) -> None:
        self.page = page
        self.served = served
        # The extension's received commands, and the page's errors.
        self.commands: list[dict[str, Any]] = []
        self.errors: list[str] = []
        page.on("pageerror", self._note)

    def _note(self, error: Error) -> None:
        self.errors.append(error.message)

    def leave(self) -> None:
        self.page.remove_listener("pageerror", self._note)

    async def open(self) -> None:
        await self.page.goto(f"{self.served.base}/")

    async def enter(self) -> None:
        """Open the app by a one-time link, unless the test before has left it open."""
        if self.page.url == f"{self.served.base}/" and await self.page.locator("#status").inner_text() == "Connected":
            await self.page.evaluate(AS_OPENED)
        else:
            await self.follow_link()

    async def follow_link(self) -> None:
        """Open the app by a one-time link."""
        async with httpx.AsyncClient(trust_env=False) as client:
            reply = await client.post(f"{self.served.base}/link", headers=self.served.authorization)
        await self.page.goto(reply.json()["link"])
        await self.is_connected()

    async def is_connected(self) -> None:
        await expect(self.page.locator("#status")).to_have_text("Connected")

    async def choose(self, tool: str) -> None:
        await self.page.locator("#tools button", has_text=re.compile(f"^{tool}$")).click()

    async def fill(self, arguments: dict[str, str]) -> None:
        for name, value in arguments.items():
            field = self.page.locator(f"#argument-{name}")
            if await field.evaluate("field => field.localName") == "select":
                await field.select_option(value)
            else:
                await field.fill(value)

    async def execute(self, outcome: str = "Success") -> None:
        # Anything that an earlier run has left there does not belong to this one.
        await self.page.locator("#outcome").evaluate("shown => shown.textContent = ''")
        await self.page.locator("#execute").click()
        await expect(self.page.locator("#outcome")).to_have_text(outcome)


async def answer_commands(extension: FakeExtension, app: App, replies: dict[str, Any]) -> None:
    while True:
        message = await extension.receive()
        if message["type"] == "command":
            app.commands.append(message)
            await extension.reply(message, (REPLIES | replies).get(message["command"], ACTED))


@asynccontextmanager
async def shown_app(
    page: Page,
    served: HttpServer,
    extension: FakeExtension,
    viewport: ViewportSize = DESKTOP,
    scheme: Any = "light",
    *,
    replies: Any = None,
) -> AsyncGenerator[App]:
    """The test app of this server, whose extension answers everything."""
    await page.set_viewport_size(viewport)
    await page.emulate_media(color_scheme=scheme)
    app = App(page, served)
    answering = asyncio.create_task(answer_commands(extension, app, replies or {}))
    try:
        yield app
    finally:
        answering.cancel()
        app.leave()
    assert app.errors == []


@asynccontextmanager
async def started_parts(**settings: Any) -> AsyncGenerator[tuple[HttpServer, FakeExtension]]:
    async with (
        FakeOpenAIServer(answer("An answer.")) as model,
        http_server(**{"ollama_url": model.url} | settings) as served,
        connected(served.port, pairing.pairing_key()) as extension,
    ):
        yield served, extension


@asynccontextmanager
async def opened_app(page: Page, **settings: Any) -> AsyncGenerator[App]:
    """The test app of a server with these settings; nothing of it is left in the browser."""
    async with started_parts(**settings) as parts, shown_app(page, *parts) as app:
        yield app
        await leave(page)


async def leave(page: Page) -> None:
    await page.evaluate("localStorage.clear(), sessionStorage.clear()")
    await page.goto("about:blank")


@pytest.fixture(scope="module")
async def parts() -> AsyncGenerator[tuple[HttpServer, FakeExtension]]:
    """One server for all tests without their own settings: the browser has cached its scripts after the first."""
    async with started_parts() as parts:
        yield parts


@pytest.fixture
async def app(shared_page: Page, parts: tuple[HttpServer, FakeExtension]) -> AsyncGenerator[App]:
    async with shown_app(shared_page, *parts) as app:
        yield app


# --- Access ---


async def test_a_link_gives_the_page_access_and_leaves_no_trace_in_its_address(app: App) -> None:
    await app.follow_link()

    assert app.page.url == f"{app.served.base}/"
    stored = await app.page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
    assert stored == '[{},{},""]'
    await expect(app.page.locator("#server")).to_contain_text(f"127.0.0.1:{app.served.port}, chrome-tab-reader")


async def test_without_a_link_the_page_explains_how_to_get_access(app: App) -> None:
    await app.open()
    await expect(app.page.locator("#entrance")).to_contain_text("--pair --http")
    await app.page.locator("#link").fill("wrong")
    await app.page.keyboard.press("Enter")
    await expect(app.page.locator("#entrance-advice")).to_contain_text("older than two minutes")

    await app.page.locator("#link").fill(app.served.bearer)
    await app.page.keyboard.press("Enter")
    await app.is_connected()
    assert await app.page.locator("#entrance").is_hidden()


# The test of the history shows it over the other transport.
async def test_open_server_gives_the_page_access_over_sse(page: Page) -> None:
    async with opened_app(page, open=True, transport="sse") as app:
        await app.open()
        await app.is_connected()
        await expect(app.page.locator("#tools button", has_text="browser_get_tabs")).to_be_visible()


# --- Tools ---


async def test_every_tool_can_be_executed_from_its_form(page: Page, tmp_path: Path) -> None:
    (tmp_path / "tea.csv").write_text("Jasmine")
    forms = FORMS | {"upload": {"selector": "#a", "paths": json.dumps([str(tmp_path / "tea.csv")])}}
    async with opened_app(page, upload_folder=[str(tmp_path)]) as app:
        await app.enter()
        await expect(app.page.locator("#tools button", has_text="browser_get_tabs")).to_be_visible()
        tools = await app.page.locator("#tools button").all_inner_texts()
        for tool in tools:
            name, outcome, time = await within(app.page.evaluate(EXECUTE, [tool, forms.get(tool, {})]))
            assert (name, outcome, f"{tool}, " in time) == (tool, "Success", True)
        await expect(app.page.locator("#history li")).to_have_count(len(tools))
        assert "secret" not in await app.page.evaluate("JSON.stringify(localStorage)")

    assert {"process_chrome_tab", "click", "screenshot", "getDataLayer"} < set(tools)
    sent = {message["command"]: message["params"] for message in app.commands}
    assert sent["fill"]["value"] == "secret"
    assert sent["select"]["value"] == ["b"]
    assert sent["navigate"]["timeout"] == 1000


async def test_wrong_arguments_show_their_error_code_and_advice(app: App) -> None:
    await app.enter()
    await app.choose("read_chrome_tab")
    await app.fill({"offset": "999"})
    await app.execute("Error INVALID_ARGUMENT")

    await expect(app.page.locator("#content")).to_contain_text("past the end")


async def test_image_is_shown_and_page_text_is_never_markup(app: App) -> None:
    await app.enter()
    await expect(app.page.locator("#tabs")).to_contain_text(HOSTILE)
    await app.choose("browser_get_tabs")
    await app.execute()
    await expect(app.page.locator("#content")).to_contain_text("onerror")
    assert await app.page.locator("#tabs img, #content img, #content b").count() == 0

    await app.choose("screenshot")
    await app.execute()
    shown = await app.page.locator("#content img").get_attribute("src")
    assert shown == f"data:image/png;base64,{DOT}"
    assert base64.b64decode(DOT)
    assert await app.page.title() == "Chrome Tab Reader: test app"


async def test_selected_tab_is_inserted_into_the_form_and_into_the_json(app: App) -> None:
    await app.enter()
    await app.choose("click")
    await app.page.locator("#tabs label", has_text="Other").click()
    await expect(app.page.locator("#argument-tab_id")).to_have_value("8")
    await expect(app.page.locator("#tabs label", has_text="Other")).to_contain_text("attached")
    await app.fill({"selector": "#a"})

    await app.page.locator("#as-json").click()
    await expect(app.page.locator("#editor .cm-content")).to_contain_text('"tab_id": 8')
    await app.execute()

    clicks = [message for message in app.commands if message["command"] == "click"]
    assert [(each["tab_id"], each["params"]["selector"]) for each in clicks] == [(8, "#a")]


async def test_the_last_tab_other_than_the_app_is_selected_once(page: Page) -> None:
    async with started_parts() as (served, extension):
        itself = {"id": 9, "url": f"{served.base}/", "title": "Test app", "active": True, "windowId": 1}
        listed = REPLIES["browser_get_tabs"]
        async with shown_app(page, served, extension, replies={"browser_get_tabs": [*listed, itself]}) as app:
            await app.enter()
            await app.choose("click")
            await expect(app.page.locator("#argument-tab_id")).to_have_value("8")
            await app.page.locator("#tabs label", has_text="Any tab").click()
            await app.page.locator("#tabs-refresh").click()
            await app.choose("hover")
            await expect(app.page.locator("#argument-tab_id")).to_have_value("")
            await leave(page)


async def test_tabs_of_several_browsers_are_listed_with_the_browser(page: Page) -> None:
    async with http_server() as served, AsyncExitStack() as stack:
        world = World(served.client(), served.port, stack)
        for name in ("a", "b"):
            await world.browser(name, tab(1, name))
        shown = App(page, served)
        await shown.enter()
        marks = page.locator("#tabs .marks")
        await expect(marks).to_have_text(["Chrome, active", "Chrome 2, active"])
        shown.leave()
        await page.goto("about:blank")


async def test_a_missing_required_argument_is_named_and_nothing_is_sent(app: App) -> None:
    await app.enter()
    await app.choose("fill")
    await app.fill({"value": "x"})
    await app.page.locator("#execute").click()
    await expect(app.page.locator("#problem")).to_contain_text("selector")
    await expect(app.page.locator("#argument-selector")).to_be_focused()
    await expect(app.page.locator("#argument-selector")).to_have_attribute("aria-invalid", "true")
    assert await app.page.locator("#result").is_hidden()

    await app.fill({"selector": "#a"})
    await app.execute()
    await expect(app.page.locator("#problem")).to_be_empty()
    assert [message["params"]["selector"] for message in app.commands if message["command"] == "fill"] == ["#a"]


async def test_tools_are_grouped(app: App) -> None:
    await app.enter()
    await expect(app.page.locator("#tools h3")).to_have_text(
        ["Ask and read", "Tabs", "Navigate", "Inspect", "Interact"]
    )
    interact = app.page.locator("#tools > li", has_text="Interact")
    await expect(interact.get_by_role("button", name="click", exact=True)).to_be_visible()


async def test_invalid_json_is_not_sent(app: App) -> None:
    await app.enter()
    await app.choose("read_chrome_tab")
    await app.page.locator("#as-json").click()
    await app.page.locator("#editor .cm-content").fill("{bad")
    await app.page.locator("#execute").click()

    await expect(app.page.locator("#problem")).to_contain_text("must be one JSON object")
    assert await app.page.locator("#result").is_hidden()
    await app.page.locator("#editor .cm-content").fill('{"max_chars": 3}')  # the control
    await app.execute()
    await expect(app.page.locator("#content")).to_contain_text("the")


# --- Long calls ---


async def test_a_call_can_be_cancelled_and_outlives_the_default_timeouts(chromium: Browser) -> None:
    answered = asyncio.Event()

    async def late(request: Any) -> Any:
        if request.instruction == "Hang.":
            return HANG
        await answered.wait()
        return answer("A late answer.")

    page = await chromium.new_page()  # its clock stays the test's
    async with FakeOpenAIServer(script=late) as model, opened_app(page, ollama_url=model.url) as app:
        await app.page.clock.install()
        await app.enter()
        await app.choose("process_chrome_tab")
        await app.fill({"system_prompt": "Hang."})
        await app.page.locator("#execute").click()
        await within(model.hanging.wait())
        await app.page.locator("#cancel").click()
        await expect(app.page.locator("#outcome")).to_have_text("Error CANCELLED")
        await within(model.left.wait())
        await expect(app.page.locator("#result")).to_be_visible()

        await app.fill({"system_prompt": ""})
        await app.page.locator("#execute").click()
        await expect(app.page.locator("#progress-text")).to_contain_text("fake-model is reading the page")
        # The result above belongs to the call before.
        await expect(app.page.locator("#result")).to_be_hidden()
        # The SDK would give up after a minute of the page's time.
        await app.page.clock.fast_forward("30:00")
        answered.set()

        await expect(app.page.locator("#outcome")).to_have_text("Success")
        await expect(app.page.locator("#content")).to_contain_text("A late answer.")
    await page.close()


async def test_a_lost_server_is_reported_and_found_again(page: Page) -> None:
    port = free_port()
    async with opened_app(page, port=port) as app:
        await app.enter()
        await app.served.stop()
        await expect(app.page.locator("#status")).to_contain_text("Disconnected")
        assert await app.page.locator("#execute").is_disabled()
        async with http_server(port=port):
            await app.is_connected()
            await app.choose("chrome_tab_status")
            assert await app.page.locator("#execute").is_enabled()


async def test_the_user_can_disconnect_and_connect(app: App) -> None:
    await app.enter()
    await app.page.locator("#connect").click()
    await expect(app.page.locator("#status")).to_have_text("Disconnected")
    await app.page.locator("#connect").click()
    await app.is_connected()


# --- History ---


# With the alternative names, which it has to recognize; that nothing typed is kept under the others,
# test_every_tool_can_be_executed_from_its_form shows.
async def test_history_survives_a_reload_can_be_rerun_and_contains_nothing_typed_or_incognito(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix, press, field = "kapturemcp_", "kapturemcp_keypress", "tabId"
    async with opened_app(page, open=True, tool_names="kapture") as app:
        await app.open()
        await app.is_connected()
        await app.choose(press)
        await app.fill(FORMS["press"])
        await app.execute()
        await app.choose(f"{prefix}fill")
        await app.fill(FORMS["fill"])
        await app.execute()
        await expect(app.page.locator("#content")).to_contain_text("secret")
        await app.choose(f"{prefix}click")
        await app.fill(FORMS["click"])
        await app.execute()
        items = app.page.locator("#history li")
        # It saves what it has reported about the last run: the result is on the page a moment earlier.
        await expect(items).to_have_count(3)
        await expect(items.first.locator(".arguments")).to_contain_text('{"selector":"#a"')
        await app.page.reload()
        await app.is_connected()

        await expect(items).to_have_count(3)
        await items.first.get_by_role("button", name=re.compile("again")).click()
        await expect(items).to_have_count(4)
        async with app.page.expect_download() as download:
            await app.page.locator("#export").click()
        await (await download.value).save_as(tmp_path / "history.json")
        exported = json.loads((tmp_path / "history.json").read_text())
        assert [run["tool"] for run in exported] == [f"{prefix}click", f"{prefix}click", f"{prefix}fill", press]
        # This includes the tab that the app has selected by itself.
        kept = [{name: value for name, value in run["arguments"].items() if name != field} for run in exported[2:]]
        assert kept == [{"selector": "#a"}, {}]
        assert [bool(run["reply"]) for run in exported] == [True, True, False, False]
        assert "secret" not in await app.page.evaluate("JSON.stringify(localStorage)")
        await app.page.locator("#history-clear").click()
        await expect(items).to_have_count(0)
        normal, private = REPLIES["browser_get_tabs"]
        monkeypatch.setitem(REPLIES, "browser_get_tabs", [normal, private | {"incognito": True}])
        for tab in ("8", "", "7"):
            await app.fill({field: tab})
            await app.execute()
            await expect(app.page.locator("#working")).to_be_hidden()
        await expect(items.locator(".arguments")).to_have_text(f'{{"selector":"#a","{field}":7}}')

    assert [message["command"] for message in app.commands].count("click") == 5


# --- Layout and accessibility ---


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
async def test_nothing_is_cut_off_and_everything_has_an_accessible_name(
    shared_page: Page, parts: tuple[HttpServer, FakeExtension], width: int, scheme: str
) -> None:
    async with shown_app(shared_page, *parts, {"width": width, "height": 800}, scheme) as app:
        await app.enter()
        await app.choose("read_chrome_tab")
        await app.execute()

        assert await app.page.evaluate("document.documentElement.scrollWidth") <= width
        nameless = await app.page.evaluate(NAMELESS)
        assert nameless == []
        assert not await app.page.evaluate(IS_COVERED)


# Whether the button lies on the text next to it, however long the first line is.
IS_COVERED = """() => {
  const [button, text] = document.querySelector(".block").children;
  text.textContent = "word ".repeat(200);
  const line = document.createRange();
  line.selectNodeContents(text);
  const { left, bottom } = button.getBoundingClientRect();
  return [...line.getClientRects()].some((part) => part.right > left && part.top < bottom);
}"""

# Fields and buttons without a name for screen readers.
NAMELESS = """[...document.querySelectorAll("button, input, select, textarea, [role=tab], progress")]
  .filter((each) => each.checkVisibility())
  .filter((each) => !(each.ariaLabel || each.textContent.trim() || each.labels?.length))
  .map((each) => each.outerHTML)"""


async def test_a_call_can_be_made_by_keyboard_alone(app: App) -> None:
    await app.enter()
    await app.page.locator("#tools-filter").focus()
    await app.page.keyboard.type("read_chrome")
    await expect(app.page.locator("#tools button")).to_have_count(1)
    await app.page.keyboard.press("Tab")
    await app.page.keyboard.press("Enter")
    await expect(app.page.locator("#tool-name")).to_have_text("read_chrome_tab")
    await app.page.locator("#as-form").focus()
    await app.page.keyboard.press("ArrowRight")
    await expect(app.page.locator("#editor")).to_be_visible()
    await app.page.keyboard.press("ArrowLeft")
    await app.page.locator("#argument-start").focus()
    await app.page.keyboard.press("Control+Enter")
    await expect(app.page.locator("#outcome")).to_have_text("Success")
