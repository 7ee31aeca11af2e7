"""The popup as a user sees it, by mouse, keyboard and screen reader, and the badge."""

import json
import re
from collections.abc import AsyncGenerator
from typing import Literal

import pytest
from playwright.async_api import Page, Worker, expect

from tests.extension.conftest import EXTENSION_URL, Popup, Site, changed_worker, comes_true, without_retries
from tests.support.fake_bridge import FakeBridge, make_nonce
from tests.support.polling import until
from tests.support.ui_texts import ui_text

GREEN, GRAY, RED = [19, 115, 51], [95, 99, 104], [179, 38, 30]
CONTROLS = {
    "connection-string",
    "connect",
    "disconnect",
    "reconnect",
    "forget",
    "attachButton",
    "auto-reconnect",
    "allow-evaluate",
    "show-private",
}


async def show_page(popup: Popup, url: str) -> Page:
    """Open this page as the tab before the popup."""
    page = await popup.page.context.new_page()
    await page.goto(url)
    await popup.page.bring_to_front()
    return page


async def visible_controls(popup: Popup) -> set[str]:
    return CONTROLS & await popup.visible_ids()


# In the service worker: it never answers while this is on.
SILENT = """wanted => {
  const real = (chrome.tabs.query.real ??= chrome.tabs.query);
  chrome.tabs.query = wanted ? Object.assign(() => new Promise(() => {}), { real }) : real;
}"""


async def test_popup_whose_first_request_got_lost_says_so_and_retries(popup: Popup) -> None:
    async with changed_worker(popup.page.context, SILENT, True, False):
        await popup.page.reload()
        await popup.shows(ui_text("statusSilent"))

    await popup.shows("Setup")


async def test_unconfirmed_unpairing_keeps_the_key(paired: Popup, bridge: FakeBridge) -> None:
    for way in ("Escape", "Enter"):
        await paired.press("forget")
        await expect(paired.element("unpair")).to_be_visible()
        await paired.page.keyboard.press(way)

        await expect(paired.element("unpair")).to_be_hidden()
        await expect(paired.element("forget")).to_be_focused()
        await paired.press("disconnect")
        await paired.press("reconnect")
        await bridge.connected()


async def test_each_state_has_its_controls_and_one_primary_action(popup: Popup, bridge: FakeBridge, site: Site) -> None:
    async def is_primary(*ids: str) -> None:
        shown = "[...document.querySelectorAll('button.primary')].filter((b) => b.checkVisibility()).map((b) => b.id)"
        await comes_true(popup.page, f"JSON.stringify({shown}) === '{json.dumps(ids, separators=(',', ':'))}'")

    await is_primary("connect")
    assert await visible_controls(popup) == {"connection-string", "connect"}

    await popup.paste(bridge.connection_string)
    await popup.shows("Connected")
    page = await show_page(popup, site.url("/one"))
    await expect(popup.element("tab-title")).to_have_text("One")
    await is_primary("ask-page")
    assert await visible_controls(popup) == {"attachButton"}
    # A window of another type has no side panel.
    async with popup.page.context.expect_page() as opened:
        await popup.chrome(f"await chrome.windows.create({{ url: '{popup.page.url}', type: 'popup', focused: false }})")
    other = await opened.value
    await expect(other.locator("#attachButton")).to_be_visible()
    await expect(other.locator("#ask-page")).to_be_hidden()
    await other.close()
    await popup.show_connection()
    assert await visible_controls(popup) == {"attachButton", "disconnect", "forget", "auto-reconnect"}

    button = popup.element("attachButton")
    await button.click()
    await expect(button).to_have_attribute("data-action", "detach")
    await is_primary("ask-page")

    # The browser's own pages cannot be attached, and the popup explains why.
    await page.goto("chrome://version/")
    await expect(popup.element("tab-obstacle")).to_contain_text("chrome: pages")
    await expect(button).to_be_enabled()
    await button.click()
    await expect(button).to_have_attribute("data-action", "attach")
    await expect(button).to_be_disabled()
    await is_primary()
    await page.goto(site.url("/one"))
    await expect(button).to_be_enabled()
    await expect(popup.element("tab-obstacle")).to_be_hidden()

    await popup.press("disconnect")
    await is_primary("reconnect")
    assert await visible_controls(popup) == {"reconnect", "forget", "auto-reconnect"}


async def test_tab_is_shown_with_its_icon_its_host_and_its_permissions(paired: Popup, site: Site) -> None:
    site.pages["/icon"] = b"<title>Icon</title><link rel=icon href='data:image/png;base64,iVBORw0KGgo='><body>x"
    await show_page(paired, site.url("/icon"))
    await expect(paired.element("tab-host")).to_have_text(f"127.0.0.1:{site.server_port}")
    await expect(paired.element("tab-rights")).to_have_text(ui_text("rights"))
    icon = paired.element("tab-icon")
    assert str(await icon.get_attribute("src")).startswith(f"{EXTENSION_URL}/_favicon/")
    await expect(icon).to_have_js_property("complete", value=True)
    assert await icon.evaluate("(icon) => icon.naturalWidth") > 0

    await paired.press("attachButton")
    await expect(paired.element("tab-rights")).to_have_text(ui_text("rightsAttached"))
    await paired.show_connection()
    await paired.press("disconnect")
    await expect(paired.element("tab-rights")).to_be_hidden()
    await expect(paired.element("tab-host")).to_be_visible()


async def test_version_and_help_are_shown(popup: Popup) -> None:
    version = await popup.chrome("chrome.runtime.getManifest().version")
    await expect(popup.element("version")).to_have_text(f"Version {version}")

    async with popup.page.context.expect_page() as opened:
        await popup.page.get_by_role("link", name="Help").click()
    help_page = await opened.value
    await expect(help_page.get_by_role("heading", name=ui_text("popupSays"))).to_be_visible()


async def test_rejected_copy_does_not_affect_the_next_one(popup: Popup) -> None:
    copied = await popup.page.evaluate(
        """async () => {
          const { copyText } = await import("/ui/dom.js");
          const { execCommand } = document;
          const takes = () => !document.dispatchEvent(new ClipboardEvent("copy", { cancelable: true }));
          document.execCommand = () => false;
          const refused = [copyText("ours"), takes()];
          let taken;
          document.execCommand = () => (taken = takes());
          const allowed = [copyText("ours"), taken, takes()];
          delete document.execCommand;
          return { refused, allowed };
        }"""
    )

    assert copied == {"refused": [False, False], "allowed": [True, True, False]}


@pytest.fixture
async def changing_looks(popup: Popup) -> AsyncGenerator[None]:
    """Its size and colors are restored afterwards."""
    size = popup.page.viewport_size
    yield
    await popup.page.emulate_media(color_scheme=None, forced_colors="none")
    if size:
        await popup.page.set_viewport_size(size)


@pytest.mark.usefixtures("changing_looks")
async def test_stop_stays_visible_with_many_attached_tabs_and_the_tab_in_front_is_listed_once(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    await paired.page.set_viewport_size({"width": 340, "height": 300})
    await show_page(paired, site.url("/one"))
    await expect(paired.element("stop")).to_be_hidden()
    await paired.press("attachButton")
    await expect(paired.element("stop")).to_be_visible()
    await expect(paired.element("attached")).to_be_hidden()

    for number in range(3):
        await bridge.ask("browser_create_tab", url=site.url(f"/two?{number}"), background=True)
    await expect(paired.element("attached-tabs").locator("li")).to_have_count(3)
    await expect(paired.element("attached-heading")).to_have_text(ui_text("otherAttachedTabs"))
    assert await paired.page.evaluate("document.documentElement.scrollHeight > innerHeight + 100")
    for end in (0, "document.documentElement.scrollHeight"):
        await paired.page.evaluate(f"window.scrollTo(0, {end})")
        await expect(paired.element("stop")).to_be_in_viewport(ratio=1)
    assert await paired.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    await paired.press("stop")
    await expect(paired.element("stop")).to_be_hidden()
    await expect(paired.element("attachButton")).to_have_attribute("data-action", "attach")


async def test_connection_details_name_the_port_and_the_server(paired: Popup, bridge: FakeBridge) -> None:
    await paired.show_connection()
    facts = paired.page.locator("#connection-controls dl")
    await expect(facts).to_contain_text(f"{ui_text('factPort')}{bridge.port}{ui_text('factVersion')}1.0.0")
    await expect(facts).to_contain_text(ui_text("factSince"))

    await bridge.stop()
    await paired.shows("Paired")
    # An earlier test may have left a last problem.
    await expect(facts).to_contain_text(f"{ui_text('factPort')}{bridge.port}")
    for gone in ("factVersion", "factSince"):
        await expect(facts).not_to_contain_text(ui_text(gone))


async def test_clients_are_shown_under_the_names_that_users_know(paired: Popup, bridge: FakeBridge) -> None:
    clients = ["claude-code", "claude-code", "own-client"]
    await bridge.send({"type": "event", "event": "sessions", "sessions": 3, "clients": clients})

    await paired.shows(re.escape("Connected · Claude Code (2) and own-client"))


# In the service worker: `isLastPageClosed` tells whether the next page of the extension that opens has closed again.
LAST_PAGE = """() => {
  globalThis.isLastPageClosed = false;
  const listen = (port) => {
    chrome.runtime.onConnect.removeListener(listen);
    port.onDisconnect.addListener(() => (globalThis.isLastPageClosed = true));
  };
  chrome.runtime.onConnect.addListener(listen);
}"""


async def test_badge_shows_a_command_that_failed_while_no_extension_page_was_open(
    paired: Popup, bridge: FakeBridge
) -> None:
    (worker,) = paired.page.context.service_workers
    bridge.session = {"id": "3fa2", "client": "claude-code"}
    assert not (await bridge.ask("list_tabs", tab_id=-5))["error"]
    await bridge.ask("click", selector="#there-is-none")
    failed = "Chrome Tab Reader: Connected · 1 session"
    await wait_for_badge(worker, -1, " ", failed)

    await worker.evaluate(LAST_PAGE)
    await paired.open()
    await paired.page.goto("about:blank")
    # The command takes another way to the worker than the end of the page's port.
    await until(lambda: worker.evaluate("isLastPageClosed"))
    error = (await bridge.ask("click", selector="#there-is-none"))["error"]
    await wait_for_badge(worker, -1, "!", f"{failed} {ui_text('badgeFailed', 'click', error['code'])}")
    await paired.open()
    await wait_for_badge(worker, -1, " ", failed)


async def is_noted(lines: list[str], words: str) -> bool:
    return any(words in line for line in lines)


async def test_worker_logs_states_and_close_reasons_with_a_prefix(popup: Popup, bridge: FakeBridge) -> None:
    (worker,) = popup.page.context.service_workers
    lines: list[str] = []
    worker.on("console", lambda message: lines.append(message.text))
    async with without_retries(popup.page.context):
        await popup.pair(bridge)
        await bridge.hang_up()
        await until(lambda: is_noted(lines, "connection closed"))
        await popup.retry()
        await bridge.connected()
        await until(lambda: is_noted(lines[3:], "state: connected"))

    logged = [line for line in lines if "[Chrome Tab Reader]" in line]
    assert logged == [
        f"[Chrome Tab Reader] state: paired, port {bridge.port}",
        f"[Chrome Tab Reader] state: connected, port {bridge.port}",
        "[Chrome Tab Reader] connection closed: closed",
        f"[Chrome Tab Reader] state: paired, port {bridge.port}",
        f"[Chrome Tab Reader] state: connected, port {bridge.port}",
    ]


async def test_wrong_key_can_be_fixed_in_each_possible_way(popup: Popup, bridge: FakeBridge) -> None:
    string = bridge.connection_string
    bridge.key = make_nonce()
    await popup.paste(string)
    await popup.shows("Disconnected. The server")
    await expect(popup.element("status")).to_have_attribute("data-tone", "error")

    assert await visible_controls(popup) == {"connection-string", "connect", "reconnect"}


async def test_everything_works_by_keyboard_and_the_focus_is_never_lost(popup: Popup, bridge: FakeBridge) -> None:
    keyboard = popup.page.keyboard
    await popup.open()
    await keyboard.insert_text(bridge.connection_string)
    await keyboard.press("Enter")
    await popup.shows("Connected")
    connection = popup.page.locator("summary", has_text="Connection")
    await expect(connection).to_be_focused()

    await keyboard.press("Enter")
    await keyboard.press("Tab")
    await keyboard.press("Tab")
    await expect(popup.element("disconnect")).to_be_focused()
    await keyboard.press("Enter")
    await popup.shows("Disconnected")
    await expect(popup.element("reconnect")).to_be_focused()

    await keyboard.press("Tab")
    await expect(popup.page.get_by_text("Activity", exact=True)).to_be_focused()
    await keyboard.press("Tab")
    await expect(connection).to_be_focused()
    await keyboard.press("Tab")
    await expect(popup.element("auto-reconnect")).to_be_focused()
    await keyboard.press("Space")
    await expect(popup.element("auto-reconnect")).not_to_be_checked()
    assert await popup.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"

    await keyboard.press("Tab")
    await keyboard.press("Enter")
    await expect(popup.page.get_by_role("dialog", name="Unpair?")).to_be_visible()
    await expect(popup.page.get_by_role("button", name=ui_text("keep"))).to_be_focused()
    await keyboard.press("Tab")
    await keyboard.press("Enter")
    await popup.shows("Setup")
    await expect(popup.element("connection-string")).to_be_focused()


async def test_screen_reader_announces_names_state_and_errors(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    page = paired.page
    await show_page(paired, site.url("/one"))
    await paired.press("attachButton")
    await expect(page.get_by_role("button", name="Detach", exact=True)).to_be_visible()
    await expect(page.get_by_role("checkbox", name=ui_text("evaluateSwitch"), exact=True)).to_be_visible()
    await paired.show_connection()
    await expect(page.get_by_role("checkbox", name="Reconnect automatically")).to_be_checked()
    await expect(page.get_by_role("status")).to_contain_text("Connected · 1 session")

    await bridge.stop()
    await expect(page.get_by_role("status")).to_contain_text("Paired. Connects when your client starts.")

    await paired.unpair()
    await page.get_by_role("textbox", name="Connection string").fill("nonsense")
    await page.get_by_role("button", name="Connect", exact=True).click()
    await expect(page.get_by_role("alert").first).to_contain_text("not a connection string")


async def test_attached_tab_is_announced_updated_and_detached_by_the_user_or_when_it_closes(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    page = await show_page(paired, site.url("/one"))
    button = paired.element("attachButton")
    await expect(button).to_have_text("Attach to this Tab")
    await expect(button).to_have_attribute("data-action", "attach")
    tab_id = await paired.tab_id(site.url("/one"))

    await button.click()
    await expect(button).to_have_text("Detach")
    await expect(button).to_have_attribute("data-action", "detach")
    attached = await bridge.next_message("tab_attached")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", attached.pop("connected_at"))
    assert attached == {
        "type": "event",
        "event": "tab_attached",
        "tab_id": tab_id,
        "url": site.url("/one"),
        "title": "One",
    }

    await page.goto(site.url("/two"))
    updated = await bridge.next_message("tab_updated")
    while updated["title"] != "Two":
        updated = await bridge.next_message("tab_updated")
    assert (updated["tab_id"], updated["url"]) == (tab_id, site.url("/two"))

    detached = {"type": "event", "event": "tab_detached", "tab_id": tab_id}
    await button.click()
    await expect(button).to_have_text("Attach to this Tab")
    assert await bridge.next_message("tab_detached") == detached
    await button.click()
    await bridge.next_message("tab_attached")
    await page.close()
    assert await bridge.next_message("tab_detached") == detached


async def test_discarded_tab_stays_attached_under_its_new_id(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    await show_page(paired, site.url("/one"))
    await paired.press("attachButton")
    attached = await bridge.next_message("tab_attached")
    await show_page(paired, site.url("/two"))

    asleep = await paired.chrome(f"await chrome.tabs.discard({attached['tab_id']})")

    assert (await bridge.next_message("tab_detached"))["tab_id"] == attached["tab_id"]
    again = await bridge.next_message("tab_attached")
    assert (again["tab_id"], again["connected_at"]) == (asleep["id"], attached["connected_at"])


async def test_switches_are_off_in_each_newly_attached_tab_and_on_another_origin(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    page = await show_page(paired, site.url("/one"))
    switches = [paired.element("allow-evaluate"), paired.element("show-private")]
    await paired.press("attachButton")
    await bridge.next_message("tab_attached")
    attached = "(await chrome.storage.session.get('attachments')).attachments.map(([, tab]) => tab)"
    stored = f"{attached}.flatMap(({{ evaluateOn, privateOn }}) => [evaluateOn, privateOn])"
    for number, switch in enumerate(switches, 1):
        await expect(switch).not_to_be_checked()
        # It checks the box itself; the worker's confirmation comes later, maybe after an older update that resets it.
        await switch.click()
        on = [site.url("")] * number + [""] * (2 - number)
        is_stored = f"async () => JSON.stringify({stored}) === '{json.dumps(on, separators=(',', ':'))}'"
        await comes_true(paired.page, is_stored)
        await expect(switch).to_be_checked()

    await page.goto(site.url("/two").replace("127.0.0.1", "localhost"))
    for switch in switches:
        await expect(switch).not_to_be_checked()
    await page.goto(site.url("/two"))
    for switch in switches:
        await expect(switch).to_be_checked()

    await paired.press("attachButton")
    for switch in switches:
        await expect(switch).to_be_hidden()
    await paired.press("attachButton")

    for switch in switches:
        await expect(switch).to_be_visible()
        await expect(switch).not_to_be_checked()
    assert await paired.chrome(stored) == ["", ""]


async def test_new_pairing_starts_without_attached_tabs(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    await show_page(paired, site.url("/one"))
    for way in ("forget", "another key"):
        await paired.press("attachButton")
        await bridge.next_message("tab_attached")

        if way == "forget":
            await paired.unpair()
        else:
            bridge.key = make_nonce()
            await bridge.hang_up()
            await paired.retry()
        await paired.shows("Setup" if way == "forget" else "Disconnected. The server")
        await expect(paired.element("attachButton")).to_be_visible(visible=way != "forget")
        await paired.paste(bridge.connection_string)
        await paired.shows("Connected")

        await expect(paired.element("attachButton")).to_have_text("Attach to this Tab")


async def test_badge_shows_each_state_and_the_tooltip_explains_it(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    await show_page(paired, site.url("/one"))
    tab_id = await paired.tab_id(site.url("/one"))
    connected = "Chrome Tab Reader: Connected · 1 session"
    await expect_badge(paired, tab_id, " ", connected)
    assert await badge_color(paired) == GREEN

    await paired.press("attachButton")
    await expect_badge(paired, tab_id, "•", f"{connected} (attached tabs: 1)")

    await paired.press("disconnect")
    await expect_badge(paired, tab_id, "", "Chrome Tab Reader: Disconnected. Press Reconnect")
    await paired.press("attachButton")
    await paired.press("reconnect")
    await expect_badge(paired, tab_id, " ", connected)

    await bridge.stop()
    await expect_badge(paired, tab_id, "", "Chrome Tab Reader: Paired. Connects when your client starts.")
    right_key, bridge.key = bridge.key, make_nonce()
    await bridge.start()
    await paired.retry()
    await expect_badge(paired, tab_id, " ", "Chrome Tab Reader: Disconnected. The server")
    assert await badge_color(paired) == RED
    bridge.key = right_key
    await paired.retry()
    await expect_badge(paired, tab_id, " ", connected)

    await paired.unpair()
    await expect_badge(paired, tab_id, " ", "Chrome Tab Reader: Setup.")
    assert await badge_color(paired) == GRAY


async def test_badge_of_an_attached_tab_survives_a_reload_with_the_popup_closed(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    page = await show_page(paired, site.url("/one"))
    await paired.press("attachButton")
    tab_id = (await bridge.next_message("tab_attached"))["tab_id"]
    await expect_badge(paired, tab_id, "•", "Chrome Tab Reader: Connected")
    # A tab without the worker's help: it shows when Chrome drops a badge.
    other = await show_page(paired, site.url("/one?other"))
    other_id = await paired.tab_id(site.url("/one?other"))
    await paired.chrome(f"await chrome.action.setBadgeText({{ tabId: {other_id}, text: 'old' }})")
    worker = paired.page.context.service_workers[-1]
    await worker.evaluate("""() => {
        const { setTitle } = chrome.action;
        Object.assign(globalThis, { titles: 0, restore: () => Object.assign(chrome.action, { setTitle }) });
        chrome.action.setTitle = (details) => ((titles += 1), setTitle(details));
    }""")
    await paired.page.goto("about:blank")

    await page.reload()
    await other.reload()

    await wait_for_badge(worker, other_id, " ", "Chrome Tab Reader: Connected")
    await wait_for_badge(worker, tab_id, "•", "Chrome Tab Reader: Connected")
    # What all tabs have is still there. The control: it is set when it changes.
    assert await worker.evaluate("titles") == 0
    await bridge.stop()
    await wait_for_badge(worker, tab_id, "", "Chrome Tab Reader: Paired")
    assert await worker.evaluate("restore(), titles") > 0


async def test_a_site_has_the_name_that_users_know(popup: Popup) -> None:
    names = {
        "https://shop.example:8443/tea": "shop.example:8443",
        "chrome://version/": "chrome://version",
        "about:blank": "about:blank",
        "not an address": "",
    }
    found = await popup.chrome(f"import('/shared/text.js').then(({{ siteOf }}) => {list(names)}.map(siteOf))")
    assert found == list(names.values())


@pytest.mark.usefixtures("changing_looks")
async def test_popup_fits_and_its_text_has_contrast_in_light_and_dark(paired: Popup, site: Site) -> None:
    site.pages["/long"] = b"<title>" + b"unbreakable" * 30 + b"</title><body>x"
    await show_page(paired, site.url("/long"))
    await paired.press("attachButton")
    await expect(paired.element("allow-evaluate")).to_be_visible()

    for width in (260, 400):
        await paired.page.set_viewport_size({"width": width, "height": 600})
        assert await paired.page.evaluate("document.documentElement.scrollWidth") <= width

    schemes: list[Literal["light", "dark"]] = ["light", "dark"]
    backgrounds: set[str] = set()
    for scheme in schemes:
        await paired.page.emulate_media(color_scheme=scheme)
        backgrounds.add(await paired.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        for selector in ("h1", "#sentence", "#tab-title", "#attachButton", "#connection-details summary"):
            assert await contrast(paired.page, selector) >= 4.5, (scheme, selector)
    assert len(backgrounds) == 2


@pytest.mark.usefixtures("changing_looks")
async def test_main_button_and_a_wrong_field_stand_out_in_high_contrast_colors(popup: Popup) -> None:
    await popup.page.emulate_media(forced_colors="active")
    width = "(field) => getComputedStyle(field).borderTopWidth"
    assert await popup.element("connection-string").evaluate(width) == "1px"
    await popup.paste("nonsense")
    await expect(popup.element("pairing-problem")).not_to_be_empty()
    assert await popup.element("connection-string").evaluate(width) == "3px"
    assert await contrast(popup.page, "#connect") >= 4.5
    behind = "getComputedStyle(document.querySelector('{}')).backgroundColor"
    assert await popup.page.evaluate(f"{behind.format('#connect')} !== {behind.format('body')}")


async def test_popup_of_the_button_has_the_right_width(popup: Popup) -> None:
    await popup.chrome("await chrome.action.openPopup()")

    await comes_true(popup.page, "chrome.extension.getViews({ type: 'popup' })[0]?.innerWidth === 340")
    # The next test may depend on which pages of the extension are open.
    await popup.page.evaluate("chrome.extension.getViews({ type: 'popup' }).forEach((view) => view.close())")
    await comes_true(popup.page, "chrome.extension.getViews({ type: 'popup' }).length === 0")


async def badge_color(popup: Popup) -> list[int]:
    """Return the color that all tabs have, as red, green and blue."""
    return (await popup.chrome("await chrome.action.getBadgeBackgroundColor({})"))[:3]


async def expect_badge(popup: Popup, tab_id: int, text: str, tooltip: str) -> None:
    """Wait for this text and a tooltip that starts like this: both follow the state with a short delay."""
    await wait_for_badge(popup.page, tab_id, text, tooltip)


async def wait_for_badge(context: Page | Worker, tab_id: int, text: str, tooltip: str) -> None:
    """Wait as above, in any context of the extension; a negative id stands for what all tabs have."""
    script = """async ([details, text, tooltip]) => {
      const { action } = chrome;
      return (await action.getBadgeText(details)) === text && (await action.getTitle(details)).startsWith(tooltip);
    }"""
    details = {} if tab_id < 0 else {"tabId": tab_id}
    await until(lambda: context.evaluate(script, [details, text, tooltip]))


async def contrast(page: Page, selector: str) -> float:
    """Return the WCAG contrast ratio between an element's text and what is behind it."""
    return await page.evaluate(
        """(selector) => {
          const channels = (color) => color.match(/[\\d.]+/g).map(Number);
          const luminance = (color) => {
            const [r, g, b] = channels(color).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const element = document.querySelector(selector);
          let behind = element;
          while (channels(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
          const both = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map(luminance);
          return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
        }""",
        selector,
    )


async def test_titles_of_tabs_are_shown_as_text_without_invisible_and_direction_changing_characters(
    popup: Popup, site: Site
) -> None:
    """Also in the list of attached tabs, next to a title in a right-to-left script."""
    page = await show_page(popup, site.url("/one"))
    shown = popup.element("tab-title")
    set_title = "(title) => (document.title = title)"
    await page.evaluate(set_title, "<img src=x onerror=alert(1)>")
    await expect(shown).to_have_text("<img src=x onerror=alert(1)>")

    await page.evaluate(set_title, "\u202emoc.knab\u2069\u200b \u05e9\u05dc\u05d5\u05dd")
    await expect(shown).to_have_attribute("title", "moc.knab \u05e9\u05dc\u05d5\u05dd")
    assert await shown.text_content() == "moc.knab \u05e9\u05dc\u05d5\u05dd"
    assert await shown.evaluate("(element) => getComputedStyle(element).unicodeBidi") == "isolate"
    await page.close()
