"""Run the tests and report which lines and branches they have run, in Python and in JavaScript.

    make coverage                                       all tests
    make coverage ONLY="tests/extension/test_input.py"  some of them
    scripts/run python -m scripts.coverage_report --add-to FOLDER tests/reader/test_cli.py
                                                        some more, next to what an earlier run has noted in the folder

Python: the server's files, also in the processes that tests start with this interpreter. JavaScript: the extension
without `vendor/`, as the browser itself counts; a branch is a block that V8 counts separately from the code around it.
Exit status 1: a test has failed, or one of the four figures is below `LEAST`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.extension_coverage import either

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "extension"
LEAST = 0.97
PYTEST = ["--numprocesses=4", "--dist=loadgroup", "--no-loadscope-reorder", "--quiet"]
COMMENT = re.compile(r"^(//|/\*|\*)")


@dataclass(frozen=True)
class Figure:
    """The share of the code that has run; `missed` names the rest."""

    what: str
    ran: int
    there: int
    missed: list[str]

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.ran / self.there if self.there else 1.0


# --- Python


def python_figures(folder: Path) -> Iterator[Figure]:
    """Merge what every process has recorded."""
    report = folder / "python.json"
    run("coverage", "combine", "--quiet", "--append", str(folder), environment=python_environment(folder))
    # Some tests start a copy of the server, which no longer exists.
    ours = f"--include={ROOT}/chrome_tab_mcp_server.py,{ROOT}/chrome_tab/*"
    run("coverage", "json", "--quiet", ours, "-o", str(report), environment=python_environment(folder))
    noted = json.loads(report.read_text(encoding="utf-8"))
    of = noted["totals"]
    lines = [
        f"{name}: {spans(file['missing_lines'])}" for name, file in noted["files"].items() if file["missing_lines"]
    ]
    yield Figure("Python lines", of["covered_lines"], of["num_statements"], lines)
    exits = [
        f"{name}: {start} to {end if end > 0 else 'the end'}"
        for name, file in noted["files"].items()
        for start, end in file["missing_branches"]
    ]
    yield Figure("Python branches", of["covered_branches"], of["num_branches"], exits)


def python_environment(folder: Path) -> dict[str, str]:
    return os.environ | {"COVERAGE_FILE": str(folder / "coverage")}


def run(module: str, *arguments: str, environment: dict[str, str]) -> int:
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, env=environment, check=False).returncode


def spans(numbers: list[int]) -> str:
    """Write `1, 2, 3, 7` as `1-3, 7`."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


# --- JavaScript


@dataclass
class Script:
    """One file of the extension, in UTF-16 units: functions and blocks, and which units have run."""

    blocks: set[tuple[int, int]]
    units: bytes


def scripts_of(folder: Path) -> dict[str, Script]:
    """Merge what every browser has recorded."""
    ours = (path.relative_to(EXTENSION) for path in EXTENSION.rglob("*.js"))
    found = {str(path): Script(set(), b"") for path in ours if path.parts[0] != "vendor"}
    for path in folder.glob("*.json"):
        for file, noted in json.loads(path.read_text(encoding="ascii")).items():
            if script := found.get(file):
                script.blocks |= {(start, end) for start, end in noted["blocks"]}
                script.units = either(script.units, bytes.fromhex(noted["units"]))
    return found


def javascript_figures(folder: Path) -> Iterator[Figure]:
    lines_ran = lines_there = branches_ran = branches_there = 0
    missed_lines: list[str] = []
    missed_branches: list[str] = []
    for file, script in sorted(scripts_of(folder).items()):
        source = (EXTENSION / file).read_text(encoding="utf-8").encode("utf-16-le")
        # A module continues after its last function.
        script.units = script.units.ljust(len(source) // 2, bytes([any(script.units)]))
        there, ran = lines_of(source, script.units)
        lines_there, lines_ran = lines_there + len(there), lines_ran + len(ran)
        if rest := spans(sorted(there - ran)):
            missed_lines.append(f"extension/{file}: {rest}")
        missed = [start for start, end in script.blocks if not any(script.units[start:end])]
        branches_there += len(script.blocks)
        branches_ran += len(script.blocks) - len(missed)
        if rest := spans(sorted({line_at(source, start) for start in missed})):
            missed_branches.append(f"extension/{file}: {rest}")
    yield Figure("JavaScript lines", lines_ran, lines_there, missed_lines)
    yield Figure("JavaScript branches", branches_ran, branches_there, missed_branches)


def line_at(source: bytes, unit: int) -> int:
    return source[: 2 * unit].decode("utf-16-le", "replace").count("\n") + 1


def lines_of(source: bytes, units: bytes) -> tuple[set[int], set[int]]:
    """Return the numbers of the lines that contain code, and of those that have run."""
    there: set[int] = set()
    ran: set[int] = set()
    start = 0
    for number, line in enumerate(source.decode("utf-16-le").split("\n"), 1):
        size = len(line.encode("utf-16-le")) // 2
        code = line.strip()
        if re.search(r"\w", code) and not COMMENT.match(code):
            there.add(number)
            if any(units[start + len(line) - len(line.lstrip()) : start + size]):
                ran.add(number)
        start += size + 1
    return there, ran


# --- Both


def main() -> int:
    parser = argparse.ArgumentParser(description="Which lines and branches the tests run.")
    parser.add_argument("tests", nargs="*", help="files of tests; all without any")
    parser.add_argument("--add-to", metavar="FOLDER", help="keep what is noted there, and count what is there already")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(options.add_to or name).resolve()
        python, javascript = folder / "python", folder / "javascript"
        python.mkdir(parents=True, exist_ok=True)
        javascript.mkdir(exist_ok=True)
        environment = python_environment(python) | {"EXTENSION_COVERAGE": str(javascript)}
        status = run("coverage", "run", "-m", "pytest", *PYTEST, *options.tests, environment=environment)
        figures = [*python_figures(python), *javascript_figures(javascript)]
    for figure in figures:
        print(f"\n{figure.what}: {figure.ran:,} of {figure.there:,}, {figure.share:.1%}. Not run:")
        print(*figure.missed, sep="\n")
    return 1 if status or any(figure.share < LEAST for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
