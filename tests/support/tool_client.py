"""How tests call the tools: an MCP client in memory, the real server, a fake osascript, a fake model server."""

import asyncio
import contextlib
import dataclasses
import re
from collections.abc import AsyncGenerator
from typing import Any

from fastmcp import Client
from fastmcp.client.client import CallToolResult
from mcp_types import CallToolResult as BareResult
from mcp_types import TextContent

import chrome_tab_mcp_server as server
from chrome_tab import app
from tests.support.fake_models import FakeOpenAIServer

Result = CallToolResult | BareResult

WAIT_S = 60
READ = re.compile(
    r"\n\n\(read [\d,]+ of [\d,]+ characters in \d+ chunks?, .+, (?:\d+\.\d s|answered before)(?:; .+)?\)(?=\n\nNote: |$)"
)


class ProgressLog:
    """The progress notifications of a call."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.totals: set[float | None] = set()
        self.messages: list[str] = []
        self._changed = asyncio.Event()

    async def listen(self, progress: float, total: float | None, message: str | None) -> None:
        self.values.append(progress)
        self.totals.add(total)
        self.messages.append(message or "")
        self._changed.set()

    async def wait_for(self, words: str, *, times: int = 1) -> None:
        """Wait until this many messages contain this text."""
        async with asyncio.timeout(WAIT_S):
            while sum(words in message for message in self.messages) < times:
                self._changed.clear()
                await self._changed.wait()


@dataclasses.dataclass(frozen=True)
class ToolClient:
    client: Client[Any]

    async def ask(self, **arguments: Any) -> Result:
        """Ask without a progress token, which `Client.call_tool` would always send."""
        return await self.client.session.call_tool("process_chrome_tab", arguments)

    async def ask_with_progress(self, reported: ProgressLog, **arguments: Any) -> Result:
        """Ask with a progress token."""
        return await self.client.call_tool(
            "process_chrome_tab", arguments, progress_handler=reported.listen, raise_on_error=False
        )


@contextlib.asynccontextmanager
async def serving(fake: FakeOpenAIServer | str, **settings: Any) -> AsyncGenerator[ToolClient]:
    """A started server that uses the fake's model."""
    url = fake if isinstance(fake, str) else fake.url
    flags = {"ollama_url": url, "model": "fake-model", "source": "applescript"} | settings
    async with Client(app.create_server(server.load_settings(flags, need_model=True))) as client:
        yield ToolClient(client)


def text_of(result: Result) -> str:
    """Return the answer of a successful call, without the line that states what was read."""
    assert not result.is_error, result.content
    block = result.content[0]
    assert isinstance(block, TextContent)
    return READ.sub("", block.text)


def receipt_of(result: Result) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert result.meta is not None
    return result.meta["receipt"]


def error_of(result: Result) -> tuple[str, str]:
    """Return the code and the sentence of a failed call; its text must contain the same."""
    assert result.is_error, result.content
    assert result.structured_content is not None
    error = result.structured_content["error"]
    block = result.content[0]
    assert isinstance(block, TextContent)
    assert block.text == f"{error['message']} [{error['code']}]"
    return error["code"], error["message"]
