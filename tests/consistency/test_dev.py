"""`make dev` for real, in a copy of the repository: server and extension reload when their files change."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import NO_EXTENSIONS

ROOT = Path(__file__).parents[2]
LIMIT_S = 150

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform == "darwin", reason=NO_EXTENSIONS)]


@pytest.fixture
def copy() -> Generator[Path]:
    """Copies of the files under development, in a short path: Chromium's socket allows no long one."""
    with tempfile.TemporaryDirectory(prefix="copy-") as name:
        for path in [*ROOT.glob("*.py"), ROOT / "chrome_tab.scpt"]:
            shutil.copy(path, name)
        for folder in ("chrome_tab", "demo", "extension", "scripts", "test-app"):
            shutil.copytree(ROOT / folder, Path(name, folder), ignore=shutil.ignore_patterns("__pycache__"))
        yield Path(name)


@contextmanager
def killed_after(limit_s: float, process: subprocess.Popen[str]) -> Generator[None]:
    """End a process group that stays silent until the timeout, so that the test ends too."""
    last_resort = threading.Timer(limit_s, os.killpg, (process.pid, signal.SIGKILL))
    last_resort.start()
    try:
        yield
    finally:
        last_resort.cancel()


def test_changed_files_restart_the_server_and_reload_the_extension_until_ctrl_c(copy: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    command = [sys.executable, "-m", "scripts.dev"]
    with (
        subprocess.Popen(
            command, cwd=copy, encoding="utf-8", env=environment, start_new_session=True, stderr=subprocess.PIPE
        ) as dev,
        killed_after(LIMIT_S, dev),
    ):
        assert dev.stderr
        lines = iter(dev.stderr.readline, "")
        said: list[str] = []

        def says(*parts: str) -> None:
            """Read until each of these was in a line; in any order, because several programs write."""
            missing = {*parts}
            for line in lines:
                said.append(line)
                missing = {part for part in missing if part not in line}
                if not missing:
                    return
            pytest.fail(f"It never said: {missing}\n{''.join(said)}")

        def change(name: str, before: str, after: str) -> None:
            text = (copy / name).read_text(encoding="utf-8")
            (copy / name).write_text(re.sub(before, after, text, count=1), encoding="utf-8")

        says("dev: Connected")
        change("chrome_tab/http.py", "MCP is served at", "MCP is served again at")
        says("dev: the server starts again")
        says("MCP is served again at")
        says("extension connected")
        change("extension/manifest.json", r"^\{", "")
        says("dev: the extension cannot be loaded: Manifest")
        change("extension/manifest.json", "^", "{")
        says("dev: the extension is loaded again", "extension connected")
        os.killpg(dev.pid, signal.SIGINT)  # as a terminal does it
        assert "Traceback" not in "".join(lines)
        assert dev.wait(LIMIT_S) == 130
