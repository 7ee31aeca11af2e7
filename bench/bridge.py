"""The cost of reading through the extension, compared with other servers that read the same page: `measure_bridge`.

Alone: python -m bench.bridge. Each line is what, ours, reference, theirs, unit, largest ratio allowed.

The others are playwright-mcp and chrome-devtools-mcp, installed from npm into .cache. Each has its own browser from the
same program: their debuggers would slow down ours, and the user's browser has none.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import quote, unquote, urlsplit

from playwright.async_api import BrowserContext, Page

import chrome_tab_mcp_server as server
from bench.lines import Line, print_lines
from bench.web import Reply, listening
from chrome_tab.bridge.bridge import Bridge
from chrome_tab.bridge.follower import Follower
from chrome_tab.bridge.roles import Route
from demo.browser import browser_with_extension, chromium, pair
from demo.server import SERVER, connection_string, server_environment
from tests.support.fake_extension import process_on

Call = Callable[[], Awaitable[str]]

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".cache" / "bench"
PACKAGES = ["@playwright/mcp@>=0.0.83 <0.1", "chrome-devtools-mcp@>=1.11 <2"]
INSTALL_S = 300
ANSWER_S = 60
LONGEST_LINE = 64 * 1024 * 1024
ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
ROUNDS = 15
STORMS = 3
TO_READ, TO_LIST, TO_FOLLOWER, TO_GROW = 0.2, 0.7, 1.5, 1.2
CLIENTS, COMMANDS = 20, 2000
MEGABYTE = 1_000_000


STYLE = (
    ".grid{display:grid;grid-template-columns:repeat(4,1fr);gap:1em;list-style:none}"
    ".nav ul{display:flex;flex-wrap:wrap;list-style:none}.list{width:100%}"
)
LAST_WORDS = "Here the page ends"


# --- Pages --------------------------------------------------------------------------------------


class Words:
    """Return sentences that are always the same, and about as varied as those of a real page."""

    def __init__(self) -> None:
        self._chance = random.Random(1)  # noqa: S311  # no secret
        self._known = [
            "".join(self._chance.choices("etaoinshrdlu", k=self._chance.randint(2, 10))) for _ in range(5000)
        ]

    def __call__(self, fewest: int, most: int) -> str:
        """Return a number of words between the two."""
        return " ".join(self._chance.choices(self._known, k=self._chance.randint(fewest, most))).capitalize()


def article(words: Words, number: int) -> str:
    """Return a section: heading, image, text with links, a teaser of another article and a reader's comment."""
    link = f'<a class="link link--inline" href="/topics/{number}" data-track="inline-link">{words(2, 4)}</a>'
    return (
        f'<section class="article__section" id="section-{number}"><h2 class="article__heading">{words(3, 8)}</h2>'
        f'<figure class="figure"><img src="data:," alt="{words(4, 9)}" loading="lazy" width="640" height="360">'
        f'<figcaption class="figure__caption">{words(6, 14)}</figcaption></figure>'
        f'<p class="article__paragraph">{words(20, 40)} {link}, <em>{words(3, 8)}</em> {words(10, 30)}.</p>'
        f'<aside class="teaser"><a class="teaser__link" href="/articles/{number}"><span class="teaser__kicker">{words(1, 2)}'
        f'</span> <strong class="teaser__title">{words(4, 9)}</strong></a></aside>'
        f'<div class="comment" id="comment-{number}"><a class="comment__author" href="/people/{number}">{words(1, 2)}</a> '
        f'<time datetime="2026-01-{number % 28 + 1:02}T10:00:00Z">{number % 23 + 1} hours ago</time>'
        f'<p class="comment__text">{words(5, 20)}</p><button type="button" data-action="like">Like ({number * 7 % 90})</button> '
        '<button type="button" data-action="reply">Reply</button></div></section>'
    )


def product(words: Words, number: int) -> str:
    """Return one card of a shop's grid."""
    return (
        f'<li class="grid__item product-card" data-product-id="{number}" data-list="results"><article>'
        f'<a class="product-card__link" href="/products/{number}-{words(1, 2).lower().replace(" ", "-")}?ref=grid&pos={number}">'
        f'<img class="product-card__image" src="data:," alt="{words(3, 6)}" loading="lazy" width="320" height="320">'
        f'<h3 class="product-card__title">{words(3, 7)}</h3></a>'
        f'<div class="product-card__rating" role="img" aria-label="{number % 5} of 5 stars"><span>{number % 5}.0</span> '
        f"<span>({number * 7 % 900})</span></div>"
        f'<p class="product-card__text">{words(8, 16)}</p><div class="product-card__price">'
        f'<span class="price price--now">{number % 300}.99 EUR</span> <s class="price price--old">{number % 300 + 20}.00</s></div>'
        f'<button type="button" class="button button--primary" data-action="add" data-sku="SKU-{number:06}">Add to cart</button>'
        "</article></li>"
    )


def entry(words: Words, number: int) -> str:
    """Return one row of a long list."""
    return (
        f'<tr class="list__row" id="row-{number}" data-entry="{number}"><td class="list__cell list__cell--rank">{number}.</td>'
        f'<td class="list__cell"><a class="list__title" href="/entries/{number}" rel="nofollow noreferrer">{words(4, 10)}</a> '
        f'<span class="list__site">(<a href="/from/{number % 40}">{words(1, 1).lower()}.example</a>)</span>'
        f'<div class="list__details"><span class="list__score">{number * 13 % 500} points</span> by '
        f'<a href="/people/{number % 90}" class="list__person">{words(1, 1)}</a> '
        f'<time datetime="2026-01-{number % 28 + 1:02}T10:00:00Z">{number % 23 + 1} hours ago</time> | '
        f'<a href="/entries/{number}#comments">{number * 3 % 200} comments</a></div></td></tr>'
    )


def page_of(kind: str, size: int) -> str:
    """Return a page of about `size` bytes of HTML, half of it script data: navigation, content, footer."""
    words = Words()
    part, opening, closing = {
        "article": (article, "<article>", "</article>"),
        "shop": (product, '<ul class="grid">', "</ul>"),
        "list": (entry, '<table class="list"><tbody>', "</tbody></table>"),
    }[kind]
    links = "".join(f'<li class="nav__item"><a class="nav__link" href="/{i}">{words(1, 2)}</a></li>' for i in range(40))
    parts: list[str] = []
    while sum(map(len, parts)) < size / 2 - 2 * len(links):
        parts.append(part(words, len(parts) + 1))
    data = json.dumps(
        [{"id": number, "name": words(2, 6), "tags": words(1, 4).split()} for number in range(size // 160)]
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>A page of the kind {kind}</title><style>{STYLE}</style>'
        f'<script type="application/json">{data}</script><header><nav class="nav" aria-label="Main"><ul>{links}</ul></nav></header>'
        f"<main><h1>{words(4, 8)}</h1>{opening}{''.join(parts)}{closing}</main>"
        f"<footer><ul>{links}</ul><p>{words(20, 40)}</p><p>{LAST_WORDS}</p></footer></html>"
    )


def numbered_page() -> str:
    """Return a page with a number for each command, so that every answer is different."""
    numbers = " ".join(f"({i}:{i * i}:{i})" for i in range(COMMANDS))
    return f"<!doctype html><meta charset=utf-8><title>Numbers</title><p>{numbers}</p>"


PAGES = {"70 kB article": ("article", 70_000), "250 kB shop": ("shop", 250_000), "600 kB list": ("list", 600_000)}


@contextmanager
def web_server(pages: Mapping[str, str]) -> Generator[str]:
    """Serve the pages on loopback; yield the address before their names."""

    def page(request: BaseHTTPRequestHandler) -> Reply:
        body = pages.get(unquote(urlsplit(request.path).path).lstrip("/"), "").encode()
        return 200 if body else 404, "text/html; charset=utf-8", body

    with listening(page) as address:
        yield address


# --- The others ---------------------------------------------------------------------------------


def install_peers() -> None:
    """Install the other servers; quick if they are installed."""
    PEERS.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--prefix", str(PEERS), "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, timeout=INSTALL_S)


class StdioClient:
    """A minimal MCP client: FastMCP's own costs 3.5 ms a call and would hide the servers' cost."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._last_id = 0

    async def initialize(self) -> None:
        """Open the session."""
        await self.request("initialize", **ABOUT)
        self._send({"method": "notifications/initialized"})

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its result; one is in flight at a time."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        assert self._process.stdout is not None
        async with asyncio.timeout(ANSWER_S):
            while line := await self._process.stdout.readline():
                message = json.loads(line)
                if message.get("id") == self._last_id:
                    return dict(message["result"])
        raise RuntimeError(f"The server ended before it answered {method}.")

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


@asynccontextmanager
async def started(folder: Path, environment: Mapping[str, str], *program: str) -> AsyncGenerator[StdioClient]:
    """Start a server over stdio for the duration of the block; its log goes to `folder`."""
    pipe = asyncio.subprocess.PIPE
    with (folder / f"{Path(program[0]).name}.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *program, env=environment, cwd=folder, stdin=pipe, stdout=pipe, stderr=log, limit=LONGEST_LINE
        )
        client = StdioClient(process)
        try:
            await client.initialize()
            yield client
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), ANSWER_S)
            except TimeoutError:
                process.kill()
                raise


@asynccontextmanager
async def peer(name: str, folder: Path, *arguments: str) -> AsyncGenerator[StdioClient]:
    """Start one of the other servers; it neither looks for updates nor sends telemetry."""
    quiet = {"CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1", "CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS": "1"}
    program = str(PEERS / "node_modules" / ".bin" / name)
    async with started(folder, {**os.environ, **quiet}, program, *arguments) as client:
        yield client


@asynccontextmanager
async def peers(folder: Path) -> AsyncGenerator[tuple[StdioClient, StdioClient]]:
    """Start both of them: playwright-mcp and chrome-devtools-mcp."""
    root = os.geteuid() == 0  # it has no sandbox
    playwright_arguments = ["--executable-path", chromium(), "--headless", "--isolated", *["--no-sandbox"] * root]
    devtools_arguments = ["--executablePath", chromium(), "--headless", "--isolated", "--no-performance-crux"]
    devtools_arguments += ["--chromeArg=--no-sandbox"] * root
    async with (
        peer("playwright-mcp", folder, *playwright_arguments) as playwright,
        peer("chrome-devtools-mcp", folder, *devtools_arguments) as devtools,
    ):
        yield playwright, devtools


def tool(client: StdioClient, name: str, /, **arguments: Any) -> Call:
    """Return a call of a tool that returns its text."""

    async def call() -> str:
        result = await client.request("tools/call", name=name, arguments=arguments)
        return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")

    return call


def command(bridge: Bridge, name: str, **params: Any) -> Call:
    """Return a call of a bare command, without MCP, that returns its result as text."""

    async def call() -> str:
        result = await bridge.command(name, None, params)
        return str(result)

    return call


async def in_turns(calls: Mapping[str, Call], expected: str) -> dict[str, float]:
    """Return the median milliseconds of each call; each round has another order, the first one is a warm-up."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    chance = random.Random(1)  # noqa: S311  # no secret
    for number in range(ROUNDS + 1):
        for name in chance.sample(list(calls), len(calls)):
            begun = time.perf_counter()
            answer = await calls[name]()
            taken = (time.perf_counter() - begun) * 1000
            assert expected in answer, f"{name} gave another page"
            if number:
                times[name].append(taken)
    return {name: statistics.median(of_name) for name, of_name in times.items()}


# --- Measurements -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scene:
    """The browser with the paired extension, the page in it, and their addresses."""

    folder: Path
    environment: dict[str, str]
    page: Page
    address: str
    browser: BrowserContext

    @property
    def port(self) -> int:
        """The port of the bridge."""
        return int(self.environment["CHROME_TAB_PORT"])

    def address_of(self, name: str) -> str:
        """Return the address of a page of the web server."""
        return self.address + quote(name)

    async def show(self, name: str) -> None:
        """Make a page of the web server the active tab."""
        await self.page.goto(self.address_of(name))
        await self.page.bring_to_front()


@asynccontextmanager
async def bridge(scene_port: int) -> AsyncGenerator[Bridge]:
    """Run a bridge without an MCP server around it."""
    running = Bridge(scene_port)
    await running.start()
    try:
        yield running
    finally:
        await running.stop()


async def reach(running: Bridge) -> None:
    assert await running.wait_connected(ANSWER_S), "the extension did not come back"


async def measure_followers(scene: Scene) -> list[Line]:
    """Go through a second session and through the first, both bare: the cost of MCP would hide the difference."""
    lines: list[Line] = []
    async with bridge(scene.port) as leader, bridge(scene.port) as follower:
        await reach(leader)
        await reach(follower)
        for name in PAGES:
            await scene.show(name)
            both = {"leader": command(leader, "read_tab"), "follower": command(follower, "read_tab")}
            times = await in_turns(both, LAST_WORDS)
            lines.append(
                (f"read {name}, as a follower", times["follower"], "as the leader", times["leader"], "ms", TO_FOLLOWER)
            )
        both = {"leader": command(leader, "browser_get_tabs"), "follower": command(follower, "browser_get_tabs")}
        times = await in_turns(both, scene.address)
        lines.append(
            ("list the tabs, as a follower", times["follower"], "as the leader", times["leader"], "ms", TO_FOLLOWER)
        )
    return lines


async def measure_peers(scene: Scene, ours: StdioClient, follower: Bridge) -> list[Line]:
    """Read the active tab and list the tabs, compared with the other servers on the same page."""
    lines: list[Line] = []
    async with peers(scene.folder) as (playwright, devtools):
        for name in PAGES:
            await scene.show(name)
            await tool(playwright, "browser_navigate", url=scene.address_of(name))()
            await tool(devtools, "navigate_page", pageId=1, url=scene.address_of(name))()
            times = await in_turns(
                {
                    "read_chrome_tab": tool(ours, "read_chrome_tab", max_chars=server.MAX_CHARS),
                    "bare command": command(follower, "read_tab"),
                    "browser_snapshot": tool(playwright, "browser_snapshot"),
                    "take_snapshot": tool(devtools, "take_snapshot", pageId=1),
                },
                LAST_WORDS,
            )
            lines += [
                (f"{way}, {name}", times[way], other, times[other], "ms", TO_READ)
                for way in ("read_chrome_tab", "bare command")
                for other in ("browser_snapshot", "take_snapshot")
            ]
        both = {
            "browser_get_tabs": tool(ours, "browser_get_tabs"),
            "browser_tabs": tool(playwright, "browser_tabs", action="list"),
        }
        times = await in_turns(both, scene.address)
    lines.append(("browser_get_tabs", times["browser_get_tabs"], "browser_tabs", times["browser_tabs"], "ms", TO_LIST))
    return lines


class CountingFollower(Bridge):
    """A follower that records which of its commands were answered."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.answered = Counter[str]()

    def enter_role(self, route: Route) -> None:
        """Count the replies of the leader from now on."""
        super().enter_role(route)
        if not isinstance(route, Follower):
            return
        settle = route.channel.on_reply

        def on_reply(message: Mapping[str, Any]) -> bool:
            self.answered[str(message.get("id"))] += 1
            return settle(message)

        route.channel.on_reply = on_reply


async def storm(followers: list[CountingFollower]) -> tuple[int, int]:
    """Send all commands at once; return how many had a missing or wrong answer, and how many were answered twice."""

    async def one(number: int) -> bool:
        params = {"start": f"({number}:", "end": f":{number})"}
        result = await followers[number % len(followers)].command("read_tab", None, params)
        return bool(result["text"] == str(number * number))

    for follower in followers:
        follower.answered.clear()
    right = await asyncio.gather(*map(one, range(COMMANDS)))
    answers = [count for follower in followers for count in follower.answered.values()]
    return COMMANDS - sum(right), sum(answers) - len(answers)


async def measure_storm(scene: Scene) -> list[Line]:
    """Count the answers to many commands from many clients at once, and measure the leader's memory before and after."""
    await scene.show("numbers")
    leader = process_on(scene.port)
    async with AsyncExitStack() as stack:
        followers = [CountingFollower(scene.port) for _ in range(CLIENTS)]
        for follower in followers:
            await follower.start()
            stack.push_async_callback(follower.stop)
            await reach(follower)
        results = [await storm(followers)]
        before = leader.memory_info().rss / MEGABYTE
        results += [await storm(followers) for _ in range(STORMS)]
        after = leader.memory_info().rss / MEGABYTE
    lost, twice = (sum(counts) for counts in zip(*results, strict=True))
    sent = COMMANDS * len(results)
    many = f"{COMMANDS} commands from {CLIENTS} clients"
    return [
        (f"lost of {COMMANDS} from {CLIENTS} clients at once", lost, "sent", sent, "commands", 0),
        ("answered twice", twice, "sent", sent, "commands", 0),
        (f"leader's memory after {sent} commands", after, f"after {many}", before, "MB", TO_GROW),
    ]


@asynccontextmanager
async def opened_scene(pages: Mapping[str, str]) -> AsyncGenerator[Scene]:
    """Run a browser with the paired extension, and the pages on a web server."""
    await asyncio.to_thread(install_peers)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        settings = {"OLLAMA_BASE_URL": "http://127.0.0.1:9", "OLLAMA_MODEL": "none", "CHROME_TAB_SOURCE": "extension"}
        environment = server_environment(folder, settings)
        # Bridges in this process find the key where the servers do.
        stack.enter_context(mock.patch.dict(os.environ, XDG_CONFIG_HOME=str(folder)))
        address = stack.enter_context(web_server(pages))
        browser = await stack.enter_async_context(browser_with_extension(folder / "profile"))
        scene = Scene(folder, environment, browser.pages[0], address, browser)
        async with bridge(scene.port):
            await pair(browser, await connection_string(environment))
        yield scene


@asynccontextmanager
async def our_server(scene: Scene) -> AsyncGenerator[StdioClient]:
    """Start our server over stdio, with the extension connected to it."""
    async with started(scene.folder, scene.environment, "uv", "run", "--quiet", str(SERVER)) as ours:
        await tool(ours, "chrome_tab_status")()
        yield ours


async def measure_bridge() -> list[Line]:
    """Measure everything in one run."""
    pages = {name: page_of(*kind) for name, kind in PAGES.items()} | {"numbers": numbered_page()}
    async with opened_scene(pages) as scene:
        lines = await measure_followers(scene)
        async with our_server(scene) as ours, bridge(scene.port) as follower:
            await reach(follower)
            lines += await measure_peers(scene, ours, follower)
            lines += await measure_storm(scene)
    return lines


if __name__ == "__main__":
    print_lines(asyncio.run(measure_bridge()))
