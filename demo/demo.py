# /// script
# requires-python = ">=3.11"
# dependencies = ["fastmcp>=4.1,<5", "playwright>=1.50,<2"]
# ///
"""Show the main use for real: a page is open in a browser, a model on this machine answers about it.

    make demo [URL=...] [PROMPT=...]

The server is started as an MCP client starts it, with its own key and port, so that the user's own setup is not
touched. On Linux a real Chromium with a fresh profile and the extension opens the page; on a Mac it is the active tab
of the user's Chrome. Without OLLAMA_BASE_URL the tiny demo model answers.

The answer goes to standard output, the rest to standard error. Exit status: 0 answered, 1 failed, 130 interrupted.
"""

import signal

# Until `main` runs there is nothing to clean up, only slow imports that would show a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from browser import browser_with_extension, pair
from fastmcp import Client
from fastmcp.client.client import CallToolResult
from fastmcp.client.transports import StdioTransport
from mcp import MCPError
from mcp_types import TextContent
from playwright.async_api import BrowserContext
from playwright.async_api import Error as BrowserError
from rich.console import Console
from server import SERVER, connection_string, install_server, server_environment, started_server
from tiny_model import started as tiny_model_started
from web import demonstration_page

ON_MAC = sys.platform == "darwin"
DEFAULT_PROMPT = "Summarize this page."
PAGE_S = 60
ANSWER_S = 600

# Page text must not be interpreted as colors, emoji or links.
steps = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
results = Console(highlight=False, markup=False, emoji=False)


# --- What the user sees ---------------------------------------------------------------------


def plain(text: str) -> str:
    """Remove control characters: a page's title or an answer must not control the terminal."""
    return "".join(character for character in text if character.isprintable() or character == "\n")


def say(what: str, text: str) -> None:
    steps.print(f"{what:<9} {plain(text)}")


def show(result: CallToolResult) -> None:
    """Print title, answer and receipt; a failed call raises RuntimeError with the server's own sentence."""
    text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
    if result.is_error:
        raise RuntimeError(text)
    receipt: dict[str, Any] = (result.meta or {})["receipt"]
    steps.print()
    results.print(plain(receipt["title"]), style="bold")
    results.print()
    results.print(plain(text))
    results.print()
    results.print(
        f"The model read {receipt['prompt_tokens']:,} tokens, your client only {receipt['answer_tokens']:,}.",
        style="dim",
    )


# --- Model ------------------------------------------------------------------------------------


@contextmanager
def model_settings() -> Generator[dict[str, str]]:
    """Return the two required settings: the user's own, or those of a tiny model that runs during the block."""
    url = os.environ.get("OLLAMA_BASE_URL")
    if url:
        name = os.environ.get("OLLAMA_MODEL")
        if not name:
            raise RuntimeError(
                "OLLAMA_BASE_URL is set, but OLLAMA_MODEL is not. Set both, or neither to use the tiny model."
            )
        say("Model", f"{name} at {url}")
        yield {"OLLAMA_BASE_URL": url, "OLLAMA_MODEL": name}
        return
    with ExitStack() as stack:
        with steps.status("Starting the tiny demonstration model; the first time it downloads 120 MB"):
            model = stack.enter_context(tiny_model_started())
        say(
            "Model",
            "a tiny demonstration model: often wrong; it only shows that everything works. Use Ollama for real answers",
        )
        yield {"OLLAMA_BASE_URL": model.url, "OLLAMA_MODEL": model.model}


# --- Server -----------------------------------------------------------------------------------


async def ask(client: Client[StdioTransport], prompt: str) -> CallToolResult:
    say("Prompt", prompt)
    with steps.status("Asking") as status:
        last_step = ""

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            nonlocal last_step
            done = f"{progress / total:4.0%} " if total else ""
            status.update(plain(f"{done}{message or ''}"))
            # A terminal shows the line above as it changes; a log gets one line per step.
            step = (message or "").partition(",")[0]
            if step != last_step and not steps.is_terminal:
                say("Progress", step)
            last_step = step

        return await client.call_tool(
            "process_chrome_tab",
            {"system_prompt": prompt},
            progress_handler=on_progress,
            raise_on_error=False,
            timeout=ANSWER_S,
        )


# --- Page and browser -------------------------------------------------------------------------


def address(url: str) -> str:
    """Accept any form that a user types: a full address, one without its scheme, or a file."""
    if Path(url).exists():
        return Path(url).resolve().as_uri()
    return url if "://" in url else f"https://{url}"


def open_on_mac(url: str) -> None:
    """Show the page in the user's own Chrome; without a page, use the active tab."""
    if not url:
        say("Page", "the active tab of Google Chrome")
        return
    subprocess.run(["open", "-a", "Google Chrome", address(url)], check=True, timeout=PAGE_S)
    steps.input("Press Return when the page has loaded. ")


async def open_page(browser: BrowserContext, url: str) -> None:
    page = browser.pages[0]
    try:
        await page.goto(url, timeout=PAGE_S * 1000)
    except BrowserError as failure:
        reason = failure.message.splitlines()[0]
        raise RuntimeError(f"The page cannot be opened. Check the address. ({reason})") from None
    await page.bring_to_front()
    say("Page", page.url)


# --- All together -----------------------------------------------------------------------------


class Interruption:
    """Ctrl-C: ends what is in progress, and is remembered even if that code swallows it."""

    def __init__(self) -> None:
        self.came = False

    def ends(self, task: asyncio.Task[Any] | None) -> None:
        """From now on it ends this task."""
        assert task
        loop = task.get_loop()

        def end() -> None:
            self.came = True
            # Code that is interrupted may print errors afterwards; no one reads them.
            loop.set_exception_handler(lambda _loop, _context: None)
            task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, end)


async def demonstrate(url: str, prompt: str, model: dict[str, str], interruption: Interruption) -> None:
    """Open the page, ask about it, print the answer; everything that was started has ended on return."""
    interruption.ends(asyncio.current_task())
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        environment = server_environment(
            folder, {"CHROME_TAB_SOURCE": "applescript" if ON_MAC else "extension", **model}
        )
        with steps.status("Starting the server"):
            client = await stack.enter_async_context(started_server(environment, folder / "server.log"))
        say("Server", f"{SERVER.name}, over stdio")
        if ON_MAC:
            open_on_mac(url)
        else:
            with steps.status("Starting the browser"):
                browser = await stack.enter_async_context(browser_with_extension(folder / "profile"))
                state = await pair(browser, await connection_string(environment))
            say("Extension", state)
            await open_page(browser, address(url) if url else stack.enter_context(demonstration_page()))
        show(await ask(client, prompt))


def main() -> int:
    parser = argparse.ArgumentParser(description="Answer about one page, with a real browser and a real model.")
    parser.add_argument("--url", default="", help="any page (default: the demo's own)")
    parser.add_argument("--prompt", default="", help=f"default: {DEFAULT_PROMPT}")
    options = parser.parse_args()
    interruption = Interruption()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failure = None
    try:
        with steps.status("Preparing the server"):
            install_server()
        with model_settings() as model:
            asyncio.run(demonstrate(options.url, options.prompt or DEFAULT_PROMPT, model, interruption))
    except (RuntimeError, BrowserError, MCPError, subprocess.SubprocessError) as raised:
        failure = raised
    except (KeyboardInterrupt, asyncio.CancelledError):
        interruption.came = True
    if interruption.came:
        steps.print("\nStopped.")
        return 130
    if failure:
        steps.print(f"\nThe demo failed. {plain(str(failure))}", style="red")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
