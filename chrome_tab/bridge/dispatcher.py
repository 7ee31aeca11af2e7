"""How the leader runs commands: it chooses the browser, and translates tab ids in the command and its reply."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from typing_extensions import TypeIs

import chrome_tab_mcp_server as server
from chrome_tab.bridge import command_table, pending, protocol
from chrome_tab.bridge.browsers import Browser, Browsers
from chrome_tab.bridge.tab_ids import TabIds

# Commands that list tabs of all browsers, with the key of the tab id in their entries.
LISTS = {"browser_get_tabs": "id", "list_tabs": "tab_id"}
# The session of commands that the leader sends on its own.
OURS = {"id": "", "client": ""}


class Request(NamedTuple):
    """A command of a session, without its target; `session` is `{id, client}`."""

    command: str
    params: Mapping[str, Any]
    session: Any


class Dispatcher:
    """Runs commands on the connected browsers. Each has its own channel, so none waits for another."""

    def __init__(self, browsers: Browsers, tab_ids: TabIds) -> None:
        self._browsers, self._tab_ids = browsers, tab_ids

    async def command(self, command: str, tab_id: int | None, params: Mapping[str, Any], session: Any) -> Any:
        """Run a command on its target browser.

        `params` may contain parameters for the leader: `browser`, a name, and `denied_browsers`, a list of names.
        """
        params = dict(params)
        denied, name = params.pop("denied_browsers", []), params.pop("browser", None)
        request = Request(command, params, session)
        if command in LISTS:
            return await self._list(request, tab_id, denied)
        browser, own_id = await self._choose(command, tab_id, name, denied)
        check_allowed(browser, denied)
        return await self._run(browser, own_id, request)

    async def is_alive(self, browser: Browser) -> bool:
        """Return whether a browser still responds."""
        try:
            async with asyncio.timeout(protocol.ALIVE_TIMEOUT_S):
                await browser.channel.command("list_tabs", None, {}, OURS)
        except (TimeoutError, server.ChromeTabError):
            return False
        return True

    async def _choose(
        self, command: str, tab_id: int | None, name: str | None, denied: Sequence[str]
    ) -> tuple[Browser, int | None]:
        """Return a command's target browser, and that browser's own id of the tab."""
        if tab_id is not None:
            return await self._with_tab(tab_id)
        if name is not None:
            return self._browsers.named(name), None
        if self._browsers.several and command_table.needs_attached_tab(command):
            attached = [browser for browser in self._browsers.latest_first() if browser.attached]
            attached = [browser for browser in attached if not is_denied(browser, denied)] or attached
            if len(attached) > 1:
                raise self._ambiguous(attached)
            if attached:
                return attached[0], None
        return await self._browsers.looked_at_last(), None

    async def _with_tab(self, tab_id: int) -> tuple[Browser, int]:
        place = self._tab_ids.find(tab_id)
        connected = list(self._browsers.connected.values())
        if place is None and len(connected) == 1:
            return connected[0], tab_id
        if place is None:
            # A tab that has not been listed yet.
            listed = await self._list_of(connected, Request("browser_get_tabs", {}, OURS))
            place = self._tab_ids.find(tab_id)
            if place is None:
                silent = "".join(f" {tab['note']}" for tab in listed if "note" in tab)
                sentence = f"There is no tab {tab_id}.{silent} List the open tabs with browser_get_tabs."
                raise server.ChromeTabError("TAB_NOT_FOUND", sentence)
        return await self._browsers.with_tab(tab_id, place), place.own_id

    def _ambiguous(self, browsers: Sequence[Browser]) -> server.ChromeTabError:
        named = "; ".join(
            f"{', '.join(str(self._tab_ids.id_of(browser.place(own_id))) for own_id in sorted(browser.attached)[:10])} "
            f"in {browser.name}"
            for browser in browsers
        )
        return server.ChromeTabError(
            "AMBIGUOUS_TAB",
            f"Tabs of {len(browsers)} browsers are attached: {named}. Pass one of them as tab_id; list_tabs lists them all.",
        )

    async def _run(self, browser: Browser, own_id: int | None, request: Request) -> Any:
        """Run a command on a browser; translate tab ids in its result and errors to the clients' ids."""
        about = browser.about
        try:
            result = await self._send(browser, own_id, request)
        except pending.ConnectionLostError:
            raise
        except server.ChromeTabError as error:
            sentence = self._tab_ids.in_sentence(error.message, about.profile, about.run)
            raise server.ChromeTabError(error.code, sentence) from None
        if own_id is not None:
            self._tab_ids.id_of(browser.place(own_id))
        if not isinstance(result, dict):
            return result
        result = {**result, **self._named(browser)}
        own = result.get("tab_id")
        if is_id(own):
            result["tab_id"] = self._tab_ids.id_of(browser.place(own))
        if isinstance(result.get("notes"), list):
            result["notes"] = [
                self._tab_ids.in_sentence(note, about.profile, about.run) if isinstance(note, str) else note
                for note in result["notes"]
            ]
        return result

    async def _send(self, browser: Browser, own_id: int | None, request: Request) -> Any:
        """Send a command; retry a read-only one once if the browser's connection breaks and comes back."""
        command, params, session = request
        try:
            return await browser.channel.command(command, own_id, params, session)
        except pending.ConnectionLostError:
            back = await self._browsers.back(browser) if command_table.only_reads(command) else None
            if back is None:
                raise
        return await back.channel.command(command, own_id, params, session)

    def _named(self, browser: Browser) -> dict[str, str]:
        """Return the browser's name as a field, if several are connected."""
        return {"browser": browser.name} if self._browsers.several else {}

    # Lists

    async def _list(self, request: Request, tab_id: int | None, denied: Sequence[str]) -> Any:
        """Return the tabs of all browsers, most recently viewed first, or of the one that has `tab_id`.

        A final entry without an id names the browsers that did not answer in time.
        """
        if tab_id is not None:
            browsers = [(await self._with_tab(tab_id))[0]]
        else:
            await self._browsers.looked_at_last()
            browsers = [browser for browser in self._browsers.latest_first() if not is_denied(browser, denied)]
            if request.command == "list_tabs" and self._browsers.several:
                browsers = [browser for browser in browsers if browser.attached]
        return await self._list_of(browsers, request)

    async def _list_of(self, browsers: Sequence[Browser], request: Request) -> list[Any]:
        if len(browsers) == 1:
            return self._listed(request.command, browsers[0], await self._run(browsers[0], None, request))

        async def one(browser: Browser) -> Any:
            try:
                async with asyncio.timeout(protocol.LIST_TIMEOUT_S):
                    return await self._run(browser, None, request)
            except TimeoutError:
                browser.channel.failures += 1
            except server.ChromeTabError:
                pass
            return None

        lists = list(zip(browsers, await asyncio.gather(*map(one, browsers)), strict=True))
        silent = [browser.name for browser, tabs in lists if tabs is None]
        if silent and len(silent) == len(browsers):
            raise server.ChromeTabError(
                "COMMAND_TIMEOUT", f"{left_out(silent)} Try again, or ask the user to check those browsers."
            )
        answered = [(browser, tabs) for browser, tabs in lists if tabs is not None]
        tabs = [tab for browser, tabs in answered for tab in self._listed(request.command, browser, tabs)]
        return [*tabs, {"note": left_out(silent)}] if silent else tabs

    def _listed(self, command: str, browser: Browser, tabs: Any) -> list[Any]:
        if not isinstance(tabs, list):
            raise protocol.unreadable_reply(command)
        key = LISTS[command]
        return [
            {**tab, key: self._tab_ids.id_of(browser.place(tab[key])), **self._named(browser)}
            for tab in tabs
            if isinstance(tab, dict) and is_id(tab.get(key))
        ]


def left_out(silent: Sequence[str]) -> str:
    """Return a sentence about browsers that did not list their tabs."""
    return f"{' and '.join(silent)} did not respond: their tabs are not listed."


def is_id(value: object) -> TypeIs[int]:
    """Return whether a value is a tab id."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_denied(browser: Browser, denied: Sequence[str]) -> bool:
    """Return whether `[browsers]` denies a browser."""
    return denying_name(browser, denied) is not None


def denying_name(browser: Browser, denied: Sequence[str]) -> str | None:
    """Return which of the names denied by `[browsers]` matches a browser, by its name with or without a number."""
    names = {browser.name.casefold(), browser.about.base.casefold()}
    return next((name for name in denied if name.casefold() in names), None)


def check_allowed(browser: Browser, denied: Sequence[str]) -> None:
    """Raise ChromeTabError if `[browsers]` denies the running tool in this browser."""
    if (name := denying_name(browser, denied)) is not None:
        raise server.ChromeTabError(
            "HOST_BLOCKED",
            f'[browsers."{name}"] in the configuration file does not allow this tool in {browser.name}. Choose a tab of '
            "another browser, or ask the user to change the rule.",
        )
