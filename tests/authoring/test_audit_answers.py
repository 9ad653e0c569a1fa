"""Answers: one that denies the right one, hides it among others or says it in another shape is no right answer."""

import pathlib

import pytest
from tests.authoring.test_audit import MUST, Data, audited, episode, good, holes, task

from exactchange.authoring.audit import null_agents
from exactchange.authoring.audit.answers import near_answers
from exactchange.authoring.audit.report import grouped
from exactchange.values import Value

__all__ = ["episode"]  # a fixture

OPTIONS = "all that it may be in the answer"
DENIED = "a denial in the answer"
TAKEN: list[tuple[Value, set[str], set[str]]] = [
    ("a is 2", set(), {OPTIONS, DENIED, "the answer in a list", "the instruction before the answer"}),
    ({"text": "a is 2"}, {"other case in the answer"}, {OPTIONS, DENIED, "the answer in a field"}),
    ({"mentions": "a is 2"}, {OPTIONS, DENIED, "the answer in a list", "much else around the answer"}, {"no answer"}),
    ({"contains": "2"}, {OPTIONS, DENIED, "the instruction before the answer"}, {"no answer"}),
]


@pytest.mark.parametrize(("matcher", "taken", "caught"), TAKEN)
def test_a_matcher_that_takes_a_denial_or_all_options_is_a_hole(
    matcher: Value, taken: set[str], caught: set[str], episode: pathlib.Path
) -> None:
    said: Data = {"name": "tells a", "value": {"in": "answer", "at": "", "is": matcher}}
    found = audited(episode, task(must=[MUST, said]))
    told = {slip.what for culprit, slips in grouped(found.slips) if culprit.lets == "nothing" for slip in slips}
    assert taken <= told and not told & caught
    assert found.sound is not bool(taken)
    if taken:
        explained = task(must=[MUST, said], holes=[{"rule": "tells a", "why": "a person reads it"}])
        assert audited(episode, explained).sound


def test_an_answer_that_is_data_is_varied_field_by_field() -> None:
    told = dict(near_answers('{"n": 7, "who": "Ada"}', iter(()), "Do it."))
    assert told["all that it may be in the answer"] == '{"n":7,"who":"A, B, C, D, Ada, none of them"}'
    assert told["all that it may be, as a text in the answer"] == '{"n":"6, 7, 8","who":"Ada"}'
    assert told["a denial in the answer"] == '{"n":7,"who":"not Ada"}'
    assert told["the answer in a list"] == '[{"n":7,"who":"Ada"}]'


@pytest.mark.parametrize("empty", ["{{}}", "[]", "true"])
def test_a_task_that_an_empty_answer_of_any_type_passes_is_not_sound(empty: str, episode: pathlib.Path) -> None:
    said: Data = {"name": "says so", "value": {"in": "answer", "at": "", "is": {"one_of": [empty, "a is 2"]}}}
    found = audited(episode, task(must=[said], allow=[{"in": "doc", "at": "a", "why": "anything"}]))
    assert len([agent.name for agent in found.agents if agent.passed]) == 1
    assert not found.sound


def test_the_instruction_itself_is_no_answer(episode: pathlib.Path) -> None:
    said: Data = {"name": "tells a", "value": {"in": "answer", "at": "", "is": {"contains": "2"}}}
    by = task(must=[said], allow=[{"in": "doc", "at": "a", "why": "anything"}])
    assert [agent.name for agent in audited(episode, by).agents if agent.passed] == ["repeats the instruction"]
    with good(episode, by) as case:
        assert len(list(null_agents(by, case))) == 11
    assert ("agent", "kit.yaml:must[0]", "") in holes(audited(episode, by))
