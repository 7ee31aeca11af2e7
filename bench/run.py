"""Measure side by side in one run, and report how many times slower or larger than the comparison we are.

    make bench                        every measurement; the table also goes into bench/README.md
    make bench ONLY="start reading"   some of them; bench/README.md stays as it is

A ratio is more meaningful than a time: both sides run on the same machine, in turns, seconds apart.
"""

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from fastmcp import Client
from playwright.async_api import Page, Route
from rich.console import Console
from rich.table import Table

import chrome_tab_mcp_server as server
from bench.bridge import measure_bridge, started
from bench.driving import measure_driving
from bench.elements import measure_elements
from bench.http_clients import measure_http
from bench.lines import Line
from bench.pdf import measure_pdf
from bench.sessions import measure_sessions
from bench.web import Reply, listening
from bench.whole_page import measure_whole_page
from chrome_tab import app
from demo.browser import browser_with_extension, pair
from demo.server import SERVER, connection_string, server_environment

BENCH = Path(__file__).resolve().parent
README = BENCH / "README.md"
READ_PAGE = BENCH.parent / "extension" / "page" / "read-page.js"
PAGE_URL = "http://page.test/"
MEGABYTE = 1_000_000
ANSWER_S = 120
READING_ROUNDS = 20
FIRST_STARTS = 3
LATER_STARTS = 9


@dataclass(frozen=True)
class Ratio:
    """One line of the table. `limit` is the largest ratio that we allow ourselves."""

    what: str
    ours: float
    reference: str
    other: float
    unit: str
    limit: float

    @property
    def value(self) -> float:
        """Return ours as a multiple of the comparison."""
        return self.ours / self.other

    def cells(self) -> list[str]:
        """Return the line's texts in the order of `COLUMNS`."""
        verdict = "yes" if self.value <= self.limit else "NO"
        sizes = [f"{size:,.3g}" if size < MEGABYTE / 1000 else f"{size:,.0f}" for size in (self.ours, self.other)]
        ours, other = (f"{size} {self.unit}" for size in sizes)
        return [self.what, ours, self.reference, other, f"{self.value:.2f}", f"{self.limit:g}", verdict]


COLUMNS = ["what", "ours", "compared with", "theirs", "ratio", "limit", "met"]


def words(size: int) -> str:
    """Return `size` characters of text, always the same: different lines, and one in five that repeats an earlier one."""
    chance = random.Random(1)  # noqa: S311  # no secret
    known = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 10))) for _ in range(5000)]
    lines: list[str] = []
    length = 0
    while length < size:
        repeats = lines and chance.random() < 0.2  # noqa: PLR2004  # one in five
        lines.append(chance.choice(lines) if repeats else " ".join(chance.choices(known, k=chance.randint(3, 30))))
        length += len(lines[-1]) + 1
    return "\n".join(lines)[:size]


def markup(text: str) -> str:
    """Return the text as a page: headings, lists of links, tables, paragraphs with links in them.

    About nine visible characters per element, the median of 400 web pages.
    """
    parts: list[str] = []
    for number, line in enumerate(text.split("\n")):
        pieces = line.split(" ")
        match number % 10:
            case 0:
                parts.append(f"<h3>{line}</h3>")
            case 1 | 2:
                parts.append("<ul>" + "".join(f'<li><a href="#">{piece}</a></li>' for piece in pieces) + "</ul>")
            case 3 | 4:
                parts.append("<table><tr>" + "".join(f"<td>{piece}</td>" for piece in pieces) + "</tr></table>")
            case _:
                marked = (f"<b>{piece}</b>" if i % 4 == 0 else piece for i, piece in enumerate(pieces))
                parts.append(f"<div><p>{' '.join(marked)}</p></div>")
    return "\n".join(parts)


async def show(page: Page, body: str) -> None:
    """Load a page; nothing is requested from the network."""

    async def answer(route: Route) -> None:
        await route.fulfill(body=f"<!doctype html><title>Bench</title>{body}", content_type="text/html; charset=utf-8")

    await page.unroute_all()
    await page.route(PAGE_URL, answer)
    await page.goto(PAGE_URL, timeout=ANSWER_S * 1000)


# --- Start --------------------------------------------------------------------------------------

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


def initialize_s(command: list[str], environment: dict[str, str], log: int | Any = subprocess.DEVNULL) -> float:
    """Return the seconds from starting the program to its answer to `initialize`."""
    begun = time.perf_counter()
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        giving_up = threading.Timer(ANSWER_S, process.kill)
        giving_up.start()
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        taken = time.perf_counter() - begun
        process.stdin.close()
        process.wait(ANSWER_S)
        giving_up.cancel()
    assert b'"result"' in answer, f"{command} did not answer"
    return taken


def import_ms(command: list[str], environment: dict[str, str]) -> dict[str, float]:
    """Return the milliseconds that each imported module costs by itself, from the start to the answer to `initialize`."""
    with tempfile.TemporaryFile() as log:
        initialize_s([command[0], "-X", "importtime", *command[1:]], environment, log)
        log.seek(0)
        lines = log.read().decode(errors="replace")
    found = re.findall(r"^import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)", lines, re.MULTILINE)
    return {name: int(own_us) / 1000 for own_us, name in found}


def package_ms(modules: Mapping[str, float]) -> Counter[str]:
    """Sum up the modules by the package they belong to."""
    packages = Counter[str]()
    for name, cost in modules.items():
        packages[name.partition(".")[0]] += round(cost)
    return packages


def start_environment(folder: Path) -> dict[str, str]:
    """Return an environment whose bytecode is stored in `folder`: while that is empty, a start is the first one."""
    environment = server_environment(folder, {"PYTHONPYCACHEPREFIX": str(folder / "byte code")})
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


async def measure_start() -> list[Ratio]:
    """Time from the program's start to the answer to `initialize`, compared with an empty server in this environment.

    First without any bytecode, as after an installation, then as on every later start.
    """
    commands = [
        [sys.executable, str(SERVER), "--ollama-url", "http://127.0.0.1:9", "--model", "none"],
        [sys.executable, str(BENCH / "empty_server.py")],
    ]
    first: list[list[float]] = [[], []]
    later: list[list[float]] = [[], []]
    with ExitStack() as stack:
        environment: dict[str, str] = {}
        for _ in range(FIRST_STARTS):
            for times, command in zip(first, commands, strict=True):
                environment = start_environment(Path(stack.enter_context(tempfile.TemporaryDirectory())))
                times.append(initialize_s(command, environment))
        for command in commands:
            initialize_s(command, environment)  # compiles what the other one has not
        for _ in range(LATER_STARTS):
            for times, command in zip(later, commands, strict=True):
                times.append(initialize_s(command, environment))
        costs, base = (import_ms(command, environment) for command in commands)
    ours_alone = package_ms({name: cost for name, cost in costs.items() if name not in base})
    print("Imported beyond an empty server, ms:", ", ".join(f"{name} {ms}" for name, ms in ours_alone.most_common(8)))
    reference = "an empty FastMCP server"
    return [
        Ratio(what, statistics.median(ours), reference, statistics.median(other), "s", 1.15)
        for what, (ours, other) in {
            "answer to initialize": later,
            "answer to initialize, first start after an installation": first,
        }.items()
    ]


# --- Reading ------------------------------------------------------------------------------------


@contextmanager
def fake_model(arrivals: list[float]) -> Generator[str]:
    """Serve a fake model that records when a request arrives and answers at once; yield its address."""

    def model(request: BaseHTTPRequestHandler) -> Reply:
        if request.command == "GET":
            return 404, "application/json", b'{"error": "nothing but chat completions here"}'
        arrivals.append(time.perf_counter())
        request.rfile.read(int(request.headers["content-length"]))
        answer = {"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}
        return 200, "application/json", json.dumps(answer).encode()

    with listening(model) as address:
        yield address


INNER_TEXT_MS = """() => {
  const begun = performance.now();
  const length = document.body.innerText.length;
  return length && performance.now() - begun;
}"""


async def page_function_ms(page: Page, request: dict[str, str | None]) -> float:
    source = READ_PAGE.read_text(encoding="utf-8").replace("export function", "function")
    timed = f"""{source}
    (() => {{
      const times = [1, 2, 3, 4, 5].map(() => {{
        const begun = performance.now();
        readPage({json.dumps(request)});
        return performance.now() - begun;
      }});
      return Math.min(...times);
    }})()"""
    return float(await page.evaluate(timed))


async def measure_reading() -> list[Ratio]:
    """Time from the call to the model request for a page of 1 MB, compared with innerText alone in that page."""
    arrivals: list[float] = []
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        settings = {
            "OLLAMA_BASE_URL": stack.enter_context(fake_model(arrivals)),
            "OLLAMA_MODEL": "fake",
            "CHROME_TAB_CONTEXT_LENGTH": "4000000",
            "CHROME_TAB_SOURCE": "extension",
        }
        environment = server_environment(folder, settings)
        # FastMCP's own client would add 3.5 ms to each call.
        client = await stack.enter_async_context(started(folder, environment, "uv", "run", "--quiet", str(SERVER)))
        browser = await stack.enter_async_context(browser_with_extension(folder / "profile"))
        await pair(browser, await connection_string(environment))
        page = browser.pages[0]
        await show(page, markup(words(MEGABYTE)))
        await page.bring_to_front()
        calls: list[float] = []
        inner: list[float] = []
        function: list[float] = []
        for number in range(1 + READING_ROUNDS):
            inner.append(await page.evaluate(INNER_TEXT_MS))
            function.append(await page_function_ms(page, {"start": None, "end": None}))
            arrivals.clear()
            begun = time.perf_counter()
            # Another prompt each time, or the answer would come from the cache without a request.
            await client.request("tools/call", name="process_chrome_tab", arguments={"system_prompt": f"{number}"})
            calls.append((arrivals[0] - begun) * 1000)
    alone = statistics.median(inner[1:])
    return [
        Ratio(what, statistics.median(times[1:]), "innerText alone", alone, "ms", 3)
        for what, times in (("page function, 1 MB page", function), ("call to model request, 1 MB page", calls))
    ]


# --- Growth -------------------------------------------------------------------------------------


def function_ms(function: Callable[[str], object], text: str) -> float:
    """Return the fastest of five runs: the cost of the work when nothing disturbs it."""
    times: list[float] = []
    for _ in range(5):
        begun = time.perf_counter()
        function(text)
        times.append((time.perf_counter() - begun) * 1000)
    return min(times)


async def measure_growth() -> list[Ratio]:
    """Ten times the text may take at most twelve times as long."""
    limit = 12
    rows: list[Ratio] = []
    requests: dict[str, dict[str, str | None]] = {
        "page function": {"start": None, "end": None},
        "page function, keyword missing": {"start": "a keyword that is nowhere", "end": None},
    }
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        browser = await stack.enter_async_context(browser_with_extension(folder / "profile"))
        page = browser.pages[0]
        times: dict[str, list[float]] = {name: [] for name in requests}
        for size in (MEGABYTE, 10 * MEGABYTE):
            # One element: this measures our own work, not the browser's with a million elements.
            await show(page, f"<pre>{words(size)}</pre>")
            for name, request in requests.items():
                times[name].append(await page_function_ms(page, request))
    rows += [Ratio(f"{name}, 10 MB", large, "1 MB", small, "ms", limit) for name, (small, large) in times.items()]

    meter = server.TokenMeter()
    texts = [words(MEGABYTE), words(10 * MEGABYTE)]
    functions: dict[str, Callable[[str], object]] = {
        "splitting into chunks": lambda text: server.split_text(text, lambda part: meter.estimate(part) / 8000),
    }
    for name, function in functions.items():
        small, large = (function_ms(function, text) for text in texts)
        rows.append(Ratio(f"{name}, 10 MB", large, "1 MB", small, "ms", limit))
    return rows


# --- Size ---------------------------------------------------------------------------------------


async def measure_size() -> list[Ratio]:
    """Count the tool list's characters: every client reads it in every conversation."""
    settings = server.load_settings({"ollama_url": "http://127.0.0.1:9", "model": "none"}, need_model=True)
    async with Client(app.create_server(settings)) as client:
        tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in await client.list_tools()]
    readers = [tool for tool in tools if tool["name"].endswith(("_chrome_tab", "chrome_tab_status"))]
    return [
        Ratio(
            f"tools/list, {len(some)} {which}",
            len(json.dumps(some, ensure_ascii=False, separators=(",", ":"))),
            "budget",
            budget,
            "characters",
            1,
        )
        for which, some, budget in (("reader tools", readers, 4_000), ("tools in all", tools, 16_500))
    ]


# --- Table --------------------------------------------------------------------------------------


def as_ratios(measure: Callable[[], Coroutine[Any, Any, list[Line]]]) -> Callable[[], Coroutine[Any, Any, list[Ratio]]]:
    """Make a measurement of another file one of ours."""

    async def measured() -> list[Ratio]:
        return [Ratio(*line) for line in await measure()]

    return measured


MEASUREMENTS: dict[str, Callable[[], Coroutine[Any, Any, list[Ratio]]]] = {
    "start": measure_start,
    "reading": measure_reading,
    "growth": measure_growth,
    "size": measure_size,
    "pages": as_ratios(measure_whole_page),
    "bridge": as_ratios(measure_bridge),
    "driving": as_ratios(measure_driving),
    "elements": as_ratios(measure_elements),
    "http": as_ratios(measure_http),
    "sessions": as_ratios(measure_sessions),
    "pdf": as_ratios(measure_pdf),
}


def print_table(rows: list[Ratio]) -> None:
    table = Table(*COLUMNS)
    for row in rows:
        table.add_row(*row.cells())
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def write_figures(rows: list[Ratio]) -> None:
    """Insert the table between the two markers of bench/README.md."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *(row.cells() for row in rows)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    heading = f"{datetime.now(UTC):%Y-%m-%d}, `make bench`, {os.cpu_count()} cores, Python {sys.version.split()[0]}:"
    figures = f"<!-- figures -->\n\n{heading}\n\n{table}\n\n<!-- end of figures -->"
    text = README.read_text(encoding="utf-8")
    text = re.sub(r"<!-- figures -->.*<!-- end of figures -->", lambda _: figures, text, flags=re.DOTALL)
    README.write_text(text, encoding="utf-8")


async def main() -> int:
    parser = argparse.ArgumentParser(description="Ratios, in one run.")
    parser.add_argument("names", nargs="*", choices=[*MEASUREMENTS, []], help="all when none is named")
    names: list[str] = parser.parse_args().names
    rows: list[Ratio] = []
    for name in names or MEASUREMENTS:
        print(f"Measuring: {name}", flush=True)
        measured = await MEASUREMENTS[name]()
        print_table(measured)
        rows += measured
    if not names:
        write_figures(rows)
    return 0 if all(row.value <= row.limit for row in rows) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
