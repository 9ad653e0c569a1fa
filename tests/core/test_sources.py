"""Snapshots that are value trees: stored and read back, found in, and refused when their record lies."""

import importlib
import pathlib
import zlib
from collections.abc import Mapping
from hashlib import blake2b
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given, settings
from tests.core.diff_pairs import pairs
from tests.judging.kit import Plain

import exactchange.sources.registry as registry
from exactchange.address import parse_pattern
from exactchange.errors import OverBudget, UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Mark, Note, TreeSnapshot, Unread, lost, unread_whole
from exactchange.sources import NoSelector, SourceParams, kind_named
from exactchange.values import ABSENT, State, Value, dumps, loads, same

KIND = Plain()


class Blobs:
    """Content-addressed bytes in memory."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        name = blake2b(data, digest_size=32).hexdigest()
        self.held[name] = data
        return name

    def get(self, name: str, *, limit: int) -> bytes:
        if name not in self.held:
            raise UsageError(f"there is no blob {name}")
        return self.held[name]


def snap(tree: State, step: int = 0) -> TreeSnapshot:
    return TreeSnapshot(
        "plain", tree, Mark(step, 5, 6), (Unread(("a", 1, "id=7"), "a[1]", "why"),), (Note("formatting", "x"),)
    )


def stored(snapshot: TreeSnapshot, blobs: Blobs, base: TreeSnapshot | None = None) -> Mapping[str, Value]:
    record = loads(dumps(dict(KIND.save(snapshot, base=base, store=blobs))))
    assert isinstance(record, dict)
    return record


def load(record: Mapping[str, Value], blobs: Blobs, base: TreeSnapshot | None = None) -> TreeSnapshot:
    return KIND.load(record, base=base, store=blobs, budget=CountedBudget())


@given(pairs())
@settings(max_examples=150, deadline=None)
def test_a_snapshot_is_read_back_whole_and_as_a_change_of_another(pair: tuple[State, State]) -> None:
    blobs = Blobs()
    before, after = snap(pair[0]), snap(pair[1], 3)
    for base in (None, before):
        again = load(stored(after, blobs, base), blobs, base)
        assert same(again.tree, after.tree)
        assert (again.digest, again.mark) == (after.digest, after.mark)
        assert (again.unread, again.notes) == (after.unread, after.notes)


LIES: list[Mapping[str, Value]] = [
    {"digest": "00"}, {"kind": "other"}, {"mark": [1]}, {"mark": ["1", 2, 3]}, {"mark": 5}, {"unread": [[1]]},
    {"unread": [["a", "", "", ""]]}, {"unread": [[[True], "", "", ""]]}, {"notes": [5]}, {"tree": "missing"},
    {"tree": 5},
]  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_record_that_lies_is_refused(lie: Mapping[str, Value]) -> None:
    blobs = Blobs()
    with pytest.raises(UsageError):
        load({**stored(snap({"a": 1}), blobs), **lie}, blobs)


def test_a_change_of_another_snapshot_than_the_one_at_hand_is_refused() -> None:
    blobs = Blobs()
    record = stored(snap({"a": 2}), blobs, snap({"a": 1}))
    for base in (None, snap({"a": 5})):
        with pytest.raises(UsageError, match="not at hand"):
            load(record, blobs, base)


CHANGES: list[Value] = [
    5, [5], [["added", ["a"], [], [1]]], [["lost", ["a"], [], [1], None]], [["added", ["a"], [], [1], -1]],
    [["modified", ["a", "b"], [1], [2], None]], [["added", [{}], [], [1], None]],
]  # fmt: skip


@pytest.mark.parametrize("changes", CHANGES)
def test_changes_that_are_none_are_refused(changes: Value) -> None:
    blobs, base = Blobs(), snap({"a": 1})
    record = {**stored(snap({"a": 2}), blobs, base), "changes": blobs.put(zlib.compress(dumps(changes).encode()))}
    with pytest.raises(UsageError):
        load(record, blobs, base)


@pytest.mark.parametrize("data", [b"", b"no zlib", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_a_blob_that_is_no_stored_tree_is_refused(data: bytes) -> None:
    blobs = Blobs()
    with pytest.raises(UsageError):
        load({**stored(snap({"a": 1}), blobs), "tree": blobs.put(data)}, blobs)


def test_a_stored_tree_that_inflates_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = Blobs()
    record = stored(snap({"a": "x" * 10_000}), blobs)
    monkeypatch.setattr(importlib.import_module("exactchange.sources.tree"), "_LARGEST_RECORD", 1000)
    with pytest.raises(UsageError, match="inflates beyond the limit"):
        load(record, blobs)


def test_equal_states_have_equal_digests_whatever_the_mark_and_what_is_unread_is_part_of_the_state() -> None:
    assert snap({"a": 1, "b": 2}, 1).digest == snap({"b": 2, "a": 1}, 9).digest
    others = [snap({"a": 1}), snap({"a": 1.0}), snap(ABSENT), snap(None)]
    others += [TreeSnapshot("plain", {"a": 1}), TreeSnapshot("x", {"a": 1})]
    assert len({item.digest for item in others}) == len(others)


def test_finding_is_counted_in_nodes_and_depth() -> None:
    tree: Value = {"a": {"b": [1, 2, {"c": 3}]}}
    found = KIND.find(snap(tree), parse_pattern("a.b[2].c"), budget=CountedBudget())
    assert [(match.address, match.value) for match in found] == [("a.b[2].c", 3)]
    for budget in (CountedBudget(max_nodes=3), CountedBudget(max_depth=2)):
        with pytest.raises(OverBudget):
            KIND.find(snap(tree), parse_pattern("**"), budget=budget)
    with pytest.raises(OverBudget, match="more than 5 bytes"):
        CountedBudget(max_bytes=5).spend(bytes=6)


def test_a_source_that_could_not_be_captured_is_unread_as_a_whole() -> None:
    gone = lost("plain", Mark(3), reason="no browser", cause="infrastructure")
    assert unread_whole(gone)
    assert not unread_whole(snap({"a": 1}))
    gone.close()


def test_a_kind_of_plain_values_has_no_live_half_no_selectors_and_no_queries(tmp_path: pathlib.Path) -> None:
    class World:
        workdir, cdp_url, claimed, own_browser = tmp_path, None, frozenset[pathlib.Path](), False

    with pytest.raises(UsageError, match="no live half"):
        KIND.open(SourceParams(), world=World())
    with pytest.raises(UsageError, match="cannot be read from a path"):
        KIND.from_path(tmp_path, SourceParams(), world=World(), budget=CountedBudget())
    with pytest.raises(UsageError, match="`at:` only"):
        KIND.select(snap({}), NoSelector(), budget=CountedBudget())
    with pytest.raises(UsageError, match="use `at:`"):
        KIND.rows(snap({}), "SELECT 1", {}, budget=CountedBudget())
    assert KIND.claims(SourceParams()) == ()
    assert KIND.value_types(SourceParams()) is None
    assert KIND.row_at(snap({"a": {"b": 1}}), ("a",)) == {"b": 1}
    assert KIND.row_at(snap({"a": 1}), ("a",)) is None


def test_an_adapter_is_known_by_its_entry_point_or_said_to_be_missing() -> None:
    assert kind_named("sqlite").name == "sqlite"
    with pytest.raises(UsageError, match="no adapter is called 'nosuch'; installed: .*sqlite"):
        kind_named("nosuch")


def test_two_adapters_of_one_name_and_one_that_lacks_a_part_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("odd", "tests.judging.kit:STARTED", registry.GROUP)
    points = [point, point]

    def offered(*, group: str) -> list[EntryPoint]:
        return points if group == registry.GROUP else []

    monkeypatch.setattr(registry, "entry_points", offered)
    registry.kinds.cache_clear()
    registry.kind_named.cache_clear()
    try:
        with pytest.raises(UsageError, match=r"lacks name, params"):
            kind_named("odd")
        points.append(EntryPoint("odd", "tests.judging.kit:SECOND", registry.GROUP))
        registry.kinds.cache_clear()
        with pytest.raises(UsageError, match="two adapters are called 'odd'"):
            registry.kinds()
    finally:
        registry.kinds.cache_clear()
        registry.kind_named.cache_clear()
