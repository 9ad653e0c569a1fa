# ruff: noqa: E501  # a row of a table for every case
"""`check` looks at the databases of the seed: what their columns can never hold is a mistake of the task."""

import pathlib
import sqlite3

import pytest
from tests.task.writing import HEAD, MUST, marked

from exactchange.task import TaskError, load_task
from exactchange.task.problem import Problem

TABLE = (
    "CREATE TABLE films(id INTEGER PRIMARY KEY, year TEXT, seen INTEGER, kind TEXT CHECK (kind IN ('long', 'short')))"
)
APP = "app: {seed: seed}\n"


def checked(folder: pathlib.Path, text: str, *, table: str = TABLE, seed: bool = True) -> tuple[Problem, ...]:
    (folder / "seed").mkdir()
    with sqlite3.connect(folder / "seed" / "a.db") as connection:
        connection.execute(table)
    connection.close()
    file = folder / "task.yaml"
    file.write_text(text, encoding="utf-8")
    try:
        load_task(file, seed=seed)
    except TaskError as error:
        return error.problems
    return ()


@pytest.mark.parametrize(
    ("rule", "mark", "why"),
    [
        ("{change: {in: db, at: 'films[id=1].year', to: 2019}}", "2019", 'db: films.year can never be 2019: the column is declared TEXT, which makes "2019" of it'),
        ("{change: {in: db, at: 'films[*]', op: added, row: {seen: '1'}}}", "'1'", 'db: films.seen can never be "1": the column is declared INTEGER, which makes 1 of it'),
        ("{value: {in: db, table: films, column: year, where: {id: 1.0}, is: '2019'}}", "1.0", "db: films.id can never be 1.0: the column is declared INTEGER, which makes 1 of it"),
        ("{change: {in: db, at: 'films[id=1].kind', to: medium}}", "medium", 'db: films.kind can never be "medium": its CHECK lets in only "long", "short"'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tier", ["veto", "bonus"])
def test_a_value_that_no_column_can_hold_is_refused_at_its_place(
    tmp_path: pathlib.Path, tier: str, rule: str, mark: str, why: str
) -> None:
    (found,) = checked(tmp_path, f"{HEAD}{MUST}{APP}{tier}: [{rule}]\n")
    assert (marked(found), found.message) == (mark, why)


def test_a_pattern_is_looked_at_as_well(tmp_path: pathlib.Path) -> None:
    allow = "allow: [{in: db, at: 'films[*]', op: added, row: {year: 2019}}]\n"
    assert [marked(item) for item in checked(tmp_path, HEAD + MUST + APP + allow)] == ["2019"]


@pytest.mark.parametrize(
    "rule",
    [
        "{change: {in: db, at: 'films[id=1].year', to: '2019'}}",
        "{change: {in: db, at: 'films[id=1].year', to: {number: 2019}}}",
        "{change: {in: db, at: 'other[id=1].year', to: 2019}}",
        "{change: {in: cfg, at: 'films[id=1].year', to: 2019}}",
        "{request: {in: page, method: POST}}",
    ],
)
def test_what_a_column_may_hold_is_all_right(tmp_path: pathlib.Path, rule: str) -> None:
    assert checked(tmp_path, f"{HEAD}{MUST}{APP}veto: [{rule}]\n") == ()


WRONG = "veto: [{change: {in: db, at: 'films[id=1].year', to: 2019}}]\n"


def test_the_seed_is_looked_at_only_where_that_is_asked_for(tmp_path: pathlib.Path) -> None:
    assert checked(tmp_path, HEAD + MUST + APP + WRONG, seed=False) == ()


@pytest.mark.parametrize("app", ["", "app: {start: [run]}\n", "app: {seed: nowhere}\n"])
def test_a_task_without_a_seed_is_checked_without_it(tmp_path: pathlib.Path, app: str) -> None:
    assert checked(tmp_path, HEAD + MUST + app + WRONG) == ()


def test_a_database_elsewhere_or_broken_tells_nothing(tmp_path: pathlib.Path) -> None:
    assert checked(tmp_path, HEAD.replace("{workdir}/a.db", "/nowhere/a.db") + MUST + APP + WRONG) == ()
    (tmp_path / "seed" / "a.db").write_bytes(b"no database")
    (tmp_path / "task.yaml").write_text(HEAD + MUST + APP + WRONG, encoding="utf-8")
    assert load_task(tmp_path / "task.yaml", seed=True).id == "t"


def test_the_seed_is_left_as_it_is(tmp_path: pathlib.Path) -> None:
    assert len(checked(tmp_path, HEAD + MUST + APP + WRONG)) == 1
    assert [item.name for item in (tmp_path / "seed").iterdir()] == ["a.db"]


LOOSE = "CREATE TABLE log(who TEXT, state TEXT)"


@pytest.mark.parametrize(
    ("rule", "mark"),
    [
        ("at: 'log[*].state', op: modified", "modified"),
        ("table: log, column: state, from: open, to: done", "done"),
        ("table: log, op: modified", "modified"),
        ("table: log, column: state, to: done", ""),
        ("at: 'log[*]', op: added, row: {state: done}", ""),
        ("table: log, op: removed", ""),
        ("table: films, column: kind, op: modified", ""),
    ],
)
def test_rule_03_a_row_without_a_key_is_never_modified(tmp_path: pathlib.Path, rule: str, mark: str) -> None:
    found = checked(tmp_path, f"{HEAD}{MUST}{APP}veto: [{{change: {{in: db, {rule}}}}}]\n", table=LOOSE)
    assert [marked(item) for item in found] == ([mark] if mark else [])
    assert all("have no key" in item.message and "`key:`" in (item.suggestion or "") for item in found)


def test_rule_03_a_key_that_the_task_names_is_one(tmp_path: pathlib.Path) -> None:
    head = HEAD.replace('path: "{workdir}/a.db"', 'path: "{workdir}/a.db", key: who')
    rule = "veto: [{change: {in: db, table: log, op: modified}}]\n"
    assert checked(tmp_path, f"{head}{MUST}{APP}{rule}", table=LOOSE) == ()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("{change: {in: db, at: 'Films[*].year'}}", "db has no table 'Films' in the seed; did you mean 'films'?"),
        (
            "{change: {in: db, table: films, column: yaer}}",
            "db: films has no column 'yaer' in the seed; did you mean 'year'?",
        ),
        (
            "{change: {in: db, at: 'films[*]', row: {sene: 1}}}",
            "db: films has no column 'sene' in the seed; did you mean 'seen'?",
        ),
        ("{change: {in: db, at: 'films[*].year'}}", ""),
        ("{change: {in: db, at: '*[*].yaer'}}", ""),
    ],
)
def test_a_table_or_column_that_the_seed_has_not_is_warned_of(tmp_path: pathlib.Path, rule: str, said: str) -> None:
    """A veto on it would never fire. The application may make it later, so the task can be used."""
    assert checked(tmp_path, f"{HEAD}{MUST}{APP}veto: [{rule}]\n") == ()
    found = [item.message for item in load_task(tmp_path / "task.yaml", seed=True).warnings if item.kind == "misspelt"]
    assert [item.partition(": ")[2] for item in found] == ([said] if said else [])
