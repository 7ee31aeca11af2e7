"""What every test may use: the marks that follow from fixtures, and the small real model.

The suite runs in two workers. Tests of one `xdist_group` share a worker, so that the model is started once.
"""

import json
import os
import selectors
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODEL_READY_S = 120
MODEL_EXIT_S = 15


@dataclass(frozen=True)
class TinyModel:
    """A running model server: `url` without `/v1`, and the model's name."""

    url: str
    model: str


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tiny_model" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.xdist_group("tiny_model"))


@pytest.fixture(scope="session")
def tiny_model() -> Iterator[TinyModel]:
    command = ["uv", "run", "--quiet", str(ROOT / "demo" / "tiny_model.py"), "--port", "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            ready = json.loads(first_line(process, within_s=MODEL_READY_S))
            yield TinyModel(url=ready["url"], model=ready["model"])
        finally:
            stop(process, within_s=MODEL_EXIT_S)


def first_line(process: subprocess.Popen[bytes], within_s: float) -> str:
    """The first line of the program's output; an error when it ends or stays silent for `within_s` seconds."""
    assert process.stdout is not None
    deadline = time.monotonic() + within_s
    line = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(timeout=max(0.0, deadline - time.monotonic())):
                message = f"{process.args!r} printed nothing for {within_s} s"
                raise TimeoutError(message)
            chunk = os.read(process.stdout.fileno(), 4096)
            if not chunk:
                message = f"{process.args!r} ended with status {process.wait()} before its first line"
                raise RuntimeError(message)
            line += chunk
    return line.decode()


def stop(process: subprocess.Popen[bytes], within_s: float) -> None:
    """End the program: closing its input asks, `kill` insists after `within_s` seconds."""
    assert process.stdin is not None
    process.stdin.close()
    process.terminate()
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
