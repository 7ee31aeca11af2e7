"""Write `docs/tools.md`, each tool with its parameters, limits, errors and an example: `python -m scripts.tool_reference`.

Names, descriptions, parameters and limits are those that the server publishes; the examples are calls that it takes.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import chrome_tab_mcp_server as server

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tools.md"

# One call of each tool, with the arguments that show what it is for.
EXAMPLES: dict[str, dict[str, Any]] = {
    "process_chrome_tab": {"system_prompt": "Which fees does this contract name?", "content": "main"},
    "read_chrome_tab": {"start": "Termination", "end": "Liability", "max_chars": 5_000},
    "look_at_chrome_tab": {"question": "Which month has the highest bar?", "selector": "#chart"},
    "chrome_tab_status": {},
    "process_chrome_tabs": {"tab_ids": [12, 15], "system_prompt": "Which of them is cheaper in all?"},
    "browser_get_tabs": {},
    "browser_create_tab": {"url": "https://example.com/", "background": True},
    "browser_attach_tab": {"tab_id": 12, "reason": "to fill in the form that you asked for"},
    "browser_close_tab": {"tab_id": 12},
    "list_tabs": {},
    "getDataLayer": {"path": "$[?@.event=='purchase']"},
    "navigate": {"url": "https://example.com/orders"},
    "back": {},
    "forward": {},
    "page_elements": {"find": "cart"},
    "screenshot": {"name": "invoice", "selector": "#total"},
    "evaluate": {"code": "document.querySelectorAll('tr').length"},
    "console_logs": {"max": 20},
    "network_requests": {"filter": "collect"},
    "click": {"selector": "text=Add to cart"},
    "press": {"keys": 'Control+A "New York" Enter', "selector": "#city"},
    "drag": {"source": "#card-3", "target": "#done"},
    "scroll": {"to": "bottom"},
    "wait_for": {"text": "Your order", "timeout": 5_000},
    "hover": {"selector": "#menu"},
    "fill": {"selector": "[name=email]", "value": "ada@example.com"},
    "fill_form": {"fields": [{"selector": "#name", "value": "Ada"}, {"selector": "#news", "value": False}]},
    "upload": {"selector": "#photo", "paths": ["~/Pictures/cat.png"]},
    "select": {"selector": "#size", "value": "Large"},
}

MODEL = ("MODEL_UNREACHABLE", "MODEL_NOT_FOUND", "MODEL_TIMEOUT", "MODEL_ERROR", "MODEL_EMPTY", "RATE_LIMITED")
READING = ("NO_BROWSER", "PERMISSION_DENIED", "UNREADABLE_PAGE", "EMPTY_PAGE", "KEYWORD_NOT_FOUND", "HOST_BLOCKED")
BRIDGE = ("EXTENSION_NOT_CONNECTED", "COMMAND_TIMEOUT", "RATE_LIMITED")
TAB = (*BRIDGE, "TAB_NOT_FOUND", "TAB_DISCONNECTED", "HOST_BLOCKED")
ATTACHED = (*TAB, "TAB_NOT_ATTACHED", "AMBIGUOUS_TAB", "UNREADABLE_PAGE")
ELEMENT = (*ATTACHED, "INVALID_SELECTOR", "ELEMENT_NOT_FOUND", "EXECUTION_ERROR")
# What each tool can end with, beside INVALID_ARGUMENT, which all of them say for a wrong argument.
ERRORS: dict[str, tuple[str, ...]] = {
    "process_chrome_tab": (*READING, *BRIDGE[:2], *MODEL),
    "read_chrome_tab": (*READING, *BRIDGE),
    "look_at_chrome_tab": (*ELEMENT, *MODEL[:-1]),
    "chrome_tab_status": (),
    "process_chrome_tabs": (*READING[2:], *BRIDGE[:2], "TAB_NOT_FOUND", *MODEL),
    **dict.fromkeys(("browser_get_tabs", "list_tabs"), BRIDGE),
    "browser_create_tab": (*BRIDGE, "NAVIGATION_FAILED", "HOST_BLOCKED"),
    "browser_attach_tab": (*TAB, "ATTACH_DENIED"),
    "browser_close_tab": TAB,
    "getDataLayer": (*ATTACHED, "DATALAYER_NOT_FOUND", "PRIVATE_NOT_ALLOWED"),
    **dict.fromkeys(("navigate", "back", "forward"), (*ATTACHED, "NAVIGATION_FAILED")),
    **dict.fromkeys(("console_logs", "network_requests"), ATTACHED),
    "evaluate": (*ATTACHED, "EVALUATE_NOT_ALLOWED", "EXECUTION_ERROR"),
    "upload": (*ELEMENT, "FILE_NOT_ALLOWED"),
}


def kind_of(schema: dict[str, Any]) -> str:
    """Return what a value may be, in words."""
    match schema:
        case {"enum": options}:
            return " or ".join(f"`{option}`" for option in options)
        case {"anyOf": schemas}:
            return " or ".join(map(kind_of, schemas))
        case {"items": item}:
            return f"list of {kind_of(item)}"
        case {"properties": properties}:
            return "{" + ", ".join(f"{name}: {kind_of(each)}" for name, each in properties.items()) + "}"
        case _:
            kind = str(schema.get("type", "any"))
            return {"string": "text", "integer": "whole number", "boolean": "true or false"}.get(kind, kind)


def limits_of(schema: dict[str, Any]) -> str:
    """Return a value's limits in words, also those that the list of tools leaves out."""
    bounds = {**schema, **schema.get("unlisted", {})}
    said = [
        f"{words} {bounds[key]:,}{unit}"
        for key, words, unit in (
            *(("minimum", "at least", ""), ("maximum", "at most", "")),
            *(("maxLength", "at most", " characters"), ("minItems", "at least", ""), ("maxItems", "at most", "")),
        )
        if key in bounds
    ]
    return ", ".join([*said, *([f"default `{json.dumps(schema['default'])}`"] if "default" in schema else [])])


def section(tool: Any) -> list[str]:
    """Return what is said about one tool."""
    table = server.extension_commands().get(tool.name, {}).get("parameters", {})
    required = tool.parameters.get("required", ())
    rows = [
        f"| `{name}`{' (required)' if name in required else ''} | {kind_of(schema)} | "
        f"{schema.get('description', '')} | {limits_of(table.get(name, schema))} |"
        for name, schema in tool.parameters["properties"].items()
    ]
    parameters = ["| parameter | kind | what | limits |", "|---|---|---|---|", *rows] if rows else ["No parameters."]
    codes = dict.fromkeys(("INVALID_ARGUMENT", *ERRORS.get(tool.name, ELEMENT)))
    errors = ", ".join(f"`{code}`" for code in codes)
    call = json.dumps(EXAMPLES[tool.name])
    return [
        f"## {tool.name}",
        "",
        tool.description,
        "",
        *parameters,
        "",
        f"Example: `{call}`",
        "",
        f"Errors: {errors}.",
        "",
    ]


async def page() -> str:
    """Return `docs/tools.md`."""
    made = server.create_server(server.load_settings({}, need_model=False))
    tools = await made.list_tools(run_middleware=False)
    head = [
        "# Tool reference",
        "",
        "<!-- Written by `python -m scripts.tool_reference`; a test compares. -->",
        "",
        "Every parameter that is not marked as required may be left out. Without `tab_id` the reading tools take the active "
        "tab, the others the one attached tab. What each code means, and what to do, stands in "
        "[README](../README.md#troubleshooting).",
        "",
    ]
    return "\n".join([*head, *(line for tool in tools for line in section(tool))])


if __name__ == "__main__":
    PAGE.write_text(asyncio.run(page()), encoding="utf-8")
