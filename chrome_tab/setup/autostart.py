"""`--serve` from login on: a systemd user unit on Linux, a launchd agent on a Mac. `--setup` offers it, and takes it back.

What is written holds the command and nothing secret: the server finds its settings in config.toml, as everywhere.
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

__all__ = ["Agent", "agent_for", "why_none"]

RESTART_S = 10
# So many starts within so long, then systemd leaves it ended. launchd knows no such number: it waits between two.
MAX_STARTS, STARTS_WITHIN_S = 5, 300
# The configuration is wrong, and another start would find it the same.
HOPELESS_STATUS = 2


# What launchctl gives back where the job is no longer there (two of its generations), or is ending at this moment.
ENDED_STATUSES = (0, 3, 113, 36)


class Agent(NamedTuple):
    """What starts the server at login: its file, the commands that begin and end it, what is left beside it, its log.

    `ended` are the exit statuses of `end` that say it runs no longer.
    """

    path: Path
    text: str
    begin: list[list[str]]
    end: list[list[str]]
    leftovers: list[Path]
    log: str
    ended: tuple[int, ...] = (0,)


def agent_for(command: Sequence[str]) -> Agent | None:
    """Return what starts a command at login on this system; None where there is nothing of the kind."""
    if sys.platform == "darwin" and (launchctl := shutil.which("launchctl")):
        return launch_agent(command, launchctl)
    if sys.platform == "linux" and (systemctl := shutil.which("systemctl")):
        return user_unit(command, systemctl)
    return None


def why_none() -> str:
    """Say why `--setup` offers no start at login here, and what does it by hand."""
    if sys.platform == "win32":
        return (
            "On Windows --setup starts nothing at login: put a shortcut to the command with --serve into the folder that "
            "Win+R, shell:startup opens."
        )
    return "This system has no systemd, so --setup starts nothing at login. Run the server with --serve yourself."


def user_unit(command: Sequence[str], systemctl: str) -> Agent:
    """Return a unit of the person's own systemd, which sees neither their terminal nor its environment."""
    # No variable is looked for in the program's path, so a dollar in it stands for itself alone.
    words = [*map(quoted, command[:1]), *(quoted(argument).replace("$", "$$") for argument in command[1:])]
    name = f"{server.APP_NAME}.service"
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    text = f"""\
# Made by Chrome Tab Reader's --setup; --setup remove takes it away.
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
    """Return a text as a unit quotes it: nothing in it is a specifier, an escape or the end of the text."""
    return '"' + re.sub(r'[\\"]', r"\\\g<0>", text).replace("%", "%%") + '"'


def launch_agent(command: Sequence[str], launchctl: str) -> Agent:
    """Return an agent of the person's own launchd."""
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
