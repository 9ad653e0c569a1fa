"""What a kind of source may do for people: show what a snapshot holds as a file that they can open."""

from typing import Protocol, TypeVar, runtime_checkable

from exactchange.snapshot import Snapshot

S = TypeVar("S", bound=Snapshot, contravariant=True)


@runtime_checkable
class Drawable(Protocol[S]):
    """An optional part of a SourceKind: of one whose state has a look, such as a page."""

    def portrait(self, snapshot: S, *, title: str) -> str:
        """One file of HTML that runs nothing and asks for nothing, whatever the snapshot holds. `title`: of what it is.

        Raises UsageError when the snapshot is malformed.
        """
        ...
