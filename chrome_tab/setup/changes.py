"""Changes by `--setup`: each is shown first, files are replaced atomically, programs are run without a shell."""

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
    """A change: its title, the lines that show it, and the function that makes it."""

    title: str
    lines: Sequence[str]
    make: Callable[[], None]


def carry_out(terminal: Terminal, change: Change, question: str) -> bool:
    """Show a change, ask, and make it; return whether it was made."""
    terminal.say(change.title)
    for line in change.lines:
        terminal.exact(f"  {line}", {"+": "green", "-": "red"}.get(line[:1], "cyan"))
    if not terminal.confirm(question):
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
    """Return a file's text with its original line endings, or None if there is no file; raise SetupError otherwise."""
    try:
        return server.read_regular(path).decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or error
        raise SetupError(f"{path} cannot be read ({problem}), so it stays as it is.") from None


def require_writable(path: Path) -> None:
    """Raise SetupError for a file that is write-protected or owned by another user.

    Replacing a file only takes write access to its folder, so the file's own permissions are checked here. `os.access`
    allows root everything, so mode and owner are checked too: a file replaced by root would no longer be its owner's.
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
    """Return the removed and added lines, marked with `-` and `+`."""
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]


def file_change(title: str, lines: Sequence[str], path: Path, before: str | None, after: str | None) -> Change:
    """Return the change of a file, which fails if something else changed it meanwhile; `after=None` deletes it.

    Raises SetupError if the file may not be written.
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
    """Replace a file atomically, following a link, and read it back; keep a backup next to it."""
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
        raise SetupError(f"{path} does not contain what was written to it. Check the file, then run --setup again.")


def backup_of(path: Path) -> Path:
    """Return the path of a file's backup from before the last change."""
    target = path.resolve()
    return target.with_name(target.name + BACKUP)


def run_program(title: str, call: Sequence[str], fine: Collection[int] = (0,)) -> None:
    """Run another program; raise SetupError with the last line of its output if it fails."""
    try:
        done = subprocess.run(  # noqa: S603 -- our own argument list, no shell
            call, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROGRAM_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = f"{title} could not be run ({server.one_line(str(error), 120)})."
        raise SetupError(f"{problem} Fix the cause, then run --setup again.") from None
    if done.returncode not in fine:
        message = (done.stderr or done.stdout).decode(errors="replace").strip().rpartition("\n")[2]
        problem = f"{title} failed: {server.one_line(message).rstrip('.') or f'status {done.returncode}'}."
        raise SetupError(f"{problem} Fix the cause, then run --setup again.")
