"""The SQLite adapter: every row, type, schema object and persistent pragma of a database file is state."""

from exactchange_adapters.sqlite.kind import KIND, SqliteKind
from exactchange_adapters.sqlite.params import SqliteParams, SqliteSelector
from exactchange_adapters.sqlite.snapshot import SqliteSnapshot

__all__ = ["KIND", "SqliteKind", "SqliteParams", "SqliteSelector", "SqliteSnapshot"]
