"""Tasks on third-party pages, solved by agents that know only the goal and the tools' replies.

The full run is `python -m bench.miniwob`; these are a few kinds of each family.
"""

import sys
from collections.abc import AsyncGenerator

import pytest

from bench.miniwob.agents import all_agents
from bench.miniwob.harness import Bench, opened_bench
from tests.support.browser import STILL, chromium_arguments

pytestmark = [
    pytest.mark.e2e,
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
    "login-user-popup",
    "social-media-all",
    "terminal",
)
SEED = 1


@pytest.fixture(scope="module")
async def bench() -> AsyncGenerator[Bench]:
    async with opened_bench([*chromium_arguments(), *STILL]) as opened:
        yield opened


@pytest.mark.parametrize("task", TASKS)
async def test_a_task_is_solved_from_its_goal_and_the_tools_replies(bench: Bench, task: str) -> None:
    outcome = await bench.episode(task, SEED, all_agents()[task])

    assert outcome.is_solved, outcome.said


async def test_an_agent_that_does_something_else_does_not_solve_its_task(bench: Bench) -> None:
    """The control: the page judges, not the harness."""
    outcome = await bench.episode("click-test-2", SEED, all_agents()["click-test"])
    wrong = await bench.episode("click-button-sequence", SEED, all_agents()["enter-text"])

    assert outcome.is_solved, outcome.said
    assert not wrong.is_solved
