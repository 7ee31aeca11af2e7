"""The tool list follows the extension: its tools appear and vanish, and the client is told."""

import asyncio
import json

import pytest

import chrome_tab_mcp_server as server
from tests.support.fake_extension import connected, free_port
from tests.support.stdio_server import StdioServer, started

READER_TOOLS = {"process_chrome_tab", "read_chrome_tab", "chrome_tab_status"}
TAB_TOOLS = {"process_chrome_tabs", "browser_get_tabs", "browser_create_tab", "browser_close_tab", "getDataLayer"}
DRIVING_TOOLS = {
    "list_tabs": "kapturemcp_list_tabs",
    "navigate": "kapturemcp_navigate",
    "back": "kapturemcp_go_back",
    "forward": "kapturemcp_go_forward",
    "screenshot": "kapturemcp_screenshot",
    "click": "kapturemcp_click",
    "hover": "kapturemcp_hover",
    "fill": "kapturemcp_fill",
    "select": "kapturemcp_select",
    "evaluate": "kapturemcp_evaluate",
    "console_logs": "kapturemcp_logs",
}


async def listed(process: StdioServer) -> set[str]:
    return {tool["name"] for tool in (await process.request("tools/list"))[0]["tools"]}


async def told(process: StdioServer) -> None:
    """Wait for the next message, which must say that the list has changed."""
    assert process.process.stdout
    line = await asyncio.wait_for(process.process.stdout.readline(), 30)
    assert json.loads(line) == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("names", "driving"), [("default", set(DRIVING_TOOLS)), ("kapture", set(DRIVING_TOOLS.values()))]
)
async def test_the_extensions_tools_are_listed_only_while_it_is_connected_and_the_client_is_told(
    names: str, driving: set[str]
) -> None:
    port = free_port()
    model = ["--ollama-url", "http://127.0.0.1:9", "--model", "m", "--source", "extension"]
    async with started(*model, "--port", str(port), "--tool-names", names) as process:
        capabilities = (await process.initialize())["capabilities"]
        assert capabilities["tools"]["listChanged"] is True
        assert await listed(process) == READER_TOOLS
        assert "bridge     ok" in str(await process.call("chrome_tab_status"))

        async with connected(port, server.pairing_key()):
            await told(process)
            assert await listed(process) == READER_TOOLS | TAB_TOOLS | driving
        await told(process)
        assert await listed(process) == READER_TOOLS
