"""Generated pairs of states, what they are made of, and an independent account of where they differ."""

import datetime as dt
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from hypothesis import strategies as st

from exactchange.address import key, key_segment, lookup
from exactchange.diff import Op, apply, compare, reverse
from exactchange.values import ABSENT, Path, State, Value, canonical_bytes, same
from exactchange_adapters.file.arrangement import by_content

T = TypeVar("T")
special: list[Value] = [0, 1, 2, 0.0, -0.0, 1.0, "1", "", "None", "a", "__x", float("nan"), float("inf"), 2**70]
scalars: st.SearchStrategy[Value] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(special)
    | st.floats()
    | st.text(max_size=4)
    | st.binary(max_size=3)
    | st.dates()
    | st.times()
    | st.datetimes(timezones=st.sampled_from([None, dt.UTC]))
)
keys = st.sampled_from(["a", "b", "id", "name", "key", "__x", "a.b", "@mode", "o'b\"x", "a=b", "#1", "", "id=1"]).map(
    key
)
ids: st.SearchStrategy[Value] = st.sampled_from(
    [1, 2, 3, 4, 1.0, "1", True, None, "", b"1", dt.date(2026, 1, 1), "2026-01-01"]
)
TWINS: list[tuple[Value, Value]] = [
    (1, 1.0), (1, True), (0, False), (0, 0.0), (0.0, -0.0), (1, "1"), ("", None), (True, "true"), (b"a", "a"), ([], {}),
    (2**53, float(2**53)), (dt.date(2026, 1, 1), "2026-01-01"), ([1], [True]), ({"a": 1}, {"a": 1.0}), (None, False),
]  # fmt: skip
"""Values that something takes for the same, and that differ in type."""


def _items(children: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    """Mappings that a list could be keyed by, with ids of all types, ids that are missing, or that are no scalars."""
    loose: dict[str, st.SearchStrategy[Value]] = {"id": ids, "name": ids, "key": children, "v": children}
    kept: dict[str, st.SearchStrategy[Value]] = {"id": ids}
    return st.fixed_dictionaries({}, optional=loose) | st.fixed_dictionaries(kept, optional={"v": children})


def _containers(children: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    named: list[Value] = [{"name": n, "v": 0} for n in "abcdef"]
    nested: list[Value] = [{"id": n, "in": [{"key": m} for m in "xyz"]} for n in range(3)]
    lists: st.SearchStrategy[Value] = st.lists(children, max_size=4)
    items: st.SearchStrategy[Value] = st.lists(_items(children), max_size=5)
    mappings: st.SearchStrategy[Value] = st.dictionaries(keys, children, max_size=4)
    moved: st.SearchStrategy[Value] = st.permutations(named) | st.permutations(nested)
    short: st.SearchStrategy[Value] = st.permutations(named).map(lambda all_of: list(all_of)[:4])
    return lists | items | mappings | moved | short


values: st.SearchStrategy[Value] = st.recursive(scalars, _containers, max_leaves=12)


class Choices(Protocol):
    """What decides how a pair is made: Hypothesis, or dice that are quicker."""

    def pick(self, items: Sequence[T]) -> T: ...

    def value(self) -> Value: ...


@dataclass(frozen=True)
class _Drawn:
    draw: st.DrawFn

    def pick(self, items: Sequence[T]) -> T:
        return self.draw(st.sampled_from(items))

    def value(self) -> Value:
        return self.draw(values)


@dataclass(frozen=True)
class Dice:
    """Chance, with values out of a pool that Hypothesis filled."""

    chance: random.Random
    pool: Sequence[Value]

    def pick(self, items: Sequence[T]) -> T:
        return self.chance.choice(items)

    def value(self) -> Value:
        return self.chance.choice(self.pool)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[State, State]:
    """Two values: independent ones, or one and what became of it by a few edits anywhere."""
    return pair(_Drawn(draw))


@st.composite
def unordered(draw: st.DrawFn) -> tuple[list[Value], list[Value]]:
    """Two lists whose order is no state: one, and what became of it by edits and in another order."""
    return unordered_pair(_Drawn(draw))


def pair(by: Choices) -> tuple[State, State]:
    """Two values; see `pairs`."""
    before: State = by.value()
    after: State = before
    if by.pick([True, False, False]):
        after = by.pick([by.value(), by.value(), ABSENT])
    else:
        for _ in range(by.pick([1, 2, 3])):
            after = _edited(by, after)
    for _ in range(by.pick([0, 1, 2, 3])):
        before, after = _within(by, before, after)
    return before, after


def unordered_pair(by: Choices) -> tuple[list[Value], list[Value]]:
    """Two lists; see `unordered`."""
    before = [by.pick([by.pick(special), by.value()]) for _ in range(by.pick(range(7)))]
    more = [by.pick([*before, 1, 1.0, "1"]) for _ in range(by.pick(range(3)))]
    left, after = [*before, *more], list[Value]()
    while left:
        after.append(left.pop(by.pick(range(len(left)))))
    return before, after[by.pick(range(3)) :]


def _within(by: Choices, before: State, after: State) -> tuple[State, State]:
    """Both values in the same place of something larger; what is absent is not in it."""
    beside, other = by.pick(special), by.pick(special)
    match by.pick(["mapping", "items", "list"]):
        case "mapping":
            left, right = ({} if side is ABSENT else {"in": side} for side in (before, after))
            return {"a": beside, **left}, {"a": by.pick([beside, other]), **right}
        case "items":
            both = [[] if side is ABSENT else [{"id": 7, "in": side}] for side in (before, after)]
            rest: list[Value] = [{"id": number, "v": beside} for number in range(3)]
            return [*rest, *both[0]], by.pick([[*both[1], *rest], [*rest, *both[1]]])
        case _:
            sides = [[] if side is ABSENT else [side] for side in (before, after)]
            return [beside, *sides[0], other], [beside, *sides[1], other]


def _edited(by: Choices, value: State) -> State:
    if isinstance(value, dict) and value and by.pick([True, False]):
        name = by.pick(sorted(value))
        inner = _edited(by, value[name])
        return {k: v for k, v in value.items() if k != name} | ({} if inner is ABSENT else {name: inner})
    if isinstance(value, list) and value:
        number = by.pick(range(len(value)))
        match by.pick(["in", "out", "copy", "turn", "swap"]):
            case "out":
                return [*value[:number], *value[number + 1 :]]
            case "copy":
                return [*value[:number], value[number], *value[number:]]
            case "turn":
                return [*value[number:], *value[:number]]
            case "swap":
                return [value[-1], *value[1:-1], value[0]] if len(value) > 1 else value
            case _:
                inner = _edited(by, value[number])
                return [*value[:number], *([] if inner is ABSENT else [inner]), *value[number + 1 :]]
    twin = [b if same(value, a) else a for a, b in TWINS if same(value, a) or same(value, b)]
    return by.pick([*twin, by.value()] if twin else [by.value(), by.value(), ABSENT])


@dataclass
class Places:
    """Where two states differ: at just these paths, and somewhere in these lists without identities."""

    exact: list[Path] = field(default_factory=list[Path])
    somewhere: list[Path] = field(default_factory=list[Path])
    keyed: list[Path] = field(default_factory=list[Path])
    """Lists whose items are told apart by an identity, and that differ."""

    def add(self, before: State, after: State, path: Path = ()) -> "Places":
        """Account for two states at a path."""
        if same(before, after):
            return self
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            for name in sorted({**before, **after}):
                self.add(before.get(name, ABSENT), after.get(name, ABSENT), (*path, name))
        elif isinstance(before, list) and isinstance(after, list):
            self._add_lists(before, after, path)
        else:
            self.exact.append(path)
        return self

    def _add_lists(self, before: list[Value], after: list[Value], path: Path) -> None:
        name = next((name for name in ("id", "key", "name") if _tells(before, name) and _tells(after, name)), None)
        if name is None:
            self.somewhere.append(path)
            return
        self.keyed.append(path)
        old, new = ({_segment(item, name): item for item in items} for items in (before, after))
        for segment in {**old, **new}:
            self.add(old.get(segment, ABSENT), new.get(segment, ABSENT), (*path, segment))


def _tells(items: Sequence[Value], name: str) -> bool:
    found = [item[name] for item in items if isinstance(item, Mapping) and name in item]
    plain = [value for value in found if not isinstance(value, Mapping | list)]
    return len({canonical_bytes(value) for value in plain}) == len(items)


def _segment(item: Value, name: str) -> str:
    assert isinstance(item, Mapping)
    value = item[name]
    assert not isinstance(value, Mapping | Sequence) or isinstance(value, str | bytes)
    return key_segment([(name, value)])


def lawful(before: State, after: State) -> tuple[Op, ...]:
    """The diff, which replays, leads back, is empty only for equal states, and names every place and no other."""
    ops = compare(before, after)
    assert same(apply(before, ops), after)
    assert same(apply(apply(before, ops), reverse(ops)), before)
    assert (not ops) == (canonical_bytes(before) == canonical_bytes(after)) == same(before, after)
    places = Places().add(before, after)
    told = Counter(op.path for op in ops if op.op != "moved")
    assert all(number == 1 for number in told.values()), "a place is named twice"
    exact, inside = set(places.exact), tuple(places.somewhere)
    assert exact <= told.keys(), "a place that differs is lost"
    assert all(any(op.path[: len(at)] == at for op in ops) for at in inside), "a list that differs is lost"
    for op in ops:
        assert _fits(before, after, op), "a change says what does not stand there"
        listed = op.path[:-1] in places.keyed if op.op == "moved" else op.path in exact
        assert listed or any(op.path[: len(at)] == at for at in inside), "a change at a wrong place"
    return ops


def lawful_unordered(before: list[Value], after: list[Value]) -> tuple[Op, ...]:
    """The diff of two multisets: just what one of them has more often than the other."""
    left, right = ({"l": by_content([(item, None) for item in items])} for items in (before, after))
    ops = lawful(left, right)
    count = [Counter(canonical_bytes(item) for item in items) for items in (before, after)]
    for name, more in (("removed", count[0] - count[1]), ("added", count[1] - count[0])):
        sides = (op.before if name == "removed" else op.after for op in ops if op.op == name)
        assert Counter(canonical_bytes(side) for side in sides if side is not ABSENT) == more
    assert {op.op for op in ops} <= {"removed", "added"}
    return ops


def _fits(before: State, after: State, op: Op) -> bool:
    """Both sides of a change are what stands there, but for what only a list's other side has at this position."""
    if op.op == "moved":
        return op.before != op.after or op.position is None
    old, new = lookup(before, op.path), lookup(after, op.path)
    return (op.before is ABSENT or same(old, op.before)) and (op.after is ABSENT or same(new, op.after))


def kinds_of(before: State, after: State, ops: Sequence[Op]) -> Iterator[str]:
    """What a pair is made of, for the statistics."""
    places = Places().add(before, after)
    yield from {op.op for op in ops}
    if not ops:
        yield "equal"
    if any(len(op.path) > 2 for op in ops):
        yield "nested"
    if places.keyed:
        yield "keyed"
    if places.somewhere:
        yield "by position"
    if any(op.op == "modified" and _only_typed(op.before, op.after) for op in ops):
        yield "typed"


def _only_typed(before: State, after: State) -> bool:
    """Whether something takes the two values for the same: Python, or who reads them as text."""
    return any((same(before, a) and same(after, b)) or (same(before, b) and same(after, a)) for a, b in TWINS)
