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

# What the list of tools has no room for: parameters that explain themselves to a client, and what is special about a tool.
PARAMETERS = {
    "tab_id": "which tab",
    "model": "another model for this question",
    "content": "`main`: without menus, footers and what nobody sees",
    "offset": "where to go on",
    "max_chars": "how much at once",
    "question": "what to find out",
    "selector": "only this element: CSS, xpath=... or text=...",
    "tab_ids": "which tabs",
    "reason": "what the person is told",
    "background": "the tab in front stays there",
    "code": "JavaScript",
    "value": "what the field is to hold",
    "max": "how many",
    "fields": "a text, options, or true and false for what can be checked",
    "paths": "files below `--upload-folder`",
    "start": "only after this text",
    "end": "only before this text",
}
NOTES = {
    "process_chrome_tab": "Without `system_prompt` the answer is a general analysis. [What is read, and what an answer holds](asking.md).",
    "read_chrome_tab": "20,000 characters at a time, for when the exact wording matters.",
    "look_at_chrome_tab": "A picture goes to your local vision model, and only its words come back. [Pictures](asking.md#pictures).",
    "chrome_tab_status": "One line for each layer (browser, permission, extension, bridge, model, window): ok, or how to mend it.",
    "process_chrome_tabs": "A tab that fails does not stop the others. On a Mac it needs no extension.",
    "browser_get_tabs": "On a Mac AppleScript lists them while no extension is connected: of the browser that `--browser` "
    "means. [Tab ids there](install.md#browsers).",
    "browser_attach_tab": "They see the client's name, the tab and the reason, and allow or deny it; the call ends with that, or after 60 s.",
    "getDataLayer": "`name` may be another global than `window.dataLayer`; `path` is a JSONPath, `since` skips entries. The newest that "
    "fit into 40,000 characters come back, with a note on how to get the rest. What is private is "
    "[redacted](driving.md#private-values) and counted; `redact=false` shows it only where the person allows that.",
    "page_elements": "One line an element, each with a selector for the other tools. `find` looks for words, `within` in a part of the "
    "page, `offset` goes on. [Looking first](driving.md#looking-first).",
    "click": "The mouse, on the first element that matches: two clicks select a word, three a line. `at` is a point in the element, "
    "`[x, y]` in CSS pixels from its top left corner.",
    "press": "Keys, in an element or where the focus is: names and chords with blanks between them (`Control+A Delete`, `Shift+Tab`, "
    '`ArrowDown`), and text in quotes, which is typed key by key (`"New York" ArrowDown Enter`).',
    "drag": "By the mouse or as the page's own drag and drop: sliders, sorted lists, files of a page. `source_at` and `target_at` are "
    "points in them; without a target `target_at` is measured from the source.",
    "scroll": "Brings an element into view; with `to` scrolls it or the page: `top`, `bottom`, `left`, `right` or a number of pixels "
    "down. The reply says where that is and how much there is.",
    "wait_for": "All that is named must hold: a text is shown, a text is gone, an element is visible; also on the page that follows.",
    "fill_form": "Nothing is written unless every field can be.",
    "upload": "For a field, or for the button that asks for files.",
    "screenshot": "What the tab shows, one element, or the page in a window of the given size. [Screenshots](driving.md#screenshots).",
    "network_requests": "Since the tab was attached: method, status, type, size in bytes, time in ms, address. `filter` is a type "
    "(`xhr`, `fetch`, `document` ...) or a text of the address; `body_of`, the id of one, adds its response as text. Hits of "
    "analytics (`/g/collect` and others) come as names and values. Headers are not shown; the rest is "
    "[redacted](driving.md#private-values).",
    "evaluate": "[Where it may run](driving.md#javascript).",
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
    "process_chrome_tabs": (*READING, *BRIDGE[:2], "TAB_NOT_FOUND", *MODEL),
    "browser_get_tabs": (*BRIDGE, *READING[:2], "EXECUTION_ERROR"),
    "list_tabs": BRIDGE,
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
        f"{schema.get('description') or PARAMETERS.get(name, '')} | {limits_of(table.get(name, schema))} |"
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
        *([NOTES[tool.name], ""] if tool.name in NOTES else []),
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
        "[troubleshooting](troubleshooting.md#by-code).",
        "",
    ]
    return "\n".join([*head, *(line for tool in tools for line in section(tool))])


if __name__ == "__main__":
    PAGE.write_text(asyncio.run(page()), encoding="utf-8")
