"""Several real browsers on one server: Chromium profiles and a Firefox, and the sessions that read them."""

import asyncio
import http.server
import itertools
import json
import os
import random
import re
import shutil
import signal
import statistics
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing
from demo.browser import browser_with_extension, extended_browser, extension_id, pair
from demo.web import WebServer, serving
from tests.support.browser import STILL, chromium_arguments
from tests.support.fake_extension import free_port, wait_for_port
from tests.support.firefox import Firefox, firefox_path, firefox_with_extension
from tests.support.polling import WAIT_S, until
from tests.support.stdio_server import StdioServer, started

SESSIONS = 4
TABS = 2
# The popup's text before and after a press, as expressions.
CONNECTED, DISCONNECTED = (
    f"document.querySelector('#status').innerText.startsWith({state!r})" for state in ("Connected", "Disconnected")
)
STATES_BEFORE = {"disconnect": CONNECTED, "reconnect": DISCONNECTED}
STATES_AFTER = {"disconnect": DISCONNECTED, "reconnect": CONNECTED}


class NamedPage(http.server.BaseHTTPRequestHandler):
    """Serve a page whose text is its own path."""

    def do_GET(self) -> None:
        name = self.path.strip("/")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<title>{name}</title><p>This is the page {name}.</p>".encode())

    def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 -- the base class names it so


class ChromiumProfile:
    """A Chromium with its own profile directory, which it keeps when it is killed and restarted."""

    def __init__(self, name: str, folder: Path, connection_string: str, site: str) -> None:
        self.name, self._folder, self._string, self._site = name, folder / name, connection_string, site
        self._stack = AsyncExitStack()
        self._pages: list[Any] = []
        self._fronts = itertools.cycle(range(TABS))

    async def start(self) -> None:
        """Start it, pair it the first time, and open its tabs."""
        arguments = [*chromium_arguments(), *STILL]
        if self._folder.exists():
            launched = extended_browser(self._folder, server.EXTENSION, arguments=arguments)
            context = await self._stack.enter_async_context(launched)
        else:
            launched = browser_with_extension(self._folder, arguments=arguments)
            context = await self._stack.enter_async_context(launched)
            await pair(context, self._string)
        first, *others = context.pages
        self._pages = [first, *[await context.new_page() for _ in range(TABS - 1)]]
        for page in others:
            await page.close()
        for number, page in enumerate(self._pages):
            await page.goto(f"{self._site}{self.name}-{number}")

    async def look(self) -> str:
        """Bring another tab to the front, as a user does; return its title."""
        number = next(self._fronts)
        await self._pages[number].bring_to_front()
        return f"{self.name}-{number}"

    async def kill(self) -> None:
        """Kill the browser's process."""
        (await asyncio.to_thread(self._process)).send_signal(signal.SIGKILL)
        await self.close()

    @contextmanager
    def suspended(self) -> Generator[None]:
        """Suspend the browser during the block."""
        process = self._process()
        family = [process, *process.children(recursive=True)]
        for each in family:
            each.suspend()
        try:
            yield
        finally:
            for each in family:
                each.resume()

    def copied(self, name: str) -> "ChromiumProfile":
        """Return a profile whose directory is a copy of this one's, which must not be running."""
        shutil.copytree(self._folder, self._folder.parent / name, symlinks=True)
        return ChromiumProfile(name, self._folder.parent, self._string, self._site)

    async def press(self, button: str) -> None:
        """Press a button of the popup."""
        async with self._popup() as popup:
            await until(lambda: popup.evaluate(STATES_BEFORE[button]))
            # Some are in a collapsed section.
            await popup.evaluate(f"document.querySelector('#{button}').click()")
            await until(lambda: popup.evaluate(STATES_AFTER[button]))

    async def stop(self) -> None:
        """Press Stop in the popup, and wait until no tab is attached."""
        async with self._popup() as popup:
            await popup.click("#stop")
            await popup.wait_for_selector("#stop", state="hidden")

    async def log_with(self, command: str) -> list[str]:
        """Return the commands in the activity log once this one is there: entries are saved some time later."""
        log = "chrome.storage.local.get({activity: []}).then(({activity}) => activity.map(({command}) => command))"
        async with self._popup() as popup:

            async def written() -> list[str]:
                logged = await popup.evaluate(log)
                return logged if command in logged else []

            return await until(written)

    async def identity(self) -> str:
        """Return which of several profiles the popup shows as its own."""
        async with self._popup() as popup:
            return await until(lambda: popup.inner_text("#identity-line"))

    @asynccontextmanager
    async def _popup(self) -> AsyncGenerator[Page]:
        page = await self._pages[0].context.new_page()
        await page.goto(f"chrome-extension://{extension_id()}/ui/popup/popup.html")
        yield page
        await page.close()

    def _process(self) -> psutil.Process:
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                line = child.cmdline()
                if f"--user-data-dir={self._folder}" in line and not any(part.startswith("--type=") for part in line):
                    return child
        raise AssertionError(f"{self.name} is not running")

    async def close(self) -> None:
        """End the browser."""
        with suppress(PlaywrightError):
            await self._stack.aclose()
        self._stack = AsyncExitStack()


class FirefoxProfile:
    """A Firefox with its own profile directory. Its add-on is temporary: after a restart it is paired again."""

    def __init__(self, name: str, folder: Path, connection_string: str, site: str) -> None:
        self.name, self._folder, self._string, self._site = name, folder / name, connection_string, site
        self._stack = AsyncExitStack()
        self._tabs: list[str] = []
        self._fronts = itertools.cycle(range(TABS))
        self._runs = itertools.count()
        self._firefox: Firefox

    async def start(self) -> None:
        """Start it, pair it, and open its tabs."""
        folder = self._folder / str(next(self._runs))
        folder.mkdir(parents=True)
        firefox = self._firefox = await self._stack.enter_async_context(firefox_with_extension(folder))
        popup = await firefox.open("ui/popup/popup.html")
        paste = f"document.querySelector('#connection-string').value = {json.dumps(self._string)}"

        async def says(state: str) -> bool:
            return (await firefox.value(popup, "document.querySelector('#status').innerText")).startswith(state)

        await until(lambda: says("Setup"))
        await firefox.value(popup, f"({paste}, document.querySelector('#connect').click())")
        await until(lambda: says("Connected"))
        self._tabs = []
        for number in range(TABS):
            tab = (await firefox.do("browsingContext.create", type="tab"))["context"]
            address = f"{self._site}{self.name}-{number}"
            await firefox.do("browsingContext.navigate", context=tab, url=address, wait="complete")
            self._tabs.append(tab)
        await firefox.do("browsingContext.close", context=popup)

    async def look(self) -> str:
        """Bring another tab to the front, as a user does; return its title."""
        number = next(self._fronts)
        await self._firefox.do("browsingContext.activate", context=self._tabs[number])
        return f"{self.name}-{number}"

    async def press(self, button: str) -> None:
        """Press a button of the popup."""
        popup = await self._firefox.open("ui/popup/popup.html")
        await until(lambda: self._firefox.value(popup, STATES_BEFORE[button]))
        await self._firefox.value(popup, f"document.querySelector('#{button}').click()")
        await until(lambda: self._firefox.value(popup, STATES_AFTER[button]))
        await self._firefox.do("browsingContext.close", context=popup)

    async def kill(self) -> None:
        """Kill the browser's process."""
        await self.close()

    async def close(self) -> None:
        """End the browser; the helper does so by killing it."""
        await self._stack.aclose()
        self._stack = AsyncExitStack()


Profile = ChromiumProfile | FirefoxProfile


class Scene:
    """The browsers, and the sessions that read them."""

    def __init__(
        self,
        profiles: list[Profile],
        sessions: list[StdioServer],
        environment: dict[str, str],
        start: Callable[[], Awaitable[StdioServer]],
    ) -> None:
        # `control` is a further session, which sends requests while the others are busy. It started first, so it is
        # the leader.
        self.control, *self.sessions = sessions
        self.profiles, self._environment, self._start = profiles, environment, start
        self.reads = self.mixed_up = self.refused = 0
        # Seconds from viewing another tab until it was the one read without an id.
        self.look_s: list[float] = []
        # The slowest read of another browser while one was killed and restarted, in seconds.
        self.slowest_s = 0.0

    async def listed(self) -> list[dict[str, Any]]:
        """Return the tabs of all browsers."""
        result = await self.control.call("browser_get_tabs")
        return json.loads(result["content"][0]["text"]) if not result.get("isError") else []

    async def tabs(self) -> dict[int, str]:
        """Return the titles of the named pages by their tab ids."""
        return {tab["id"]: tab["title"] for tab in await self.listed() if re.fullmatch(r"[a-z]+-\d", tab["title"])}

    async def all_tabs(self, *, besides: set[int] | None = None) -> dict[int, str]:
        """Wait until every browser lists its tabs."""
        found: dict[int, str] = {}

        async def complete() -> bool:
            found.clear()
            found.update(
                {number: title for number, title in (await self.tabs()).items() if number not in (besides or ())}
            )
            return sorted(found.values()) == sorted(f"{each.name}-{n}" for each in self.profiles for n in range(TABS))

        await until(complete)
        return found

    async def read(self, session: StdioServer, tabs: dict[int, str], *, may_fail: bool = False) -> None:
        """Read one tab by its id and compare the text."""
        number, title = random.choice(list(tabs.items()))  # noqa: S311 -- which tab is read protects nothing
        result = await session.call("read_chrome_tab", tab_id=number)
        text = result["content"][0]["text"]
        self.reads += 1
        if result.get("isError"):
            self.refused += 1
            assert may_fail, text
            assert re.search(r"\[[A-Z_]+\]$", text), text
        elif text != f"This is the page {title}.":
            self.mixed_up += 1

    async def read_many(self, count: int) -> None:
        """Read tabs from all sessions at once."""
        tabs = await self.all_tabs()

        async def one(session: StdioServer) -> None:
            for _ in range(count // len(self.sessions)):
                await self.read(session, tabs)

        await asyncio.gather(*map(one, self.sessions))

    async def restart(self, *profiles: Profile, while_down: Callable[[Profile], object] = lambda _: None) -> None:
        """Kill and restart one browser after the other while each session reads the tabs of one of them."""
        tabs = await self.all_tabs()
        is_over, killed = asyncio.Event(), ""

        async def load(session: StdioServer, name: str) -> None:
            while not is_over.is_set():
                begun, before = time.monotonic(), killed
                await self.read(
                    session, {number: title for number, title in tabs.items() if title.startswith(name)}, may_fail=True
                )
                if before and name not in {before, killed}:
                    self.slowest_s = max(self.slowest_s, time.monotonic() - begun)
                await asyncio.sleep(0.2)

        names = itertools.cycle(each.name for each in self.profiles)
        loads = [asyncio.create_task(load(session, next(names))) for session in self.sessions]
        for profile in profiles:
            gone = {number for number, title in tabs.items() if title.startswith(profile.name)}
            killed = profile.name
            await profile.kill()
            while_down(profile)
            await profile.start()
            now = await self.all_tabs(besides=gone)
            # The closed tabs stay in the load: their ids must never become another's.
            assert not gone & now.keys(), "an id was reused"
            tabs.update(now)
        is_over.set()
        await asyncio.gather(*loads)

    async def replace_leader(self) -> None:
        """Kill the session that holds the port, and start another."""
        self.control.process.kill()
        await self.control.process.wait()
        self.control = await self._start()

    async def look_around(self, count: int) -> None:
        """View tabs of changing browsers; after each view, read without an id until that tab is the one read."""
        for number in range(count):
            title = await self.profiles[number % len(self.profiles)].look()
            session = self.sessions[number % len(self.sessions)]
            begun = time.monotonic()
            # The browser's event is in flight.
            async with asyncio.timeout(WAIT_S):
                while title not in (await session.call("read_chrome_tab"))["content"][0]["text"]:
                    pass
            self.look_s.append(time.monotonic() - begun)

    async def compare(self, rounds: int) -> dict[str, tuple[float, float]]:
        """Return the seconds of start, read and click with all browsers connected, and with only the first one.

        All browsers run all the time; the others disconnect and reconnect in turns. A start is that of a new session,
        up to its first read. The figures are lower quartiles: other load on the machine slows the rest.
        """
        first, *others = self.profiles
        own = next(tab for tab in await self.listed() if tab["title"].startswith(first.name))
        address = re.sub(r"[^/]+$", "click", own["url"])
        made = await self.control.call("browser_create_tab", url=address, background=True, browser=own["browser"])
        clicked = made["structuredContent"]["tab_id"]
        times: dict[tuple[str, bool], list[float]] = defaultdict(list)

        async def timed(what: str, tool: str, session: StdioServer, **arguments: Any) -> None:
            begun = time.perf_counter()
            result = await session.call(tool, **arguments)
            times[what, is_alone].append(time.perf_counter() - begun)
            assert not result.get("isError"), result

        for number in range(2 * rounds):
            is_alone = number % 2 == 1
            for profile in others:
                await profile.press("disconnect" if is_alone else "reconnect") if number else None
            # Not measured: closing popups takes time.
            async with started(**self._environment) as session:
                await session.initialize()
            begun = time.perf_counter()
            async with started(**self._environment) as session:
                await session.initialize()
                await session.call("read_chrome_tab", tab_id=own["id"])
                times["start", is_alone].append(time.perf_counter() - begun)
                for _ in range(30):
                    await timed("read", "read_chrome_tab", session, tab_id=own["id"])
                for _ in range(5):
                    await timed("click", "click", session, tab_id=clicked, selector="p")
        await self.control.call("browser_close_tab", tab_id=clicked)
        for profile in others:
            await profile.press("reconnect")
        quartiles = {key: statistics.quantiles(values)[0] for key, values in times.items()}
        return {what: (quartiles[what, False], quartiles[what, True]) for what in ("start", "read", "click")}


@asynccontextmanager
async def several_browsers(
    folder: Path, *, sessions: int = SESSIONS, has_firefox: bool = True
) -> AsyncGenerator[Scene]:
    """Run the browsers and the sessions for the duration of the block."""
    port = free_port()
    environment = {
        "XDG_CONFIG_HOME": str(folder),
        "CHROME_TAB_PORT": str(port),
        "CHROME_TAB_SOURCE": "extension",
        "OLLAMA_BASE_URL": "http://127.0.0.1:9",
        "OLLAMA_MODEL": "none",
    }
    async with AsyncExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, XDG_CONFIG_HOME=str(folder)))
        site = stack.enter_context(serving(WebServer(NamedPage)))
        string = pairing.connection_string(port, pairing.pairing_key())

        async def start() -> StdioServer:
            session = await stack.enter_async_context(started(**environment))
            await session.initialize()
            await session.request("tools/list")
            await wait_for_port(port)
            return session

        running = [await start() for _ in range(sessions + 1)]
        profiles: list[Profile] = [ChromiumProfile(name, folder, string, site) for name in ("chromiuma", "chromiumb")]
        if has_firefox and firefox_path():
            profiles.append(FirefoxProfile("firefox", folder, string, site))
        for profile in profiles:
            stack.push_async_callback(profile.close)
            await profile.start()
        yield Scene(profiles, running, environment, start)
