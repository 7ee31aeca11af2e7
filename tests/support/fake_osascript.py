"""A fake `osascript` on PATH: it records how it was called and plays what a test has set up.

It runs no AppleScript; `tests/support/applescript_evaluator.py` does.
"""

import dataclasses
import os
from pathlib import Path

import pytest

PROGRAM = """#!/bin/sh
# Fake osascript for tests.
here='{folder}'
printf '%s\\0' "$CHROME_TAB_CLIPBOARD" "$CHROME_TAB_CONTENT" "$@" >"$here/calls/$$"
if [ -f "$here/play" ]; then . "$here/play"; fi
cat "$here/stdout"
if [ -s "$here/stderr" ]; then cat "$here/stderr" >&2; fi
read -r status <"$here/status"
exit "$status"
"""


@dataclasses.dataclass(frozen=True)
class Call:
    """One run of the program."""

    clipboard: str
    content: str
    script: Path
    arguments: list[str]


class FakeOsascript:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "calls").mkdir(parents=True)
        self.bin = folder / "bin"
        self.bin.mkdir()
        program = self.bin / "osascript"
        program.write_text(PROGRAM.format(folder=folder), encoding="ascii")
        program.chmod(0o755)
        self.shows("the page")

    def shows(
        self, text: str | bytes, *, about: str = '{"url": "https://page.test/", "title": "A page"}', mode: str = ""
    ) -> None:
        """Succeed with a text, and with what the script logs about the page and its window."""
        data = text.encode() if isinstance(text, str) else text
        self._answers(data + b"\n", f"chrome_tab_page {mode}{about}\n" if about else "", 0)

    def fails(self, message: str, number: int | None) -> None:
        """Fail as osascript does."""
        ending = f" ({number})" if number is not None else ""
        self._answers(b"", f"chrome_tab.scpt:1234:1299: execution error: {message}{ending}\n", 1)

    def says(self, *, stdout: bytes = b"", stderr: str = "", status: int = 0) -> None:
        """Respond with these bytes and this status."""
        self._answers(stdout, stderr, status)

    def plays(self, shell: str) -> None:
        """Run a piece of shell first; `$here` is `folder`."""
        (self.folder / "play").write_text(shell, encoding="utf-8")

    def calls(self) -> list[Call]:
        """Return the calls so far, in order."""
        files = sorted((self.folder / "calls").iterdir(), key=lambda file: file.stat().st_mtime_ns)
        found: list[Call] = []
        for file in files:
            clipboard, content, script, *arguments = file.read_bytes().decode().split("\0")[:-1]
            found.append(Call(clipboard, content, Path(script), arguments))
        return found

    def _answers(self, stdout: bytes, stderr: str, status: int) -> None:
        (self.folder / "stdout").write_bytes(stdout)
        (self.folder / "stderr").write_text(stderr, encoding="utf-8")
        (self.folder / "status").write_text(f"{status}\n", encoding="ascii")


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOsascript:
    """Put a fake osascript first on PATH."""
    fake = FakeOsascript(folder)
    monkeypatch.setenv("PATH", f"{fake.bin}{os.pathsep}{os.environ['PATH']}")
    return fake
