"""Solve the tasks in the programs and compare their pages with the accessibility tree: python -m bench.apps [PROGRAM ...]."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from bench.apps.harness import Outcome, solve_all
from bench.apps.programs import PROGRAMS, Site
from bench.apps.tasks import TASKS

NAME = "Linden"


def row_of(outcome: Outcome) -> str:
    task = outcome.task
    solved = "no" if outcome.trouble else "yes"
    return f"| {task.number} | {task.program} | {solved} | {outcome.calls} | {outcome.characters:,} | {outcome.seconds:.0f} s |"


def run(site: Site, program: str, folder: Path, transcript: TextIO | None) -> list[Outcome]:
    """Try a program's tasks; what went wrong goes to standard error."""
    tasks = [task for task in TASKS if task.program == program]
    outcomes = asyncio.run(solve_all(tasks, site, NAME, folder, transcript))
    for outcome in outcomes:
        print(row_of(outcome), flush=True)
        print(f"{outcome.task.number}: {outcome.trouble or outcome.report}", file=sys.stderr, flush=True)
    return outcomes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments name; the exit status is 1 when a task was not solved."""
    parser = argparse.ArgumentParser(prog="python -m bench.apps", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--transcript", type=argparse.FileType("w", encoding="utf-8"), help="file for calls and answers")
    given = parser.parse_args(arguments)
    outcomes: list[Outcome] = []
    print("| task | program | solved | calls | characters | time |\n| --- | --- | --- | --- | --- | --- |")
    for name in given.programs or PROGRAMS:
        with tempfile.TemporaryDirectory(prefix="apps-", ignore_cleanup_errors=True) as scratch:
            folder = Path(scratch)
            with PROGRAMS[name].running(folder / name) as site:
                outcomes += run(site, name, folder, given.transcript)
    solved = sum(not outcome.trouble for outcome in outcomes)
    calls, characters = (sum(getattr(one, what) for one in outcomes) for what in ("calls", "characters"))
    print(f"\n{solved} of {len(outcomes)} tasks solved in {calls} calls with {characters:,} characters.")
    return int(solved < len(outcomes))


if __name__ == "__main__":
    sys.exit(main())
