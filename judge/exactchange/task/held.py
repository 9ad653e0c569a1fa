"""Which types of values a place of a source can hold."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from exactchange.address import overlap, parse_pattern
from exactchange.conditions import Place
from exactchange.sources import SourceParams
from exactchange.task.declared import Declared
from exactchange.task.overlaps import address_of


@runtime_checkable
class Mixed(Protocol):
    """A kind that holds values of few types but for some places."""

    def untyped_places(self, params: SourceParams) -> Sequence[str]:
        """Address patterns at and below which values of any type may stand."""
        ...


def types_at(place: Place, source: Declared) -> frozenset[str] | None:
    """Names of the types that can stand in a place; None for all of them, and where nothing is known of the source."""
    if source.params is None:
        return None
    types = source.kind.value_types(source.params)
    address = address_of(place, source.slashed)
    if types is None or address is None or not isinstance(source.kind, Mixed):
        return types
    mixed = [parse_pattern(text).with_all_below for text in source.kind.untyped_places(source.params)]
    return None if any(overlap(wide, address) for wide in mixed) else types
