"""The page that opens after the installation: three steps, and the state of each."""

import json
import re
import unicodedata
from collections.abc import AsyncGenerator, Callable
from typing import Literal

import pytest
from playwright.async_api import Page, expect

from tests.extension.conftest import EXTENSION, EXTENSION_URL, Popup, Site, comes_true
from tests.extension.test_popup import contrast, show_page
from tests.support.fake_bridge import FakeBridge
from tests.support.ui_texts import ui_text

WELCOME_URL = f"{EXTENSION_URL}/ui/welcome/welcome.html"


@pytest.fixture
async def welcome(popup: Popup) -> AsyncGenerator[Page]:
    page = await popup.page.context.new_page()
    await page.goto(WELCOME_URL)
    await expect(page.locator("#pair-check")).to_have_text(ui_text("checkUnpaired"))
    yield page
    await page.close()


async def test_welcome_opens_only_at_installation_and_does_not_count_as_the_active_page(
    popup: Popup, site: Site
) -> None:
    # The fixtures have waited for the page of the installation itself.
    await show_page(popup, site.url("/one"))
    (worker,) = popup.page.context.service_workers
    tell = "(reason) => chrome.runtime.onInstalled.dispatch({ reason })"
    for reason in ("update", "chrome_update"):
        await worker.evaluate(tell, reason)
    async with popup.page.context.expect_page() as opened:
        await worker.evaluate(tell, "install")

    await expect(await opened.value).to_have_url(WELCOME_URL)
    assert len([page for page in popup.page.context.pages if page.url == WELCOME_URL]) == 1
    await expect(popup.element("tab-title")).to_have_text("One")


async def test_steps_can_be_done_by_keyboard_and_each_shows_its_state(
    welcome: Page, popup: Popup, bridge: FakeBridge, site: Site
) -> None:
    keyboard, field = welcome.keyboard, welcome.locator("#connection-string")
    await expect(welcome.locator("#client-check")).to_have_text(ui_text("checkAfterPairing"))
    await expect(welcome.locator("details[open]")).to_have_id("pair-step")
    copies = welcome.locator("#setup .command button").last
    await copies.focus()
    await keyboard.press("Enter")
    await expect(copies).to_have_text(ui_text("copied"))
    await keyboard.press("Tab")
    await expect(field).to_be_focused()
    await keyboard.type("nonsense")
    await keyboard.press("Enter")
    await expect(welcome.locator("#pairing-problem")).to_contain_text("not a connection string")
    await expect(field).to_have_value("nonsense")
    await expect(field).to_be_focused()

    await keyboard.insert_text(bridge.connection_string)
    await keyboard.press("Enter")
    await bridge.connected()
    await expect(welcome.locator("#pair-check")).to_have_text(re.compile("Paired with the server on port"))
    await expect(welcome.locator("#pair-check")).to_have_attribute("data-tone", "good")
    await expect(welcome.locator("#client-check")).to_have_text(re.compile("no client uses it yet"))
    await expect(welcome.locator("details[open]")).to_have_id("client-step")
    await expect(welcome.locator("#page-check")).to_be_hidden()
    copies = welcome.locator("#setup-command button").first
    await expect(copies).to_be_focused()
    await keyboard.press("Enter")
    await expect(copies).to_have_text(ui_text("copied"))

    await bridge.send({"type": "event", "event": "sessions", "sessions": 1, "clients": ["claude-code"]})
    await expect(welcome.locator("#client-check")).to_have_text("Connected · Claude Code")
    await expect(welcome.locator("#client-check")).to_have_attribute("data-tone", "good")
    await expect(welcome.locator("details[open]")).to_have_id("page-step")
    page = await welcome.context.new_page()
    check = welcome.locator("#page-check")
    await page.goto(site.url("/one"))
    await expect(check).to_have_text(ui_text("checkReadable", "\u2068One\u2069", f"127.0.0.1:{site.server_port}"))
    await expect(check).to_have_attribute("data-tone", "good")
    await page.goto("chrome://version")
    await expect(check).to_have_text(ui_text("obstacleScheme", "chrome:"))
    await expect(check).to_have_attribute("data-tone", "neutral")

    await bridge.stop()
    await popup.retry()
    await expect(welcome.locator("#client-check")).to_contain_text("No server is running on port")


async def test_before_pairing_the_panel_leads_to_the_page_that_pairs(popup: Popup) -> None:
    await popup.page.goto(f"{EXTENSION_URL}/ui/side-panel/side-panel.html")
    link = popup.element("help")

    await expect(link).to_have_text(ui_text("stepPair"))
    assert str(await link.get_attribute("href")).endswith("welcome/welcome.html")
    await expect(popup.element("reconnect")).to_be_hidden()
    await expect(popup.element("ask")).to_be_disabled()


async def test_popup_and_welcome_show_the_same_command_and_the_servers_own_once_it_is_known(
    welcome: Page, popup: Popup, bridge: FakeBridge
) -> None:
    pages = (welcome, popup.page)
    for page in pages:
        both = ["uv run chrome_tab_mcp_server.py --setup", "chrome-tab-reader --setup"]
        await expect(page.locator("#setup pre")).to_have_text(both)
        copy = page.locator("#setup .command button")
        await expect(copy.last).to_have_accessible_description(both[1])
        await copy.last.click()
        await expect(copy).to_have_text([ui_text("copy"), ui_text("copied")])
    doctor = ["uv run chrome_tab_mcp_server.py --doctor", "chrome-tab-reader --doctor"]
    await expect(welcome.locator("#doctor-command pre")).to_have_text(doctor)

    commands = {name: f"uv run /home/ada/server.py --{name}" for name in ("setup", "doctor", "claude")}
    bridge.server_info = {"commands": commands}
    await welcome.locator("#connection-string").fill(bridge.connection_string)
    await welcome.locator("#connect").click()
    await bridge.connected()
    await expect(welcome.locator("#setup-command pre")).to_have_text([commands["setup"]])
    await expect(welcome.locator("#add-to-claude pre")).to_have_text(commands["claude"])
    await expect(welcome.locator("#doctor-command pre")).to_have_text([commands["doctor"]])

    # The pairing is wrong from here on: the form is back, with the line that the server reported.
    bridge.key = bridge.key[::-1]
    await bridge.hang_up()
    await popup.retry()
    for page in pages:
        await expect(page.locator("#setup pre")).to_have_text([commands["setup"]])
        await expect(page.locator("#setup .command .hint")).to_be_hidden()


async def test_options_page_pairs_disconnects_and_unpairs(popup: Popup, bridge: FakeBridge) -> None:
    page = await popup.page.context.new_page()
    await page.goto(f"{EXTENSION_URL}/ui/options/options.html")
    await expect(page.locator("#connection-controls")).to_be_hidden()
    await page.locator("#connection-string").fill("nonsense")
    await page.locator("#connect").click()
    await expect(page.locator("#pairing-problem")).to_contain_text("not a connection string")
    await page.locator("#connection-string").fill(bridge.connection_string)
    await page.locator("#connect").click()
    await bridge.connected()
    await expect(page.locator("#sentence")).to_have_text("Connected · 1 session")
    await page.locator("#disconnect").click()
    await expect(page.locator("#sentence")).to_contain_text(f"port {bridge.port}")
    await page.locator("#reconnect").click()
    await bridge.connected()
    await page.locator("#forget").click()
    await page.locator("#unpair-confirm").click()
    await expect(page.locator("#setup")).to_be_visible()
    await page.close()


async def test_welcome_fits_and_its_text_has_contrast_in_each_theme(welcome: Page) -> None:
    await welcome.locator("#connect").click()
    await expect(welcome.locator("#pairing-problem")).not_to_be_empty()
    for width in (360, 900):
        await welcome.set_viewport_size({"width": width, "height": 700})
        assert await welcome.evaluate("document.documentElement.scrollWidth") <= width
    schemes: list[Literal["light", "dark"]] = ["light", "dark"]
    for scheme in schemes:
        await welcome.emulate_media(color_scheme=scheme)
        for selector in ("h1", "p", ".hint", "#connect", "#pairing-problem", ".check", "a", "pre"):
            assert await contrast(welcome, selector) >= 4.5, (scheme, selector)


# What the browser does on a system in another language.
IN_LANGUAGE = """chrome.i18n.getMessage = ((texts) => (key, values = []) =>
    texts[key].message.replace(/\\$(\\d)/g, (_, place) => values[place - 1] ?? ""))(%s)"""


LOCALES = ("de", "es", "fr", "ja", "zh_CN")


def width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def longest_word(text: str) -> int:
    """Return the width of the longest part that cannot be broken: lines break at spaces and in Chinese and Japanese."""
    return max(map(width, re.findall(r"[^\s\u2e80-\uffff]+", text)), default=0)


@pytest.mark.parametrize("measure", [width, longest_word])
async def test_every_page_fits_with_the_longest_texts_of_all_languages(
    popup: Popup, measure: Callable[[str], int]
) -> None:
    stored = [json.loads((EXTENSION / "_locales" / locale / "messages.json").read_text("utf-8")) for locale in LOCALES]
    longest = {key: max((each[key] for each in stored), key=lambda text: measure(text["message"])) for key in stored[0]}
    longest["language"] = stored[0]["language"]
    texts = {key: text["message"] for key, text in longest.items()}
    page = await popup.page.context.new_page()
    await page.add_init_script(IN_LANGUAGE % json.dumps(longest))
    pages = {
        "popup/popup": "help",
        "options/options": "keyboard",
        "welcome/welcome": "stepAsk",
        "side-panel/side-panel": "stepPair",
        "devtools/panel": "savedCommands",
    }
    for path, key in pages.items():
        await page.set_viewport_size({"width": 360, "height": 700})
        await page.goto(f"{EXTENSION_URL}/ui/{path}.html")
        await expect(page.get_by_text(texts[key], exact=True)).to_be_visible()
        assert await page.evaluate("document.documentElement.lang") == texts["language"]
        await comes_true(page, "document.documentElement.scrollWidth <= 360")
        cut = "[...document.querySelectorAll('button')].filter((each) => each.scrollWidth > each.clientWidth).length"
        assert await page.evaluate(cut) == 0
        await page.set_viewport_size({"width": 320, "height": 700})
        await page.evaluate("document.documentElement.style.fontSize = '200%'")
        await comes_true(page, "document.documentElement.scrollWidth <= 320")
