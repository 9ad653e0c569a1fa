"""A browser for all tests of a session, and one running application at a time."""

from collections.abc import Iterator

import pytest
from tests.adapters.browser.stage import Stage
from tests.apps.applications import running
from tests.apps.visiting import Visit


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    stage = Stage(tmp_path_factory.mktemp("browser"))
    stage.start()
    yield stage
    stage.stop()


@pytest.fixture(scope="module")
def visit(request: pytest.FixtureRequest, stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """The application that the test names by its parameter, in the state of its seed when the first test comes."""
    name = str(request.param)
    with running(name, tmp_path_factory.mktemp(name) / "data") as address:
        yield Visit(stage, name, address)
