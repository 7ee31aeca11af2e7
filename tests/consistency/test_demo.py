"""`make demo` for real: server over stdio, Chromium with the extension, the tiny model; and nothing is left behind."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

from tests.support.fake_models import FakeOpenAIServer, Reply

DEMO = Path(__file__).parents[2] / "demo" / "demo.py"
DEMO_S = 170
LEAVING_S = 60

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(sys.platform == "darwin", reason="on a Mac the demonstration reads the user's own Chrome"),
]


@pytest.fixture
def folder() -> Generator[Path]:
    """An empty directory with a short path: the path of Chromium's socket in it is limited to about 100 characters."""
    with tempfile.TemporaryDirectory(prefix="demo-") as name:
        yield Path(name)


def start_demo(folder: Path, settings: Mapping[str, str], *arguments: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OLLAMA_")}
    return subprocess.Popen(
        ["uv", "run", "--quiet", str(DEMO), *arguments],
        encoding="utf-8",
        env={**environment, "TMPDIR": str(folder), **settings},
        start_new_session=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def processes_of(folder: Path) -> list[str]:
    """Return the programs with this TMPDIR or one inside it, which includes everything that the demo starts."""
    mark = f"TMPDIR={folder}".encode()
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(each.startswith(mark) for each in (process / "environ").read_bytes().split(b"\0")):
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
    return found


def assert_nothing_is_left(folder: Path) -> None:
    deadline = time.monotonic() + LEAVING_S
    while (left := processes_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []
    assert [path.name for path in folder.iterdir() if not path.name.startswith("uv-")] == []


def test_demo_answers_about_a_page_and_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    # The tiny model needs seconds for the demonstration's own page.
    page = tmp_path / "page.html"
    page.write_text("<title>Ferry</title><p>The ferry leaves at noon.", encoding="utf-8")
    with start_demo(folder, {}, "--url", str(page), "--prompt", "When does the ferry leave?") as demo:
        answer, steps = demo.communicate(timeout=DEMO_S)

    assert demo.returncode == 0, steps
    title, blank, text, *_ = answer.splitlines()
    assert (title, blank) == ("Ferry", "")
    assert text
    assert re.search(r"\n\(read [\d,]+ of [\d,]+ characters in \d+ chunks?, .+ s[;)]", answer)
    assert "The model read " in answer
    assert "tiny demonstration model: often wrong" in steps
    assert_nothing_is_left(folder)


def test_demo_with_half_of_its_settings_explains_itself(folder: Path) -> None:
    with start_demo(folder, {"OLLAMA_BASE_URL": "http://127.0.0.1:9"}) as demo:
        answer, steps = demo.communicate(timeout=DEMO_S)

    assert (demo.returncode, answer) == (1, "")
    assert "OLLAMA_MODEL" in steps


def interrupted(folder: Path, settings: Mapping[str, str]) -> tuple[int, list[str]]:
    """Start the demo, press Ctrl-C while the model reads; return its exit status and what it had started by then."""
    with start_demo(folder, settings) as demo:
        assert demo.stderr is not None
        steps = iter(demo.stderr.readline, "")
        assert any(step.startswith("Progress  silent is reading") for step in steps)
        started = processes_of(folder)
        os.killpg(demo.pid, signal.SIGINT)  # as a terminal does it: to all of them at once
        return demo.wait(DEMO_S), started


async def test_interrupted_demo_leaves_nothing_behind(folder: Path) -> None:
    async with FakeOpenAIServer(Reply(hangs=True)) as model:
        settings = {"OLLAMA_BASE_URL": model.url, "OLLAMA_MODEL": "silent"}
        status, started = await asyncio.to_thread(interrupted, folder, settings)

    assert "Skarholm" in model.chats[0].prompt
    for program in ("chrome_tab_mcp_server.py", "--load-extension"):
        assert any(program in process for process in started)
    assert status == 130
    assert_nothing_is_left(folder)
