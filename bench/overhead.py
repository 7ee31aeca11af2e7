"""What checked answers add to a question, and how far `read_chrome_tab` is from the least that it could take.

    python -m bench.overhead FOLDER

FOLDER is the one of bench/main_content.py: of each of five kinds the page whose HTML has the median length is read. It
is compared with two floors: an empty MCP call and `innerText` inside the page, and an empty MCP call and a command of the
extension that only fetches `innerText`. No reader through an extension can be faster than the second one. The questions
are about 100,000 characters of this repository's documentation; their model is a fake one.
"""

import argparse
import asyncio
import gzip
import json
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from playwright.async_api import Page

import chrome_tab_mcp_server as server
from bench.bridge import Call, bridge, command, reach, started, tool
from bench.driven import SETTINGS
from bench.lines import Line, print_lines
from bench.main_content import read_saved
from bench.run import INNER_TEXT_MS
from bench.whole_page import CHUNK_S, FakeModel
from demo.browser import EXTENSION, browser_with_extension, pair
from demo.server import SERVER, connection_string, server_environment

ROOT = Path(__file__).parent.parent
KINDS = ("article", "documentation", "forum", "listing", "product")
PAGE_CHARS, SENTENCES, WINDOW = 100_000, 10, 400_000
# Each figure is the least of so many: what the work costs when nothing disturbs it.
ROUNDS = 40
THERE = "Where do chunks end, and how are headings, table rows and code fences carried over?"
NOT_THERE = "Which mushrooms grow under birches in autumn?"
MAX_ADDED_MS, MAX_FLOORS = 30, 1.5
# Replaces the extension's own command.
INNER_TEXT_COMMAND = """export async function readTab({ tabId }) {
  const script = { func: () => document.body.innerText, injectImmediately: true };
  const [{ result }] = await chrome.scripting.executeScript({ target: { tabId }, ...script });
  return { text: result };
}
"""


class QuotingModel(FakeModel):
    """Stands in for a model that answers with sentences of the page, a figure in each."""

    def __init__(self, text: str) -> None:
        super().__init__(CHUNK_S)
        sentences = [text[start:end].strip() for start, end in server.sentence_spans(text)]
        with_figures = [
            each for each in sentences if any(map(str.isdecimal, each)) and len(each) < server.MAX_PASSAGE_CHARS
        ]
        self.answer = " ".join(with_figures[:: len(with_figures) // SENTENCES][:SENTENCES])

    async def window(self, model: str) -> server.ContextWindow:  # noqa: ARG002
        """Give a window that takes the page whole."""
        return server.ContextWindow(WINDOW, "fake")

    async def complete(self, model: str, messages: list[Any], **about: Any) -> server.Completion:
        """Take the time of one chunk."""
        return (await super().complete(model, messages, **about))._replace(text=self.answer)


def unchecked(answer: server.Answer, *_: object) -> server.Answer:
    """Stand in for the check."""
    return answer


async def measure_answers() -> list[Line]:
    """Ask with and without the check, with evidence, and with quick reading, in turns."""
    files = sorted(ROOT.glob("docs/**/*.md"))
    text = "\n\n".join(file.read_text(encoding="utf-8") for file in files)[:PAGE_CHARS]
    page = server.Page("https://docs.test/", "Documentation", text, "extension")
    model = QuotingModel(text)
    analyzer = server.PageAnalyzer(server.load_settings({"ollama_url": model.url, "model": "fake"}, need_model=True))
    analyzer.server = model
    wanted: dict[str, dict[str, Any]] = {
        "the check": {},
        "check and evidence": {"evidence": True},
        "check, evidence, quick": {"evidence": True, "quick": True},
        "the same, without a clear match": {"evidence": True, "quick": True, "said": NOT_THERE},
    }
    times: dict[str, list[float]] = {}

    async def ask(name: str, number: int, *, said: str = THERE, evidence: bool = False, quick: bool = False) -> None:
        # Another prompt each time, or the answer would be kept.
        query = server.Query(f"{said} ({number} {name})", own_text=said, evidence=evidence, quick=quick)
        begun = time.perf_counter()
        await analyzer.answer(page, query, server.Progress(None))
        times.setdefault(name, []).append((time.perf_counter() - begun) * 1000)

    for number in range(ROUNDS):
        with (
            mock.patch.object(server, "index_for_check"),
            mock.patch.object(server, "checked_answer", unchecked),
        ):
            await ask("none of them", number)
        for name, flags in wanted.items():
            await ask(name, number, **flags)
    least = {name: min(of_name) for name, of_name in times.items()}
    bare = least["none of them"]
    return [(f"{name}: added", least[name] - bare, "allowed", MAX_ADDED_MS, "ms", 1) for name in wanted]


def pages_of(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Give the address and the HTML of one page of each kind."""
    truths = map(json.loads, (folder / "truth.jsonl").read_text(encoding="utf-8").strip().split("\n"))
    pages: dict[str, list[tuple[int, str, bytes]]] = {kind: [] for kind in KINDS}
    for truth in truths:
        if truth["page_type"] in pages:
            html = gzip.decompress((folder / "pages" / f"{truth['id']}.html.gz").read_bytes())
            pages[truth["page_type"]].append((len(html), truth["url"], html))
    return {kind: sorted(found)[len(found) // 2][1:] for kind, found in pages.items()}


async def call_ms(call: Call) -> float:
    begun = time.perf_counter()
    await call()
    return (time.perf_counter() - begun) * 1000


@asynccontextmanager
async def bare_extension(scratch: Path) -> AsyncGenerator[tuple[Page, Call]]:
    """Run a browser whose extension reads nothing but `innerText`; yield its page and that command."""
    extension = scratch / "extension"
    shutil.copytree(EXTENSION, extension)
    (extension / "commands" / "read-tab.js").write_text(INNER_TEXT_COMMAND, encoding="utf-8")
    environment = server_environment(scratch, SETTINGS)
    async with (
        bridge(int(environment["CHROME_TAB_PORT"])) as running,
        browser_with_extension(scratch / "bare", extension) as browser,
    ):
        await pair(browser, await connection_string(environment))
        await reach(running)
        yield browser.pages[0], command(running, "read_tab")


async def measure_floors(folder: Path) -> list[Line]:
    """Read by `read_chrome_tab`, compared with its two floors."""
    lines: list[Line] = []
    async with AsyncExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        # The bridge in this process finds the key where the server does.
        stack.enter_context(mock.patch.dict(os.environ, XDG_CONFIG_HOME=str(scratch)))
        environment = server_environment(scratch, SETTINGS)
        program = (sys.executable, str(ROOT / "bench" / "empty_server.py"))
        empty = await stack.enter_async_context(started(scratch, environment, *program))
        ours = await stack.enter_async_context(started(scratch, environment, sys.executable, str(SERVER)))
        browser = await stack.enter_async_context(browser_with_extension(scratch / "profile"))
        await pair(browser, await connection_string(environment))
        bare_page, bare = await stack.enter_async_context(bare_extension(scratch))
        page = browser.pages[0]
        for kind, (url, html) in pages_of(folder).items():
            for each in (page, bare_page):
                await read_saved(each, url, html, "() => document.title")
                await each.bring_to_front()
            times: dict[str, list[float]] = {"ours": [], "empty": [], "inner": [], "bare": []}
            for _ in range(ROUNDS):
                times["ours"].append(await call_ms(tool(ours, "read_chrome_tab")))
                times["empty"].append(await call_ms(tool(empty, "nothing")))
                times["inner"].append(await page.evaluate(INNER_TEXT_MS))
                times["bare"].append(await call_ms(bare))
            least = {name: min(of_name) for name, of_name in times.items()}
            what = f"read_chrome_tab, {kind} of {len(html) // 1000} kB"
            inside, through = least["empty"] + least["inner"], least["empty"] + least["bare"]
            lines.append((what, least["ours"], "an empty call and innerText in the page", inside, "ms", math.inf))
            lines.append((what, least["ours"], "an empty call and innerText fetched", through, "ms", MAX_FLOORS))
    return lines


async def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what answers and reading cost beyond the least.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    met = print_lines(await measure_answers())
    return 0 if print_lines(await measure_floors(folder)) and met else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
