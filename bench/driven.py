"""Our server with a real browser, for benchmarks that drive third-party pages."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext

from chrome_tab.bridge import pairing
from demo.browser import browser_with_extension, pair
from demo.server import server_environment, started_server
from tests.support.fake_extension import wait_for_port

SETTINGS = {"OLLAMA_BASE_URL": "http://127.0.0.1:9", "OLLAMA_MODEL": "none", "CHROME_TAB_SOURCE": "extension"}


@asynccontextmanager
async def driven_browser(folder: Path, arguments: Iterable[str] = ()) -> AsyncGenerator[tuple[Any, BrowserContext]]:
    """Run the server, and a browser whose extension is paired with it; yield the MCP client and the browser.

    `arguments` are additional ones for Chromium.
    """
    async with AsyncExitStack() as stack:
        environment = server_environment(folder / "config", SETTINGS)
        port = int(environment["CHROME_TAB_PORT"])
        # `--pair`, which creates a key and prints its string, would start another server.
        key_file = folder / "config" / "chrome-tab-reader" / "key"
        pairing.make_key(key_file)
        client = await stack.enter_async_context(started_server(environment, folder / "server.log"))
        await wait_for_port(port)
        browser = await stack.enter_async_context(browser_with_extension(folder / "profile", arguments=arguments))
        # Otherwise Playwright would answer dialogs before the extension can.
        browser.on("dialog", lambda _dialog: None)
        await pair(browser, pairing.connection_string(port, pairing.read_key(key_file)))
        yield client, browser
