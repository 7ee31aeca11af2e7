"""The ids by which clients name tabs: unique over all browsers, stable, and never reused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

# Chrome's own ids are below 2**31, Firefox's are small: no browser will ever use these itself.
FIRST_SUBSTITUTE = 2**31 + 1
# Where the extension's sentences name a tab: "Tab 12 is not attached", and `12 "Title"` in a list.
NAMED_TAB = re.compile(r'(?<=\b[Tt]ab )\d+\b|\b\d+(?= ")')


class TabPlace(NamedTuple):
    """Where a tab is: the run of a browser profile (an id of another run means another tab), and its id there."""

    profile: str
    run: str
    own_id: int


class TabIds:
    """The clients' id of each known tab: the browser's own id, unless a tab of another browser has had it. No I/O."""

    def __init__(self) -> None:
        self._ids: dict[TabPlace, int] = {}
        self._places: dict[int, TabPlace] = {}
        self._next_substitute = FIRST_SUBSTITUTE
        # What followers do not know yet.
        self._news: list[tuple[int, TabPlace]] = []

    def id_of(self, place: TabPlace) -> int:
        """Return the clients' id of a tab; assign one at first sight."""
        if place in self._ids:
            return self._ids[place]
        tab_id = place.own_id
        while tab_id in self._places:
            tab_id, self._next_substitute = self._next_substitute, self._next_substitute + 1
        self._set(tab_id, place)
        self._news.append((tab_id, place))
        return tab_id

    def find(self, tab_id: int) -> TabPlace | None:
        """Return where the tab with this id is or was; None for an id that no tab has had."""
        return self._places.get(tab_id)

    def in_sentence(self, sentence: str, profile: str, run: str) -> str:
        """Replace the browser's own ids in a sentence of its extension by those that clients know."""

        def replaced(match: re.Match[str]) -> str:
            own_id = int(match[0])
            return str(self._ids.get(TabPlace(profile, run, own_id), own_id))

        return NAMED_TAB.sub(replaced, sentence)

    def take_news(self) -> list[tuple[int, TabPlace]]:
        """Return the ids that were assigned since the last call, as `learn` takes them."""
        news, self._news = self._news, []
        return news

    def all(self) -> list[tuple[int, TabPlace]]:
        """Return all ids, as `learn` takes them."""
        return list(self._places.items())

    def learn(self, entries: Iterable[Any]) -> None:
        """Take over ids that the leader has assigned; whatever is malformed or known already is skipped."""
        for entry in entries:
            match entry:
                case [int(tab_id), [str(profile), str(run), int(own_id)]] if tab_id not in self._places:
                    self._set(tab_id, TabPlace(profile, run, own_id))
                case _:
                    pass

    def _set(self, tab_id: int, place: TabPlace) -> None:
        self._ids[place], self._places[tab_id] = tab_id, place
        self._next_substitute = max(self._next_substitute, tab_id + 1)
