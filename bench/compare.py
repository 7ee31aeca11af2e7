"""The figures of the README's comparison: what each server costs a client, all on the same pages in one run.

    python -m bench.compare --kapture FOLDER --chrome-tabs FOLDER

The folders are checkouts of Kapture and of mcp-chrome-tabs, built by `npm install && npm run build` (Kapture's in its
folder `server`); without one its column stays empty. Kapture's server uses the port that its extension knows, 61822,
and is reached over the WebSocket that its own stdio bridge uses, without that bridge. mcp-chrome-tabs runs only on
Macs: a fake osascript returns the page, so only its characters are reported, not its times.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Self

from playwright.async_api import Page
from tenacity import retry, stop_after_delay, wait_fixed
from websockets.asyncio.client import ClientConnection, connect

import chrome_tab_mcp_server as server
from bench.bridge import (
    ABOUT,
    ANSWER_S,
    PAGES,
    ROUNDS,
    Call,
    Scene,
    StdioClient,
    in_turns,
    opened_scene,
    our_server,
    page_of,
    peers,
    started,
    tool,
)
from bench.driving import PAGE, STATE, TYPED, driven_page, open_tab, uid_of
from demo.browser import extended_browser

KAPTURE_PORT = 61822
NAMES = ("this", "playwright-mcp", "chrome-devtools-mcp", "Kapture", "mcp-chrome-tabs")
# Interactive elements: Kapture lists what a selector matches.
CONTROLS = "a, button, input, select, textarea"
SHOP = "250 kB shop"
# Uses the separator that it is asked to put between title, address and page.
FAKE_OSASCRIPT = """#!{python}
import re, sys
from pathlib import Path
mark = re.search(r"<.SEP:\\w+.>", sys.argv[2])[0]
print(mark.join(["A page", "http://127.0.0.1/", Path({page!r}).read_text(encoding="utf-8")]))
"""

Row = tuple[str, Mapping[str, float], str]

soon = retry(wait=wait_fixed(0.1), stop=stop_after_delay(ANSWER_S), reraise=True)


class WebSocketClient(StdioClient):
    """The same client over a WebSocket."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._last_id = 0

    async def initialize(self) -> None:
        """Open the session."""
        await self.request("initialize", **ABOUT)
        await self._connection.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its result; one is in flight at a time."""
        self._last_id += 1
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        await self._connection.send(json.dumps(request))
        async with asyncio.timeout(ANSWER_S):
            while (message := json.loads(await self._connection.recv())).get("id") != self._last_id:
                pass
        return dict(message["result"])


class Kapture:
    """Kapture's server with its own browser, whose one page it drives."""

    def __init__(self, client: StdioClient, page: Page, tab_id: str) -> None:
        self.client = client
        self.page = page
        self._tab_id = tab_id

    @classmethod
    @asynccontextmanager
    async def started(cls, checkout: Path, scene: Scene) -> AsyncGenerator[Self]:
        """Start server and browser for the duration of the block; a keyword in its address makes the page connect."""
        async with AsyncExitStack() as stack:
            log = stack.enter_context((scene.folder / "kapture.log").open("wb"))
            program = str(checkout / "server" / "dist" / "index.js")
            # A Python package's Node.js is a program that starts it: both are ended.
            process = await asyncio.create_subprocess_exec(
                "node", program, stdout=log, stderr=log, start_new_session=True
            )
            stack.push_async_callback(process.wait)
            stack.callback(os.killpg, process.pid, signal.SIGTERM)
            client = WebSocketClient(await stack.enter_async_context(await connection_to(KAPTURE_PORT)))
            await client.initialize()
            extension = checkout / "extension"
            browser = await stack.enter_async_context(extended_browser(scene.folder / "kapture", extension))
            # At installation it navigates the page in front to its own page.
            page = await browser.new_page()
            await page.goto(scene.address_of(PAGE) + "?kapture-connect=true")
            yield cls(client, page, await connected_tab(client))

    def tool(self, name: str, /, **arguments: Any) -> Call:
        """Return a call of a tool on the page."""
        return tool(self.client, name, tabId=self._tab_id, **arguments)


@soon
async def connection_to(port: int) -> ClientConnection:
    """Connect to Kapture's server, as soon as it listens."""
    return await connect(f"ws://127.0.0.1:{port}/mcp", max_size=None, proxy=None)


@soon
async def connected_tab(client: StdioClient) -> str:
    """Return the id of the one connected tab, as soon as there is one."""
    return str(json.loads(await tool(client, "list_tabs")())["tabs"][0]["tabId"])


@asynccontextmanager
async def chrome_tabs(checkout: Path, scene: Scene) -> AsyncGenerator[StdioClient]:
    """Start mcp-chrome-tabs with the fake osascript, which returns the file page.html of the scene's folder."""
    fake = scene.folder / "bin" / "osascript"
    fake.parent.mkdir()
    fake.write_text(FAKE_OSASCRIPT.format(python=sys.executable, page=str(scene.folder / "page.html")))
    fake.chmod(0o755)
    path = f"{fake.parent}:{scene.environment['PATH']}"
    program = ["node", str(checkout / "dist" / "cli.js"), "--max-content-chars=10000000"]
    async with started(scene.folder, scene.environment | {"PATH": path}, *program) as client:
        yield client


async def tool_lists(clients: Mapping[str, StdioClient]) -> list[Row]:
    """Count the tools, and the characters that their list costs in each conversation."""
    lists = {name: (await client.request("tools/list"))["tools"] for name, client in clients.items()}
    return [
        ("tools", {name: len(tools) for name, tools in lists.items()}, ""),
        ("characters of their list", {name: len(server.compact_json(tools)) for name, tools in lists.items()}, ""),
    ]


async def show_everywhere(clients: Mapping[str, StdioClient], kapture: Kapture | None, address: str) -> None:
    """Navigate each server that drives a page to this address."""
    ours, playwright, devtools = (clients[name] for name in NAMES[:3])
    await tool(ours, "navigate", url=address)()
    await tool(playwright, "browser_navigate", url=address)()
    await tool(devtools, "navigate_page", pageId=1, url=address)()
    if kapture:
        await kapture.tool("navigate", url=address)()


async def looks(scene: Scene, clients: Mapping[str, StdioClient], kapture: Kapture | None) -> list[Row]:
    """Read each page, and list what can be done there: characters, and milliseconds on the shop."""
    rows: list[Row] = []
    ours, playwright, devtools = (clients[name] for name in NAMES[:3])
    for page in PAGES:
        address = scene.address_of(page)
        await show_everywhere(clients, kapture, address)
        whole = {
            "this": tool(ours, "read_chrome_tab", max_chars=server.MAX_CHARS),
            "playwright-mcp": tool(playwright, "browser_snapshot"),
            "chrome-devtools-mcp": tool(devtools, "take_snapshot", pageId=1),
        }
        elements = whole | {"this": tool(ours, "page_elements")}
        if kapture:
            whole["Kapture"] = kapture.tool("dom")
            elements["Kapture"] = kapture.tool("elements", selector=CONTROLS, visible="true")
        sizes = {name: len(await call()) for name, call in whole.items()}
        if NAMES[4] in clients:
            html = await scene.page.evaluate("async (url) => (await fetch(url)).text()", address)
            (scene.folder / "page.html").write_text(html, encoding="utf-8")
            sizes[NAMES[4]] = len(await tool(clients[NAMES[4]], "read_tab_content")())
        rows.append((f"read the {page}, characters", sizes, ""))
        shown = {name: len(await call()) for name, call in elements.items()}
        rows.append((f"look at the {page}, characters", shown, ""))
        if page == SHOP:
            rows.append((f"read the {page}", await in_turns(whole, ""), "ms"))
            rows.append((f"look at the {page}", await in_turns(elements, ""), "ms"))
    return rows


async def acts(scene: Scene, clients: Mapping[str, StdioClient], kapture: Kapture | None) -> list[Row]:
    """Click, fill and take a screenshot, and check the effect."""
    address = scene.address_of(PAGE)
    ours, playwright, devtools = (clients[name] for name in NAMES[:3])
    await show_everywhere(clients, kapture, address)
    snapshot = await tool(devtools, "take_snapshot", pageId=1)()
    button, field = uid_of(snapshot, "Press to order"), uid_of(snapshot, "Name of the customer")
    calls = {
        "click": {
            "this": tool(ours, "click", selector="#press"),
            "playwright-mcp": tool(playwright, "browser_click", target="#press"),
            "chrome-devtools-mcp": tool(devtools, "click", pageId=1, uid=button),
        },
        "fill a field": {
            "this": tool(ours, "fill", selector="#name", value=TYPED),
            "playwright-mcp": tool(playwright, "browser_type", target="#name", text=TYPED),
            "chrome-devtools-mcp": tool(devtools, "fill", pageId=1, uid=field, value=TYPED),
        },
        "screenshot": {
            "this": tool(ours, "screenshot", name="page"),
            "playwright-mcp": tool(playwright, "browser_take_screenshot"),
            "chrome-devtools-mcp": tool(devtools, "take_screenshot", pageId=1),
        },
    }
    if kapture:
        calls["click"]["Kapture"] = kapture.tool("click", selector="#press")
        calls["fill a field"]["Kapture"] = kapture.tool("fill", selector="#name", value=TYPED)
        # Its default scale is 0.3: the others' screenshots are full size.
        calls["screenshot"]["Kapture"] = kapture.tool("screenshot", scale=1, format="png")
    rows: list[Row] = [(what, await in_turns(ways, ""), "ms") for what, ways in calls.items()]
    if kapture:
        said, expected = await kapture.page.evaluate(STATE), f"{ROUNDS + 1} {TYPED}"
        if said != expected:
            raise RuntimeError(f"Kapture's page says {said!r}, not {expected!r}.")
    return rows


async def compare(kapture_checkout: Path | None, tabs_checkout: Path | None) -> list[Row]:
    """Measure everything in one run; return what, each server's figure, and the unit."""
    pages = {name: page_of(*kind) for name, kind in PAGES.items()} | {PAGE: driven_page()}
    async with AsyncExitStack() as stack:
        scene = await stack.enter_async_context(opened_scene(pages))
        await scene.page.goto(scene.address_of(PAGE))
        ours = await stack.enter_async_context(our_server(scene))
        await open_tab(scene, ours)
        others = await stack.enter_async_context(peers(scene.folder))
        clients: dict[str, StdioClient] = dict(zip(NAMES, (ours, *others), strict=False))
        kapture = None
        if kapture_checkout:
            kapture = await stack.enter_async_context(Kapture.started(kapture_checkout, scene))
            clients["Kapture"] = kapture.client
        if tabs_checkout:
            clients["mcp-chrome-tabs"] = await stack.enter_async_context(chrome_tabs(tabs_checkout, scene))
        rows = await tool_lists(clients)
        rows += await looks(scene, clients, kapture)
        rows += await acts(scene, clients, kapture)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what each server of the comparison costs a client.")
    parser.add_argument("--kapture", type=Path, metavar="FOLDER", help="a checkout of Kapture, its server built")
    parser.add_argument("--chrome-tabs", type=Path, metavar="FOLDER", help="a checkout of mcp-chrome-tabs, built")
    given = parser.parse_args()
    folders = [folder and folder.resolve() for folder in (given.kapture, given.chrome_tabs)]
    rows = asyncio.run(compare(*folders))
    print(f"| what | {' | '.join(NAMES)} |\n|{' --- |' * (len(NAMES) + 1)}")
    for what, figures, unit in rows:
        cells = [f"{figures[name]:,.0f} {unit}".strip() if name in figures else "-" for name in NAMES]
        print(f"| {what} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
