"""Random pairs of databases, as a number says: every size of page, every kind of table, long rows, VACUUM, logs."""

import pathlib
import random
import shutil
import sqlite3
from collections.abc import Callable

TABLES = (
    "CREATE TABLE plain(id INTEGER PRIMARY KEY, a, b TEXT, c BLOB)",
    "CREATE TABLE named(code TEXT PRIMARY KEY, a, b TEXT, c BLOB)",
    "CREATE TABLE loose(a, b TEXT, c BLOB)",
    "CREATE TABLE pairs(a, b TEXT, c BLOB, d, PRIMARY KEY(d, a)) WITHOUT ROWID",
    "CREATE TABLE strict(id INTEGER PRIMARY KEY, a ANY, b TEXT, c BLOB) STRICT",
    "CREATE TABLE derived(id INTEGER PRIMARY KEY, a, b TEXT, c BLOB, d AS (length(b)) STORED, e AS (a || b))",
    "CREATE TABLE unique_(rowid TEXT NOT NULL UNIQUE, a, b TEXT COLLATE NOCASE, c BLOB)",
)
INDEXES = "CREATE INDEX {table}_b ON {table}(b)", "CREATE INDEX {table}_a ON {table}(a)"
LENGTHS = (0, 1, 5, 40, 40, 200, 400, 480, 1000, 1500, 4000, 4100, 9000, 30_000)


class Pair:
    """One database and what became of it. Everything follows from the number."""

    def __init__(self, folder: pathlib.Path, number: int) -> None:
        self.before, self.after = folder / f"{number}-before.db", folder / f"{number}-after.db"
        self._draw = random.Random(number)
        self._next = 0
        self._tables: list[str] = []

    def make(self) -> tuple[pathlib.Path, pathlib.Path]:
        """Both files, with the logs that belong to them."""
        draw = self._draw
        first = sqlite3.connect(self.before, isolation_level=None)
        first.execute(f"PRAGMA page_size = {draw.choice((512, 512, 1024, 4096, 4096, 8192, 65536))}")
        first.execute(f"PRAGMA auto_vacuum = {draw.choice((0, 0, 1, 2))}")
        first.execute(f"PRAGMA encoding = '{draw.choice(('UTF-8', 'UTF-8', 'UTF-16le', 'UTF-16be'))}'")
        if draw.random() < 0.3:
            first.execute("PRAGMA journal_mode = wal")
            first.execute(f"PRAGMA wal_autocheckpoint = {draw.choice((0, 2, 20))}")
        for statement in draw.sample(TABLES, draw.randint(1, 4)):
            name = statement.split("(")[0].split()[-1]
            self._tables.append(name)
            first.execute(statement)
            if draw.random() < 0.5:
                first.execute(draw.choice(INDEXES).format(table=name))
        self._in_one(first, self._insert, draw.choice((3, 30, 300)))
        if draw.random() < 0.2:
            self._in_one(first, self._change, 20)
        for suffix in ("", "-wal"):
            source = self.before.with_name(self.before.name + suffix)
            if source.exists():
                shutil.copy(source, self.after.with_name(self.after.name + suffix))
        second = sqlite3.connect(self.after, isolation_level=None)
        second.execute(f"PRAGMA wal_autocheckpoint = {draw.choice((0, 2, 1000))}")
        self._in_one(second, self._change, draw.choice((0, 1, 2, 10, 60)))
        if draw.random() < 0.4:
            self._upheaval(second)
        self._keep_logs(first, second)
        return self.before, self.after

    def _in_one(self, connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], None], count: int) -> None:
        connection.execute("BEGIN")
        for _ in range(count):
            work(connection)
        connection.execute("COMMIT")

    def _keep_logs(self, *connections: sqlite3.Connection) -> None:
        """Close without a checkpoint: the last connection to a file would carry its log over."""
        for path, connection in zip((self.before, self.after), connections, strict=True):
            log = path.with_name(path.name + "-wal")
            kept = (path.read_bytes(), log.read_bytes()) if log.exists() else None
            connection.close()
            if kept is not None and self._draw.random() < 0.8:
                path.write_bytes(kept[0])
                log.write_bytes(kept[1])

    def _value(self) -> object:
        draw = self._draw
        return draw.choice(
            (None, draw.randint(-3, 9), draw.randint(-(2**63), 2**63 - 1), 1.0, -0.0, "a", "A", "é", b"x")
        )

    def _text(self) -> str:
        length = self._draw.choice(LENGTHS)
        return (self._draw.choice("xyzä") * length)[:length]

    def _insert(self, connection: sqlite3.Connection) -> None:
        name = self._draw.choice(self._tables)
        self._next += 1
        key = {"named": "code", "pairs": "d", "unique_": "rowid"}.get(name)
        columns = [key, "a", "b", "c"] if key else ["a", "b", "c"]
        values: list[object] = [self._value(), self._text(), self._text().encode()]
        if name == "pairs":
            values[0] = values[0] if values[0] is not None else 0
        if key:
            values.insert(0, f"{self._draw.choice(('k', 'long ' * 60))}{self._next}")
        if name == "named" and self._draw.random() < 0.1:
            values[0] = None
        marks = ", ".join("?" * len(columns))
        connection.execute(f"INSERT OR REPLACE INTO {name}({', '.join(columns)}) VALUES({marks})", values)

    def _change(self, connection: sqlite3.Connection) -> None:
        draw = self._draw
        name = draw.choice(self._tables)
        most = draw.choice((1, 1, 3, 20))
        rows = connection.execute(f"SELECT a, b, c FROM {name} ORDER BY length(b), a LIMIT {most}").fetchall()
        kind = draw.randint(0, 6)
        if kind <= 1 or not rows:
            self._insert(connection)
            return
        row = draw.choice(rows)
        where = "WHERE a IS ? AND b IS ? AND c IS ?"
        if kind == 2:
            connection.execute(f"DELETE FROM {name} {where}", row)
        elif kind == 3:  # of the same length: a long row is then written over where it stands
            text = row[1] and draw.choice("pqr") * len(row[1])
            connection.execute(f"UPDATE {name} SET b = ? {where}", (text, *row))
        elif kind == 4 and name != "pairs":
            connection.execute(f"UPDATE {name} SET a = ? {where}", (self._value(), *row))
        elif kind == 5 and row[2]:
            changed = row[2][:-1] + draw.choice((b"1", b"2"))  # in the last of its pages only
            connection.execute(f"UPDATE {name} SET c = ? {where}", (changed, *row))
        else:
            connection.execute(f"UPDATE {name} SET b = ? {where}", (self._text(), *row))

    def _upheaval(self, connection: sqlite3.Connection) -> None:
        draw = self._draw
        name = draw.choice(self._tables)
        statements = (
            "VACUUM",
            f"DELETE FROM {name}",
            f"ALTER TABLE {name} ADD COLUMN more INT DEFAULT 7",
            f"ALTER TABLE {name} RENAME TO other",
            f"CREATE TABLE copy AS SELECT * FROM {name}",
            f"DROP TABLE {name}",
            f"CREATE INDEX late ON {name}(a, b)",
            f"CREATE UNIQUE INDEX late ON {name}(rowid)" if name == "unique_" else "REINDEX",
            "PRAGMA user_version = 7",
            "PRAGMA incremental_vacuum(3)",
        )
        connection.execute(draw.choice(statements))
        if draw.random() < 0.3 and name in self._tables:
            present = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            self._tables = [table for table in self._tables if table in present]
            if self._tables:
                self._in_one(connection, self._change, 5)
