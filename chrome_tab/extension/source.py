"""The extension as a source of tabs: it reads open tabs and drives attached ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Self

import chrome_tab_mcp_server as server
from chrome_tab.bridge import command_table, pending, protocol
from chrome_tab.bridge.bridge import Bridge, Role
from chrome_tab.bridge.dispatcher import LISTS
from chrome_tab.extension import results

__all__ = ["PAIRING_WAIT_S", "ExtensionSource", "web_address"]

PAIRING_WAIT_S = 600.0  # while the user pastes the connection string


class ExtensionSource:
    """The open tabs, through the extension: read, and driven by commands."""

    def __init__(self, settings: server.Settings) -> None:
        self.settings = settings
        self.bridge = Bridge(settings.port)
        self.bridge.server_info = self.server_info

    def server_info(self) -> dict[str, Any]:
        """Return what is sent to browsers about this server: `{denied_hosts, commands}`."""
        from chrome_tab import launcher  # not needed at startup

        return {"denied_hosts": self.settings.denied_hosts, "commands": launcher.commands(self.settings)}

    @property
    def connected(self) -> bool:
        """Return whether the extension is connected."""
        return self.bridge.connected

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of the connected browsers, most recently viewed first."""
        return [str(browser.get("kind", "")) for browser in self.bridge.browsers]

    async def start(self) -> None:
        """Start the bridge, unless the settings allow only AppleScript."""
        if self.settings.source != "applescript":
            await self.bridge.start()

    async def close(self) -> None:
        """Close the connections and free the port."""
        await self.bridge.stop()

    async def __aenter__(self) -> Self:
        """Return this source."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close this source."""
        await self.close()

    # Reading

    async def read(self, options: server.ReadOptions, tab_id: int | None) -> server.Page:
        """Return the text of a tab, by default the active one."""
        match result := await self._command("read_tab", tab_id, options._asdict()):
            case {"url": str(), "title": str(), "text": str(text)}:
                dialogs, browser = tuple(results.dialog_notes(result)), str(result.get("browser") or "")
                known = {"dialogs": dialogs, "browser": browser, "incognito": result.get("incognito")}
                return server.page_from(result, text, "extension", **known)
            case _:
                raise protocol.unreadable_reply("the command")

    async def tabs(self) -> list[dict[str, Any]]:
        """Return the open tabs: `{id, url, title, active, windowId}` each."""
        return await self._listed("browser_get_tabs")

    async def attached_tabs(self) -> list[dict[str, Any]]:
        """Return the attached tabs except those of denied hosts: `{tab_id, url, title, connected_at}` each."""
        listed = await self._listed("list_tabs")
        return [tab for tab in listed if not self.settings.site(str(tab.get("url"))).deny]

    async def _listed(self, command: str) -> list[dict[str, Any]]:
        tabs = await self._command(command, None, {})
        listed = [tab for tab in tabs if isinstance(tab, dict)] if isinstance(tabs, list) else []
        return [results.with_plain_title(tab) for tab in listed]

    async def layers(self, *, is_optional: bool) -> list[server.Layer]:
        """Return the state of the port and the extension; `is_optional` if AppleScript does the reading."""
        bridge = self.bridge
        try:
            await bridge.reach(0 if is_optional else None)
            text = describe_browsers(bridge.browsers)
        except server.ChromeTabError as error:
            text = "not connected, and not needed to read by AppleScript" if is_optional else error.message
        if bridge.problem:
            return [server.Layer("bridge", ok=False, text=bridge.problem.message)]
        owner = bridge.role is Role.LEADER
        way = (
            f"listening on {server.HOST}:{bridge.port}"
            if owner
            else f"through the session that holds port {bridge.port}"
        )
        return [
            server.Layer("bridge", ok=True, text=way),
            server.Layer("extension", bridge.connected or is_optional, text),
        ]

    # Driving

    async def create_tab(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Open a tab and return `{tab_id, url, title}` once it has loaded."""
        params = {**params, "url": self.allowed_address(params["url"])}
        created = await self._command("browser_create_tab", None, params)
        try:
            server.check_site(self.settings, str(created.get("url")))
        except server.ChromeTabError:
            # A redirect led to a denied host: do not leave the tab open.
            await self.bridge.command("browser_close_tab", created.get("tab_id"), {})
            raise
        return results.with_plain_title(created)

    async def data_layer(self, tab_id: int | None, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data layer of an attached tab, as the extension sends it."""
        await self._check_tab(tab_id)
        return await self._command("getDataLayer", tab_id, params)

    async def logs(self, command: str, tab_id: int | None, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return `{entries, notes}`: messages or requests, newest first, without those about denied hosts."""
        result = await self.drive(command, tab_id, params)
        # The field with the address of an entry's page; clients do not get it.
        page = "url" if command == "console_logs" else "page"
        entries = result.get("entries")
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise protocol.unreadable_reply(command)
        # Entries outlive their page, so each one is checked; one without the address of its page is dropped.
        site = self.settings.site
        allowed = [entry for entry in entries if not any(site(str(entry.get(key) or "")).deny for key in (page, "url"))]
        notes = list(result.get("notes") or [])
        if len(allowed) < len(entries):
            notes.append(f"{len(entries) - len(allowed)} entries are left out: [sites] denies their pages")
        shown = [{key: value for key, value in entry.items() if key != page} for entry in allowed]
        return {**result, "entries": shown, "notes": notes}

    async def _command(self, command: str, tab_id: int | None, params: Mapping[str, Any]) -> Any:
        """Run a command with the rules of `[sites]`, which the extension checks when it runs the command."""
        return await self.bridge.command(command, tab_id, {**params, **self._rules(command)})

    def _rules(self, command: str) -> dict[str, Any]:
        """Return the rules as command parameters, the least specific host first."""
        rules, tool = self.settings.rules, server.current_tool.get()
        asks = [(host, rule.ask) for host, rule in rules if "ask" in rule.model_fields_set]
        tools = [(host, rule.tools) for host, rule in rules if rule.tools is not None]
        hosts = {
            "denied_browsers": self.settings.denied_browsers("" if command in LISTS else tool),
            "denied_hosts": self.settings.denied_hosts,
            "ask_hosts": [] if command_table.only_reads(command) else asks,
            "tool_hosts": tools if tool else [],
        }
        return {key: host for key, host in hosts.items() if host} | ({"tool": tool} if tool and tools else {})

    async def drive(self, command: str, tab_id: int | None, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run a command on an attached tab and return its result, unless a denied host is involved.

        A tab that has reached a denied host stays there: going back would be another action on that page.
        """
        await self._check_tab(tab_id)
        try:
            result = await self._command(command, tab_id, params)
        except pending.ConnectionLostError:
            raise
        except server.ChromeTabError:
            # Its message may quote the page that the command led to.
            await self._check_tab(tab_id, command)
            raise
        await self._check_tab(tab_id, command)
        if not isinstance(result, dict):
            raise protocol.unreadable_reply(command)
        return results.with_plain_title(result, protocol.MAX_FRAME_BYTES)  # the caller shortens it

    def allowed_address(self, url: str) -> str:
        """Return the address if it is valid and its host is not denied; raise ChromeTabError otherwise."""
        address = web_address(url)
        server.check_site(self.settings, address)
        return address

    async def _check_tab(self, tab_id: int | None, command: str = "") -> None:
        """Raise ChromeTabError for a tab on a denied host, before or after `command`; without `tab_id` check them all.

        The extension checks the page when it runs the command; older extensions ignore the rules.
        """
        if not self.settings.sites:
            return
        listing = "list_tabs" if tab_id is None else "browser_get_tabs"
        for tab in await self.bridge.command(listing, tab_id, {}):
            if "url" in tab and tab_id in {None, tab.get("id")}:
                server.check_site(self.settings, tab["url"], command)


def describe_browsers(browsers: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence about the connected browsers, most recently viewed first."""
    if len(browsers) == 1:
        return f"connected, version {browsers[0]['version']}"
    named = (
        f"{browser['name']}{f' ({kind})' if (kind := browser['kind']) not in browser['name'] else ''}, version {browser['version']}"
        for browser in browsers
    )
    return f"{len(browsers)} browsers connected, the one looked at last first: {'; '.join(named)}"


def web_address(url: str) -> str:
    """Return an http or https address that browsers parse as we do; raise ChromeTabError for any other.

    Browsers normalize unusual hosts (a backslash, escapes, an address as one number), so that [sites] would be
    checked against a different host than the one they visit.
    """
    url = url.strip()
    host = server.host_of(url)
    odd = re.search(r"[\\\s]", url.partition("://")[2].partition("/")[0]) or re.search(r"[^a-z0-9_.:-]", host)
    # A numeric host that is not written in its normal form: an address as one number.
    numeric = re.fullmatch(r"[\d.]+", host) and host not in url.partition("://")[2].partition("/")[0]
    if not re.match(r"https?://", url, re.IGNORECASE) or not host or odd or numeric:
        raise server.ChromeTabError(
            "INVALID_ARGUMENT",
            f"url is {server.one_line(url, 200)!r}. Use a complete http:// or https:// address with an ordinary host, such as https://example.com/page.",
        )
    return url
