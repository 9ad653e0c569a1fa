"""What a rule takes beside the value of the good run is found, however far from that it lies."""

import pathlib

import pytest
from tests.authoring.test_audit import MUST, Data, audited, episode, task
from tests.language.worlds import case_of, task_of

from exactchange.authoring.audit import Audit, audit
from exactchange.authoring.audit.samples import samples
from exactchange.conditions import parse_matcher
from exactchange.conditions.matchers import MatchContext
from exactchange.values import Value, same

__all__ = ["episode"]  # a fixture


WIDER: list[Value] = [
    {"one_of": [2, 200]}, {"one_of": [{"gt": 500}, 2]}, {"one_of": [2, {"type": "null"}]},
]  # fmt: skip


@pytest.mark.parametrize("wide", WIDER)
def test_what_a_matcher_takes_beside_the_value_is_a_hole_however_far_it_lies(
    wide: Value, episode: pathlib.Path
) -> None:
    """It is made from the matcher itself: of what is near the value only, 200 would never be tried."""
    must: Data = {"name": "a is set", "change": {"in": "doc", "at": "a", "from": 1, "to": wide}}
    found = audited(episode, task(must=[must]))
    assert not found.sound
    told = [slip for slip in found.slips if slip.what == "another value that fits"]
    assert told and all(slip.lets[0].lets == "must" for slip in told)
    explained = task(must=[must], holes=[{"rule": "a is set", "why": "either will do"}])
    assert audited(episode, explained).sound


def test_what_an_answer_may_say_instead_is_a_hole(episode: pathlib.Path) -> None:
    said: Data = {"name": "tells a", "value": {"in": "answer", "at": "", "is": {"one_of": ["a is 2", "two"]}}}
    found = audited(episode, task(must=[MUST, said]))
    assert [slip.what for slip in found.slips] == ["another value that fits in the answer"]


SAMPLED: list[tuple[Value, Value]] = [
    ({"url": {"path": "/a"}}, "http://b.test/a"), ({"url": {"path": "/a", "rest": "any"}}, "http://127.0.0.1/a"),
    ({"matches": "x|yy"}, "x"), ({"matches": "(on|off)"}, "on"), ({"number": 5, "within": 2}, 5),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "value"), SAMPLED)
def test_a_matcher_of_several_values_gives_one_that_is_not_this_one(raw: Value, value: Value) -> None:
    found = samples(parse_matcher(raw), MatchContext())
    assert any(not same(item, value) for item in found)


DATABASE = (
    "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, note TEXT); INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y');"
)
IGNORED = 'ignore:\n  - {in: db, at: "t[*].note", why: notes are noise}\n'


def audited_rows(folder: pathlib.Path, rules: str, script: str) -> Audit:
    """A task on a database whose good run is a script."""
    by = task_of(folder, rules, {"db.db": DATABASE})
    return audit(by, case_of(folder, by, [{"db.db": DATABASE}, {"db.db": script}]))


def test_what_takes_one_column_does_not_explain_the_rows_that_came(tmp_path: pathlib.Path) -> None:
    """The `why` of an ignored note explained all that an open `allow` beside it let through."""
    rules = (
        'must: [{change: {in: db, at: "t[id=1].v", to: c}}]\nallow:\n  - {in: db, at: "t[*]", op: added, rest: any}\n'
    )
    found = audited_rows(tmp_path, rules + IGNORED, "UPDATE t SET v = 'c' WHERE id = 1")
    assert not found.sound
    bare = {culprit.said for slip in found.slips for culprit in slip.lets if culprit.explained is None}
    assert bare == {"allow t[*]"}


def test_nor_rows_of_which_a_must_takes_more_than_one(tmp_path: pathlib.Path) -> None:
    must = 'must: [{name: more, change: {in: db, at: "t[*]", op: added, count: {ge: 1}, row: {v: {type: str}}}}]\n'
    found = audited_rows(tmp_path, must + IGNORED, "INSERT INTO t VALUES (3, 'c', 'z')")
    twice = [slip for slip in found.slips if any(change.op == "added" for change in slip.changes)]
    assert twice and not any(slip.explained for slip in twice)
