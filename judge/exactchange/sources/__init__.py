"""Sources: the contract between the core and the adapters that read one kind of real state each."""

from exactchange.sources.compare import diff_snapshots
from exactchange.sources.holding import Holding
from exactchange.sources.kind import (
    BlobStore,
    Match,
    Narrowed,
    Reader,
    RowShape,
    SourceKind,
    SourceParams,
    World,
)
from exactchange.sources.registry import kind_named, kinds
from exactchange.sources.tree import NoSelector, TreeKind

__all__ = [
    "BlobStore",
    "Holding",
    "Match",
    "Narrowed",
    "NoSelector",
    "Reader",
    "RowShape",
    "SourceKind",
    "SourceParams",
    "TreeKind",
    "World",
    "diff_snapshots",
    "kind_named",
    "kinds",
]
