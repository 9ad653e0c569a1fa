"""Schema objects, pragmas, virtual tables and the storage that is no state."""

import pathlib

import pytest
from tests.adapters.sqlite.support import change, edit, found, many, shown, snapshot

T = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("CREATE INDEX ix_t_a ON t(a)", [("added", "@schema.index.ix_t_a", "CREATE INDEX ix_t_a ON t(a)")]),
        ("CREATE VIEW v AS SELECT a FROM t", [("added", "@schema.view.v", "CREATE VIEW v AS SELECT a FROM t")]),
        ("PRAGMA user_version=3", [("modified", "@pragma.user_version", 0, 3)]),
        ("PRAGMA application_id=7", [("modified", "@pragma.application_id", 0, 7)]),
        ("CREATE TABLE e(x)", [("added", "@schema.table.e", "CREATE TABLE e(x)")]),
        ("PRAGMA journal_mode=WAL", []),
        ("ANALYZE", []),
        ("DROP TABLE t", [("removed", "@schema.table.t", "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)")]),
    ],
)
def test_a_schema_object_or_pragma_is_a_change_of_its_own(
    sql: str, expected: list[object], tmp_path: pathlib.Path
) -> None:
    assert shown(change(tmp_path, T, sql)) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("CREATE TABLE t(a INT)", "create  table t -- why\n ( a   INT /* so */ )"),
        ('CREATE TABLE "t"("a" INT)', "CREATE TABLE t([a] INT)"),
        ('CREATE TABLE t(`a` INT, "order" INT)', "CREATE TABLE t(a INT, `order` INT)"),
    ],
)
def test_white_space_comments_case_of_keywords_and_quoting_are_no_change(
    before: str, after: str, tmp_path: pathlib.Path
) -> None:
    assert shown(change(tmp_path, before, f"DROP TABLE t; {after}")) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("CREATE TABLE t(a INT)", "CREATE TABLE t(a INT NOT NULL)"),
        ("CREATE TABLE t(a INT)", "CREATE TABLE t(a INTEGER)"),
        ("CREATE TABLE t(a INT)", "CREATE TABLE t(a INT) STRICT"),
        ("CREATE TABLE t(a TEXT UNIQUE)", "CREATE TABLE t(a TEXT UNIQUE ON CONFLICT REPLACE)"),
        ("CREATE TABLE t(a DEFAULT 'x')", "CREATE TABLE t(a DEFAULT 'X')"),
        ("CREATE TABLE t(a DEFAULT current_timestamp)", "CREATE TABLE t(a DEFAULT 'current_timestamp')"),
        ('CREATE TABLE t(a DEFAULT "current_timestamp")', "CREATE TABLE t(a DEFAULT current_timestamp)"),
        ("CREATE TABLE t(a CHECK (a > 1))", "CREATE TABLE t(a CHECK (a > 1.0))"),
        ("CREATE TABLE t(a DEFAULT '--x')", "CREATE TABLE t(a DEFAULT '--y')"),
        ("CREATE TABLE t(a, b)", "CREATE TABLE t(b, a)"),
    ],
)
def test_every_word_that_means_something_is_a_change(before: str, after: str, tmp_path: pathlib.Path) -> None:
    result = change(tmp_path, before, f"DROP TABLE t; {after}")
    assert [(c.op, c.address) for c in result.changes] == [("modified", "@schema.table.t")]


def test_a_trigger_and_a_new_column_with_its_default_change_the_schema_and_no_row(tmp_path: pathlib.Path) -> None:
    rows = "CREATE TABLE pay(id INTEGER PRIMARY KEY, amt INT); INSERT INTO pay VALUES(1,5),(2,6);"
    alter = """ALTER TABLE pay ADD COLUMN ok INT DEFAULT 1;
        CREATE TRIGGER g BEFORE INSERT ON pay BEGIN SELECT RAISE(IGNORE); END;"""
    assert [c.address for c in change(tmp_path, rows, alter).changes] == ["@schema.table.pay", "@schema.trigger.g"]


@pytest.mark.parametrize(
    ("default", "value", "address"),
    [("DEFAULT 1", "1", None), ("DEFAULT 1", "2", "t[id=1].n"), ("DEFAULT 1", "NULL", "t[id=1].n"), ("", "NULL", None),
     ("DEFAULT '5'", "5", None), ("DEFAULT (-2)", "-2", None), ("DEFAULT 'x'", "x'78'", "t[id=1].n")],
)  # fmt: skip
@pytest.mark.parametrize("key", ["id INTEGER PRIMARY KEY", "id"])
def test_a_column_that_only_one_side_has_shows_where_it_is_not_its_default(
    key: str, default: str, value: str, address: str | None, tmp_path: pathlib.Path
) -> None:
    table = f"CREATE TABLE t({key}, a); INSERT INTO t VALUES(1,'x'),(2,'y');"
    alter = f"ALTER TABLE t ADD COLUMN n INT {default}; UPDATE t SET n={value} WHERE id=1"
    changes = [c for c in change(tmp_path, table, alter).changes if c.path[0] == "t"]
    if key == "id":
        assert len(changes) == (0 if address is None else 2)
    else:
        assert [(c.op, c.address) for c in changes] == ([] if address is None else [("added", address)])


def test_a_dropped_table_is_its_schema_change_and_its_rows_removed(tmp_path: pathlib.Path) -> None:
    result = change(
        tmp_path, T + "INSERT INTO t VALUES(1,'x'),(2,'y')", "DROP TABLE t; CREATE TABLE u(a); INSERT INTO u VALUES(1)"
    )
    assert [(c.op, c.address.split("#")[0]) for c in result.changes] == [
        ("removed", "@schema.table.t"), ("added", "@schema.table.u"), ("removed", "t[id=1]"), ("removed", "t[id=2]"),
        ("added", "u["),
    ]  # fmt: skip


def test_a_renamed_table_and_one_made_with_the_new_name_are_the_same(tmp_path: pathlib.Path) -> None:
    one = edit(tmp_path / "a.db", T, "ALTER TABLE t RENAME TO u")
    other = edit(tmp_path / "b.db", T.replace("TABLE t", "TABLE u"))
    assert snapshot(one).digest == snapshot(other).digest


def test_the_high_water_mark_of_autoincrement_is_a_note(tmp_path: pathlib.Path) -> None:
    table = "CREATE TABLE o(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO o(x) VALUES('a');"
    result = change(tmp_path, table, "INSERT INTO o(x) VALUES('tmp'); DELETE FROM o WHERE x='tmp'")
    assert shown(result) == []
    assert [note.message for note in result.notes] == ["AUTOINCREMENT of o has reached 2"]


FTS = "CREATE VIRTUAL TABLE f USING fts5(title, body); INSERT INTO f VALUES('one','text'),('two','more text');"


@pytest.mark.parametrize("module", ["fts5(title, body)", "fts4(title, body)", "fts3(title, body)"])
def test_full_text_tables_are_judged_by_content_and_their_index_is_storage(module: str, tmp_path: pathlib.Path) -> None:
    build = FTS.replace("fts5(title, body)", module)
    result = change(tmp_path, build, "UPDATE f SET body='other' WHERE title='two'; INSERT INTO f VALUES('three','x')")
    assert shown(result) == [
        ("modified", "f[rowid=2].body", "more text", "other"), ("added", "f[rowid=3]", {"title": "three", "body": "x"}),
    ]  # fmt: skip
    assert shown(change(tmp_path, "SELECT 1", "INSERT INTO f(f) VALUES('optimize')")) == []


def test_spatial_tables_are_judged_by_content(tmp_path: pathlib.Path) -> None:
    build = "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1); INSERT INTO r VALUES(1,0,1),(2,5,6)"
    assert shown(change(tmp_path, build, "UPDATE r SET x1=2 WHERE id=1")) == [("modified", "r[id=1].x1", 1.0, 2.0)]


def test_a_content_table_of_the_users_own_is_no_shadow_whatever_its_name(tmp_path: pathlib.Path) -> None:
    build = """CREATE TABLE f_content(id INTEGER PRIMARY KEY, title); INSERT INTO f_content VALUES(1,'a');
        CREATE VIRTUAL TABLE f USING fts5(title, content='f_content', content_rowid='id');"""
    assert shown(change(tmp_path, build, "UPDATE f_content SET title='b'")) == [
        ("modified", "f_content[id=1].title", "a", "b")
    ]


def test_a_table_of_an_unknown_module_is_unread_and_the_others_are_not(tmp_path: pathlib.Path) -> None:
    def plant(connection: object) -> None:
        sql = "INSERT INTO sqlite_schema VALUES('table','odd','odd',0,'CREATE VIRTUAL TABLE odd USING nosuch(a)')"
        edit(tmp_path / "before.db", "PRAGMA writable_schema=ON; " + sql)

    edit(tmp_path / "before.db", T + "INSERT INTO t VALUES(1,'x')")
    plant(None)
    snap = snapshot(tmp_path / "before.db")
    assert [(item.path, item.cause) for item in snap.unread] == [(("odd",), "content")]
    assert [m.value for m in found(snap, "t[id=1].a")] == ["x"]


def test_collations_and_functions_of_the_application_do_not_hide_its_rows(tmp_path: pathlib.Path) -> None:
    def build(connection: object) -> None:
        import sqlite3

        assert isinstance(connection, sqlite3.Connection)
        connection.create_collation("LOCAL", lambda a, b: (a > b) - (a < b))
        connection.create_function("fold", 1, str.lower, deterministic=True)
        connection.executescript(
            "CREATE TABLE t(k TEXT COLLATE LOCAL PRIMARY KEY, v COLLATE LOCAL); CREATE INDEX i ON t(fold(k));"
            "CREATE INDEX j ON t(v); INSERT INTO t VALUES('b',1),('a',2)"
        )

    snap = snapshot(edit(tmp_path / "a.db", build))
    assert not snap.unread
    assert [m.address for m in found(snap, "t[*]")] == ["t[k=b]", "t[k=a]"]


def test_values_that_break_a_rule_of_the_schema_are_read(tmp_path: pathlib.Path) -> None:
    path = edit(tmp_path / "a.db", T + "INSERT INTO t VALUES(1,NULL)")
    edit(
        path,
        "PRAGMA writable_schema=ON",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=replace(sql, 'a TEXT', 'a TEXT NOT NULL')",
    )
    assert [m.value for m in found(snapshot(path), "t[id=1].a")] == [None]


def test_content_alone_makes_the_digest(tmp_path: pathlib.Path) -> None:
    path = edit(
        tmp_path / "a.db", T, "CREATE TABLE log(m)", many("INSERT INTO log VALUES(?)", [("x",), ("y",), ("x",)])
    )
    start = snapshot(path).digest
    for sql in ("VACUUM", "PRAGMA journal_mode=WAL", "INSERT INTO t VALUES(1,'a'); DELETE FROM t", "ANALYZE",
                "CREATE TEMP TABLE k AS SELECT m FROM log ORDER BY m; DELETE FROM log; INSERT INTO log SELECT m FROM k"
                ):  # fmt: skip
        assert snapshot(edit(path, sql)).digest == start, sql
    for sql in (
        "DELETE FROM log WHERE rowid=1",
        "PRAGMA user_version=2",
        "CREATE INDEX i ON log(m)",
        "INSERT INTO t VALUES(1,1)",
    ):
        after = snapshot(edit(path, sql)).digest
        assert after != start, sql
        start = after
