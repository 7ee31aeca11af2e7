"""Develop the server and the extension together: `make dev`.

A Chromium with a fresh profile loads the extension and is paired with a server over HTTP that has its own key and port.
The server restarts when a file next to it changes, and the extension is reloaded when one of its files does. Ctrl+C
ends both.

    python -m scripts.dev [URL]
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import BrowserContext, Page
from watchfiles import awatch

from demo.browser import EXTENSION, browser_with_extension, extension_id, pair
from demo.server import SERVER, server_environment

ROOT = SERVER.parent
# The user's own, where set.
MODEL = {"OLLAMA_BASE_URL": "http://localhost:11434", "OLLAMA_MODEL": "qwen3"}
LEAVING_S = 10


def say(text: str) -> None:
    print(f"dev: {text}", file=sys.stderr, flush=True)


class DevelopedServer:
    """The server over HTTP, restarted whenever its files change; its output goes to the terminal."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Stop the running server, if any, and start it again."""
        await self.stop()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, str(SERVER), "--transport", "http", env=self._environment, stdin=subprocess.DEVNULL
        )

    async def stop(self) -> None:
        """Stop it; kill it if it does not exit."""
        if self._process is None or self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), LEAVING_S)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def connection_string(self) -> str:
        """Request the line that pairs the extension."""
        asked = await asyncio.create_subprocess_exec(
            sys.executable,
            str(SERVER),
            "--pair",
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        line, _ = await asked.communicate()
        return line.decode().strip()


@asynccontextmanager
async def developed_server(environment: Mapping[str, str]) -> AsyncGenerator[DevelopedServer]:
    server = DevelopedServer(environment)
    try:
        await server.start()
        yield server
    finally:
        await server.stop()


async def extensions_page(browser: BrowserContext) -> Page:
    """Open the browser's own list of extensions, which can reload one and shows what is wrong with its files."""
    page = await browser.new_page()
    await page.goto("chrome://extensions")
    # Otherwise an extension loaded from a directory stays off after a reload.
    await page.evaluate("() => chrome.developerPrivate.updateProfileConfiguration({ inDeveloperMode: true })")
    return page


RELOAD = """async id => {
  const options = { failQuietly: true, populateErrorForUnpacked: true };
  return (await chrome.developerPrivate.reload(id, options))?.error ?? "";
}"""


async def follow_server(server: DevelopedServer) -> None:
    """Restart the server whenever a file next to it changes."""
    async for changes in awatch(ROOT / "chrome_tab_mcp_server.py", ROOT / "chrome_tab.scpt", ROOT / "chrome_tab"):
        if any(Path(path).suffix in {".py", ".toml", ".scpt"} for _, path in changes):
            say("the server starts again")
            await server.start()


async def follow_extension(server: DevelopedServer, extensions: Page) -> None:
    """Reload the extension whenever one of its files changes; the server uses the table of commands too."""
    # The change may have broken the key in the manifest.
    loaded = extension_id()
    async for changes in awatch(EXTENSION):
        if any(Path(path).name == "commands.json" for _, path in changes):
            await server.start()
        wrong = await extensions.evaluate(RELOAD, loaded)
        say(f"the extension cannot be loaded: {wrong}" if wrong else "the extension is loaded again")


async def develop(url: str) -> None:
    """Keep server and extension up to date with their files until interrupted."""
    with tempfile.TemporaryDirectory(prefix="dev-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        environment = {**MODEL, **server_environment(folder, {})}
        async with (
            developed_server(environment) as server,
            browser_with_extension(folder / "profile", window=has_screen()) as browser,
        ):
            state = await pair(browser, await server.connection_string())
            extensions = await extensions_page(browser)
            if url:
                await browser.pages[0].goto(url)
            async with asyncio.TaskGroup() as following:
                following.create_task(follow_server(server))
                following.create_task(follow_extension(server, extensions))
                await asyncio.sleep(0)  # both watch from here on
                say(f"{state.splitlines()[0]} Waiting for changes; Ctrl+C ends this.")


def has_screen() -> bool:
    return sys.platform in {"darwin", "win32"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.dev", description="Work on server and extension.")
    parser.add_argument("url", nargs="?", default="", help="page to open")
    try:
        asyncio.run(develop(parser.parse_args().url))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
