"""The cost of reading a long page in chunks compared with the model's own time: `measure_whole_page`.

Alone: python bench/whole_page.py. Each line is what, ours, reference, theirs, unit, largest ratio allowed.
"""

import asyncio
import random
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import chrome_tab_mcp_server as server
from bench.lines import Line, print_lines

CHUNK_S = 0.05
ANSWER_S = 60
WINDOW = 4096
MEGABYTE = 1_000_000


class FakeModel(server.ModelServer):
    """A fake model server: takes `chunk_s` per chunk, `slots` chunks at once, and adds up its busy time."""

    def __init__(self, chunk_s: float, slots: int = 1) -> None:
        super().__init__("http://127.0.0.1:9", api_key=None, timeout_s=ANSWER_S)
        self.chunk_s = chunk_s
        self.busy_s = 0.0
        self._slots = asyncio.Semaphore(slots)

    async def window(self, model: str) -> server.ContextWindow:  # noqa: ARG002
        """Return the window."""
        return server.ContextWindow(WINDOW, "fake")

    async def cloud_host(self, model: str) -> str:  # noqa: ARG002
        """Treat every model as local."""
        return ""

    async def complete(self, model: str, messages: list[Any], **_: Any) -> server.Completion:  # noqa: ARG002
        """Wait as long as one chunk takes."""
        begun = time.perf_counter()
        async with self._slots:
            await asyncio.sleep(self.chunk_s)
        self.busy_s += time.perf_counter() - begun
        return server.Completion("Noted.", sum(len(message["content"]) for message in messages) // 4, 2, early_end="")


def page_of(alphabet: str, size: int) -> server.Page:
    """Return a page of `size` bytes of UTF-8, always the same."""
    chance = random.Random(1)  # noqa: S311  # no secret
    words = ["".join(chance.choices(alphabet, k=chance.randint(2, 10))) for _ in range(5000)]
    sentence_chars = 60 * len(alphabet[0].encode())
    lines = [" ".join(chance.choices(words, k=10)) + ".\n" for _ in range(size // sentence_chars)]
    return server.Page("http://page.test/", "Bench", "".join(lines), "extension")


async def read(page: server.Page, model: FakeModel, parallel: int = 1) -> tuple[float, int]:
    """Let the model read the page; return the seconds and the number of chunks."""
    flags = {"ollama_url": model.url, "model": "fake", "parallel": parallel}
    analyzer = server.PageAnalyzer(server.load_settings(flags, need_model=True))
    analyzer.server = model
    begun = time.perf_counter()
    answer = await analyzer.answer(page, server.Query("List the facts."), server.Progress(None))
    return time.perf_counter() - begun, answer.receipt["chunks"]


async def measure_whole_page() -> list[Line]:
    """Measure the overhead over the model's own time, memory for a large page, throughput with several slots."""
    page = page_of("etaoinshrdlu", MEGABYTE)
    model = FakeModel(CHUNK_S)
    taken, chunks = await read(page, model)
    lines: list[Line] = [(f"reading 1 MB in {chunks} chunks", taken, "the model's own time", model.busy_s, "s", 1.02)]
    at_once, _ = await read(page, FakeModel(CHUNK_S, slots=4), parallel=4)
    lines.append(("4 chunks at once, 4 slots", at_once, "one after another", taken, "s", 1 / 3))
    # What is loaded once, such as the names of numbers, is not the page's.
    await read(page_of("etaoinshrdlu", 50_000), FakeModel(0))
    for name, alphabet in (("Latin", "etaoinshrdlu"), ("Chinese", "的一是不了人我在有他这中")):
        page = page_of(alphabet, 10 * MEGABYTE)
        size = len(page.text.encode()) / MEGABYTE
        tracemalloc.start()
        await read(page, FakeModel(0))
        peak = tracemalloc.get_traced_memory()[1] / MEGABYTE
        tracemalloc.stop()
        # The page itself existed before the measurement began.
        lines.append((f"memory to read 10 MB of {name}", size + peak, "the page", size, "MB", 6))
    return lines


if __name__ == "__main__":
    print_lines(asyncio.run(measure_whole_page()))
