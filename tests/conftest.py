"""What every test may use: the small real model, and the marks that follow from using it.

The suite runs in two workers. Tests of one `xdist_group` share a worker, so that the model is started once.
"""

from collections.abc import Generator

import pytest

from demo import tiny_model as tiny_model_script


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tiny_model" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.xdist_group("tiny_model"))


@pytest.fixture(scope="session")
def tiny_model() -> Generator[tiny_model_script.TinyModel]:
    """A real model server: `url` without `/v1`, `model` its name."""
    with tiny_model_script.started() as server:
        yield server
