"""Real Chromium with the real extension; the server is a fake, so that it can misbehave."""

import http.server
import re
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from playwright.async_api import BrowserContext, Locator, Page, Playwright, Worker, async_playwright, expect

from bench.driven import driven_browser
from demo.browser import close_welcome
from demo.web import WebServer, serving
from tests.support import extension_coverage
from tests.support.browser import STILL, chromium_arguments, chromium_path
from tests.support.fake_bridge import FakeBridge, Message, running_bridge
from tests.support.polling import until

HERE = Path(__file__).parent
WRITTEN_PAGES = HERE.parent / "pages"
EXTENSION = HERE.parent.parent / "extension"
# Derived from `key` in manifest.json.
EXTENSION_URL = "chrome-extension://odmielohngedldmmnjkobeohjielmdjk"
POPUP_URL = f"{EXTENSION_URL}/ui/popup/popup.html"
REST_URL = f"{EXTENSION_URL}/manifest.json"
# A busy machine needs time; an event that comes at once costs none of it.
expect.set_options(timeout=40_000)

# 3 MB in total.
HUGE_LINES = [f"{number} {'word ' * 200}end" for number in range(3_000)]
PDF = b"%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n"
CONTENT_TYPES = {
    ".pdf": "application/pdf",
    ".json": "application/json",
    ".xml": "application/xml",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
}
PAGES: dict[str, bytes] = {
    "/one": b"<title>One</title><body>alpha<p>beta<p>gamma<footer>alpha</footer>",
    "/two": b"<title>Two</title><body>second page",
    "/empty": b"<title>Empty</title><body>",
    "/busy": b"<title>Busy</title><body>busy",
    "/huge": b"<title>Huge</title><body><pre>%s</pre>" % "\n".join(HUGE_LINES).encode(),
    # Six bytes each in JSON. Not rendered, because a browser takes minutes to lay them out.
    "/controls": b"<title>Controls</title><body style='display:none'>%s" % (b"\x01" * 12_000_000),
    "/file.pdf": PDF,
    "/blank": b"<title>Blank</title>",
    **{f"/{path.relative_to(WRITTEN_PAGES).as_posix()}": path.read_bytes() for path in WRITTEN_PAGES.rglob("*.html")},
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)


# In the popup: what the user has opened, written and caused there is gone, as if it had just been opened.
AS_OPENED = """() => {
  for (const details of document.querySelectorAll("details")) details.open = false;
  const dialog = document.querySelector("#unpair");
  if (dialog.open) dialog.close("");
  const field = document.querySelector("#connection-string");
  Object.assign(field, { value: "", ariaInvalid: "false" });
  for (const problem of document.querySelectorAll("#problem, #pairing-problem")) problem.textContent = "";
  document.activeElement.blur();
  scrollTo(0, 0);
}"""


# In any page of the extension: unpair without the popup's confirmation, and delete all other stored data.
# A worker that is stopped meanwhile closes the port, and the next one is asked.
FORGET = """async () => {
  const unpaired = () => new Promise((ended) => {
    const port = chrome.runtime.connect();
    port.onDisconnect.addListener(() => ended(false));
    port.onMessage.addListener(({ status, attached }) => {
      if (status?.state !== "setup" || attached.length) return;
      port.disconnect();
      ended(true);
    });
    port.postMessage({ action: "unpair" });
  });
  while (!(await unpaired()));
  await chrome.storage.local.clear();
}"""


class Popup:
    """The popup, open as a tab: what a user sees and does there."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def open(self) -> None:
        await self.page.goto(POPUP_URL)
        await self.shows("\\w")

    async def begin(self) -> None:
        """Show the popup as it opens, except for the focus. Loading it costs more than most tests."""
        if self.page.url == POPUP_URL:
            await self.page.evaluate(AS_OPENED)
        else:
            await self.open()

    async def rest(self) -> None:
        """Leave the popup for a page that requests no updates from the worker: these cost more than many commands."""
        if self.page.url != REST_URL:
            await self.page.goto(REST_URL)

    def element(self, element_id: str) -> Locator:
        return self.page.locator(f"#{element_id}")

    async def shows(self, start: str) -> None:
        """Wait until the status starts with this text."""
        await expect(self.element("status")).to_have_text(re.compile(rf"^\s*{start}"))

    async def paste(self, connection_string: str) -> None:
        await self.element("connection-string").fill(connection_string)
        await self.element("connect").click()

    async def pair(self, bridge: FakeBridge) -> None:
        """Connect without the popup's form, which has its own tests."""
        await self.connect(bridge)
        await self.shows("Connected")

    async def connect(self, bridge: FakeBridge) -> None:
        """Pair without showing the popup."""
        await self.act("connect", connectionString=bridge.connection_string)
        await bridge.connected()

    async def press(self, element_id: str) -> None:
        await self.show_connection()
        await self.element(element_id).click()

    async def show_connection(self) -> None:
        """Open the details that contain Disconnect, Unpair and "Reconnect automatically"."""
        await self.element("connection-details").evaluate("(details) => (details.open = true)")

    async def unpair(self) -> None:
        """Press Unpair and confirm."""
        await self.press("forget")
        await self.press("unpair-confirm")
        await self.shows("Setup")

    async def forget(self) -> None:
        """Leave nothing paired, attached or stored, wherever the test has left the page."""
        if not self.page.url.startswith(EXTENSION_URL):
            await self.rest()
        await self.page.evaluate(FORGET)
        await self.close_sleeping_tabs()

    async def act(self, action: str, **more: object) -> None:
        """Perform an action as the extension's pages do. The port is closed: the worker updates each one that is open."""
        post = "action => { const port = chrome.runtime.connect(); port.postMessage(action); port.disconnect(); }"
        await self.page.evaluate(post, {"action": action, **more})

    async def retry(self) -> None:
        """Connect at once, as the user's Reconnect button does: by itself the extension waits 2 to 3 s."""
        await self.act("reconnect")

    async def close_sleeping_tabs(self) -> None:
        """Close the tabs that Playwright does not know, before one is woken because the tabs around it are closed."""
        await self.chrome(
            "chrome.tabs.query({ discarded: true }).then(tabs => chrome.tabs.remove(tabs.map(tab => tab.id)))"
        )

    async def visible_ids(self) -> set[str]:
        found = await self.page.evaluate(
            "[...document.querySelectorAll('[id]')].filter(e => e.checkVisibility()).map(e => e.id)"
        )
        return set(found)

    async def chrome(self, expression: str) -> Any:
        """Return the value of an expression that uses the extension's own APIs."""
        return await self.page.evaluate(f"async () => ({expression})")

    async def tab_id(self, url: str) -> int:
        return await self.chrome(f"(await chrome.tabs.query({{}})).find(tab => tab.url === '{url}').id")


WAITS = """limits => {
  for (const name of ["setTimeout", "setInterval"]) {
    const real = (globalThis[name].real ??= globalThis[name]);
    globalThis[name] = Object.assign((action, ms, ...rest) => real(action, limits[ms] ?? ms, ...rest), { real });
  }
}"""


@asynccontextmanager
async def changed_waits(context: BrowserContext, limits: Mapping[int, int]) -> AsyncGenerator[None]:
    """Replace the durations of the service worker's timers (ms: new ms) that start inside the block."""
    (worker,) = context.service_workers
    await worker.evaluate(WAITS, limits)
    try:
        yield
    finally:
        for worker in context.service_workers:
            await worker.evaluate(WAITS, {})


@pytest.fixture(scope="module")
async def patience(shared_chromium: BrowserContext) -> AsyncGenerator[None]:
    """Give frames more than a second to answer, as a busy machine needs it."""
    async with changed_waits(shared_chromium, {1_000: 30_000}):
        yield


@asynccontextmanager
async def changed_worker(context: BrowserContext, change: str, begun: object, ended: object) -> AsyncGenerator[None]:
    """Call a function in the service worker before and after the block, each time with its argument."""
    (worker,) = context.service_workers
    await worker.evaluate(change, begun)
    try:
        yield
    finally:
        await worker.evaluate(change, ended)


# In the service worker: timers and signals of this many milliseconds that start while this is on expire when it is
# turned off.
HELD_LIMITS = """held => {
  const real = (setTimeout.real ??= setTimeout);
  const realSignal = (AbortSignal.timeout.real ??= AbortSignal.timeout);
  const { limits } = setTimeout;
  const noting = (action, ms, ...rest) => {
    if (ms === held) noting.limits.push(action);
    return real(action, ms === held ? 30_000 : ms, ...rest);
  };
  const signalOf = (ms) => {
    if (ms !== held) return realSignal.call(AbortSignal, ms);
    const controller = new AbortController();
    noting.limits.push(() => controller.abort(new DOMException("", "TimeoutError")));
    return controller.signal;
  };
  globalThis.setTimeout = held ? Object.assign(noting, { real, limits: [] }) : real;
  AbortSignal.timeout = held ? Object.assign(signalOf, { real: realSignal }) : realSignal;
  if (!held) for (const timeUp of limits) timeUp();
}"""


def held_limits(context: BrowserContext, ms: int = 30_000) -> AbstractAsyncContextManager[None]:
    """Let the service worker's timers and signals of this length that start in the block expire at its end, not before.

    By default these are the timeouts of commands.
    """
    return changed_worker(context, HELD_LIMITS, ms, None)


async def limit_begins(context: BrowserContext) -> None:
    """Wait until a timer is held by `held_limits`: what it limits may be seen elsewhere before it starts."""
    (worker,) = context.service_workers
    await until(lambda: worker.evaluate("setTimeout.limits.length > 0"))


# In the service worker: whether it tries to connect again by itself, 2 to 3 s after it has lost a server.
RETRIES = """isOn => {
  const real = (setTimeout.real ??= setTimeout);
  const others = (action, ms, ...rest) => (ms >= 2_000 && ms <= 3_000 ? 0 : real(action, ms, ...rest));
  globalThis.setTimeout = isOn ? real : Object.assign(others, { real });
}"""


def without_retries(context: BrowserContext) -> AbstractAsyncContextManager[None]:
    """Let the extension connect only when it is asked to: a retry would otherwise compete with what the test does."""
    return changed_worker(context, RETRIES, begun=False, ended=True)


async def comes_true(page: Page, expression: str) -> None:
    """Wait until an expression is true. Playwright's own way needs `eval`, which the extension's pages forbid."""
    await until(lambda: page.evaluate(expression))


async def use_as_user(page: Page) -> None:
    """Give the page the interaction that it needs to ask before it is left.

    A press before its first frame would be lost.
    """
    assert await page.evaluate("navigator.userActivation.hasBeenActive"), "Playwright's scripts count as a user's act"


@asynccontextmanager
async def full_storage(target: Page | Worker, area: str) -> AsyncGenerator[None]:
    """Let a page or the worker store nothing; all tests share the worker, so it is as before afterwards."""
    stub = f"chrome.storage.{area}.set"
    await target.evaluate(f"() => {{ kept = {stub}; {stub} = async () => {{ throw new Error('disk full'); }}; }}")
    yield
    await target.evaluate(f"() => {{ {stub} = kept; }}")


async def stop_worker(popup: Popup) -> None:
    """Kill the service worker as Chrome does; the open popup starts the next one."""
    session = await popup.page.context.new_cdp_session(popup.page)
    await session.send("ServiceWorker.enable")
    await session.send("ServiceWorker.stopAllWorkers")
    await session.detach()


@asynccontextmanager
async def launched_chromium(playwright: Playwright, profile: Path) -> AsyncGenerator[BrowserContext]:
    context = await playwright.chromium.launch_persistent_context(
        profile,
        executable_path=chromium_path(),
        headless=False,
        args=[
            "--headless=new",
            f"--load-extension={EXTENSION}",
            f"--disable-extensions-except={EXTENSION}",
            *chromium_arguments(),
            *STILL,
            *extension_coverage.ARGUMENTS,
        ],
        ignore_default_args=["--disable-extensions"],
    )
    try:
        if not context.service_workers:
            await context.wait_for_event("serviceworker")
        await close_welcome(context)
        async with extension_coverage.counted(profile):
            yield context
    finally:
        await context.close()


@pytest.fixture(scope="session")
async def playwright() -> AsyncGenerator[Playwright]:
    async with async_playwright() as started:
        yield started


@pytest.fixture(scope="session")
async def shared_chromium(playwright: Playwright) -> AsyncGenerator[BrowserContext]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        async with launched_chromium(playwright, Path(profile)) as context:
            yield context


@pytest.fixture(scope="session")
async def parts() -> AsyncGenerator[tuple[Client[Any], BrowserContext]]:
    """A session of the real server and its browser, for all tests of the group "driven": a start costs as much as they do."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with driven_browser(Path(folder), [*chromium_arguments(), *STILL]) as parts:
            yield parts


@pytest.fixture(scope="session")
async def shared_popup(shared_chromium: BrowserContext) -> Popup:
    """The popup for all tests, in one tab: opening one takes longer than many tests."""
    return Popup(await shared_chromium.new_page())


@pytest.fixture
async def chromium(shared_chromium: BrowserContext, shared_popup: Popup) -> AsyncGenerator[BrowserContext]:
    """One browser for all tests: each starts and ends with an empty tab and the popup's, replaced only if gone."""
    empty = shared_chromium.pages[0]
    yield shared_chromium
    if empty.is_closed() or empty.url != "about:blank":
        empty = await shared_chromium.new_page()
    for page in shared_chromium.pages:
        if page not in (empty, shared_popup.page):
            await page.close()


@pytest.fixture
async def popup(chromium: BrowserContext, shared_popup: Popup) -> AsyncGenerator[Popup]:  # noqa: ARG001 - it tidies up
    """The popup of an extension that is not paired, as it opens."""
    await shared_popup.begin()
    await shared_popup.page.bring_to_front()
    await shared_popup.shows("Setup")
    yield shared_popup
    await shared_popup.forget()


@pytest.fixture
async def bridge() -> AsyncGenerator[FakeBridge]:
    async with running_bridge() as bridge:
        yield bridge


@pytest.fixture
async def paired(popup: Popup, bridge: FakeBridge) -> Popup:
    """The popup of an extension that is connected to `bridge`."""
    await popup.pair(bridge)
    return popup


# One pairing, and the popup that made it.
Driver = tuple[FakeBridge, Popup]
# Returns the tab at a path, its page loaded again if that is asked for.
SharedTab = Callable[..., Awaitable["DrivenTab"]]


class AttachedTab:
    """An attached tab, driven as the server drives it."""

    def __init__(self, bridge: FakeBridge, site: "Site", tab_id: int) -> None:
        self.bridge = bridge
        self.site = site
        self.tab_id = tab_id

    async def ask(self, command: str, **params: object) -> Message:
        """Return the whole reply, success or failure."""
        return await self.bridge.ask(command, tab_id=self.tab_id, **params)

    async def do(self, command: str, **params: object) -> Message:
        """Return the result of a command that must succeed."""
        reply = await self.ask(command, **params)
        assert reply["success"], reply["error"]
        return reply["result"]

    async def succeeds(self, command: str, **params: object) -> bool:
        return (await self.ask(command, **params))["success"]

    async def refused(self, command: str, **params: object) -> tuple[str, str]:
        """Return the code and the message of a command that must fail."""
        reply = await self.ask(command, **params)
        assert not reply["success"], reply["result"]
        return reply["error"]["code"], reply["error"]["message"]

    async def show(self, body: str, path: str = "/shown", title: str = "Shown") -> None:
        """Load a page with this body into the tab."""
        self.site.pages[path] = f"<!doctype html><meta charset=utf-8><title>{title}</title>{body}".encode()
        await self.open(path)

    async def open(self, path: str) -> None:
        """Load the page at this path into the tab."""
        await self.do("navigate", url=self.site.url(path))


# In the service worker: the limits (ms) of its requests to a page, `find` and `ready`; null for its own.
ELEMENT_LIMITS = """changed => {
  const { scripting } = chrome;
  const real = (scripting.executeScript.real ??= scripting.executeScript);
  const now = (performance.now.real ??= performance.now);
  // Where several frames may hold an element, none is waited for.
  const newLimits = ({ find, ready }) => ({ find, ready, ...changed, ...(!find && { find }) });
  const limited = ({ command, request }) => ({ command, request: { ...request, limits: newLimits(request.limits) } });
  const execute = ({ args, ...injection }) =>
    real.call(scripting, { ...injection, ...(args && { args: args[0]?.request?.limits ? args.map(limited) : args }) });
  scripting.executeScript = changed ? Object.assign(execute, { real }) : real;
  // It looks at its own clock for what it searches for in several frames.
  performance.now = changed?.find ? Object.assign(() => 0, { real: now }) : now;
}"""
PATIENT = {"find": 30_000}


# In the service worker: mouse button events of these types are delayed until the tab has this title.
HOLD_UP = """({ title, types }) => {
  const api = chrome.debugger;
  const real = (api.sendCommand.real ??= api.sendCommand);
  let titled;
  const untilTitled = async (tab) => {
    while ((await chrome.tabs.get(tab)).title !== title) await new Promise((go) => setTimeout(go, 20));
  };
  const send = async (target, method, params) => {
    if (types.includes(params?.type) && params.buttons !== undefined) await (titled ??= untilTitled(target.tabId));
    return real.call(api, target, method, params);
  };
  api.sendCommand = types.length ? Object.assign(send, { real }) : real;
}"""


def in_blocks(page: str) -> str:
    """Put each script of a page into a block, so that the page can be written again: constants exist only once."""
    return re.sub("<script>(.*?)</script>", r"<script>{\1}</script>", page, flags=re.DOTALL)


class DrivenTab(AttachedTab):
    """An attached tab, and Playwright's view of it."""

    def __init__(self, bridge: FakeBridge, popup: Popup, site: "Site", page: Page, tab_id: int) -> None:
        super().__init__(bridge, site, tab_id)
        self.popup = popup
        self.page = page

    async def open(self, path: str) -> None:
        # Until Playwright knows of the new page, which may take a while, it evaluates in the old one.
        url = self.site.url(path)
        async with self.page.expect_event("framenavigated", lambda frame: not frame.parent_frame and frame.url == url):
            await super().open(path)
        await self.page.wait_for_load_state("domcontentloaded")

    async def write(self, body: str, title: str = "Shown") -> None:
        """Show a page with this body where another one is, see `write_page`."""
        await self.write_page(f"<!doctype html><meta charset=utf-8><title>{title}</title>{body}")

    async def write_page(self, page: str) -> None:
        """Show this page where another one is. A navigation costs several times as much.

        The page functions are still there, and so are the globals, timers and web components of the page before.
        """
        await self.page.set_content(in_blocks(page))

    async def keep(self, body: str) -> None:
        """Show this page unless a previous test has left it there: for tests that change nothing in it."""
        if await self.page.evaluate("globalThis.kept") != body:
            await self.show(body)
            await self.page.evaluate("body => void (globalThis.kept = body)", body)

    async def refused_soon(self, command: str, **params: object) -> tuple[str, str]:
        """Like `refused`, but the element has 0.5 s instead of 5 s to become ready."""
        async with changed_worker(self.page.context, ELEMENT_LIMITS, {"ready": 500}, None):
            return await self.refused(command, **params)

    async def do_patiently(self, command: str, **params: object) -> Message:
        """Like `do`, for an element that appears late: it may take the command's whole timeout instead of 1 s."""
        async with changed_worker(self.page.context, ELEMENT_LIMITS, PATIENT, None):
            return await self.do(command, **params)

    def mouse_held_up(self, title: str, *types: str) -> AbstractAsyncContextManager[None]:
        """Delay these mouse button events in the browser until the tab has this title."""
        return changed_worker(self.page.context, HOLD_UP, {"title": title, "types": types}, {"title": "", "types": []})

    async def again(self) -> "DrivenTab":
        """Return this tab for another test: in front, and with its page's records cleared."""
        await self.popup.rest()
        await self.page.bring_to_front()
        await self.page.evaluate("for (const noted of [globalThis.clicked, globalThis.events]) noted?.splice(0)")
        return self

    async def received(self, event: str) -> Message:
        """Wait for the next event of this name about this tab; events of other tests' tabs may still arrive."""
        while True:
            message = await self.bridge.next_message(event)
            if message["tab_id"] == self.tab_id:
                return message

    async def user_does(self, action: str, **more: object) -> None:
        """Perform popup actions on this tab; what `received` returns afterwards comes after them."""
        while not self.bridge.received.empty():
            self.bridge.received.get_nowait()
        await self.popup.act(action, tabId=self.tab_id, **more)

    async def allow_evaluate(self) -> None:
        """Turn on the tab's switch, as the user does in the popup."""
        await self.user_does("set_allow_evaluate", on=True)
        await until(lambda: self.succeeds("evaluate", code="1"))

    async def show_private(self) -> None:
        """Turn on the switch for private values, as the user does in the popup."""
        await self.user_does("set_show_private", on=True)
        stored = f"Object.fromEntries((await chrome.storage.session.get('attachments')).attachments)[{self.tab_id}].privateOn"
        await until(lambda: self.popup.chrome(stored))


@pytest.fixture(scope="module")
async def driver(shared_popup: Popup) -> AsyncGenerator[Driver]:
    """One pairing for all tests of a file. The popup is closed; its tab still has the extension's APIs."""
    async with running_bridge() as bridge:
        await shared_popup.rest()
        await shared_popup.connect(bridge)
        yield bridge, shared_popup
        await shared_popup.forget()


@asynccontextmanager
async def driven_tab(driver: Driver, site: "Site", path: str) -> AsyncGenerator[DrivenTab]:
    """A tab that was opened for the server at this path; closed at the end, with all tabs that were opened meanwhile."""
    bridge, popup = driver
    before = set(popup.page.context.pages)
    created = await bridge.ask("browser_create_tab", url=site.url(path))

    async def opened() -> Page | None:
        # Until Playwright knows of the address, it evaluates in the empty page before.
        there = [page for page in popup.page.context.pages if page not in before and page.url == site.url(path)]
        return there[0] if there else None

    page = await until(opened)
    # Otherwise Playwright would answer dialogs before the extension can.
    page.on("dialog", lambda _dialog: None)
    yield DrivenTab(bridge, popup, site, page, created["result"]["tab_id"])
    for other in popup.page.context.pages:
        if other not in before:
            await other.close()


def tab_at(path: str) -> Any:
    """Create a fixture: a tab that was opened for the server at this path, closed after the test."""

    @pytest.fixture
    async def tab(driver: Driver, site: "Site") -> AsyncGenerator[DrivenTab]:
        async with driven_tab(driver, site, path) as tab:
            yield tab

    return tab


def shared_tab_at(path: str) -> Any:
    """Create a fixture: the tab at this path, for all tests of a file that neither leave its page nor affect each
    other.

    Loading its page takes longer than such a test; it is loaded again only after tests at other paths.
    """

    @pytest.fixture
    async def tab(shared_tab: SharedTab) -> DrivenTab:
        return await (await shared_tab(path)).again()

    return tab


def reloaded_tab_at(path: str) -> Any:
    """Create a fixture: the tab at this path, for all tests of a file, its page reloaded for each of them.

    For tests that depend on the state of the page, but not on the history of the tab.
    """

    @pytest.fixture
    async def tab(shared_tab: SharedTab) -> DrivenTab:
        return await (await shared_tab(path, is_fresh=True)).again()

    return tab


def rewritten_tab_at(path: str) -> Any:
    """Create a fixture: like `reloaded_tab_at`, but the page is written again where it is, at a fifth of the cost.

    For pages that define no web components.
    """

    @pytest.fixture
    async def tab(shared_tab: SharedTab) -> DrivenTab:
        tab = await shared_tab(path)
        if tab.page.url == tab.site.url(path):
            await tab.write_page(PAGES[path].decode())
        else:
            await tab.page.goto(tab.site.url(path))
        tab = await tab.again()
        # A press before the first frame could be lost.
        await tab.page.evaluate("new Promise(requestAnimationFrame)")
        return tab

    return tab


@pytest.fixture(scope="module")
async def shared_tab(driver: Driver) -> AsyncGenerator[SharedTab]:
    """Open one tab when it is first needed, and lead it from path to path: another tab costs three times as much."""
    tab: DrivenTab | None = None
    place = ""
    site = Site()
    with serving(site):
        async with AsyncExitStack() as stack:

            async def at(path: str, *, is_fresh: bool = False) -> DrivenTab:
                nonlocal tab, place
                if tab is None:
                    tab = await stack.enter_async_context(driven_tab(driver, site, path))
                elif is_fresh or path != place:
                    await tab.page.goto(site.url(path))
                place = path
                return tab

            yield at


driven = tab_at("/blank")
blank = shared_tab_at("/blank")


class Site(WebServer):
    """Pages to read, by path. `/slow` finishes, and `/late` starts, when `finish_slow` is set."""

    def __init__(self) -> None:
        super().__init__(SiteHandler)
        self.finish_slow = threading.Event()
        self.pages = dict(PAGES)
        self.asked: list[str] = []
        # For paths that answer with an HTTP status other than 200.
        self.statuses: dict[str, int] = {}
        # Additional response headers of paths.
        self.extra_headers: dict[str, tuple[str, str]] = {}
        # How long paths take to answer.
        self.delays_s: dict[str, float] = {}

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class SiteHandler(http.server.BaseHTTPRequestHandler):
    server: Site  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path == "/late":
            self.server.finish_slow.wait(20)
        time.sleep(self.server.delays_s.get(self.path, 0))
        self.send_response(self.server.statuses.get(self.path, 200))
        self.send_header("Content-Type", CONTENT_TYPES.get(Path(self.path).suffix, "text/html"))
        if self.path in self.server.extra_headers:
            self.send_header(*self.server.extra_headers[self.path])
        self.end_headers()
        if self.path == "/slow":
            self.wfile.write(b"<title>Slow</title><body>first part")
            self.wfile.flush()
            self.server.finish_slow.wait(20)
            self.wfile.write(b"<p>last part")
            return
        self.wfile.write(self.server.pages.get(self.path, b""))

    do_POST = do_PUT = do_GET  # noqa: N815 - the names are http.server's

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Log nothing: a failing test shows what it expected."""


@asynccontextmanager
async def processes_of(driver: Driver, *hosts: str) -> AsyncGenerator[None]:
    """Keep a frame of each host in another tab: a new process for each of them in each page costs more than a test."""
    site = Site()
    frames = [f"<iframe src='{site.url('/one').replace('127.0.0.1', host)}'></iframe>" for host in hosts]
    site.pages["/keeping"] = "".join(frames).encode()
    with serving(site):
        page = await driver[1].page.context.new_page()
        await page.goto(site.url("/keeping"))
        yield
        await page.close()


@pytest.fixture
def site() -> Generator[Site]:
    server = Site()
    with serving(server):
        yield server
        server.finish_slow.set()
