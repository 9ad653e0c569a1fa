"""What every snapshot offers, and the snapshot that is a plain value tree."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, Protocol, TypeAlias

from exactchange.values import ABSENT, Path, State, digest

Cause: TypeAlias = Literal["content", "infrastructure"]
START: Final = 0
"""The step of the capture before the first action; actions are numbered from 1."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a source that could not be read; never "unchanged", never "absent". `path` () is the whole source."""

    path: Path
    address: str
    reason: str
    cause: Cause = "content"


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth saying that is no change: formatting, an ignored sidecar, a rule that was used."""

    kind: str
    message: str


CLAIMED: Final = " is left to its own source"
"""How the message of a note of kind `claimed` ends; before it stands the file that a directory leaves out."""


@dataclass(frozen=True, slots=True)
class Mark:
    """When: number of the step it follows (START before the first), wall and monotonic time of the recorder in ns."""

    step: int = START
    wall_ns: int = 0
    mono_ns: int = 0


class Snapshot(Protocol):
    """Immutable. A value tree, or a private read-only image; never the live source."""

    @property
    def kind(self) -> str:
        """Name of the source kind that made it."""
        ...

    @property
    def mark(self) -> Mark: ...

    @property
    def digest(self) -> bytes:
        """BLAKE2b-256 of the canonical content, without the mark: equal digests, equal state."""
        ...

    @property
    def unread(self) -> Sequence[Unread]: ...

    @property
    def notes(self) -> Sequence[Note]: ...

    def close(self) -> None:
        """Free what the snapshot holds outside memory; afterwards it raises SnapshotClosed and never answers."""
        ...


@dataclass(frozen=True)
class TreeSnapshot:
    """A snapshot that is a value tree; `tree` is ABSENT when the source is not there.

    Mapping keys are spelt by `exactchange.address.key`, so that they are the segments of paths.
    """

    kind: str
    tree: State = ABSENT
    mark: Mark = field(default=Mark(), compare=False)
    unread: tuple[Unread, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def digest(self) -> bytes:
        return self._digest

    @cached_property
    def _digest(self) -> bytes:
        parts = [[list(item.path), item.reason, item.cause] for item in self.unread]
        return digest([self.kind, self.tree is ABSENT, self._tree_digest, parts])

    @cached_property
    def _tree_digest(self) -> bytes:
        return digest(self.tree)

    def learn(self, other: Snapshot) -> None:
        """Take over what is known of the very same tree, so that state which did not change is not hashed again."""
        if isinstance(other, TreeSnapshot) and other.tree is self.tree and "_tree_digest" in vars(other):
            vars(self)["_tree_digest"] = other._tree_digest

    def close(self) -> None:
        """Nothing to free: the tree lives in memory only."""


def lost(kind: str, mark: Mark, *, reason: str, cause: Cause) -> TreeSnapshot:
    """The snapshot of a source that could not be captured at all, of whatever kind it is.

    `diff_snapshots` never hands such a snapshot to its kind, which may expect a type of its own.
    """
    return TreeSnapshot(kind, ABSENT, mark, (Unread((), "", reason, cause),))


def unread_whole(snapshot: Snapshot) -> bool:
    """Whether nothing is known of the state: then it answers no question, and must not be asked one."""
    return any(not item.path for item in snapshot.unread)
