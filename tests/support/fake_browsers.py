"""A server with its client, and fake browser profiles that connect to it and answer."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastmcp import Client
from websockets.exceptions import ConnectionClosed

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing
from tests.support.fake_extension import FakeExtension, Message, connected, free_port, wait_for_port, within
from tests.support.polling import until
from tests.support.tool_client import text_of


def about(name: str, *, kind: str = "Chrome", wish: str = "", run: str = "first-run", **more: Any) -> Message:
    """Return what a profile's extension reports about its browser; its random id is made from `name`."""
    return {"id": f"profile-{name}", "run": f"{run}-{name}", "kind": kind, "name": wish, **more}


def tab(number: int, title: str = "", **more: Any) -> Message:
    return {
        "id": number,
        "url": f"https://{title or number}.test/",
        "title": title,
        "active": True,
        "windowId": 1,
        **more,
    }


VALUES: dict[str, Message] = {
    "screenshot": {"data": "AAAA", "mime_type": "image/jpeg", "width": 8, "height": 8},
    "evaluate": {"value": 7},
    "console_logs": {"entries": []},
    "network_requests": {"entries": []},
    "getDataLayer": {"values": [], "since": 0, "total": 0, "redacted": {}},
}


class Profile:
    """A connected browser that answers: its tabs by their ids, each with the text `TITLE of NAME`."""

    def __init__(self, extension: FakeExtension, name: str, tabs: list[Message]) -> None:
        self.extension, self.name, self.tabs = extension, name, tabs
        self.commands: list[Message] = []
        self.events: list[Message] = []
        # While it is cleared nothing is answered.
        self.answers = asyncio.Event()
        self.answers.set()

    async def serve(self) -> None:
        try:
            while True:
                message = await self.extension.receive()
                if message["type"] != "command":
                    self.events.append(message)
                    continue
                self.commands.append(message)
                asyncio.get_running_loop().create_task(self._answer(message))
        except ConnectionClosed:
            return

    async def _answer(self, message: Message) -> None:
        await self.answers.wait()
        match message["command"]:
            case "browser_get_tabs":
                result: Any = self.tabs
            case "list_tabs":
                result = [{"tab_id": each["id"], "url": each["url"], "title": each["title"]} for each in self.tabs]
            case command if command in VALUES:
                result = {**VALUES[command], "url": self.tabs[0]["url"], "title": self.tabs[0]["title"]}
            case "browser_create_tab":
                result = {"tab_id": 70, "url": message["params"]["url"], "title": "new"}
            case "click":
                result = {"url": "https://click.test/", "title": self.name, "notes": ["It opened tab 3 at x."]}
            case _:
                number = message.get("tab_id")
                found = [each for each in self.tabs if number in {None, each["id"]}]
                if not found:
                    error = {"code": "TAB_NOT_FOUND", "message": f"There is no tab {number}. List them."}
                    await self.extension.refuse(message, error)
                    return
                one = found[0]
                result = {
                    "tab_id": one["id"],
                    "url": one["url"],
                    "title": one["title"],
                    "text": one.get("text", f"{one['title']} of {self.name}"),
                    "incognito": False,
                }
        await self.extension.reply(message, result)

    async def look(self, **at: Any) -> None:
        """Report that the user looks at it, and wait until the server has processed that."""
        await self.extension.send({"type": "event", "event": "looked_at", "at": time.time() * 1000, **at})
        await self.settle()

    async def settle(self) -> None:
        """Wait until the server has processed everything that was sent before."""
        await self.extension.send({"type": "ping"})
        await until(lambda: self._take("pong"))

    async def _take(self, kind: str) -> bool:
        found = [event for event in self.events if event["type"] == kind]
        for event in found:
            self.events.remove(event)
        return bool(found)


class World:
    """A server with its client, and browsers that connect to it."""

    def __init__(self, client: Client[Any], port: int, stack: AsyncExitStack) -> None:
        self.client, self.port, self._stack = client, port, stack

    async def browser(self, name: str, *tabs: Message, **said: Any) -> Profile:
        """Connect a browser until the end of the test."""
        return await self._stack.enter_async_context(self.connected(name, *tabs, **said))

    @asynccontextmanager
    async def connected(
        self, name: str, *tabs: Message, is_older: bool = False, **said: Any
    ) -> AsyncGenerator[Profile]:
        """Connect a browser for the duration of the block; an older extension reports nothing about its browser."""
        browser = None if is_older else about(name, **said)
        async with connected(self.port, pairing.pairing_key(), browser) as extension:
            profile = Profile(extension, name, list(tabs))
            serving = asyncio.create_task(profile.serve())
            try:
                yield profile
            finally:
                serving.cancel()

    async def call(self, tool: str, **arguments: Any) -> Any:
        return await within(self.client.call_tool(tool, arguments, raise_on_error=False))

    async def read(self, **arguments: Any) -> str:
        return text_of(await self.call("read_chrome_tab", **arguments))

    async def tabs(self) -> list[Message]:
        return json.loads(text_of(await self.call("browser_get_tabs")))

    async def status(self) -> str:
        lines = text_of(await self.call("chrome_tab_status")).splitlines()
        return next(line for line in lines if line.startswith("extension"))


@asynccontextmanager
async def world(port: int | None = None, **settings: Any) -> AsyncGenerator[World]:
    port = port or free_port()
    flags = {"source": "extension", "port": port} | settings
    async with AsyncExitStack() as stack:
        client = Client(app.create_server(server.load_settings(flags, need_model=False)))
        await stack.enter_async_context(client)
        await client.list_tools()
        await wait_for_port(port)
        yield World(client, port, stack)
