"""Images on disk: saved is loaded, deltas are small, hostile records are refused."""

import pathlib
import sqlite3
import zlib
from collections.abc import Mapping

import pytest
from tests.adapters.sqlite.support import bench_of, edit, found, many, snapshot

from exactchange.errors import UsageError
from exactchange.limits import CountedBudget
from exactchange.testing import MemoryStore
from exactchange.values import Value
from exactchange_adapters.sqlite import KIND, SqliteSnapshot, checking
from exactchange_adapters.sqlite import snapshot as snapshots

TABLE = "CREATE TABLE t(id INTEGER PRIMARY KEY, v);"


def load(record: Mapping[str, Value], store: MemoryStore, base: SqliteSnapshot | None = None) -> SqliteSnapshot:
    return KIND.load(record, base=base, store=store, budget=CountedBudget())


def steps(path: pathlib.Path) -> list[SqliteSnapshot]:
    """States of one database: grown, shrunk, with a log, without, unchanged, gone, broken, back."""
    taken = [snapshot(edit(path, TABLE, many("INSERT INTO t VALUES(?,?)", [(n, "x" * 300) for n in range(3000)])))]
    for sql in (
        "UPDATE t SET v='y' WHERE id%300=7",
        "DELETE FROM t WHERE id > 100; VACUUM",
        "SELECT 1",
        "PRAGMA journal_mode=WAL",
    ):
        taken.append(snapshot(edit(path, sql)))
    application = sqlite3.connect(path, isolation_level=None)
    for value in ("w1", "w2"):
        application.execute("UPDATE t SET v=? WHERE id=5", (value,))
        taken.append(snapshot(path))
    application.close()
    taken.append(snapshot(path))
    data = path.read_bytes()
    path.write_bytes(b"nothing")
    taken.append(snapshot(path))
    path.unlink()
    taken.append(snapshot(path))
    path.write_bytes(data)
    return [*taken, snapshot(path)]


@pytest.mark.parametrize("is_large", [False, True])
def test_every_state_is_loaded_as_it_was_saved_whole_and_step_by_step(
    is_large: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_large:  # the bytes of large ones are hashed, and SQLite does not check all of each
        monkeypatch.setattr(snapshots, "_LOGICAL", 0)
        monkeypatch.setattr(checking, "SMALL", 0)
    taken = steps(tmp_path / "a.db")
    store = MemoryStore()
    base = loaded = None
    for snap in taken:
        whole = load(KIND.save(snap, base=None, store=store), store)
        loaded = load(KIND.save(snap, base=base, store=store), store, loaded)
        for other in (whole, loaded):
            assert (other.digest, other.unread, other.notes, other.absent) == (
                snap.digest,
                snap.unread,
                snap.notes,
                snap.absent,
            )
        base = snap
    assert [bool(snap.unread) for snap in taken] == [False] * 8 + [True, False, False] and taken[9].absent


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_steps_that_share_a_copy_are_loaded_as_steps_that_share_a_copy(
    mode: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "_LOGICAL", 0)
    monkeypatch.setattr(checking, "SMALL", 0)
    rows = many("INSERT INTO t VALUES(?,?)", [(n, "x" * 300) for n in range(3000)])
    path = edit(tmp_path / "a.db", f"PRAGMA journal_mode={mode}", TABLE, rows)
    application = sqlite3.connect(path, isolation_level=None)
    store = MemoryStore()
    with bench_of(path).reading() as reader:
        taken = [reader.capture()]
        for sql in ("UPDATE t SET v='y' WHERE id=7", "DELETE FROM t WHERE id > 2000", "INSERT INTO t VALUES(1, 2)"):
            application.execute(sql.replace("VALUES(1", "VALUES(9999"))
            taken.append(reader.capture(previous=taken[-1]))
        loaded: list[SqliteSnapshot] = []
        for number, snap in enumerate(taken):
            assert isinstance(snap, SqliteSnapshot)
            base = taken[number - 1] if number else None
            assert base is None or isinstance(base, SqliteSnapshot)
            record = KIND.save(snap, base=base, store=store)
            loaded.append(load(record, store, loaded[-1] if loaded else None))
    assert [one.digest for one in loaded] == [one.digest for one in taken]
    assert len({one.image.directory for one in loaded if one.image}) == 1 and loaded[-1].image is not loaded[0].image
    application.close()


def test_records_whose_hash_was_taken_at_one_go_are_loaded(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "_LOGICAL", 0)
    store = MemoryStore()
    first = snapshot(edit(tmp_path / "a.db", TABLE, "INSERT INTO t VALUES(1, 2)"))
    second = snapshot(edit(tmp_path / "a.db", "INSERT INTO t VALUES(2, 3)"))
    for snap in (first, second):
        assert snap.image is not None
        snap.image.hashed_whole = True
    whole, delta = KIND.save(first, base=None, store=store), KIND.save(second, base=first, store=store)
    records = [{name: value for name, value in record.items() if name != "hash"} for record in (whole, delta)]
    loaded = load(records[0], store)
    assert load(records[1], store, loaded).digest == second.digest
    with pytest.raises(UsageError, match="digest"):
        load(whole, store)


def test_a_step_costs_its_pages_and_an_unchanged_one_nothing(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", TABLE, many("INSERT INTO t VALUES(?,randomblob(400))", [(n,) for n in range(5000)]))
    store = MemoryStore()
    first = snapshot(path)
    KIND.save(first, base=None, store=store)
    whole = sum(map(len, store.blobs.values()))
    second = snapshot(edit(path, "UPDATE t SET v='z' WHERE id=77"))
    KIND.save(second, base=first, store=store)
    step = sum(map(len, store.blobs.values())) - whole
    assert whole > 2_000_000 and step < 10_000
    record = KIND.save(snapshot(path), base=second, store=store)
    assert sum(map(len, store.blobs.values())) == whole + step
    assert load(record, store, second).image is second.image


def test_keys_that_the_task_names_are_stored(tmp_path: pathlib.Path) -> None:
    store = MemoryStore()
    snap = snapshot(
        edit(tmp_path / "a.db", "CREATE TABLE t(a, b); INSERT INTO t VALUES(1,2)"), keys={"t": ["a"]}, key="b"
    )
    again = load(KIND.save(snap, base=None, store=store), store)
    assert again.keys == snap.keys and [m.address for m in found(again, "t[*]")] == ["t[a=1]"]


HOSTILE: dict[str, Value] = {
    "a size beyond all bounds": {"main": [2**60, []]},
    "a negative size": {"main": [-1, []]},
    "no size": {"main": ["x", []]},
    "no list": {"main": 5},
    "a blob that is not there": {"main": [4096, ["00" * 32]]},
    "too many pieces": {"main": [4096, [None, None, "piece"]]},
    "a bomb": {"main": [4096, ["bomb"]]},
    "no zlib": {"main": [4096, ["raw"]]},
    "another digest": {"digest": "00" * 32},
    "another kind": {"kind": "file"},
    "a mark of text": {"mark": ["a", 0, 0]},
    "a base that is not at hand": {"base": "00" * 32},
    "keys of numbers": {"keys": [5, {}]},
    "zeros": {"main": [4096, [None]]},
    "a path": {"main": [4096, ["../../etc/passwd"]]},
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_record_is_refused_with_words(how: str, tmp_path: pathlib.Path) -> None:
    store = MemoryStore()
    snap = snapshot(edit(tmp_path / "a.db", TABLE))
    record = dict(KIND.save(snap, base=None, store=store))
    blobs = {
        "bomb": store.put(zlib.compress(bytes(40 * 1024 * 1024), 1)),
        "raw": store.put(b"raw bytes"),
        "piece": store.put(zlib.compress(b"x" * 100)),
    }
    change = HOSTILE[how]
    assert isinstance(change, Mapping)
    record |= change
    if isinstance(record["main"], list) and isinstance(record["main"][-1], list):
        record["main"] = [record["main"][0], [blobs.get(str(name), name) for name in record["main"][-1]]]
    with pytest.raises(UsageError):
        load(record, store)


def test_a_delta_with_pages_out_of_bounds_is_refused(tmp_path: pathlib.Path) -> None:
    store = MemoryStore()
    base = snapshot(edit(tmp_path / "a.db", TABLE))
    record = dict(KIND.save(snapshot(edit(tmp_path / "a.db", "INSERT INTO t VALUES(1,2)")), base=base, store=store))
    for data in ((2**40).to_bytes(8, "big") + bytes(4096), bytes(100), b""):
        bad = record | {"main": [8192, [store.put(zlib.compress(data))]]}
        with pytest.raises(UsageError):
            load(bad, store, base)
