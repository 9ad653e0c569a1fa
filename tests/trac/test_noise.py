"""Every rule about what Trac writes by itself is needed, and removes nothing else; so is the rule of the cascade."""

import pathlib
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import pytest
from tests.adapters.sqlite.support import edit
from tests.end_to_end.play import changes, finding, rows, shipped_task
from tests.trac.recorded import Recorded

from exactchange.case import Evidence
from exactchange.episode import case_from_directories, read_episode
from exactchange.session import judge_episode, judged
from exactchange.snapshot import Snapshot, TreeSnapshot
from exactchange.task import Task, task_from_data
from exactchange.values import Value
from exactchange.values.jsonform import Json
from exactchange.verdict import verdict_json
from exactchange_adapters.browser.snapshot import PageSnapshot

Line: TypeAlias = tuple[Json, Json, Json]
Data = dict[str, Value]
TASK = "trac-rename-component"
CASCADE = "every ticket of it follows"
FOLLOWERS = [("db", "modified", f"ticket[id={number}].component") for number in (1, 3)]


def _rules(task: Task, section: str) -> list[Data]:
    return [dict(cast("Data", rule)) for rule in cast("list[object]", task.as_data()[section])]


NOISE = [f"{rule['in']}:{rule['at']}" for rule in _rules(shipped_task(TASK), "ignore")]
"""The rules as they stand in the fragment: a new one is tested by itself."""


def otherwise(task: Task, section: str, change: Callable[[list[Data]], list[Data]]) -> Task:
    """The same task with other rules in a section."""
    data = task.as_data()
    data[section] = change(_rules(task, section))
    return task_from_data(data, name=task.id)


def rejudged(run: Recorded, task: Task) -> Mapping[str, Json]:
    """The verdict of a run by another task than that by which it was recorded."""
    return verdict_json(judge_episode(task, run.episode))


def ignored_by(run: Recorded, rule: str) -> set[Line]:
    """The changes that a rule of the fragment removed from a run."""
    where = run.task.where("ignore", NOISE.index(rule))
    found = [item for item in rows(run.verdict, "ignored") if item["where"] == where]
    return {(item["source"], item["op"], item["address"]) for item in found}


def _whole(found: Iterable[Line], wholes: Iterable[Line]) -> AbstractSet[Line]:
    """The changes, those of a cookie's parts taken together: what is unexplained is told by its leaves."""
    tops = list(wholes)
    return {next((top for top in tops if _within(line, top)), line) for line in found}


def _within(line: Line, top: Line) -> bool:
    return line[:2] == top[:2] and (line[2] == top[2] or str(line[2]).startswith(f"{top[2]}."))


def test_right_runs_pass_and_what_they_did_beside_is_ignored(toured: Recorded, signed_out: Recorded) -> None:
    for run in (toured, signed_out):
        assert run.verdict["outcome"] == "passed"
        assert (run.verdict["unexplained"], run.verdict["allowed"], run.verdict["warnings"]) == ([], [], [])


@pytest.mark.parametrize("rule", NOISE)
def test_without_any_one_rule_of_noise_what_it_was_for_is_unexplained(
    rule: str, toured: Recorded, signed_out: Recorded
) -> None:
    number = NOISE.index(rule)
    needed = False
    for run in (toured, signed_out):
        verdict = rejudged(run, otherwise(run.task, "ignore", lambda rules: rules[:number] + rules[number + 1 :]))
        taken = ignored_by(run, rule)
        needed = needed or taken != set()
        assert verdict["outcome"] == ("unmet" if taken else "passed")
        assert _whole(changes(verdict, "unexplained"), taken) == taken
    assert needed


def test_without_any_rule_of_noise_everything_that_was_ignored_is_unexplained(toured: Recorded) -> None:
    verdict = rejudged(toured, otherwise(toured.task, "ignore", lambda _: []))
    assert verdict["outcome"] == "unmet" and verdict["ignored"] == []
    taken = set(changes(toured.verdict, "ignored"))
    assert _whole(changes(verdict, "unexplained"), taken) == taken


def test_without_the_rule_of_the_cascade_the_tickets_are_unexplained(toured: Recorded) -> None:
    task = otherwise(toured.task, "must", lambda rules: [rule for rule in rules if rule["name"] != CASCADE])
    verdict = rejudged(toured, task)
    assert verdict["outcome"] == "unmet"
    assert changes(verdict, "unexplained") == FOLLOWERS


@pytest.mark.parametrize(("count", "left"), [(1, FOLLOWERS[1:]), (2, []), (3, [])])
def test_a_cascade_of_another_number_of_tickets_is_not_what_was_asked_for(
    count: int, left: list[tuple[str, str, str]], toured: Recorded
) -> None:
    def counted(rules: list[Data]) -> list[Data]:
        for rule in rules:
            if rule["name"] == CASCADE:
                rule["change"] = {**cast("Data", rule["change"]), "count": count}
        return rules

    verdict = rejudged(toured, otherwise(toured.task, "must", counted))
    assert verdict["outcome"] == ("passed" if count == len(FOLLOWERS) else "unmet")
    assert changes(verdict, "unexplained") == left
    assert finding(verdict, CASCADE)["holds"] == (count <= len(FOLLOWERS))


@dataclass(frozen=True)
class Stray:
    """What else differs at the end of a run: by SQL, in a file (one line more), or a cookie of this name."""

    name: str
    expected: Sequence[tuple[str, str, str]]
    sql: str = ""
    file: str = ""
    cookie: str = ""
    outcome: str = "unmet"


_ADMIN = "sid=admin,authenticated=1"
STRAYS = [
    Stray(
        "an e-mail address in the preferences",
        [("db", "modified", f"session_attribute[{_ADMIN},name=email].value")],
        sql="UPDATE session_attribute SET value = 'x@example.org' WHERE sid = 'admin' AND name = 'email'",
    ),
    Stray(
        "somebody else's name",
        [("db", "modified", "session_attribute[sid=alice,authenticated=1,name=name].value")],
        sql="UPDATE session_attribute SET value = 'Alicia' WHERE sid = 'alice' AND name = 'name'",
    ),
    Stray(
        "a preference that was not there",
        [("db", "added", f"session_attribute[{_ADMIN},name=tz]")],
        sql="INSERT INTO session_attribute VALUES ('admin', 1, 'tz', 'UTC')",
    ),
    Stray(
        "a preference that is gone",
        [("db", "removed", "session_attribute[sid=bob,authenticated=1,name=email]")],
        sql="DELETE FROM session_attribute WHERE sid = 'bob' AND name = 'email'",
    ),
    Stray(
        "a preference of a visitor's",
        [("db", "added", "session_attribute[sid=abc,authenticated=0,name=email]")],
        sql="INSERT INTO session_attribute VALUES ('abc', 0, 'email', 'x@example.org')",
    ),
    Stray(
        "a session of somebody who never was here",
        [("db", "added", "session[sid=mallory,authenticated=1]")],
        sql="INSERT INTO session VALUES ('mallory', 1, 1796000000)",
    ),
    Stray(
        "a session that is gone",
        [("db", "removed", "session[sid=carol,authenticated=1]")],
        sql="DELETE FROM session WHERE sid = 'carol'",
    ),
    Stray(
        "somebody else's visit",
        [("db", "modified", "session[sid=alice,authenticated=1].last_visit")],
        sql="UPDATE session SET last_visit = 1796000000 WHERE sid = 'alice'",
    ),
    Stray(
        "somebody else who is signed in",
        [("db", "added", 'auth_cookie[cookie=abc,ipnr="127.0.0.1",name=alice]')],
        sql="INSERT INTO auth_cookie VALUES ('abc', 'alice', '127.0.0.1', 1796000000)",
    ),
    Stray(
        "a cache's name",
        [("db", "modified", "cache[id=660951007].key")],
        sql="UPDATE cache SET key = 'x' WHERE id = 660951007",
    ),
    Stray(
        "a permission",
        [("db", "added", "permission[username=alice,action=TICKET_ADMIN]")],
        sql="INSERT INTO permission VALUES ('alice', 'TICKET_ADMIN')",
        outcome="vetoed",
    ),
    Stray("who may sign in", [("files", "added", "htpasswd.@text[4]")], file="htpasswd"),
    Stray("a plugin", [("files", "added", "plugins/mine.py")], file="plugins/mine.py"),
    Stray("a cookie of another name", [("page", "added", "@cookies.tracker")], cookie="tracker"),
]


@pytest.mark.parametrize("stray", STRAYS, ids=lambda stray: stray.name)
def test_what_is_no_noise_is_not_ignored(stray: Stray, toured: Recorded, tmp_path: pathlib.Path) -> None:
    verdict = _ending_otherwise(toured, stray, tmp_path / "after")
    assert verdict["outcome"] == stray.outcome
    assert _whole(changes(verdict, "unexplained"), stray.expected) == set(stray.expected)


def test_the_run_that_ends_as_its_copy_says_passes(toured: Recorded, tmp_path: pathlib.Path) -> None:
    verdict = _ending_otherwise(toured, Stray("nothing", []), tmp_path / "after")
    assert verdict["outcome"] == "passed"


def _ending_otherwise(run: Recorded, stray: Stray, folder: pathlib.Path) -> Mapping[str, Json]:
    """The verdict of a run at whose end a stray change was made in the copy of its work directory, or in the page."""
    shutil.copytree(run.after, folder)
    if stray.sql:
        edit(folder / "db" / "trac.db", stray.sql)
    if stray.file:
        with (folder / stray.file).open("a", encoding="utf-8") as file:
            file.write("dora:\n")
    case, copied = read_episode(run.episode, run.task), case_from_directories(run.task, run.before, folder)
    sources = {
        name: replace(evidence, captures=(*evidence.captures[:-1], _last(evidence, copied.sources[name], stray)))
        for name, evidence in case.sources.items()
    }
    try:
        return verdict_json(judged(run.task, replace(case, sources=sources)))
    finally:
        for snapshot in (s for each in (case, copied) for source in each.sources.values() for s in source.captures):
            snapshot.close()


def _last(evidence: Evidence, copied: Evidence, stray: Stray) -> Snapshot:
    recorded, end = evidence.captures[-1], copied.captures[-1]
    if not isinstance(recorded, PageSnapshot):
        return cast("Snapshot", replace(cast("TreeSnapshot", end), mark=recorded.mark))
    if not stray.cookie:
        return recorded
    tree = dict(cast("Data", recorded.tree))
    cookies = cast("Data", tree["@cookies"])
    return replace(recorded, tree={**tree, "@cookies": {**cookies, stray.cookie: {"value": "1"}}})
