"""Agents by family of tasks. An agent knows the kind of task, its goal, and the tools' replies."""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable

from bench.miniwob.tab import Tab

Agent = Callable[[Tab, str], Awaitable[None]]
AGENTS: dict[str, Agent] = {}


def solves(*tasks: str) -> Callable[[Agent], Agent]:
    """Register an agent for these tasks."""

    def register(agent: Agent) -> Agent:
        AGENTS.update(dict.fromkeys(tasks, agent))
        return agent

    return register


def all_agents() -> dict[str, Agent]:
    """Return the agent of each task."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return AGENTS
