"""What differs between two images: row by row in the order of their keys, with types, in bounded memory.

Which rows may differ at all is told from the pages, where that can be told (`candidates`). All others are compared as
well where it cannot: that is the exact reference, and the answer is the same.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from exactchange.address import key
from exactchange.errors import OverBudget
from exactchange.limits import Budget
from exactchange.snapshot import Unread
from exactchange.sources import Narrowed
from exactchange.values import ABSENT, State, Value, same
from exactchange_adapters.sqlite.candidates import candidates
from exactchange_adapters.sqlite.engine import Unreadable
from exactchange_adapters.sqlite.image import Image, unread_table
from exactchange_adapters.sqlite.merge import Sides, Trees, Unnamed, merge
from exactchange_adapters.sqlite.params import NamedKeys
from exactchange_adapters.sqlite.rows import ROWID, as_state, check_unique, forgiving, identified, rowid_name
from exactchange_adapters.sqlite.schema import Schema, Table
from exactchange_adapters.sqlite.snapshot import SqliteSnapshot

SCHEMA: Final = "@schema"
PRAGMA: Final = "@pragma"


@dataclass(slots=True)
class _Result:
    before: dict[str, Value] = field(default_factory=dict[str, Value])
    after: dict[str, Value] = field(default_factory=dict[str, Value])
    unread: list[Unread] = field(default_factory=list[Unread])

    def put(self, name: str, before: Mapping[str, Value], after: Mapping[str, Value]) -> None:
        """Both sides hold the container, so that what differs in it is its items and not the container as a whole."""
        if before or after:
            self.before[name], self.after[name] = before, after


def narrowed(before: SqliteSnapshot, after: SqliteSnapshot, keys: NamedKeys, budget: Budget) -> Narrowed:
    """The trees of what differs: `{table: {"id=7": {column: value}}, "@schema": {kind: {name: sql}}, "@pragma": {}}`.

    Of a row that both sides have only the columns that differ; a row that one side has, whole. A column that only one
    side has shows in a row where it is not that column's DEFAULT: the rest is told by the change of the schema.
    """
    old, new = before.image, after.image
    if before.absent or after.absent:
        return _with_absent(before, after, keys, budget)
    if old is None or new is None or old is new:
        return Narrowed(ABSENT, ABSENT) if old is not new else Narrowed({}, {})
    result = _Result()
    first, second = sorted((old, new), key=id)  # in one order everywhere: two threads may compare the same two
    with first.lock, second.lock:
        _put_schema(result, old.schema, new.schema)
        near = candidates(old, new)
        for name in sorted(old.schema.tables.keys() | new.schema.tables.keys()):
            _put_table(result, name, old, new, keys, budget, near.get(name))
    return Narrowed(result.before, result.after, tuple(result.unread))


def whole(image: Image, keys: NamedKeys, budget: Budget) -> tuple[dict[str, Value], tuple[Unread, ...]]:
    """Everything that an image holds, as one tree."""
    tree: dict[str, Value] = {}
    unread: list[Unread] = []
    with image.lock:
        schema = image.schema
        tree[SCHEMA] = schema_tree(schema)
        tree[PRAGMA] = dict(schema.pragmas)
        for name in sorted(schema.tables):
            try:
                tree[key(name)] = table_tree(image, schema.tables[name], keys, budget)
            except OverBudget as error:
                unread.append(unread_table(name, str(error)))
    return tree, tuple(unread)


def table_tree(image: Image, table: Table, keys: NamedKeys, budget: Budget) -> dict[str, Value]:
    """All rows of a table by segment. Raises Unreadable or OverBudget."""
    if table.unread is not None:
        raise Unreadable(table.unread)
    override = keys.of(table.name, table.names)

    def rows(careful: bool) -> dict[str, Value]:
        found = identified(image, table, override, careful=careful)
        return as_state((path, counted(cells, budget)) for path, cells in found)

    return forgiving(rows)


def counted(cells: Mapping[str, Value], budget: Budget) -> Mapping[str, Value]:
    """The same row, after it was counted."""
    size = sum(len(cell) for cell in cells.values() if isinstance(cell, str | bytes))
    budget.spend(nodes=1 + len(cells), bytes=size + 8 * len(cells))
    return cells


def schema_tree(schema: Schema) -> dict[str, Value]:
    """Normalised statements by kind and name, as they stand under `@schema`."""
    return {kind: {key(name): sql for name, sql in found.items()} for kind, found in schema.objects.items() if found}


def _with_absent(before: SqliteSnapshot, after: SqliteSnapshot, keys: NamedKeys, budget: Budget) -> Narrowed:
    sides: list[State] = []
    unread: tuple[Unread, ...] = ()
    for side in (before, after):
        if side.image is None:
            sides.append(ABSENT)
        else:
            tree, unread = whole(side.image, keys, budget)
            sides.append(tree)
    return Narrowed(sides[0], sides[1], unread)


def _put_schema(result: _Result, old: Schema, new: Schema) -> None:
    left, right = schema_tree(old), schema_tree(new)
    before: dict[str, Value] = {}
    after: dict[str, Value] = {}
    for kind in sorted(left.keys() | right.keys()):
        mine, theirs = _differing(left.get(kind, {}), right.get(kind, {}))
        if mine or theirs:
            before[kind], after[kind] = mine, theirs
    result.put(SCHEMA, before, after)
    result.put(PRAGMA, *_differing(dict(old.pragmas), dict(new.pragmas)))


def _differing(left: Value, right: Value) -> tuple[dict[str, Value], dict[str, Value]]:
    assert isinstance(left, Mapping) and isinstance(right, Mapping)
    differ = [k for k in left.keys() | right.keys() if not same(left.get(k, ABSENT), right.get(k, ABSENT))]
    return {k: left[k] for k in differ if k in left}, {k: right[k] for k in differ if k in right}


def _put_table(
    result: _Result, name: str, old: Image, new: Image, keys: NamedKeys, budget: Budget, only: Sequence[int] | None
) -> None:
    left, right = old.schema.tables.get(name), new.schema.tables.get(name)
    try:
        for table in (left, right):
            if table is not None and table.unread is not None:
                raise Unreadable(table.unread)
        if left is None or right is None:
            before = table_tree(old, left, keys, budget) if left is not None else {}
            after = table_tree(new, right, keys, budget) if right is not None else {}
        else:
            trees = compare_tables(Sides(old, left, new, right, only), keys, budget)
            before, after = trees.before, trees.after
        result.put(key(name), before, after)
    except OverBudget as error:
        result.unread.append(unread_table(name, str(error)))


def compare_tables(sides: Sides, keys: NamedKeys, budget: Budget) -> Trees:
    """The rows of a table that differ between two images. Raises Unreadable or OverBudget."""
    columns, exact = _identity(sides, keys)
    if sides.only is not None and not sides.only:
        return Trees(budget)
    if sides.only is not None and rowid_name(sides.old) is not None:
        with suppress(Unnamed):
            return forgiving(lambda careful: merge(sides, columns, budget, exact=exact, careful=careful))
    every = replace(sides, only=None)
    return forgiving(lambda careful: merge(every, columns, budget, exact=exact, careful=careful))


def _identity(sides: Sides, keys: NamedKeys) -> tuple[Sequence[tuple[str, ...]], bool]:
    """Keys that both sides have, in order, and whether the first identifies every row; () is by content."""
    old, new = sides.old, sides.new
    override = keys.of(old.name, {*old.names, *new.names})
    if override is not None:
        check_unique(sides.old_image, old, override)
        check_unique(sides.new_image, new, override)
        return (override,), True
    if old.rowid_key or new.rowid_key:
        return (((ROWID,),), True) if old.rowid_key and new.rowid_key else ((), False)
    common = [columns for columns in old.keys if columns in new.keys]
    if common:
        return common, False
    for columns in (*old.keys, *new.keys):  # the keys changed: one side's may still tell the other's rows apart
        try:
            check_unique(sides.old_image, old, columns)
            check_unique(sides.new_image, new, columns)
        except Unreadable:
            continue
        return (columns,), True
    return (), False
