"""What every test may use: the small real model, and how tests are shared out.

The suite runs in two workers. The tests of one file stay together, so that a browser is started once for a file, and
so do all tests that ask the model, so that it is started once.
"""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from demo import tiny_model as tiny_model_script
from tests.support.fake_osascript import FakeOsascript, installed

# The other half of the suite's promise on a Mac is kept there by the tests marked `macos`.
NO_EXTENSIONS = "Google Chrome takes no unpacked extension from its command line, and a Mac has no other Chromium"


# Before pytest-xdist looks at the groups.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if sys.platform == "darwin" and ("extension" in item.path.parts or item.path.stem == "test_demo"):
            item.add_marker(pytest.mark.skip(reason=NO_EXTENSIONS))
        if "tiny_model" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.xdist_group("tiny_model"))
        elif not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="session")
def tiny_model() -> Generator[tiny_model_script.TinyModel]:
    """A real model server: `url` without `/v1`, `model` its name."""
    with tiny_model_script.started() as server:
        yield server


@pytest.fixture
def osascript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOsascript:
    """A fake `osascript` on PATH, which shows a page until a test lays out something else."""
    return installed(tmp_path / "fake", monkeypatch)
