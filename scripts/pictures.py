"""Take the screenshots for the documents from the real program, light and dark: `make pictures`.

Names as arguments choose some of them. A real Chromium with the extension, the server over HTTP, the demo's page, and
its tiny model.
"""

import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp_types import Implementation
from playwright.async_api import BrowserContext, Page, ViewportSize, expect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from demo.browser import browser_with_extension, extension_id, pair  # noqa: E402  # the folder above is not where a script looks
from demo.server import SERVER, connection_string, server_environment  # noqa: E402
from demo.tiny_model import started as tiny_model_started  # noqa: E402
from demo.web import demonstration_page  # noqa: E402
from scripts.moving_picture import take_moving_picture  # noqa: E402
from scripts.picture_states import take_states  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
WAIT_MS = 120_000
ANSWER_MS = 900_000
# Subjects that the tiny model often gets right.
QUESTION = "When and where is the vote? Answer in one sentence."
POPUP: ViewportSize = {"width": 372, "height": 400}
PANEL: ViewportSize = {"width": 960, "height": 420}
SHOWN: ViewportSize = {"width": 760, "height": 480}
NARROW: ViewportSize = {"width": 420, "height": 560}
SIDE_PANEL: ViewportSize = {"width": 380, "height": 460}
# High enough for the whole page: a scroll bar would shift it.
PAGE: ViewportSize = {"width": 720, "height": 1600}
APP: ViewportSize = {"width": 1180, "height": 900}


@asynccontextmanager
async def served(environment: dict[str, str]) -> AsyncGenerator[str]:
    """Serve MCP over HTTP for the duration of the block; yield the one-time link to the test app."""
    process = await asyncio.create_subprocess_exec(
        "uv", "run", "--quiet", str(SERVER), "--transport", "http", env=environment, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr
    try:
        output = (await process.stderr.readline() + await process.stderr.readline()).decode()
        found = re.search(r"http://\S+/#\S+", output)
        if not found:
            raise RuntimeError(f"The server did not start: {output}")
        yield found[0]
    finally:
        process.terminate()
        await process.communicate()


async def picture(page: Page, name: str, *, whole: str = "") -> None:
    """Save a screenshot of a page, or of its only element, in the light and in the dark theme."""
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)
        path = PICTURES / f"{name}-{scheme}.png"
        await (page.locator(whole).screenshot(path=path) if whole else page.screenshot(path=path))


async def take_own_page(browser: BrowserContext, name: str) -> None:
    """Take one of the extension's pages, completely; the first steps before the extension is paired."""
    page = await browser.new_page()
    await page.set_viewport_size(PAGE)
    await page.goto(f"chrome-extension://{extension_id()}/ui/{name}/{name}.html")
    await expect(page.locator("main [role=status]").first).not_to_be_empty(timeout=WAIT_MS)
    await picture(page, name, whole="main")
    await page.close()


async def take_consent(browser: BrowserContext, shown: Page, environment: dict[str, str]) -> None:
    """Take the popup with a client's prompt, then deny it."""
    transport = StdioTransport("uv", ["run", "--quiet", str(SERVER)], environment, keep_alive=False)
    async with Client(transport, client_info=Implementation(name="claude-code", version="1")) as client:
        listed = (await client.call_tool("browser_get_tabs", {})).structured_content or {}
        tab_id = next(tab["id"] for tab in listed["result"] if tab["url"] == shown.url)
        asked = {"tab_id": tab_id, "reason": "Subscribe to the newsletter, as you asked."}
        asking = asyncio.create_task(client.call_tool("browser_attach_tab", asked, raise_on_error=False))
        popup = await browser.new_page()
        await popup.set_viewport_size({**POPUP, "height": 640})
        await popup.goto(f"chrome-extension://{extension_id()}/ui/popup/popup.html")
        await shown.bring_to_front()
        await popup.bring_to_front()
        await expect(popup.locator("#requests .primary")).to_be_enabled(timeout=WAIT_MS)
        await picture(popup, "consent", whole="main")
        await popup.locator("#requests button").last.click()
        await asking
        await popup.close()


async def take_popup(browser: BrowserContext, shown: Page) -> None:
    """Take the popup for a tab that is not attached yet, then attach that tab."""
    popup = await browser.new_page()
    await popup.set_viewport_size(POPUP)
    await popup.goto(f"chrome-extension://{extension_id()}/ui/popup/popup.html")
    # The popup shows the last viewed tab; it ignores itself when it is open as a tab.
    await shown.bring_to_front()
    await popup.bring_to_front()
    attach = popup.locator("#attachButton")
    await expect(attach).to_have_attribute("data-action", "attach", timeout=WAIT_MS)
    await picture(popup, "popup", whole="main")
    await attach.click()
    await expect(attach).to_have_attribute("data-action", "detach", timeout=WAIT_MS)
    await popup.close()


async def take_panel(browser: BrowserContext, shown: Page) -> None:
    """Take the panel with a screenshot that it has taken: of the top of the page, at the width of a user's panel."""
    page = await browser.new_page()
    await page.goto(f"chrome-extension://{extension_id()}/ui/popup/popup.html")
    tab_id = await page.evaluate(
        "async url => (await chrome.tabs.query({})).find(tab => tab.url === url).id", shown.url
    )
    await page.set_viewport_size(PANEL)
    await page.goto(f"chrome-extension://{extension_id()}/ui/devtools/panel.html?tab={tab_id}")
    await page.locator("#command").select_option("screenshot")
    for side, pixels in SHOWN.items():
        await page.locator(f"#field-{side}").fill(str(pixels))
    await page.locator("#run").click()
    await expect(page.locator("#runs img").first).to_be_visible(timeout=WAIT_MS)
    await picture(page, "panel")
    await page.set_viewport_size(NARROW)
    await page.locator("#tab-elements").click()
    await expect(page.locator("#view-elements")).to_contain_text("Coast Gazette", timeout=WAIT_MS)
    await picture(page, "panel-narrow")
    await page.close()


async def take_side_panel(browser: BrowserContext, shown: Page) -> None:
    """Take the side panel with an answer about the last viewed tab."""
    await shown.bring_to_front()
    page = await browser.new_page()
    await page.set_viewport_size(SIDE_PANEL)
    await page.goto(f"chrome-extension://{extension_id()}/ui/side-panel/side-panel.html")
    await expect(page.locator("#tab-title")).to_contain_text("The night ferry", timeout=WAIT_MS)
    await expect(page.locator("#ask")).to_be_enabled(timeout=WAIT_MS)
    await page.bring_to_front()
    await page.locator("#question").fill(QUESTION)
    await page.keyboard.press("Enter")
    await expect(page.locator("#conversation .end")).to_be_visible(timeout=ANSWER_MS)
    print(f"The side panel was answered: {await page.locator('.answer').inner_text()}")
    await picture(page, "side-panel")
    await page.close()


async def take_app(browser: BrowserContext, link: str) -> None:
    """Take the test app with part of the page's text."""
    page = await browser.new_page()
    await page.set_viewport_size(APP)
    await page.goto(link)
    await expect(page.locator("#status")).to_have_text("Connected", timeout=WAIT_MS)
    await page.locator("#tools button", has_text=re.compile("^read_chrome_tab$")).click()
    await page.locator("#tabs label", has_text="The night ferry").click()
    await page.locator("#argument-max_chars").fill("1200")
    await page.locator("#execute").click()
    await expect(page.locator("#outcome")).to_have_text("Success", timeout=WAIT_MS)
    await expect(page.locator("#history li").first).to_be_visible(timeout=WAIT_MS)
    await picture(page, "test-app")
    await page.close()


async def main(names: list[str]) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)

    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        model = stack.enter_context(tiny_model_started(context_length=8192))
        settings = {"OLLAMA_BASE_URL": model.url, "OLLAMA_MODEL": model.model, "CHROME_TAB_SOURCE": "extension"}
        settings |= {"CHROME_TAB_TIMEOUT_S": f"{ANSWER_MS // 1000}"}
        environment = server_environment(folder, settings)
        link = await stack.enter_async_context(served(environment))
        browser = await stack.enter_async_context(browser_with_extension(folder / "profile"))
        shown = browser.pages[0]
        await shown.goto(stack.enter_context(demonstration_page()))
        if not names or "welcome" in names:
            await take_own_page(browser, "welcome")
        await pair(browser, await connection_string(environment))
        takes = {
            "test-app": lambda: take_app(browser, link),  # before its link expires
            "answer": lambda: take_moving_picture(browser, shown, environment, PICTURES),
            "consent": lambda: take_consent(browser, shown, environment),
            "popup": lambda: take_popup(browser, shown),
            "panel": lambda: take_panel(browser, shown),
            "side-panel": lambda: take_side_panel(browser, shown),
            "options": lambda: take_own_page(browser, "options"),
            "states": lambda: take_states(PICTURES),
        }
        for name, take in takes.items():
            if not names or name in names:
                await shown.bring_to_front()
                await take()
    for path in sorted(PICTURES.glob("*.png")):
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
