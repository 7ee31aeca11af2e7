"""The MCP clients on this machine, and how `--setup` registers the server with them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

import chrome_tab_mcp_server as server
from chrome_tab import launcher
from chrome_tab.setup.changes import Change, carry_out, differing, file_change, read_file, run_program
from chrome_tab.setup.json_edit import edited, without_comments
from chrome_tab.setup.terminal import SetupError, Terminal

__all__ = [
    "CLIENT_NAMES",
    "Client",
    "chosen_clients",
    "client_change",
    "clients_here",
    "entry_of",
    "is_registered",
    "register",
    "start_command",
]


class Client(NamedTuple):
    """An MCP client: its name for --clients and its title, the file with its servers and their section in that file.

    `program` is the client's own command, which makes the change if there is one; `place` exists if the client does.
    `has_comments`: the client accepts comments in its file. Such a file is read, but not edited.
    """

    name: str
    title: str
    path: Path
    place: Path
    section: str = "mcpServers"
    program: str | None = None
    has_comments: bool = False


def clients_here() -> list[Client]:
    """Return the clients that are installed here."""
    home, settings = Path.home(), platformdirs.user_config_path(roaming=True)
    desktop, code, cursor = settings / "Claude", settings / "Code" / "User", home / ".cursor"
    claude = shutil.which("claude") or shutil.which(str(home / ".claude" / "local" / "claude"))
    known = [
        Client("claude-desktop", "Claude Desktop", desktop / "claude_desktop_config.json", desktop),
        Client("cursor", "Cursor", cursor / "mcp.json", cursor),
        Client("vscode", "VS Code", code / "mcp.json", code, "servers", has_comments=True),
    ]
    here = [client for client in known if client.place.is_dir()]
    if claude:
        file = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
        here.insert(0, Client("claude-code", "Claude Code", file, file.parent, program=claude))
    return here


CLIENT_NAMES = ("claude-code", "claude-desktop", "cursor", "vscode")


def start_command(settings: server.Settings) -> list[str]:
    """Return the command for clients to start the server, with absolute paths because clients have their own PATH."""
    script = Path(server.__file__).resolve()
    uv, uvx = shutil.which("uv") or os.environ.get("UV"), shutil.which("uvx")
    if not server.IS_INSTALLED:
        command = [uv, "run", str(script)] if uv else [sys.executable, str(script)]
    elif uvx and launcher.for_one_run(script):
        command = [uvx, *launcher.uvx_arguments()]
    else:
        command = [shutil.which(server.APP_NAME) or str(Path(sys.executable).with_name(server.APP_NAME))]
    return command + (["--config", str(settings.config.expanduser().resolve())] if settings.config else [])


def entry_of(client: Client) -> dict[str, Any] | None:
    """Return a client's entry under our name, or None; raise SetupError for a file that the client cannot read."""
    text = read_file(client.path)
    try:
        content = json.loads(without_comments(text) if client.has_comments else text) if text else {}
        if not isinstance(content.get(client.section, {}), dict):
            raise ValueError(f"{client.section} is not an object")  # noqa: TRY004, TRY301 -- one message for all malformed files
    except (ValueError, AttributeError, RecursionError) as error:
        raise not_edited(client, error) from None
    servers = server.fields(content, client.section)
    entry = servers.get(server.APP_NAME)
    return entry if isinstance(entry, dict) else {} if entry is not None else None


def not_edited(client: Client, error: Exception) -> SetupError:
    """Return the error for a file that cannot be edited."""
    problem = server.one_line(str(error), 100)
    return SetupError(f"{client.path} is not valid JSON, or contains comments ({problem}), so it stays as it is.")


def is_registered(entry: Mapping[str, Any] | None, command: Sequence[str] | None) -> bool:
    """Return whether a client's entry is as intended: it runs `command`, or does not exist if there is no command."""
    return entry is None if command is None else entry is not None and starts(entry, command)


def starts(entry: Mapping[str, Any], command: Sequence[str]) -> bool:
    """Return whether an entry starts this server, possibly with additional flags."""
    arguments = [str(one) for one in entry.get("args") or []]
    same = Path(str(entry.get("command"))).stem == Path(command[0]).stem
    return same and arguments[: len(command) - 1] == list(command[1:])


def wanted_entry(client: Client, command: Sequence[str], entry: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the entry for a client's file; other keys of an existing entry stay."""
    kind = {"type": "stdio"} if client.section == "servers" else {}
    return kind | dict(entry or {}) | {"command": command[0], "args": list(command[1:])}


def client_change(client: Client, command: Sequence[str] | None) -> Change | None:
    """Return the change that registers the server with a client, or removes it if `command` is None; None if done."""
    if command is None and server.APP_NAME not in (read_file(client.path) or ""):
        return None
    entry = entry_of(client)
    if is_registered(entry, command):
        return None
    if client.program:
        return command_change(client, client.program, command, there=entry is not None)
    before = read_file(client.path)
    wanted = wanted_entry(client, command, entry) if command else None
    try:
        after = edited(before or "{}\n", client.section, wanted)
    except ValueError as error:
        raise not_edited(client, error) from None
    lines = differing(shown_entry(entry), shown_entry(wanted))
    if wanted is None and not json.loads(after):
        title = f"{client.title}: {client.path} will be deleted, because it contains nothing else:"
        return file_change(title, lines, client.path, before, None)
    title = f"{client.title}: this will be {'added to' if wanted else 'removed from'} {client.path}:"
    return file_change(title, lines, client.path, before, after)


def shown_entry(entry: Mapping[str, Any] | None) -> str:
    """Return our entry as text; the rest of the file is never shown, since it may contain other servers' keys."""
    return "" if entry is None else f'"{server.APP_NAME}": {json.dumps(entry, indent=2, ensure_ascii=False)}'


def command_change(client: Client, program: str, command: Sequence[str] | None, *, there: bool) -> Change:
    """Return the change that a client's own command makes; an existing entry is removed first."""
    calls: list[list[str]] = []
    if there:
        calls.append([program, "mcp", "remove", "--scope", "user", server.APP_NAME])
    if command:
        calls.append([program, "mcp", "add", "--scope", "user", server.APP_NAME, "--", *command])

    def make() -> None:
        for call in calls:
            run_program(client.title, call)
        require_registered(client, command)

    shown = [launcher.quoted(["claude", *call[1:]]) for call in calls]
    return Change(f"{client.title}: this will be run:", shown, make)


def require_registered(client: Client, command: Sequence[str] | None) -> None:
    """Raise SetupError unless a client's own file confirms what its program reported.

    The program's list of servers is not used, because it starts every one of them.
    """
    try:
        problem = "" if is_registered(entry_of(client), command) else f"{client.path} does not show it."
    except SetupError as error:
        problem = str(error)
    if problem:
        raise SetupError(f"{client.title} reported success, which could not be verified: {problem} Check it there.")


def to_paste(client: Client, command: Sequence[str]) -> str:
    """Return the text for a user to add by hand."""
    if client.program:
        return launcher.quoted(["claude", "mcp", "add", "--scope", "user", server.APP_NAME, "--", *command])
    return json.dumps({client.section: {server.APP_NAME: wanted_entry(client, command, None)}}, ensure_ascii=False)


def register(terminal: Terminal, here: Sequence[Client], command: Sequence[str]) -> None:
    """Register the server with each client that the user agrees to; without any, print the command for another one."""
    if not here:
        terminal.say("Any other client starts the server with this command:")
        terminal.exact(f"  {launcher.quoted(command)}", "cyan")
    for client in here:
        try:
            change = client_change(client, command)
        except SetupError as problem:
            terminal.fail(f"{client.title}: {problem} Add this by hand:")
            terminal.exact(f"  {to_paste(client, command)}", "cyan")
            continue
        if change is None:
            terminal.say(f"{client.title} already has the server ({client.path}).")
        elif carry_out(terminal, change, f"Register with {client.title}?"):
            terminal.say(f"Registered. Restart {client.title} to see it.", "green")


def chosen_clients(terminal: Terminal, names: str | None, *, may_be_missing: bool = False) -> list[Client]:
    """Return the installed clients, or those of them in `names`; report the missing ones."""
    here = clients_here()
    if names is None:
        if not here:
            terminal.say("Claude Code, Claude Desktop, Cursor and VS Code were not found.")
        return here
    if names.strip() in {"", "none"}:
        terminal.say("No client was selected.")
    wanted = [name.strip() for name in names.split(",") if name.strip() not in {"", "none"}]
    for name in wanted:
        if name in {client.name for client in here}:
            continue
        problem = f"{name} was not found on this machine."
        if may_be_missing:
            terminal.say(problem)
        else:
            terminal.fail(f"{problem} Start it once, then run --setup again.")
    return [client for client in here if client.name in wanted]
