"""Agents by family of tasks. An agent knows the kind of task, its goal, and what the tools say."""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable

from bench.miniwob.tab import Tab

Agent = Callable[[Tab, str], Awaitable[None]]
AGENTS: dict[str, Agent] = {}


def solves(*tasks: str) -> Callable[[Agent], Agent]:
    """Name the tasks that an agent is for."""

    def register(agent: Agent) -> Agent:
        AGENTS.update(dict.fromkeys(tasks, agent))
        return agent

    return register


def all_agents() -> dict[str, Agent]:
    """Give the agent of each task."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return AGENTS
