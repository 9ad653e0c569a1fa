"""What a kind of source may know of documents: wholes that come and leave, and are judged as they last were."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from exactchange.snapshot import Snapshot, Unread
from exactchange.sources.kind import SourceParams
from exactchange.values import Path

S = TypeVar("S", bound=Snapshot)
P = TypeVar("P", bound=SourceParams, contravariant=True)


@dataclass(frozen=True, slots=True)
class Span:
    """One document, and where it stood in which captures.

    `stood`: the positions of the captures that show it, in order and at least one, each with the path at which it stood
    there. `title`: what it is, for people. `came`, `went`: why it is not known how it was when it came, and how it last
    was; None where that is known.
    """

    stood: tuple[tuple[int, Path], ...]
    title: str = ""
    came: Unread | None = None
    went: Unread | None = None

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What is not known of it."""
        return tuple(item for item in (self.came, self.went) if item is not None)

    @property
    def first(self) -> int:
        """Position of the first capture that shows it."""
        return self.stood[0][0]

    @property
    def last(self) -> int:
        """Position of the last capture that shows it."""
        return self.stood[-1][0]

    @property
    def path(self) -> Path:
        """Where it stood when it was last seen."""
        return self.stood[-1][1]

    def still(self, captures: int) -> bool:
        """Whether it was in one and the same place from the first of so many captures to the last."""
        return self.first == 0 and self.last == captures - 1 and self.stood[0][1] == self.path

    def before(self, position: int) -> tuple[int, Path] | None:
        """Where it last stood in an earlier capture, if it is not in this one; None where it is, or never was."""
        if any(here == position for here, _ in self.stood):
            return None
        return next((place for place in reversed(self.stood) if place[0] < position), None)


@runtime_checkable
class Documented(Protocol[P, S]):
    """An optional part of a SourceKind: of one that shows documents, which leave and take what they hold with them.

    What left is judged as it last was, and what came as it has changed since: that another document stands in a place
    is no change of what the first one held.
    """

    def documents(self, captures: Sequence[Snapshot]) -> Sequence[Span]:
        """The documents of these captures, in the order of first sight; none where they are not told apart at all."""
        ...

    def alone(self, snapshot: S, path: Path, *, placed: Path) -> S:
        """The state as if nothing were there but what the document at `path` holds itself, and that at `placed`."""
        ...

    def document_of(self, path: Path, params: P) -> Path | None:
        """The document for whose own sake nothing else may change in a place; None where a place is judged from the
        start to the end, or not closed at all.
        """
        ...

    def closes_documents(self, params: P) -> bool:
        """Whether there is such a place."""
        ...


@runtime_checkable
class Leaving(Protocol[P]):
    """An optional part of a SourceKind: of one that reads some of its state only while something shows it."""

    def left_behind(self, captures: Sequence[Snapshot], params: P) -> Sequence[tuple[str, int]]:
        """What the last capture shows no more, for people, each with the position at which it was last read."""
        ...
