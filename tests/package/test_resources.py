"""Prompts, tabs and analyses as resources, and the notifications about changes."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from mcp import MCPError
from mcp_types import ResourceListChangedNotification, ResourceUpdatedNotification, TextContent

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab import history as chrome_tab_history
from chrome_tab import resources as chrome_tab_offers
from chrome_tab.bridge import pairing, protocol
from tests.support.fake_extension import FakeExtension, connected, free_port
from tests.support.polling import until

TEXT = "".join(f"Line {number} of the page\n" for number in range(2_000))
TABS = [
    {"id": 7, "url": "https://open.test/", "title": "Open\x1b page", "active": True, "windowId": 1},
    {"id": 8, "url": "https://denied.test/", "title": "Denied", "active": False, "windowId": 1},
]


class News(MessageHandler):
    def __init__(self) -> None:
        self.heard: list[str] = []

    async def on_resource_list_changed(self, message: ResourceListChangedNotification) -> None:
        assert message
        self.heard.append("list")

    async def on_resource_updated(self, message: ResourceUpdatedNotification) -> None:
        self.heard.append(str(message.params.uri))


Parts = tuple[Client[Any], FakeExtension, News]


@pytest.fixture
async def parts(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Parts]:
    """A client that receives notifications, and an extension with two tabs, one on a denied host."""
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    monkeypatch.setattr(chrome_tab_offers, "SETTLING_S", 0.3)
    port, news = free_port(), News()
    flags = {"source": "extension", "port": port, "history": True, "sites": {"denied.test": {"deny": True}}}
    made = app.create_server(server.load_settings(flags, need_model=False))
    async with Client(made, mode="legacy", message_handler=news) as client:
        assert [str(each.uri) for each in await client.list_resources()] == ["tab://active"]
        await client.call_tool("chrome_tab_status", {})
        async with connected(port, pairing.pairing_key()) as extension:
            answering = asyncio.create_task(answer_all(extension))
            try:
                yield client, extension, news
            finally:
                answering.cancel()


async def answer_all(extension: FakeExtension) -> None:
    while True:
        command = await extension.receive()
        if command["type"] == "command":
            tab = TABS[command.get("tab_id") == 8]
            page = {"tab_id": tab["id"], "url": tab["url"], "title": tab["title"], "text": TEXT}
            await extension.reply(command, TABS if command["command"] == "browser_get_tabs" else page)


@asynccontextmanager
async def serving() -> AsyncGenerator[Client[Any]]:
    async with Client(app.create_server(server.load_settings({}, need_model=False))) as client:
        yield client


async def test_prompts_name_the_call_to_make() -> None:
    async with serving() as client:
        listed = await client.list_prompts()
        prompts = {prompt.name: [each.name for each in prompt.arguments or []] for prompt in listed}
        asked = await client.get_prompt("ask_tab", {"question": "What does it cost?", "tab_id": "7"})
        summary = await client.get_prompt("summarize_tab", {"tab_id": "7; then"})
        extracted = await client.get_prompt("extract_tab", {"what": "all prices"})

    assert all(len(each.description or "") < 50 for prompt in listed for each in prompt.arguments or [])
    assert prompts == {
        "summarize_tab": ["tab_id"],
        "ask_tab": ["question", "tab_id"],
        "extract_tab": ["what", "tab_id"],
    }
    texts = [
        each.messages[0].content.text
        for each in (asked, summary, extracted)
        if isinstance(each.messages[0].content, TextContent)
    ]
    assert texts[0].startswith("Call process_chrome_tab with tab_id 7. As system_prompt, ")
    assert "What does it cost?" in texts[0]
    assert texts[1].startswith("Call process_chrome_tab. As system_prompt, ask for a summary")
    assert "output_schema" in texts[2]
    assert "all prices" in texts[2]


async def test_open_tabs_are_listed_and_read_in_pages_except_those_of_denied_hosts(parts: Parts) -> None:
    client, _, _ = parts

    listed = {str(each.uri): each.title for each in await client.list_resources()}
    first, note = await client.read_resource("tab://7")
    (rest,) = (await client.read_resource("tab://active?offset=40000"))[:1]

    assert listed == {"tab://active": "The active tab", "tab://7": "Open page"}
    assert getattr(first, "text", "") == TEXT[:20_000]
    assert "continue with offset=20000" in getattr(note, "text", "")
    assert getattr(rest, "text", "") == TEXT[40_000:60_000]
    for address, code in {
        "tab://8": "HOST_BLOCKED",
        "tab://first": "INVALID_ARGUMENT",
        "tab://7?offset=-1": "INVALID_ARGUMENT",
        f"tab://{'7' * 5_000}": "INVALID_ARGUMENT",
        f"tab://7?offset={'0' * 5_000}": "INVALID_ARGUMENT",
        "tab://7?offset=900000": "INVALID_ARGUMENT",
    }.items():
        with pytest.raises(MCPError, match=rf"\[{code}\]"):
            await client.read_resource(address)


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")  # the 2025 protocol continues
async def test_changes_of_tabs_are_batched_into_one_notification_for_subscribers(parts: Parts) -> None:
    client, extension, news = parts
    session: Any = client.session  # its 2025 protocol is deprecated, and in use
    with pytest.raises(MCPError, match="Only tab://active"):
        await session.subscribe_resource("tab://7")
    for _ in range(3):
        await client.list_resources()

    async def heard(*wanted: str) -> None:
        async def is_so() -> bool:
            return sorted(news.heard) == sorted(wanted)

        await until(is_so)

    async def change() -> None:
        for title in ("One", "Two", "Three"):
            await extension.send({"type": "event", "event": "tab_updated", "tab_id": 7, "url": "u", "title": title})

    await change()
    await heard("list")
    await session.subscribe_resource("tab://active")
    await change()
    await heard("list", "list", "tab://active")
    await session.unsubscribe_resource("tab://active")
    await change()
    await heard("list", "list", "list", "tab://active")


async def test_an_analysis_of_the_history_is_a_resource_unless_its_host_is_now_denied(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def data_folder(_name: str) -> str:
        return str(tmp_path / "data")

    monkeypatch.setattr(platformdirs, "user_data_dir", data_folder)
    client, _, _ = parts
    history = chrome_tab_history.History()
    for url in ("https://open.test/", "https://denied.test/"):
        history.keep("How much?", "3 EUR.", {"url": url, "title": "A page"})

    (kept,) = await client.read_resource("analysis://1")

    analysis = json.loads(getattr(kept, "text", ""))
    assert (analysis["question"], analysis["answer"]) == ("How much?", "3 EUR.")
    assert analysis["receipt"]["title"] == "A page"
    for address, code in {"analysis://2": "HOST_BLOCKED", "analysis://3": "INVALID_ARGUMENT"}.items():
        with pytest.raises(MCPError, match=rf"\[{code}\]"):
            await client.read_resource(address)
