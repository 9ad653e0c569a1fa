from collections.abc import Iterator

import pytest
from tests.adapters.browser.stage import Site, Stage, serve


@pytest.fixture(scope="session")
def whole_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    stage = Stage(tmp_path_factory.mktemp("browser"))
    stage.start()
    yield stage
    stage.stop()


@pytest.fixture
def stage(whole_stage: Stage) -> Iterator[Stage]:
    whole_stage.run(whole_stage.clear())
    yield whole_stage


@pytest.fixture
def site() -> Iterator[Site]:
    site, server = serve()
    yield site
    server.shutdown()
    server.server_close()
