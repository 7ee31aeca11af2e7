"""What a Mac's browsers tell through AppleScript beside a page's text: their open tabs; and how Arc hands a page over.

The server imports this module when tabs are listed or named, or when Arc is read.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, NamedTuple

import chrome_tab_mcp_server as server

__all__ = ["OpenTab", "from_arc", "open_tabs"]

# Of what osascript -ss prints: texts, which stay as they are, and what JSON writes otherwise.
SOURCE_FORM = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]|missing value', re.DOTALL)
JSON_WORDS = {"{": "[", "}": "]", "missing value": "null"}


class OpenTab(NamedTuple):
    """A tab: `{id, url, title, active, windowId}`, and the environment that leads the script to it."""

    about: dict[str, Any]
    place: dict[str, str]


def open_tabs(printed: str, browser: str) -> list[OpenTab]:
    """Return the tabs of the five lists that the script's `listTabs` gives, in AppleScript's source form."""
    try:
        # Breaks in texts stand as they are.
        lists = json.loads(SOURCE_FORM.sub(lambda word: JSON_WORDS.get(word[0], word[0]), printed), strict=False)
        return [
            open_tab(name, url, title, (number, index), (window_id, active))
            for number, (window_id, active, names, urls, titles) in enumerate(zip(*lists, strict=True), 1)
            for index, (name, url, title) in enumerate(zip(names or [], urls or [], titles or [], strict=True), 1)
        ]
    except (ValueError, TypeError, RecursionError):
        sentence = f"The tabs of {browser} changed while they were listed. List them again."
        raise server.ChromeTabError("EXECUTION_ERROR", sentence) from None


def open_tab(name: Any, url: Any, title: Any, place: tuple[int, int], window: tuple[Any, Any]) -> OpenTab:
    """Return one tab; `place` counts its window and itself from 1, `window` is that one's id and its active tab's."""
    window_id, active = window
    about = {"id": number_of(name), "url": str(url or ""), "title": str(title or ""), "active": name == active}
    found = dict(zip(server.ACTIVE_TAB, map(str, (name, *place)), strict=True))
    return OpenTab(about | {"windowId": number_of(window_id)}, found)


def number_of(name: Any) -> int:
    """Return the number by which clients name a tab or a window: the browser's own, where it has one.

    Arc has words instead, and a tab of Safari goes by its address: of those a number is made that stays the same.
    """
    text = str(name)
    return int(text) if text.isdecimal() else int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)


def from_arc(reply: str) -> tuple[str, dict[str, Any]]:
    """Return a page's text and what is told about it, of the JSON that the page function gave and Arc quoted as JSON."""
    try:
        value = server.parse_json(reply)
        match server.parse_json(value) if isinstance(value, str) else value:
            case ["", _, str(text), str(about)]:
                return text, server.parse_frame(about)
            case [str(code), str(sentence), _, _] if code in server.SCRIPT_CODES.values():
                raise server.ChromeTabError(code, server.one_line(sentence, 1000))
            case _:
                pass
    except ValueError:
        pass
    raise server.ChromeTabError("UNREADABLE_PAGE", "The tab gave no answer. Reload the page, then ask again.")
