"""The runs that Trac's tests share."""

import pytest
from tests.trac.recorded import Recorded, recorded


@pytest.fixture(scope="session")
def toured(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The right run of a task after a tour of all pages: it has the noise of them all."""
    return recorded(tmp_path_factory, "trac-rename-component", "tour", "good")


@pytest.fixture(scope="session")
def signed_out(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A right run of another task, at whose end nobody is signed in."""
    return recorded(tmp_path_factory, "trac-close-1", "seen")


@pytest.fixture(scope="session")
def recreated(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A component deleted and added under the other name instead of renamed."""
    return recorded(tmp_path_factory, "trac-rename-component", "recreated")
