"""Tasks on third-party pages, solved by agents that know only the goal and the tools' replies.

The full run is `python -m bench.miniwob`; these are a few kinds of each family.
"""

import sys
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from fastmcp import Client
from playwright.async_api import BrowserContext

from bench.miniwob.agents import all_agents
from bench.miniwob.harness import Bench, opened_bench

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.xdist_group("driven"),
    pytest.mark.skipif(sys.platform == "darwin", reason="Google Chrome takes no unpacked extension from outside"),
]

TASKS = (
    "click-checkboxes-large",
    "click-menu",
    "click-shades",
    "choose-date-easy",
    "copy-paste-2",
    "email-inbox-reply",
    "find-midpoint",
    "highlight-text-2",
    "terminal",
)
SEED = 1


@pytest.fixture(scope="module")
async def bench(parts: tuple[Client[Any], BrowserContext]) -> AsyncGenerator[Bench]:
    async with opened_bench(*parts) as opened:
        yield opened


@pytest.mark.parametrize("task", TASKS)
async def test_a_task_is_solved_from_its_goal_and_the_tools_replies(bench: Bench, task: str) -> None:
    outcome = await bench.episode(task, SEED, all_agents()[task])

    assert outcome.is_solved, outcome.said


async def test_an_agent_that_does_something_else_does_not_solve_its_task(bench: Bench) -> None:
    """The control: the page judges, not the harness."""
    outcome = await bench.episode("click-button-sequence", SEED, all_agents()["enter-text"])

    assert not outcome.is_solved
