"""Prints the verdict on a case with something of everything, byte for byte: run in other environments by the tests."""

import json
import pathlib
import sys
import tempfile

from tests.judging.kit import Data, act, action, allow, case, change, database, seen, source, task, unread, value

from exactchange.address import key
from exactchange.judging import judge
from exactchange.values import Value
from exactchange.verdict import verdict_json, write_verdict

SCHEMA = """CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b REAL, c BLOB); CREATE TABLE u (x, y);
INSERT INTO t VALUES (1, 'one', 1.5, x'00ff'), (2, 'zwei', -0.0, NULL);
INSERT INTO u VALUES (1, 'a'), (1, 'a'), ('1', 2);"""
EDIT = """UPDATE t SET a = 'EINS' WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t (a) VALUES ('x'), ('y');
DELETE FROM u WHERE rowid = 2; INSERT INTO u VALUES (3, 'é');"""


def main() -> None:
    """Print the document, and check that the written one is the same."""
    names = ["zeta", "alpha", "ß", "İ", "a.b", "@x", "\u202e", "K", "10", "9"]
    before: Value = {"a": 1, "l": [{"id": n} for n in range(5)], **{key(name): 1 for name in names}}
    after: Value = {
        "a": 2,
        "l": [{"id": n} for n in (4, 2, 0, 1)],
        **{key(name): "2026-11-30" for name in reversed(names)},
    }
    rules: list[Data] = [
        change("a", to=2),
        change("t[*]", source="db", op="added", row={"a": {"same": "n"}}, rest="any"),
    ]
    veto: list[Data] = [change("*", to=9), {"order": [action("click"), change("a", to=7)]}, value("lost", 1)]
    with tempfile.TemporaryDirectory() as folder:
        run = case(
            source("s", [before, seen(after, unread("lost"), unread("far", cause="infrastructure"))]),
            database("db", pathlib.Path(folder), [SCHEMA, EDIT]),
            actions=[act("click", 1, target={"xy": [1, 2]}, time="2026-11-30T12:00:00+05:30")],
            answer='{"z": 1, "a": [1.0, true]}',
        )
        verdict = judge(task(*rules, veto=veto, allow=[allow("**", source="db")], ignore=[allow("zeta")]), run)
        path = pathlib.Path(folder) / "verdict.json"
        write_verdict(verdict, path)
        document = verdict_json(verdict)
        assert json.loads(path.read_bytes()) == json.loads(json.dumps(document))
        sys.stdout.write(path.read_text("ascii"))


if __name__ == "__main__":
    main()
