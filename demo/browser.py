"""A real Chromium with the extension, paired as a user does it; with a window only if requested."""

import base64
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from unittest.mock import patch

from playwright.async_api import BrowserContext, async_playwright
from playwright.async_api import TimeoutError as BrowserTimeoutError

EXTENSION = Path(__file__).resolve().parent.parent / "extension"
START_S = 60
CONNECT_S = 30
# The suggestions under the address bar are pages in their own process, which takes more than half of a start.
SUGGESTIONS = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"]
# Features that Playwright disables; of two lists only the last one counts.
LEFT_OUT = [
    *SUGGESTIONS,
    *["AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"],
    *["DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay"],
    "SpareRendererForSitePerProcess",
    *["MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"],
    *["TcpPortRandomizationWin", "ThirdPartyStoragePartitioning"],
]
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]


def chromium() -> str:
    """Find the system's Chromium. Chrome comes last: newer versions load no unpacked extension from the command line."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        path = shutil.which(name)
        if path:
            return path
    raise RuntimeError("There is no Chromium on PATH. Install it (Debian: apt-get install chromium), then try again.")


def extension_id() -> str:
    """Return the id that Chrome derives from the manifest: the start of its key's hash, with a to p for hex digits."""
    manifest = json.loads((EXTENSION / "manifest.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256(base64.b64decode(manifest["key"])).hexdigest()
    return digest[:32].translate(str.maketrans("0123456789abcdef", "abcdefghijklmnop"))


def without(features: Iterable[str]) -> str:
    """Return the argument that disables these features in Chromium."""
    return f"--disable-features={','.join(features)}"


@asynccontextmanager
async def browser_with_extension(
    profile: Path, extension: Path = EXTENSION, *, window: bool = False, arguments: Iterable[str] = ()
) -> AsyncGenerator[BrowserContext]:
    """Run Chromium with our extension for the duration of the block, without the page that it opens at installation."""
    async with extended_browser(profile, extension, window=window, arguments=arguments) as context:
        await close_welcome(context)
        yield context


@asynccontextmanager
async def extended_browser(
    profile: Path, extension: Path, *, window: bool = False, arguments: Iterable[str] = ()
) -> AsyncGenerator[BrowserContext]:
    """Run Chromium with an extension for the duration of the block; `profile` is a directory that is still empty."""
    async with AsyncExitStack() as stack:
        # A browser that is ended early leaves files behind, and so does the Playwright process that starts it.
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True))
        with patch.dict(os.environ, TMPDIR=scratch):
            playwright = await stack.enter_async_context(async_playwright())
        context = await playwright.chromium.launch_persistent_context(
            profile,
            executable_path=chromium(),
            chromium_sandbox=os.geteuid() != 0,  # root has no sandbox
            handle_sigint=False,  # Ctrl-C ends the block, and that ends the browser
            headless=False,  # with True Playwright starts a browser that loads no extensions; the next line starts one that does
            args=[
                *([] if window else ["--headless=new"]),
                f"--load-extension={extension}",
                f"--disable-extensions-except={extension}",
                *QUIET,
                *([] if window else [without(LEFT_OUT)]),
                *arguments,
            ],
            ignore_default_args=["--disable-extensions"],
            timeout=START_S * 1000,
        )
        try:
            yield context
        finally:
            await context.close()


async def close_welcome(browser: BrowserContext) -> None:
    """Close the page that the extension opens at installation: left open it would come before another one."""
    address = f"chrome-extension://{extension_id()}/ui/welcome/welcome.html"
    there = [page for page in browser.pages if page.url == address]
    if not there:
        there = [await browser.wait_for_event("page", lambda page: page.url == address, timeout=START_S * 1000)]
    # Chromium requests an extension's texts once. Closed meanwhile, the page would leave popup and worker without any.
    # The heading is one of them; the page's own events may be lost, because it loads while Playwright attaches to it.
    await there[0].locator("h1", has_text=re.compile(r"\S")).wait_for(timeout=START_S * 1000)
    await there[0].close()


async def pair(browser: BrowserContext, connection_string: str) -> str:
    """Paste the string into the extension's popup and return what the popup then shows.

    Raises RuntimeError if the extension is not connected after `CONNECT_S` seconds.
    """
    popup = await browser.new_page()
    await popup.goto(f"chrome-extension://{extension_id()}/ui/popup/popup.html")
    status = popup.locator("#status")
    try:
        await popup.fill("#connection-string", connection_string, timeout=CONNECT_S * 1000)
        await popup.click("#connect", timeout=CONNECT_S * 1000)
        await status.filter(has_text=re.compile(r"^\s*Connected")).wait_for(timeout=CONNECT_S * 1000)
    except BrowserTimeoutError:
        raise RuntimeError(f"The extension did not connect. Its popup says: {await status.inner_text()}") from None
    text = await status.inner_text()
    await popup.close()
    return text.strip()
