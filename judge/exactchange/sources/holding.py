"""What a kind of source may know beyond one state: what a place can never hold, and rows that are never modified."""

from collections.abc import Collection, Mapping
from typing import Protocol, TypeVar, runtime_checkable

from exactchange.snapshot import Snapshot
from exactchange.values import Path, Value

S = TypeVar("S", bound=Snapshot, contravariant=True)


@runtime_checkable
class Holding(Protocol[S]):
    """An optional part of a SourceKind: of a database, whose columns turn what is put into them into their own types.

    A task that asks for a value which can never be there fails whatever the agent does; it is told so.
    """

    def never_holds(self, snapshot: S, path: Path, value: Value) -> str | None:
        """Why no row can hold this value in a column; None where one may, or where nobody can tell.

        `path`: the table, whichever row, and the column. The reason goes on from "can never be 2019: ", such as "the
        column is declared TEXT, which makes "2019" of it".
        """
        ...


@runtime_checkable
class Identifying(Protocol[S]):
    """An optional part of a SourceKind: of one in which some rows have nothing that tells them apart but their content.

    Such a row is never modified: one goes, another comes.
    """

    def keyless(self, snapshot: S, table: str) -> bool:
        """Whether no row of the table (its segment in paths) has a key. False where there is no such table."""
        ...


@runtime_checkable
class Naming(Protocol[S]):
    """An optional part of a SourceKind: of a database, whose tables and columns are known also where they are empty.

    A rule on a table that is not there is more likely misspelt than meant.
    """

    def tables(self, snapshot: S) -> Mapping[str, Collection[str]]:
        """The tables (their segments in paths), each with its columns; nothing where that cannot be told."""
        ...
