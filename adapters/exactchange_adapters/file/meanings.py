"""Differences that only another plausible dialect sees, put into the two trees that are compared.

A snapshot holds what its main dialect reads, and, hidden, what others read where they differ. Where the main readings
of both sides agree and another dialect's do not, the two trees get that dialect's readings at the place; where they
differ anyway the change is told once. A list that changed in both ways is told under a facet of the dialect's name.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from exactchange.address import format_path, key, lookup, unkey
from exactchange.diff import compare
from exactchange.values import ABSENT, Path, State, Value, same
from exactchange_adapters.file.content import ALSO
from exactchange_adapters.file.pruning import pruned
from exactchange_adapters.file.settle import path_of, spell_path

Tree: TypeAlias = "Mapping[str, Value]"
Readings: TypeAlias = "dict[Path, Value]"

MAIN: Final = {"yaml-1.1": "yaml-1.2", "env-file": "dotenv", "dotenv-js": "dotenv", "decimal": "double"}
"""The main dialect beside which each other one is kept."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two trees with the readings that matter in them, less what is the same in both.

    `only_in`: printed address -> the dialects that alone see a change there.
    """

    before: Tree
    after: Tree
    only_in: Mapping[str, tuple[str, ...]]


def dialects_that_see(path: Path, before: State, after: State) -> tuple[str, ...]:
    """The dialects under which a place of two snapshots' trees changed, where those of the file disagree; else ()."""
    old, new = _tables(before), _tables(after)
    name = spell_path(path)
    seen: dict[str, bool] = {}
    for dialect in old.keys() | new.keys():
        left, right = old.get(dialect, {}), new.get(dialect, {})
        if name in left or name in right:
            plain = lookup(before, path), lookup(after, path)
            seen[MAIN.get(dialect, dialect)] = not same(*plain)
            seen[dialect] = not same(left.get(name, plain[0]), right.get(name, plain[1]))
    return tuple(sorted(name for name, sees in seen.items() if sees)) if len(set(seen.values())) > 1 else ()


def with_meanings(left: Tree, right: Tree, before: State, after: State) -> Compared:
    """The trees of both sides (`left`, `right`) with the other readings of their snapshots where only those differ."""
    only_in: dict[str, tuple[str, ...]] = {}
    grafted: tuple[Readings, Readings] = ({}, {})
    old, new = _tables(before), _tables(after)
    for dialect in sorted(old.keys() | new.keys(), reverse=True):  # of several the first by name shows its values
        mine, yours = _differing(old.get(dialect, {}), new.get(dialect, {}))
        lists = dict(_changed_lists(mine, yours, left, right))
        for path, pair in _grafts(mine, yours, left, right):
            only_in[format_path(path)] = (dialect, *only_in.get(format_path(path), ()))
            grafted[0][path], grafted[1][path] = pair
        for side in (0, 1):
            grafted[side].update(_facet(dialect, lists, side))
    return Compared(*pruned(_grafted(left, grafted[0]), _grafted(right, grafted[1])), only_in)


def _tables(tree: State) -> dict[str, Tree]:
    """What other dialects read, by dialect and spelt path."""
    table = tree.get(ALSO) if isinstance(tree, Mapping) else None
    if not isinstance(table, Mapping):
        return {}
    return {dialect: items for dialect, items in table.items() if isinstance(items, Mapping)}


def _differing(mine: Tree, yours: Tree) -> tuple[Readings, Readings]:
    """The readings that are not the same on both sides; there are few, so that only these paths are parsed."""
    names = [name for name in mine.keys() | yours.keys() if not same(mine.get(name, ABSENT), yours.get(name, ABSENT))]
    return (
        {tuple(path_of(n)): mine[n] for n in names if n in mine},
        {tuple(path_of(n)): yours[n] for n in names if n in yours},
    )


def _grafts(mine: Readings, yours: Readings, left: Tree, right: Tree) -> Iterator[tuple[Path, tuple[Value, Value]]]:
    """Places where the main readings agree and these do not, with both readings."""
    same_lists: dict[Path | None, bool] = {None: True}
    for path in sorted(mine.keys() | yours.keys(), key=str):
        place = (*path[:-2], path[-1]) if path[-2:-1] == ("@keys",) else path
        old, new = lookup(left, place), lookup(right, place)
        if old is ABSENT or new is ABSENT:
            continue
        if place != path:
            old = new = unkey(str(path[-1]))
        elif not same(old, new):
            continue
        whole = _outer_list(place)
        if whole not in same_lists:
            same_lists[whole] = whole is None or same(lookup(left, whole), lookup(right, whole))
        if not same_lists[whole]:
            continue
        pair = mine.get(path, old), yours.get(path, new)
        if not same(*pair):
            yield path, pair


def _changed_lists(
    mine: Readings, yours: Readings, left: Tree, right: Tree
) -> Iterator[tuple[Path, tuple[Value, Value]]]:
    """Lists that changed for the main dialect, and at more places for this one: positions there cannot be matched."""
    for whole in sorted({_outer_list(path) for path in mine.keys() | yours.keys()} - {None}, key=str):
        assert whole is not None
        old, new = lookup(left, whole), lookup(right, whole)
        if not isinstance(old, list) or not isinstance(new, list) or same(old, new):
            continue
        old_read = _with(old, {path[len(whole) :]: v for path, v in mine.items() if _below(path, whole)})
        new_read = _with(new, {path[len(whole) :]: v for path, v in yours.items() if _below(path, whole)})
        places = {op.path for op in compare(old, new)}
        if any(op.path not in places for op in compare(old_read, new_read)):
            yield whole, (old_read, new_read)


def _outer_list(path: Path) -> Path | None:
    return next((path[:number] for number, segment in enumerate(path) if isinstance(segment, int)), None)


def _below(path: Path, whole: Path) -> bool:
    return path[: len(whole)] == whole


def _facet(dialect: str, lists: Mapping[Path, tuple[Value, Value]], side: int) -> Readings:
    return {(f"@{dialect}", key(format_path(path))): pair[side] for path, pair in lists.items()}


def _grafted(tree: Tree, items: Readings) -> Tree:
    if not items:
        return tree
    out = _with(tree, items)
    assert isinstance(out, Mapping)
    return out


def _with(tree: Value, items: Readings) -> "Tree | list[Value]":
    """The tree with other values at these places; places that are not there are made where a mapping can hold them."""
    below: dict[str | int, Readings] = {}
    for path, value in items.items():
        below.setdefault(path[0], {})[path[1:]] = value
    if isinstance(tree, Mapping):
        out = dict(tree)
        for segment, rest in below.items():
            name = str(segment)
            out[name] = rest[()] if () in rest else _with(out.get(name, {}), rest)
        return out
    assert isinstance(tree, Sequence) and not isinstance(tree, str | bytes)
    grown = list(tree)
    for segment, rest in below.items():
        assert isinstance(segment, int)
        grown[segment] = rest[()] if () in rest else _with(grown[segment], rest)
    return grown
