"""Images on disk: pieces of a whole one, or the pages that differ from another; read back as hostile."""

import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from exactchange.errors import UsageError
from exactchange.limits import Budget
from exactchange.snapshot import Mark, Unread
from exactchange.sources import BlobStore
from exactchange.values import Value
from exactchange_adapters.sqlite.blocks import changed, patched, pieces, pieces_of, restore
from exactchange_adapters.sqlite.checking import check, check_over
from exactchange_adapters.sqlite.engine import Unreadable
from exactchange_adapters.sqlite.image import Image, judged, let_go_on_failure
from exactchange_adapters.sqlite.pages import Foreign
from exactchange_adapters.sqlite.params import NamedKeys
from exactchange_adapters.sqlite.patience import COUNTED
from exactchange_adapters.sqlite.snapshot import NAME, Hold, SqliteSnapshot

_LARGEST: Final = 8 * 1024**3
_HASH: Final = "pieces"
"""How the bytes of an image are hashed; records of old name none, and hashed them at one go."""


def save(snapshot: SqliteSnapshot, base: SqliteSnapshot | None, store: BlobStore) -> Mapping[str, Value]:
    """The record of a snapshot. With a base, what differs from the base's pages; else all bytes."""
    image = snapshot.image
    old = base.image if isinstance(base, SqliteSnapshot) else None
    head: dict[str, Value] = {
        "kind": NAME,
        "mark": [snapshot.mark.step, snapshot.mark.wall_ns, snapshot.mark.mono_ns],
        "keys": [snapshot.keys.any, {name: list(columns) for name, columns in snapshot.keys.tables.items()}],
        "digest": snapshot.digest.hex(),
        "hash": _HASH,
    }
    if image is None:
        return head | {"unread": [item.reason for item in snapshot.unread]}
    nothing: list[Value] = []
    if old is not None and base is not None:
        with suppress(Foreign):
            return head | {"base": base.digest.hex(), "main": changed(image, old, store), "wal": nothing}
    layer = image.layer
    if layer is not None:
        return head | {"main": pieces(layer, store), "wal": nothing}
    return head | {"main": pieces_of(image.main, store), "wal": pieces_of(image.wal, store)}


def load(record: Mapping[str, Value], base: object, store: BlobStore, budget: Budget) -> SqliteSnapshot:
    """The snapshot of a record. Raises UsageError when the record is malformed, or is not what its digest says."""
    try:
        snapshot = _load(record, base, store, budget)
    except (KeyError, TypeError, ValueError, IndexError, AssertionError, zlib.error) as error:
        raise UsageError(f"a {NAME} snapshot's record is malformed: {error!r}") from error
    try:
        if snapshot.digest.hex() != record.get("digest"):
            raise UsageError(f"a {NAME} snapshot does not have the digest that its record names")
    except BaseException:
        snapshot.close()
        raise
    return snapshot


def _load(record: Mapping[str, Value], base: object, store: BlobStore, budget: Budget) -> SqliteSnapshot:
    if record["kind"] != NAME:
        raise ValueError("another kind")
    step, wall_ns, mono_ns = (_number(item) for item in _list(record["mark"]))
    mark, keys = Mark(step, wall_ns, mono_ns), _keys(record["keys"])
    if "unread" in record:
        unread = tuple(Unread((), "", str(reason)) for reason in _list(record["unread"]))
        return SqliteSnapshot(mark=mark, unread=unread, keys=keys)
    old = _base_image(record, base)
    main, wal = _list(record["main"]), _list(record["wal"])
    if old is not None and main == wal == []:
        assert isinstance(base, SqliteSnapshot)
        return SqliteSnapshot(Hold(old.retain(), base.hold.digest), mark, base.unread, base.notes, keys)
    image = _over(old, main, store, budget) if old is not None and wal == [] else None
    image = image or _whole(main, wal, old, store, budget)
    image.hashed_whole = record.get("hash") != _HASH
    with _refused(image):
        unread, notes = judged(image)
    return SqliteSnapshot(Hold(image), mark, unread, notes, keys)


def _over(old: Image, main: Sequence[Value], store: BlobStore, budget: Budget) -> Image | None:
    """Stored pages over the copy of an older image; None where that has a log of its own."""
    layer = old.layer
    if layer is None:
        return None
    size = _size(main)
    if size % layer.size:
        return None  # it got pages of another size: written into a file of its own
    image = old.over(patched(layer, size, _list(main[1]), store, budget), size // layer.size)
    with _refused(image):
        check_over(image, old, COUNTED)
    return image


def _whole(
    main: Sequence[Value], wal: Sequence[Value], old: Image | None, store: BlobStore, budget: Budget
) -> Image:  # fmt: skip
    """An image with files of its own, made of stored bytes over those of an older one."""
    image = Image()
    with _refused(image):
        if old is not None:
            image.fill_from(old)
        for target, entry in ((image.main, main), (image.wal, wal)):
            if entry == [None]:
                target.unlink(missing_ok=True)
            elif entry:
                restore(target, _size(entry), _list(entry[1]), over=old is not None, store=store, budget=budget)
        check(image, journal=False)
    return image


@contextmanager
def _refused(image: Image) -> Generator[None]:
    """Let an image go that turns out to be none. Raises UsageError."""
    try:
        with let_go_on_failure(image):
            yield
    except Unreadable as error:
        raise UsageError(f"a {NAME} snapshot's image cannot be read: {error}") from error


def _base_image(record: Mapping[str, Value], base: object) -> Image | None:
    if "base" not in record:
        return None
    if not isinstance(base, SqliteSnapshot) or base.image is None or base.digest.hex() != record["base"]:
        raise UsageError("a snapshot is stored as changes to another one that is not at hand")
    return base.image


def _size(entry: Sequence[Value]) -> int:
    size = _number(entry[0])
    if not 0 <= size <= _LARGEST:
        raise ValueError("a size out of bounds")
    return size


def _keys(value: Value) -> NamedKeys:
    named, tables = _list(value)
    if not isinstance(tables, Mapping) or not (named is None or isinstance(named, str)):
        raise TypeError("expected keys")
    return NamedKeys(named, {name: tuple(str(item) for item in _list(columns)) for name, columns in tables.items()})


def _number(value: Value) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("expected a number")
    return value


def _list(value: Value) -> Sequence[Value]:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TypeError("expected a list")
    return value
