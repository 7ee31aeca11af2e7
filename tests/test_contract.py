"""The parts agree: names that stand in several files are the same in all of them."""

import base64
import hashlib
import json
import math
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import chrome_tab_mcp_server as server

ROOT = Path(server.__file__).parent


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def manifest() -> dict[str, Any]:
    return json.loads(read("extension/manifest.json"))


def script_head() -> dict[str, Any]:
    """The inline metadata of the server's file."""
    head = re.search(r"^# /// script\n(.*?)^# ///$", read("chrome_tab_mcp_server.py"), re.MULTILINE | re.DOTALL)
    assert head
    return tomllib.loads(re.sub(r"^# ?", "", head[1], flags=re.MULTILINE))


# --- Error codes ---


def test_the_error_codes_of_server_extension_and_troubleshooting_are_the_same_in_the_same_order() -> None:
    in_javascript = re.search(r"ERROR_CODES = .*?\(\[(.*?)\]\)", read("extension/shared/errors.js"), re.DOTALL)
    assert in_javascript
    codes = list(server.ERROR_CODES)

    assert len(codes) == len(set(codes)) == 28
    assert re.findall(r'"([A-Z_]+)"', in_javascript[1]) == codes
    assert re.findall(r"^### ([A-Z_]+)\n\n[^#\n]", read("docs/troubleshooting.md"), re.MULTILINE) == codes


def test_every_code_that_is_raised_is_one_of_them() -> None:
    raised = set(re.findall(r'ChromeTabError\(\s*"([A-Z_]+)"', read("chrome_tab_mcp_server.py")))
    raised |= {code for code, _ in server.APPLE_EVENT_ERRORS.values()} | set(server.SCRIPT_CODES.values())
    thrown = {
        code
        for path in (ROOT / "extension").rglob("*.js")
        for code in re.findall(r'CommandError\(\s*"([A-Z_]+)"', path.read_text(encoding="utf-8"))
    }

    assert len(raised) > 10
    assert thrown
    assert raised | thrown <= set(server.ERROR_CODES)


# --- Identity ---


def test_the_extensions_id_follows_from_its_key() -> None:
    digest = hashlib.sha256(base64.b64decode(manifest()["key"], validate=True)).hexdigest()[:32]

    assert "".join(chr(ord("a") + int(digit, 16)) for digit in digest) == server.EXTENSION_IDS[0]


def test_server_extension_and_changelog_have_the_same_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", read("CHANGELOG.md"), re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]

    assert manifest()["version"] == server.__version__
    assert headings
    assert released[:1] in ([], [server.__version__])


def test_the_numbers_of_the_script_are_those_that_the_server_knows() -> None:
    numbers = dict(re.findall(r"^property ([A-Z_]+) : (\d+)$", read("chrome_tab.scpt"), re.MULTILINE))

    assert {int(number): name for name, number in numbers.items()} == server.SCRIPT_CODES


# --- Commands and tools ---

READING_COMMANDS = {"read_tab", "browser_get_tabs", "list_tabs", "getDataLayer", "page_elements", "screenshot"} | {
    "console_logs",
    "network_requests",
    "wait_for",
}
# What the server does itself, before it sends a command or after it has the reply.
SERVER_ONLY = {"screenshot": {"name"}, "getDataLayer": {"path"}}
# What no client has to set.
EXTENSION_ONLY = {"evaluate": {"timeout"}, "read_tab": {"links"}, "screenshot": {"format"}}
# What is read for every command that says so, and where.
READ_FOR_ALL = "worker/debugger-uses.js"


def extension_commands() -> dict[str, set[str]]:
    """The parameters of each command: by the table, and by what the function behind it says that it reads."""
    functions: dict[str, set[str]] = {}
    shared = read(f"extension/{READ_FOR_ALL}")
    for path in (ROOT / "extension" / "commands").glob("*.js"):
        text = path.read_text(encoding="utf-8")
        code = re.sub(r"/\*\*.*?\*/", "", text + shared, flags=re.DOTALL)
        for comment, name in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*export async function (\w+)", text, re.DOTALL):
            said = re.search(r"context `params`:(.*?)(?:\n \* @|$)", comment, re.DOTALL)
            functions[name] = set(re.findall(r"`(\w+)`", said[1])) if said else set()
            assert all(re.search(rf"\b{param}\b", code) for param in functions[name]), f"{name} does not read them"
    table = re.search(
        r"export const commands = \{(.*?)^\};", read("extension/commands/index.js"), re.MULTILINE | re.DOTALL
    )
    assert table
    return {
        command: functions[function]
        for command, function in re.findall(r"^  (\w+): \{.*?run: (\w+) \}", table[1], re.MULTILINE)
    }


def design_commands() -> dict[str, set[str]]:
    section = re.search(r"^### After it$(.*?)^### ", read("DESIGN.md"), re.MULTILINE | re.DOTALL)
    assert section
    rows = re.findall(r"^\| (`.+?) \|[^|]*\|([^|]*)\|", section[1], re.MULTILINE)
    return {
        command: set(re.findall(r"`(\w+)`", params))
        for names, params in rows
        for command in re.findall(r"`(\w+)`", names)
    }


def referenced_tools() -> dict[str, set[str]]:
    """The tools of the reference with their parameters."""
    sections = re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", read("docs/tools.md"), re.MULTILINE | re.DOTALL)
    return {name: set(re.findall(r"^\| `(\w+)`", section, re.MULTILINE)) for name, section in sections}


def readme_tools() -> list[str]:
    """The tools in the order in which README's tables name them."""
    section = re.search(r"^## What it can do$(.*?)^## ", read("README.md"), re.MULTILINE | re.DOTALL)
    assert section
    return re.findall(r"`(\w+)`", "".join(re.findall(r"^\|.*\|$", section[1], re.MULTILINE)))


async def published_tools(**settings: str) -> dict[str, set[str]]:
    """The parameters of each tool, as a client that cannot be told of changes sees them."""
    made = server.create_server(server.load_settings(settings, need_model=False))
    return {tool.name: set(tool.parameters["properties"]) for tool in await made.list_tools(run_middleware=False)}


def test_the_commands_of_the_design_are_those_of_the_extension_with_the_same_parameters() -> None:
    commands = extension_commands()

    assert len(commands) == 25
    assert design_commands() == commands


async def test_every_command_is_a_tool_with_the_commands_parameters() -> None:
    tools = await published_tools()
    commands = extension_commands()

    assert tools["read_chrome_tab"] >= commands.pop("read_tab") - EXTENSION_ONLY["read_tab"]
    assert len(commands) == 24
    for command, params in commands.items():
        taken = params - EXTENSION_ONLY.get(command, set()) | SERVER_ONLY.get(command, set())
        assert tools[command] - {"tab_id"} == taken, command


def test_every_command_that_the_server_sends_is_known_to_the_extension() -> None:
    written = set(re.findall(r'\.(?:\w*command|drive)\(\s*"(\w+)"', read("chrome_tab_mcp_server.py")))

    sent = {*server.extension_commands(), "read_tab"}
    assert written <= sent == extension_commands().keys()
    assert {command for command in sent if server.only_reads(command)} == READING_COMMANDS


async def test_the_reference_lists_every_tool_with_its_parameters_and_the_readme_names_each_once() -> None:
    published = await published_tools()

    assert len(published) == 29
    assert referenced_tools() == published
    assert sorted(readme_tools()) == sorted(published)


async def test_the_documents_list_the_second_set_of_names_as_it_is_published() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(kapturemcp_\w+)` \|$", read("docs/driving.md"), re.MULTILINE)
    tools = await published_tools(tool_names="kapture")
    kapture = server.load_settings({"tool_names": "kapture"}, need_model=False)

    assert dict(rows) == server.published_names(kapture)
    assert {name for name in tools if name.startswith("kapturemcp_")} == set(server.published_names(kapture).values())


async def test_the_bounds_of_a_screenshot_are_those_of_the_extension() -> None:
    made = server.create_server(server.load_settings({}, need_model=False))
    (tool,) = [tool for tool in await made.list_tools(run_middleware=False) if tool.name == "screenshot"]
    side = re.search(r"^const MAX_SIDE = ([\d_]+);", read("extension/commands/screenshot.js"), re.MULTILINE)
    assert side

    for name in ("width", "height"):
        assert tool.parameters["properties"][name]["maximum"] == int(side[1])


def test_popup_help_and_documents_say_alike_what_attaching_allows() -> None:
    texts = json.loads(read("extension/_locales/en/messages.json"))
    said = re.search(r"Attaching lets it (.+)\.", texts["rights"]["message"])
    assert said

    for text in (
        read("README.md"),
        read("docs/driving.md"),
        *(texts[key]["message"] for key in ("rightsAttached", "abilityAttached")),
    ):
        assert said[1].lower() in " ".join(text.lower().split())
    attached = {*re.findall(r"^  (\w+): \{ consent: \"attached\"", read("extension/commands/index.js"), re.MULTILINE)}
    # Each of the words stands for one of these at least.
    assert attached > {"click", "fill", "screenshot", "console_logs", "network_requests", "getDataLayer"}


# --- Limits ---

UNITS = {"MiB": 1024 * 1024, "s": 1, "messages": 1, "requests": 1, "characters": 1, "pixels": 1, "MB": 1_000_000}


def design_limits() -> dict[str, list[int]]:
    """The numbers of DESIGN.md's table of limits, in bytes, seconds, characters, pixels."""
    table = read("DESIGN.md").partition("### Limits")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]*\d[^|]*) \|$", table, re.MULTILINE)
    number = re.compile(rf"([\d,]+) ({'|'.join(UNITS)})\b")
    return {what: [int(n.replace(",", "")) * UNITS[unit] for n, unit in number.findall(said)] for what, said in rows}


def constant(path: str, pattern: str) -> int:
    """A number that stands once in a file of the extension, written as a product or with separators."""
    (found,) = re.findall(rf"{pattern}([\d_* ]+)", read(f"extension/{path}"))
    return math.prod(int(factor) for factor in found.split("*"))


def test_the_limits_of_the_design_are_those_of_server_and_extension() -> None:
    opening_ms = constant("worker/connection.js", "const OPENING_TIMEOUT_MS = ")
    command_ms = constant("worker/router.js", "const COMMAND_TIMEOUT_MS = ")
    side = constant("commands/screenshot.js", "const MAX_SIDE = ")

    assert design_limits() == {
        "frame to the server": [server.MAX_FRAME_BYTES],
        "frame to the extension": [constant("worker/connection.js", "const MAX_FRAME_IN = ")],
        "page text": [constant("page/read-page.js", "const MAX_TEXT_BYTES = ")],
        "opening": [server.OPENING_TIMEOUT_S],
        "PDF": [
            constant("page/pdf/pdf-text.js", "const MAX_BYTES = "),
            constant("commands/reading.js", "const MAX_FILE_BYTES = "),
            constant("commands/reading.js", "const PDF_WAIT_MS = ") / 1000,
            int(re.findall(r"waitMs: (\d+)", read("chrome_tab.scpt"))[0]) / 1000,
        ],
        "command": [command_ms / 1000, server.COMMAND_TIMEOUT_S],
        "answer of the person": [server.ANSWER_TIMEOUT_S],
        "console of a tab": [
            constant("worker/console-log.js", "const MAX_ENTRIES = "),
            constant("worker/console-log.js", "const MAX_MESSAGE_LENGTH = "),
        ],
        "requests of a tab": [
            constant("worker/network-log.js", "const MAX_REQUESTS = "),
            constant("worker/network-log.js", "const MAX_URL_LENGTH = "),
            constant("commands/network.js", "const MAX_BODY_LENGTH = "),
        ],
        "list of elements": [constant("page/elements/element-list.js", "const MAX_TEXT = ")],
        "picture": [constant("commands/screenshot.js", "const MAX_DATA_LENGTH = "), side],
        "value of `evaluate`": [constant("commands/evaluate.js", "total: ")],
    }
    # The two sides of one wire.
    assert constant("worker/router.js", "const MAX_FRAME_OUT_BYTES = ") == server.MAX_FRAME_BYTES
    assert constant("worker/connection.js", "const MAX_FRAME_IN = ") == server.MAX_COMMAND_BYTES
    assert constant("worker/requests.js", "const ANSWER_TIMEOUT_MS = ") == server.ANSWER_TIMEOUT_S * 1000
    assert opening_ms == server.OPENING_TIMEOUT_S * 1000


# --- What a user copies ---


def test_the_configuration_to_copy_holds_one_server_and_settings_that_it_takes() -> None:
    (entry,) = json.loads(read("chrome_tab_mcp_config.json"))["mcpServers"].values()

    run, script, *flags = entry["args"]

    assert (entry["command"], run, Path(script).name) == ("uv", "run", "chrome_tab_mcp_server.py")
    settings = server.load_settings(vars(server.argument_parser().parse_args(flags)), need_model=True)
    assert (settings.ollama_url, settings.model) == ("http://localhost:11434", "qwen3")


def test_the_table_of_settings_lists_every_one_with_its_variable() -> None:
    rows = re.findall(r"^\| (`--.*?) \| `(\w+)`", read("docs/settings.md"), re.MULTILINE)
    listed = {variable: flags for flags, variable in rows}

    for field in server.Settings.model_fields:
        if variable := server.environment_name(field):
            assert f"`--{field.replace('_', '-')}`" in listed[variable]
    assert len(listed) == sum(1 for field in server.Settings.model_fields if server.environment_name(field))


# What the table says where a default is no value to type.
DEFAULTS_IN_WORDS = {
    "**required**": None,
    "none": None,
    "off": False,
    "asked from the server": None,
    "`config.toml` in your configuration folder": None,
}


def test_the_defaults_in_the_table_are_those_of_the_settings() -> None:
    rows = re.findall(r"^\| `--.*?\| `(\w+)`[^|]*\| ([^|]+) \|", read("docs/settings.md"), re.MULTILINE)
    told = {variable: DEFAULTS_IN_WORDS.get(said, said.strip("`")) for variable, said in rows}
    fields = server.Settings.model_fields
    real = {server.environment_name(name): field.default for name, field in fields.items()}
    real.pop(None)

    # A list is empty, and said to be none.
    assert told == {name: str(value) if value else value if value is False else None for name, value in real.items()}


# --- Dependencies, and what must not be committed ---


def test_every_dependency_has_a_lower_and_an_upper_bound() -> None:
    lines = read("tests/requirements.txt").splitlines()
    needed = [*script_head()["dependencies"], *(line for line in lines if line and not line.startswith("#"))]

    assert len(needed) > 15
    for requirement in needed:
        assert re.match(r"[a-z0-9-]+>=[\d.]+,<[\d.]+(;|$)", requirement), requirement
    for name, wanted in json.loads(read("package.json"))["devDependencies"].items():
        assert re.fullmatch(r"[\^~]\d+\.\d+\.\d+", wanted), name


def test_only_macs_install_what_only_macs_have() -> None:
    (applescript,) = [need for need in script_head()["dependencies"] if "applescript" in need]

    assert applescript.endswith("; sys_platform == 'darwin'")


def tracked_texts() -> dict[str, str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    texts: dict[str, str] = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and b"\0" not in (data := path.read_bytes()):
            # Some of pdf.js's character maps have no zero byte either; a forbidden word would still be found in them.
            texts[name] = data.decode("utf-8", "replace")
    return texts


def test_no_tracked_file_names_a_package_registry_or_a_path_of_the_machine() -> None:
    texts = tracked_texts()
    # In pieces, so that this file does not hold them itself.
    forbidden = [
        "pypi." + "org",
        "pythonhosted." + "org",
        "registry." + "npmjs",
        "--index" + "-url",
        "extra-index" + "-url",
    ]
    local = [str(ROOT) + "/", *([f"{Path.home()}/"] if len(str(Path.home())) > 1 else [])]

    assert "chrome_tab_mcp_server.py" in texts
    for name, text in texts.items():
        for word in [*forbidden, *local]:
            assert word not in text, f"{name} holds {word}"
