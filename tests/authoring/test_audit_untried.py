"""A veto that no run of the good one's world can cross was not tried: it is named, counted, and never called caught."""

import pathlib

import pytest
from tests.authoring.test_audit import Data, audited, episode, good, holes, task

from exactchange.authoring.audit import Audit, mutants
from exactchange.authoring.audit.report import audit_json, render_audit, render_summary

__all__ = ["episode"]  # a fixture

MISSPELT: list[tuple[Data, str]] = [
    ({"in": "doc", "at": "bb"}, "did you mean 'b'?"),
    ({"in": "doc", "at": "featurs.*", "to": {"not": True}}, "nothing ever stood at featurs.*"),
    ({"in": "doc", "at": "new.deep", "op": "added", "to": {"ge": 5}}, "nor what would hold it"),
    ({"in": "files", "at": "nots.txt"}, "did you mean 'note.txt'?"),
    ({"in": "files", "at": "nott.txt.@mode"}, "nothing ever stood"),
    ({"in": "files", "at": "secrets/*", "op": "added"}, "nor what would hold it"),
    ({"in": "files", "at": "secrets/**"}, "nor what would hold it"),
    ({"in": "db", "at": "tt[*]", "op": "removed"}, "has no table 'tt'"),
    ({"in": "db", "at": "t[*].w"}, "has no column 'w'"),
    ({"in": "db", "table": "t", "column": "w", "to": 1}, "has no column 'w'"),
    ({"in": "db", "at": "t[id=99]"}, "nothing ever stood at t[id=99]"),
    ({"in": "db", "at": "t[id=99].v"}, "nothing ever stood at t[id=99].v"),
]


@pytest.mark.parametrize(("change", "said"), MISSPELT, ids=lambda part: str(part))
def test_a_veto_on_what_is_not_there_is_not_crossed_by_bringing_it_into_being(
    change: Data, said: str, episode: pathlib.Path
) -> None:
    by = task(veto=[{"name": "never", "change": change}])
    with good(episode, by) as case:
        assert [mutant.what for mutant in mutants(by, case) if mutant.sort == "forbidden"] == []
    found = audited(episode, by)
    assert not found.sound
    assert [culprit.lets for slip in found.slips for culprit in slip.lets] == ["untried"]
    ((culprit,),) = [slip.lets for slip in found.slips]
    assert "no run could be made that crosses the veto 'never'" in culprit.said and said in culprit.said


@pytest.mark.parametrize(
    "change",
    [
        {"in": "doc", "at": "c", "op": "added"},
        {"in": "doc", "op": "removed"},
        {"in": "files", "at": "**", "op": "added"},
        {"in": "files", "at": "new.txt", "op": "added"},
        {"in": "db", "at": "t[id=99]", "op": "added"},
        {"in": "db", "at": "t[id=9*]"},
        {"in": "db", "at": "*[*].v"},
        {"in": "db", "at": "@schema.index.*"},
        {"in": "db", "table": "t", "where": {"v": "seven"}, "op": "added"},
    ],
    ids=str,
)
def test_what_may_come_into_a_place_that_is_there_is_tried(change: Data, episode: pathlib.Path) -> None:
    assert [slip for slip in audited(episode, task(veto=[{"name": "never", "change": change}])).slips] == []


def test_a_pattern_for_which_no_value_comes_to_mind_is_told(episode: pathlib.Path) -> None:
    hard: Data = {"in": "doc", "at": "b", "to": {"matches": "(?i)[a-z]{3}-[0-9]{4}-[a-z]{3}"}}
    found = audited(episode, task(veto=[{"name": "never", "change": hard}]))
    assert [c.said.partition("no value came to mind that fits ")[2] for slip in found.slips for c in slip.lets] == [
        '{"matches":"(?i)[a-z]{3}-[0-9]{4}-[a-z]{3}"}'
    ]


def test_each_alternative_that_is_not_there_is_told_beside_those_that_are_crossed(episode: pathlib.Path) -> None:
    parts: list[Data] = [{"change": {"in": "doc", "at": "b"}}, {"change": {"in": "doc", "at": "bee"}}]
    found = audited(episode, task(veto=[{"name": "never", "any": parts}]))
    assert found.counts["forbidden"].caught and found.untried == 1
    assert [where for _, where, _ in holes(found)] == ["kit.yaml:veto[0].any[1]"]
    found = audited(episode, task(veto=[{"name": "never", "all": parts}]))
    assert found.untried == 1 and not found.counts["forbidden"].caught


def untried(episode: pathlib.Path, *, why: str | None) -> Audit:
    explained = {} if why is None else {"holes": [{"rule": "never", "why": why}]}
    return audited(episode, task(veto=[{"name": "never", "change": {"in": "doc", "at": "bb"}}], **explained))


def test_the_summary_says_how_many_were_not_tried_also_when_the_task_says_why(episode: pathlib.Path) -> None:
    bare, said = untried(episode, why=None), untried(episode, why="the next version has it")
    assert (bare.sound, said.sound) == (False, True)
    assert (bare.untried, said.untried) == (1, 1)
    assert "1 rule not tried" in render_summary([bare]) and "1 rule not tried" in render_summary([said])
    assert "1 rule could not be tried" in render_audit(bare) and "1 rule could not be tried" in render_audit(said)
    document = audit_json([bare])["tasks"]
    assert isinstance(document, list) and isinstance(document[0], dict) and document[0]["untried"] == 1
    clean = audited(episode, task())
    assert clean.untried == 0
    assert "not tried" not in render_summary([clean]) and "could not be tried" not in render_audit(clean)
