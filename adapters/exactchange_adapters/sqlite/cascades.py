"""Rows that a foreign key or a REPLACE changed together with another row, which is among the changes as well."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, Literal, TypeAlias

from exactchange_adapters.sqlite.links import ForeignKey, Form, Key, Unique, compared
from exactchange_adapters.sqlite.touched import Cells, Rows, Touched

Side: TypeAlias = Literal["before", "after"]
Whole: TypeAlias = Callable[[Touched, Side], Cells | None]
"""All cells of a row that is on both sides; None where they are too dear to look up."""
Led: TypeAlias = tuple[Touched, Sequence[int], str]
"""A row, the numbers of the changes that it led to, and how."""
_NO_ROWS: Final = Rows("")
_LONGEST: Final = 120


@dataclass(frozen=True, slots=True)
class _Child:
    """A row that named another one. `new`: what it names now; None where it is gone. `numbers`: the changes of that."""

    row: Touched
    old: Key
    new: Key | None
    numbers: tuple[int, ...]


@dataclass(slots=True)
class _Parents:
    """What became of the rows of a table, by the key that others name them by."""

    went: dict[Key, Touched] = field(default_factory=dict[Key, Touched])
    came: dict[Key, Touched] = field(default_factory=dict[Key, Touched])
    renamed: dict[Key, tuple[Key, Touched]] = field(default_factory=dict[Key, tuple[Key, Touched]])


@dataclass(slots=True)
class Cascades:
    """Finds what foreign keys did. `orphans`: by foreign key and key, what fits one though that row is still there.

    `renamed`: numbers of the rows that went of which others show that they only have another key now.
    """

    tables: Mapping[str, Rows]
    whole: Whole
    orphans: dict[tuple[ForeignKey, Key], list[int]] = field(default_factory=dict[tuple[ForeignKey, Key], list[int]])
    renamed: set[int] = field(default_factory=set[int])
    _parents: dict[tuple[str, tuple[str, ...], Form], _Parents] = field(
        default_factory=dict[tuple[str, tuple[str, ...], Form], _Parents]
    )

    def of(self, foreign_key: ForeignKey, others: Sequence[ForeignKey]) -> Iterator[Led]:
        """The rows that a foreign key removed or changed because of another row of the same diff.

        `others`: all of its table, which may have changed the same row at once.
        """
        parents = self._parents_of(foreign_key)
        settled, moved = set[int](), set[int]()  # what may have moved to another row comes before what went
        for child in self._children(foreign_key, others):
            found = None if child.row.number in settled else _parent(foreign_key, child, parents)
            if found is not None:
                parent, clause = found
                settled.update(child.numbers)
                if parent.before is None and child.old in parents.went:
                    self.renamed.add(parents.went[child.old].number)
                yield parent, child.numbers, f"{clause} of {short(foreign_key.says)}, with {short(parent.address)}"
            elif (
                child.row.number not in settled
                and child.row.number not in moved
                and _as_deleted(foreign_key, child.new)
            ):
                self.orphans.setdefault((foreign_key, child.old), []).extend(child.numbers)
            if child.new is not None:
                moved.add(child.row.number)

    def _children(self, fk: ForeignKey, others: Sequence[ForeignKey]) -> Iterator[_Child]:
        """Rows that no longer name what they named. One that went may be one that came, with another name in it."""
        rows = self.tables.get(fk.child, _NO_ROWS)
        went = [(row, key) for row in rows.went if (key := compared(row.before or {}, fk.columns, fk.form)) is not None]
        own, every = frozenset(fk.columns), frozenset(column for item in others for column in item.columns)
        for old, new in chain(rows.twins(own), rows.twins(every) if every != own else ()) if went else ():
            left = compared(old.before or {}, fk.columns, fk.form)
            right = _named(new.after or {}, fk)
            if left is not None and left != right:
                yield _Child(old, left, right, (old.number, new.number))
        for row, key in went:
            yield _Child(row, key, None, (row.number,))
        for row in rows.modified:
            numbers = tuple(row.numbers[column] for column in fk.columns if column in row.numbers)
            before, after = self._sides(row, fk.columns) if numbers else (None, None)
            key = None if before is None else compared(before, fk.columns, fk.form)
            if key is not None and after is not None:
                yield _Child(row, key, _named(after, fk), numbers)

    def _sides(self, row: Touched, columns: Sequence[str]) -> tuple[Cells | None, Cells | None]:
        """The cells of these columns before and after; None where not all of them are known."""
        before, after = row.before or {}, row.after or {}
        if all(column in before and column in after for column in columns):
            return before, after
        return self.whole(row, "before"), self.whole(row, "after")

    def _parents_of(self, fk: ForeignKey) -> _Parents:
        place = fk.parent, fk.keys, fk.form
        if place not in self._parents:
            self._parents[place] = self._found(fk)
        return self._parents[place]

    def _found(self, fk: ForeignKey) -> _Parents:
        rows = self.tables.get(fk.parent, _NO_ROWS)
        found = _Parents()
        for side, known in ((found.went, rows.went), (found.came, rows.came)):
            for row in known:
                key = compared(row.before or row.after or {}, fk.keys, fk.form)
                if key is not None:
                    side[key] = row
        for row in rows.modified:
            if any(column in row.numbers for column in fk.keys):
                before, after = self._sides(row, fk.keys)
                old = None if before is None else compared(before, fk.keys, fk.form)
                new = None if after is None else compared(after, fk.keys, fk.form)
                if old is not None and new is not None and old != new:
                    found.renamed[old] = new, row
        return found


def replaced(rows: Rows, unique: Unique) -> Iterator[Led]:
    """Rows that went because another took a value that only one row may have."""
    if not rows.went:
        return
    winners: dict[Key, Touched] = {}
    for row in (*rows.came, *rows.modified):
        key = compared(row.after or {}, unique.columns, unique.form)
        if key is not None and (row.before is None or any(column in row.numbers for column in unique.columns)):
            winners[key] = row
    for row in rows.went:
        key = compared(row.before or {}, unique.columns, unique.form)
        winner = None if key is None else winners.get(key)
        if winner is not None:
            by = f"by {short(winner.address)}, with the same {short(unique.says)}"
            yield winner, (row.number,), f"{'ON CONFLICT ' if unique.replaces else ''}REPLACE {by}"


def short(text: str) -> str:
    """A name or address that may be of any length, cut for a few words about it."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _named(cells: Cells, fk: ForeignKey) -> Key:
    """What a row names now, NULL and all."""
    key = compared(cells, fk.columns, fk.form)
    return key if key is not None else tuple(cells.get(column) for column in fk.columns)


def _parent(fk: ForeignKey, child: _Child, parents: _Parents) -> tuple[Touched, str] | None:
    """The row whose removal or new key changed a child by this foreign key, and which clause of it did."""
    old, new = child.old, child.new
    gone, renamed = parents.went.get(old), parents.renamed.get(old)
    if gone is not None and gone.number not in child.numbers and _as_deleted(fk, new):
        return gone, f"ON DELETE {fk.on_delete}"
    if new is None:
        return None
    if fk.on_update == "CASCADE":
        if renamed is not None and renamed[0] == new:
            return renamed[1], "ON UPDATE CASCADE"
        came = None if gone is None else parents.came.get(new)
        return None if came is None else (came, "ON UPDATE CASCADE")
    if renamed is not None and _as(fk, fk.on_update, new):
        return renamed[1], f"ON UPDATE {fk.on_update}"
    return None


def _as_deleted(fk: ForeignKey, new: Key | None) -> bool:
    """Whether a child is as the deletion of its parent leaves it."""
    return fk.on_delete == "CASCADE" if new is None else _as(fk, fk.on_delete, new)


def _as(fk: ForeignKey, action: str, new: Key) -> bool:
    if action == "SET NULL":
        return all(cell is None for cell in new)
    return action == "SET DEFAULT" and fk.defaults is not None and new == _named(_default_cells(fk), fk)


def _default_cells(fk: ForeignKey) -> Cells:
    return dict(zip(fk.columns, fk.defaults or (), strict=False))
