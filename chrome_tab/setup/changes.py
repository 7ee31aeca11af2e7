"""Changes that `--setup` makes: shown first, files replaced whole or not at all, programs run without a shell."""

from __future__ import annotations

import difflib
import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import chrome_tab_mcp_server as server
from chrome_tab.setup.terminal import SetupError, Terminal

__all__ = [
    "BACKUP",
    "Change",
    "backup_of",
    "carry_out",
    "differing",
    "file_change",
    "read_file",
    "replace_file",
    "require_writable",
    "run_program",
]

PROGRAM_TIMEOUT_S = 60.0
BACKUP = ".before-setup"


class Change(NamedTuple):
    """Something to be changed: what for, the lines that say how, and what makes it."""

    title: str
    lines: Sequence[str]
    make: Callable[[], None]


def carry_out(terminal: Terminal, change: Change, question: str, *, proposed: bool = True) -> bool:
    """Show a change, ask, make it; say whether it has been made."""
    terminal.say(change.title)
    for line in change.lines:
        terminal.exact(f"  {line}", {"+": "green", "-": "red"}.get(line[:1], "cyan"))
    if not terminal.confirm(question, proposed=proposed):
        terminal.say("Nothing was changed.")
        return False
    try:
        change.make()
    except SetupError as problem:
        terminal.fail(str(problem))
        return False
    except OSError as error:
        terminal.fail(f"The change failed ({error.strerror or error}). Fix the cause, then run --setup again.")
        return False
    return True


def read_file(path: Path) -> str | None:
    """Return a file's text with its own line ends, None when there is no file; raise SetupError for any other."""
    try:
        return server.read_regular(path).decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or error
        raise SetupError(f"{path} cannot be read ({problem}), so it stays as it is.") from None


def require_writable(path: Path) -> None:
    """Raise SetupError for a file that is write-protected or that another user owns.

    A file is replaced with the permissions of its folder, so its own are checked here. `os.access` allows root
    everything, so mode and owner are checked too: what root replaces, its owner could no longer write.
    """
    try:
        about = path.stat()
    except FileNotFoundError:
        return
    if os.name == "posix" and about.st_uid != os.geteuid():
        raise SetupError(f"{path} belongs to another user, so it stays as it is. Run --setup as that user.")
    if not about.st_mode & stat.S_IWUSR or not os.access(path, os.W_OK):
        raise SetupError(f"{path} is write-protected, so it stays as it is. Allow writing, then run --setup again.")


def differing(before: str, after: str) -> list[str]:
    """Return the lines that go and come, marked by `-` and `+`."""
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]


def file_change(title: str, lines: Sequence[str], path: Path, before: str | None, after: str | None) -> Change:
    """Return the change of a file, unless somebody else changes it meanwhile; None as `after` deletes it.

    Raises SetupError when the file may not be written.
    """
    require_writable(path)

    def make() -> None:
        if read_file(path) != before:
            raise SetupError(f"{path} has been changed meanwhile, so it stays as it is. Run --setup again.")
        if after is None:
            path.unlink()
        else:
            replace_file(path, after)

    return Change(title, lines, make)


def replace_file(path: Path, text: str) -> None:
    """Write a file whole or not at all, through a link if it is one, and read it back; keep its earlier state next to it."""
    require_writable(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    target = path.resolve()
    if target.exists():
        with server.private_draft(target, server.read_regular(target)) as draft:
            shutil.copystat(target, draft)
            draft.replace(backup_of(target))
    with server.private_draft(target, text.encode()) as draft:
        if target.exists():
            shutil.copystat(target, draft)
            os.utime(draft)
        draft.replace(target)
    if read_file(path) != text:
        raise SetupError(f"{path} does not hold what was written to it. Check the file, then run --setup again.")


def backup_of(path: Path) -> Path:
    """Return where a file's state before the last change is kept."""
    target = path.resolve()
    return target.with_name(target.name + BACKUP)


def run_program(title: str, call: Sequence[str], fine: Collection[int] = (0,)) -> None:
    """Run a command of another program's own; raise SetupError with its last line when it fails."""
    try:
        done = subprocess.run(  # noqa: S603 -- an argument vector of ours, no shell
            call, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROGRAM_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{title} could not be asked ({server.one_line(str(error), 120)}).") from None
    if done.returncode not in fine:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().rpartition("\n")[2]
        raise SetupError(f"{title} refused: {server.one_line(said) or f'status {done.returncode}'}.")
