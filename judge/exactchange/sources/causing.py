"""What a kind of source may know of consequences: changes that its own rules make when something else changes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar, runtime_checkable

from exactchange.diff import Change
from exactchange.snapshot import Snapshot
from exactchange.values import Path

S = TypeVar("S", bound=Snapshot, contravariant=True)


@runtime_checkable
class Causing(Protocol[S]):
    """An optional part of a SourceKind: of a database, in which one statement changes rows that it does not name.

    What it says is told beside a change, and decides nothing: a change with a cause is explained by the same rules as
    any other.
    """

    def likely_causes(self, changes: Sequence[Change], *, before: S, after: S) -> Mapping[Path, str]:
        """By path of a change what may have made it, in a few words: "trigger log_paid, AFTER UPDATE ON orders".

        `changes`: all of one diff. A cause is named only where what set it off is among them or plain to see in the
        states; nothing of the source is run. Never raises: what cannot be told is left out. Work grows with what
        changed.
        """
        ...


def with_likely_causes(
    kind: object, changes: Sequence[Change], *, before: Snapshot, after: Snapshot
) -> tuple[Change, ...]:
    """The same changes, each with its likely cause where the kind of source knows one."""
    if not changes or not isinstance(kind, Causing):
        return tuple(changes)
    causes = kind.likely_causes(changes, before=before, after=after)
    return tuple(
        replace(change, likely_cause=causes[change.path]) if change.path in causes else change for change in changes
    )
