"""Which rows of Trac's database changed: by what identifies them, wherever they are stored and in whatever order."""

import pathlib
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.sqlite.support import diff, edit, shown
from tests.end_to_end.play import rows
from tests.trac.mutants import MUTANTS
from tests.trac.recorded import SEED as FOLDER
from tests.trac.recorded import Recorded

from exactchange.address import format_path, key_segment
from exactchange.session import judge_episode
from exactchange.verdict import verdict_json
from exactchange_adapters.sqlite.engine import Cell

SEED = FOLDER / "db" / "trac.db"
KEYLESS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "enum": (("type", "name"), "value"),
    "permission": (("username", "action"), ""),
    "session": (("sid", "authenticated"), "last_visit"),
    "session_attribute": (("sid", "authenticated", "name"), "value"),
    "wiki": (("name", "version"), "comment"),
}
"""Tables with UNIQUE and without PRIMARY KEY in which the seed has rows: what is UNIQUE, and another column."""


def again(table: str, *, where: str = "1", order: str = "rowid DESC", between: str = "") -> str:
    """Delete rows of a table and insert them once more, `between` being done to them while they are away."""
    return (
        f"CREATE TEMP TABLE kept AS SELECT * FROM {table} WHERE {where} ORDER BY {order};"
        f"DELETE FROM {table} WHERE {where}; {between}; INSERT INTO {table} SELECT * FROM kept ORDER BY rowid;"
        "DROP TABLE kept;"
    )


@dataclass(frozen=True)
class Written:
    """What an application writes, and what changed by it. `before`: what it had written earlier.

    `fools`: the wrong ways to tell rows apart that give something else.
    """

    name: str
    write: str
    expected: Sequence[tuple[object, ...]] = ()
    before: str = "SELECT 1"
    fools: Sequence[str] = ("rowid", "position")


_ADMIN = "sid = 'admin' AND authenticated = 1"
_MAIL = "session_attribute[sid=admin,authenticated=1,name=email]"
_SPOKE = """INSERT INTO ticket_change VALUES (1, 1772960400000000, 'bob', 'comment', '1', 'Mine too'),
    (1, 1772960400000000, 'bob', 'priority', 'major', 'minor'),
    (1, 1772960500000000, 'alice', 'comment', '2', 'Why?');"""
_NULLS = "INSERT INTO permission VALUES (NULL, 'WIKI_VIEW'), ('dora', NULL), (NULL, 'WIKI_VIEW'), (NULL, 'LOG_VIEW');"
WRITTEN = [
    *(Written(f"all rows of {table} again, the last first", again(table)) for table in KEYLESS),
    Written(
        "the rows of one user again, as Trac does when a session is saved", again("session_attribute", where=_ADMIN)
    ),
    Written("a ticket's history again, the last first", again("ticket_change"), before=_SPOKE),
    Written("a row put back as it was", "INSERT OR REPLACE INTO permission VALUES ('admin', 'TRAC_ADMIN')"),
    Written("tables written anew", "VACUUM", before="DELETE FROM enum WHERE name = 'fixed'", fools=()),
    Written(
        "one value changed among rows written again",
        again(
            "session_attribute", between="UPDATE kept SET value = 'x@example.org' WHERE sid='admin' AND name='email'"
        ),
        [("modified", f"{_MAIL}.value", "admin@example.org", "x@example.org")],
    ),
    Written(
        "one row lost among rows written again",
        again("session_attribute", where=_ADMIN, between="DELETE FROM kept WHERE name = 'email'"),
        [("removed", _MAIL, {"sid": "admin", "authenticated": 1, "name": "email", "value": "admin@example.org"})],
    ),
    Written(
        "one row more among rows written again",
        again("session_attribute", where=_ADMIN, between="INSERT INTO kept VALUES ('admin', 1, 'tz', 'UTC')"),
        [
            (
                "added",
                "session_attribute[sid=admin,authenticated=1,name=tz]",
                {"sid": "admin", "authenticated": 1, "name": "tz", "value": "UTC"},
            )
        ],
    ),
    Written(
        "a grant among grants written again",
        again("permission", between="INSERT INTO kept VALUES ('alice', 'TICKET_ADMIN')"),
        [
            (
                "added",
                "permission[username=alice,action=TICKET_ADMIN]",
                {"username": "alice", "action": "TICKET_ADMIN"},
            )
        ],
    ),
    Written(
        "a grant that went from one user to another",
        "UPDATE permission SET username = 'alice' WHERE username = 'bob'",
        [
            (
                "added",
                "permission[username=alice,action=TICKET_MODIFY]",
                {"username": "alice", "action": "TICKET_MODIFY"},
            ),
            (
                "removed",
                "permission[username=bob,action=TICKET_MODIFY]",
                {"username": "bob", "action": "TICKET_MODIFY"},
            ),
        ],
    ),
    Written(
        "one letter in an old version of a page among pages written again",
        again("wiki", between="UPDATE kept SET text = 'Welcome!' WHERE name = 'WikiStart'"),
        [
            (
                "modified",
                "wiki[name=WikiStart,version=1].text",
                "= Demo =\n\nWelcome. The roadmap says what comes next.\n",
                "Welcome!",
            )
        ],
    ),
    Written(
        "one word in a ticket's history written again",
        again("ticket_change", between="UPDATE kept SET newvalue = 'Not mine' WHERE oldvalue = '1'"),
        [
            (
                "modified",
                "ticket_change[ticket=1,time=1772960400000000,field=comment].newvalue",
                "Mine too",
                "Not mine",
            )
        ],
        before=_SPOKE,
    ),
    Written("rows whose key holds NULL again, the last first", again("permission"), before=_NULLS),
    Written(
        "one of two equal rows whose key holds NULL is lost",
        again("permission", between="DELETE FROM kept WHERE rowid = (SELECT rowid FROM kept WHERE username IS NULL)"),
        [("removed", "permission[#7377fc04~2]", {"username": None, "action": "WIKI_VIEW"})],
        before="INSERT INTO permission VALUES (NULL, 'WIKI_VIEW'), (NULL, 'WIKI_VIEW')",
    ),
    Written(
        "a key that holds NULL is filled in, and is another row",
        "UPDATE permission SET action = 'LOG_VIEW' WHERE username = 'dora'",
        [
            ("removed", "permission[#a0a468ac]", {"username": "dora", "action": None}),
            ("added", "permission[username=dora,action=LOG_VIEW]", {"username": "dora", "action": "LOG_VIEW"}),
        ],
        before=_NULLS,
    ),
]
by_name = pytest.mark.parametrize("written", WRITTEN, ids=lambda written: written.name)


def seen(written: Written, folder: pathlib.Path) -> list[tuple[object, ...]]:
    """What the adapter says of it."""
    folder.mkdir(exist_ok=True)
    first = edit(pathlib.Path(shutil.copy(SEED, folder / "before.db")), written.before)
    second = edit(pathlib.Path(shutil.copy(first, folder / "after.db")), written.write)
    return shown(diff(first, second))


@by_name
def test_a_row_is_the_same_row_wherever_it_is_stored(written: Written, tmp_path: pathlib.Path) -> None:
    assert seen(written, tmp_path) == list(written.expected)


@pytest.mark.parametrize("wrong", MUTANTS)
@by_name
def test_a_wrong_way_to_tell_rows_apart_is_noticed(
    written: Written, wrong: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    MUTANTS[wrong](monkeypatch)
    assert (seen(written, tmp_path) != list(written.expected)) == (wrong in written.fools)


@settings(deadline=None, max_examples=60)  # each writes a database: how long that takes is no law
@given(data=st.data(), table=st.sampled_from(sorted(KEYLESS)))
def test_any_rows_written_again_in_any_order_are_no_change_and_one_changed_is_that_one(
    data: st.DataObject, table: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    key, column = KEYLESS[table]
    stored = _rows(SEED, table)
    chosen = data.draw(st.lists(st.sampled_from(sorted(stored)), unique=True, min_size=1))
    changed = data.draw(st.sampled_from([None, *chosen])) if column else None
    written = [stored[number] | ({column: "other"} if number == changed else {}) for number in chosen]
    folder = tmp_path_factory.mktemp("law")
    after = pathlib.Path(shutil.copy(SEED, folder / "after.db"))
    edit(after, lambda connection: _write_again(connection, table, chosen, written))
    found = shown(diff(SEED, after))
    shutil.rmtree(folder)
    if changed is None:
        assert found == []
    else:
        old = stored[changed]
        address = format_path((table, key_segment([(name, old[name]) for name in key]), column))
        assert found == [("modified", address, old[column], "other")]


def _rows(path: pathlib.Path, table: str) -> dict[int, dict[str, Cell]]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        cursor = connection.execute(f"SELECT rowid, * FROM {table}")
        names = [part[0] for part in cursor.description[1:]]
        return {number: dict(zip(names, row, strict=True)) for number, *row in cursor}
    finally:
        connection.close()


def _write_again(
    connection: sqlite3.Connection, table: str, numbers: Sequence[int], rows: Sequence[Mapping[str, Cell]]
) -> None:
    """Take the rows of these numbers away, and write these in this order."""
    connection.execute("BEGIN")
    connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", [(number,) for number in numbers])
    places = ", ".join("?" for _ in rows[0])
    connection.executemany(f"INSERT INTO {table} VALUES ({places})", [tuple(row.values()) for row in rows])
    connection.execute("COMMIT")


def _stored(path: pathlib.Path, name: str) -> list[int]:
    """Under which number the preference of admin's of this name is stored."""
    stored = _rows(path, "session_attribute")
    return [number for number, row in stored.items() if (row["sid"], row["name"]) == ("admin", name)]


def test_a_run_stores_preferences_anew_that_nobody_changed_and_they_are_no_change(toured: Recorded) -> None:
    before, after = toured.before / "db" / "trac.db", toured.after / "db" / "trac.db"
    assert _stored(before, "email") != _stored(after, "email")  # this is what Trac does
    told = [item["address"] for section in ("unexplained", "ignored") for item in rows(toured.verdict, section)]
    assert told and not [address for address in told if "name=email" in str(address)]
    assert toured.verdict["outcome"] == "passed"


@pytest.mark.parametrize("wrong", MUTANTS)
def test_a_real_run_does_not_pass_where_rows_are_told_apart_by_where_they_are_stored(
    wrong: str, toured: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    MUTANTS[wrong](monkeypatch)
    verdict = verdict_json(judge_episode(toured.task, toured.episode))
    assert verdict["outcome"] == "unmet" and verdict["unread"] == []
    (number,) = _stored(SEED, "email")
    told = [str(item["address"]) for item in rows(verdict, "unexplained")]
    assert [address for address in told if address.startswith(f"session_attribute[rowid={number}]")]
