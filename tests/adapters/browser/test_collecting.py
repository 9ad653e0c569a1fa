"""The garbage collector is kept out while a snapshot is made, and is afterwards as it was."""

import gc
from collections.abc import Iterator

import pytest

from exactchange_adapters.browser.collecting import no_collection


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


@pytest.mark.parametrize("enabled", [True, False])
def test_it_is_as_it_was_also_after_an_error(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    with pytest.raises(ZeroDivisionError), no_collection():
        assert not gc.isenabled()
        _ = 1 / 0
    assert gc.isenabled() is enabled


def test_what_was_made_is_not_gone_through_right_afterwards() -> None:
    gc.collect()
    with no_collection():
        made = [[number] for number in range(20_000)]
    assert gc.get_count()[0] < 1_000
    assert any(item is made for item in gc.get_objects(generation=2))


def test_objects_that_somebody_put_aside_stay_there() -> None:
    gc.freeze()
    put_aside = gc.get_freeze_count()
    with no_collection():
        pass
    assert gc.get_freeze_count() == pytest.approx(put_aside, abs=500) != 0
