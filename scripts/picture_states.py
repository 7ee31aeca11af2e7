"""The states of popup and side panel in one picture each, light and dark: part of `make pictures`.

Browser, extension and server are real; a scripted model answers, so that each state lasts as long as it is needed.
"""

import asyncio
import io
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp_types import Implementation
from PIL import Image
from playwright.async_api import BrowserContext, Page, ViewportSize, expect

from demo.browser import browser_with_extension, extension_id, pair
from demo.server import SERVER, connection_string, server_environment
from demo.web import demonstration_page
from tests.support.fake_models import CLOUD_MODELS, FakeCloudOllama, delta, events

POPUP: ViewportSize = {"width": 340, "height": 600}  # at most as high as a browser draws it
SIDE_PANEL: ViewportSize = {"width": 340, "height": 600}
TABS = 10
GAP = 16
GROUND = {"light": "#d0d4da", "dark": "#000000"}
WAIT_MS = 60_000
DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
ANSWER = (
    "The vote is on **Monday, 16 March, at 18:00** in the town hall. A second ship would cost 6.2 million euros, not "
    "7.1 million.\n\n* The hotels are in favour.\n* The fishing cooperative is against it."
)


class Sheet:
    """Pictures of one surface, side by side in two rows."""

    def __init__(self, name: str, address: str, size: ViewportSize) -> None:
        self.name, self.address, self.size = name, address, size
        self._taken: dict[str, list[Image.Image]] = {scheme: [] for scheme in GROUND}

    async def open(self, browser: BrowserContext, shown: Page) -> Page:
        """Open the surface about the tab that is shown."""
        await shown.bring_to_front()
        page = await browser.new_page()
        await page.set_viewport_size(self.size)
        await page.goto(f"chrome-extension://{extension_id()}/ui/{self.address}")
        return page

    async def take(self, page: Page) -> None:
        """Take the surface as it is now."""
        for scheme, taken in self._taken.items():
            await page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            await page.evaluate(DRAWN)
            taken.append(Image.open(io.BytesIO(await page.screenshot())).convert("RGB"))

    def keep(self, folder: Path) -> None:
        """Write both pictures."""
        for scheme, taken in self._taken.items():
            columns = (len(taken) + 1) // 2
            width, height = self.size["width"] + GAP, self.size["height"] + GAP
            sheet = Image.new("RGB", (columns * width + GAP, 2 * height + GAP), GROUND[scheme])
            for index, picture in enumerate(taken):
                row, column = divmod(index, columns)
                sheet.paste(picture, (GAP + column * width, GAP + row * height))
            # Of the ways to fewer colors the one that keeps those of small dots.
            flat = sheet.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
            flat.save(folder / f"{self.name}-{scheme}.png", optimize=True)


@asynccontextmanager
async def serving(environment: dict[str, str]) -> AsyncGenerator[None]:
    """Serve the side panel for the time of the block."""
    process = await asyncio.create_subprocess_exec("uv", "run", "--quiet", str(SERVER), "--serve", env=environment)
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def take_before_pairing(browser: BrowserContext, shown: Page, popup: Sheet, panel: Sheet) -> None:
    """Take both before the extension is paired."""
    for sheet, ready in ((popup, "#setup"), (panel, "#help")):
        page = await sheet.open(browser, shown)
        await expect(page.locator(ready)).to_be_visible(timeout=WAIT_MS)
        await sheet.take(page)
        await page.close()


async def take_popup(browser: BrowserContext, shown: Page, popup: Sheet, environment: dict[str, str]) -> None:
    """Take the popup before and after the tab is attached, and with ten attached tabs."""
    page = await popup.open(browser, shown)
    attach = page.locator("#attachButton")
    await expect(attach).to_have_attribute("data-action", "attach", timeout=WAIT_MS)
    await popup.take(page)
    await attach.click()
    await expect(attach).to_have_attribute("data-action", "detach", timeout=WAIT_MS)
    await page.close()
    await take_attached(browser, shown, popup, 1)
    transport = StdioTransport("uv", ["run", "--quiet", str(SERVER)], environment, keep_alive=False)
    async with Client(transport, client_info=Implementation(name="claude-code", version="1")) as client:
        opened = [
            await client.call_tool("browser_create_tab", {"url": f"{shown.url}?{number}", "background": True})
            for number in range(1, TABS)
        ]
        await take_attached(browser, shown, popup, TABS)
        for tab in opened:
            assert tab.structured_content
            await client.call_tool("browser_close_tab", {"tab_id": tab.structured_content["tab_id"]})


async def take_attached(browser: BrowserContext, shown: Page, popup: Sheet, count: int) -> None:
    """Take the popup about one of so many attached tabs."""
    page = await popup.open(browser, shown)
    await expect(page.locator("#attachButton")).to_have_attribute("data-action", "detach", timeout=WAIT_MS)
    await expect(page.locator("#attached-tabs li")).to_have_count(count - 1, timeout=WAIT_MS)
    await popup.take(page)
    await page.close()


async def take_side_panel(browser: BrowserContext, shown: Page, panel: Sheet) -> None:
    """Take the side panel before a question, while it is answered, with its answer, and with one to be confirmed."""
    page = await panel.open(browser, shown)
    await expect(page.locator("#model")).to_be_visible(timeout=WAIT_MS)
    await panel.take(page)
    for question, ended in (("When is the vote?", ".answer p"), ("What would a ship cost?", "#conversation .end")):
        await page.locator("#question").fill(question)
        await page.keyboard.press("Enter")
        await expect(page.locator(ended)).to_be_visible(timeout=WAIT_MS)
        await panel.take(page)
        if await page.locator("#stop").is_visible():
            await page.locator("#stop").click()
            await expect(page.locator("#ask")).to_be_enabled(timeout=WAIT_MS)
            await page.locator("#clear-conversation").click()
    await page.locator("#model").select_option(CLOUD_MODELS[0])
    await page.locator("#question").fill("And who is against it?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".problem + button")).to_be_visible(timeout=WAIT_MS)
    await panel.take(page)
    await page.close()


async def take_unreadable(browser: BrowserContext, popup: Sheet, panel: Sheet) -> None:
    """Take both about a page that no extension can read."""
    unreadable = await browser.new_page()
    await unreadable.goto("chrome://version")
    for sheet, obstacle in ((popup, "#tab-obstacle"), (panel, "#obstacle")):
        page = await sheet.open(browser, unreadable)
        await expect(page.locator(obstacle)).to_be_visible(timeout=WAIT_MS)
        await sheet.take(page)
        await page.close()
    await unreadable.close()


async def take_without_server(browser: BrowserContext, shown: Page, popup: Sheet, panel: Sheet) -> None:
    """Take both once the server has ended, and the popup after Disconnect."""
    page = await panel.open(browser, shown)
    await expect(page.locator("#serve")).to_be_visible(timeout=WAIT_MS)
    # The picture does not show where this clone is.
    await page.locator("#serve pre span").evaluate_all(
        "(words, [here, there]) => words.forEach((word) => (word.textContent = word.textContent.replace(here, there)))",
        [str(SERVER.parent), "/home/ada/reader"],
    )
    await panel.take(page)
    await page.close()
    page = await popup.open(browser, shown)
    await popup.take(page)
    await page.locator("#connection-details").evaluate("(details) => (details.open = true)")
    await page.locator("#disconnect").click()
    await expect(page.locator("#reconnect")).to_be_visible(timeout=WAIT_MS)
    await popup.take(page)
    await page.close()


async def take_states(folder: Path) -> None:
    """Take all states, with a browser and a server of their own."""
    popup = Sheet("popup-states", "popup/popup.html", POPUP)
    panel = Sheet("side-panel-states", "side-panel/side-panel.html", SIDE_PANEL)
    replies = events(delta("The vote is"), hangs=True), events(delta(ANSWER), delta(finish_reason="stop"), "[DONE]")
    async with AsyncExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        model = await stack.enter_async_context(FakeCloudOllama(*replies))
        settings = {"OLLAMA_BASE_URL": model.url, "OLLAMA_MODEL": "fake-model", "CHROME_TAB_SOURCE": "extension"}
        environment = server_environment(place, settings)
        browser = await stack.enter_async_context(browser_with_extension(place / "profile"))
        shown = browser.pages[0]
        await shown.goto(stack.enter_context(demonstration_page()))
        await take_before_pairing(browser, shown, popup, panel)
        async with serving(environment):
            await pair(browser, await connection_string(environment))
            await take_popup(browser, shown, popup, environment)
            await take_side_panel(browser, shown, panel)
            await take_unreadable(browser, popup, panel)
        await take_without_server(browser, shown, popup, panel)
    popup.keep(folder)
    panel.keep(folder)
