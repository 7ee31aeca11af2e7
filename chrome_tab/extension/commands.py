"""The extension's commands as tools: names, schemas, and validation of arguments."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Required

from mcp_types import ToolAnnotations
from pydantic import ConfigDict, Field, FiniteFloat, TypeAdapter
from typing_extensions import TypedDict

import chrome_tab_mcp_server as server
from chrome_tab.bridge.command_table import extension_commands

# The tool annotations for each `hint` in commands.json, and JSON Schema keywords mapped to pydantic's constraints.
HINTS = {
    "reads": server.READ_ONLY,
    "changes": ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True),
    "destroys": ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True),
}
PLAIN_TYPES = {
    "string": str,
    "integer": server.Integer,
    "number": Annotated[FiniteFloat, server.NotBoolean],
    "boolean": bool,
}
# `numbers`: clients may give a number instead of a text. `lists`: JSON text is a list, also where a text is accepted.
SCHEMA_LIMITS = {"minimum": "ge", "maximum": "le", "numbers": "coerce_numbers_to_str"} | {
    f"{edge}{what}": f"{edge}_length" for edge in ("min", "max") for what in ("Length", "Items")
}


# Keys of a parameter in commands.json that clients need not see.
NOT_LISTED = {"unlisted", "form", "for"}


def listed_schema(value: Any) -> Any:
    """Return a schema for clients; limits that no call reaches are omitted, to save context in every conversation."""
    match value:
        case dict():
            return {key: listed_schema(item) for key, item in value.items() if key not in NOT_LISTED}
        case list():
            return [listed_schema(item) for item in value]
        case _:
            return value


def published_names(settings: server.Settings) -> dict[str, str]:
    """Return the commands that clients see under a different name, with `tabId`: our name -> that name."""
    if settings.tool_names != "kapture":
        return {}
    return {command: about["kapture"] for command, about in extension_commands().items() if "kapture" in about}


@functools.cache
def arguments_of(command: str) -> TypeAdapter[dict[str, Any]]:
    """Return the validator for a command's arguments."""
    about = extension_commands()[command]
    checked: Any = object_type(about["parameters"], about.get("required", ()))
    checked.__pydantic_config__ = ConfigDict(extra="forbid")
    return TypeAdapter(checked)


def object_type(properties: Mapping[str, Any], required: Sequence[str]) -> Any:
    """Return the type that validates an object with these properties."""
    kinds = {name: type_of(schema) for name, schema in properties.items()}
    fields: Any = {name: Required[kind] if name in required else kind for name, kind in kinds.items()}
    return TypedDict("Arguments", fields, total=False)  # pyright: ignore[reportArgumentType]


def type_of(schema: Mapping[str, Any]) -> Any:
    """Return the type that validates a value against a JSON Schema."""
    schema = {**schema, **schema.get("unlisted", {})}
    match schema:
        case {"enum": options}:
            kind: Any = Literal[tuple(options)]
        case {"anyOf": schemas}:
            kind = functools.reduce(operator.or_, map(type_of, schemas))
            kind = Annotated[kind, server.FromText] if schema.get("lists") else kind
        case {"items": item}:
            kind = Annotated[list[type_of(item)], server.FromText]
        case {"properties": properties}:
            kind = Annotated[object_type(properties, schema["required"]), server.FromText]
        case _:
            kind = PLAIN_TYPES[schema["type"]]
    return Annotated[
        kind, Field(**{SCHEMA_LIMITS[key]: limit for key, limit in schema.items() if key in SCHEMA_LIMITS})
    ]
