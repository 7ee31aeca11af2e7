"""Write `docs/clients.md`, the links and snippets that add the server to each MCP client: `python -m scripts.clients`.

Everything is derived from one command line, so that all clients get the same one.
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
ANSWER_S = 900  # the server's own limit for an answer, for clients that have one too
START_S = 60  # the first start downloads the libraries
SLOW_S = 1800  # the same for a large model that thinks
READING_TOOLS = (
    *("process_chrome_tab", "process_chrome_tabs", "read_chrome_tab", "browser_get_tabs", "chrome_tab_status"),
)


class Launch(NamedTuple):
    """How a client starts the server."""

    command: str
    args: list[str]

    @property
    def line(self) -> str:
        """The command line as typed into a shell."""
        return shlex.join([self.command, *self.args])


PACKAGE = Launch("uvx", [APP_NAME, *SETTINGS])
INSTALLED = Launch(APP_NAME, SETTINGS)
CLONE = Launch("uv", ["run", "/path/to/chrome_tab_mcp_server.py", *SETTINGS])


def entry(launch: Launch, **more: Any) -> dict[str, Any]:
    """Return the server's entry in the form of most clients' files."""
    return {"command": launch.command, "args": launch.args, **more}


def with_env(launch: Launch) -> dict[str, Any]:
    """Return the entry with its settings as environment variables."""
    env = {"OLLAMA_BASE_URL": SETTINGS[1], "OLLAMA_MODEL": SETTINGS[3]}
    return {"mcpServers": {APP_NAME: {"command": launch.command, "args": launch.args[: -len(SETTINGS)], "env": env}}}


def permissions() -> dict[str, Any]:
    """Return the rules that let Claude Code read pages without asking."""
    return {"permissions": {"allow": [f"mcp__{APP_NAME}__{tool}" for tool in READING_TOOLS]}}


def slow_model() -> str:
    """Return the command for a large model that thinks."""
    flags = ["--ollama-url", "http://localhost:11434", "--model", "qwen3:30b-a3b-thinking-2507-q4_K_M"]
    launch = Launch(CLONE.command, [*CLONE.args[:2], *flags, "--timeout", "900", "--max-seconds", str(SLOW_S)])
    server = {"type": "stdio", **entry(launch, timeout=SLOW_S * 1000)}
    return f"claude mcp add-json --scope user {APP_NAME} '{json.dumps(server)}'"


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
            f"startup_timeout_sec = {START_S}",
            f"tool_timeout_sec = {ANSWER_S}",
        ]
    )


def gemini(launch: Launch) -> dict[str, Any]:
    return {"mcpServers": {APP_NAME: entry(launch, timeout=ANSWER_S * 1000)}}


def opencode(launch: Launch) -> dict[str, Any]:
    return {"mcp": {APP_NAME: {"type": "local", "command": [launch.command, *launch.args], "timeout": START_S * 1000}}}


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


def cline(launch: Launch) -> str:
    return f"cline mcp install --yes {APP_NAME} -- {launch.line}"


def copilot(launch: Launch) -> str:
    return f"copilot mcp add {APP_NAME} -- {launch.line}"


def qwen_code(launch: Launch) -> str:
    flags = len(SETTINGS)
    command, settings = [launch.command, *launch.args[:-flags]], launch.args[-flags:]
    return f"qwen mcp add --scope user {APP_NAME} {shlex.join(command)} -- {shlex.join(settings)}"


def continue_file(launch: Launch) -> str:
    return "\n".join(
        [
            "mcpServers:",
            f"  - name: {APP_NAME}",
            f"    command: {launch.command}",
            f"    args: {json.dumps([*launch.args, '--max-seconds', '50'])}",
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
        "The shortest way is `--setup` ([quick setup](install.md#quick-setup)): it registers the server with Claude Code, Claude "
        "Desktop, Cursor and VS Code, if they are installed. To register it yourself, copy a snippet from this page.",
        "Each snippet starts the server from a clone of this repository. Replace `/path/to` with the folder of the clone, and "
        "use the address of your model server and the name of your model. If both settings are in `config.toml`, as "
        "`--setup` writes them, leave the flags out. If you have installed the package from a file, the command is "
        f"`{INSTALLED.line}`.",
        "## Claude Code",
        block("sh", claude_code(CLONE)),
        "Or install the plugin, which adds skills for summarizing, asking, extracting and driving. Without `--config` it asks "
        "for the two settings in Claude Code, in `/plugin`.",
        block(
            "sh", f"claude plugin marketplace add /path/to/clone\nclaude plugin install {APP_NAME}@{APP_NAME} {plugin}"
        ),
        "**Permissions.** In manual mode Claude Code asks before each tool call, and `claude -p` refuses the call; in auto "
        "mode Claude Code decides by itself. To let it read pages without asking, open `/permissions`, choose Allow, then Add "
        f"a new rule, and enter `mcp__{APP_NAME}__process_chrome_tab`. Repeat this for each reading tool, or put all of them "
        "into `~/.claude/settings.json`:",
        block("json", permissions()),
        f"The plugin's tools are called `mcp__plugin_{APP_NAME}_{APP_NAME}__process_chrome_tab` and so on. Do not add the "
        "tools that act on a page, so that Claude Code asks you before each action.",
        f"**Prompts.** `/mcp__{APP_NAME}__summarize_tab`, `/mcp__{APP_NAME}__ask_tab When is the vote?` and "
        f"`/mcp__{APP_NAME}__extract_tab all prices`. The menu that opens with `/` shows them as `/{APP_NAME}:ask_tab (MCP)`; "
        "that name works only in the menu. Claude Code passes on only the first word after the name, even in quotes, so the "
        "prompt instructs Claude to use the whole line.",
        "**Time limits.** `--max-seconds` (900) limits a whole answer, `--timeout` (300) one request to the model, both in "
        "seconds. A large model that thinks first needs more for a long page. The following command sets both for "
        "Qwen3-30B-A3B-Thinking, which Ollama calls `qwen3:30b-a3b-thinking-2507-q4_K_M`. Its `timeout`, in milliseconds, is "
        "how long Claude Code waits for one call of this server:",
        block("sh", slow_model()),
        f"`MCP_TOOL_TIMEOUT={SLOW_S * 1000} claude` sets the same limit for every server without its own `timeout`. Progress "
        "extends neither of them. A server has 30 s to start, and the first start downloads the libraries: run `--doctor` "
        "once before, or allow a minute with `MCP_TIMEOUT=60000 claude`. `claude -p` does not wait for servers: on a busy "
        "machine its first request may be sent before the tools are listed, and Claude finds them a moment later.",
        "From version 2.1.304 an interactive Claude Code runs `process_chrome_tab`, `process_chrome_tabs` and "
        "`look_at_chrome_tab` in the background, as MCP tasks: you can go on working while the local model reads, and the "
        "answer appears when it is ready. `claude -p` waits for the answer. `CLAUDE_CODE_DISABLE_MCP_TASKS=1` turns this off.",
        "## Claude Desktop",
        f"Open the file `{APP_NAME}-VERSION.mcpb` of a release with Claude Desktop, which asks for the two settings. Or put "
        "this into `claude_desktop_config.json`:",
        block("json", mcp_servers(CLONE)),
        "The same with environment variables, which other clients with `mcpServers` accept too:",
        block("json", with_env(CLONE)),
        "## VS Code",
        "In `.vscode/mcp.json`:",
        block("json", vscode_file(CLONE)),
        "## Cursor",
        "In `~/.cursor/mcp.json`:",
        block("json", mcp_servers(CLONE)),
        "## Codex",
        "In `~/.codex/config.toml`:",
        block("toml", codex(CLONE)),
        "`codex exec` sends its first request before the server has listed its tools. With `required = true` in this table, "
        "Codex waits for the server, and does not start if the server fails.",
        "## Gemini CLI",
        "In `~/.gemini/settings.json`:",
        block("json", gemini(CLONE)),
        "In an untrusted folder, Gemini CLI does not start any server, and `gemini mcp list` shows this one as "
        "Disabled. Trust the folder when Gemini CLI asks, or with `/permissions trust`; a script passes `--skip-trust` "
        "or sets `GEMINI_CLI_TRUST_WORKSPACE=true`.",
        "## OpenCode",
        "In `~/.config/opencode/opencode.json`:",
        block("json", opencode(CLONE)),
        "## Zed",
        "In its `settings.json`:",
        block("json", zed(CLONE)),
        "## LM Studio",
        "In its `mcp.json`:",
        block("json", mcp_servers(CLONE)),
        "## Goose",
        "In `~/.config/goose/config.yaml`:",
        block("yaml", goose(CLONE)),
        "## Cline",
        block("sh", cline(CLONE)),
        f'Cline waits 60 s for an answer. Put `"timeout": {ANSWER_S}` (seconds) next to `"transport"` in '
        "`~/.cline/data/settings/cline_mcp_settings.json`. Its command line passes a screenshot to the model as text, which "
        "fills the context window: use `page_elements` or `look_at_chrome_tab` instead.",
        "## GitHub Copilot CLI",
        block("sh", copilot(CLONE)),
        "## Qwen Code",
        block("sh", qwen_code(CLONE)),
        "`qwen mcp list` gives a server 5 s to start, and shows a slower one, as on the first start, as Disconnected. In a "
        "session Qwen Code waits longer.",
        "## Continue",
        "In `~/.continue/config.yaml`:",
        block("yaml", continue_file(CLONE)),
        "Its command line `cn` waits 60 s for an answer, and no setting changes that. With `--max-seconds 50` the server "
        "replies in time: with an answer about what the model has read by then, or with an error that says what to do. "
        "Screenshots reach the model as text, as in Cline.",
        "## Agent libraries",
        "LangChain's MCP adapters, mcp-use, smolagents, Strands Agents, CrewAI and Semantic Kernel wait as long as an answer "
        "takes. The others need a longer limit:",
        "\n".join(
            [
                "| library | waits | longer |",
                "|---|---|---|",
                f"| Agno | 10 s | `MCPTools(..., timeout_seconds={ANSWER_S})` |",
                f"| AutoGen | 5 s | `StdioServerParams(..., read_timeout_seconds={ANSWER_S})` |",
                f"| Google ADK | 5 s | `StdioConnectionParams(..., timeout={ANSWER_S})` |",
                f"| LlamaIndex | 30 s | `BasicMCPClient(..., timeout={ANSWER_S})` |",
                f"| OpenAI Agents SDK | 5 s | `MCPServerStdio(..., client_session_timeout_seconds={ANSWER_S})` |",
                f"| Pydantic AI | 300 s | `MCPToolset(..., read_timeout={ANSWER_S})` |",
            ]
        ),
        "## Once published",
        f"The package `{PACKAGE.args[0]}` is not on PyPI yet. Once it is, the command is `{PACKAGE.line}` instead of "
        f"`{CLONE.line}`, and these links add the server with one click:",
        "\n".join(
            [
                f"* [Add to VS Code]({vscode_link()}), which asks for the two settings.",
                f"* [Add to Cursor]({cursor_link()}), then change the address and the model.",
                f"* [Add to LM Studio]({lm_studio_link()}), then change the address and the model.",
                f"* [Add to Goose]({goose_link()}), then change the address and the model.",
            ]
        ),
        "## Others",
        "Most clients accept the entry for Claude Desktop. Clients that cannot start programs connect over HTTP: "
        "[one server for every client](http.md).",
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
