"""A copy that is carried forward by the pages that changed holds, byte for byte, what a copy made anew holds."""

import os
import pathlib
import random
import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest
from tests.adapters.sqlite.pairs import Pair
from tests.adapters.sqlite.support import ORDERS, bench_of, edit, many, snapshot
from tests.disks import full_disk

from exactchange.snapshot import Mark
from exactchange_adapters.sqlite import SqliteParams, SqliteSnapshot, checking, rolling
from exactchange_adapters.sqlite import snapshot as snapshots
from exactchange_adapters.sqlite.files import LiveDatabase
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.layer import LayerFile, Pile
from exactchange_adapters.sqlite.patience import Patience
from exactchange_adapters.sqlite.reader import captured

MODES = ("delete", "truncate", "persist", "memory", "wal")
ROWS = many("INSERT INTO t VALUES(?, ?)", [(n, "row " * 30) for n in range(2000)])
TABLE = "CREATE TABLE t(id INTEGER PRIMARY KEY, a)"


def held(image: Image | None) -> bytes:
    """Every byte of an image."""
    assert image is not None
    layer = image.layer
    assert layer is not None
    with LayerFile(layer) as pages:
        return pages.read(layer.size * layer.count, 0)


def alike(one: bytes, other: bytes) -> bool:
    """Whether two images are the same but for what a copy that SQLite has opened may say of itself."""
    return len(one) == len(other) and one[:18] == other[:18] and one[100:] == other[100:]


class Chain:
    """Captures of one file, each made with the one before."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path, self._live = path, LiveDatabase(path)
        self.last: SqliteSnapshot | None = None

    def next(self) -> SqliteSnapshot:
        params = SqliteParams(path=str(self.path))
        made = captured(self._live, params, mark=Mark(), previous=self.last, patience=Patience.of(20))
        if self.last is not None:
            self.last.close()
        self.last = made
        return made

    def check(self) -> SqliteSnapshot:
        """The next capture, which is what one that knows of nothing before sees."""
        made, fresh = self.next(), snapshot(self.path)
        assert (made.unread, made.absent, made.notes) == (fresh.unread, fresh.absent, fresh.notes)
        if fresh.image is not None:
            assert alike(held(made.image), held(fresh.image)) and made.digest == fresh.digest
        fresh.close()
        return made

    def close(self) -> None:
        if self.last is not None:
            self.last.close()
        self._live.close()


@contextmanager
def chain(path: pathlib.Path) -> Generator[Chain]:
    made = Chain(path)
    try:
        made.check()
        yield made
    finally:
        made.close()


def is_layered(snap: SqliteSnapshot) -> bool:
    return snap.image is not None and snap.image.layered


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_after_each_of_many_changes_a_copy_carried_forward_is_what_is_there(
    mode: str, is_large: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_large:  # then SQLite does not check all of it again
        monkeypatch.setattr(checking, "SMALL", 0)
        monkeypatch.setattr(snapshots, "_LOGICAL", 0)
    path = edit(tmp_path / "a.db", f"PRAGMA journal_mode={mode}", TABLE, ROWS)
    draw = random.Random(mode)
    application = sqlite3.connect(path, isolation_level=None)
    for pragma in (f"journal_mode={mode}", "wal_autocheckpoint=40"):
        application.execute(f"PRAGMA {pragma}")
    statements = (
        "UPDATE t SET a = a || 'x' WHERE id = {n}",
        "DELETE FROM t WHERE id BETWEEN {n} AND {n} + 40",
        "INSERT OR REPLACE INTO t VALUES({n}, hex(zeroblob({n} * 9)))",
        "UPDATE t SET a = 'many' WHERE id % 7 = {n} % 7",
        "PRAGMA user_version = {n}",
        "CREATE TABLE IF NOT EXISTS more_{m}(a, b UNIQUE)",
        "DROP TABLE IF EXISTS more_{m}",
        "VACUUM",
        "PRAGMA wal_checkpoint(PASSIVE)",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "ROLLBACK",
    )
    with chain(path) as steps:
        layered = 0
        for _ in range(60):
            for statement in draw.choices(statements, k=draw.randint(0, 3)):
                if statement == "ROLLBACK":
                    application.execute("BEGIN")
                    application.execute("UPDATE t SET a = 'never'")
                application.execute(statement.format(n=draw.randint(0, 2500), m=draw.randint(0, 2)))
            layered += is_layered(steps.check())
        assert layered > 20
    application.close()


@pytest.mark.parametrize("number", range(25))
def test_any_database_is_carried_forward_to_any_other(number: int, tmp_path: pathlib.Path) -> None:
    before, after = Pair(tmp_path, 5_000_000 + number).make()
    path = tmp_path / "live.db"

    def put(source: pathlib.Path) -> None:
        for suffix in ("", "-wal"):
            here, there = source.with_name(source.name + suffix), path.with_name(path.name + suffix)
            there.unlink(missing_ok=True) if suffix else None
            if here.exists():
                there.write_bytes(here.read_bytes())

    put(before)
    with chain(path) as steps:
        for source in (after, before, before, after):
            put(source)
            steps.check()


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_hundreds_of_steps_share_one_copy_and_cost_their_pages(mode: str, tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", f"PRAGMA journal_mode={mode}", TABLE, ROWS)
    application = sqlite3.connect(path, isolation_level=None)
    kept: list[SqliteSnapshot] = []
    live = LiveDatabase(path)
    for number in range(150):
        application.execute("UPDATE t SET a = ? WHERE id = 7", (f"step {number}",))
        last = kept[-1] if kept else None
        kept.append(captured(live, SqliteParams(path=str(path)), mark=Mark(), previous=last, patience=Patience.of(20)))
    images = [snap.image for snap in kept if snap.image is not None]
    assert len({image.directory for image in images}) == 1 and len(images) == 150
    folder = images[0].directory
    assert sum(file.stat().st_size for file in folder.iterdir()) < 2 * path.stat().st_size + 150 * 4 * 4096
    values = [list(image.engine.rows("SELECT a FROM t WHERE id = 7")) for image in images]
    assert values == [[(f"step {number}",)] for number in range(150)]
    for snap in kept[:-1]:
        snap.close()
    assert folder.exists() and list(images[-1].engine.rows("SELECT count(*) FROM t")) == [(2000,)]
    kept[-1].close()
    assert not folder.exists()
    application.close()
    live.close()


def test_more_changes_than_are_kept_in_memory_make_a_copy_anew(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rolling, "MOST_BYTES", 10 * 4096)
    path = edit(tmp_path / "a.db", TABLE, ROWS)
    with chain(path) as steps:
        edit(path, "UPDATE t SET a = 'few' WHERE id = 5")
        assert is_layered(steps.check())
        edit(path, "UPDATE t SET a = 'all'")
        assert not is_layered(steps.check())


def test_a_page_that_was_given_back_and_taken_again_is_not_what_it_was(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", "PRAGMA auto_vacuum=1", TABLE, ROWS)
    with chain(path) as steps:
        for script in ("DELETE FROM t WHERE id > 300", "INSERT INTO t SELECT id + 1000, hex(a) FROM t", "VACUUM"):
            edit(path, script)
            assert is_layered(steps.check())


def forge(path: pathlib.Path) -> None:
    """Write another value into a part of the log that was read, with sums that are right."""
    data = bytearray(path.read_bytes().replace(b"first value", b"other value"))
    order = "big" if data[3] & 1 else "little"
    size = int.from_bytes(data[8:12], "big")
    sums = [int.from_bytes(data[24:28], "big"), int.from_bytes(data[28:32], "big")]
    for begin in range(32, len(data), 24 + size):
        words = bytes(data[begin : begin + 8]) + bytes(data[begin + 24 : begin + 24 + size])
        for word in range(0, len(words), 8):
            one, two = (int.from_bytes(words[word + n : word + n + 4], order) for n in (0, 4))  # type: ignore[arg-type]
            sums[0] = (sums[0] + one + sums[1]) & 0xFFFFFFFF
            sums[1] = (sums[1] + two + sums[0]) & 0xFFFFFFFF
        data[begin + 16 : begin + 24] = sums[0].to_bytes(4, "big") + sums[1].to_bytes(4, "big")
    path.write_bytes(data)


def test_whoever_writes_into_the_part_of_a_log_that_was_read_is_noticed(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", "PRAGMA journal_mode=WAL", TABLE, "INSERT INTO t VALUES(1, 'zero')")
    application = sqlite3.connect(path, isolation_level=None)
    application.execute("UPDATE t SET a = 'first value'")
    with chain(path) as steps:
        application.execute("INSERT INTO t VALUES(2, 'more')")
        steps.check()
        application.execute("INSERT INTO t VALUES(3, 'more')")
        first = steps.check()
        assert first.image is not None and b"first value" in held(first.image)
        forge(tmp_path / "a.db-wal")
        second = steps.check()
        assert second.image is not None and b"other value" in held(second.image)
    application.close()


Damage = Callable[[pathlib.Path], object]
DAMAGES: dict[str, Damage] = {
    "truncated": lambda path: os.truncate(path, 8192),
    "cut within a page": lambda path: os.truncate(path, 5000),
    "emptied": lambda path: os.truncate(path, 0),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(9000)),
    "noise in a page": lambda path: path.write_bytes(
        path.read_bytes()[:4096] + b"\5" * 4096 + path.read_bytes()[8192:]
    ),
    "another magic": lambda path: path.write_bytes(b"X" + path.read_bytes()[1:]),
    "pages of another size": lambda path: path.write_bytes(
        path.read_bytes()[:16] + b"\2\0" + path.read_bytes()[18:]
    ),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0" * 40_960),
    "gone": lambda path: path.unlink(),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_ruin_is_read_as_if_nothing_had_been_read_before(kind: str, tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", ORDERS, TABLE, ROWS)
    with chain(path) as steps:
        DAMAGES[kind](path)
        steps.check()
        path.unlink(missing_ok=True)
        edit(path, ORDERS)
        steps.check()


def test_the_changes_between_two_steps_are_those_of_copies(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", "PRAGMA journal_mode=WAL", TABLE, ROWS)
    application = sqlite3.connect(path, isolation_level=None)
    with bench_of(path).reading() as reader:
        first = reader.capture()
        application.execute("UPDATE t SET a = 'paid' WHERE id = 900")
        second = reader.capture(previous=first)
        application.execute("DELETE FROM t WHERE id = 900")
        third = reader.capture(previous=second)
        bench = bench_of(path)
        assert [change.op for change in bench.diff(first, second).changes] == ["modified"]
        assert [change.op for change in bench.diff(second, third).changes] == ["removed"]
        assert [change.op for change in bench.diff(first, third).changes] == ["removed"]
        assert not bench.diff(third, third).changes
    application.close()


def test_a_disk_that_was_full_for_a_while_leaves_no_page_in_another_ones_place(tmp_path: pathlib.Path) -> None:
    pile = Pile(tmp_path / "pile")
    assert pile.add([b"a" * 512], size=512) == 0
    with full_disk(most=700), pytest.raises(OSError):
        pile.add([b"b" * 512, b"c" * 512], size=512)
    assert pile.add([b"d" * 512, b"e" * 512], size=512) == 1
    assert (tmp_path / "pile").read_bytes()[:1536] == b"a" * 512 + b"d" * 512 + b"e" * 512
