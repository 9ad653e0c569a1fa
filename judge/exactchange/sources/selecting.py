"""An optional part of a SourceKind: what its own selectors cannot find."""

from typing import Protocol, runtime_checkable

from exactchange.values import Path


@runtime_checkable
class Selecting(Protocol):
    """A kind whose selectors look at a part of its state only."""

    def beyond_selectors(self, path: Path) -> bool:
        """Whether no selector can find anything at a place, or below it: unread, it hides nothing from them."""
        ...
