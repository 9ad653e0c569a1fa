"""Wrong ways to tell rows apart, put in place of the right one to see which tests notice."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import pytest

from exactchange_adapters.sqlite import rows
from exactchange_adapters.sqlite.engine import Cell, Row
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.schema import Table

_KEY: Final = (((rows.ROWID,),), True)


def by_rowid(patch: pytest.MonkeyPatch) -> None:
    """Rows are what SQLite stores under the same number."""
    patch.setattr("exactchange_adapters.sqlite.narrow._identity", _as_rowid)
    patch.setattr("exactchange_adapters.sqlite.rows.own_keys", _as_rowid)


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


def _as_rowid(*_: object) -> tuple[tuple[tuple[str, ...], ...], bool]:
    return _KEY


MUTANTS: Mapping[str, Callable[[pytest.MonkeyPatch], None]] = {"rowid": by_rowid, "position": by_position}
