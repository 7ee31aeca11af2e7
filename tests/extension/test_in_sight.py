"""What is done in the person's name is in sight, and they can stop it."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.extension.conftest import (
    EXTENSION_URL,
    DrivenTab,
    Driver,
    Popup,
    Site,
    driven,
    driven_tab,
)
from tests.extension.test_attaching import error_of, until

__all__ = ["driven"]
SECRET = "hunter2-typed"


async def prefer(popup: Popup, **preferences: Any) -> None:
    """Choose in the options; what the worker answers afterwards, it answers knowing it."""
    await popup.chrome(f"await chrome.storage.local.set({{ preferences: {json.dumps(preferences)} }})")
    await popup.chrome("""await new Promise((resolve) => {
        const port = chrome.runtime.connect();
        port.onMessage.addListener(() => (port.disconnect(), resolve()));
        port.postMessage({ action: "watch", tabId: null });
    })""")


@pytest.fixture(autouse=True)
async def defaults(driver: Driver) -> AsyncGenerator[None]:
    yield
    await driver[1].chrome("await chrome.storage.local.remove(['preferences', 'activity', 'history'])")


def grouped(tab_id: int) -> str:
    """An expression: the title of the tab's group, empty for none."""
    return f"(await chrome.tabs.get({tab_id}).then(({{groupId}}) => groupId < 0 ? '' : chrome.tabGroups.get(groupId).then(({{title}}) => title || 'untitled', () => '')))"


async def test_attached_tabs_stand_in_one_group_until_they_are_detached_or_the_person_wants_none(
    driver: Driver, site: Site
) -> None:
    _, popup = driver
    async with driven_tab(driver, site, "/one") as first, driven_tab(driver, site, "/two") as second:
        for tab in (first, second):
            await until(popup, f"{grouped(tab.tab_id)} === 'Chrome Tab Reader'")
        assert await popup.chrome("(await chrome.tabGroups.query({})).length") == 1
        await first.person_does("detach")
        await until(popup, f"{grouped(first.tab_id)} === ''")
        await prefer(popup, group=False)
        await until(popup, f"{grouped(second.tab_id)} === ''")
        await first.person_does("attach")
        await first.told("tab_attached")
        await prefer(popup, group=True)
        for tab in (first, second):
            await until(popup, f"{grouped(tab.tab_id)} === 'Chrome Tab Reader'")


async def test_tabs_that_the_person_has_pinned_or_grouped_stay_where_they_are(driver: Driver, site: Site) -> None:
    popup = driver[1]
    async with driven_tab(driver, site, "/one") as own, driven_tab(driver, site, "/two") as pinned:
        for tab in (own, pinned):
            await tab.person_does("detach")
            await until(popup, f"{grouped(tab.tab_id)} === ''")
        await popup.chrome(f"await chrome.tabs.group({{ tabIds: {own.tab_id} }})")
        await popup.chrome(f"await chrome.tabs.update({pinned.tab_id}, {{ pinned: true }})")
        for tab in (own, pinned):
            await tab.person_does("attach")
            await tab.told("tab_attached")
        async with driven_tab(driver, site, "/blank") as control:
            await until(popup, f"{grouped(control.tab_id)} === 'Chrome Tab Reader'")
            assert await popup.chrome(grouped(own.tab_id)) == "untitled"
            assert await popup.chrome(f"(await chrome.tabs.get({pinned.tab_id})).pinned") is True
        await own.person_does("detach")
        await own.told("tab_detached")
        assert await popup.chrome(grouped(own.tab_id)) == "untitled"


async def test_popup_lists_the_attached_tabs_with_detach_each(driver: Driver, site: Site) -> None:
    bridge, popup = driver
    async with driven_tab(driver, site, "/one") as first, driven_tab(driver, site, "/two") as second:
        rows = popup.element("attached-tabs").locator("li")
        await expect(rows).to_contain_text(["One", "Two"])
        await expect(rows.nth(0)).to_contain_text("127.0.0.1")

        await rows.nth(0).get_by_role("button", name="Detach One").click()

        await first.told("tab_detached")
        await expect(rows).to_have_count(1)
        assert [tab["tab_id"] for tab in (await bridge.ask("list_tabs"))["result"]] == [second.tab_id]


# What can be under way, each with what keeps it there.
UNDER_WAY: dict[str, dict[str, Any]] = {
    "read_tab": {},
    "getDataLayer": {},
    "page_elements": {"find": "x"},
    "click": {"selector": "#disabled"},
    "fill": {"selector": "#disabled", "value": "x"},
    "wait_for": {"text": "never shown", "timeout": 25_000},
    "evaluate": {"code": "await new Promise(() => {})"},
    "browser_create_tab": {"url": "/late"},
    "browser_attach_tab": {"reason": "x"},
    "navigate": {"url": "/slow"},
}
# What only reads is held up by one that waits.
READING = {"read_tab", "getDataLayer", "page_elements"}


async def test_stop_ends_each_kind_of_command_and_detaches_all(driven: DrivenTab) -> None:
    bridge, popup, site = driven.bridge, driven.popup, driven.site
    await driven.show("<input id=disabled disabled>")
    for command, given in UNDER_WAY.items():
        await driven.allow_evaluate()
        if command == "browser_attach_tab":
            await driven.person_does("detach")
            await driven.told("tab_detached")
        params = {name: site.url(value) if name == "url" else value for name, value in given.items()}
        asking = []
        if command in READING:
            asking = [asyncio.create_task(driven.ask("wait_for", text="never shown", timeout=25_000))]
        asked_of = None if command == "browser_create_tab" else driven.tab_id
        asking.append(asyncio.create_task(bridge.ask(command, tab_id=asked_of, **params)))
        assert (await bridge.ask("browser_get_tabs"))["success"]
        assert not any(task.done() for task in asking), command

        await popup.page.bring_to_front()
        await popup.press("stop")

        for reply in await asyncio.gather(*asking):
            code, message = error_of(reply)
            assert (code, message.startswith("The person has pressed Stop")) == ("TAB_DISCONNECTED", True), command
        await until(popup, "(await chrome.storage.session.get('attachments')).attachments.length === 0")
        assert (await bridge.ask("list_tabs"))["result"] == []
        await driven.person_does("attach")
        await driven.told("tab_attached")
    site.finish_slow.set()


async def log_of(popup: Popup, count: int) -> list[dict[str, Any]]:
    """The activity log once it has so many entries."""
    await until(popup, f"(await chrome.storage.local.get({{activity: []}})).activity.length >= {count}")
    return (await popup.chrome("await chrome.storage.local.get('activity')"))["activity"]


async def test_log_says_who_did_what_where_and_how_it_ended_and_keeps_no_value(driven: DrivenTab) -> None:
    bridge, popup = driven.bridge, driven.popup
    await driven.show("<input id=a><p>words of the page", title="A secret title")
    bridge.session = {"id": "3fa2", "client": "claude-code"}
    await driven.do("fill", selector="#a", value=SECRET)
    await driven.refused("click", selector="#nowhere")
    await bridge.ask("browser_get_tabs")
    bridge.session = None

    await until(popup, "(await chrome.storage.local.get('activity')).activity?.[0].command === 'browser_get_tabs'")
    listed, clicked, filled, *_ = await log_of(popup, 3)

    assert [entry["command"] for entry in (listed, clicked, filled)] == ["browser_get_tabs", "click", "fill"]
    assert [entry["code"] for entry in (listed, clicked, filled)] == ["", "ELEMENT_NOT_FOUND", ""]
    host = driven.site.url("/").split("/")[2]
    assert {(entry["client"], entry["session"]) for entry in (listed, clicked, filled)} == {("claude-code", "3fa2")}
    assert [(entry["tab_id"], entry["site"]) for entry in (listed, filled)] == [(None, ""), (driven.tab_id, host)]
    assert filled["milliseconds"] >= 0
    assert filled["time"] < listed["time"]
    kept = await popup.chrome("JSON.stringify([await chrome.storage.local.get(), await chrome.storage.session.get()])")
    for private in (SECRET, "words of the page", "A secret title", "#nowhere"):
        assert private not in kept


async def test_popup_shows_the_log_exports_it_and_clears_it_and_no_log_is_kept_unless_wanted(
    driven: DrivenTab,
) -> None:
    popup = driven.popup
    await driven.ask("click", selector="#nowhere")
    await log_of(popup, 1)
    await popup.page.bring_to_front()
    await popup.page.locator("#log summary").click()
    await expect(popup.element("activity").locator("li").first).to_contain_text("click")
    await expect(popup.element("activity").locator("li").first).to_contain_text("ELEMENT_NOT_FOUND")

    async with popup.page.expect_download() as started:
        await popup.press("activity-export")
    exported = json.loads(Path(str(await (await started.value).path())).read_text(encoding="utf-8"))  # noqa: ASYNC240 -- a small file
    assert exported == await log_of(popup, 1)

    await popup.press("activity-clear")
    await expect(popup.element("activity-empty")).to_be_visible()
    await prefer(popup, log=False)
    await driven.ask("click", selector="#nowhere")
    await prefer(popup, log=True)
    await driven.ask("hover", selector="#nowhere")
    assert [entry["command"] for entry in await log_of(popup, 1)] == ["hover"]


async def test_log_keeps_the_newest_500(driven: DrivenTab) -> None:
    await log_of(driven.popup, 1)
    entry = {"time": "2000-01-01T00:00:00Z", "session": "", "client": "", "tab_id": None, "site": "", "code": ""}
    old = [entry | {"command": f"old {number}", "milliseconds": 1} for number in range(500)]
    await driven.popup.chrome(f"await chrome.storage.local.set({{ activity: {json.dumps(old)} }})")

    await driven.ask("hover", selector="#nowhere")

    await until(driven.popup, "(await chrome.storage.local.get('activity')).activity[0].command === 'hover'")
    activity = await log_of(driven.popup, 500)
    assert (len(activity), activity[-1]["command"]) == (500, "old 498")


async def test_panel_shows_the_log_with_what_the_person_ran(driven: DrivenTab) -> None:
    page = await driven.page.context.new_page()
    await page.goto(f"{EXTENSION_URL}/ui/devtools/panel.html?tab={driven.tab_id}")
    await page.locator("#command").select_option("list_tabs")
    await page.locator("#run").click()
    await page.locator("#tab-activity").click()

    await expect(page.locator("#activity > li").first).to_contain_text("list_tabs")
    await expect(page.locator("#activity > li").first).to_contain_text("you, in the panel")
    await page.close()


SPY = """() => {
  globalThis.drawn = [];
  globalThis.sendCommand ??= chrome.debugger.sendCommand;
  chrome.debugger.sendCommand = (...all) => {
    if (/^Overlay.highlightRect|^Overlay.disable|captureScreenshot/.test(all[1])) drawn.push([all[1], all[2]]);
    return sendCommand.apply(chrome.debugger, all);
  };
}"""


async def test_what_is_acted_on_is_outlined_for_a_moment_if_the_person_wants_it_and_never_in_screenshots(
    driven: DrivenTab,
) -> None:
    await driven.show("<style>body{margin:0}</style><button id=b style='width:200px;height:100px'>b")
    (worker,) = driven.page.context.service_workers
    before = (await driven.do("screenshot"))["data"]
    await worker.evaluate(SPY)
    await driven.do("hover", selector="#b")
    after = (await driven.do("screenshot"))["data"]
    drawn = await worker.evaluate("drawn.splice(0)")
    await driven.do("click", selector="#b")
    await until(driven.popup, "true")
    async with asyncio.timeout(20):
        while len(ended := await worker.evaluate("drawn")) < 2:
            pass

    assert [method.rpartition(".")[2] for method, _ in drawn] == ["highlightRect", "disable", "captureScreenshot"]
    box = drawn[0][1]
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 200, 100)
    # A hovered button has a colour of its own: the mouse leaves it for the comparison.
    assert [method for method, _ in ended] == ["Overlay.highlightRect", "Overlay.disable"]
    assert before
    assert after

    await prefer(driven.popup, outline=False)
    await worker.evaluate("drawn.splice(0)")
    await until(driven.popup, "true")
    await driven.do("click", selector="#b")
    assert await worker.evaluate("drawn") == []
    await worker.evaluate("() => void (chrome.debugger.sendCommand = sendCommand)")
