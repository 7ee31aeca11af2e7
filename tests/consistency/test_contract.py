"""The parts of the project agree: names that appear in several files are the same in all of them."""

import base64
import hashlib
import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import protocol
from scripts.reference import constant

ROOT = Path(server.__file__).parent


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def manifest() -> dict[str, Any]:
    return json.loads(read("extension/manifest.json"))


def script_head() -> dict[str, Any]:
    """Return the inline metadata of the server's file."""
    head = re.search(r"^# /// script\n(.*?)^# ///$", read("chrome_tab_mcp_server.py"), re.MULTILINE | re.DOTALL)
    assert head
    return tomllib.loads(re.sub(r"^# ?", "", head[1], flags=re.MULTILINE))


# --- Error codes ---


def test_the_error_codes_of_server_extension_and_troubleshooting_are_the_same_in_the_same_order() -> None:
    in_javascript = re.search(r"ERROR_CODES = .*?\(\[(.*?)\]\)", read("extension/shared/errors.js"), re.DOTALL)
    assert in_javascript
    codes = list(protocol.ERROR_CODES)

    assert len(codes) == len(set(codes)) == 29
    assert re.findall(r'"([A-Z_]+)"', in_javascript[1]) == codes
    assert re.findall(r"^### ([A-Z_]+)\n\n[^#\n]", read("docs/troubleshooting.md"), re.MULTILINE) == codes


def test_every_code_that_is_raised_is_a_documented_one() -> None:
    raised = set(re.findall(r'(?:ChromeTab|Retryable)Error\(\s*"([A-Z_]+)"', read("chrome_tab_mcp_server.py")))
    raised |= {*server.APPLE_EVENT_ERRORS, *server.SCRIPT_CODES.values()}
    thrown = {
        code
        for path in (ROOT / "extension").rglob("*.js")
        for code in re.findall(r'CommandError\(\s*"([A-Z_]+)"', path.read_text(encoding="utf-8"))
    }

    assert len(raised) > 10
    assert thrown
    assert raised | thrown <= set(protocol.ERROR_CODES)


def test_the_text_and_the_elements_of_a_page_leave_out_the_same_fields() -> None:
    paths = ("extension/page/read-page.js", "extension/page/interaction/dom.js")
    secrets = [re.findall(r"const SECRET_FIELD =\s+(/.+/i);", read(path)) for path in paths]

    assert secrets[0] == secrets[1]
    assert len(secrets[0]) == 1


# --- Identity ---


def test_the_extensions_id_is_derived_from_its_key() -> None:
    digest = hashlib.sha256(base64.b64decode(manifest()["key"], validate=True)).hexdigest()[:32]

    assert "".join(chr(ord("a") + int(digit, 16)) for digit in digest) == protocol.EXTENSION_IDS[0]


def test_server_extension_and_changelog_have_the_same_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", read("CHANGELOG.md"), re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]

    assert manifest()["version"] == server.__version__
    assert headings
    assert released[:1] in ([], [server.__version__])


def test_the_error_numbers_of_the_script_are_known_to_the_server() -> None:
    numbers = dict(re.findall(r"^property ([A-Z_]+) : (\d+)$", read("chrome_tab.scpt"), re.MULTILINE))

    assert {int(number): name for name, number in numbers.items()} == server.SCRIPT_CODES


# --- Commands and tools ---


def commands_table() -> dict[str, dict[str, Any]]:
    return json.loads(read("extension/shared/commands.json"))["commands"]


async def published_tools(**settings: str) -> dict[str, set[str]]:
    """Return the parameters of each tool, as a client without notifications sees them."""
    made = app.create_server(server.load_settings(settings, need_model=False))
    return {tool.name: set(tool.parameters["properties"]) for tool in await made.list_tools(run_middleware=False)}


async def test_every_command_is_a_tool_with_the_same_parameters() -> None:
    tools = await published_tools()
    commands = commands_table()

    assert len(commands) == 26
    assert tools["read_chrome_tab"] >= commands.pop("read_tab")["parameters"].keys() - {"links"}
    for command, about in commands.items():
        taken = {name for name, schema in about["parameters"].items() if schema.get("for") != "extension"}
        assert tools[command] == taken, command


def test_every_command_has_a_function_in_the_extension_that_reads_its_parameters() -> None:
    code = "".join(
        re.sub(r"/\*\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for folder in ("commands", "browser", "background")
        for path in (ROOT / "extension" / folder).rglob("*.js")
    )
    functions = re.search(r"const FUNCTIONS = \{(.*?)^\};", code, re.MULTILINE | re.DOTALL)
    assert functions

    commands = commands_table()
    assert {*re.findall(r"^  (\w+)", functions[1], re.MULTILINE)} == commands.keys()
    for about in commands.values():
        sent = {name for name, schema in about["parameters"].items() if schema.get("for") != "server"}
        assert all(re.search(rf"\b{name}\b", code) for name in sent - {"tab_id"})


def test_every_command_that_the_server_sends_is_known_to_the_extension() -> None:
    written = set(re.findall(r'\.(?:\w*command|drive)\(\s*"(\w+)"', read("chrome_tab/extension/source.py")))

    assert {"read_tab", "browser_create_tab"} <= written <= commands_table().keys()


async def test_the_readme_names_every_tool() -> None:
    published = await published_tools()

    assert len(published) == 30
    assert {name for name in published if f"`{name}`" not in read("README.md")} == set()


async def test_the_limits_of_a_screenshot_match_the_extensions() -> None:
    made = app.create_server(server.load_settings({}, need_model=False))
    (tool,) = [tool for tool in await made.list_tools(run_middleware=False) if tool.name == "screenshot"]
    side = re.search(r"^const MAX_SIDE = ([\d_]+);", read("extension/commands/screenshot.js"), re.MULTILINE)
    assert side

    for name in ("width", "height"):
        assert tool.parameters["properties"][name]["maximum"] == int(side[1])


# --- Limits ---


def test_both_ends_of_the_connection_have_the_same_limits() -> None:
    assert constant("background/router.js", "const MAX_FRAME_OUT_BYTES = ") == protocol.MAX_FRAME_BYTES
    assert constant("background/connection.js", "const MAX_FRAME_IN = ") == protocol.MAX_COMMAND_BYTES
    assert constant("shared/consent-text.js", "const ANSWER_TIMEOUT_MS = ") == protocol.ANSWER_TIMEOUT_S * 1000
    assert constant("background/connection.js", "const HANDSHAKE_TIMEOUT_MS = ") == protocol.HANDSHAKE_TIMEOUT_S * 1000
    assert constant("background/router.js", "const COMMAND_TIMEOUT_MS = ") < protocol.COMMAND_TIMEOUT_S * 1000


# --- Configuration for users to copy ---


def test_the_configuration_to_copy_has_one_server_with_valid_settings() -> None:
    (entry,) = json.loads(read("chrome_tab_mcp_config.json"))["mcpServers"].values()

    run, script, *flags = entry["args"]

    assert (entry["command"], run, Path(script).name) == ("uv", "run", "chrome_tab_mcp_server.py")
    settings = server.load_settings(vars(server.argument_parser(app.PROGRAM).parse_args(flags)), need_model=True)
    assert (settings.ollama_url, settings.model) == ("http://localhost:11434", "qwen3")


# --- Dependencies, and what must not be committed ---


def test_every_dependency_has_a_lower_and_an_upper_bound() -> None:
    lines = read("tests/requirements.txt").splitlines()
    needed = [*script_head()["dependencies"], *(line for line in lines if line and not line.startswith("#"))]

    assert len(needed) > 15
    for requirement in needed:
        assert re.match(r"[a-z0-9-]+>=[\d.]+,<[\d.]+(;|$)", requirement), requirement
    for name, wanted in json.loads(read("package.json"))["devDependencies"].items():
        assert re.fullmatch(r"[\^~]\d+\.\d+\.\d+", wanted), name


def test_no_requirement_of_the_server_is_limited_to_one_platform() -> None:
    # Building it could fail there, and break a reader that does not need it.
    assert [need for need in script_head()["dependencies"] if ";" in need] == []


def tracked_texts() -> dict[str, str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    texts: dict[str, str] = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and b"\0" not in (data := path.read_bytes()):
            # Some of pdf.js's character maps contain no zero byte either; a forbidden word in them would still be
            # found.
            texts[name] = data.decode("utf-8", "replace")
    return texts


def test_no_tracked_file_names_a_package_registry_or_a_local_path() -> None:
    texts = tracked_texts()
    # Assembled from pieces, so that this file does not contain them itself.
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
