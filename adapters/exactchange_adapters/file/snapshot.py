"""The snapshot of files: its digest is that of their meaning, so that a reformatted file is in a state seen before."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from exactchange.snapshot import TreeSnapshot
from exactchange.values import State, Value, digest
from exactchange_adapters.file.content import LAYOUT


@dataclass(frozen=True)
class FilesSnapshot(TreeSnapshot):
    """A tree of one file, or of a directory's entries."""

    @cached_property
    def _tree_digest(self) -> bytes:
        return digest(_without_layout(self.tree))


def _without_layout(tree: State) -> State:
    if not isinstance(tree, Mapping):
        return tree
    return {name: _meant(item) for name, item in tree.items() if name != LAYOUT}


def _meant(item: Value) -> Value:
    """Of a directory's entry the same; keys of a file are never spelt like the facet."""
    if isinstance(item, Mapping) and LAYOUT in item:
        return {name: value for name, value in item.items() if name != LAYOUT}
    return item
