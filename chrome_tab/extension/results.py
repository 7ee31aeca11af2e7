"""Tool results built from the extension's replies."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

import mcp_types
from fastmcp.tools.base import ToolResult

import chrome_tab_mcp_server as server

MAX_LOG_MESSAGE_CHARS = 2_000
# Fields of a reply in addition to its value; `browser` is present if several are connected.
REMARKS = ("browser", "notes", "dialogs")


def with_plain_title(result: Mapping[str, Any], limit: int = server.MAX_SHOWN_CHARS) -> dict[str, Any]:
    """Return a description of a page with its title as one printable line of at most `limit` characters."""
    return {**result, "title": server.one_line(str(result["title"]), limit)} if "title" in result else {**result}


def acted(result: Mapping[str, Any]) -> ToolResult:
    """Return the result of an action: what was done and where that led, with long texts cut."""
    shown = shortened(result, server.MAX_SHOWN_CHARS)
    return json_result(shown, shown)


def value_result(value: Any, about: Mapping[str, Any]) -> ToolResult:
    """Return a value as JSON, and the extension's remarks about it as a second block."""
    remarks = {key: shortened(about[key], server.MAX_SHOWN_CHARS) for key in REMARKS if about.get(key)}
    result = json_result(value, {"result": value} | remarks)
    if remarks:
        result.content.append(mcp_types.TextContent(text=server.compact_json(remarks)))
    return result


def log_result(result: Mapping[str, Any]) -> ToolResult:
    """Return console messages or requests, newest first, as many as fit."""
    entries = shortened(result["entries"], MAX_LOG_MESSAGE_CHARS)
    sizes = itertools.accumulate(len(server.compact_json(entry)) + 1 for entry in entries)
    fitting = sum(1 for size in sizes if size < server.MAX_ANSWER_CHARS)
    notes = result["notes"]
    if fitting < len(entries):
        notes = [*notes, f"the oldest {len(entries) - fitting} of {len(entries)} entries are left out: too long"]
    return value_result(entries[:fitting], {**result, "notes": notes})


def json_result(value: Any, structured: Mapping[str, Any]) -> ToolResult:
    """Return a value as JSON text; if it is too long, it is cut and a second block says so."""
    text = server.compact_json(value)
    if len(text) <= server.MAX_ANSWER_CHARS:
        return ToolResult([mcp_types.TextContent(text=text)], structured_content=structured)
    left = f"[cut: {len(text) - server.MAX_ANSWER_CHARS:,} of {len(text):,} characters are left out; ask for less]"
    return ToolResult([mcp_types.TextContent(text=text[: server.MAX_ANSWER_CHARS]), mcp_types.TextContent(text=left)])


def shortened(value: Any, limit: int) -> Any:
    """Return a JSON value in which each string longer than `limit` is cut, with a note of how much."""
    match value:
        case str() if len(value) > limit:
            return f"{value[:limit]}... [{len(value) - limit:,} more characters]"
        case dict():
            return {key: shortened(item, limit) for key, item in value.items()}
        case list():
            return [shortened(item, limit) for item in value]
        case _:
            return value


def dialog_notes(reply: Mapping[str, Any]) -> list[str]:
    """Return sentences about the dialogs that a page opened while a command ran, and how they were answered."""
    dialogs = [dialog for dialog in reply.get("dialogs") or [] if isinstance(dialog, dict)]
    return [
        server.one_line(
            f"the page's {dialog.get('type')} {json.dumps(dialog.get('message'))} was {dialog.get('answer')}", 300
        )
        for dialog in dialogs
    ]
