"""What one may alter in a value tree: other values, other types, items that came, went or stand there twice."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, pairwise, zip_longest
from typing import Final, TypeVar

from exactchange.address import key, unkey
from exactchange.address.walk import children, lookup, nodes
from exactchange.sources.edits import Add, Put, Remove, Suggestion
from exactchange.values import ABSENT, Path, State, Value, same, sealed

_GROUPS: Final = 24
_PER_GROUP: Final = 2
_SEALS: Final = ("hmac:" + "0" * 64, "hmac:" + "1" * 64)
_WORD: Final = "audit"
_SIBLINGS: Final = 8
_COUSINS: Final = 2
T = TypeVar("T")


def tree_suggestions(
    tree: State,
    *,
    near: Sequence[Path],
    most: int,
    hidden: AbstractSet[str] = frozenset(),
    typed: bool = True,
    grows: Callable[[Path], bool] = lambda path: True,
) -> list[Suggestion]:
    """Suggestions for a value tree. `hidden`: segments that are no state of their own, such as a file's layout.

    `typed`: whether a value may come to be one of another type; `grows`: whether something may be added at a place.
    """
    if tree is ABSENT:
        return []
    every = [(path, node) for path, node in nodes(tree) if path and hidden.isdisjoint(map(str, path))]
    leaves = {path: node for path, node in every if next(children(node), None) is None}
    holders = [path for path, _ in every if path not in leaves]
    beside = _beside(near, leaves)
    told = {*beside, *near}
    spread = [path for path in spaced_by(leaves, first=lambda path: str(path[0])) if path not in told]
    sites = [*beside, *spread]
    growing = [path for path in holders if grows(path)]
    around = [path for path in growing if any(path == place[: len(path)] for place in near)]
    return in_turn(
        [
            [Suggestion("a value changed", (Put(path, other(leaves[path], path)),)) for path in sites],
            [
                Suggestion("only a type changed", (Put(path, item),))
                for path in (sites if typed else ())
                for item in retyped(leaves[path])
            ],
            [Suggestion("something removed", (Remove(path),)) for path in sites],
            [Suggestion("something added", (Add(path, _WORD),)) for path in [*around, *_evenly(growing, _GROUPS)]],
            [item for path, node in every if grows(path) for item in _twice(path, node)],
            [item for path in sites for item in _recased(path, leaves[path], tree)],
            list(_swapped(sites, leaves)),
        ],
        most,
    )


def other(value: State, path: Path = ()) -> Value:
    """Another value of the same type; of a file's mode one that can be executed, or no longer."""
    if path[-1:] == ("@mode",) and isinstance(value, str) and value.isdigit():
        return f"{int(value, 8) ^ 0o100:04o}"
    if sealed(value):
        seal = next(
            seal for seal in _SEALS if seal != value and not (isinstance(value, Mapping) and seal in value.values())
        )
        return {"@secret": seal} if isinstance(value, Mapping) else seal
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value + 1.0 if abs(value) < 1e15 else 0.0
    if isinstance(value, str):
        return f"{value}x"
    if isinstance(value, bytes):
        return value + b"x"
    if isinstance(value, dt.datetime | dt.date):
        return value + dt.timedelta(days=1)
    if isinstance(value, dt.time):
        return value.replace(microsecond=(value.microsecond + 1) % 1_000_000)
    return _WORD  # null, an empty container, or nothing


def retyped(value: State) -> Iterator[Value]:
    """The same as people read it, of another type: none where there is no such value."""
    if sealed(value):
        return
    if isinstance(value, bool):
        yield str(value).lower()
        yield int(value)
    elif isinstance(value, int):
        yield str(value)
        if abs(value) < 2**53:
            yield float(value)
    elif isinstance(value, float):
        yield repr(value)
        if value.is_integer():
            yield int(value)
    elif isinstance(value, str):
        if value in ("true", "false"):
            yield value == "true"
        elif value.isascii() and value.isdigit() and len(value) < 16 and str(int(value)) == value:
            yield int(value)
    elif value is None:
        yield ""


def near_values(value: State) -> Iterator[tuple[str, Value]]:
    """Values that are easily taken for this one, each with what is wrong with it."""
    if isinstance(value, bool) or sealed(value):
        yield "another value", other(value)
    elif isinstance(value, int | float):
        yield "one more", value + 1
        yield "one less", value - 1
    elif isinstance(value, str):
        yield "a trailing blank", f"{value} "
        if value.swapcase() != value:
            yield "other case", value.swapcase()
        yield "one character more", f"{value}x"
        if value:
            yield "nothing in it", ""
    elif not isinstance(value, Mapping | list):
        yield "another value", other(value)
    for item in retyped(value):
        if not same(item, value):
            yield "another type", item


def reversed_keys(tree: State) -> State:
    """The same state with the keys of every mapping in the opposite order, which is no state."""
    if isinstance(tree, Mapping) and not sealed(tree):
        return {name: _reversed(tree[name]) for name in reversed(list(tree))}
    return tree


def _reversed(node: Value) -> Value:
    if isinstance(node, Mapping) and not sealed(node):
        return {name: _reversed(node[name]) for name in reversed(list(node))}
    return [_reversed(item) for item in node] if isinstance(node, list) else node


def in_turn(sorts: Sequence[Sequence[Suggestion]], most: int) -> list[Suggestion]:
    """The first suggestion of each sort, then the second of each, and so on; no more than `most`."""
    out: list[Suggestion] = []
    for item in chain.from_iterable(zip_longest(*sorts)):
        if item is not None and item not in out:
            out.append(item)
        if len(out) >= most:
            break
    return out


def spaced_by(paths: Iterable[Path], *, first: Callable[[Path], str]) -> list[Path]:
    """Some of these paths: of groups evenly spread over all of them, facets all, a few of each."""
    groups: dict[str, list[Path]] = {}
    for path in paths:
        groups.setdefault(first(path), []).append(path)
    facets = [name for name in groups if name.startswith("@") and not name.startswith("@@")]
    chosen = [*facets, *_evenly([name for name in groups if name not in set(facets)], _GROUPS)]
    each = [_evenly(groups[name], _PER_GROUP) for name in chosen]
    return [path for paths in zip_longest(*each) for path in paths if path is not None]


def _evenly(items: Sequence[T], most: int) -> list[T]:
    """At most so many of the items, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[round(number * (len(items) - 1) / max(1, most - 1))] for number in range(most)]


def _beside(near: Sequence[Path], leaves: Mapping[Path, Value]) -> list[Path]:
    """The leaves that share a container with one of the places, then one in each container beside that."""
    out: dict[Path, None] = {}
    wanted = set(near)
    for place in near:
        above = place[:-1]
        close = [
            path for path in leaves if len(path) > len(above) and path[: len(above)] == above and path not in wanted
        ]
        siblings = [path for path in close if len(path) == len(place)]
        cousins = {path[len(above)]: path for path in reversed(close) if path not in siblings}
        out |= dict.fromkeys([*_evenly(siblings, _SIBLINGS), *_evenly(list(cousins.values()), _COUSINS)])
        if above:
            around = {
                p[len(above) - 1]: p for p in leaves if p[: len(above) - 1] == above[:-1] and p[: len(above)] != above
            }
            out |= dict.fromkeys(_evenly(list(around.values()), _COUSINS))
    return list(out)


def _recased(path: Path, value: Value, tree: State) -> Iterator[Suggestion]:
    """The value under its key in other case, where a key stands that has another case."""
    name = path[-1]
    if not isinstance(name, str) or not isinstance(lookup(tree, path[:-1]), Mapping):
        return
    plain = unkey(name)
    if isinstance(plain, str) and plain.swapcase() != plain and key(plain.swapcase()) != name:
        other_name = (*path[:-1], key(plain.swapcase()))
        # In this order: what is taken away may be the key that an item of a list is known by.
        yield Suggestion("a key in other case", (Put(other_name, value), Remove(path)))


def _swapped(sites: Sequence[Path], leaves: Mapping[Path, Value]) -> Iterator[Suggestion]:
    """Two values of one container that have changed places."""
    by_holder: dict[Path, list[Path]] = {}
    for path in sites:
        if not sealed(leaves[path]):
            by_holder.setdefault(path[:-1], []).append(path)
    for paths in by_holder.values():
        for one, two in pairwise(paths):
            if type(leaves[one]) is type(leaves[two]) and not same(leaves[one], leaves[two]):
                yield Suggestion("two values swapped", (Put(one, leaves[two]), Put(two, leaves[one])))


def _twice(path: Path, node: Value) -> Iterator[Suggestion]:
    """The first item of a list once more."""
    if isinstance(node, Sequence) and not isinstance(node, str | bytes) and node:
        yield Suggestion("an item duplicated", (Add(path, node[0]),))
