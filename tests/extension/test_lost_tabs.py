"""What happens to commands when the tab, its page or the debugger goes away."""

import asyncio

import pytest

from tests.extension.conftest import DrivenTab, changed_worker, held_limits, stop_worker
from tests.extension.test_attaching import crash, tab_has
from tests.support.fake_bridge import Message
from tests.support.polling import until

NEVER = "document.title = 'Waiting'; new Promise(() => {})"


async def waiting(tab: DrivenTab, code: str = NEVER) -> asyncio.Task[Message]:
    """Start a command that has reached the page and will not end by itself."""
    command = asyncio.create_task(tab.ask("evaluate", code=code))
    await tab_has(tab.popup, tab.tab_id, "title", "Waiting")
    assert not command.done()
    return command


def code_of(reply: Message) -> object:
    error = reply["error"]
    return error["code"] if isinstance(error, dict) else None


@pytest.fixture
async def tab(driven: DrivenTab) -> DrivenTab:
    await driven.allow_evaluate()
    return driven


@pytest.fixture
async def same_tab(blank: DrivenTab) -> DrivenTab:
    """For tests that leave the tab as usable as it was; it remembers the messages of all."""
    if not await blank.succeeds("evaluate", code="1"):
        await blank.allow_evaluate()
    return blank


async def logged(tab: DrivenTab, message: str) -> list[str]:
    """Return the messages of the tab with this text."""
    entries = (await tab.do("console_logs"))["entries"]
    return [entry["message"] for entry in entries if entry["message"] == message]


async def test_closed_tab_ends_its_commands(tab: DrivenTab) -> None:
    command = await waiting(tab)

    await tab.page.close()

    assert code_of(await command) == "TAB_DISCONNECTED"


async def test_crashed_page_ends_its_commands_and_can_be_left(tab: DrivenTab) -> None:
    command = await waiting(tab)

    await crash(tab.page)

    assert code_of(await command) == "TAB_DISCONNECTED"
    await tab.popup.chrome(f"await chrome.tabs.reload({tab.tab_id})")
    await tab_has(tab.popup, tab.tab_id, "status", "complete")
    assert (await tab.do("navigate", url=tab.site.url("/two")))["title"] == "Two"


async def test_commands_on_a_crashed_page_end_at_once_and_the_page_can_be_left(tab: DrivenTab) -> None:
    commands: dict[str, dict[str, object]] = {
        "screenshot": {},
        "evaluate": {"code": "1"},
        "click": {"selector": "body"},
    }
    for command, params in commands.items():
        await tab.do(command, **params)
    await crash(tab.page)
    await tab_has(tab.popup, tab.tab_id, "status", "unloaded")

    for command, params in commands.items():
        code, message = await tab.refused(command, **params)
        assert (code, "crashed" in message) == ("TAB_DISCONNECTED", True)

    assert (await tab.do("navigate", url=tab.site.url("/two")))["title"] == "Two"


async def test_page_that_navigates_during_a_command_is_reported(same_tab: DrivenTab) -> None:
    command = await waiting(same_tab)

    await same_tab.page.goto(same_tab.site.url("/two"))

    assert code_of(await command) == "TAB_DISCONNECTED"
    assert (await same_tab.do("evaluate", code="document.title"))["value"] == "Two"


# In the service worker: what a headless browser, which shows no bar with Cancel, would do. Storing takes a while.
CANCEL = """async tabId => {
  const { session } = chrome.storage;
  const real = session.set;
  session.set = async (items) => {
    session.set = real;
    await new Promise((go) => (globalThis.store = go));
    return real.call(session, items);
  };
  await chrome.debugger.detach({ tabId });
  chrome.debugger.onDetach.dispatch({ tabId }, "canceled_by_user");
}"""


async def test_user_who_cancels_the_debugger_detaches_the_tab(tab: DrivenTab) -> None:
    command = await waiting(tab)
    (worker,) = tab.page.context.service_workers

    await worker.evaluate(CANCEL, tab.tab_id)

    error = (await command)["error"]
    assert (error["code"], "was detached" in error["message"]) == ("TAB_DISCONNECTED", True)
    await worker.evaluate("store()")
    assert (await tab.refused("console_logs"))[0] == "TAB_NOT_ATTACHED"


async def test_debugger_that_the_browser_closes_is_reopened(same_tab: DrivenTab) -> None:
    await same_tab.show("<script>console.log('before')</script>")
    (worker,) = same_tab.page.context.service_workers

    await worker.evaluate(f"chrome.debugger.detach({{ tabId: {same_tab.tab_id} }})")
    await worker.evaluate(f"chrome.debugger.onDetach.dispatch({{ tabId: {same_tab.tab_id} }}, 'target_closed')")

    assert (await same_tab.do("evaluate", code="1"))["value"] == 1
    # The browser repeats its events, and each is reported once.
    assert await logged(same_tab, "before") == ["before"]


async def test_tab_can_be_driven_after_the_workers_death(same_tab: DrivenTab) -> None:
    await same_tab.show("<button>Go</button><script>console.log('kept')</script>")

    await stop_worker(same_tab.popup)
    await same_tab.popup.open()
    await same_tab.bridge.connected()

    assert (await same_tab.do("click", selector="button"))["element"]["text"] == "Go"
    assert await logged(same_tab, "kept") == ["kept"]


async def test_another_debugger_on_the_tab_does_not_interfere(same_tab: DrivenTab) -> None:
    await same_tab.show("<button onclick='this.textContent = 1'>0</button>")
    devtools = await same_tab.page.context.new_cdp_session(same_tab.page)
    for domain in ("Page", "Runtime", "Debugger"):
        await devtools.send(f"{domain}.enable")

    assert await same_tab.do("click", selector="button")
    assert (await same_tab.do("evaluate", code="document.querySelector('button').textContent"))["value"] == "1"


# In the service worker: a tab is frozen the first times that it is checked.
FROZEN = """times => {
  const { tabs } = chrome;
  const real = (tabs.get.real ??= tabs.get);
  const get = async (id) => ({ ...(await real.call(tabs, id)), frozen: times-- > 0 });
  tabs.get = times ? Object.assign(get, { real }) : real;
}"""


async def test_tab_that_is_frozen_while_its_page_returns_is_not_taken_for_one_that_stays_frozen(
    same_tab: DrivenTab,
) -> None:
    await same_tab.show("<button>Go</button>")
    for times, is_awake in ((3, True), (1_000, False)):
        async with changed_worker(same_tab.page.context, FROZEN, times, 0):
            reply = await same_tab.ask("click", selector="button")

        assert (reply["success"], code_of(reply)) == (is_awake, None if is_awake else "UNREADABLE_PAGE")


async def test_dialog_does_not_block_commands_that_only_read(same_tab: DrivenTab) -> None:
    await same_tab.show("words<script>window.dataLayer = ['pushed']</script>")
    for command in ("read_tab", "getDataLayer"):
        async with same_tab.page.expect_event("dialog"):
            await same_tab.page.evaluate("void setTimeout(() => alert('later'), 0)")

        read = await same_tab.do(command)

        assert read["dialogs"] == [{"type": "alert", "message": "later", "answer": "accepted"}]
        assert "dialogs" not in await same_tab.do(command)


async def test_dialog_is_left_to_the_user_if_a_command_only_observes(same_tab: DrivenTab) -> None:
    await same_tab.show("<script>window.dataLayer = ['pushed']; console.log('observed')</script>")
    look = f"{{ action: 'run', id: 'look', command: 'getDataLayer', tabId: {same_tab.tab_id}, params: {{}}, observe: true }}"
    looked = (
        "await new Promise((reported) => { const port = chrome.runtime.connect(); port.onMessage.addListener((message) => "
        f"message.type === 'response' && reported(message)); port.postMessage({look}) }})"
    )
    assert (await same_tab.popup.chrome(looked))["result"]["values"] == ["pushed"]
    async with same_tab.page.expect_event("dialog") as shown:
        await same_tab.page.evaluate("void setTimeout(() => globalThis.answer = confirm('Send it?'), 0)")

    reply = await same_tab.popup.chrome(looked)
    logs = await same_tab.do("console_logs")

    assert (reply["error"]["code"], "by a dialog" in reply["error"]["message"]) == ("UNREADABLE_PAGE", True)
    assert logs["entries"][0]["message"] == "observed"
    await (await shown.value).accept()
    assert await same_tab.page.evaluate("answer") is True


async def test_commands_of_a_tab_run_one_after_another(same_tab: DrivenTab) -> None:
    await same_tab.do("evaluate", code="window.order = []")
    slow = "order.push('a starts'); await new Promise((go) => setTimeout(go, 300)); order.push('a ends')"

    await asyncio.gather(same_tab.do("evaluate", code=slow), same_tab.do("evaluate", code="order.push('b')"))

    assert (await same_tab.do("evaluate", code="order"))["value"] == ["a starts", "a ends", "b"]


# It finishes although the page is blocked.
TELL = "<script>function tell() { const r = new XMLHttpRequest(); r.open('GET', location + '-holds', false); r.send(); }</script>"


async def test_pages_that_block_their_tabs_forever_block_no_other_and_time_out(tab: DrivenTab) -> None:
    pages = {
        "/promise": "tell(); await new Promise(() => {})",
        "/loop": "tell(); for (;;);",
        "/alerts": "alert('again'); tell(); for (;;) alert('again')",
    }
    opened_tabs: list[tuple[DrivenTab, str]] = []
    for path, code in pages.items():
        tab.site.pages[path] = f"<title>{path}</title>{TELL}".encode()
        async with tab.page.context.expect_page() as shown:
            opened = await tab.bridge.ask("browser_create_tab", url=tab.site.url(path))
        # Otherwise Playwright would answer dialogs before the extension can.
        (await shown.value).on("dialog", lambda _dialog: None)
        held = DrivenTab(tab.bridge, tab.popup, tab.site, tab.page, opened["result"]["tab_id"])
        await held.allow_evaluate()
        opened_tabs.append((held, code))

    async def all_hold() -> bool:
        return {f"{path}-holds" for path in pages} <= {*tab.site.asked}

    async with held_limits(tab.page.context):
        commands = [asyncio.create_task(held.ask("evaluate", code=code)) for held, code in opened_tabs]
        await until(all_hold)
        assert (await tab.do("navigate", url=tab.site.url("/two")))["title"] == "Two"
        assert not any(command.done() for command in commands)

    replies = await asyncio.gather(*commands)
    assert {code_of(reply) for reply in replies} == {"COMMAND_TIMEOUT"}
    assert 'alert "again" was accepted' in replies[-1]["error"]["message"]
    assert (await tab.do("evaluate", code="1"))["value"] == 1
