"""The clock of the server and of the event loop, which a test can advance: timeouts end without a wait."""

import asyncio
import time
from types import SimpleNamespace

import pytest

import chrome_tab_mcp_server as server


class Clock:
    """The real clock, ahead by as many seconds as a test says."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead_s


def installed(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Give the server and the running event loop such a clock."""
    clock = Clock()
    monkeypatch.setattr(server, "time", SimpleNamespace(monotonic=clock.monotonic, time=time.time))
    monkeypatch.setattr(asyncio.get_running_loop(), "time", clock.monotonic)
    return clock
