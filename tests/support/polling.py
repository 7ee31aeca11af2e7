"""Wait for conditions that no event announces."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

WAIT_S = 60
POLL_S = 0.05

T = TypeVar("T")


async def until(look: Callable[[], Awaitable[T | None]]) -> T:
    """Call `look` until its result is truthy, and return that. The pauses keep it from using a whole core."""
    async with asyncio.timeout(WAIT_S):
        while not (found := await look()):  # noqa: ASYNC110 -- no event announces it
            await asyncio.sleep(POLL_S)
    return found
