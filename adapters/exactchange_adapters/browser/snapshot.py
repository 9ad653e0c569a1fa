"""The snapshot of a browser: its tree of values, and the documents that selectors are run on."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b

from exactchange.snapshot import Mark, TreeSnapshot
from exactchange.values import Path, canonical_bytes

READS = 1
"""Grows when a version reads something that the one before did not, or calls elements by other addresses."""
LARGEST_DOCUMENT = 64 * 1024 * 1024
STRANGE = "the tab could not be attached to"
"""Why a tab is unread of which it is not known either which one it was before."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """The nodes of one document, compressed; `path` is where its controls stand in the tree."""

    path: Path
    packed: bytes
    tab: int = 1
    """Number of the tab, counted as tabs were opened."""
    identity: str = ""
    """Tells the document from every other of the run; "" where that is not known, as in an older recording.

    No state: a page that is loaded again and looks the same is in the same state, so no digest and no diff has it.
    """

    def text(self) -> str:
        """The line of nodes as the walk made it, without secrets. Raises ValueError when it is no such thing."""
        inflater = zlib.decompressobj()
        data = inflater.decompress(self.packed, LARGEST_DOCUMENT)
        if inflater.unconsumed_tail or not inflater.eof:
            raise ValueError("a stored document is cut off, or inflates beyond the limit")
        return data.decode("utf-8", "surrogatepass")


def pack(text: str) -> bytes:
    """Compressed nodes; the quickest level, since a snapshot is made after every step."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


@dataclass(frozen=True)
class PageSnapshot(TreeSnapshot):
    """What a browser holds at one mark."""

    documents: tuple[StoredDocument, ...] = ()
    reads: int = READS
    """`READS` of the version that read it."""

    def at(self, mark: Mark) -> "PageSnapshot":
        """The same state at another mark, with a digest that need not be worked out again."""
        other = replace(self, mark=mark, notes=())  # of how the first capture went, not of the state
        vars(other)["_digest"] = self.digest
        return other

    @cached_property
    def _digest(self) -> bytes:
        tree = TreeSnapshot(self.kind, self.tree, self.mark, self.unread, self.notes)
        whole = blake2b(tree.digest, digest_size=32)
        for part in self._document_parts():
            whole.update(part)
        return whole.digest()

    def _document_parts(self) -> Iterator[bytes]:
        for document in self.documents:
            yield canonical_bytes([list(document.path), document.tab, document.text()])
