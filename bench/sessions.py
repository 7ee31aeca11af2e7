"""Two sessions on one browser: how long one waits while the other sends as many commands as it may."""

import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from unittest import mock

import chrome_tab_mcp_server as server
from bench.bridge import PAGES, bridge, page_of, reach, web_server
from bench.lines import Line, print_lines
from chrome_tab.bridge.bridge import Bridge
from demo.browser import browser_with_extension, pair
from demo.server import connection_string, server_environment

PAGE = "70 kB article"
CALLS = 200
PAUSE_S = 0.02
# As many as a client has in progress that does not wait for answers.
AT_ONCE = 20
TO_CALM = 2.0


async def milliseconds(calm: Bridge, tab_id: int) -> float:
    """Read a tab repeatedly, and return the median of the calls."""
    times: list[float] = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        await calm.command("read_tab", tab_id, {})
        times.append((time.perf_counter() - begun) * 1000)
        # It stays within the limit of a session, 50 commands a second.
        await asyncio.sleep(PAUSE_S)
    return statistics.median(times)


async def flood(port: int, tab_id: int) -> None:
    """Keep commands in flight all the time; beyond the session's limit they wait or are rejected."""
    async with bridge(port) as flooding:
        await reach(flooding)

        async def ask() -> None:
            while True:
                with contextlib.suppress(server.ChromeTabError):
                    await flooding.command("read_tab", tab_id, {})
                    print("read", flush=True)

        await asyncio.gather(*(ask() for _ in range(AT_ONCE)))


@contextlib.asynccontextmanager
async def flooded(port: int, tab_id: int) -> AsyncGenerator[None]:
    """Let another process flood a tab."""
    command = (sys.executable, "-m", "bench.sessions", str(port), str(tab_id))
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    await process.stdout.readline()
    hearing = asyncio.create_task(process.stdout.read())
    try:
        yield
    finally:
        process.kill()
        await asyncio.gather(process.wait(), hearing)


async def measure_sessions() -> list[Line]:
    """Read one tab alone, then while another session floods another tab, starting with the flood's first command."""
    lines: list[Line] = []
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name,
        web_server({PAGE: page_of(*PAGES[PAGE])}) as at,
    ):
        folder = Path(name)
        environment = server_environment(folder, {"OLLAMA_BASE_URL": "http://127.0.0.1:9", "OLLAMA_MODEL": "none"})
        port = int(environment["CHROME_TAB_PORT"])
        # Bridges in this process find the key where the servers do.
        with mock.patch.dict(os.environ, XDG_CONFIG_HOME=name):
            async with browser_with_extension(folder / "profile") as browser, bridge(port) as calm:
                await pair(browser, await connection_string(environment))
                await reach(calm)
                address = at + PAGE.replace(" ", "%20")
                first, second = [
                    (await calm.command("browser_create_tab", None, {"url": address}))["tab_id"] for _ in range(2)
                ]
                await milliseconds(calm, first)
                alone = await milliseconds(calm, first)
                for where, flooded_tab in (("another tab", second), ("the same tab", first)):
                    async with flooded(port, flooded_tab):
                        reference = await milliseconds(calm, first)
                    lines.append((f"read {PAGE}, {where} flooded", reference, "alone", alone, "ms", TO_CALM))
    return lines


if __name__ == "__main__":
    match sys.argv[1:]:
        case [port, tab_id]:
            asyncio.run(flood(int(port), int(tab_id)))
        case _:
            print_lines(asyncio.run(measure_sessions()))
