"""Our server with a real browser, for benchmarks that drive third-party pages."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext

from demo.browser import browser_with_extension, pair
from demo.server import connection_string, server_environment, started_server
from tests.support.fake_extension import wait_for_port

SETTINGS = {"OLLAMA_BASE_URL": "http://127.0.0.1:9", "OLLAMA_MODEL": "none", "CHROME_TAB_SOURCE": "extension"}


@asynccontextmanager
async def driven_browser(folder: Path) -> AsyncGenerator[tuple[Any, BrowserContext]]:
    """Run the server, and a browser whose extension is paired with it; yield the MCP client and the browser."""
    async with AsyncExitStack() as stack:
        environment = server_environment(folder / "config", SETTINGS)
        client = await stack.enter_async_context(started_server(environment, folder / "server.log"))
        await wait_for_port(int(environment["CHROME_TAB_PORT"]))
        browser = await stack.enter_async_context(browser_with_extension(folder / "profile"))
        # Otherwise Playwright would answer dialogs before the extension can.
        browser.on("dialog", lambda _dialog: None)
        await pair(browser, await connection_string(environment))
        yield client, browser
