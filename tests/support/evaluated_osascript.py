"""An `osascript` on PATH that runs its script in the evaluator, with fake browsers; and a fake `lsappinfo`.

JavaScript is not run: the text of a tab is returned as the page function would return it.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.applescript_evaluator import (
    FakeChrome,
    FakeTab,
    FakeWindow,
    ScriptError,
    Surroundings,
    osascript,
)

if TYPE_CHECKING:  # each start of the fake would load all of it
    import pytest

ROOT = Path(__file__).parent.parent.parent
# Two simultaneous runs leave a marker file.
OSASCRIPT = """#!/bin/sh
mkdir '{folder}/running' 2>/dev/null || : >'{folder}/overlapped'
PYTHONPATH='{root}' '{python}' -m tests.support.evaluated_osascript '{folder}' "$@"
status=$?
rmdir '{folder}/running'
exit $status
"""
LSAPPINFO = """#!/bin/sh
[ "$1" = visibleProcessList ] && cat '{folder}/visible'
"""


class ShownText:
    """A fake page: for any program it returns this text, address and title; for a PDF once pdf.js is there."""

    def __init__(self, tab: dict[str, Any]) -> None:
        self._is_pdf = tab.get("kind") == "pdf"
        about = json.dumps({"url": tab["url"], "title": tab["title"]})
        self._reply = [tab.get("code", ""), tab.get("message", ""), tab.get("text", ""), about]

    def evaluate(self, program: str) -> list[str] | str:
        if self._is_pdf and "chromeTabPdfjs" in program:
            self._is_pdf = False
            return "read"
        if self._is_pdf:
            return "pdf"
        return json.dumps(self._reply) if "JSON.stringify((" in program else self._reply


class FakeMac:
    """Browsers by name, each `{"windows": [{"id", "mode", "active", "tabs": [{"id", "url", "title", "text"}]}], "error"}`."""

    def __init__(self, folder: Path, monkeypatch: "pytest.MonkeyPatch") -> None:
        self.folder = folder
        bin_folder = folder / "bin"
        bin_folder.mkdir(parents=True)
        for name, program in (("osascript", OSASCRIPT), ("lsappinfo", LSAPPINFO)):
            file = bin_folder / name
            file.write_text(program.format(folder=folder, root=ROOT, python=sys.executable), encoding="utf-8")
            file.chmod(0o755)
        monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
        self.runs({})
        self.shows()

    def runs(self, browsers: dict[str, Any], *, from_next_run_on: bool = False) -> None:
        """Make these browsers run, from now on or after the next osascript."""
        name = "next.json" if from_next_run_on else "browsers.json"
        (self.folder / name).write_text(json.dumps(browsers), encoding="utf-8")

    def shows(self, *applications: str) -> None:
        """Make these applications visible, from front to back."""
        listed = (f'ASN:0x0-0x{n}-"{name.replace(" ", "_")}":' for n, name in enumerate(applications, 4096))
        (self.folder / "visible").write_text(" ".join(listed) + " \n", encoding="utf-8")

    @property
    def has_overlapped(self) -> bool:
        return (self.folder / "overlapped").exists()


def fake_browser(name: str, about: dict[str, Any] | None) -> FakeChrome:
    windows = [
        FakeWindow(
            window.get("id", "1"),
            [FakeTab(tab.get("id", "11"), tab["url"], tab["title"], ShownText(tab)) for tab in window["tabs"]],
            window.get("active", 1),
            window.get("mode", "normal"),
        )
        for window in (about or {}).get("windows", [])
    ]
    error = (about or {}).get("error")
    refusal = ScriptError("Refus\u00e9.", error) if error else None
    return FakeChrome(name=name, running=about is not None, windows=0, opened=windows, error=refusal)


def main(folder: Path, arguments: list[str]) -> int:
    as_source = arguments[0] == "-ss"
    script, *command_line = arguments[as_source:]
    source = Path(script).read_text(encoding="ascii")
    reported = re.search(r'^\t*tell application "([^"]+)"', source, re.MULTILINE)
    assert reported
    browsers = json.loads((folder / "browsers.json").read_text(encoding="utf-8"))
    around = Surroundings(fake_browser(reported[1], browsers.get(reported[1])), dict(os.environ))
    finished = osascript(source, command_line, around, as_source=as_source)
    sys.stdout.buffer.write(finished.stdout.encode())
    sys.stderr.buffer.write(finished.stderr.encode())
    if (folder / "next.json").exists():
        (folder / "next.json").rename(folder / "browsers.json")
    return finished.status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
