"""The extension's commands, as `extension/shared/commands.json` describes them."""

from __future__ import annotations

import functools
import json
from typing import Any

import chrome_tab_mcp_server as server

COMMANDS_FILE = server.EXTENSION / "shared" / "commands.json"


@functools.cache
def extension_commands() -> dict[str, dict[str, Any]]:
    """Return the extension's commands that are tools, by name: `hint`, `description`, `parameters` and so on.

    Parameters are JSON Schemas. The file defines shared parts once, and refers to them with `$ref`.
    """
    table = json.loads(COMMANDS_FILE.read_text(encoding="utf-8"))

    def whole(value: Any) -> Any:
        match value:
            case {"$ref": name, **rest}:
                return whole(table["shared"][name]) | rest
            case dict():
                return {key: whole(item) for key, item in value.items()}
            case list():
                return [whole(item) for item in value]
            case _:
                return value

    return {
        name: about
        | {"parameters": {key: each for key, each in about["parameters"].items() if each.get("for") != "extension"}}
        for name, about in whole(table["commands"]).items()
        if about.get("tool", True)
    }


def only_reads(command: str) -> bool:
    """Return whether a command is read-only, so that it can safely run twice."""
    return command == "read_tab" or extension_commands()[command]["hint"] == "reads"


def needs_attached_tab(command: str) -> bool:
    """Return whether a command without `tab_id` targets the one attached tab instead of the tab that the user views."""
    return extension_commands().get(command, {}).get("consent", "paired") != "paired"
