"""Commands that end before they finish: their client is gone, or the user has revoked permission."""

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest

from tests.extension.conftest import DrivenTab, changed_worker
from tests.extension.test_lost_tabs import code_of, waiting
from tests.support.fake_bridge import Message
from tests.support.polling import until

STUCK = "document.title = 'Waiting'; new Promise((go) => globalThis.go = go)"


@pytest.fixture
async def tab(driven: DrivenTab) -> DrivenTab:
    await driven.allow_evaluate()
    return driven


async def asked(tab: DrivenTab, command: str, **params: object) -> tuple[str, asyncio.Task[Message]]:
    """Send a command; return its task and its id."""
    task = asyncio.create_task(tab.ask(command, **params))
    # It is sent in the task's first turn.
    await asyncio.sleep(0)
    return str(tab.bridge.last_id), task


async def cancel(tab: DrivenTab, command_id: str) -> None:
    await tab.bridge.send({"type": "cancel", "id": command_id})


async def test_cancelled_command_ends_at_once_and_the_next_one_runs(tab: DrivenTab) -> None:
    running = await waiting(tab, STUCK)

    await cancel(tab, "999999")
    await cancel(tab, str(tab.bridge.last_id))

    assert "was canceled" in (await running)["error"]["message"]
    assert (await tab.do("evaluate", code="1"))["value"] == 1


async def test_queued_command_that_is_cancelled_never_starts(tab: DrivenTab) -> None:
    running = await waiting(tab, STUCK)
    cancelled_id, cancelled = await asked(tab, "evaluate", code="globalThis.ran = 'cancelled'")
    _, kept = await asked(tab, "evaluate", code="globalThis.ran ??= 'kept'")

    await cancel(tab, cancelled_id)
    assert "was canceled" in (await cancelled)["error"]["message"]
    await tab.page.evaluate("go()")

    assert (await running)["success"]
    assert (await kept)["result"]["value"] == "kept"


async def test_queued_code_does_not_run_once_the_user_has_turned_its_switch_off(tab: DrivenTab) -> None:
    running = await waiting(tab, STUCK)
    _, queued = await asked(tab, "evaluate", code="globalThis.ran = 'queued'")
    # Tabs are chosen in turn: once this one is, the queued command has passed its first check.
    assert code_of(await tab.bridge.ask("read_tab", tab_id=999_999)) == "TAB_NOT_FOUND"

    await tab.user_does("set_allow_evaluate", on=False)
    stored = (
        f"Object.fromEntries((await chrome.storage.session.get('attachments')).attachments)[{tab.tab_id}].evaluateOn"
    )
    await until(lambda: tab.popup.chrome(f"!({stored})"))
    await tab.page.evaluate("go()")

    assert (await running)["success"]
    assert code_of(await queued) == "EVALUATE_NOT_ALLOWED"
    assert await tab.page.evaluate("typeof ran") == "undefined"


async def test_commands_of_a_broken_connection_do_not_start_any_more(tab: DrivenTab) -> None:
    running = await waiting(tab, STUCK)
    lost = [(await asked(tab, "evaluate", code=f"globalThis.ran = {number}"))[1] for number in range(5)]

    await tab.bridge.hang_up()
    await tab.bridge.connected()
    await tab.page.evaluate("go()")

    assert (await tab.do("evaluate", code="typeof ran"))["value"] == "undefined"
    for command in [running, *lost]:
        assert not command.done()
        command.cancel()


@pytest.mark.parametrize("way", ["disconnect", "unpair", "connect"])
async def test_tab_requested_before_the_user_disconnected_is_not_attached_afterwards(tab: DrivenTab, way: str) -> None:
    url = tab.site.url("/slow")
    async with tab.page.context.expect_page(lambda page: "/slow" in page.url or page.url == "about:blank") as opening:
        opened = asyncio.create_task(tab.bridge.ask("browser_create_tab", url=url))
    page = await opening.value

    async def does(action: str) -> None:
        await tab.popup.act(action, connectionString=tab.bridge.connection_string)

    await does(way)
    if not page.is_closed():
        await page.wait_for_event("close")
    tab.site.finish_slow.set()
    if way != "connect":
        await tab.popup.open()
        await tab.popup.shows("Disconnected" if way == "disconnect" else "Setup")
        await does("reconnect" if way == "disconnect" else "connect")
    await tab.bridge.connected()

    attached = (await tab.bridge.ask("list_tabs"))["result"]
    assert [each["tab_id"] for each in attached if each["url"] == url] == []
    # Permission for one server is not permission for the next.
    assert (tab.tab_id in [each["tab_id"] for each in attached]) is (way == "disconnect")
    opened.cancel()


async def test_error_in_a_function_of_the_extension_is_not_taken_for_another_page(tab: DrivenTab) -> None:
    await tab.show("<button id=go>Go</button>")
    await tab.do("click", selector="#go")
    target = f"target: {{ tabId: {tab.tab_id} }}"
    broken = "globalThis.chromeTabReader.readChanges = () => { throw new TypeError() }"
    await tab.popup.chrome(f"await chrome.scripting.executeScript({{ {target}, func: () => {{ {broken} }} }})")

    code, _ = await tab.refused("click", selector="#go")

    assert code == "EXECUTION_ERROR"
    await tab.show("<button id=go>Go</button>")
    assert (await tab.do("click", selector="#go"))["matches"] == 1


# In the service worker: another page comes before the debugger gets the first command that has the parameter `parameter`.
LEAVE = """({ url, parameter }) => {
  const api = chrome.debugger;
  const real = (api.sendCommand.real ??= api.sendCommand);
  let isLeft = false;
  const send = async (target, method, params) => {
    if (!isLeft && params?.[parameter] !== undefined) {
      isLeft = true;
      const loaded = new Promise((go) => chrome.webNavigation.onCompleted.addListener(go));
      await chrome.tabs.update(target.tabId, { url });
      await loaded;
    }
    return real.call(api, target, method, params);
  };
  api.sendCommand = url ? Object.assign(send, { real }) : real;
}"""


def led_away(tab: DrivenTab, parameter: str, path: str) -> AbstractAsyncContextManager[None]:
    """Show the page at this path before the first command of the debugger with this parameter."""
    return changed_worker(
        tab.page.context, LEAVE, {"url": tab.site.url(path), "parameter": parameter}, {"url": "", "parameter": ""}
    )


async def test_page_that_leaves_while_the_debugger_is_asked_about_it_is_reported(tab: DrivenTab) -> None:
    await tab.show("<script>customElements.define('x-box', class extends HTMLElement {})</script><x-box></x-box>")
    await tab.page.evaluate("document.querySelector('x-box').attachShadow({ mode: 'open' }).append('Box')")

    async with led_away(tab, "contextId", "/one"):
        code, _ = await tab.refused("fill_form", fields=[{"selector": "x-box", "value": True}])

    assert code == "TAB_DISCONNECTED"
    assert tab.page.url == tab.site.url("/one")


async def test_field_that_was_not_read_before_its_page_left_is_not_reported_as_written(tab: DrivenTab) -> None:
    note = "#name: The page navigated away before the field could be read."
    tab.site.pages["/next"] = b"<title>Next</title><input id=mail>"
    fields = [{"selector": "#name", "value": "Ada"}, {"selector": "#mail", "value": "-"}]
    await tab.show("<input id=name><input id=mail>")

    async with led_away(tab, "text", "/next"):
        form = await tab.do("fill_form", fields=fields)
    await tab.show("<input id=name><input id=mail>")
    async with led_away(tab, "text", "/one"):
        code, message = await tab.refused("fill_form", fields=fields)

    assert form["fields"] == [{"selector": "#name"}, {"selector": "#mail", "value": "-"}]
    assert form["notes"] == [note]
    assert code == "ELEMENT_NOT_FOUND"
    assert message.startswith("Written before this error: 0 of 2 fields. ")
    assert message.endswith(note)
