"""Which rows changed: by key, by content, with types."""

import pathlib
import shutil
import sqlite3
import tracemalloc

import pytest
from tests.adapters.sqlite.support import bench_of, change, diff, edit, found, many, rows, shown, snapshot

from exactchange.errors import OverBudget

ITEMS = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT); INSERT INTO t VALUES(1,'x','p'),(2,2,'q'),(3,NULL,'r');"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("UPDATE t SET a='y' WHERE id=1", [("modified", "t[id=1].a", "x", "y")]),
        ("UPDATE t SET a=NULL, b=NULL WHERE id=1", [("modified", "t[id=1].a", "x", None),
                                                    ("modified", "t[id=1].b", "p", None)]),
        ("UPDATE t SET a=0 WHERE id=3", [("modified", "t[id=3].a", None, 0)]),
        ("DELETE FROM t WHERE id=2", [("removed", "t[id=2]", {"id": 2, "a": 2, "b": "q"})]),
        ("INSERT INTO t VALUES(9,x'00ff',NULL)", [("added", "t[id=9]", {"id": 9, "a": b"\0\xff", "b": None})]),
        ("UPDATE t SET id=7 WHERE id=1", [("removed", "t[id=1]", {"id": 1, "a": "x", "b": "p"}),
                                          ("added", "t[id=7]", {"id": 7, "a": "x", "b": "p"})]),
        ("UPDATE t SET a=a", []),
        ("DELETE FROM t WHERE id=1; INSERT INTO t VALUES(1,'x','p')", []),
        ("VACUUM", []),
        ("REINDEX", []),
    ],
)  # fmt: skip
def test_a_row_is_identified_by_its_primary_key(sql: str, expected: list[object], tmp_path: pathlib.Path) -> None:
    assert shown(change(tmp_path, ITEMS, sql)) == expected


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ("1", "1.0", 1, 1.0),
        ("1", "'1'", 1, "1"),
        ("'007'", "7", "007", 7),
        ("x'31'", "'1'", b"1", "1"),
        ("'a'", "'A'", "a", "A"),
        ("0.0", "-0.0", 0.0, -0.0),
        ("9007199254740993", "9007199254740992", 9007199254740993, 9007199254740992),
        ("9223372036854775807", "9223372036854775806", 2**63 - 1, 2**63 - 2),
        ("NULL", "''", None, ""),
        ("x''", "''", b"", ""),
        ("'a'", "'a' || char(0)", "a", "a\0"),
        ("9e999", "-9e999", float("inf"), float("-inf")),
        ("char(233)", "'e' || char(769)", "\xe9", "e\u0301"),
    ],
)
def test_the_storage_class_is_part_of_the_value(
    old: str, new: str, before: object, after: object, tmp_path: pathlib.Path
) -> None:
    table = "CREATE TABLE t(id INTEGER PRIMARY KEY, v COLLATE NOCASE);"
    (found_one,) = change(tmp_path, f"{table} INSERT INTO t VALUES(1,{old})", f"UPDATE t SET v={new}").changes
    assert (found_one.address, repr(found_one.before), repr(found_one.after)) == (
        "t[id=1].v",
        repr(before),
        repr(after),
    )


def test_text_that_is_no_text_keeps_every_byte(tmp_path: pathlib.Path) -> None:
    table = "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES(1,CAST(x'61ff' AS TEXT)),(2,'ok');"
    result = change(tmp_path, table, "UPDATE t SET v=CAST(x'61fe' AS TEXT) WHERE id=1")
    assert shown(result) == [("modified", "t[id=1].v", "a\udcff", "a\udcfe")]
    assert shown(change(tmp_path, "UPDATE t SET v=x'61ff' WHERE id=1", "SELECT 1")) == []
    assert [m.value for m in found(snapshot(tmp_path / "after.db"), "t[id=1].v")] == [b"a\xff"]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_every_encoding_is_compared_by_its_text(encoding: str, tmp_path: pathlib.Path) -> None:
    table = f"PRAGMA encoding='{encoding}'; CREATE TABLE t(k TEXT PRIMARY KEY, v);"
    words = "INSERT INTO t VALUES('ÿ',1),('Ā',2),('😀',3),('',4),('z',5);"
    result = change(tmp_path, table + words, "UPDATE t SET v=0 WHERE k IN ('Ā','😀'); DELETE FROM t WHERE k='ÿ'")
    assert sorted(shown(result), key=str) == sorted(
        [
            ("modified", 't[k="Ā"].v', 2, 0),
            ("modified", 't[k="😀"].v', 3, 0),
            ("removed", 't[k="ÿ"]', {"k": "ÿ", "v": 1}),
        ],
        key=str,
    )


def test_another_encoding_with_the_same_rows_changes_the_encoding_alone(tmp_path: pathlib.Path) -> None:
    rest = "CREATE TABLE t(k TEXT PRIMARY KEY, v); INSERT INTO t VALUES('ÿ',1),('Ā',2),('😀',3),('',4),('z',5);"
    both = [f"PRAGMA encoding='{name}'; {rest}" for name in ("UTF-8", "UTF-16le")]
    edit(tmp_path / "a.db", both[0])
    edit(tmp_path / "b.db", both[1])
    result = diff(tmp_path / "a.db", tmp_path / "b.db")
    assert shown(result) == [("modified", "@pragma.encoding", "UTF-8", "UTF-16le")]


UNIQUE = "CREATE TABLE t(a, b, c, UNIQUE(a), UNIQUE(b, c));"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("(1,2,3)", "UPDATE t SET c=4", [("modified", "t[a=1].c", 3, 4)]),
        ("(NULL,2,3)", "UPDATE t SET c=4", [("removed", "t[b=2,c=3]", {"a": None, "b": 2, "c": 3}),
                                            ("added", "t[b=2,c=4]", {"a": None, "b": 2, "c": 4})]),
        ("(NULL,2,3)", "UPDATE t SET a=1", [("added", "t[a=1]", {"a": 1, "b": 2, "c": 3}),
                                            ("removed", "t[b=2,c=3]", {"a": None, "b": 2, "c": 3})]),
        ("(NULL,NULL,3),(NULL,NULL,3)", "DELETE FROM t WHERE rowid=1",
         [("removed", "t[#b004b5e9~2]", {"a": None, "b": None, "c": 3})]),
    ],
)  # fmt: skip
def test_without_a_primary_key_the_first_unique_index_without_null_identifies_a_row(
    before: str, after: str, expected: list[object], tmp_path: pathlib.Path
) -> None:
    assert shown(change(tmp_path, f"{UNIQUE} INSERT INTO t VALUES{before}", after)) == expected


@pytest.mark.parametrize(
    "index",
    [
        "CREATE UNIQUE INDEX i ON t(a) WHERE a > 0",
        "CREATE UNIQUE INDEX i ON t(lower(a))",
        "CREATE INDEX i ON t(a)",
    ],
)
def test_a_partial_an_expression_or_a_plain_index_identifies_nothing(index: str, tmp_path: pathlib.Path) -> None:
    build = f"CREATE TABLE t(a, b); {index}; INSERT INTO t VALUES(1,2)"
    ops = [(c.op, c.address.split("#")[0]) for c in change(tmp_path, build, "UPDATE t SET b=3").changes]
    assert sorted(ops) == [("added", "t["), ("removed", "t[")]


def test_a_primary_key_that_holds_null_does_not_identify_that_row(tmp_path: pathlib.Path) -> None:
    build = "CREATE TABLE t(k TEXT PRIMARY KEY, v); INSERT INTO t VALUES(NULL,1),(NULL,1),('a',1)"
    result = change(tmp_path, build, "DELETE FROM t WHERE rowid=1; UPDATE t SET v=2 WHERE k='a'")
    assert [(c.op, c.path[1:]) for c in result.changes if c.op == "modified"] == [("modified", ("k=a", "v"))]
    assert [c.before for c in result.changes if c.op == "removed"] == [{"k": None, "v": 1}]


@pytest.mark.parametrize(
    ("table", "insert", "update", "address"),
    [
        ("(a,b,v,PRIMARY KEY(b,a)) WITHOUT ROWID", "('y',1,0)", "v=1", "t[b=1,a=y].v"),
        ("(k BLOB PRIMARY KEY,v)", "(x'00ff',0)", "v=1", "t[k=x'00ff'].v"),
        ("(k REAL PRIMARY KEY,v)", "(1.5,0)", "v=1", "t[k=1.5].v"),
        ("(k INTEGER PRIMARY KEY DESC,v)", "(5,0)", "v=1", "t[k=5].v"),
        ("(k TEXT PRIMARY KEY COLLATE NOCASE,v)", "('Ab c',0)", "v=1", 't[k="Ab c"].v'),
        ("(id INT PRIMARY KEY, v TEXT) STRICT", "(1,'0')", "v='1'", "t[id=1].v"),
        ('("a.b" PRIMARY KEY,"@v=")', "(1,0)", '"@v="=1', 't["a.b"=1]["@v="]'),
        ("(k TEXT PRIMARY KEY,v)", "('7',0)", "v=1", 't[k="7"].v'),
        ("(k PRIMARY KEY,v)", "('null',0)", "v=1", 't[k="null"].v'),
        ("(k PRIMARY KEY,v)", "('it''s \"x\"',0)", "v=1", 't[k="it\'s \\"x\\""].v'),
    ],
)
def test_every_kind_of_key_is_spelt_so_that_its_address_finds_it(
    table: str, insert: str, update: str, address: str, tmp_path: pathlib.Path
) -> None:
    result = change(tmp_path, f"CREATE TABLE t{table}; INSERT INTO t VALUES{insert}", f"UPDATE t SET {update}")
    assert [c.address for c in result.changes] == [address]
    after = snapshot(tmp_path / "after.db")
    assert [m.path for m in found(after, address)] == [result.changes[0].path]


def test_a_key_of_another_case_or_storage_class_is_another_row(tmp_path: pathlib.Path) -> None:
    build = "CREATE TABLE t(k PRIMARY KEY COLLATE NOCASE); INSERT INTO t VALUES('ada'),(1)"
    result = change(tmp_path, build, "UPDATE t SET k='Ada' WHERE k='ada'; UPDATE t SET k=1.0 WHERE k=1")
    assert sorted((c.op, c.address) for c in result.changes) == [
        ("added", "t[k=1.0]"), ("added", "t[k=Ada]"), ("removed", "t[k=1]"), ("removed", "t[k=ada]"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "table", ["t(a, b)", "t(a, b, UNIQUE(a))", "t(a, b, UNIQUE(b, a))", "t(a TEXT PRIMARY KEY, b)"]
)
@pytest.mark.parametrize("content", ["(1,2),(3,4),(5,6)", "(NULL,2),(NULL,2),(5,6)"])
def test_rowids_are_storage(table: str, content: str, tmp_path: pathlib.Path) -> None:
    build = f"CREATE TABLE {table}; INSERT INTO t VALUES{content}"
    again = (
        "CREATE TEMP TABLE k AS SELECT * FROM t ORDER BY a DESC; DELETE FROM t; INSERT INTO t SELECT * FROM k; VACUUM"
    )
    assert shown(change(tmp_path, build, again)) == []


def test_generated_columns_are_values(tmp_path: pathlib.Path) -> None:
    build = "CREATE TABLE t(id INTEGER PRIMARY KEY,n,d AS (n*2),s AS (n*3) STORED); INSERT INTO t(id,n) VALUES(1,5)"
    result = change(tmp_path, build, "UPDATE t SET n=6")
    assert shown(result) == [
        ("modified", "t[id=1].d", 10, 12),
        ("modified", "t[id=1].n", 5, 6),
        ("modified", "t[id=1].s", 15, 18),
    ]


def test_replace_cascade_and_trigger_rows_are_ordinary_changes(tmp_path: pathlib.Path) -> None:
    build = """CREATE TABLE p(id INTEGER PRIMARY KEY, u UNIQUE);
        CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE);
        CREATE TABLE log(m); CREATE TRIGGER g AFTER INSERT ON p BEGIN INSERT INTO log VALUES('new ' || new.id); END;
        INSERT INTO p VALUES(1,'a'); INSERT INTO c VALUES(10,1); DELETE FROM log"""
    result = change(tmp_path, build, "PRAGMA foreign_keys=ON; INSERT OR REPLACE INTO p VALUES(2,'a')")
    assert [(c.op, c.path[0]) for c in result.changes] == [
        ("removed", "c"),
        ("added", "log"),
        ("removed", "p"),
        ("added", "p"),
    ]


def test_rows_of_many_bytes_are_compared_in_little_memory(tmp_path: pathlib.Path) -> None:
    rows_of = many("INSERT INTO t VALUES(?,zeroblob(1000000))", [(n,) for n in range(100)])
    left = edit(tmp_path / "a.db", "CREATE TABLE t(k TEXT PRIMARY KEY, v)", rows_of)
    right = tmp_path / "b.db"
    shutil.copy(left, right)
    edit(right, "UPDATE t SET v = CAST(substr(v, 2) || x'01' AS BLOB) WHERE k IN ('7', '93')")
    before, after = snapshot(left), snapshot(right)
    tracemalloc.start()
    changes = bench_of(left).diff(before, after).changes
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [c.address for c in changes] == ['t[k="7"].v', 't[k="93"].v']
    assert peak < 60_000_000


@pytest.mark.parametrize("table", ["t(a, b)", "t(a PRIMARY KEY, b)", "t(a PRIMARY KEY, b) WITHOUT ROWID"])
@pytest.mark.parametrize("size", [900_000, 5_000_000])
def test_a_database_that_is_mostly_one_value_is_read(table: str, size: int, tmp_path: pathlib.Path) -> None:
    build = f"CREATE TABLE {table}; INSERT INTO t VALUES(1, zeroblob({size}))"
    result = change(tmp_path, build, "UPDATE t SET b = CAST(substr(b, 2) || x'01' AS BLOB)")
    assert result.complete and len(result.changes) == (2 if table == "t(a, b)" else 1)


def lying_index(path: pathlib.Path) -> pathlib.Path:
    """A table that holds rows a and b, with an index that says a and c: both have two entries."""
    hide = """PRAGMA writable_schema=ON; CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name='i';
        DELETE FROM sqlite_schema WHERE name='i'"""
    edit(path, "CREATE TABLE t(k, v); CREATE UNIQUE INDEX i ON t(k, v); INSERT INTO t VALUES('a',1),('c',3)", hide)
    edit(path, "DELETE FROM t WHERE k='c'; INSERT INTO t VALUES('b',2)")
    return edit(path, "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema SELECT * FROM kept; DROP TABLE kept")


def test_a_row_is_never_lost_to_an_index_that_lies(tmp_path: pathlib.Path) -> None:
    path = lying_index(tmp_path / "a.db")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT k FROM t INDEXED BY i WHERE k > ''").fetchall() == [("a",), ("c",)]
    connection.close()
    after = snapshot(path)
    assert not after.unread
    assert [match.address for match in found(after, "t[*]")] == ["t[k=a,v=1]", "t[k=b,v=2]"]


def test_a_query_is_not_answered_from_an_index_that_lies(tmp_path: pathlib.Path) -> None:
    with pytest.raises(OverBudget, match="row 2 missing from index i"):
        rows(snapshot(lying_index(tmp_path / "a.db")), "SELECT k FROM t WHERE k > '' ORDER BY k")
