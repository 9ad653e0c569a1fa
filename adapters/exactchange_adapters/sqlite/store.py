"""Images on disk: pieces of a whole one, or the pages that differ from another; read back as hostile."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from exactchange.errors import UsageError
from exactchange.limits import Budget
from exactchange.snapshot import Mark, Unread
from exactchange.sources import BlobStore
from exactchange.values import Value
from exactchange_adapters.sqlite.engine import Unreadable
from exactchange_adapters.sqlite.image import Image, judged
from exactchange_adapters.sqlite.params import NamedKeys
from exactchange_adapters.sqlite.snapshot import NAME, Hold, SqliteSnapshot

PIECE: Final = 1024 * 1024
PAGE: Final = 4096
_LEVEL: Final = 4
_LARGEST: Final = 8 * 1024**3
_OFFSET: Final = 8
_MOST_PAGES: Final = 8 * 1024  # of one blob: 32 MiB


def save(snapshot: SqliteSnapshot, base: SqliteSnapshot | None, store: BlobStore) -> Mapping[str, Value]:
    """The record of a snapshot. With a base, `pages` are those that differ from the base's files."""
    image = snapshot.image
    old = base.image if isinstance(base, SqliteSnapshot) else None
    head: dict[str, Value] = {
        "kind": NAME,
        "mark": [snapshot.mark.step, snapshot.mark.wall_ns, snapshot.mark.mono_ns],
        "keys": [snapshot.keys.any, {name: list(columns) for name, columns in snapshot.keys.tables.items()}],
        "digest": snapshot.digest.hex(),
    }
    if image is None:
        return head | {"unread": [item.reason for item in snapshot.unread]}
    if old is None or base is None:
        return head | {"main": _pieces(image.main, store), "wal": _pieces(image.wal, store)}
    delta = {"main": _pages(image.main, old.main, store), "wal": _pages(image.wal, old.wal, store)}
    return head | {"base": base.digest.hex()} | delta


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
    if old is not None and record["main"] == record["wal"] == []:
        assert isinstance(base, SqliteSnapshot)
        return SqliteSnapshot(Hold(old.retain(), base.hold.digest), mark, base.unread, base.notes, keys)
    image = Image()
    try:
        _restore(image.main, _list(record["main"]), old.main if old else None, store, budget)
        _restore(image.wal, _list(record["wal"]), old.wal if old else None, store, budget)
        image.check(journal=False)
        unread, notes = judged(image)
    except Unreadable as error:
        image.release()
        raise UsageError(f"a {NAME} snapshot's image cannot be read: {error}") from error
    except BaseException:
        image.release()
        raise
    return SqliteSnapshot(Hold(image), mark, unread, notes, keys)


def _base_image(record: Mapping[str, Value], base: object) -> Image | None:
    if "base" not in record:
        return None
    if not isinstance(base, SqliteSnapshot) or base.image is None or base.digest.hex() != record["base"]:
        raise UsageError("a snapshot is stored as changes to another one that is not at hand")
    return base.image


def _pieces(file: Path, store: BlobStore) -> Value:
    """`[size, [blob or null for zeros, ...]]`, or `[]` for a file that is not there."""
    if not file.exists():
        return []
    names = [None if not any(data) else _put(data, store) for data in _parts(file, PIECE)]
    return [file.stat().st_size, names]


def _pages(file: Path, old: Path, store: BlobStore) -> Value:
    """`[size, [blob of pages, ...]]`, or `[]` for a file that is as it was, `[null]` for one that is gone."""
    if not file.exists():
        return [None] if old.exists() else []
    if not old.exists():
        return [file.stat().st_size, [_put(data, store) for data in _differing(file, None)]]
    blobs: list[Value] = [_put(data, store) for data in _differing(file, old)]
    size = file.stat().st_size
    return [] if not blobs and size == old.stat().st_size else [size, blobs]


def _differing(file: Path, old: Path | None) -> Iterator[bytes]:
    """Runs of (offset, page) for the pages that differ."""
    before = _parts(old, PIECE) if old is not None else iter(())
    out: list[bytes] = []
    for number, piece in enumerate(_parts(file, PIECE)):
        other = next(before, b"")
        if piece == other:
            continue
        for at in range(0, len(piece), PAGE):
            page = piece[at : at + PAGE]
            if page != other[at : at + PAGE]:
                out.append((number * PIECE + at).to_bytes(_OFFSET, "big") + page.ljust(PAGE, b"\0"))
        if len(out) >= _MOST_PAGES:
            yield b"".join(out)
            out.clear()
    if out:
        yield b"".join(out)


def _parts(file: Path, size: int) -> Iterator[bytes]:
    with file.open("rb") as opened:
        while data := opened.read(size):
            yield data


def _put(data: bytes, store: BlobStore) -> str:
    return store.put(zlib.compress(data, _LEVEL))


def _restore(target: Path, entry: Sequence[Value], old: Path | None, store: BlobStore, budget: Budget) -> None:
    if not entry and old is not None and old.exists():
        _copy(old, target)
    if not entry or entry == [None]:
        return
    size, names = _number(entry[0]), _list(entry[1])
    if not 0 <= size <= _LARGEST:
        raise ValueError("a size out of bounds")
    if old is not None and old.exists():
        _copy(old, target)
    with target.open("r+b" if target.exists() else "w+b") as file:
        for number, name in enumerate(names):
            if name is not None:
                for offset, data in _unpacked(_get(name, store, budget), number, delta=old is not None):
                    if not 0 <= offset < max(size, 1):
                        raise ValueError("an offset out of bounds")
                    file.seek(offset)
                    file.write(data)
        file.truncate(size)


def _unpacked(data: bytes, number: int, *, delta: bool) -> Iterator[tuple[int, bytes]]:
    if not delta:
        yield number * PIECE, data
        return
    step = _OFFSET + PAGE
    if len(data) % step:
        raise ValueError("a piece of a page")
    for at in range(0, len(data), step):
        yield int.from_bytes(data[at : at + _OFFSET], "big"), data[at + _OFFSET : at + step]


def _copy(source: Path, target: Path) -> None:
    with target.open("wb") as out:
        for data in _parts(source, PIECE):
            out.write(data)


def _get(name: Value, store: BlobStore, budget: Budget) -> bytes:
    most = (_MOST_PAGES + PIECE // PAGE) * (_OFFSET + PAGE)
    inflater = zlib.decompressobj()
    data = inflater.decompress(store.get(str(name), limit=most), most)
    if inflater.unconsumed_tail or not inflater.eof:
        raise ValueError("a piece that inflates beyond the limit, or is cut short")
    budget.spend(bytes=len(data))
    return data


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
