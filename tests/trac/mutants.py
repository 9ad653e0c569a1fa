"""Wrong ways to tell rows apart where a table has no PRIMARY KEY, put in place to see which tests notice."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

import pytest

from exactchange_adapters.sqlite import rows, schema
from exactchange_adapters.sqlite.engine import Cell, Engine, Row
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.schema import Table


def by_rowid(patch: pytest.MonkeyPatch) -> None:
    """Rows are what SQLite stores under the same number."""
    ordinary = cast("Callable[[Engine, str, str], Table]", vars(schema)["_ordinary"])
    digest = rows.table_digest

    def numbered(engine: Engine, name: str, sql: str) -> Table:
        table = ordinary(engine, name, sql)
        return table if "PRIMARY KEY" in sql.upper() else replace(table, keys=(), rowid_key=True)

    def as_recorded(image: Image, table: Table) -> bytes:
        return digest(image, replace(table, rowid_key=False))

    patch.setattr("exactchange_adapters.sqlite.schema._ordinary", numbered)
    patch.setattr("exactchange_adapters.sqlite.rows.table_digest", as_recorded)


def by_position(patch: pytest.MonkeyPatch) -> None:
    """Rows are what comes first, second, third when the table is read."""
    plain = rows.read

    def numbered(
        image: Image, table: Table, columns: Sequence[str], *, where: str = "", order: Sequence[str] = (),
        arguments: Sequence[Cell] = (), careful: bool = False,
    ) -> Iterator[Row]:  # fmt: skip
        if columns[:1] != (rows.ROWID,):
            yield from plain(image, table, columns, where=where, order=order, arguments=arguments, careful=careful)
            return
        for number, row in enumerate(plain(image, table, columns[1:], careful=careful), start=1):
            yield (number, *row)

    by_rowid(patch)
    patch.setattr("exactchange_adapters.sqlite.rows.read", numbered)
    patch.setattr("exactchange_adapters.sqlite.sides.read", numbered)


MUTANTS: Mapping[str, Callable[[pytest.MonkeyPatch], None]] = {"rowid": by_rowid, "position": by_position}
