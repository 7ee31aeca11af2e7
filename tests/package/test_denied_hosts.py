"""A host that `[sites]` denies: no tool touches it or shows anything of it, through either source."""

import asyncio
import base64
import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from websockets.exceptions import ConnectionClosed

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from tests.conftest import WriteToml
from tests.support.fake_extension import FakeExtension, connected, free_port
from tests.support.fake_models import FakeOpenAIServer
from tests.support.fake_osascript import FakeOsascript
from tests.support.tool_client import error_of

SECRET = "account 1234567"
FINE, DENIED = 5, 6
ADDRESSES = {FINE: "https://shop.example/", DENIED: "https://my.bank.example/a"}
PICTURE = base64.b64encode(b"a picture").decode()

# Every tool for one tab, and the arguments that it needs in addition to the tab.
OF_A_TAB: dict[str, dict[str, Any]] = {
    "process_chrome_tab": {},
    "read_chrome_tab": {},
    "highlight_in_tab": {"text": "x"},
    "getDataLayer": {},
    "navigate": {"url": "https://shop.example/next"},
    "back": {},
    "forward": {},
    "page_elements": {},
    "screenshot": {},
    "look_at_chrome_tab": {"question": "x"},
    "click": {"selector": "#a"},
    "press": {"keys": "Enter"},
    "fill_form": {"fields": [{"selector": "#a", "value": "x"}]},
    "upload": {"selector": "#a", "paths": [__file__]},
    "drag": {"source": "#a", "target": "#b"},
    "scroll": {"to": "bottom"},
    "wait_for": {"text": "x"},
    "hover": {"selector": "#a"},
    "fill": {"selector": "#a", "value": "x"},
    "select": {"selector": "#a", "value": "x"},
    "evaluate": {"code": "1"},
    "console_logs": {},
    "network_requests": {},
    "browser_close_tab": {},
    "browser_attach_tab": {"reason": "x"},
}
OF_NO_TAB = {"process_chrome_tabs", "browser_get_tabs", "list_tabs", "browser_create_tab", "chrome_tab_status"}
READERS = ["process_chrome_tab", "read_chrome_tab"]


class FakeBrowser:
    """Answers every command as if both tabs were attached and open, and records which command touched which tab.

    `led_to` is where any action on a tab leads it.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget what it was asked and where it was led."""
        self.addresses = dict(ADDRESSES)
        self.led_to: str | None = None
        self.touched: list[tuple[str, int | None]] = []
        # The hosts that each command listed as denied.
        self.warned: list[list[str] | None] = []
        # The hosts for which each command requested a consent prompt, or not.
        self.reported: list[list[Any] | None] = []

    async def answer(self, extension: FakeExtension) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                message = await extension.receive()
                if message["type"] == "command":
                    self.warned.append(message["params"].get("denied_hosts"))
                    self.reported.append(message["params"].get("ask_hosts"))
                    await extension.reply(message, self.reply(message["command"], message.get("tab_id")))

    def reply(self, command: str, tab_id: int | None) -> Any:
        tabs = [{"id": i, "tab_id": i, "url": url, "title": self.words(i)} for i, url in self.addresses.items()]
        if command in {"browser_get_tabs", "list_tabs"}:
            return tabs
        self.touched.append((command, tab_id))
        if command == "browser_create_tab":
            return {"tab_id": DENIED, "url": ADDRESSES[DENIED], "title": SECRET}
        # Without an id the reading commands use the tab that the user looks at.
        tab = tab_id or DENIED
        if self.led_to and command != "read_tab":
            self.addresses[tab] = self.led_to
        words = self.words(tab)
        return {
            "tab_id": tab,
            "url": self.addresses[tab],
            **dict.fromkeys(("title", "text", "value"), words),
            "values": [words],
            "total": 1,
            "since": 0,
            "redacted": {},
            "entries": [{"message": words, "url": self.addresses[tab]}],
            "element": {"text": words},
            "data": PICTURE,
            "mime_type": "image/png",
        }

    def words(self, tab: int) -> str:
        return "news" if self.addresses[tab] == ADDRESSES[FINE] else SECRET


Parts = tuple[Client[Any], FakeBrowser]


@contextlib.asynccontextmanager
async def browsing(**settings: Any) -> AsyncGenerator[Parts]:
    port = free_port()
    async with FakeOpenAIServer() as model:
        flags = {"ollama_url": model.url, "model": "fake-model", "source": "extension", "port": port} | settings
        flags["upload_folder"] = [str(Path(__file__).parent)]
        async with Client(app.create_server(server.load_settings(flags, need_model=True))) as client:
            browser = FakeBrowser()
            if flags["source"] == "applescript":
                yield client, browser
            else:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
                    await client.call_tool("chrome_tab_status", {})
                async with connected(port, pairing.pairing_key()) as extension:
                    answering = asyncio.create_task(browser.answer(extension))
                    yield client, browser
                    answering.cancel()
        assert not any(SECRET in str(request.body) for request in model.requests)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)


@pytest.fixture
async def parts(write_toml: WriteToml) -> AsyncGenerator[Parts]:
    write_toml('[sites."*.bank.example"]\ndeny = true')
    async with browsing() as pair:
        yield pair


async def call(parts: Parts, tool: str, **arguments: Any) -> Any:
    return await parts[0].call_tool(tool, OF_A_TAB.get(tool, {}) | arguments, raise_on_error=False)


async def test_only_tools_that_change_nothing_are_marked_read_only(parts: Parts) -> None:
    tools = await parts[0].list_tools()
    reading = {tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint}
    harmless = {tool.name for tool in tools if tool.annotations and tool.annotations.destructive_hint is False}

    looking = {"browser_get_tabs", "list_tabs", "getDataLayer", "page_elements", "screenshot", "console_logs"}
    looking |= {"network_requests", "wait_for", "look_at_chrome_tab", "highlight_in_tab"}
    assert reading == looking | {*READERS, "process_chrome_tabs", "chrome_tab_status"}
    assert harmless - reading == {"browser_create_tab", "browser_attach_tab", "hover", "scroll"}


async def test_the_tables_here_list_every_tool(parts: Parts) -> None:
    assert {tool.name for tool in await parts[0].list_tools()} == OF_A_TAB.keys() | OF_NO_TAB


async def test_a_tab_of_a_denied_host_is_not_touched_and_none_of_it_is_shown(
    parts: Parts, subtests: pytest.Subtests
) -> None:
    for tool in OF_A_TAB:
        with subtests.test(tool):
            parts[1].begin()
            result = await call(parts, tool, tab_id=DENIED)

            code, sentence = error_of(result)
            assert code == "HOST_BLOCKED"
            assert "my.bank.example" in sentence
            assert SECRET not in str(result)
            # The server learns where the tab is by reading it.
            assert {command for command, _ in parts[1].touched} <= {"read_tab"}

            assert not (await call(parts, tool, tab_id=FINE)).is_error


async def test_without_a_tab_id_the_default_tab_decides(parts: Parts, subtests: pytest.Subtests) -> None:
    for tool in sorted(OF_A_TAB.keys() - {"browser_close_tab", "browser_attach_tab"}):
        with subtests.test(tool):
            parts[1].begin()
            result = await call(parts, tool)

            assert error_of(result)[0] == "HOST_BLOCKED"
            assert SECRET not in str(result)
            assert {command for command, _ in parts[1].touched} <= {"read_tab"}

            parts[1].addresses[DENIED] = ADDRESSES[FINE]
            assert not (await call(parts, tool)).is_error


async def test_nothing_is_shown_of_a_denied_host_to_which_a_command_leads(
    parts: Parts, subtests: pytest.Subtests
) -> None:
    for tool in sorted(OF_A_TAB.keys() - {"browser_close_tab", "getDataLayer", *READERS}):
        with subtests.test(tool):
            parts[1].begin()
            parts[1].led_to = ADDRESSES[DENIED]

            result = await call(parts, tool, tab_id=FINE)

            assert error_of(result)[0] == "HOST_BLOCKED"
            assert SECRET not in str(result)


async def test_the_extension_is_notified_which_hosts_frames_it_may_not_enter(parts: Parts) -> None:
    for tool in [*READERS, "click", "page_elements", "wait_for", "screenshot"]:
        parts[1].begin()
        await call(parts, tool, tab_id=FINE)

        assert ["*.bank.example"] in parts[1].warned, tool


async def test_lists_of_tabs_leave_out_denied_hosts(parts: Parts) -> None:
    for tool in ["browser_get_tabs", "list_tabs"]:
        result = await call(parts, tool)

        assert [tab["url"] for tab in result.structured_content["result"]] == [ADDRESSES[FINE]], tool
        assert SECRET not in str(result)


async def test_the_denied_one_of_several_tabs_is_reported_as_not_read(parts: Parts) -> None:
    result = await call(parts, "process_chrome_tabs", tab_ids=[FINE, DENIED])

    assert "HOST_BLOCKED" in str(result)
    assert "An answer." in str(result)
    assert SECRET not in str(result)


async def test_a_new_tab_that_is_redirected_to_a_denied_host_is_closed(parts: Parts) -> None:
    assert error_of(await call(parts, "browser_create_tab", url=ADDRESSES[DENIED]))[0] == "HOST_BLOCKED"
    assert parts[1].touched == []

    result = await call(parts, "browser_create_tab", url="https://shop.example/out")

    assert error_of(result)[0] == "HOST_BLOCKED"
    assert SECRET not in str(result)
    assert parts[1].touched == [("browser_create_tab", None), ("browser_close_tab", DENIED)]


async def test_the_status_shows_nothing_of_a_page(parts: Parts) -> None:
    result = await call(parts, "chrome_tab_status")

    assert not result.is_error
    assert SECRET not in str(result)


@pytest.mark.parametrize("source", ["applescript", "extension"])
async def test_each_source_withholds_what_is_denied(
    source: str, osascript: FakeOsascript, write_toml: WriteToml, subtests: pytest.Subtests
) -> None:
    write_toml('[sites."*.bank.example"]\ndeny = true')
    async with browsing(source=source, clipboard=True) as parts:
        for tool in [*READERS, "chrome_tab_status"]:
            with subtests.test(tool):
                parts[1].begin()
                osascript.shows(SECRET, about=f'{{"url": "{ADDRESSES[DENIED]}", "title": "{SECRET}"}}')
                before = len(osascript.calls())
                result = await call(parts, tool)
                assert SECRET not in str(result)
                assert {one.clipboard for one in osascript.calls()[before:]} <= {"0"}
                if tool in READERS:
                    assert error_of(result)[0] == "HOST_BLOCKED"

                osascript.shows("news", about=f'{{"url": "{ADDRESSES[FINE]}", "title": "News"}}')
                parts[1].addresses[DENIED] = ADDRESSES[FINE]
                result = await call(parts, tool)
                assert not result.is_error
                # The extension cannot copy to the clipboard.
                assert ("--clipboard" in str(result)) is (source == "extension" and tool in READERS)
