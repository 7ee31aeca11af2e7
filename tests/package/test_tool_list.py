"""The tool list follows the extension: its tools appear and disappear, and the client is notified."""

import asyncio
import importlib
import json
import os
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from fastmcp.prompts.base import Prompt
from fastmcp.prompts.function_prompt import FunctionPrompt
from mcp_types import ToolListChangedNotification

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from tests.support.fake_extension import FakeExtension, connected, free_port, wait_for_port, within
from tests.support.polling import until
from tests.support.stdio_server import IMPATIENT, StdioServer, started
from tests.support.tool_client import error_of, text_of

READER_TOOLS = {"process_chrome_tab", "read_chrome_tab", "look_at_chrome_tab", "chrome_tab_status"}
TAB_TOOLS = {
    "process_chrome_tabs",
    "browser_get_tabs",
    "browser_create_tab",
    "browser_attach_tab",
    "browser_close_tab",
    "getDataLayer",
    "highlight_in_tab",
}
DRIVING_TOOLS = {
    "list_tabs": "kapturemcp_list_tabs",
    "navigate": "kapturemcp_navigate",
    "back": "kapturemcp_go_back",
    "forward": "kapturemcp_go_forward",
    "screenshot": "kapturemcp_screenshot",
    "click": "kapturemcp_click",
    "hover": "kapturemcp_hover",
    "press": "kapturemcp_keypress",
    "drag": "drag",
    "fill_form": "fill_form",
    "upload": "upload",
    "scroll": "kapturemcp_scroll",
    "wait_for": "wait_for",
    "fill": "kapturemcp_fill",
    "select": "kapturemcp_select",
    "evaluate": "kapturemcp_evaluate",
    "console_logs": "kapturemcp_logs",
    "network_requests": "kapturemcp_network_requests",
    "page_elements": "kapturemcp_elements",
}


async def listed(process: StdioServer) -> set[str]:
    return {tool["name"] for tool in (await process.request("tools/list"))[0]["tools"]}


async def reported(process: StdioServer) -> None:
    """Wait for the next message, which must be that the list has changed."""
    assert process.process.stdout
    line = await asyncio.wait_for(process.process.stdout.readline(), 60)
    assert json.loads(line) == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


@pytest.mark.e2e
async def test_the_extensions_tools_are_listed_only_while_it_is_connected_and_the_client_is_notified() -> None:
    port = free_port()
    model = ["--ollama-url", "http://127.0.0.1:9", "--model", "m", "--source", "extension"]
    async with started(*model, "--port", str(port), program=IMPATIENT) as process:
        capabilities = (await process.initialize())["capabilities"]
        assert capabilities["tools"]["listChanged"] is True
        assert capabilities["prompts"]["listChanged"] is True
        assert capabilities["resources"] == {"listChanged": True, "subscribe": True}
        assert await listed(process) == READER_TOOLS
        assert "bridge     ok" in str(await process.call("chrome_tab_status"))

        async with connected(port, pairing.pairing_key()):
            await reported(process)
            assert await listed(process) == READER_TOOLS | TAB_TOOLS | set(DRIVING_TOOLS)
        await reported(process)
        assert await listed(process) == READER_TOOLS


class Changes(MessageHandler):
    def __init__(self) -> None:
        self.count = 0

    async def on_tool_list_changed(self, message: ToolListChangedNotification) -> None:
        assert message
        self.count += 1


@asynccontextmanager
async def serving(port: int, changes: Changes | None = None, **flags: str) -> AsyncGenerator[Client[Any]]:
    """A server that has received only `initialize`, from a client that accepts notifications."""
    settings = server.load_settings({"source": "extension", "port": port} | flags, need_model=False)
    async with Client(app.create_server(settings), mode="legacy", message_handler=changes) as client:
        yield client


@asynccontextmanager
async def connected_soon(port: int) -> AsyncGenerator[FakeExtension]:
    """An extension that connects as soon as the server listens."""
    await wait_for_port(port)
    async with connected(port, pairing.pairing_key()) as extension:
        yield extension


async def gone(client: Client[Any]) -> None:
    """Wait until the server knows that the extension is gone."""

    async def look() -> bool:
        return "connected, version" not in text_of(await client.call_tool("chrome_tab_status", {}))

    await until(look)


async def test_kapture_names_appear_and_disappear_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    port = free_port()
    async with serving(port, tool_names="kapture") as client:
        assert {tool.name for tool in await client.list_tools()} == READER_TOOLS
        async with connected_soon(port):
            listed_then = {tool.name for tool in await client.list_tools()}
        await gone(client)
        assert {tool.name for tool in await client.list_tools()} == READER_TOOLS

    assert listed_then == READER_TOOLS | TAB_TOOLS | set(DRIVING_TOOLS.values())


async def test_with_applescript_the_tabs_can_be_listed_and_read_without_an_extension() -> None:
    settings = server.load_settings({"source": "applescript"}, need_model=False)
    async with Client(app.create_server(settings), mode="legacy") as client:
        listed_first = {tool.name for tool in await client.list_tools()}

    assert listed_first == READER_TOOLS | {"browser_get_tabs", "process_chrome_tabs"}


async def test_starting_and_listing_import_no_parser_of_docstrings_and_no_modules_for_session_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unneeded = ("griffe", "key_value.aio.adapters.pydantic", "key_value.aio.stores.memory")
    for name in unneeded:
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError):
            importlib.import_module(name)
    # Without the cache of all tests.
    monkeypatch.setattr(Prompt, "from_function", FunctionPrompt.from_function)
    settings = server.load_settings({"source": "applescript"}, need_model=False)
    async with Client(app.create_server(settings)) as client:
        assert await client.list_tools()
        assert "browser " in text_of(await client.call_tool("chrome_tab_status", {}))
    async with Client(app.create_server(server.load_settings({}, need_model=False))) as client:
        assert await client.list_prompts()


async def test_tools_of_a_recently_connected_extension_are_listed_at_once_and_a_call_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    port = free_port()
    async with serving(port) as client:
        assert {tool.name for tool in await client.list_tools()} == READER_TOOLS
        await client.call_tool("chrome_tab_status", {})
        async with connected(port, pairing.pairing_key()):
            # The server processes this after the handshake's last message.
            await until(lambda: asyncio.sleep(0, pairing.last_port() == port))
        await gone(client)
    changes = Changes()
    async with serving(port, changes) as client:
        listed_first = {tool.name for tool in await client.list_tools()}
        failed = await client.call_tool("browser_get_tabs", {}, raise_on_error=False)
        monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 60)
        call = asyncio.create_task(client.call_tool("browser_get_tabs", {}))
        async with connected_soon(port) as extension:
            await extension.reply(await extension.receive(), [])
            answered = text_of(await within(call))
            changes_at_connection = changes.count
        monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
        await gone(client)
        listed_last = {tool.name for tool in await client.list_tools()}

    assert (changes_at_connection, changes.count) == (0, 1)
    assert listed_first == READER_TOOLS | TAB_TOOLS | set(DRIVING_TOOLS)
    code, sentence = error_of(failed)
    assert code == "EXTENSION_NOT_CONNECTED"
    assert "did not connect within 0.1 s" in sentence
    assert "Open the browser" in sentence
    assert answered == "[]"
    assert listed_last == READER_TOOLS


def set_time(path: Path, seconds: float) -> None:
    os.utime(path, (seconds, seconds))


@pytest.mark.parametrize("away", ["other port", "8 days ago", "before the key", "never"])
async def test_tools_are_not_listed_if_no_extension_was_connected_recently(away: str) -> None:
    port = free_port()
    pairing.pairing_key()
    key, mark = (server.config_dir() / name for name in ("key", "last-port"))
    if away != "never":
        pairing.remember_port(port + (away == "other port"))
    if away == "8 days ago":
        for path in (key, mark):
            set_time(path, time.time() - 8 * 86_400)
    if away == "before the key":
        set_time(mark, key.stat().st_mtime - 60)
    async with serving(port) as client:
        assert {tool.name for tool in await client.list_tools()} == READER_TOOLS

        # The same installation, after the extension was connected.
        pairing.remember_port(port)
        assert {tool.name for tool in await client.list_tools()} >= set(DRIVING_TOOLS)
    assert mark.stat().st_mode & 0o077 == 0 or os.name == "nt"
    assert mark.read_text(encoding="ascii") == str(port)


async def test_a_client_of_the_sessionless_protocol_which_gets_no_notifications_always_sees_every_tool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    settings = server.load_settings({"source": "extension", "port": free_port()}, need_model=False)
    async with Client(app.create_server(settings), mode="2026-07-28") as client:
        listed_without = {tool.name for tool in await client.list_tools()}
        status = text_of(await client.call_tool("chrome_tab_status", {}))

    assert listed_without == READER_TOOLS | TAB_TOOLS | set(DRIVING_TOOLS)
    assert "extension  FIX" in status


async def test_a_tool_that_is_not_listed_yet_runs_as_soon_as_the_extension_connects() -> None:
    port = free_port()
    async with serving(port) as client:
        assert {tool.name for tool in await client.list_tools()} == READER_TOOLS
        call = asyncio.create_task(client.call_tool("browser_get_tabs", {}))
        async with connected_soon(port) as extension:
            command = await extension.receive()
            assert command["command"] == "browser_get_tabs"
            await extension.reply(command, [])
            assert text_of(await within(call)) == "[]"


async def test_the_list_contains_no_null_and_no_framework_metadata_and_its_titles_are_words() -> None:
    port = free_port()
    async with serving(port) as client:
        asyncio.create_task(client.list_tools())  # noqa: RUF006 -- it makes the server take its port
        async with connected_soon(port):
            tools = await client.list_tools()

    shown = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    assert len(shown) == 30
    assert not [tool["name"] for tool in shown if "null" in json.dumps(tool) or "_meta" in tool]
    titles = {tool["name"]: tool["title"] for tool in shown}
    assert titles["getDataLayer"] == "Get Data Layer"
    assert titles["process_chrome_tab"] == "Process Chrome Tab"
