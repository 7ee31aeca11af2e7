"""The tab ids that clients use: unique across browsers, stable, and never reused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

# Chrome's own ids are below 2**31 and Firefox's are small: no browser ever assigns one of these.
FIRST_SUBSTITUTE = 2**31 + 1
# Tab ids in the extension's sentences: "Tab 12 is not attached", or `12 "Title"` in a list.
NAMED_TAB = re.compile(r'(?<=\b[Tt]ab )\d+\b|\b\d+(?= ")')


class TabPlace(NamedTuple):
    """Where a tab is: the browser profile, its run (ids of another run mean other tabs), and the tab's id there."""

    profile: str
    run: str
    own_id: int


class TabIds:
    """The clients' id of each known tab: the browser's own id unless another browser's tab has used it. No I/O."""

    def __init__(self) -> None:
        self._ids: dict[TabPlace, int] = {}
        self._places: dict[int, TabPlace] = {}
        self._next_substitute = FIRST_SUBSTITUTE
        # Entries that followers have not received yet.
        self._news: list[tuple[int, TabPlace]] = []

    def id_of(self, place: TabPlace) -> int:
        """Return the clients' id of a tab; assign one to a new tab."""
        if place in self._ids:
            return self._ids[place]
        tab_id = place.own_id
        while tab_id in self._places:
            tab_id, self._next_substitute = self._next_substitute, self._next_substitute + 1
        self._set(tab_id, place)
        self._news.append((tab_id, place))
        return tab_id

    def find(self, tab_id: int) -> TabPlace | None:
        """Return where the tab with this id is or was; None if no tab has had it."""
        return self._places.get(tab_id)

    def in_sentence(self, sentence: str, profile: str, run: str) -> str:
        """Replace a browser's own tab ids in a sentence from its extension with the clients' ids."""

        def replaced(match: re.Match[str]) -> str:
            own_id = int(match[0])
            return str(self._ids.get(TabPlace(profile, run, own_id), own_id))

        return NAMED_TAB.sub(replaced, sentence)

    def take_news(self) -> list[tuple[int, TabPlace]]:
        """Return the ids assigned since the last call, in the form that `learn` takes."""
        news, self._news = self._news, []
        return news

    def all(self) -> list[tuple[int, TabPlace]]:
        """Return all ids, in the form that `learn` takes."""
        return list(self._places.items())

    def learn(self, entries: Iterable[Any]) -> None:
        """Adopt ids that the leader assigned; skip malformed and known ones."""
        for entry in entries:
            match entry:
                case [int(tab_id), [str(profile), str(run), int(own_id)]] if tab_id not in self._places:
                    self._set(tab_id, TabPlace(profile, run, own_id))
                case _:
                    pass

    def _set(self, tab_id: int, place: TabPlace) -> None:
        self._ids[place], self._places[tab_id] = tab_id, place
        self._next_substitute = max(self._next_substitute, tab_id + 1)
