"""The cost of a second question about the same page on a real llama.cpp server, with the demo's small model.

    python -m bench.prefix

Each question comes from its own process, as after a restart of our server and with several sessions at once. Then the
time to the first word, with and without reading ahead, and how full the chunks of a long page are when it is read for
the first and the second time. The pages are this repository's own documentation.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import chrome_tab_mcp_server as server
from chrome_tab.read_ahead import read_ahead
from demo.tiny_model import TinyModel, started

ROOT = Path(__file__).parent.parent
PAGES = ("docs/asking.md", "docs/troubleshooting.md", "docs/driving.md")
LONG_PAGES = ("docs/design/protocol.md", "docs/design/driving.md", "docs/design/decisions.md")
PROMPTS = ("What is this page about?", "Which limits does it name?", "Who may read a tab?")
CONTEXT_LENGTH, PAGE_CHARS = 4096, 7_000
# Each limit is on a ratio: recomputed tokens, time to the first word; and the least share of a chunk's room in use.
MAX_COMPUTED, MAX_FIRST_WORD, MIN_FILL = 0.05, 0.2, 0.75


class Asked(NamedTuple):
    """The cost of one question: tokens of its prompts, cached ones among them, seconds to the first word."""

    prompt_tokens: int
    cached_tokens: int
    first_word_s: float


def page_of(*names: str, most: int | None = None) -> server.Page:
    text = "\n\n".join((ROOT / name).read_text(encoding="utf-8") for name in names)
    return server.Page("https://docs.test/", "Documentation", text[:most], "extension")


async def ask(model: TinyModel, page: server.Page, prompt: str, *, ahead: bool = False) -> Asked:
    """Ask as a server that has just started."""
    settings = server.load_settings(
        {"ollama_url": model.url, "model": model.model, "context_length": CONTEXT_LENGTH}, need_model=True
    )
    analyzer = server.PageAnalyzer(settings)
    if ahead:
        await read_ahead(analyzer, page, None, confirmed=False)
    began, first = time.monotonic(), list[float]()

    async def report(_percent: float, _message: str) -> None:
        pass

    progress = server.Progress(report, lambda _text: first.append(time.monotonic() - began))
    async with progress:
        receipt = (await analyzer.answer(page, server.Query(prompt), progress)).receipt
    await analyzer.server.close()
    return Asked(receipt["prompt_tokens"], receipt.get("cached_tokens", 0), first[0])


async def ask_by_process(model: TinyModel, prompt: str, name: str) -> Asked:
    """Ask in a separate process."""
    command = (sys.executable, "-m", "bench.prefix", "--ask", prompt, name, model.url, model.model)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"asking about {name} ended with status {process.returncode}")
    return Asked(*json.loads(output))


async def chunk_fill(model: TinyModel, page: server.Page, prompt: str) -> list[float]:
    """Return for each chunk of a page but the last the tokens of its prompt, as a share of the room in the window."""
    settings = server.load_settings(
        {"ollama_url": model.url, "model": model.model, "context_length": CONTEXT_LENGTH}, need_model=True
    )
    analyzer, sizes = server.PageAnalyzer(settings), list[int]()
    complete = analyzer.server.complete

    async def counted(*given: Any, **about: Any) -> server.Completion:
        completion = await complete(*given, **about)
        sizes.append(completion.prompt_tokens or 0)
        return completion

    analyzer.server.complete = counted
    answer = await analyzer.answer(page, server.Query(prompt), server.Progress(None))
    await analyzer.server.close()
    chunks = answer.receipt["chunks"]
    return [size / (CONTEXT_LENGTH - CONTEXT_LENGTH // 4) for size in sizes[: chunks - 1]]


def judge(what: str, value: float, limit: float, *, is_least: bool = False) -> bool:
    met = value >= limit if is_least else value <= limit
    print(
        f"{what}: {value:.3f}, {'at least' if is_least else 'at most'} {limit:g}: {'met' if met else 'NOT met'}",
        flush=True,
    )
    return met


async def measure(model: TinyModel) -> bool:
    met = True
    first = await ask_by_process(model, PROMPTS[0], PAGES[0])
    for prompt in PROMPTS[1:]:
        again = await ask_by_process(model, prompt, PAGES[0])
        met &= judge("computed again after a restart", 1 - again.cached_tokens / again.prompt_tokens, MAX_COMPUTED)
    print(f"a first question: {first}")
    sessions = await asyncio.gather(*(ask_by_process(model, prompt, PAGES[0]) for prompt in PROMPTS))
    computed = 1 - sum(each.cached_tokens for each in sessions) / sum(each.prompt_tokens for each in sessions)
    met &= judge("computed again by three sessions at once", computed, MAX_COMPUTED)
    cold = await ask(model, page_of(PAGES[1], most=PAGE_CHARS), PROMPTS[0])
    # Another page: the server has seen the first one.
    ahead = await ask(model, page_of(PAGES[2], most=PAGE_CHARS), PROMPTS[0], ahead=True)
    met &= judge(
        "first word after reading ahead, of the time without", ahead.first_word_s / cold.first_word_s, MAX_FIRST_WORD
    )
    long_page = page_of(*LONG_PAGES, most=24_000)
    for reading, prompt in zip(("first", "second"), PROMPTS, strict=False):
        fill = await chunk_fill(model, long_page, prompt)
        print(f"chunks of the {reading} reading: {[round(each, 2) for each in fill]}")
        met &= judge("least full chunk but the last", min(fill), MIN_FILL, is_least=True)
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure a second question with a real model server.")
    parser.add_argument(
        "--ask", nargs=4, metavar=("PROMPT", "PAGE", "URL", "MODEL"), help="ask once, for the bench itself"
    )
    given = parser.parse_args()
    if given.ask:
        prompt, name, url, model = given.ask
        print(json.dumps(asyncio.run(ask(TinyModel(url, model), page_of(name, most=PAGE_CHARS), prompt))))
        return 0
    with tempfile.TemporaryDirectory() as folder, started(context_length=CONTEXT_LENGTH) as tiny:
        os.environ.update(XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder, XDG_CACHE_HOME=folder, HOME=folder)
        return 0 if asyncio.run(measure(tiny)) else 1


if __name__ == "__main__":
    sys.exit(main())
