"""Start `--serve` at login: a systemd user unit on Linux, a launchd agent on macOS. `--setup` offers and removes it.

The written file contains the command and no secrets: the server reads its settings from config.toml, as always.
"""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import chrome_tab_mcp_server as server
from chrome_tab.setup.changes import (
    Change,
    backup_of,
    carry_out,
    differing,
    read_file,
    replace_file,
    require_writable,
    run_program,
)
from chrome_tab.setup.clients import start_command
from chrome_tab.setup.terminal import SetupError, Terminal

__all__ = ["no_start_at_login", "start_at_login"]

RESTART_S = 10
# After this many starts within this time systemd gives up. launchd has no such limit, so it waits between starts.
MAX_STARTS, STARTS_WITHIN_S = 5, 300
# The configuration is invalid: restarting would not help.
HOPELESS_STATUS = 2


# launchctl's exit statuses if the job is not loaded (old and new versions), or is just stopping.
ENDED_STATUSES = (0, 3, 113, 36)


class Agent(NamedTuple):
    """What starts the server at login: its file and text, commands to start and stop it, other files, and its log.

    `ended` are the exit statuses of `end` which mean that it no longer runs.
    """

    path: Path
    text: str
    begin: list[list[str]]
    end: list[list[str]]
    leftovers: list[Path]
    log: str
    ended: tuple[int, ...] = (0,)


def agent_for(command: Sequence[str]) -> Agent | None:
    """Return the agent that starts a command at login; None if this system has neither systemd nor launchd."""
    if sys.platform == "darwin" and (launchctl := shutil.which("launchctl")):
        return launch_agent(command, launchctl)
    if sys.platform == "linux" and (systemctl := shutil.which("systemctl")):
        return user_unit(command, systemctl)
    return None


def why_none() -> str:
    """Return why `--setup` cannot set up a start at login here, and how to do it by hand."""
    if sys.platform == "win32":
        return (
            "On Windows --setup cannot set up a start at login: put a shortcut to the command with --serve into the folder that "
            "Win+R, shell:startup opens."
        )
    return (
        "This system has no systemd, so --setup cannot set up a start at login. Run the server with --serve yourself."
    )


def user_unit(command: Sequence[str], systemctl: str) -> Agent:
    """Return a unit for the user's systemd, which has neither their terminal nor its environment."""
    # systemd does not expand variables in the program's path, so a dollar sign there must not be doubled.
    words = [*map(quoted, command[:1]), *(quoted(argument).replace("$", "$$") for argument in command[1:])]
    name = f"{server.APP_NAME}.service"
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    text = f"""\
# Created by --setup of Chrome Tab Reader; --setup remove deletes it.
[Unit]
Description=Chrome Tab Reader for the browser's side panel
StartLimitBurst={MAX_STARTS}
StartLimitIntervalSec={STARTS_WITHIN_S}

[Service]
ExecStart={" ".join(words)}
Restart=on-failure
RestartSec={RESTART_S}
RestartPreventExitStatus={HOPELESS_STATUS}

[Install]
WantedBy=default.target
"""
    ask = [systemctl, "--user"]
    return Agent(
        folder / name,
        text,
        [[*ask, "daemon-reload"], [*ask, "enable", name], [*ask, "restart", name]],
        [[*ask, "disable", "--now", name]],
        [folder / "default.target.wants" / name],
        f"journalctl --user -u {server.APP_NAME}",
    )


def quoted(text: str) -> str:
    """Return a text quoted for a systemd unit: quotes, backslashes and percent signs are escaped."""
    return '"' + re.sub(r'[\\"]', r"\\\g<0>", text).replace("%", "%%") + '"'


def launch_agent(command: Sequence[str], launchctl: str) -> Agent:
    """Return an agent for the user's launchd."""
    library = Path.home() / "Library"
    log = library / "Logs" / f"{server.APP_NAME}.log"
    path = library / "LaunchAgents" / f"{server.APP_NAME}.plist"
    about = {
        "Label": server.APP_NAME,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": STARTS_WITHIN_S // MAX_STARTS,
        "StandardOutPath": str(log),
        "StandardErrorPath": str(log),
    }
    domain = f"gui/{os.getuid()}"
    return Agent(
        path,
        plistlib.dumps(about, sort_keys=False).decode(),
        [[launchctl, "bootstrap", domain, str(path)]],
        [[launchctl, "bootout", f"{domain}/{server.APP_NAME}"]],
        [log],
        str(log),
        ENDED_STATUSES,
    )


# --- The steps of --setup ---


def start_at_login(terminal: Terminal, settings: server.Settings, *, wanted: bool) -> None:
    """Offer to start a server for the side panel at login; with `wanted` the default answer is yes."""
    agent = agent_for([*start_command(settings), "--serve"])
    if agent is None:
        (terminal.fail if wanted else terminal.say)(why_none())
        return
    try:
        before = read_file(agent.path)
    except SetupError as problem:
        terminal.fail(str(problem))
        return
    if before == agent.text:
        terminal.say(f"The server already starts at login ({agent.path}).")
        return
    if terminal.yes and not wanted and before is None:
        terminal.say("No server starts at login. --at-login adds one for the browser's side panel.")
        return
    offer = "A server for the browser's side panel can start at login, so that the panel works without a client. Set that up?"
    if not terminal.confirm(offer, proposed=wanted or before is not None):
        terminal.say("Nothing was changed.")
    elif carry_out(terminal, login_change(agent, before), "Start it now and at each login?"):
        terminal.say(f"The server is running, and starts at each login. Its log: {agent.log}", "green")


def login_change(agent: Agent, before: str | None) -> Change:
    """Return the change that starts the server now and at each login."""

    def make() -> None:
        require_writable(agent.path)
        if before is not None:
            end(agent)
        replace_file(agent.path, agent.text)
        try:
            for call in agent.begin:
                run_program(Path(call[0]).name, call)
        except SetupError:
            delete(agent)
            raise

    title = f"These lines change in {agent.path}, and these commands run:"
    return Change(title, [*differing(before or "", agent.text), *shown_calls(agent.begin)], make)


def no_start_at_login(terminal: Terminal) -> None:
    """Remove the start at login."""
    agent = agent_for([])
    if agent is None or not agent.path.is_file():
        terminal.say("The server does not start at login.")
        return

    def make() -> None:
        try:
            end(agent)
        finally:
            delete(agent)

    lines = [*shown_calls(agent.end), *(f"- {path}" for path in files_of(agent))]
    if carry_out(
        terminal, Change("The server will be stopped and its file deleted:", lines, make), "Stop starting it at login?"
    ):
        terminal.say("Stopped and deleted.", "green")


def shown_calls(calls: Sequence[Sequence[str]]) -> list[str]:
    """Return commands as a user would type them."""
    return [" ".join([Path(call[0]).name, *call[1:]]) for call in calls]


def end(agent: Agent) -> None:
    """Stop the server that was started at login; it may have stopped already."""
    for call in agent.end:
        run_program(Path(call[0]).name, call, agent.ended)


def files_of(agent: Agent) -> list[Path]:
    """Return the existing files of the start at login."""
    return [path for path in (agent.path, backup_of(agent.path), *agent.leftovers) if path.is_file()]


def delete(agent: Agent) -> None:
    """Delete the existing files of the start at login."""
    for path in files_of(agent):
        path.unlink(missing_ok=True)
