"""The browsers connected to the leader: which one the user viewed last, and which one has a given tab."""

from __future__ import annotations

import asyncio
import math
import re
import time
from typing import Any, NamedTuple

import anyio

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pending, protocol
from chrome_tab.bridge.channel import Channel
from chrome_tab.bridge.known_browsers import About, KnownBrowsers, browser_name
from chrome_tab.bridge.tab_ids import TabIds, TabPlace

# A substitute for the id of a profile that has none.
WITHOUT_ID = re.compile(r"unknown-(\d+)", re.ASCII)


class Browser:
    """One connected browser profile."""

    def __init__(self, about: About, channel: Channel) -> None:
        self.about, self.channel = about, channel
        # Its name for the user, and when the user last viewed it, in seconds of the monotonic clock.
        self.name, self.looked_at = "", -math.inf
        # The attached tabs, by the browser's own ids.
        self.attached: set[int] = set()

    def place(self, own_id: int) -> TabPlace:
        """Return the place of one of its tabs."""
        return TabPlace(self.about.profile, self.about.run, own_id)

    def info(self) -> dict[str, Any]:
        """Return its description for sessions: `{name, kind, version, missing}`."""
        about = self.about
        return {"name": self.name, "kind": about.kind, "version": about.version, "missing": list(about.missing)}


class Absence(NamedTuple):
    """A browser that may reconnect soon: how long to wait for it, and when it was last viewed."""

    until: float
    looked_at: float


class Browsers:
    """The connected browsers, by profile id."""

    def __init__(self, known: KnownBrowsers, tab_ids: TabIds) -> None:
        self.connected: dict[str, Browser] = {}
        self._known, self._tab_ids = known, tab_ids
        until = time.monotonic() + protocol.RETURN_WAIT_S
        # Only when they have reconnected is it known which one the user viewed last.
        self._absent = {profile: Absence(until, math.inf) for profile in known.connected_before}
        self._looked_at: dict[str, float] = {}
        self._changed = asyncio.Event()
        # Set when the server shuts down: the next leader expects the browsers that disconnect then to return.
        self.is_ending = False

    @property
    def several(self) -> bool:
        """Return whether clients must know which browser is meant."""
        return len(self.connected) > 1

    def latest_first(self) -> list[Browser]:
        """Return the connected browsers, most recently viewed first."""
        return sorted(self.connected.values(), key=lambda browser: browser.looked_at, reverse=True)

    # Connecting and disconnecting

    def profile_without_id(self) -> str:
        """Return an id for an extension that sent no valid one, such as an older version.

        A single one keeps its id when it reconnects. Several are indistinguishable, so each connection gets a new id:
        otherwise a tab of one could be mistaken for a tab of another.
        """
        profiles = [*self.connected, *(place.profile for _, place in self._tab_ids.all())]
        numbers = [int(match[1]) for profile in profiles if (match := WITHOUT_ID.fullmatch(profile))]
        latest = max(numbers, default=1)
        is_single = latest == 1 and "unknown-1" not in self.connected
        return "unknown-1" if is_single else f"unknown-{latest + 1}"

    def add(self, browser: Browser) -> None:
        """Add a browser that has proved the key, and give it a unique name."""
        about = browser.about
        self.connected[about.profile] = browser
        self._absent.pop(about.profile, None)
        # The clock may have been changed since, so a later time that this server recorded itself wins.
        age_s = math.inf if about.looked_at is None else time.time() - about.looked_at / 1000
        claimed = time.monotonic() - age_s if age_s >= 0 else -math.inf
        browser.looked_at = max(claimed, self._looked_at.get(about.profile, -math.inf))
        self._assign_name(browser)

    def remove(self, browser: Browser) -> bool:
        """Remove a browser whose connection has ended or is replaced; return False if it was already removed."""
        browser.channel.close()
        if self.connected.get(browser.about.profile) is not browser:
            return False
        del self.connected[browser.about.profile]
        until = time.monotonic() + protocol.RECONNECT_WAIT_S
        self._absent[browser.about.profile] = Absence(until, browser.looked_at)
        if not self.is_ending:
            self._known.leave(browser.about.profile)
        self._update()
        return True

    def close(self) -> None:
        """Fail all commands that wait for a browser."""
        for browser in self.connected.values():
            browser.channel.close()
        self.connected.clear()

    def rename(self, browser: Browser, wish: object) -> None:
        """Give a browser the name that the user chose; an empty one restores the browser's own."""
        browser.about = browser.about._replace(wish=browser_name(wish))
        self._assign_name(browser)

    def note_look(self, browser: Browser, at: object) -> None:
        """Record that the user is viewing a browser; subtract the event's delay if the clocks make it plausible."""
        delay_s = time.time() - at / 1000 if isinstance(at, int | float) else 0
        delay_s = delay_s if 0 <= delay_s <= protocol.MAX_EVENT_DELAY_S else 0
        browser.looked_at = self._looked_at[browser.about.profile] = time.monotonic() - delay_s
        self._update()

    def _assign_name(self, browser: Browser) -> None:
        others = [each.name for each in self.connected.values() if each is not browser]
        browser.name = self._known.add(browser.about, others)
        self._update()

    def _update(self) -> None:
        for browser in self.connected.values():
            browser.channel.name = browser.name if self.several else ""
        self._changed.set()
        self._changed = asyncio.Event()

    # Choosing

    async def looked_at_last(self) -> Browser:
        """Return the most recently viewed browser; wait for it while it reconnects."""
        while True:
            first = next(iter(self.latest_first()), None)
            until = max(
                (each.until for each in self._absent.values() if first is None or each.looked_at > first.looked_at),
                default=-math.inf,
            )
            if until < time.monotonic() or not await self._change(until):
                if first is None:
                    raise pending.ConnectionLostError("the choice of a tab")
                return first

    def named(self, name: str) -> Browser:
        """Return the browser with this name."""
        for browser in self.connected.values():
            if browser.name.casefold() == name.casefold():
                return browser
        names = ", ".join(browser.name for browser in self.latest_first())
        raise server.ChromeTabError(
            "INVALID_ARGUMENT", f"No connected browser is named {server.one_line(name, 60)!r}. Connected: {names}."
        )

    async def back(self, browser: Browser) -> Browser | None:
        """Wait until a browser whose connection broke has reconnected; return None if it does not."""
        with anyio.move_on_after(protocol.RECONNECT_WAIT_S):
            while (now := self.connected.get(browser.about.profile)) in {None, browser}:
                await self._changed.wait()
            return now if now and now.about.run == browser.about.run else None
        return None

    async def with_tab(self, tab_id: int, place: TabPlace) -> Browser:
        """Return the browser that has a tab; wait for it while it reconnects."""
        while place.profile not in self.connected:
            absence = self._absent.get(place.profile)
            if absence is None or not await self._change(absence.until):
                raise server.ChromeTabError(
                    "TAB_DISCONNECTED",
                    f"Tab {tab_id} is in {self._known.name_of(place.profile) or 'a browser'}, which is not connected. "
                    "Ask the user to open that browser, or choose a tab that browser_get_tabs lists.",
                )
        browser = self.connected[place.profile]
        if browser.about.run != place.run:
            raise server.ChromeTabError(
                "TAB_NOT_FOUND",
                f"Tab {tab_id} no longer exists: {browser.name} or its extension was restarted. List the open tabs with "
                "browser_get_tabs.",
            )
        return browser

    async def _change(self, until: float) -> bool:
        """Wait for a change until a monotonic time; return False if there was none."""
        changed = self._changed
        with anyio.move_on_after(max(0, until - time.monotonic())):
            await changed.wait()
        return changed.is_set()
