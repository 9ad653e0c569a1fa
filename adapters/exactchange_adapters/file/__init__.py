"""The file adapter: configuration files by meaning, with type, mode and links; `dialects` says what is read."""

from exactchange_adapters.file.kind import KIND, FileParams

__all__ = ["KIND", "FileParams"]
