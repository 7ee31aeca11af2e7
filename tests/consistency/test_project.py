"""What appears in more than one file and must agree: names, versions, requirements, permissions, texts to copy."""

import base64
import json
import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jsonschema
import pytest

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import protocol
from hatch_build import script_head, with_whole_addresses
from scripts import clients, dist, reference

ROOT = Path(__file__).parents[2]
SKILLS = sorted(path.parent.name for path in ROOT.glob("skills/*/SKILL.md"))


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def requirements() -> list[str]:
    """Return every requirement in the scripts' metadata and in the checks' environment."""
    found = [line for line in read("tests/requirements.txt").splitlines() if line and not line.startswith("#")]
    for script in [*ROOT.glob("*.py"), *ROOT.glob("demo/*.py")]:
        found += script_head(script).get("dependencies", [])
    return [*found, *tomllib.loads(read("pyproject.toml"))["build-system"]["requires"]]


def test_package_has_the_same_version_bounds_wherever_it_is_required() -> None:
    bounds: dict[str, set[str]] = {}
    for requirement in requirements():
        name, bound = re.split(r"(?=[<>=~!])", requirement, maxsplit=1)
        bounds.setdefault(name, set()).add(bound)

    assert {"fastmcp", "playwright", "xllamacpp", "hatchling"} <= bounds.keys()
    assert {name: different for name, different in bounds.items() if len(different) > 1} == {}


def test_no_pattern_has_a_possessive_group() -> None:
    """Python before 3.11.5, such as Debian 12's, matches these wrongly; single possessive characters are fine."""
    possessive = re.compile(r"(?<!\\)\)(?:[*+?]|\{+[0-9,]+\}+)\+|\(\?>")
    modules = [ROOT / "chrome_tab_mcp_server.py", *(ROOT / "chrome_tab").rglob("*.py")]

    assert possessive.search(r"(?:[.,][0-9]+)*+")
    assert [found for path in modules for found in possessive.findall(path.read_text(encoding="utf-8"))] == []


# --- Name and version ---


def test_every_file_has_the_servers_name_and_version() -> None:
    plugin = json.loads(read(".claude-plugin/plugin.json"))
    marketplace = json.loads(read(".claude-plugin/marketplace.json"))
    project = tomllib.loads(read("pyproject.toml"))
    bundle, entry = dist.bundle_manifest(), dist.registry_entry()
    (package,) = entry["packages"]
    released = re.findall(r"^## \[(\d.+?)\] - \d{4}-\d\d-\d\d$", read("CHANGELOG.md"), re.MULTILINE)

    assert {
        server.__version__,
        json.loads(read("extension/manifest.json"))["version"],
        plugin["version"],
        bundle["version"],
        entry["version"],
        package["version"],
        released[0],
    } == {server.__version__}
    assert project["tool"]["hatch"]["version"]["path"] == "chrome_tab_mcp_server.py"
    assert {
        project["project"]["name"],
        plugin["name"],
        *plugin["mcpServers"],
        marketplace["name"],
        *(listed["name"] for listed in marketplace["plugins"]),
        bundle["name"],
        package["identifier"],
        json.loads(read("package.json"))["name"],
        *json.loads(read("chrome_tab_mcp_config.json"))["mcpServers"],
    } == {server.APP_NAME}
    assert list(project["project"]["scripts"]) == [server.APP_NAME]


def test_registry_entry_is_named_after_the_repository_that_publishes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/a-fork")

    assert dist.registry_entry()["name"] == "io.github.someone/a-fork"


TEXT = {"type": "string", "minLength": 1}
# The rules of the registry's own format (2025-12-11) for the fields that are used here, and no others.
REGISTRY_FORMAT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["$schema", "name", "title", "description", "version", "packages"],
    "properties": {
        "$schema": {"const": dist.SERVER_SCHEMA},
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
        "title": {**TEXT, "maxLength": 100},
        "description": {**TEXT, "maxLength": 100},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "packages": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["registryType", "identifier", "version", "transport"],
                "properties": {
                    "registryType": {"enum": ["npm", "pypi", "oci", "nuget", "mcpb"]},
                    "identifier": TEXT,
                    "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
                    "runtimeHint": {"enum": ["npx", "uvx", "docker", "dnx"]},
                    "transport": {"const": {"type": "stdio"}},
                    "environmentVariables": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["name"],
                            "properties": {
                                "name": TEXT,
                                "description": TEXT,
                                "isRequired": {"type": "boolean"},
                                "default": {"type": "string"},
                            },
                        },
                    },
                },
            },
        },
    },
}


def test_registry_entry_matches_the_registrys_format_and_names_both_settings() -> None:
    entry = dist.registry_entry()

    jsonschema.validate(entry, REGISTRY_FORMAT)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(entry | {"description": "x" * 101}, REGISTRY_FORMAT)
    (package,) = entry["packages"]
    asked = {variable["name"] for variable in package["environmentVariables"] if variable["isRequired"]}
    assert asked == {server.environment_name(name) for name in server.REQUIRED_SETTINGS}


# --- The plugin ---


def test_plugin_asks_for_the_required_settings_and_passes_them_on() -> None:
    plugin = json.loads(read(".claude-plugin/plugin.json"))
    (started,) = plugin["mcpServers"].values()
    (listed,) = json.loads(read(".claude-plugin/marketplace.json"))["plugins"]

    assert {name for name, field in plugin["userConfig"].items() if field["required"]} == set(server.REQUIRED_SETTINGS)
    assert started["env"] == {
        server.environment_name(name): f"${{user_config.{name}}}" for name in server.REQUIRED_SETTINGS
    }
    assert started["args"] == ["run", "--script", "${CLAUDE_PLUGIN_ROOT}/chrome_tab_mcp_server.py"]
    assert (listed["source"], listed["description"]) == ("./", plugin["description"])


# What skills name besides tools and their parameters: a value, a field of a reply, a keyword of JSON Schema.
OTHER_WORDS = {"main", "changed", "description"}


async def test_each_skill_is_named_after_its_folder_and_uses_existing_tools_and_parameters() -> None:
    tools = await app.create_server(server.load_settings({}, need_model=False)).list_tools(run_middleware=False)
    known = {tool.name for tool in tools}.union(*(tool.parameters["properties"] for tool in tools), OTHER_WORDS)

    assert SKILLS == ["ask", "drive", "extract", "summarize"]
    for name in SKILLS:
        text = read(f"skills/{name}/SKILL.md")
        head = re.match(r"---\nname: (\w+)\ndescription: (.{1,1024})\n---\n\n# ", text)
        assert head
        assert head[1] == name
        assert set(re.findall(r"`(\w+)`", text)) <= known


# --- The store ---


def test_every_font_of_the_pages_grows_with_the_browsers_font_size() -> None:
    fixed = re.compile(r"(?:font(?:-size)?|--code):[^;]*?\d(?:px|pt)\b")
    sheets = [*ROOT.glob("extension/ui/**/*.css"), *ROOT.glob("test-app/*.css")]

    assert fixed.search("font:\n    13px/1.45 system-ui")
    assert [found for path in sheets for found in fixed.findall(path.read_text(encoding="utf-8"))] == []


def test_every_permission_of_the_extension_is_justified_and_no_other() -> None:
    manifest = json.loads(read("extension/manifest.json"))
    listed = re.findall(r"^\| `(.+?)` \| (.+) \| (.+) \|$", read("packaging/store/permissions.md"), re.MULTILINE)

    assert [name for name, _, _ in listed] == [*manifest["host_permissions"], *manifest["permissions"]]


# --- Clients ---


def test_the_page_about_clients_matches_the_output_of_its_script() -> None:
    assert read("docs/clients.md") == clients.page()


async def test_the_reference_pages_are_up_to_date_and_their_examples_are_valid_calls() -> None:
    made = app.create_server(server.load_settings({}, need_model=False))
    tools = {tool.name: tool.parameters for tool in await made.list_tools(run_middleware=False)}

    for path, text in (await reference.pages()).items():
        assert path.read_text(encoding="utf-8") == text, f"run python -m scripts.reference for {path.name}"
    assert reference.EXAMPLES.keys() == tools.keys()
    assert {code for codes in reference.ERRORS.values() for code in codes} <= set(protocol.ERROR_CODES)
    assert reference.NOTES.keys() <= tools.keys()
    for name, example in reference.EXAMPLES.items():
        jsonschema.validate(example, tools[name] | {"additionalProperties": False})


DOCUMENTS = [
    *(
        found
        for folder in (".", ".github", "docs", "docs/design", "packaging/store")
        for found in ROOT.glob(f"{folder}/*.md")
    ),
    ROOT / "bench" / "README.md",
]


def anchors(document: Path) -> set[str]:
    """Return what a URL fragment can name in it: its headings, as GitHub spells them, and elements with an id."""
    text = document.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return named | set(re.findall(r'<a id="(.+?)">', text))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_document_leads_to_an_existing_file_and_heading(document: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)|\b(?:src|srcset|href)=\"([^\"]+)\"", text)

    for link in filter(lambda link: "://" not in link and not link.startswith("mailto:"), map("".join, links)):
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_readme_fits_two_screens_and_links_to_every_document() -> None:
    text = read("README.md")
    words = [word for word in re.sub(r"<[^>]*>|\]\([^)]*\)", "", text).split() if re.search(r"\w", word)]

    assert len(words) <= 1_200
    assert text.count("\n") <= 120
    for path in ROOT.glob("docs/*.md"):
        assert f"](docs/{path.name}" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_at_the_top_of_the_readme_is_animated_and_small(scheme: str) -> None:
    name = f"docs/pictures/answer-{scheme}.png"
    picture = (ROOT / name).read_bytes()

    assert f'"{name}"' in read("README.md")
    # An animated PNG states the number of its frames before the first one.
    frames = int.from_bytes(picture.partition(b"acTL")[2][:4])
    assert frames > 20
    assert len(picture) < 600_000


def test_the_readme_of_a_released_package_links_into_its_repository(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = '[a](docs/a.md#b) [c](#d) [e](https://f.example/) <source srcset="docs/g.png"><img src="docs/h.png">'
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    assert with_whole_addresses(text, "1.2.3") == text

    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/a-fork")

    home = "https://github.com/someone/a-fork"
    assert with_whole_addresses(text, "1.2.3") == (
        f"[a]({home}/blob/v1.2.3/docs/a.md#b) [c](#d) [e](https://f.example/) "
        f'<source srcset="{home}/raw/v1.2.3/docs/g.png"><img src="{home}/raw/v1.2.3/docs/h.png">'
    )


def query(link: str) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(link).query, strict_parsing=True).items()}


def settings_of(command: str, args: list[str]) -> server.Settings:
    """Return the server's settings for a command line that a client is given."""
    launches = {"uvx": [server.APP_NAME], "uv": ["run", "/path/to/chrome_tab_mcp_server.py"]}
    start = launches[command]
    assert args[: len(start)] == start
    return server.load_settings(
        vars(server.argument_parser(app.PROGRAM).parse_args(args[len(start) :])), need_model=True
    )


@pytest.mark.parametrize("link", [clients.cursor_link(), clients.lm_studio_link()])
def test_link_with_an_encoded_entry_decodes_to_a_command_that_the_server_accepts(link: str) -> None:
    reported = query(link)

    assert reported["name"] == server.APP_NAME
    settings = settings_of(**json.loads(base64.b64decode(reported["config"], validate=True)))
    assert (settings.ollama_url, settings.model) == ("http://localhost:11434", "qwen3")


def test_link_of_vs_code_decodes_to_a_command_and_asks_for_its_settings() -> None:
    reported = query(clients.vscode_link())
    config, inputs = json.loads(reported["config"]), json.loads(reported["inputs"])

    assert reported["name"] == server.APP_NAME
    answers = {f"${{input:{field['id']}}}": field["default"] for field in inputs if field["type"] == "promptString"}
    settings = settings_of(config["command"], [answers.get(argument, argument) for argument in config["args"]])
    assert (settings.ollama_url, settings.model) == ("http://localhost:11434", "qwen3")
    assert set(answers) < set(config["args"])


def test_link_of_goose_decodes_to_a_command_that_the_server_accepts() -> None:
    reported = parse_qsl(urlsplit(clients.goose_link()).query, strict_parsing=True)

    assert dict(reported)["id"] == server.APP_NAME
    settings = settings_of(dict(reported)["cmd"], [value for name, value in reported if name == "arg"])
    assert (settings.ollama_url, settings.model) == ("http://localhost:11434", "qwen3")


def blocks(kind: str, heading: str) -> list[str]:
    """Return the texts to copy below a heading of the page."""
    section = clients.page().split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{kind}\n(.*?)\n```", section, re.DOTALL)


def test_what_is_not_published_yet_is_listed_in_one_place() -> None:
    before, section = clients.page().split("## Once published\n")
    assert "uvx" not in before
    assert "uvx" in section


def test_the_entry_with_environment_variables_names_both_settings() -> None:
    entry = json.loads(blocks("json", "Claude Desktop")[1])["mcpServers"][server.APP_NAME]

    assert set(entry["env"]) == {server.environment_name(name) for name in server.REQUIRED_SETTINGS}
    assert entry["args"] == ["run", "/path/to/chrome_tab_mcp_server.py"]


async def test_the_permission_rules_list_read_only_tools() -> None:
    tools = await app.create_server(server.load_settings({}, need_model=False)).list_tools(run_middleware=False)
    reading = {tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint}
    rules = json.loads(blocks("json", "Claude Code")[0])["permissions"]["allow"]

    assert {rule.removeprefix(f"mcp__{server.APP_NAME}__") for rule in rules} <= reading


def entries() -> list[tuple[str, dict[str, Any]]]:
    """Return each client's entry, read as that client reads it."""
    found = [("Codex", tomllib.loads(blocks("toml", "Codex")[0])["mcp_servers"])]
    for heading, key in (
        ("Claude Desktop", "mcpServers"),
        ("VS Code", "servers"),
        ("Cursor", "mcpServers"),
        ("Gemini CLI", "mcpServers"),
        ("Zed", "context_servers"),
        ("LM Studio", "mcpServers"),
    ):
        found.append((heading, json.loads(blocks("json", heading)[0])[key]))
    return found


@pytest.mark.parametrize(("heading", "servers"), entries())
def test_entry_of_each_client_is_a_command_that_the_server_accepts(heading: str, servers: dict[str, Any]) -> None:
    (name, entry), *others = servers.items()

    assert (name, others) == (server.APP_NAME, []), heading
    settings = settings_of(entry["command"], entry["args"])
    assert (settings.ollama_url, settings.model) == ("http://localhost:11434", "qwen3")


def test_the_documents_and_the_file_to_copy_have_the_same_texts_for_a_clone() -> None:
    rows = read("docs/install.md")

    assert json.loads(read("chrome_tab_mcp_config.json")) == clients.mcp_servers(clients.CLONE)
    for text in (rows, read("README.md")):
        assert f"`{clients.claude_code(clients.CLONE)}`" in text
    assert f"`{json.dumps(clients.vscode_file(clients.CLONE))}`" in rows
