"""What is wanted, done beside or twice, is caught; the same state written otherwise passes, or is a false fail."""

import pathlib

import pytest
from tests.authoring.test_audit import audited, episode, good, task
from tests.language.worlds import case_of, task_of

from exactchange.authoring.audit import Audit, audit, mutants
from exactchange.authoring.audit.report import audit_json, render_audit
from exactchange.case import Case
from exactchange.task import Task

__all__ = ["episode"]  # a fixture

DATABASE = """CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, n INT);
INSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 5);"""
FILES = {
    "db.db": DATABASE,
    "cfg.yaml": "# ports\na: {port: 1, host: x}\nb: {port: 2, host: y}\nc: {s: 3, t: 4}\n",
}
DONE = {
    "db.db": "UPDATE t SET n = 15 WHERE id = 1; INSERT INTO t(v, n) VALUES ('d', 1)",
    "cfg.yaml": "a: {port: 8, host: x}\nb: {port: 2, host: y}\nc: {s: 3, t: 4}\n",
}
NOTES = {"note.txt": "hello\n", "other.json": '{"a": 1}'}
RULES = """\
must:
  - {name: n, change: {in: db, at: "t[id=1].n", to: 15}}
  - {name: d, change: {in: db, at: "t[*]", op: added, row: {id: {generated: next}, v: d, n: 1}}}
  - {name: port, change: {in: cfg, at: a.port, to: 8}}
"""


def world(folder: pathlib.Path, rules: str = RULES) -> tuple[Task, Case]:
    by = task_of(folder, rules, FILES, tree="files")
    return by, case_of(folder, by, [{**FILES, **NOTES}, DONE, {}])


def test_the_wished_change_beside_instead_and_twice_is_tried_and_caught(tmp_path: pathlib.Path) -> None:
    by, case = world(tmp_path)
    made = {(mutant.rule, mutant.what) for mutant in mutants(by, case) if mutant.sort == "near"}
    for rule in ("n", "port"):
        assert (rule, "the same in another row or section as well") in made
        assert (rule, "the same in another row or section instead") in made
        assert (rule, "done twice") in made
    assert ("d", "done twice") in made
    found = audit(by, case)
    assert found.counts["near"].passed == 0 and found.sound


SAME = "the same in another row or section"
WIDE = [
    ('  - {name: n, change: {in: db, at: "t[*].n", to: 15, count: {ge: 1}}}\n', f"{SAME} as well"),
    ('  - {name: n, change: {in: db, at: "t[*].n", op: modified, to: 15}}\n', f"{SAME} instead"),
    ('  - {name: n, change: {in: db, at: "t[id=1].n", to: {gt: 10}}}\n', "done twice"),
]


@pytest.mark.parametrize(("rule", "what"), WIDE)
def test_a_rule_that_takes_a_neighbour_or_twice_as_much_is_a_hole(rule: str, what: str, tmp_path: pathlib.Path) -> None:
    by, case = world(tmp_path, f"must:\n{rule}{RULES.partition('to: 15}}' + chr(10))[2]}")
    found = audit(by, case)
    assert what in {slip.what for slip in found.slips}
    assert not found.sound


COUNTED = """\
must:
  - {name: one of them, value: {in: db, query: "SELECT count(*) FROM t WHERE n = 15", is: 1}}
  - {name: d, change: {in: db, at: "t[*]", op: added, row: {id: {generated: next}, v: d, n: 1}}}
  - {name: port, change: {in: cfg, at: a.port, to: 8}}
allow:
  - {in: db, at: "t[*].n", to: 15, max: 1}
"""
GONE = """\
must:
  - {name: two are left, change: {in: db, at: "t[*]", op: removed}}
  - {name: port, change: {in: cfg, at: a.port, to: 8}}
"""
LESS = """\
must:
  - {name: two are left, value: {in: db, query: "SELECT count(*) FROM t", is: 2}}
  - {name: port, change: {in: cfg, at: a.port, to: 8}}
allow:
  - {in: db, at: "t[*]", op: removed, max: 1}
"""


@pytest.mark.parametrize(
    ("rules", "done", "what"),
    [
        (COUNTED, DONE["db.db"], f"{SAME} instead"),
        (GONE, "DELETE FROM t WHERE id = 1", "another one removed instead"),
        (LESS, "DELETE FROM t WHERE id = 1", "another one removed instead"),
    ],
)
def test_what_is_counted_but_not_named_is_tried_on_another_one(
    rules: str, done: str, what: str, tmp_path: pathlib.Path
) -> None:
    by = task_of(tmp_path, rules, FILES)
    found = audit(by, case_of(tmp_path, by, [FILES, {**DONE, "db.db": done}, {}]))
    assert what in {slip.what for slip in found.slips}
    assert not found.sound


SITES = {
    "cfg": {"a key in other case", "two values swapped", "a file emptied", "a file removed"},
    "files": {"a file renamed", "a file emptied", "a file added", "a file removed"},
    "db": {"two values swapped", "a row duplicated", "an index added"},
}


@pytest.mark.parametrize("source", SITES)
def test_every_sort_of_alteration_that_a_source_knows_is_made_and_caught(source: str, tmp_path: pathlib.Path) -> None:
    by, case = world(tmp_path)
    made = {mutant.what for mutant in mutants(by, case) if mutant.sort == "elsewhere" and mutant.source == source}
    assert made >= SITES[source]
    assert audit(by, case).counts["elsewhere"].passed == 0


# --- runs that are as good


def names(found: Audit) -> list[str]:
    return [run.name for run in found.alike]


def test_the_same_state_written_otherwise_passes(tmp_path: pathlib.Path) -> None:
    by, case = world(tmp_path)
    found = audit(by, case)
    expected = {
        *(
            "db: the order of rows",
            "cfg: the order of keys",
            "cfg: a comment and a line end more",
            "cfg: its line ends",
        ),
        *("cfg: a byte order mark", "files: the order of keys", "one look more"),
    }
    assert expected <= set(names(found))
    assert all(run.passed for run in found.alike) and found.sound
    assert f"as good, otherwise done   {len(found.alike)}/{len(found.alike)} passed" in render_audit(found)


def test_a_rule_that_a_look_breaks_is_a_false_fail(episode: pathlib.Path) -> None:
    narrow = task(veto=[{"name": "no look", "action": {"kind": "observe"}}])
    found = audited(episode, narrow)
    assert not found.sound and all(slip.explained for slip in found.slips)
    (failed,) = [run for run in found.alike if not run.passed]
    assert (failed.name, failed.outcome) == ("one look more", "vetoed") and "veto 'no look'" in failed.broken
    assert "false fail: one look more" in render_audit(found)
    document = audit_json([found])["tasks"]
    assert isinstance(document, list) and isinstance(document[0], dict) and document[0]["sound"] is False


def test_what_a_source_takes_for_another_state_is_not_called_the_same(tmp_path: pathlib.Path) -> None:
    """A file that is compared by its text has its comments and line ends as state."""
    rules = 'must:\n  - {name: n, change: {in: db, at: "t[id=1].n", to: 15}}\n'
    by = task_of(tmp_path, rules, FILES, also={"cfg": "compare: text"})
    case = case_of(tmp_path, by, [FILES, {"db.db": "UPDATE t SET n = 15 WHERE id = 1"}])
    told = names(audit(by, case))
    assert "db: the order of rows" in told and not any(name.startswith("cfg: a comment") for name in told)


def test_no_snapshot_of_the_good_run_is_closed_by_trying(episode: pathlib.Path) -> None:
    with good(episode, task()) as case:
        assert audit(task(), case) == audit(task(), case)
