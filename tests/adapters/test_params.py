"""What every source may say, whatever its adapter adds."""

import pytest

from exactchange.sources import SourceParams
from exactchange.sources.registry import kind_named, kinds


@pytest.mark.parametrize("adapter", sorted(kinds()))
def test_no_adapter_replaces_a_check_that_all_sources_have(adapter: str) -> None:
    """A validator of the same name would: then a locale that nobody knows went unnoticed."""
    params = kind_named(adapter).params
    ours = SourceParams.__pydantic_decorators__.field_validators
    theirs = params.__pydantic_decorators__.field_validators
    assert {name: found.info.fields for name, found in theirs.items() if name in ours} == {
        name: found.info.fields for name, found in ours.items()
    }
