"""Fixtures for all tests: isolated settings, the small real model, and how tests are distributed to workers.

The suite runs in four workers, because much of it waits. The tests of one file stay together, so that one pairing
serves them all; a file that takes long is split into pieces, unless it names its own group. The slowest come first, by
`tests/seconds.json`.
"""

import gc

gc.disable()  # nothing is garbage during collection, and looking for it would take a third of that time

import functools
import importlib.util
import inspect
import json
import logging
import os
import signal
import ssl
import sys
from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from fastmcp.prompts.base import Prompt
from fastmcp.tools.function_tool import FunctionTool
from hypothesis import settings

import chrome_tab_mcp_server as server
from chrome_tab import app
from demo import tiny_model as tiny_model_script
from tests.support.fake_osascript import FakeOsascript, installed

# A busy machine takes hundreds of milliseconds for an example that normally takes two; no test is about that.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

WriteToml = Callable[[str], Path]
Run = Callable[..., tuple[int, str, str]]

# On a Mac the tests marked `macos` cover the other half of what the suite promises.
NO_EXTENSIONS = "Google Chrome takes no unpacked extension from its command line, and a Mac has no other Chromium"

NO_POSIX = "Windows has no modes of files, no signals that suspend, and no shell for the fake osascript"

SECONDS = Path(__file__).parent / "seconds.json"
PIECE_S = 60
took_s: defaultdict[str, float] = defaultdict(float)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-seconds", action="store_true", help="note in tests/seconds.json how long each file takes")


def pytest_configure() -> None:
    # A shell makes its background processes ignore Ctrl+C, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Runs before pytest-xdist looks at the groups.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    seconds: dict[str, int] = json.loads(SECONDS.read_text(encoding="utf-8"))
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(file_of(item.nodeid), []).append(item)
        if sys.platform == "darwin" and ("extension" in item.path.parts or item.path.stem == "test_demo"):
            item.add_marker(pytest.mark.skip(reason=NO_EXTENSIONS))
        if sys.platform == "win32" and (
            "osascript" in getattr(item, "fixturenames", ()) or item.get_closest_marker("posix")
        ):
            item.add_marker(pytest.mark.skip(reason=NO_POSIX))
        if "tiny_model" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.xdist_group("tiny model"))
    for file, tests in files.items():
        pieces = 1 + seconds.get(file, 0) // PIECE_S
        for number, item in enumerate(tests):
            # A test in two groups would count as a third one.
            if not item.get_closest_marker("xdist_group"):
                item.add_marker(pytest.mark.xdist_group(f"{file} {1 + number * pieces // len(tests)}"))
    items.sort(key=lambda item: -seconds.get(file_of(item.nodeid), 0))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    try:
        return (yield)
    finally:
        gc.freeze()  # what exists now stays, so the collector can skip it
        gc.enable()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    took_s[file_of(report.nodeid)] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("write_seconds") and not hasattr(session.config, "workerinput"):
        whole = {file: round(seconds) for file, seconds in sorted(took_s.items(), key=lambda one: -one[1])}
        SECONDS.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process; return exit status, stdout and stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        try:
            status = app.main(arguments)
        except SystemExit as left:
            status = int(left.code or 0)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return call


@pytest.fixture(scope="session", autouse=True)
def isolated_settings(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Hide the settings of the user who runs the tests, from environment and file."""
    ours = {server.environment_name(field) for field in server.Settings.model_fields}
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name in ours or name.startswith("CHROME_TAB_"):
                patch.delenv(name)
        # Started programs keep their bytecode, as they do for a user, and need not compile everything each time.
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        move_settings(patch, tmp_path_factory.mktemp("settings"))
        yield


@pytest.fixture(scope="session", autouse=True)
def fastmcp_keeps_quiet() -> None:
    """As in the started program. Otherwise each failed read prints the server's source in color, which takes seconds."""
    logging.getLogger("fastmcp").setLevel(logging.CRITICAL)


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Generator[None]:
    """Load the certificate authorities once: each HTTP client reads them, which takes longer than many tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def sniffio_missed_once() -> Generator[None]:
    """Skip the search for an optional package, which HTTP clients repeat along the whole path at each request."""
    with pytest.MonkeyPatch.context() as patch:
        if importlib.util.find_spec("sniffio") is None:
            patch.setitem(sys.modules, "sniffio", None)
        yield


@pytest.fixture(scope="session", autouse=True)
def schemas_made_once() -> Generator[None]:
    """Reuse the schemas of tools and prompts, which each server builds again from the same input."""
    made: dict[tuple[object, ...], FunctionTool] = {}
    make = server.PlainTool.from_function

    def tool(function: Callable[..., Any], **about: Any) -> FunctionTool:
        signature = inspect.signature(function)
        key = (function.__code__, str(signature), str(about))
        if key not in made:
            made[key] = make(function, **about)
        # What FastMCP sets for its own arguments; finding out again which these are would take as long as the schema.
        vars(function)["__signature__"] = inspect.signature(made[key].fn)
        return made[key].model_copy(update={"fn": function})

    made_prompts: dict[tuple[object, ...], Prompt] = {}
    make_prompt = Prompt.from_function

    def prompt(function: Callable[..., Any], **about: Any) -> Prompt:
        key = (function.__code__, str(about))
        if key not in made_prompts:
            made_prompts[key] = make_prompt(function, **about)
        return made_prompts[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server.PlainTool, "from_function", tool)
        patch.setattr(Prompt, "from_function", prompt)
        yield


@pytest.fixture(autouse=True)
def config_home(isolated_settings: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: ARG001
    """A configuration directory for this test, not created yet; the servers that it starts use it too."""
    return move_settings(monkeypatch, tmp_path / "settings")


@pytest.fixture(autouse=True)
def log_levels() -> Generator[None]:
    """Undo what a command line in this process sets for the loggers: the next test may read the log."""
    levels = {name: logging.getLogger(name).level for name in list(logging.root.manager.loggerDict)}
    yield
    for name in list(logging.root.manager.loggerDict):
        logger, level = logging.getLogger(name), levels.get(name, logging.NOTSET)
        if logger.level != level:  # setting one clears the cache of all loggers
            logger.setLevel(level)


@pytest.fixture
def write_toml(config_home: Path) -> WriteToml:
    """Write the configuration file; return its path."""

    def write(text: str) -> Path:
        config_home.mkdir(exist_ok=True)
        path = config_home / "config.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def move_settings(patch: pytest.MonkeyPatch, folder: Path) -> Path:
    """Point this process and those that it starts to the configuration directory in `folder`; return it."""
    # uv's own settings stay: they may name the package index.
    uv_settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "uv", "uv.toml")
    if "UV_CONFIG_FILE" not in os.environ and uv_settings.exists():
        patch.setenv("UV_CONFIG_FILE", str(uv_settings))
    patch.setenv("XDG_CONFIG_HOME", str(folder))
    patch.setenv("XDG_STATE_HOME", str(folder.with_name("state")))
    patch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(folder))  # the same on Windows
    config_dir = server.config_dir()
    config_dir.parent.mkdir(parents=True, exist_ok=True)
    return config_dir


@pytest.fixture(scope="session")
def tiny_model() -> Generator[tiny_model_script.TinyModel]:
    """A real model server: `url` without `/v1`, and the name of its `model`."""
    with tiny_model_script.started() as server:
        yield server


@pytest.fixture
def osascript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOsascript:
    """A fake `osascript` on PATH, which shows a page until a test sets up something else."""
    return installed(tmp_path / "fake", monkeypatch)
