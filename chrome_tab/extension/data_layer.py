"""The tool getDataLayer: select from a data layer that the extension has read, and cut the result to size.

The extension has already redacted private data.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from fastmcp.tools.base import ToolResult

import chrome_tab_mcp_server as server
from chrome_tab.bridge import protocol
from chrome_tab.extension import results


def found_by(path: str, values: list[Any]) -> dict[str, Any]:
    """Return what a JSONPath (RFC 9535) finds in the entries, or why it is invalid. Runs in `run_bounded`."""
    import jsonpath

    try:
        return {"found": jsonpath.findall(path, values)}
    except (jsonpath.JSONPathError, RecursionError) as error:
        # The lines after the first draw where the error is.
        return {"problem": str(error).partition("\n")[0][:400]}


async def select(path: str, values: list[Any]) -> list[Any]:
    """Return what a JSONPath finds in the entries; raise ChromeTabError if it is invalid or too expensive."""
    match await server.run_bounded("Applying path", found_by, path, values):
        case {"found": list(found)}:
            return found
        case about:
            problem = server.one_line(about["problem"])
            sentence = f"path is not a JSONPath: {problem}. For example $[*].event, or $[?@.event=='purchase']."
            raise server.ChromeTabError("INVALID_ARGUMENT", sentence)


async def data_layer_result(reply: Any, since: int | None, path: str | None) -> ToolResult:
    """Return the tool result for a data layer: the entries that `path` finds, or all."""
    match reply:
        case {"values": list(values), "since": int(), "total": int(), "redacted": dict()}:
            found = await select(path, values) if path else values
        case _:
            raise protocol.unreadable_reply("getDataLayer")
    # Measuring a large reply takes a while.
    return await asyncio.to_thread(fitted_result, reply, found, since, path)


def fitted_result(reply: dict[str, Any], found: list[Any], since: int | None, path: str | None) -> ToolResult:
    """Return the entries that fit (from `since` on, else the newest), and notes on omitted and redacted data."""
    first, total, all_redacted = reply["since"], reply["total"], reply["redacted"]
    notes = [
        *(server.one_line(str(note), 300) for note in (reply.get("notes") or [])[:20]),
        *results.dialog_notes(reply),
    ]
    room = server.MAX_ANSWER_CHARS - sum(len(note) + 4 for note in notes) - 1_000
    result = fitting_entries(found if since is not None else found[::-1], room)
    if since is None:
        result.reverse()
        first += len(found) - len(result)
    if path and len(result) < len(found):
        notes.append(f"only {len(result)} of {len(found)} matches fit: narrow path, or pass another since")
    elif not path:
        end = first + len(result)
        before = f"entries 0 to {first - 1} of {total} are left out: get them with since, or parts with path"
        after = f"entries {end} to {total - 1} are left out: get them with since={end}"
        notes += [before] * (since is None and first > 0) + [after] * (end < total)
    # A page may contain such markers itself: count no more than the extension has inserted.
    shown = server.compact_json(result)
    reported = {kind: min(count, shown.count(f"[{kind}]")) for kind, count in sorted(all_redacted.items())}
    redacted = {server.one_line(kind, 20): count for kind, count in reported.items() if count}
    if redacted:
        counts = ", ".join(f"{count} {kind}" for kind, count in redacted.items())
        notes.append(f"redacted: {counts} (redact=false shows them where the user allows it)")
    browser = {"browser": reply["browser"]} if reply.get("browser") else {}
    structured = {"result": result} | browser | ({"notes": notes} if notes else {})
    about = {"name": reply.get("name"), "total": total, "redacted": redacted}
    return ToolResult(server.compact_json(structured), structured_content=structured, meta={"receipt": about})


def fitting_entries(values: Iterable[Any], room: int) -> list[Any]:
    """Return the first values that fit into `room` characters of JSON; the first one is cut if it does not fit."""
    fitting: list[Any] = []
    for value in values:
        text = server.compact_json(value)
        room -= len(text) + 1
        if room < 0 and fitting:
            break
        # As a string: half an entry is not JSON.
        cut = text[: server.MAX_ANSWER_CHARS // 2] + "... [cut: get a part of it with path]"
        fitting.append(value if room >= 0 else cut)
    return fitting
