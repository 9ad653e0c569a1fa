"""What a task says about a SQLite source, and how it names rows and cells beside `at:`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from exactchange.sources import SourceParams


class SqliteParams(SourceParams):
    """A database file. Its `-wal` and `-journal` are read with it, so that the newest committed state is judged."""

    facets = frozenset()

    path: str = Field(description="The database file itself, not a link to it.")
    keys: Mapping[str, str | tuple[str, ...]] = Field(
        default_factory=dict,
        description="Column or columns that identify the rows of a table, by table; where `key` is one for all tables.",
    )
    largest: int = Field(
        default=2 * 1024**3, gt=0, description="Bytes above which the database is unread instead of copied."
    )

    def named_keys(self) -> "NamedKeys":
        """The keys that the task names."""
        tables = {name: (key,) if isinstance(key, str) else tuple(key) for name, key in self.keys.items()}
        return NamedKeys(self.key, tables)


@dataclass(frozen=True, slots=True)
class NamedKeys:
    """Keys that a task names, instead of the database's own. `any`: for every table that has such a column."""

    any: str | None = None
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def of(self, table: str, columns: Collection[str]) -> tuple[str, ...] | None:
        """The columns that the task names for a table; None where the database's own keys hold."""
        named = self.tables.get(table)
        if named is not None:
            return named
        return (self.any,) if self.any is not None and self.any in columns else None


class SqliteSelector(BaseModel):
    """A table's rows, or one column of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str = Field(description="Name of a table, as its CREATE TABLE spells it.")
    column: str | None = Field(default=None, description="A column: the cells instead of the rows.")
