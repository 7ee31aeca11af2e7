"""Write the reference pages from the code: `python -m scripts.reference`.

`docs/tools.md` lists each tool with its parameters, limits, errors and an example, `docs/errors.md` each error code
with its sentences. In other documents the tables between `<!-- NAME, by scripts.reference -->` and `<!-- end -->` are
written: settings, alternative names, commands, limits. Names, descriptions, parameters, defaults and limits are taken
from the code; the examples are valid calls.
"""

import asyncio
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import protocol
from chrome_tab.bridge.command_table import extension_commands
from chrome_tab.extension import commands
from scripts.error_sentences import EXTENSION, ROOT, errors_page

TABLE = re.compile(r"(<!-- (\w+), by scripts\.reference -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)

# One call of each tool, with arguments that show its purpose.
EXAMPLES: dict[str, dict[str, Any]] = {
    "process_chrome_tab": {"system_prompt": "Which fees does this contract name?", "content": "main"},
    "read_chrome_tab": {"start": "Termination", "end": "Liability", "max_chars": 5_000},
    "look_at_chrome_tab": {"question": "Which month has the highest bar?", "selector": "#chart"},
    "chrome_tab_status": {},
    "process_chrome_tabs": {"tab_ids": [12, 15], "system_prompt": "Which of them is cheaper in total?"},
    "browser_get_tabs": {},
    "browser_create_tab": {"url": "https://example.com/", "background": True},
    "browser_attach_tab": {"tab_id": 12, "reason": "to fill in the form that you asked for"},
    "browser_close_tab": {"tab_id": 12},
    "list_tabs": {},
    "highlight_in_tab": {"text": "may end the agreement with 30 days' notice"},
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

# What the list of tools has no room for: parameters that a client understands without it, and peculiarities of a tool.
PARAMETERS = {
    "tab_id": "which tab",
    "model": "another model for this question",
    "content": "`main`: without menus, footers and invisible text",
    "evidence": "add the passage that supports each sentence",
    "quick": "read only the excerpts that match system_prompt",
    "offset": "where to continue",
    "max_chars": "maximum length of one reply",
    "question": "what to find out",
    "selector": "only this element: CSS, xpath=... or text=...",
    "tab_ids": "which tabs",
    "reason": "shown to the user",
    "background": "do not bring the new tab to the front",
    "code": "JavaScript",
    "value": "the new value of the field",
    "max": "maximum number",
    "fields": "`value` is a text, a list of options, or `true` or `false` for a checkbox or radio button",
    "paths": "files below `--upload-folder`",
    "button": "mouse button",
    "text": "text that must appear",
    "gone": "text that must disappear",
    "start": "only after this text",
    "end": "only before this text",
}
NOTES = {
    "process_chrome_tab": "Without `system_prompt` the answer is a general analysis. [What is read, and what an answer contains](asking.md).",
    "read_chrome_tab": "Returns 20,000 characters at a time.",
    "look_at_chrome_tab": "The model is `model`, else `--vision-model`, else `--model`. [Vision models](asking.md#vision-models).",
    "chrome_tab_status": "Returns one line for each layer (browser, permission, extension, bridge, model, context window): `ok`, or how to fix it.",
    "process_chrome_tabs": "If one tab fails, the others are still answered. On a Mac it works without the extension.",
    "browser_get_tabs": "On a Mac, while no extension is connected, AppleScript lists the tabs of the browser set with `--browser`. "
    "[Tab ids on a Mac](install.md#browsers).",
    "browser_attach_tab": "The prompt shows the client's name, the tab and the first 200 characters of the reason. The call ends when the user "
    "allows or denies it, or after 60 s.",
    "getDataLayer": "`name` reads a global other than `window.dataLayer`; `path` is a JSONPath, `since` skips older entries. The tool returns the "
    "newest entries that fit into 40,000 characters, with a note on how to get the rest. Private values are "
    "[redacted](driving.md#private-values) and counted; `redact=false` shows them only where the user allows that.",
    "page_elements": "Each line is one element, with a selector for the other tools. `find` searches for words, `within` limits the list to "
    "a part of the page, `offset` continues the list. [Looking first](driving.md#looking-first).",
    "click": "Clicks the first element that matches. A double-click selects a word, a triple-click a line. `at` is a point in "
    "the element.",
    "press": "`keys` contains names and chords separated by spaces (`Control+A Delete`, "
    '`Shift+Tab`, `ArrowDown`), and text in quotes, which is typed key by key (`"New York" ArrowDown Enter`). '
    "The page gets the keys, the browser does not: its own shortcuts, such as `F5` and `Control+W`, do nothing.",
    "drag": "Drags with the mouse or with the page's own drag and drop, for example sliders, sortable lists and files. `source_at` and "
    "`target_at` are points in the two elements; without a target, `target_at` is measured from the source.",
    "scroll": "Scrolls an element into view, or with `to` scrolls the element or the page: `top`, `bottom`, `left`, `right` or a number "
    "of pixels down. The reply gives the resulting position and the total size.",
    "wait_for": "Waits until all of the given conditions hold: a text is shown, a text is gone, an element is visible. If the page "
    "navigates, it continues on the next page.",
    "highlight_in_tab": "Highlights the text in the page, or in the first frame that shows it. Whitespace, cell borders and Markdown are "
    "ignored. The page itself is not changed. Pressing Escape, the next highlight, or an empty text removes the highlight.",
    "fill_form": "All fields are checked before the first one is written. A hidden or disabled field, or one whose list does not have the option yet, "
    "may follow the one that it depends on: then it is checked when its turn comes, and an error names the fields that were written "
    "before. If the page does not keep a value, the error lists the current value of every field.",
    "upload": "The browser gets a private copy of each file. [What may be uploaded](troubleshooting.md#file_not_allowed).",
    "screenshot": "`width` and `height` show the page as in a window of that size. [Screenshots](driving.md#screenshots).",
    "network_requests": "Lists the requests since the tab was attached: method, status, type, size in bytes, time in ms, URL. `filter` is "
    "a type (`xhr`, `fetch`, `document` ...) or a part of the URL. `body_of`, the id of a request, adds its response as text. "
    "Analytics hits (`/g/collect` and others) are listed as names and values. Headers are not shown; everything else is "
    "[redacted](driving.md#private-values).",
    "evaluate": "[Where JavaScript may run](driving.md#javascript).",
}

MODEL = ("MODEL_UNREACHABLE", "MODEL_NOT_FOUND", "MODEL_TIMEOUT", "MODEL_ERROR", "MODEL_EMPTY", "RATE_LIMITED")
READING = (
    *("NO_BROWSER", "TAB_NOT_FOUND", "TAB_DISCONNECTED", "PERMISSION_DENIED", "HOST_BLOCKED"),
    *("UNREADABLE_PAGE", "EMPTY_PAGE", "KEYWORD_NOT_FOUND"),
)
BRIDGE = ("EXTENSION_NOT_CONNECTED", "COMMAND_TIMEOUT", "RATE_LIMITED")
TAB = (*BRIDGE, "TAB_NOT_FOUND", "TAB_DISCONNECTED", "HOST_BLOCKED")
ATTACHED = (*TAB, "TAB_NOT_ATTACHED", "AMBIGUOUS_TAB", "UNREADABLE_PAGE")
ELEMENT = (*ATTACHED, "INVALID_SELECTOR", "ELEMENT_NOT_FOUND", "EXECUTION_ERROR")
# The codes that each tool can return, in addition to INVALID_ARGUMENT for a wrong argument.
ERRORS: dict[str, tuple[str, ...]] = {
    "process_chrome_tab": (*READING, *BRIDGE[:2], *MODEL),
    "read_chrome_tab": (*READING, *BRIDGE),
    "look_at_chrome_tab": (*ELEMENT, "PERMISSION_DENIED", *MODEL[:-1]),
    "chrome_tab_status": (),
    "process_chrome_tabs": (*READING, *BRIDGE[:2], *MODEL),
    "browser_get_tabs": (*BRIDGE, "NO_BROWSER", "PERMISSION_DENIED", "HOST_BLOCKED", "EXECUTION_ERROR"),
    "list_tabs": BRIDGE,
    "highlight_in_tab": (*TAB, "KEYWORD_NOT_FOUND", "UNREADABLE_PAGE", "EXECUTION_ERROR"),
    "browser_create_tab": (*BRIDGE, "NAVIGATION_FAILED", "HOST_BLOCKED"),
    "browser_attach_tab": (*TAB, "ATTACH_DENIED"),
    "browser_close_tab": TAB,
    "getDataLayer": (*ATTACHED, "DATALAYER_NOT_FOUND", "PRIVATE_NOT_ALLOWED"),
    **dict.fromkeys(("navigate", "back", "forward"), (*ATTACHED, "NAVIGATION_FAILED")),
    **dict.fromkeys(("console_logs", "network_requests"), ATTACHED),
    "evaluate": (*ATTACHED, "EVALUATE_NOT_ALLOWED", "EXECUTION_ERROR"),
    "upload": (*ELEMENT, "FILE_NOT_ALLOWED"),
    **dict.fromkeys(("fill", "fill_form", "select"), (*ELEMENT, "VALUE_NOT_KEPT")),
}


def kinds_of(schema: dict[str, Any]) -> list[str]:
    """Return the kinds of value that a schema allows, in words."""
    match schema:
        case {"enum": options}:
            return [f"`{option}`" for option in options]
        case {"anyOf": schemas}:
            return [kind for each in schemas for kind in kinds_of(each)]
        case {"items": item}:
            of_words = item.get("type") in {"string", "integer", "number"}
            return [f"list of {kind_of(item)}{'s' if of_words else ''}"]
        case {"properties": properties}:
            return ["{" + ", ".join(f"{name}: {kind_of(each)}" for name, each in properties.items()) + "}"]
        case _:
            kind = str(schema.get("type", "any"))
            return [{"array": "list"}.get(kind, kind)]


def kind_of(schema: dict[str, Any]) -> str:
    """Return what a value may be, in words: "a", "a or b", "a, b or c"."""
    *others, last = kinds_of(schema)
    return f"{', '.join(others)} or {last}" if others else last


def limits_of(schema: dict[str, Any]) -> str:
    """Return a value's limits in words, including those that the list of tools leaves out."""
    bounds = {**schema, **schema.get("unlisted", {})}
    if bounds.get("minItems", 0) == bounds.get("maxItems"):
        return f"exactly {bounds['maxItems']}"
    limits = [
        f"{words} {bounds[key]:,}{unit}"
        for key, words, unit in (
            *(("minimum", "at least", ""), ("maximum", "at most", "")),
            *(("maxLength", "at most", " characters"), ("minItems", "at least", ""), ("maxItems", "at most", "")),
        )
        if key in bounds
    ]
    return ", ".join([*limits, *([f"default `{json.dumps(schema['default'])}`"] if "default" in schema else [])])


def section(tool: Any) -> list[str]:
    """Return the section about one tool."""
    table = extension_commands().get(tool.name, {}).get("parameters", {})
    required = tool.parameters.get("required", ())
    rows = [
        f"| `{name}`{' (required)' if name in required else ''} | {kind_of(schema)} | "
        f"{schema.get('description') or PARAMETERS.get(name, '')} | {limits_of(table.get(name, schema))} |"
        for name, schema in tool.parameters["properties"].items()
    ]
    parameters = ["| parameter | type | meaning | limits |", "|---|---|---|---|", *rows] if rows else ["No parameters."]
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
    made = app.create_server(server.load_settings({}, need_model=False))
    tools = await made.list_tools(run_middleware=False)
    head = [
        "# Tool reference",
        "",
        "<!-- Written by `python -m scripts.reference`; a test compares. -->",
        "",
        "Parameters that are not marked as required are optional. Without `tab_id` the reading tools use the active tab, and "
        "the other tools the only attached one. [Troubleshooting](troubleshooting.md#by-code) explains each error code.",
        "",
    ]
    return "\n".join([*head, *(line for tool in tools for line in section(tool))])


# --- Tables in other documents ---

# The meaning of a setting, for the documents: with links, which the command line's help lacks.
SETTINGS = {
    "OLLAMA_BASE_URL": "model server, with or without a trailing `/` or `/v1`",
    "OLLAMA_MODEL": "model name",
    "CHROME_TAB_FALLBACK_MODELS": "tried in order when the model is missing or fails",
    "OLLAMA_API_KEY": "sent as a bearer token, never logged",
    "CHROME_TAB_TIMEOUT_S": "seconds for one model answer",
    "CHROME_TAB_MAX_SECONDS": "seconds for a whole answer: at the limit the answer covers what was read so far, and its last line says what is missing",
    "CHROME_TAB_CONTEXT_LENGTH": "size of the model's context window, in tokens",
    "CHROME_TAB_REQUESTS_PER_MINUTE": "model requests a minute: a request above the limit waits, or fails with `RATE_LIMITED` if it would wait more than 30 s",
    "CHROME_TAB_PARALLEL": "how many chunks of a long page the model reads at the same time",
    "CHROME_TAB_SOURCE": "`auto`, `applescript`, `extension`",
    "CHROME_TAB_BROWSER": "the [browser](install.md#browsers) that AppleScript reads on a Mac: `auto` is the frontmost running one of `Google Chrome`, `Google Chrome Beta`, `Google Chrome Dev`, `Google Chrome Canary`, `Chromium`, `Brave Browser`, `Microsoft Edge`, `Vivaldi`, `Opera`, `Arc`, `Safari`, or else Chrome",
    "CHROME_TAB_CLIPBOARD": "also copy the text to the clipboard (AppleScript)",
    "CHROME_TAB_TRANSPORT": "`stdio`, `http`, `sse`: [one server for every client](http.md)",
    "CHROME_TAB_PORT": "loopback port for the extension",
    "CHROME_TAB_UPLOAD_FOLDERS": "folder (with its subfolders) from which `upload` may take files",
    "CHROME_TAB_OPEN": "serve HTTP without a bearer key, on this machine only",
    "CHROME_TAB_TOOL_NAMES": "`default`, or `kapture`: [other names](driving.md#other-names) for the tools that drive a page",
    "CHROME_TAB_VISION_MODEL": "[vision model](asking.md#vision-models); `--model` if it is not set",
    "CHROME_TAB_HISTORY": "store questions, answers and receipts [on this machine](asking.md#history)",
    "CHROME_TAB_CONFIG": "TOML file: defaults, `tools`, `[sites]`, `[browsers]`, `[extract]`",
}
DEFAULTS = {"OLLAMA_BASE_URL": "**required**", "OLLAMA_MODEL": "**required**"} | {
    "CHROME_TAB_CONTEXT_LENGTH": "reported by the model server",
    "CHROME_TAB_CONFIG": "`config.toml` in your configuration folder",
}


def settings_table() -> list[str]:
    """Return a row for each setting that has a flag."""
    rows = ["| flag | environment | default | meaning |", "|---|---|---|---|"]
    for name, field in server.Settings.model_fields.items():
        if not (variable := server.environment_name(name)):
            continue
        flag = server.flag_of(name)
        is_list = isinstance(field.default, list)
        flags = (
            f"`{flag}`, `--no-{flag[2:]}`"
            if field.annotation is bool and name in {"clipboard", "history"}
            else f"`{flag}`"
        )
        default = field.default
        shown = "off" if default is False else "none" if default in (None, []) else str(default)
        shown = f"`{shown}`" if isinstance(default, str) else shown
        rows.append(
            f"| {flags}{' (repeatable)' if is_list else ''} | `{variable}`{' (comma-separated)' if is_list else ''} | "
            f"{DEFAULTS.get(variable, shown)} | {SETTINGS.get(variable, field.description)} |"
        )
    return rows


def names_table() -> list[str]:
    """Return a row for each tool that has an alternative name."""
    names = commands.published_names(server.load_settings({"tool_names": "kapture"}, need_model=False))
    return ["| tool | other name |", "|---|---|", *(f"| `{ours}` | `{other}` |" for ours, other in names.items())]


def commands_table() -> list[str]:
    """Return a row for each command of the protocol; optional parameters have a question mark."""
    rows = ["| command | consent | debugger | parameters | result |", "|---|---|---|---|---|"]
    for name, about in json.loads((EXTENSION / "shared" / "commands.json").read_text(encoding="utf-8"))[
        "commands"
    ].items():
        required = about.get("required", ())
        sent = (key for key, schema in about["parameters"].items() if key != "tab_id" and schema.get("for") != "server")
        params = ", ".join(f"`{key}{'' if key in required else '?'}`" for key in sent)
        rows.append(f"| `{name}` | {about['consent']} | {about['debugger']} | {params} | `{about['result']}` |")
    return rows


def constant(path: str, before: str) -> int:
    """Return a number that appears once in a file of the extension, written as a product or with separators."""
    (found,) = re.findall(rf"{before}([\d_* ]+)", (EXTENSION / path).read_text(encoding="utf-8"))
    return math.prod(int(factor) for factor in found.split("*"))


def limits_table() -> list[str]:
    """Return a row for each limit of the bridge, as server and extension have it."""
    mib, seconds = 1024 * 1024, 1000
    pdf_wait = constant("commands/read-tab.js", "const PDF_WAIT_MS = ") // seconds
    script_wait = int(re.findall(r"waitMs: (\d+)", server.SCRIPT.read_text(encoding="ascii"))[0]) // seconds
    limits = {
        "frame to the server": f"{protocol.MAX_FRAME_BYTES // mib} MiB",
        "frame to the extension": f"{protocol.MAX_COMMAND_BYTES // mib} MiB",
        "page text": f"{constant('page/read-page.js', 'const MAX_TEXT_BYTES = ') // mib} MiB of UTF-8; more is `UNREADABLE_PAGE`",
        "PDF": f"{constant('page/pdf/pdf-text.js', 'const MAX_BYTES = ') // mib} MiB "
        f"({constant('commands/read-tab.js', 'const MAX_FILE_BYTES = ') // mib} MiB from a disk), {pdf_wait} s "
        f"({script_wait} s by AppleScript)",
        "handshake": f"{protocol.HANDSHAKE_TIMEOUT_S:g} s",
        "command": f"{constant('background/router.js', 'const COMMAND_TIMEOUT_MS = ') // seconds} s in the extension, "
        f"{protocol.COMMAND_TIMEOUT_S:g} s in the server",
        "answer to a consent prompt": f"{protocol.ANSWER_TIMEOUT_S:g} s, on top of the command's",
        "console of a tab": f"the newest {constant('browser/debugger/console-log.js', 'const MAX_ENTRIES = '):,} messages of at most "
        f"{constant('browser/debugger/console-log.js', 'const MAX_MESSAGE_LENGTH = '):,} characters",
        "requests of a tab": f"the newest {constant('browser/debugger/network-log.js', 'const MAX_REQUESTS = '):,} with addresses of at most "
        f"{constant('browser/debugger/network-log.js', 'const MAX_URL_LENGTH = '):,} characters, and "
        f"{constant('commands/network.js', 'const MAX_BODY_LENGTH = '):,} characters of a body",
        "list of elements": f"{constant('page/interaction/element-list.js', 'const MAX_TEXT = '):,} characters",
        "screenshot": f"{constant('commands/screenshot.js', 'const MAX_DATA_LENGTH = '):,} characters of base64, "
        f"{constant('commands/screenshot.js', 'const MAX_SIDE = '):,} pixels a side",
        "value of `evaluate`": f"{constant('commands/evaluate.js', 'total: '):,} bytes",
    }
    return ["| what | limit |", "|---|---|", *(f"| {what} | {limit} |" for what, limit in limits.items())]


TABLES: dict[str, Callable[[], list[str]]] = {
    "settings": settings_table,
    "names": names_table,
    "commands": commands_table,
    "limits": limits_table,
}


async def pages() -> dict[Path, str]:
    """Return each page that contains something written here, with its correct content."""
    texts = {path: path.read_text(encoding="utf-8") for path in [ROOT / "DESIGN.md", *(ROOT / "docs").rglob("*.md")]}
    written = {
        path: TABLE.sub(lambda found: found[1] + "\n".join(TABLES[found[2]]()) + found[3], text)
        for path, text in texts.items()
        if TABLE.search(text)
    }
    return written | {ROOT / "docs" / "tools.md": await page(), ROOT / "docs" / "errors.md": errors_page()}


def main() -> None:
    for path, text in asyncio.run(pages()).items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
