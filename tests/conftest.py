"""What every test may use: the small real model, and how tests are shared out.

The suite runs in two workers. The tests of one file stay together, so that a browser is started once for a file, and
so do all tests that ask the model, so that it is started once.
"""

from collections.abc import Generator

import pytest

from demo import tiny_model as tiny_model_script


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
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
