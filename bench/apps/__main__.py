"""Solve tasks in real programs, and compare their pages with the accessibility tree.

    python -m bench.apps [PROGRAM ...]

Exits with 1 if a task is not solved, or if a list lacks more than 2 % of the interactive nodes of a program's pages.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TextIO

from bench.accessibility import Agreement
from bench.apps.harness import Driver, Outcome, opened_driver
from bench.apps.programs import PROGRAMS
from bench.apps.recall import compare
from bench.apps.tasks import TASKS

NAME = "Linden"
LEAST_RECALL = 0.98
COMPARED = ("role", "name", "state")


def row_of(outcome: Outcome) -> str:
    """Return a task's row."""
    task, solved = outcome.task, "no" if outcome.trouble else "yes"
    return f"| {task.number} | {task.program} | {solved} | {outcome.calls} | {outcome.characters:,} | {outcome.seconds:.0f} s |"


def agreement_row(program: str, agreement: Agreement) -> str:
    """Return the row of a program's pages."""
    shares = [f"{agreement.right[what]} of {agreement.compared[what]}" for what in COMPARED]
    shares.append(f"{agreement.by_place} of {agreement.selectors}")
    return f"| {program} | {agreement.listed} of {agreement.nodes} | {' | '.join(shares)} |"


async def run(driver: Driver, program: str, differences: int) -> tuple[list[Outcome], Agreement]:
    """Try a program's tasks and compare its pages; report failures on standard error."""
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="apps-", ignore_cleanup_errors=True) as scratch, ExitStack() as stack:
        running = PROGRAMS[program].running(Path(scratch) / program)
        site = await asyncio.to_thread(stack.enter_context, running)
        for task in (task for task in TASKS if task.program == program):
            outcome = await driver.solve(task, site, NAME)
            outcomes.append(outcome)
            print(row_of(outcome), flush=True)
            print(f"{task.number}: {outcome.trouble or outcome.report}", file=sys.stderr, flush=True)
        agreement = await asyncio.to_thread(compare, site, program, NAME)
    for note in agreement.notes[:differences]:
        print(f"{program}{note}", file=sys.stderr, flush=True)
    return outcomes, agreement


async def run_all(
    programs: Sequence[str], transcript: TextIO | None, differences: int
) -> tuple[list[Outcome], dict[str, Agreement]]:
    """Run the programs, one after another, with one server and one browser."""
    outcomes: list[Outcome] = []
    agreements: dict[str, Agreement] = {}
    with tempfile.TemporaryDirectory(prefix="driver-", ignore_cleanup_errors=True) as folder:
        async with opened_driver(Path(folder), transcript) as driver:
            for program in programs:
                tried, agreements[program] = await run(driver, program, differences)
                outcomes += tried
    return outcomes, agreements


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the programs named in the arguments."""
    parser = argparse.ArgumentParser(prog="python -m bench.apps", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--transcript", type=Path, help="file for each call and its answer")
    parser.add_argument("--differences", type=int, default=0, help="differences to print of each program")
    given = parser.parse_args(arguments)
    print("| task | program | solved | calls | characters | time |\n| --- | --- | --- | --- | --- | --- |")
    with given.transcript.open("w", encoding="utf-8") if given.transcript else nullcontext() as transcript:
        work = run_all(given.programs or list(PROGRAMS), transcript, given.differences)
        outcomes, agreements = asyncio.run(work)
    count = sum(not outcome.trouble for outcome in outcomes)
    calls, characters = (sum(getattr(one, what) for one in outcomes) for what in ("calls", "characters"))
    print(f"\n{count} of {len(outcomes)} tasks solved in {calls} calls with {characters:,} characters.\n")
    print("| program | listed | role | name | state | selectors by place |\n| --- | --- | --- | --- | --- | --- |")
    for name, agreement in agreements.items():
        print(agreement_row(name, agreement))
    is_complete = all(one.listed >= LEAST_RECALL * one.nodes for one in agreements.values())
    return int(count < len(outcomes) or not is_complete)


if __name__ == "__main__":
    sys.exit(main())
