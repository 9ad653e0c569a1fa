"""The bytes of images as compressed blobs: all of them in pieces, or the blocks that differ from another image's."""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from exactchange.limits import Budget
from exactchange.sources import BlobStore
from exactchange.values import Value
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.layer import Layer, LayerFile
from exactchange_adapters.sqlite.pages import Foreign, Pages, differing

PIECE: Final = 1024 * 1024
BLOCK: Final = 4096
_LEVEL: Final = 4
_OFFSET: Final = 8
_MOST_BLOCKS: Final = 8 * 1024  # of one blob: 32 MiB


def pieces(layer: Layer, store: BlobStore) -> Value:
    """`[size, [blob or null for zeros, ...]]` of all of a layer's bytes."""
    size = layer.size * layer.count
    with LayerFile(layer) as pages:
        return [size, [_piece(pages.read(PIECE, offset), store) for offset in range(0, size, PIECE)]]


def pieces_of(file: Path, store: BlobStore) -> Value:
    """The same of a file, or `[]` for one that is not there."""
    if not file.exists():
        return []
    with file.open("rb") as opened:
        return [file.stat().st_size, [_piece(data, store) for data in iter(lambda: opened.read(PIECE), b"")]]


def changed(image: Image, old: Image, store: BlobStore) -> Value:
    """`[size, [blob of blocks, ...]]` of what differs from an older image, `[]` where nothing does.

    Raises Foreign where the two are not made of the same kind of pages.
    """
    with Pages(old) as before, Pages(image) as after:
        if before.layer is None or after.layer is None:
            raise Foreign("a log stands beside one of them")
        size, count = after.size, after.count
        numbers = [number for number in sorted(differing(before, after)) if number <= count]
        if not numbers and before.count == count:
            return []
        with LayerFile(after.layer) as pages:
            blobs = [store.put(zlib.compress(data, _LEVEL)) for data in _blobs(pages, _blocks(numbers, size))]
        return [size * count, [*blobs]]


def _blocks(numbers: Iterable[int], size: int) -> Iterator[int]:
    """Numbers, from 0 on, of the blocks that these pages stand in, in order and each once."""
    last = -1
    for number in numbers:
        for block in range(max((number - 1) * size // BLOCK, last + 1), -(-number * size // BLOCK)):
            yield block
            last = block


def _blobs(pages: LayerFile, blocks: Iterator[int]) -> Iterator[bytes]:
    """Runs of (offset, block)."""
    out: list[bytes] = []
    for block in blocks:
        offset = block * BLOCK
        out.append(offset.to_bytes(_OFFSET, "big") + pages.read(BLOCK, offset).ljust(BLOCK, b"\0"))
        if len(out) == _MOST_BLOCKS:
            yield b"".join(out)
            out.clear()
    if out:
        yield b"".join(out)


def _piece(data: bytes, store: BlobStore) -> Value:
    return store.put(zlib.compress(data, _LEVEL)) if any(data) else None


def restore(target: Path, size: int, names: Sequence[Value], *, over: bool, store: BlobStore, budget: Budget) -> None:
    """Write stored bytes into a file; `over` what it holds already, as blocks. Raises ValueError, zlib.error."""
    with target.open("r+b" if target.exists() else "w+b") as file:
        for number, name in enumerate(names):
            if name is not None:
                found = blocks(name, store, budget) if over else [(number * PIECE, _inflated(name, store, budget))]
                for offset, data in found:
                    _check(offset, size)
                    file.seek(offset)
                    file.write(data)
        file.truncate(size)


def blocks(name: Value, store: BlobStore, budget: Budget) -> Iterator[tuple[int, bytes]]:
    """The blocks of a blob with their offsets. Raises ValueError, zlib.error."""
    data = _inflated(name, store, budget)
    step = _OFFSET + BLOCK
    if len(data) % step:
        raise ValueError("a piece of a block")
    for at in range(0, len(data), step):
        yield int.from_bytes(data[at : at + _OFFSET], "big"), data[at + _OFFSET : at + step]


def patched(old: Layer, size: int, names: Sequence[Value], store: BlobStore, budget: Budget) -> dict[int, bytes]:
    """The pages that stored blocks make of a layer, for an image of this size. Raises ValueError, zlib.error."""
    made: dict[int, bytearray] = {}
    with LayerFile(old) as pages:

        def page(number: int) -> bytearray:
            if number not in made:
                made[number] = bytearray(pages.page(number) if number <= old.count else old.size)
            return made[number]

        for number in range(old.count + 1, size // old.size + 1):
            budget.spend(bytes=old.size)
            page(number)
        for name in names:
            for offset, data in blocks(name, store, budget):
                _check(offset, size)
                for at in range(offset, min(offset + BLOCK, size), min(old.size, BLOCK)):
                    number, begin = at // old.size + 1, at % old.size
                    part = data[at - offset : at - offset + old.size - begin]
                    page(number)[begin : begin + len(part)] = part
    return {number: bytes(data) for number, data in made.items()}


def _check(offset: int, size: int) -> None:
    if not 0 <= offset < max(size, 1):
        raise ValueError("an offset out of bounds")


def _inflated(name: Value, store: BlobStore, budget: Budget) -> bytes:
    most = (_MOST_BLOCKS + PIECE // BLOCK) * (_OFFSET + BLOCK)
    inflater = zlib.decompressobj()
    data = inflater.decompress(store.get(str(name), limit=most), most)
    if inflater.unconsumed_tail or not inflater.eof:
        raise ValueError("a piece that inflates beyond the limit, or is cut short")
    budget.spend(bytes=len(data))
    return data
