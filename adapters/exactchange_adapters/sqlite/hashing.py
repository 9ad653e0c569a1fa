"""A hash of all bytes of an image, at the cost of those that changed since the image below it."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from exactchange_adapters.sqlite.files import CHUNK
from exactchange_adapters.sqlite.layer import Layer, LayerFile

if TYPE_CHECKING:
    from exactchange_adapters.sqlite.image import Image

PIECE: Final = 64 * 1024
"""Bytes that are hashed together; pages of every size that there is fit in."""
_SIZE: Final = 32


def image_digest(image: "Image") -> bytes:
    """BLAKE2b-256 of the bytes of an image: of the hashes of its pieces, or, as records of old have it, at one go."""
    layer = image.layer
    if layer is not None and not image.hashed_whole:
        head = b"pieces %d:" % (layer.size * layer.count)
        return blake2b(head + b"".join(_pieces(image, layer)), digest_size=_SIZE).digest()
    hasher = blake2b(digest_size=_SIZE)
    for size, chunks in _files(image):
        hasher.update(b"%d:" % size)
        for chunk in chunks:
            hasher.update(chunk)
    return hasher.digest()


def _files(image: "Image") -> Iterator[tuple[int, Iterator[bytes]]]:
    layer = image.layer
    if layer is not None:
        size = layer.size * layer.count
        with LayerFile(layer) as pages:
            yield size, (pages.read(CHUNK, offset) for offset in range(0, size, CHUNK))
        return
    for file in (image.main, image.wal):
        if file.exists():
            with file.open("rb") as opened:
                yield file.stat().st_size, iter(lambda: opened.read(CHUNK), b"")


def _pieces(image: "Image", layer: Layer) -> list[bytes]:
    """The hash of each piece; of an image that was made over another one, only those that differ are worked out."""
    with image.lock:
        if image.pieces is None:
            count = -(-layer.size * layer.count // PIECE)
            known, stale = image.below_pieces or ([], frozenset[int]())
            with LayerFile(layer) as pages:
                image.pieces = [
                    known[number]
                    if number < len(known) and number not in stale
                    else blake2b(pages.read(PIECE, number * PIECE), digest_size=_SIZE).digest()
                    for number in range(count)
                ]
            image.below_pieces = None
        return image.pieces


def stale(layer: Layer, numbers: Iterator[int], count: int) -> frozenset[int]:
    """Pieces of a layer that are others where these pages differ and there are so many."""
    found = {(number - 1) * layer.size // PIECE for number in numbers}
    if count != layer.count:
        least = min(count, layer.count) * layer.size // PIECE
        found.update(range(least, -(-max(count, layer.count) * layer.size // PIECE)))
    return frozenset(found)
