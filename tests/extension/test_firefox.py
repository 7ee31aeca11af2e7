"""The package for Firefox in a real Firefox, with the real server: reading, tabs and the data layer."""

import http.server
import json
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing
from demo.web import WebServer, serving
from tests.support.fake_bridge import connection_string
from tests.support.fake_extension import free_port, wait_for_port
from tests.support.firefox import Firefox, firefox_path, firefox_with_extension
from tests.support.polling import until
from tests.support.stdio_server import StdioServer, started

pytestmark = pytest.mark.skipif(firefox_path() is None, reason="no Firefox: scripts/setup installs it where it can")

PAGE = b"""<title>Ferry</title><nav><a href=/>Home</a> <a href=/>Contact</a></nav>
<main><h1>Timetable</h1><p>The ferry leaves at nine, and comes back at noon, on all days of the week but Sunday.</p>
<p>From <select><option>Oslo<option selected>Bergen</select> by sea</main>
<div id=host></div><script>
document.querySelector("#host").attachShadow({ mode: "closed" }).innerHTML = "<p>The second ferry leaves at ten.</p>";
dataLayer = [{ event: "purchase", email: "ada@mail.example", total: 3 }];
</script>"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 -- the base class names it so


class Paired(NamedTuple):
    """Firefox, the tab with the popup, and the environment of a paired server."""

    firefox: Firefox
    popup: str
    environment: dict[str, str]

    async def status(self) -> str:
        return await self.firefox.value(self.popup, "document.querySelector('#status').innerText")

    async def shows(self, start: str) -> None:
        async def shown() -> bool:
            return (await self.status()).startswith(start)

        await until(shown)


@pytest.fixture(scope="module")
async def paired() -> AsyncGenerator[Paired]:
    """One Firefox for all tests, paired through its popup with a server that has ended since."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch, pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "config_dir", lambda: Path(scratch, "config", server.APP_NAME))
        port = free_port()
        string = connection_string({"v": 1, "s": f"ws://127.0.0.1:{port}", "k": pairing.pairing_key()})
        environment = {
            "XDG_CONFIG_HOME": f"{scratch}/config",
            "CHROME_TAB_PORT": str(port),
            "CHROME_TAB_SOURCE": "extension",
            "OLLAMA_BASE_URL": "http://127.0.0.1:9",
            "OLLAMA_MODEL": "none",
        }
        async with firefox_with_extension(Path(scratch)) as firefox:
            paired = Paired(firefox, await firefox.open("ui/popup/popup.html"), environment)
            await paired.shows("Setup")
            paste = f"document.querySelector('#connection-string').value = {json.dumps(string)}"
            await firefox.value(paired.popup, f"({paste}, document.querySelector('#connect').click())")
            await paired.shows("Paired")
            yield paired


@pytest.fixture(scope="module")
async def session(paired: Paired) -> AsyncGenerator[StdioServer]:
    """A server that Firefox is connected to, for all tests."""
    async with started(**paired.environment) as session:
        await session.initialize()
        await wait_for_port(int(paired.environment["CHROME_TAB_PORT"]))
        await paired.shows("Connected")
        yield session


def text_of(result: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in result["content"])


async def done(session: StdioServer, tool: str, **arguments: Any) -> Any:
    """Return the result of a successful call, parsed if it is JSON."""
    result = await session.call(tool, **arguments)
    assert not result.get("isError"), text_of(result)
    return json.loads(text_of(result)) if text_of(result)[0] in "[{" else text_of(result)


async def test_firefox_reads_tabs_and_their_data_layers_and_opens_and_closes_them(session: StdioServer) -> None:
    with serving(WebServer(Page)) as address:
        created = await done(session, "browser_create_tab", url=address)
        assert created == {"tab_id": created["tab_id"], "url": address, "title": "Ferry"}
        tab_id = created["tab_id"]

        (listed,) = [tab for tab in await done(session, "browser_get_tabs") if tab["id"] == tab_id]
        assert (listed["url"], listed["title"], listed["active"]) == (address, "Ferry", True)
        assert [tab["tab_id"] for tab in await done(session, "list_tabs")] == [tab_id]

        everything = await done(session, "read_chrome_tab", tab_id=tab_id)
        assert everything.startswith("Home Contact\nTimetable\n\nThe ferry leaves at nine")
        assert "From Bergen by sea" in everything
        main = await done(session, "read_chrome_tab", tab_id=tab_id, content="main")
        assert main.startswith("# Timetable\n\nThe ferry leaves at nine")
        assert "Contact" not in main
        assert "The second ferry leaves at ten." in main

        layer = await done(session, "getDataLayer", tab_id=tab_id)
        assert layer["result"] == [{"event": "purchase", "email": "[contact]", "total": 3}]
        private = await session.call("getDataLayer", tab_id=tab_id, redact=False)
        assert "PRIVATE_NOT_ALLOWED" in text_of(private)

        assert await done(session, "browser_close_tab", tab_id=tab_id) == {"success": True}
        assert tab_id not in [tab["id"] for tab in await done(session, "browser_get_tabs")]


async def test_tools_that_need_a_debugger_are_not_listed_in_firefox_and_fail_with_a_reason(
    session: StdioServer,
) -> None:
    tools = {tool["name"] for tool in (await session.request("tools/list"))[0]["tools"]}
    refused = await session.call("click", selector="p")

    assert {"read_chrome_tab", "browser_get_tabs", "browser_attach_tab", "getDataLayer"} < tools
    assert not tools & {"click", "navigate", "screenshot", "console_logs", "network_requests", "evaluate"}
    assert refused["isError"]
    assert text_of(refused).endswith("[EXECUTION_ERROR]")
