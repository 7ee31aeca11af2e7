"""The choice between AppleScript and the extension, the two ways to read tabs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import chrome_tab_mcp_server as server
from chrome_tab.extension.source import ExtensionSource

__all__ = ["BothSources", "place_note", "script_lists"]

# Browsers with our extension that AppleScript cannot read, as macOS names them.
UNSCRIPTABLE_BROWSERS = ("Firefox", "Firefox Developer Edition", "Firefox Nightly")
# After these AppleScript errors the extension reads the page.
GIVING_WAY_CODES = ("NO_BROWSER", "PERMISSION_DENIED", "UNREADABLE_PAGE")
NOT_COPIED = "the text was not copied: --clipboard works only if AppleScript reads the page"


class BothSources:
    """AppleScript and the extension as one `server.TabSource`, in the order that the settings and the platform give."""

    def __init__(self, extension: ExtensionSource) -> None:
        self._settings, self._extension = extension.settings, extension
        self._applescript = server.AppleScriptSource(extension.settings)

    async def start(self) -> None:
        """Start listening for the extension."""
        await self._extension.start()

    async def close(self) -> None:
        """Close the connections and free the port."""
        await self._extension.close()

    async def tabs(self) -> list[dict[str, Any]]:
        """Return the open tabs: `{id, url, title, active, windowId}` each."""
        return await (self._applescript if script_lists(self._extension) else self._extension).tabs()

    async def read(
        self, options: server.ReadOptions, tab_id: int | None = None, *, clipboard: bool = False
    ) -> server.Page:
        """Read a tab; notes say which of several browsers was read, and that the extension copies nothing."""
        page = await self._read(options, tab_id, clipboard=clipboard)
        if clipboard and page.source == "extension":
            page = page._replace(notes=(*page.notes, NOT_COPIED))
        if page.browser and len(self._extension.kinds) > 1:
            return page._replace(notes=(*page.notes, place_note(page.browser, page.title, page.url)))
        return page

    async def _read(self, options: server.ReadOptions, tab_id: int | None, *, clipboard: bool) -> server.Page:
        """Read by the configured source, or first by AppleScript on a Mac and by the extension elsewhere.

        The other source is tried only if the first is unusable or cannot read this kind of page; other errors stand.
        """
        extension, is_auto, is_mac = self._extension, self._settings.source == "auto", sys.platform == "darwin"
        front = ""
        if script_lists(extension):
            is_first = True
        elif not is_auto or tab_id is not None or self._settings.browsers:
            is_first = False
        elif is_mac:
            front = await self._unscriptable()
            is_first = not front
        else:
            is_first = not extension.connected and self._applescript.available()
        if not is_first:
            page = await extension.read(options, tab_id)
            return with_other_browser(page, front, extension.kinds) if front else page
        connected = extension.connected
        try:
            return await self._applescript.read(options, tab_id, clipboard=clipboard)
        except server.ChromeTabError as error:
            if not (is_auto and is_mac and connected and error.code in GIVING_WAY_CODES):
                raise
            page = await extension.read(options, tab_id)
            if error.code == "NO_BROWSER":
                return page
            return with_other_browser(page, (await self._applescript.choose())[0], extension.kinds)

    async def _unscriptable(self) -> str:
        """Return the frontmost browser if AppleScript cannot read it; empty otherwise."""
        if self._settings.browser != "auto":
            return ""
        visible = await server.visible_applications()
        front = next((name for name in visible if name in server.BROWSERS or name in UNSCRIPTABLE_BROWSERS), "")
        return front if front in UNSCRIPTABLE_BROWSERS else ""

    async def layers(self) -> list[server.Layer]:
        """Return the state of each source that the settings allow."""
        source = self._settings.source
        first_script = sys.platform == "darwin" and source == "auto" and not self._settings.browsers
        layers = await self._applescript.layers() if source == "applescript" or first_script else []
        if source != "applescript":
            layers += await self._extension.layers(is_optional=first_script)
        return layers


def script_lists(extension: ExtensionSource) -> bool:
    """Return whether AppleScript lists the tabs and reads those named by id: not where the extension does."""
    settings, is_mac = extension.settings, sys.platform == "darwin"
    if settings.source == "auto":
        return is_mac and not extension.connected and not settings.browsers
    return settings.source == "applescript"


def place_of(title: str, url: str) -> str:
    """Return a page's title and host on one line."""
    return f"{server.one_line(title, 80)} ({server.host_of(url) or 'no host'})"


def place_note(browser: str, title: str, url: str) -> server.Sentence:
    """Return the note about the browser in which a page was read, with its title and host."""
    return server.Sentence("read_in", f"read in {browser}: {place_of(title, url)}")


def with_other_browser(page: server.Page, application: str, kinds: Sequence[str]) -> server.Page:
    """Return a page with a note that the front application is another one, unless that is a connected browser."""
    if any(kind in application for kind in kinds):
        return page
    place = place_of(page.title, page.url)
    note = f"{application} is in front but could not be read; this page is from another browser, {place}"
    return page._replace(notes=(*page.notes, server.Sentence("read_in", note)))
