"""Try agents on the tasks and print a table: python -m bench.miniwob [--seeds 3] [--tasks click-button drag-box]."""

import argparse
import asyncio
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from bench.driven import driven_browser
from bench.miniwob.agents import all_agents
from bench.miniwob.harness import Outcome, opened_bench, task_names


def line_of(outcomes: list[Outcome]) -> str:
    """Return a task's row: solved seeds, calls and characters read per episode."""
    solved = sum(outcome.is_solved for outcome in outcomes)
    calls, read = (sum(getattr(outcome, what) for outcome in outcomes) / len(outcomes) for what in ("calls", "read"))
    return f"| {outcomes[0].task} | {solved}/{len(outcomes)} | {calls:.1f} | {read:,.0f} |"


async def run(tasks: list[str], seeds: int) -> list[Outcome]:
    """Try each task with each seed; report failures on standard error."""
    agents = all_agents()
    outcomes: list[Outcome] = []
    print("| task | solved | calls | characters read |\n| --- | --- | --- | --- |")
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        client, browser = await stack.enter_async_context(driven_browser(folder))
        bench = await stack.enter_async_context(opened_bench(client, browser))
        for task in tasks:
            tried = [await bench.episode(task, seed, agents[task]) for seed in range(1, seeds + 1)]
            outcomes += tried
            print(line_of(tried), flush=True)
            for failed in tried:
                if not failed.is_solved:
                    print(f"{failed.task}, seed {failed.seed}: {failed.said}", file=sys.stderr)
    return outcomes


def main() -> None:
    """Run the tasks named in the arguments."""
    parser = argparse.ArgumentParser(prog="python -m bench.miniwob", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tasks", nargs="+", metavar="TASK")
    given = parser.parse_args()
    every = task_names()
    tasks = [task for task in given.tasks or every if task in all_agents()]
    outcomes = asyncio.run(run(tasks, given.seeds))
    lost = {outcome.task for outcome in outcomes if not outcome.is_solved}
    calls, read = sum(outcome.calls for outcome in outcomes), sum(outcome.read for outcome in outcomes)
    solved = len(set(tasks) - lost)
    print(
        f"\n{solved} of {len(every)} kinds of tasks solved with every seed; {calls:,} calls, {read:,} characters read."
    )
    print(f"Without an agent: {', '.join(sorted(set(every) - set(all_agents())))}.")


if __name__ == "__main__":
    main()
