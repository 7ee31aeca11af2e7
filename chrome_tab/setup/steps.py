"""Setup in the terminal: `chrome_tab_mcp_server.py --setup`, and `--setup remove`, which undoes it.

A run can be repeated: find a model, write config.toml, pair the extension, register the server with the installed
clients, and get a first answer. Each change is shown before it is made, files are replaced atomically, and a backup
is kept next to each. No shell is ever run.

Chapters: 1 Settings. 2 Browser. 3 First answer. 4 Setup and removal.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
import shlex
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyperclip
import tomlkit

import chrome_tab_mcp_server as server
from chrome_tab import history as chrome_tab_history
from chrome_tab import launcher
from chrome_tab.bridge import pairing, protocol
from chrome_tab.cli.progress import terminal_progress
from chrome_tab.extension.source import PAIRING_WAIT_S, ExtensionSource
from chrome_tab.setup.autostart import no_start_at_login, start_at_login
from chrome_tab.setup.changes import BACKUP, Change, backup_of, carry_out, differing, file_change, read_file
from chrome_tab.setup.clients import (
    CLIENT_NAMES,
    Client,
    chosen_clients,
    client_change,
    clients_here,
    entry_of,
    is_registered,
    register,
    start_command,
)
from chrome_tab.setup.models import find_model
from chrome_tab.setup.terminal import SetupError, Terminal

__all__ = ["run"]


# --- 1. Settings -----------------------------------------------------------------------------


def settings_text(before: str, values: Mapping[str, Any]) -> str:
    """Return config.toml with the values set; comments and everything else stay unchanged."""
    document = tomlkit.parse(before)
    for name, value in values.items():
        if name not in document or document[name] != value:
            document[name] = value
    text = tomlkit.dumps(document)
    if tomllib.loads(text) != tomllib.loads(before) | dict(values):
        raise SetupError("Your config.toml cannot be changed without losing other content. Add the lines by hand.")
    return text


def write_settings(terminal: Terminal, path: Path, values: Mapping[str, Any]) -> None:
    """Write the values into the configuration file."""
    before = read_file(path)
    after = settings_text(before or "", values)
    if after == (before or ""):
        terminal.say(f"Your settings are up to date: {path}")
        return
    lines = [re.sub(r"(api_key\s*=).*", r"\1 ...", line) for line in differing(before or "", after)]
    change = file_change(f"These lines change in {path}:", lines, path, before, after)
    if carry_out(terminal, change, "Write it?"):
        terminal.say("Written." + (f" The earlier file: {backup_of(path)}" if before is not None else ""))


def given_values(settings: server.Settings, flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the other settings from the command line, which are to be saved."""
    return {name: getattr(settings, name) for name in flags if name not in {"config", "ollama_url", "model"}}


# --- 2. Browser ------------------------------------------------------------------------------


def pair_browser(terminal: Terminal, settings: server.Settings) -> bool:
    """Show the connection string, wait for the extension if the user agrees; return whether pages can be read."""
    by_script = sys.platform == "darwin" and settings.source != "extension"
    if by_script:
        terminal.say("On a Mac, AppleScript reads pages without the extension:")
        for layer in asyncio.run(server.AppleScriptSource(settings).layers()):
            terminal.say(str(layer))
        terminal.say("The extension also lets an agent drive a page. You can pair it at any time.")
    line = pairing.connection_string(settings.port, pairing.pairing_key())
    try:
        was_here = pairing.last_port() == settings.port
        version = connected_version(terminal, settings, protocol.EXTENSION_WAIT_S if was_here else 0)
    except server.ChromeTabError as problem:
        terminal.fail(problem.message)
        return by_script
    if version:
        terminal.say(f"The extension is connected, version {version}.", "green")
        terminal.say("To pair it again, paste this line:")
    else:
        terminal.say(
            "In Chrome open chrome://extensions, turn on Developer mode, press Load unpacked and choose this folder:"
        )
        extension = server.EXTENSION.resolve()
        terminal.exact(f"  {extension}", "cyan")
        if any(part.startswith(".") for part in extension.parts):
            keys = "Cmd+Shift+G" if sys.platform == "darwin" else "Ctrl+L"
            terminal.say(f"A folder in this path is hidden: press {keys} in the dialog and paste the path.")
        if launcher.for_one_run(extension):
            lasting = shlex.join(["uv", "tool", "install", launcher.origin()])
            terminal.say(
                "uvx made this folder for one run, so uv may delete it, and the extension with it. To keep the extension, "
                f"run `{lasting}`, then `{server.APP_NAME} --setup`.",
                "yellow",
            )
        terminal.say("A page opens. Paste this line there, or into the extension's popup, and press Connect:")
    terminal.exact(line, "cyan")
    terminal.say(f"This line is a password for your browser, stored in {server.config_dir() / 'key'}: do not share it.")
    offer_copy(terminal, line)
    is_there = version is not None or wait_for_extension(terminal, settings, proposed=not by_script)
    return is_there or by_script


def offer_copy(terminal: Terminal, line: str) -> None:
    """Put a line on the clipboard if the user agrees; do not ask where there is no clipboard."""
    copy: Any = pyperclip.determine_clipboard()[0]  # false where there is none
    if terminal.yes or not copy or not terminal.confirm("Copy the line to the clipboard?"):
        return
    try:
        copy(line)
    except (pyperclip.PyperclipException, OSError):
        terminal.say("The clipboard does not accept it. Select the line and copy it.", "yellow")
    else:
        terminal.say("Copied.")


def connected_version(terminal: Terminal, settings: server.Settings, wait_s: float) -> str | None:
    """Wait for the extension and return its version; None if it does not connect.

    Raises ChromeTabError if the port cannot be used.
    """

    async def wait() -> str | None:
        async with ExtensionSource(settings) as source:
            try:
                await source.bridge.reach(wait_s)
            except server.ChromeTabError:
                if source.bridge.problem:
                    raise
                return None
            return source.bridge.browsers[0]["version"]

    with terminal.console.status("Waiting for the extension ..."):
        return asyncio.run(wait())


def wait_for_extension(terminal: Terminal, settings: server.Settings, *, proposed: bool) -> bool:
    """Wait for the extension if the user agrees; return whether it is connected. Ctrl+C ends only the wait."""
    if terminal.yes:
        terminal.say(
            "With --yes, --setup does not wait for the extension. Run --doctor to check whether it is connected."
        )
        return False
    version = None
    if terminal.confirm("Wait for the extension now?", proposed=proposed):
        terminal.say(f"This takes at most {PAIRING_WAIT_S / 60:g} minutes. Ctrl+C continues without it.")
        with contextlib.suppress(KeyboardInterrupt):
            version = connected_version(terminal, settings, PAIRING_WAIT_S)
    if version:
        terminal.say(f"The extension is connected, version {version}.", "green")
    else:
        terminal.say("Continuing without the extension. You can paste the line later: it stays valid.")
    return version is not None


# --- 3. First answer -------------------------------------------------------------------------

PAGE = server.Page(
    "https://clocks.example/visit",
    "Visit the Clock Museum",
    "Visit the Clock Museum\n\n"
    "Open Tuesday to Sunday, 10:00 to 17:00. Closed on Mondays.\n"
    "Adults pay 9 EUR, children under 12 nothing, a family of four 20 EUR.\n"
    "The tower clock strikes at noon; be there ten minutes earlier.",
    "extension",
)
QUESTION = "On which day is the museum closed, and what does an adult pay? Answer in one sentence."


def first_answer(terminal: Terminal, settings: server.Settings) -> None:
    """Ask the model about a sample page."""
    terminal.say("A sample page:")
    for line in PAGE.text.splitlines():
        terminal.say(line, "dim", indent=2)
    terminal.say(f"Question: {QUESTION}")

    async def ask() -> server.Answer:
        with terminal_progress() as progress:
            async with server.ChromeTabs(settings) as tabs, progress:
                return await tabs.analyzer.answer(PAGE, server.build_query(settings, QUESTION), progress)

    try:
        answer = asyncio.run(ask())
    except server.ChromeTabError as error:
        terminal.fail(f"{error.message} [{error.code}]")
    else:
        for line in f"Answer: {answer.text}".splitlines():
            terminal.say(line, "green")
        terminal.say(answer.read, "dim")


# --- 4. Setup and removal -------------------------------------------------------------------


def set_up(terminal: Terminal, flags: Mapping[str, Any], names: str | None, *, at_login: bool) -> None:
    """Run all steps; each skips what is already done."""
    settings = server.load_settings(flags, need_model=False)
    path, _ = server.config_file(flags.get("config"))
    terminal.say(f"Setting up Chrome Tab Reader. {terminal.manner()}")
    terminal.heading("A model on this machine")
    values = find_model(terminal, settings, flags) | given_values(settings, flags)
    if values:
        terminal.heading("Settings")
        write_settings(terminal, path, values)
        settings = server.load_settings({name: flags[name] for name in flags if name == "config"}, need_model=False)
    terminal.heading("The browser")
    can_read = pair_browser(terminal, settings)
    terminal.heading("Your MCP clients")
    here = chosen_clients(terminal, names)
    if server.missing_settings(settings):
        if here:
            terminal.say(f"{', '.join(client.title for client in here)} can be registered once there is a model.")
        conclude(terminal, settings, can_read=can_read)
        return
    register(terminal, here, start_command(settings))
    terminal.heading("Without a client")
    start_at_login(terminal, settings, wanted=at_login)
    terminal.heading("A first answer")
    first_answer(terminal, settings)
    conclude(terminal, settings, can_read=can_read)


def conclude(terminal: Terminal, settings: server.Settings, *, can_read: bool) -> None:
    """Summarize what is ready, and end with the one thing to do next."""
    command = start_command(settings)
    has_model = not server.missing_settings(settings)
    clients = [client.title for client in clients_here() if is_ready(client, command)]
    terminal.heading("Summary")
    parts = {
        "Model": f"{settings.model} at {settings.ollama_url}" if has_model else "",
        "Reading pages": "yes" if can_read else "",
        "Clients": ", ".join(clients),
    }
    for name, state in parts.items():
        terminal.say(f"{name + ':':<15}{state or 'not yet'}", "green" if state else "yellow", indent=2)
    terminal.say("")
    terminal.say(f"Next: {next_step(terminal, can_read=can_read, has_client=bool(clients))}", "bold")


def is_ready(client: Client, command: Sequence[str]) -> bool:
    """Return whether a client's file starts this server."""
    try:
        return is_registered(entry_of(client), command)
    except SetupError:
        return False


def next_step(terminal: Terminal, *, can_read: bool, has_client: bool) -> str:
    """Return the one thing for the user to do now."""
    again = f"Then run `{server.start_command()} --setup` again."
    if terminal.next_step:
        return f"{terminal.next_step} {again}"
    if terminal.failed:
        return f"Fix what is marked FIX above. {again}"
    if not can_read:
        return "Load the extension from the folder above, and paste the connection string into the page that opens."
    if not has_client:
        return (
            f"Run `{server.start_command()} --serve`, open a page, click the extension's icon, and ask about the page."
        )
    return "Open a page in the browser, and ask your client what this tab says."


def remove(terminal: Terminal, names: str | None) -> None:
    """Undo what set_up did, step by step; list what remains."""
    terminal.say(f"Removing Chrome Tab Reader. {terminal.manner()}")
    terminal.heading("Your MCP clients")
    here = chosen_clients(terminal, names, may_be_missing=True)
    for client in here:
        try:
            change = client_change(client, None)
        except SetupError as problem:
            terminal.fail(f"{client.title}: {problem} If it contains {server.APP_NAME}, remove that entry by hand.")
            continue
        if change is None:
            terminal.say(f"{client.title} does not have the server.")
        elif carry_out(terminal, change, f"Remove it from {client.title}?"):
            terminal.say("Removed.", "green")
    terminal.heading("Start at login")
    no_start_at_login(terminal)
    folder = server.config_dir()
    terminal.heading("Settings and pairing key")
    ours = ("config.toml", f"config.toml{BACKUP}", "key", "last-port", "paired", "delimiter-secret", "browsers.json")
    files = [path for path in (*(folder / name for name in ours), server.memory_file()) if path.is_file()]

    delete = functools.partial(delete_with_folders, files)
    if not files:
        terminal.say(f"There are no files in {folder}.")
    elif carry_out(
        terminal, Change("These files will be deleted:", [f"- {path}" for path in files], delete), "Delete them?"
    ):
        terminal.say("Deleted.", "green")
    terminal.heading("What remains")
    for line in what_stays(here, folder, [path for path in files if path.is_file()]):
        terminal.say(line, indent=2)


def delete_with_folders(files: Sequence[Path]) -> None:
    """Delete files, and their folders if these are empty then."""
    for path in files:
        path.unlink(missing_ok=True)
    for folder in {path.parent for path in files}:
        with contextlib.suppress(OSError):
            folder.rmdir()


def what_stays(here: Sequence[Client], folder: Path, kept: Sequence[Path]) -> list[str]:
    """Return a line for each remaining file or component of ours; `kept` are files that the user did not delete."""
    backups = [backup_of(client.path) for client in here if backup_of(client.path).exists()]
    left = [folder] if folder.is_dir() and {*folder.iterdir()} - {*kept} else []
    history = [path for path in [chrome_tab_history.History().path] if path.exists()]
    is_tool = Path(sys.prefix, "uv-receipt.toml").is_file()
    by_uv = f". `uv tool uninstall {server.APP_NAME}` deletes it." if is_tool else ""
    return [
        "The extension: remove it in chrome://extensions.",
        *(f"{path}: the file before the last change. You can delete it." for path in backups),
        *(f"{path}: your questions and answers. You can delete it." for path in history),
        *(f"{path}: you kept it." for path in kept),
        *(f"{path}: contains other files of yours." for path in left),
        "The libraries in uv's cache: `uv cache prune` deletes those that nothing uses any more.",
        f"The program: {server.FILES if server.IS_INSTALLED else server.HERE}{by_uv}",
    ]


def complaint(terminal: Terminal, clients: str | None) -> str | None:
    """Return what is wrong with the command line, or None."""
    unknown = set(filter(None, map(str.strip, (clients or "").split(",")))) - {*CLIENT_NAMES, "none"}
    if unknown:
        return f"--clients does not know {min(unknown)!r}. Choose from {', '.join(CLIENT_NAMES)}, or none."
    if not terminal.yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "--setup asks questions: run it in a terminal, or add --yes to accept every proposal."
    return None


def run(what: str, flags: Mapping[str, Any], further: Mapping[str, Any]) -> int:
    """Set up, or undo it if `what` is "remove"; return the exit status (2: wrong usage, 1: something is left to fix).

    `further` contains the flags of --setup itself: `yes`, `at_login`, and `clients`, their names or None.
    """
    terminal, clients = Terminal(yes=bool(further["yes"])), further["clients"]
    if wrong := complaint(terminal, clients):
        server.print_message(wrong)
        return 2
    try:
        if what == "remove":
            remove(terminal, clients)
        else:
            set_up(terminal, flags, clients, at_login=bool(further["at_login"]))
    except ValueError as error:
        server.print_message(error)
        return 2
    except SetupError as problem:
        terminal.fail(str(problem))
    except server.ChromeTabError as error:
        terminal.fail(f"{error.message} [{error.code}]")
    except (KeyboardInterrupt, EOFError):
        terminal.say("")
        terminal.say("Stopped. Completed steps are kept, and no file is half-written. Run --setup again to continue.")
        return 130
    return 1 if terminal.failed else 0
