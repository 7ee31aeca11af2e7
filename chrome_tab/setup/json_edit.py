"""Edit one entry of a client's JSON file, leaving every other character unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import chrome_tab_mcp_server as server

__all__ = ["edited", "without_comments"]


class Member(NamedTuple):
    """A member of a JSON object: its key, the offsets of its start and its value, and the end of both."""

    key: str
    begin: int
    value: int
    end: int


# Strings are matched too, so that nothing in them is taken for a comment.
COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def without_comments(text: str) -> str:
    """Return the JSON of a file with comments and commas after the last item, as VS Code accepts it."""
    for pattern in (COMMENT, LAST_COMMA):
        text = pattern.sub(lambda found: found[1] or " ", text)
    return text.removeprefix("\ufeff")


BLANKS = re.compile(r"[ \t\r\n]*")


def skip(text: str, at: int) -> int:
    """Return the offset after the whitespace at an offset."""
    return at + len(BLANKS.match(text, at)[0])  # pyright: ignore[reportOptionalSubscript] -- it always matches


def members_of(text: str, brace: int) -> list[Member]:
    """Return the members of the object that begins at `brace`, in text that has been parsed."""
    decoder, members = json.JSONDecoder(), list[Member]()
    at = skip(text, brace + 1)
    while text[at] != "}":
        begin = skip(text, at + 1) if text[at] == "," else at
        key, colon = decoder.raw_decode(text, begin)
        value = skip(text, skip(text, colon) + 1)
        _, end = decoder.raw_decode(text, value)
        members.append(Member(key, begin, value, end))
        at = skip(text, end)
    return members


def member(text: str, brace: int, key: str) -> Member | None:
    """Return an object's member with that key."""
    return next((one for one in members_of(text, brace) if one.key == key), None)


def with_member(text: str, brace: int, key: str, value: Any, depth: int) -> str:
    """Return the text with a member set in the object at `brace`; everything else stays unchanged."""
    step = re.search(r"\n([ \t]+)\"", text)
    indent = step[1] if step else "  "
    end = "\r\n" if "\r\n" in text else "\n"
    written = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", end + indent * depth)
    if old := member(text, brace, key):
        return text[: old.value] + written + text[old.end :]
    line = f"{end}{indent * depth}{json.dumps(key)}: {written}"
    if members := members_of(text, brace):
        return text[: members[-1].end] + "," + line + text[members[-1].end :]
    return text[: brace + 1] + line + end + indent * (depth - 1) + text[skip(text, brace + 1) :]


def without_member(text: str, brace: int, key: str) -> str:
    """Return the text without a member of the object at `brace`; everything else stays unchanged."""
    members = members_of(text, brace)
    place = next(number for number, one in enumerate(members) if one.key == key)
    if len(members) == 1:
        return text[: brace + 1] + text[skip(text, members[0].end) :]
    if place == 0:
        return text[: members[0].begin] + text[members[1].begin :]
    return text[: members[place - 1].end] + text[members[place].end :]


def edited(text: str, section: str, entry: Mapping[str, Any] | None) -> str:
    """Return a client's file with our entry set in its section; None removes it, and the section if then empty."""
    wanted = json.loads(text)
    root = skip(text, 0)
    there = member(text, root, section)
    if entry is not None:
        wanted.setdefault(section, {})[server.APP_NAME] = entry
        if there:
            text = with_member(text, there.value, server.APP_NAME, entry, 2)
        else:
            text = with_member(text, root, section, {server.APP_NAME: entry}, 1)
    elif there:
        del wanted[section][server.APP_NAME]
        text = without_member(text, there.value, server.APP_NAME)
        if not wanted[section]:
            del wanted[section]
            text = without_member(text, root, section)
    if json.loads(text) != wanted:
        # For example, the file contains a key twice.
        raise ValueError("it cannot be changed without changing something else")
    return text
