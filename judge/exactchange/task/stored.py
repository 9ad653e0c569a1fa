"""What a task asks of a database in vain, whatever an agent does: values and changes that can never be there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from exactchange.address import key, unkey
from exactchange.address.segments import Exactly, Glob, Item
from exactchange.conditions import Matcher, Pattern, Place, ValueRule
from exactchange.conditions.keyless import asks_for_modification
from exactchange.errors import OverBudget
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.sources import Holding, Identifying, Naming
from exactchange.sources.registry import AnyKind
from exactchange.task.fitting import finite
from exactchange.task.overlaps import address_of
from exactchange.task.problem import did_you_mean
from exactchange.values import ABSENT, Path, dumps

_ANY_ROW = "*"
_ROWIDS = ("rowid", "oid", "_rowid_")


@dataclass(frozen=True, slots=True)
class Unholdable:
    """A matcher that no row can fit: its path in the rule, and why."""

    path: Path
    why: str
    hint: str | None = None


def unholdable(part: Place, kind: AnyKind, snapshot: Snapshot) -> Iterator[Unholdable]:
    """The matchers of a rule or pattern that ask a column for what it can never hold, as this state of it tells."""
    if not isinstance(kind, Holding) or unread_whole(snapshot):
        return
    for path, column, matcher in _columns(part):
        values = finite(matcher.raw)
        try:
            reasons = [None if v is ABSENT else kind.never_holds(snapshot, column, v) for v in values or ()]
        except OverBudget:
            return  # what cannot be read is told of elsewhere
        if values and reasons and all(reasons):
            shown = ", ".join(dumps(value) for value in values if value is not ABSENT)
            yield Unholdable(path, f"{part.in_}: {column[0]}.{column[-1]} can never be {shown}: {reasons[0]}")


def unmodifiable(part: Place, kind: AnyKind, snapshot: Snapshot) -> Iterator[Unholdable]:
    """Where a rule or pattern asks that a row be modified which has no key, so that nobody could tell."""
    if not isinstance(kind, Identifying) or not isinstance(part, Pattern) or unread_whole(snapshot):
        return
    place = _table_and_column(part)
    if place is None or not asks_for_modification(part):
        return
    try:
        keyless = kind.keyless(snapshot, place[0])
    except OverBudget:
        return
    if keyless:
        name = "op" if part.op is not None else "to"
        yield Unholdable((name,), f"rows of {place[0]} have no key: they come and go, and none is ever modified")


def misspelt(part: Place, kind: AnyKind, *snapshots: Snapshot) -> Iterator[Unholdable]:
    """The tables and columns that a rule or pattern names and that are in none of these states of a database."""
    if not isinstance(kind, Naming) or any(map(unread_whole, snapshots)):
        return
    known: dict[str, set[str]] = {}
    for snapshot in snapshots:
        for name, columns in kind.tables(snapshot).items():
            known.setdefault(name, set()).update(columns)
    for path, table, column in _named(part) if known else ():
        if table not in known:
            yield Unholdable(path, f"{part.in_} has no table {_said(table)!r}", did_you_mean(_said(table), known))
        elif column is not None and known[table] and column not in known[table] and column not in _ROWIDS:
            what = f"{part.in_}: {_said(table)} has no column {_said(column)!r}"
            yield Unholdable(path, what, did_you_mean(_said(column), known[table]))


def _named(part: Place) -> Iterator[tuple[Path, str, str | None]]:
    """The tables that a place names, with a column of it or None, and the path of each in the rule."""
    if isinstance(part, ValueRule) and part.query is not None:
        return
    address = address_of(part, False)
    first = None if address is None or len(address.alternatives) != 1 else address.alternatives[0][:1]
    if not first or not isinstance(first[0], Exactly) or str(first[0].segment).startswith("@"):
        return
    table = str(first[0].segment)
    place = _table_and_column(part)
    way = "at" if part.table is None else "column" if part.column is not None else "table"
    yield (way,), table, None if place is None else place[1]
    named = [("where", part.where)] + ([("row", part.row)] if isinstance(part, Pattern) else [])
    yield from (((name, column), table, key(column)) for name, columns in named for column in columns or ())


def _said(segment: str) -> str:
    name = unkey(segment)
    return name if isinstance(name, str) else segment


def _columns(part: Place) -> Iterator[tuple[Path, tuple[str, str, str], Matcher]]:
    """The matchers of single columns, each with its path in the rule and the column's place."""
    for column, matcher in (part.where or {}).items():
        if part.table is not None:
            yield ("where", column), (key(part.table), _ANY_ROW, key(column)), matcher
    place = _table_and_column(part)
    if place is None:
        return
    table, own = place
    if own is not None:
        yield from ((path, (table, _ANY_ROW, own), matcher) for path, matcher in _sides(part))
    elif isinstance(part, Pattern):
        for column, matcher in (part.row or {}).items():
            yield ("row", column), (table, _ANY_ROW, key(column)), matcher


def _sides(part: Place) -> Sequence[tuple[Path, Matcher]]:
    sides: Mapping[str, Matcher | None] = {}
    if isinstance(part, ValueRule):
        sides = {"is": part.is_}
    elif isinstance(part, Pattern):
        sides = {"from": part.from_, "to": part.to}
    return [((name,), matcher) for name, matcher in sides.items() if matcher is not None]


def _table_and_column(part: Place) -> tuple[str, str | None] | None:
    """The table and column (None: rows) that a place names; None where it names no one table."""
    if isinstance(part, ValueRule) and part.query is not None:
        return None
    address = address_of(part, False)
    if address is None or len(address.alternatives) != 1:
        return None
    segments = address.alternatives[0]
    if not 2 <= len(segments) <= 3 or not isinstance(segments[0], Exactly) or not isinstance(segments[1], Item | Glob):
        return None
    last = segments[-1]
    if len(segments) == 2:
        return str(segments[0].segment), None
    return (str(segments[0].segment), str(last.segment)) if isinstance(last, Exactly) else None
