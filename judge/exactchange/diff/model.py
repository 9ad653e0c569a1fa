"""Changes and diffs as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from exactchange.snapshot import Note, Unread
from exactchange.values import Path, State, Value

Operation: TypeAlias = Literal["added", "removed", "modified", "moved"]


@dataclass(frozen=True, slots=True)
class Op:
    """One difference between two trees, before a source kind gives it an address.

    `position` is the place in the after list of an item that was added (in the before list: removed), and of a line of
    a text that was written anew and has another number there; None elsewhere.
    Of a `moved` item `before` and `after` are its positions.
    """

    op: Operation
    path: Path
    before: State
    after: State
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two snapshots of a source. `at` says the place in the source's own language.

    `likely_cause`: what of the source's own rules may have made it, for people ("" where none is known). It is a hint
    and no evidence: it is part of no comparison and decides nothing.
    """

    source: str
    op: Operation
    address: str
    path: Path
    before: State
    after: State
    at: Mapping[str, Value] = field(default_factory=dict[str, Value])
    position: int | None = None
    likely_cause: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Diff:
    """All changes between two snapshots, what could not be compared, and what is worth a note."""

    changes: tuple[Change, ...] = ()
    unread: tuple[Unread, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def complete(self) -> bool:
        """False when anything is unread."""
        return not self.unread
