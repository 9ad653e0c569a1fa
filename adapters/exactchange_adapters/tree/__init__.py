"""The tree adapter: a directory, every entry by its path, files by meaning as the file adapter reads them."""

from exactchange_adapters.tree.kind import KIND, TreeParams

__all__ = ["KIND", "TreeParams"]
