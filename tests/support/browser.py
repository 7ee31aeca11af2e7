"""A real Chromium for tests, and the isolated world in which a browser runs JavaScript for other programs."""

import os
import shutil
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, Route, sync_playwright

from demo.browser import LEFT_OUT, QUIET, without

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
# Routed inside the browser: nothing is requested from a network.
PAGE_URL = "http://page.test/"
# A third of the CPU time was spent on what is invisible here: the bar about the debugger in each attached tab, and the
# animations of the browser's own window (not of pages). `plain_chromium` has both, as users' browsers do.
STILL = ["--silent-debugger-extension-api", "--animation-duration-scale=0"]


def chromium_path() -> str:
    """Return the browser to test with; raise an error that says what to install if there is none."""
    if sys.platform == "darwin":
        return MAC_CHROME
    for name in CHROMIUM_NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    message = "no Chromium on PATH: run `make setup`"
    raise FileNotFoundError(message)


def chromium_arguments() -> list[str]:
    """No background services, no software graphics, which would also need a process; root has no sandbox."""
    quiet = [*QUIET, "--disable-gpu", "--in-process-gpu", without(LEFT_OUT)]
    return [*quiet, "--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else quiet


@contextmanager
def launch_chromium() -> Generator[Browser]:
    """Run a headless browser with a fresh profile for the duration of the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=chromium_arguments())
        try:
            yield browser
        finally:
            browser.close()


def show(
    page: Page,
    body: str | bytes,
    *,
    content_type: str = "text/html; charset=utf-8",
    headers: Mapping[str, str] | None = None,
) -> None:
    """Load *body* into the tab as the response of PAGE_URL."""

    def answer(route: Route) -> None:
        route.fulfill(body=body, headers={"content-type": content_type, **(headers or {})})

    page.unroute_all()
    page.route("**/*", answer)
    page.goto(PAGE_URL)


class JavaScriptError(Exception):
    """The evaluated program threw; the text is the browser's message."""


class IsolatedWorld:
    """A world separate from the page's own: same DOM, other globals. Valid until the page navigates; one of each name."""

    def __init__(self, page: Page, name: str = "reader") -> None:
        self._session: Any = page.context.new_cdp_session(page)
        frame = self._session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = {"frameId": frame, "worldName": name}
        self.context = self._session.send("Page.createIsolatedWorld", world)["executionContextId"]

    def evaluate(self, program: str) -> Any:
        """Return the JSON value of *program*; `undefined` and `null` are None."""
        asked = {"expression": program, "contextId": self.context, "returnByValue": True, "awaitPromise": True}
        reply = self._session.send("Runtime.evaluate", asked)
        if "exceptionDetails" in reply:
            raise JavaScriptError(reply["exceptionDetails"]["exception"].get("description", "something was thrown"))
        return reply["result"].get("value")
