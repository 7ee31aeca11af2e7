"""Wait for facts that no event announces."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

WAIT_S = 60
POLL_S = 0.05

T = TypeVar("T")


async def until(look: Callable[[], Awaitable[T | None]]) -> T:
    """Look until there is something true, and return it. Without a pause between the looks they would fill a core."""
    async with asyncio.timeout(WAIT_S):
        while not (found := await look()):  # noqa: ASYNC110 -- no event announces it
            await asyncio.sleep(POLL_S)
    return found
