"""Wait for conditions that no event announces."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

WAIT_S = 60
POLL_S = 0.05
# Each pause is longer than the last: what takes long, as a browser's start does, would be slowed by frequent looks.
GROWTH = 1.2
MOST_POLL_S = 0.5

T = TypeVar("T")


async def until(look: Callable[[], Awaitable[T | None]]) -> T:
    """Call `look` until its result is truthy, and return that. The pauses keep it from using a whole core."""
    pause_s = POLL_S
    async with asyncio.timeout(WAIT_S):
        while not (found := await look()):
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * GROWTH, MOST_POLL_S)
    return found
