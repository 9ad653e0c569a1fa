"""The snapshot of a database: a shared private image, absent, or unread."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from exactchange.errors import SnapshotClosed
from exactchange.snapshot import Mark, Note, Unread
from exactchange.values import Value, canonical_bytes
from exactchange_adapters.sqlite.params import NamedKeys

if TYPE_CHECKING:
    from exactchange_adapters.sqlite.image import Image

NAME: Final = "sqlite"
_LOGICAL: Final = 32 * 1024 * 1024


@dataclass(slots=True)
class Hold:
    """A snapshot's share in an image, given back once."""

    image: "Image | None" = None
    digest: bytes | None = None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class SqliteSnapshot:
    """A database at one mark. Without image and without unread: the file is not there (ABSENT).

    `keys`: those that the task names, by which rows are addressed. A copy made by `dataclasses.replace` is the same
    snapshot: closing one closes both.
    """

    hold: Hold = field(default_factory=Hold, compare=False, repr=False)
    mark: Mark = field(default=Mark(), compare=False)
    unread: tuple[Unread, ...] = ()
    notes: tuple[Note, ...] = ()
    keys: NamedKeys = NamedKeys()
    kind: str = NAME

    @property
    def image(self) -> "Image | None":
        """The image; None when absent or unread as a whole. Raises SnapshotClosed."""
        if self.hold.closed:
            raise SnapshotClosed("this snapshot of a database was closed")
        return self.hold.image

    @property
    def absent(self) -> bool:
        """Whether the database file is known not to be there."""
        return self.image is None and not self.unread

    @property
    def digest(self) -> bytes:
        """Equal digests, equal state.

        Up to 32 MiB it is taken from the content (schema, pragmas, the rows in no order), so that a twin made by VACUUM
        or by undoing a change has the same; above, from the image's bytes.
        """
        if self.hold.digest is None:
            hasher = blake2b(digest_size=32)
            unread: list[Value] = [[list(item.path), item.reason, item.cause] for item in self.unread]
            hasher.update(canonical_bytes([self.kind, self.absent, unread]))
            if self.image is not None:
                with self.image.lock:
                    for piece in _content(self.image):
                        hasher.update(piece)
            self.hold.digest = hasher.digest()
        return self.hold.digest

    def twin(self, mark: Mark) -> "SqliteSnapshot":
        """The same state at another mark, with a share in the image of its own."""
        image = self.image
        return replace(self, mark=mark, hold=Hold(image.retain() if image is not None else None, self.hold.digest))

    def close(self) -> None:
        """Give back the image; its files are removed with its last snapshot."""
        if not self.hold.closed:
            self.hold.closed = True
            if self.hold.image is not None:
                self.hold.image.release()
                self.hold.image = None


def _content(image: "Image") -> Iterator[bytes]:
    from exactchange_adapters.sqlite.hashing import image_digest
    from exactchange_adapters.sqlite.rows import table_digest

    if image.size > _LOGICAL:
        yield b"image"
        yield image_digest(image)
        return
    schema = image.schema
    yield b"content"
    yield canonical_bytes([{kind: dict(found) for kind, found in schema.objects.items()}, dict(schema.pragmas)])
    for name in sorted(schema.tables):
        yield canonical_bytes(name)
        yield table_digest(image, schema.tables[name])
