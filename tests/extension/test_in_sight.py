"""What agents do for the user is visible, and the user can stop it."""

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
    changed_worker,
    driven_tab,
    held_limits,
)
from tests.extension.test_attaching import error_of, until
from tests.support import polling
from tests.support.ui_texts import ui_text

SECRET = "hunter2-typed"


async def prefer(popup: Popup, **preferences: Any) -> None:
    """Change the options; the worker's later answers use the change."""
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
    """An expression: the title of the tab's group, or an empty string."""
    return f"(await chrome.tabs.get({tab_id}).then(({{groupId}}) => groupId < 0 ? '' : chrome.tabGroups.get(groupId).then(({{title}}) => title || 'untitled', () => '')))"


async def test_attached_tabs_are_grouped_until_detached_unless_the_user_disables_it_or_has_grouped_or_pinned_them(
    driver: Driver, site: Site
) -> None:
    _, popup = driver
    async with driven_tab(driver, site, "/one") as first, driven_tab(driver, site, "/two") as second:
        for tab in (first, second):
            await until(popup, f"{grouped(tab.tab_id)} === 'Chrome Tab Reader'")
        assert await popup.chrome("(await chrome.tabGroups.query({})).length") == 1
        await first.user_does("detach")
        await until(popup, f"{grouped(first.tab_id)} === ''")
        await prefer(popup, group=False)
        await until(popup, f"{grouped(second.tab_id)} === ''")
        await first.user_does("attach")
        await first.received("tab_attached")
        await prefer(popup, group=True)
        for tab in (first, second):
            await until(popup, f"{grouped(tab.tab_id)} === 'Chrome Tab Reader'")

        # Tabs that the user has pinned or grouped stay where they are.
        own, pinned = first, second
        for tab in (own, pinned):
            await tab.user_does("detach")
            await until(popup, f"{grouped(tab.tab_id)} === ''")
        await popup.chrome(f"await chrome.tabs.group({{ tabIds: {own.tab_id} }})")
        await popup.chrome(f"await chrome.tabs.update({pinned.tab_id}, {{ pinned: true }})")
        for tab in (own, pinned):
            await tab.user_does("attach")
            await tab.received("tab_attached")
        async with driven_tab(driver, site, "/blank") as control:
            await until(popup, f"{grouped(control.tab_id)} === 'Chrome Tab Reader'")
            assert await popup.chrome(grouped(own.tab_id)) == "untitled"
            assert await popup.chrome(f"(await chrome.tabs.get({pinned.tab_id})).pinned") is True
            await own.user_does("detach")
            await own.received("tab_detached")
            assert await popup.chrome(grouped(own.tab_id)) == "untitled"
            # As if the browser had restored our group, whose tab is no longer attached.
            await popup.chrome(
                f"""await chrome.tabs.get({own.tab_id}).then(
                    ({{ groupId }}) => chrome.tabGroups.update(groupId, {{ title: "Chrome Tab Reader" }}),
                )"""
            )
            await until(popup, f"{grouped(own.tab_id)} === ''")
            assert await popup.chrome(grouped(control.tab_id)) == "Chrome Tab Reader"


async def test_popup_lists_the_attached_tabs_with_a_detach_button_each(driver: Driver, site: Site) -> None:
    bridge, popup = driver
    await popup.open()
    async with driven_tab(driver, site, "/one") as first, driven_tab(driver, site, "/two") as second:
        # The tab in front has its own section.
        await popup.page.bring_to_front()
        other = await popup.page.context.new_page()
        await other.goto(site.url("/blank"))
        rows = popup.element("attached-tabs").locator("li")
        await expect(rows).to_contain_text(["One", "Two"])
        await expect(rows.nth(0)).to_contain_text("127.0.0.1")

        await rows.nth(0).get_by_role("button", name="Detach One").click()

        await first.received("tab_detached")
        await expect(rows).to_have_count(1)
        assert [tab["tab_id"] for tab in (await bridge.ask("list_tabs"))["result"]] == [second.tab_id]
        await other.close()


# Nothing in it is ready for a command until it is released; it records the effects of commands.
STUCK = """<fieldset id=all disabled><button id=b>b</button><input id=i><select id=s><option>one<option>two</select>
<input type=file id=f></fieldset><p id=p hidden>there</p><div id=cover style="position:fixed;inset:0"></div>
<script>
  globalThis.noted = [];
  for (const type of ["mousedown", "mouseover", "keydown", "input", "change"]) {
    addEventListener(type, (event) => event.target.closest("#all *") && noted.push(type), true);
  }
  globalThis.release = () => ((all.disabled = p.hidden = false), cover.remove());
  globalThis.block = () => {
    const request = new XMLHttpRequest();
    request.open("GET", "/late", false);
    request.send();
    noted.splice(0);
  };
  Object.defineProperty(globalThis, "dataLayer", { configurable: true, get: () => (noted.push("read"), []) });
</script>"""
# Each with the effect that is recorded once it is released.
WAITING: dict[str, tuple[dict[str, Any], str]] = {
    "click": ({"selector": "#b"}, "mousedown"),
    "drag": ({"source": "#b", "target": "#i"}, "mousedown"),
    "fill_form": ({"fields": [{"selector": "#i", "value": "x"}]}, "input"),
    "select": ({"selector": "#s", "value": "two"}, "change"),
    "press": ({"keys": "x", "selector": "#i"}, "keydown"),
    "upload": ({"selector": "#f", "paths": [__file__]}, "change"),
    "scroll": ({"selector": "#p", "to": "top"}, ""),
    "wait_for": ({"text": "there"}, ""),
    "screenshot": ({"selector": "#p"}, ""),
}
BLOCKED: dict[str, tuple[dict[str, Any], str]] = {
    "read_tab": ({}, ""),
    "getDataLayer": ({}, "read"),
    "page_elements": ({"find": "b"}, ""),
    "evaluate": ({"code": "noted.push('run')"}, "run"),
}


async def stopped(driven: DrivenTab, command: str, tab_id: int | None, **params: Any) -> None:
    """Press Stop while a command is in progress: it ends at once, and no tab is attached any more."""
    asking = asyncio.create_task(driven.bridge.ask(command, tab_id=tab_id, **params))
    # When the first one is answered, the command has asked for its tab; when the second one is, it has received it.
    for _ in range(2):
        assert (await driven.bridge.ask("browser_get_tabs"))["success"]
    assert not asking.done(), asking.result()

    await driven.user_does("stop")

    code, message = error_of(await asking)
    assert (code, message.startswith("The user pressed Stop")) == ("TAB_DISCONNECTED", True), message
    assert (await driven.bridge.ask("list_tabs"))["result"] == []
    # A test that waits for the next one must not receive this one.
    if command != "browser_attach_tab":
        await driven.received("tab_detached")


async def attached_again(driven: DrivenTab) -> None:
    await driven.user_does("attach")
    await until(driven.popup, "(await chrome.storage.session.get('attachments')).attachments.length === 1")


# One after the other in one tab: a new one for each would take longer than the command.
async def test_stop_ends_commands_that_wait_for_the_page_and_they_have_no_effect_afterwards(blank: DrivenTab) -> None:
    await blank.show("")
    for command, (params, noted) in WAITING.items():
        # The button is where the mouse was last.
        await blank.page.mouse.move(700, 500)
        await blank.page.set_content(STUCK)
        await stopped(blank, command, blank.tab_id, **params)
        await blank.page.evaluate("release()")
        await attached_again(blank)
        # Whatever was still in flight arrives before this.
        await blank.do("wait_for", text="there")
        assert await blank.page.evaluate("noted") == [], command

        await blank.do(command, **params)

        assert not noted or noted in await blank.page.evaluate("noted"), command


async def test_stop_ends_a_command_in_a_page_that_hangs(blank: DrivenTab) -> None:
    await blank.show("")
    for command, (params, noted) in BLOCKED.items():
        blank.site.finish_slow.clear()
        await blank.page.set_content(STUCK)
        await blank.allow_evaluate()
        async with blank.page.expect_request("**/late"):
            await blank.page.evaluate("void setTimeout(block)")
        await stopped(blank, command, blank.tab_id, **params)
        blank.site.finish_slow.set()
        await attached_again(blank)
        await blank.do("wait_for", selector="#b")
        await blank.allow_evaluate()

        await blank.do(command, **params)

        assert not noted or noted in await blank.page.evaluate("noted"), command


async def test_stop_ends_loading_and_waiting_for_the_user(blank: DrivenTab) -> None:
    bridge, site = blank.bridge, blank.site
    site.finish_slow.clear()
    late, here = site.url("/late"), site.url("/shown")
    site.extra_headers["/late"] = ("Cache-Control", "no-store")
    site.pages["/late"] = b"<title>Late</title>"
    await blank.show("here")
    before = len(blank.page.context.pages)
    steps: list[tuple[str, int | None, dict[str, Any]]] = [
        ("navigate", blank.tab_id, {"url": late}),
        ("browser_create_tab", None, {"url": late}),
    ]
    for command, tab_id, params in steps:
        await stopped(blank, command, tab_id, **params)
        await attached_again(blank)
    # This needs nothing from a page, and only waits for its turn.
    waits = asyncio.create_task(blank.ask("wait_for", text="never shown", timeout=25_000))
    # It is sent in the task's first turn.
    await asyncio.sleep(0)
    await stopped(blank, "console_logs", blank.tab_id)
    assert error_of(await waits)[0] == "TAB_DISCONNECTED"
    await attached_again(blank)
    await blank.user_does("detach")
    await blank.received("tab_detached")
    await stopped(blank, "browser_attach_tab", blank.tab_id, reason="x")
    await attached_again(blank)
    site.finish_slow.set()
    assert (await blank.do("read_tab"))["url"] == here
    assert len(blank.page.context.pages) == before
    assert (await blank.do("navigate", url=late))["title"] == "Late"
    await blank.do("navigate", url=here)
    site.finish_slow.clear()

    await stopped(blank, "back", blank.tab_id)

    await attached_again(blank)
    site.finish_slow.set()
    assert (await blank.do("read_tab"))["url"] == here
    assert (await blank.do("back"))["url"] == late
    assert (await blank.do("forward"))["url"] == here
    created = await bridge.ask("browser_create_tab", url=late)
    assert (await bridge.ask("browser_close_tab", tab_id=created["result"]["tab_id"]))["success"]


async def log_of(popup: Popup, count: int) -> list[dict[str, Any]]:
    """Return the activity log once it has this many entries."""
    await until(popup, f"(await chrome.storage.local.get({{activity: []}})).activity.length >= {count}")
    return (await popup.chrome("await chrome.storage.local.get('activity')"))["activity"]


# In the service worker: each time that the clock is read, it has been set back by one more hour.
SET_BACK = """isOn => {
  const real = (Date.now.real ??= Date.now);
  let hours = 0;
  Date.now = isOn ? Object.assign(() => real() - 3_600_000 * hours++, { real }) : real;
}"""


async def test_clock_that_is_set_back_extends_no_wait_and_no_duration_is_negative(blank: DrivenTab) -> None:
    async with changed_worker(blank.page.context, SET_BACK, begun=True, ended=False):
        _, message = await blank.refused("wait_for", text="nowhere", timeout=1)
    assert message.startswith("After 0.001 s")

    await until(blank.popup, "(await chrome.storage.local.get('activity')).activity?.[0]?.command === 'wait_for'")
    assert (await log_of(blank.popup, 1))[0]["milliseconds"] >= 0


async def test_log_shows_who_did_what_where_with_which_outcome_and_contains_no_values(blank: DrivenTab) -> None:
    bridge, popup = blank.bridge, blank.popup
    await blank.show("<input id=a><p>words of the page", title="A secret title")
    bridge.session = {"id": "3fa2", "client": "claude-code"}
    await blank.do("fill", selector="#a", value=SECRET)
    await blank.refused("click", selector="#nowhere")
    await bridge.ask("browser_get_tabs")
    bridge.session = None

    await until(popup, "(await chrome.storage.local.get('activity')).activity?.[0]?.command === 'browser_get_tabs'")
    listed, clicked, filled, *_ = await log_of(popup, 3)

    assert [entry["command"] for entry in (listed, clicked, filled)] == ["browser_get_tabs", "click", "fill"]
    assert [entry["code"] for entry in (listed, clicked, filled)] == ["", "ELEMENT_NOT_FOUND", ""]
    host = blank.site.url("/").split("/")[2]
    assert {(entry["client"], entry["session"]) for entry in (listed, clicked, filled)} == {("claude-code", "3fa2")}
    assert [(entry["tab_id"], entry["site"]) for entry in (listed, filled)] == [(None, ""), (blank.tab_id, host)]
    assert filled["milliseconds"] >= 0
    assert filled["time"] < listed["time"]
    kept = await popup.chrome("JSON.stringify([await chrome.storage.local.get(), await chrome.storage.session.get()])")
    for private in (SECRET, "words of the page", "A secret title", "#nowhere"):
        assert private not in kept


async def test_popup_shows_exports_and_clears_the_log_and_keeps_none_unless_the_user_wants_it(
    blank: DrivenTab,
) -> None:
    popup = blank.popup
    await popup.open()
    await blank.ask("click", selector="#nowhere")
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
    await blank.ask("click", selector="#nowhere")
    await prefer(popup, log=True)
    await blank.ask("hover", selector="#nowhere")
    assert [entry["command"] for entry in await log_of(popup, 1)] == ["hover"]


# In the service worker: notes when the log has been cleared.
NOTE_CLEARED = """() => {
  globalThis.isCleared = false;
  chrome.storage.local.onChanged.addListener(({ activity }) => (isCleared ||= activity && !activity.newValue));
}"""


async def test_cleared_log_does_not_get_back_what_was_still_to_be_saved(blank: DrivenTab) -> None:
    popup = blank.popup
    (worker,) = blank.page.context.service_workers
    await worker.evaluate(NOTE_CLEARED)
    # Entries are saved half a second after the first one.
    async with held_limits(blank.page.context, 500):
        await blank.ask("click", selector="#nowhere")
        await popup.chrome("await chrome.storage.local.set({ activity: [] })")
        await popup.chrome("await (await import('/shared/storage.js')).clearActivity()")
        await polling.until(lambda: worker.evaluate("isCleared"))
    await blank.ask("hover", selector="#nowhere")

    assert [entry["command"] for entry in await log_of(popup, 1)] == ["hover"]


@pytest.mark.parametrize(
    ("at_once", "kept"),
    [
        ("m.addActivity(['a']), m.addActivity(['b'])", {"activity": ["b", "a"]}),
        ("m.addActivity(['a']), m.clearActivity()", {"activity": []}),
        ("m.savePreferences({ log: false }), m.savePreferences({ group: false })", {"log": False, "group": False}),
    ],
)
async def test_what_is_saved_at_the_same_time_is_not_lost(driver: Driver, at_once: str, kept: dict[str, Any]) -> None:
    saved = await driver[1].chrome(f"""await import('/shared/storage.js').then(async (m) => {{
        await chrome.storage.local.remove(["activity", "preferences"]);
        await Promise.all([{at_once}]);
        const {{ activity, preferences }} = await chrome.storage.local.get({{ activity: [], preferences: {{}} }});
        // Without the entries of commands, which the worker may save meanwhile.
        return {{ activity: activity.filter((entry) => typeof entry === "string"), ...preferences }};
    }})""")

    assert saved | kept == saved


async def test_log_keeps_the_newest_500(blank: DrivenTab) -> None:
    entry = {"time": "2000-01-01T00:00:00Z", "session": "", "client": "", "tab_id": None, "site": "", "code": ""}
    old = [entry | {"command": f"old {number}", "milliseconds": 1} for number in range(500)]
    stored = f"chrome.storage.local.set({{ activity: {json.dumps(old)} }})"
    # The worker may be about to save an entry of an earlier command.
    await blank.popup.chrome(f"await navigator.locks.request('activity', () => {stored})")

    await blank.ask("hover", selector="#nowhere")

    await until(blank.popup, "(await chrome.storage.local.get('activity')).activity?.[0]?.command === 'hover'")
    commands = [entry["command"] for entry in await log_of(blank.popup, 500)]
    # A command of the preparation may be logged late.
    new = [command for command in commands if not command.startswith("old ")]
    assert new
    assert commands == new + [f"old {number}" for number in range(500 - len(new))]


async def test_panel_shows_the_log_including_the_users_own_commands(blank: DrivenTab) -> None:
    page = await blank.page.context.new_page()
    await page.goto(f"{EXTENSION_URL}/ui/devtools/panel.html?tab={blank.tab_id}")
    await page.locator("#command").select_option("list_tabs")
    await page.locator("#run").click()
    await page.locator("#tab-activity").click()

    await expect(page.locator("#activity > li").first).to_contain_text("list_tabs")
    await expect(page.locator("#activity > li").first).to_contain_text(ui_text("activityYou"))
    await page.close()


async def test_activity_shows_the_client_and_merges_repeats(blank: DrivenTab) -> None:
    bridge = blank.bridge
    await blank.popup.chrome("await chrome.storage.local.remove('activity')")
    for client in ("side-panel", "claude-code", "claude-code", "terminal"):
        bridge.session = {"id": "aaaa", "client": client}
        assert (await bridge.ask("list_tabs"))["success"]
    await log_of(blank.popup, 4)
    page = await blank.page.context.new_page()
    await page.goto(f"{EXTENSION_URL}/ui/devtools/panel.html?tab={blank.tab_id}")
    await page.locator("#tab-activity").click()

    rows = page.locator("#activity > li")
    for number, name in enumerate([ui_text("clientTerminal"), "Claude Code", ui_text("clientSidePanel")]):
        await expect(rows.locator("strong").nth(number)).to_have_text(name)
    await expect(rows.nth(1)).to_contain_text("list_tabs \u00d72")
    await page.close()


# In the service worker: highlights and screenshots, without those that fail, as some screenshots do in a busy browser.
SPY = """isOn => {
  const { debugger: cdp } = chrome;
  const real = (cdp.sendCommand.real ??= cdp.sendCommand);
  globalThis.drawn = [];
  const send = async (target, method, params) => {
    const sent = [method, params];
    if (/^Overlay.highlightRect|^Overlay.hideHighlight|captureScreenshot/.test(method)) drawn.push(sent);
    try {
      return await real.call(cdp, target, method, params);
    } catch (error) {
      drawn = drawn.filter((each) => each !== sent);
      throw error;
    }
  };
  cdp.sendCommand = isOn ? Object.assign(send, { real }) : real;
}"""


async def test_elements_are_outlined_briefly_if_the_user_wants_it_and_never_in_screenshots(
    blank: DrivenTab,
) -> None:
    await blank.show("<style>body{margin:0}</style><button id=b style='width:200px;height:100px'>b")
    (worker,) = blank.page.context.service_workers
    before = (await blank.do("screenshot"))["data"]
    async with changed_worker(blank.page.context, SPY, True, False):
        await blank.do("hover", selector="#b")
        # It is drawn after the reply.
        async with asyncio.timeout(60):
            while not await worker.evaluate("drawn.length"):
                pass
        after = (await blank.do("screenshot"))["data"]
        drawn = await worker.evaluate("drawn.splice(0)")
        await blank.do("click", selector="#b")
        await until(blank.popup, "true")
        async with asyncio.timeout(60):
            while len(ended := await worker.evaluate("drawn")) < 2:
                pass

        assert [method.rpartition(".")[2] for method, _ in drawn] == [
            "highlightRect",
            "hideHighlight",
            "captureScreenshot",
        ]
        box = drawn[0][1]
        assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 200, 100)
        # A hovered button has another color: move the mouse away for the comparison.
        assert [method for method, _ in ended] == ["Overlay.highlightRect", "Overlay.hideHighlight"]
        assert before
        assert after

        await prefer(blank.popup, outline=False)
        await worker.evaluate("drawn.splice(0)")
        await until(blank.popup, "true")
        await blank.do("click", selector="#b")
        # A timer of the same length that starts later fires later.
        await worker.evaluate("new Promise(end => setTimeout(end, 150))")
        assert await worker.evaluate("drawn") == []
