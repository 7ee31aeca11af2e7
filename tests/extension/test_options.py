"""What the user sets in the options and by keyboard, and the limits of a session."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Page, expect

from tests.extension.conftest import (
    EXTENSION_URL,
    DrivenTab,
    Driver,
    Popup,
    Site,
    changed_worker,
    driven,
    driven_tab,
    full_storage,
    held_limits,
)
from tests.extension.test_attaching import error_of, until
from tests.extension.test_in_sight import prefer
from tests.package.test_host_names import CASES
from tests.support.ui_texts import ui_text

__all__ = ["driven"]


@pytest.fixture(autouse=True)
async def defaults(driver: Driver) -> AsyncGenerator[None]:
    yield
    driver[0].session = None
    await driver[1].chrome("await chrome.storage.local.remove(['preferences', 'activity'])")


@pytest.fixture
async def options(driver: Driver) -> AsyncGenerator[Page]:
    page = await driver[1].page.context.new_page()
    await page.goto(f"{EXTENSION_URL}/ui/options/options.html")
    await expect(page.locator("#commands-per-second")).to_have_value("50")
    await expect(page.locator("#connection-controls")).to_be_visible()
    yield page
    await page.close()


async def stored(popup: Popup, condition: str) -> None:
    """Wait until the stored preferences have these values."""
    await until(popup, f"((p) => {condition})((await chrome.storage.local.get({{preferences: {{}}}})).preferences)")


async def test_options_are_reached_and_changed_by_keyboard_and_apply_at_once(driver: Driver, options: Page) -> None:
    popup = driver[1]
    for name in ("group", "outline", "log"):
        await expect(options.locator(f"#{name}")).to_be_checked()
        await expect(options.locator(f"#{name}")).to_have_accessible_name(ui_text(f"option{name.capitalize()}"))
        await options.keyboard.press("Tab")
        await expect(options.locator(f"#{name}")).to_be_focused()
        await options.keyboard.press("Space")
        await stored(popup, f"p.{name} === false")
    await expect(options.locator("#read-ahead")).not_to_be_checked()
    await options.keyboard.press("Tab")
    await options.keyboard.press("Space")
    await stored(popup, "p.readAhead === true")
    for name in ("auto-reconnect", "disconnect", "forget"):
        await options.keyboard.press("Tab")
        await expect(options.locator(f"#{name}")).to_be_focused()
    await options.keyboard.press("Tab")
    await options.keyboard.type(" Work ")
    await options.keyboard.press("Tab")
    await stored(popup, "p.browserName === 'Work'")
    await options.keyboard.type("7")
    await options.keyboard.press("Tab")
    await stored(popup, "p.commandsPerSecond === 7")
    await options.keyboard.type("Bank.example\n*.böse.example\n")
    await options.keyboard.press("Tab")
    await stored(popup, 'JSON.stringify(p.deniedHosts) === \'["bank.example","*.xn--bse-sna.example"]\'')
    await expect(options.locator("#outcome")).to_contain_text("Saved")
    # A number that is out of range is not saved; what the user changes next is.
    await options.locator("#commands-per-second").fill("0")
    await options.locator("#commands-per-second").dispatch_event("change")
    await options.locator("#group").dispatch_event("click")
    await stored(popup, "p.group === true && p.commandsPerSecond === 7")


async def test_invalid_host_stays_in_its_field_with_the_reason_and_that_of_a_pasted_address_is_denied(
    driver: Driver, options: Page
) -> None:
    hosts = options.locator("#denied-hosts")
    await hosts.fill("bank.example\nftp://bank.example/login")
    await options.keyboard.press("Tab")

    await expect(options.locator("#problem")).to_have_text(ui_text("hostWrong", "ftp://bank.example/login"))
    await expect(hosts).to_have_value("bank.example\nftp://bank.example/login")
    await hosts.fill("bank.example")
    await options.keyboard.press("Tab")
    await stored(driver[1], "p.deniedHosts?.[0] === 'bank.example'")
    await expect(options.locator("#problem")).to_be_empty()

    await hosts.fill("https://user@Bank.example:8443/login?x=1\nhttp://[::1]:3000/")
    await options.keyboard.press("Tab")
    await stored(driver[1], 'JSON.stringify(p.deniedHosts) === \'["bank.example","::1"]\'')
    await expect(hosts).to_have_value("bank.example\n::1")


async def test_failed_saves_are_shown_and_later_ones_succeed(options: Page) -> None:
    async with full_storage(options, "local"):
        await options.locator("#group").press("Space")
        await expect(options.locator("#problem")).to_contain_text("disk full")
        await expect(options.locator("#outcome")).to_be_empty()

    await options.evaluate("Date.prototype.toLocaleTimeString = (language) => `a time in ${language}`")
    await options.locator("#log").press("Space")
    await expect(options.locator("#outcome")).to_contain_text("Saved at a time in en")
    await expect(options.locator("#problem")).to_be_empty()


async def test_hosts_are_stored_as_browsers_report_them(driver: Driver, options: Page) -> None:
    names = {name: host for name, host in CASES["names"].items() if host}
    await options.locator("#denied-hosts").fill("\n".join(names))
    await options.keyboard.press("Tab")
    await expect(options.locator("#outcome")).to_contain_text("Saved")

    kept = await driver[1].chrome("(await chrome.storage.local.get('preferences')).preferences.deniedHosts")

    assert dict(zip(names, kept, strict=True)) == names
    for name in CASES["names"].keys() - names:
        await options.locator("#denied-hosts").fill(name)
        await options.locator("#denied-hosts").blur()
        await expect(options.locator("#denied-hosts")).to_have_attribute("aria-invalid", "true")
        await options.locator("#denied-hosts").fill("bank.example")
        await options.locator("#denied-hosts").blur()
        await expect(options.locator("#denied-hosts")).to_have_attribute("aria-invalid", "false")


async def test_host_that_the_user_denies_is_blocked_for_every_client(driver: Driver, site: Site) -> None:
    bridge, popup = driver
    async with driven_tab(driver, site, "/one") as denied, driven_tab(driver, site, "/two") as led:
        fine = site.url("/two").replace("127.0.0.1", "localhost")
        await led.do("navigate", url=fine)
        await prefer(popup, deniedHosts=["127.*"])
        for command in ("read_tab", "page_elements", "screenshot", "getDataLayer", "browser_close_tab"):
            assert (await denied.refused(command))[0] == "HOST_BLOCKED"
        assert (await denied.refused("click", selector="body"))[0] == "HOST_BLOCKED"
        assert (await denied.refused("navigate", url=fine))[0] == "HOST_BLOCKED"
        assert (await led.refused("navigate", url=site.url("/one")))[0] == "HOST_BLOCKED"
        assert error_of(await bridge.ask("browser_create_tab", url=site.url("/one")))[0] == "HOST_BLOCKED"
        for listing, key in (("list_tabs", "tab_id"), ("browser_get_tabs", "id")):
            listed = {tab[key] for tab in (await bridge.ask(listing))["result"]}
            assert (denied.tab_id in listed, led.tab_id in listed) == (False, True)
        # The other tab is where it was, and not blocked.
        assert (await led.do("read_tab"))["url"] == fine
        # Until its page navigates there.
        site.pages["/out"] = f"<title>Out</title><a href='{site.url('/one')}'>out</a>".encode()
        await led.do("navigate", url=fine.replace("/two", "/out"))
        assert (await led.refused("click", selector="a"))[0] == "HOST_BLOCKED"
        await prefer(popup, deniedHosts=[])
        assert (await denied.do("read_tab"))["title"] == "One"


# In the service worker: its clock stands, or a busy machine would see no flood.
STANDING_CLOCK = """isOn => {
  const real = (performance.now.real ??= performance.now);
  const begin = real.call(performance);
  performance.now = isOn ? Object.assign(() => begin, { real }) : real;
}"""
LONGEST_MS = 5_000


async def test_session_that_floods_is_slowed_and_rejected_and_does_not_delay_another_one(driven: DrivenTab) -> None:
    bridge, popup = driven.bridge, driven.popup
    await prefer(popup, commandsPerSecond=1)
    context = popup.page.context
    async with changed_worker(context, STANDING_CLOCK, True, False), held_limits(context, LONGEST_MS):
        bridge.session = {"id": "aaaa", "client": "flood"}
        flood = [asyncio.create_task(bridge.ask("list_tabs")) for _ in range(30)]
        await asyncio.wait(flood, return_when=asyncio.FIRST_COMPLETED)
        bridge.session = {"id": "bbbb", "client": "calm"}

        # While one of the other session still waits.
        assert (await bridge.ask("list_tabs"))["success"]

        assert not all(task.done() for task in flood)
    replies = [await task for task in flood]
    refused = [reply["error"] for reply in replies if not reply["success"]]
    assert {error["code"] for error in refused} == {"RATE_LIMITED"}
    assert "more than 1 commands a second" in refused[0]["message"]
    # Two at once, and those that wait for one to five seconds.
    assert len(replies) - len(refused) == 7


async def test_session_with_one_command_waits_for_one_of_the_other_session_and_not_for_all(driven: DrivenTab) -> None:
    """On the same tab, where commands run one after another; those of a session keep their order."""
    bridge, order = driven.bridge, list[str]()

    async def ask(client: str, name: str, command: str, **params: object) -> None:
        bridge.session = {"id": client, "client": client}
        assert (await driven.ask(command, **params))["success"] is (command != "wait_for")
        order.append(name)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(ask("many", "first", "wait_for", text="never shown", timeout=500))
        for number in range(9):
            tasks.create_task(ask("many", str(number), "page_elements", find="x"))
        tasks.create_task(ask("one", "other", "console_logs"))

    assert order == ["first", "0", "other", *map(str, range(1, 9))]


async def test_shortcuts_attach_and_detach_the_tab_in_front_and_stop(driven: DrivenTab) -> None:
    (worker,) = driven.page.context.service_workers
    press = "async ([name, id]) => chrome.commands.onCommand.dispatch(name, id && (await chrome.tabs.get(id)))"
    names = await worker.evaluate("async () => (await chrome.commands.getAll()).map(({ name }) => name)")
    assert {"attach", "stop"} < set(names)
    await worker.evaluate(press, ["attach", driven.tab_id])
    await driven.received("tab_detached")
    await worker.evaluate(press, ["attach", driven.tab_id])
    await driven.received("tab_attached")
    waiting = asyncio.create_task(driven.ask("wait_for", text="never shown", timeout=25_000))
    # It is sent in the task's first turn.
    await asyncio.sleep(0)
    assert (await driven.bridge.ask("browser_get_tabs"))["success"]
    await worker.evaluate(press, ["stop", None])
    assert error_of(await waiting)[1].startswith("The user pressed Stop")
    await driven.received("tab_detached")
