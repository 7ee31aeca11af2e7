"""Write `docs/clients.md`, the links and texts that add the server to each MCP client: `python -m scripts.clients`.

Everything follows from one command line, so that no client is told another one.
"""

import base64
import json
import shlex
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from chrome_tab_mcp_server import APP_NAME

PAGE = Path(__file__).resolve().parent.parent / "docs" / "clients.md"
SETTINGS = ["--ollama-url", "http://localhost:11434", "--model", "qwen3"]
ASKED = {"ollama_url": "Address of your model server", "model": "Name of the model to ask"}
ANSWER_S = 300  # what a long page may take, where a client wants to know it


class Launch(NamedTuple):
    """How a client starts the server."""

    command: str
    args: list[str]

    @property
    def line(self) -> str:
        """The command line as a shell takes it."""
        return shlex.join([self.command, *self.args])


PACKAGE = Launch("uvx", [APP_NAME, *SETTINGS])
INSTALLED = Launch(APP_NAME, SETTINGS)
CLONE = Launch("uv", ["run", "/path/to/chrome_tab_mcp_server.py", *SETTINGS])


def entry(launch: Launch, **more: Any) -> dict[str, Any]:
    """Return the server as most clients' files hold it."""
    return {"command": launch.command, "args": launch.args, **more}


def claude_code(launch: Launch) -> str:
    return f"claude mcp add --scope user {APP_NAME} -- {launch.line}"


def mcp_servers(launch: Launch) -> dict[str, Any]:
    return {"mcpServers": {APP_NAME: entry(launch)}}


def vscode_file(launch: Launch) -> dict[str, Any]:
    return {"servers": {APP_NAME: {"type": "stdio", **entry(launch)}}}


def vscode_link() -> str:
    """Return the link that asks for both settings."""
    inputs = [
        {"type": "promptString", "id": name, "description": about, "default": value}
        for (name, about), value in zip(ASKED.items(), SETTINGS[1::2], strict=True)
    ]
    args = [APP_NAME, "--ollama-url", "${input:ollama_url}", "--model", "${input:model}"]
    query = {"name": APP_NAME, "inputs": compact(inputs), "config": compact(entry(Launch("uvx", args)))}
    return f"https://insiders.vscode.dev/redirect/mcp/install?{urlencode(query, quote_via=quote)}"


def cursor_link() -> str:
    return f"https://cursor.com/en/install-mcp?{urlencode({'name': APP_NAME, 'config': encoded(entry(PACKAGE))})}"


def lm_studio_link() -> str:
    return f"https://lmstudio.ai/install-mcp?{urlencode({'name': APP_NAME, 'config': encoded(entry(PACKAGE))})}"


def goose_link() -> str:
    about = "A local model answers about the tab you have open"
    args = [("arg", argument) for argument in PACKAGE.args]
    named = [("id", APP_NAME), ("name", "Chrome Tab Reader"), ("description", about), ("timeout", str(ANSWER_S))]
    query = urlencode([("cmd", PACKAGE.command), *args, *named], quote_via=quote)
    return f"https://block.github.io/goose/extension?{query}"


def codex(launch: Launch) -> str:
    return "\n".join(
        [
            f"[mcp_servers.{APP_NAME}]",
            f'command = "{launch.command}"',
            f"args = {json.dumps(launch.args)}",
            "startup_timeout_sec = 60",
            f"tool_timeout_sec = {ANSWER_S}",
        ]
    )


def gemini(launch: Launch) -> dict[str, Any]:
    return {"mcpServers": {APP_NAME: entry(launch, timeout=ANSWER_S * 1000)}}


def zed(launch: Launch) -> dict[str, Any]:
    return {"context_servers": {APP_NAME: entry(launch, env={})}}


def goose(launch: Launch) -> str:
    return "\n".join(
        [
            "extensions:",
            f"  {APP_NAME}:",
            "    type: stdio",
            "    name: Chrome Tab Reader",
            f"    cmd: {launch.command}",
            f"    args: {json.dumps(launch.args)}",
            "    enabled: true",
            f"    timeout: {ANSWER_S}",
        ]
    )


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def encoded(value: Any) -> str:
    return base64.b64encode(compact(value).encode()).decode()


def block(kind: str, text: str | dict[str, Any]) -> str:
    """Return a text to copy, as Markdown."""
    return f"```{kind}\n{text if isinstance(text, str) else json.dumps(text, indent=2)}\n```"


def page() -> str:
    """Return `docs/clients.md`."""
    plugin = " ".join(f"--config {name}={value}" for name, value in zip(ASKED, SETTINGS[1::2], strict=True))
    parts = [
        "# Adding the server to your client",
        "<!-- Written by `python -m scripts.clients`; a test compares. -->",
        "The shortest way is `--setup` ([installing](install.md#in-one-run)): it registers the server with Claude Code, "
        "Claude Desktop, Cursor and VS Code as you have it. By hand:",
        f"Each text and link starts the package `{PACKAGE.args[0]}` from PyPI, `{PACKAGE.line}`, so it works once the "
        f"package is there. Until then, and from a clone, the command is `{CLONE.line}` instead; where the package is "
        f"installed from a file, `{INSTALLED.line}`. Put in the address of your own model server and the name of your own "
        "model; with both in `config.toml` the flags can be left out.",
        "## Claude Code",
        "As a plugin, which brings skills for summarising, asking, extracting and driving (without `--config` it asks for "
        "the two settings in Claude Code, by `/plugin`):",
        block(
            "sh", f"claude plugin marketplace add /path/to/clone\nclaude plugin install {APP_NAME}@{APP_NAME} {plugin}"
        ),
        "Or the server alone:",
        block("sh", claude_code(PACKAGE)),
        "From version 2.1.304 an interactive Claude Code runs `process_chrome_tab`, `process_chrome_tabs` and "
        "`look_at_chrome_tab` in the background, as MCP tasks: you can go on working while the local model reads, and the "
        "answer arrives by itself. `claude -p` waits for the answer. `CLAUDE_CODE_DISABLE_MCP_TASKS=1` turns this off.",
        "## Claude Desktop",
        f"Open `{APP_NAME}-VERSION.mcpb` of the release with it: it asks for the two settings. Or in "
        "`claude_desktop_config.json`:",
        block("json", mcp_servers(PACKAGE)),
        "## VS Code",
        f"[Add to VS Code]({vscode_link()}), which asks for the two settings. Or in `.vscode/mcp.json`:",
        block("json", vscode_file(PACKAGE)),
        "## Cursor",
        f"[Add to Cursor]({cursor_link()}), then change address and model. Or in `~/.cursor/mcp.json`:",
        block("json", mcp_servers(PACKAGE)),
        "## Codex",
        "In `~/.codex/config.toml`:",
        block("toml", codex(PACKAGE)),
        "## Gemini CLI",
        "In `~/.gemini/settings.json`:",
        block("json", gemini(PACKAGE)),
        "## Zed",
        "In its `settings.json`:",
        block("json", zed(PACKAGE)),
        "## LM Studio",
        f"[Add to LM Studio]({lm_studio_link()}), then change address and model. Or in its `mcp.json`:",
        block("json", mcp_servers(PACKAGE)),
        "## Goose",
        f"[Add to Goose]({goose_link()}), then change address and model. Or in `~/.config/goose/config.yaml`:",
        block("yaml", goose(PACKAGE)),
        "## Others",
        "Most clients take the entry of Claude Desktop. Clients that do not start programs connect over HTTP: "
        "[one server for every client](http.md).",
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
