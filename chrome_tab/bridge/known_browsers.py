"""The names of browser profiles that have been connected, stored in the config directory so that they stay stable."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import chrome_tab_mcp_server as server
from chrome_tab.bridge import protocol


class About(NamedTuple):
    """What the extension in a browser profile reports about itself in its hello."""

    # A random id that the extension stores, and one for this run of the browser. Older extensions send neither.
    profile: str = ""
    run: str = ""
    # The browser's own name ("Chrome"), and the name that the user chose for the profile, if any.
    kind: str = "Browser"
    wish: str = ""
    # When the user last viewed it, in milliseconds since the epoch; None if unknown.
    looked_at: float | None = None
    version: str = ""
    # The commands that the browser does not support.
    missing: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        """Return the name without a number."""
        return self.wish or self.kind


def about_browser(hello: Mapping[str, Any]) -> About:
    """Parse a hello's data about its browser; malformed values count as missing."""
    browser, missing = server.fields(hello, "browser"), hello.get("missing")
    looked_at = browser.get("looked_at")
    identity = [browser.get(key) for key in ("id", "run")]
    has_identity = all(isinstance(value, str) and protocol.BROWSER_ID.fullmatch(value) for value in identity)
    profile, run = map(str, identity) if has_identity else ("", "")
    return About(
        profile,
        run,
        browser_name(browser.get("kind")) or About().kind,
        browser_name(browser.get("name")),
        looked_at if isinstance(looked_at, int | float) and looked_at > 0 else None,
        server.one_line(str(hello.get("version")), 20),
        tuple(map(str, missing)) if isinstance(missing, list) else (),
    )


def browser_name(value: Any) -> str:
    """Return a name as one printable line; empty if the value is not a string."""
    return server.one_line(value, protocol.MAX_CLIENT_NAME) if isinstance(value, str) else ""


class Known(NamedTuple):
    """A profile that has been connected."""

    name: str
    base: str
    # Whether it was connected when the file was last written.
    connected: bool


class KnownBrowsers:
    """The known profiles by id, the most recently connected last."""

    def __init__(self) -> None:
        self._path = server.config_dir() / "browsers.json"
        self._profiles: dict[str, Known] = dict(self._load())

    @property
    def connected_before(self) -> set[str]:
        """Return the ids of the profiles that were connected to the previous server."""
        return {profile for profile, known in self._profiles.items() if known.connected}

    def name_of(self, profile: str) -> str | None:
        """Return the name of a profile; None if it is unknown."""
        known = self._profiles.get(profile)
        return known and known.name

    def add(self, about: About, others: Iterable[str]) -> str:
        """Return the name of a connected profile: its previous one, or a new unique one.

        `others` are the names of the other connected browsers. A name that the user chose may belong to a profile that
        is not connected: a reinstalled extension is a new profile with the old name.
        """
        # A server on another port stores names in the same file.
        self._profiles = {**dict(self._load()), **self._profiles}
        known = self._profiles.pop(about.profile, None)
        taken = {name.casefold() for name in others}
        if not about.wish:
            taken |= {each.name.casefold() for each in self._profiles.values()}
        names = itertools.chain([about.base], (f"{about.base} {number}" for number in itertools.count(2)))
        if known and known.base == about.base:
            names = itertools.chain([known.name], names)
        name = next(name for name in names if name.casefold() not in taken)
        if about.profile:
            for profile in [each for each, (had, *_) in self._profiles.items() if had.casefold() == name.casefold()]:
                del self._profiles[profile]
            self._profiles[about.profile] = Known(name, about.base, connected=True)
            self._save()
        return name

    def leave(self, profile: str) -> None:
        """Record that a profile has disconnected."""
        if known := self._profiles.get(profile):
            self._profiles[profile] = known._replace(connected=False)
            self._save()

    def _load(self) -> Iterable[tuple[str, Known]]:
        try:
            entries = json.loads(server.read_regular(self._path))
        except (OSError, ValueError):
            return
        for entry in entries if isinstance(entries, list) else ():
            match entry:
                case [str(profile), str(name), str(base), bool(connected)]:
                    yield profile, Known(browser_name(name), browser_name(base), connected)
                case _:
                    pass

    def _save(self) -> None:
        for profile in list(self._profiles)[: -protocol.MAX_KNOWN_BROWSERS]:
            del self._profiles[profile]
        text = json.dumps([[profile, *known] for profile, known in self._profiles.items()])
        with contextlib.suppress(OSError), server.private_draft(self._path, text.encode()) as draft:
            draft.replace(self._path)
