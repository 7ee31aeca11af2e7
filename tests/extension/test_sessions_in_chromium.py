"""Two sessions, one real browser: the leader is killed, and the other session continues."""

import http.server
from collections.abc import Generator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from demo.browser import browser_with_extension, extension_id, pair
from demo.server import connection_string, server_environment, started_server
from demo.web import WebServer, serving
from tests.support.browser import STILL, chromium_arguments
from tests.support.fake_extension import process_on, wait_for_port
from tests.support.polling import until


@pytest.fixture
def site() -> Generator[str]:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>Ferry</title><p>The ferry leaves at nine.</p>")

        def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 -- the base class names it so

    with serving(WebServer(Page)) as address:
        yield address


async def test_after_kill_9_of_the_leader_the_extension_reconnects_and_the_other_session_answers(
    site: str, tmp_path: Path
) -> None:
    model = {"OLLAMA_BASE_URL": "http://127.0.0.1:9", "OLLAMA_MODEL": "none", "CHROME_TAB_SOURCE": "extension"}
    environment = server_environment(tmp_path / "config", model)
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(started_server(environment, tmp_path / "first.log"))
        await wait_for_port(int(environment["CHROME_TAB_PORT"]))
        second = await stack.enter_async_context(started_server(environment, tmp_path / "second.log"))
        arguments = [*chromium_arguments(), *STILL]
        browser = await stack.enter_async_context(browser_with_extension(tmp_path / "profile", arguments=arguments))
        await pair(browser, await connection_string(environment))
        page = browser.pages[0]
        await page.goto(site)
        await page.bring_to_front()
        for session in (first, second):
            assert "The ferry leaves at nine." in str(await session.call_tool("read_chrome_tab", {}))
        assert "through the session that holds port" in str(await second.call_tool("chrome_tab_status", {}))
        popup = await browser.new_page()
        await popup.goto(f"chrome-extension://{extension_id()}/ui/popup/popup.html")
        await popup.get_by_text("Connected · demo (2)").wait_for()
        await page.bring_to_front()

        process_on(int(environment["CHROME_TAB_PORT"])).kill()

        async def answers() -> bool:
            read = await second.call_tool("read_chrome_tab", {}, raise_on_error=False)
            return "The ferry leaves at nine." in str(read)

        # On an idle machine it takes two seconds, the extension's first retry.
        await until(answers)
        await popup.get_by_text("Connected · demo").wait_for()
