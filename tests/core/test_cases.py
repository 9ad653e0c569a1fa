"""A case: what it holds, what it lacks, and what could not be compared."""

import json
import pathlib

import pytest
from tests.judging.kit import Plain, act, case, change, judged, source

from exactchange.diff import Change, Diff
from exactchange.errors import OverBudget, UsageError
from exactchange.limits import Budget
from exactchange.snapshot import TreeSnapshot, Unread
from exactchange.sources import Narrowed, SourceParams
from exactchange.values import Value
from exactchange.verdict import write_verdict
from exactchange.verdict.document import unread_json


class Endless(Plain):
    def narrow(self, before: TreeSnapshot, after: TreeSnapshot, *, params: SourceParams, budget: Budget) -> Narrowed:
        raise OverBudget("more than 5 nodes")


def deep(levels: int, leaf: Value) -> Value:
    for _ in range(levels):
        leaf = {"k": leaf}
    return leaf


def test_the_last_capture_up_to_a_step_counts() -> None:
    evidence = source("s", [1, 2, 3], steps=[1, 2, 2])
    assert evidence.at(1).mark.step == 1
    assert evidence.at(9) is evidence.captures[2]
    with pytest.raises(UsageError, match="no capture at step 0"):
        evidence.at(0)


def test_a_source_that_is_not_there_is_said_with_those_that_are() -> None:
    run = case(source("s", [1, 2]))
    with pytest.raises(UsageError, match="no source is called 'x'; there are s"):
        run.evidence("x")
    with pytest.raises(UsageError, match="there are none"):
        case().evidence("x")
    assert run.last_step == 1
    assert case(source("s", [1]), actions=[]).last_step == 0


def test_a_comparison_that_is_too_large_is_unread_and_no_crash() -> None:

    run = case(source("s", [{"a": 1}, {"a": 2}], kind=Endless()))
    assert run.diff("s", 0, 1).unread[0].reason == "too much to compare: more than 5 nodes"
    assert (judged(run, change("a")).outcome, judged(run, change("a")).cause) == ("undecided", "content")


def test_a_diff_is_complete_when_nothing_is_unread() -> None:
    assert Diff((Change("s", "added", "a", ("a",), 1, 2),)).complete
    assert not Diff((), (Unread((), "", "why"),)).complete


def test_what_is_unread_is_written_with_its_cause() -> None:
    item = Unread(("a",), "a", "why", "infrastructure")
    assert unread_json(item) == {"address": "a", "reason": "why", "cause": "infrastructure"}


def test_the_case_of_an_agent_that_did_nothing_ends_as_it_began() -> None:
    start = case(source("s", [1, 2]), actions=[act("click", 1)], answer="yes").at_start()
    assert (start.diff("s", 0, 1), start.actions, start.answer) == (Diff(), (), None)


def test_a_verdict_is_written_whole_or_not_at_all(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = judged(case(source("s", [{"a": 1}, {"a": 2, "b": "\ud800\u202e"}])), change("a"))
    file = tmp_path / "verdict.json"
    write_verdict(verdict, file)
    first = file.read_bytes()
    assert json.loads(first)["outcome"] == "unmet"
    assert first.isascii()

    def broken(self: pathlib.Path, target: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(pathlib.Path, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_verdict(judged(case(source("s", [{"a": 1}, {"a": 2}])), change("a")), file)
    assert [item.name for item in tmp_path.iterdir()] == ["verdict.json"]
    assert file.read_bytes() == first


def test_a_value_that_is_nested_very_deep_is_compared_in_a_case_and_undecided_where_it_is_searched() -> None:
    run = case(source("s", [{"a": deep(90, 1)}, {"a": deep(90, 2)}]))
    assert judged(run, change("**", to=2)).outcome == "passed"
