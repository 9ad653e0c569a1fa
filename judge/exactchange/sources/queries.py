"""What a kind of source that answers queries may tell of one before there is anything to ask."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class Querying(Protocol):
    """An optional part of a SourceKind: a query that has no answer is a mistake, told at `check`."""

    def check_query(self, sql: str) -> None:
        """Raises UsageError where the text alone shows that no state can answer the query."""
        ...
