"""The definition of a task."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bench.apps.agent import Agent
from bench.apps.programs import Site

CHECK_S = 10
PAUSE_S = 0.3


@dataclass(frozen=True)
class Task:
    """A task: its number, its program, the path where it begins, an agent, and a check of the program's contents.

    The agent returns what it reports. The check raises AssertionError, OSError or ValueError while something differs.
    """

    number: str
    program: str
    path: Callable[[Site], str]
    solve: Callable[[Agent, Site, str], Awaitable[str]]
    check: Callable[[Site, str, str], Awaitable[None]]


def start(_site: Site) -> str:
    """Start at the program's own first page."""
    return ""


async def checked(task: Task, site: Site, name: str, report: str) -> None:
    """Check until nothing differs: programs save with a delay.

    Raises what the check raises after `CHECK_S` seconds.
    """
    end = asyncio.get_running_loop().time() + CHECK_S
    while True:
        try:
            return await task.check(site, name, report)
        except (AssertionError, OSError, ValueError, LookupError):
            if asyncio.get_running_loop().time() > end:
                raise
            await asyncio.sleep(PAUSE_S)


def holds(found: Any, wanted: Any) -> None:
    """Raise AssertionError with both values unless they are equal."""
    if found != wanted:
        raise AssertionError(f"{found!r} is not {wanted!r}")
