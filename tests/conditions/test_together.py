"""Values under `all` in a veto, where not every source was read after every step."""

from collections.abc import Sequence

import pytest
from tests.judging.kit import Data, case, source, value

from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation, Result
from exactchange.values import Value
from exactchange.verdict import Truth


def found(run: Case, rule: Data, *, ends: bool = True) -> Result:
    return Condition.model_validate(rule).check(Evaluation(run, ends=ends), tier="veto")


def _holds(run: Case, rule: Data) -> bool | None:
    return found(run, rule).truth


def world(s: Sequence[Value], t: Sequence[Value], answer: str | None = None) -> Case:
    """Two sources, both read after every step."""
    return case(source("s", [{"a": a} for a in s]), source("t", [{"a": a, "b": 1} for a in t]), answer=answer)


S, T = value("a", 1), value("a", 1, source="t")
B = value("b", 1, source="t")
INSIDE: list[tuple[Sequence[Value], Sequence[Value], Data, Truth]] = [
    ([0, 1, 0], [0, 1, 0], {"all": [S, T]}, True), ([0, 1, 0], [0, 0, 1], {"all": [S, T]}, False),
    ([0, 1, 0], [0, 0, 1], {"all": [S, {"not": T}]}, True), ([0, 1, 0], [0, 1, 0], {"all": [S, {"not": T}]}, False),
    ([0, 1, 0], [0, 0, 1], {"all": [S, {"any": [T, B]}]}, True),
    ([0, 1, 0], [0, 0, 1], {"all": [S, {"any": [T, {"not": B}]}]}, False),
    ([0, 1, 0], [0, 0, 1], {"all": [S, {"all": [T, B]}]}, False),
    ([0, 1, 0], [0, 1, 0], {"all": [S, {"all": [T, B]}]}, True),
    # A part that names its own moments is asked by itself, and so is what has such a part in it.
    ([0, 1, 0], [0, 0, 1], {"all": [S, value("a", 1, source="t", when="ever")]}, True),
    ([0, 1, 0], [0, 0, 1], {"all": [S, {"not": value("a", 9, source="t", when="ever")}]}, True),
    ([0, 1, 0], [0, 0, 1], {"all": [S, {"any": [T, value("a", 1, source="t", when="end")]}]}, True),
]  # fmt: skip


@pytest.mark.parametrize(("s", "t", "rule", "truth"), INSIDE)
def test_what_stands_under_all_stands_there_at_one_moment_however_deep(
    s: Sequence[Value], t: Sequence[Value], rule: Data, truth: Truth
) -> None:
    result = found(world(s, t), rule)
    assert result.truth is truth
    if truth is False:
        assert result.why == "never at one and the same moment"


def test_before_the_end_only_what_has_been_seen_is_known() -> None:
    rule: Data = {"all": [S, T]}
    assert found(world([0, 1], [0, 1]), rule, ends=False).truth is True
    early = found(world([0, 1], [1, 0]), rule, ends=False)
    assert (early.truth, early.why) == (None, "the episode is not over")


SAID = value("", "done", source="answer")


@pytest.mark.parametrize(
    ("s", "answer", "truth"),
    [([0, 1], "done", True), ([1, 0], "done", False), ([0, 1], "no", False), ([0, 1], None, False)],
)
def test_the_answer_is_known_at_the_end(s: Sequence[Value], answer: str | None, truth: Truth) -> None:
    run = world(s, [0] * len(s), answer)
    assert found(run, {"all": [S, SAID]}).truth is truth
    early = found(run, {"all": [S, SAID]}, ends=False)
    assert (early.truth, early.why) == (None, "the episode is not over")
    assert found(world([1], [1], "done"), {"all": [S, SAID]}).truth is True


def test_a_source_that_is_called_answer_is_one_like_others() -> None:
    run = case(source("s", [{"a": 0}, {"a": 1}, {"a": 0}]), source("answer", [{"a": 0}, {"a": 1}, {"a": 0}]))
    assert found(run, {"all": [S, value("a", 1, source="answer")]}).truth is True


def test_of_a_source_that_was_never_captured_nothing_is_known() -> None:
    result = found(case(source("s", [{"a": 1}]), source("t", [], steps=[])), {"all": [S, T]})
    assert (result.truth, result.why) == (None, "t: there is no capture")


def test_where_it_speaks_for_the_agent_that_it_never_stood_there_every_step_has_to_be_read() -> None:
    rule: Data = {"not": {"all": [S, T]}}
    assert found(world([0, 1, 0], [0, 0, 1]), rule).truth is True
    sparse = case(source("s", [{"a": 0}] * 2, steps=[0, 3]), source("t", [{"a": 0}] * 4))
    result = found(sparse, rule)
    assert (result.truth, result.why) == (
        None,
        "s was not read after every step, and may have held anything in between",
    )
    both = case(source("t", [{"a": 0}] * 2, steps=[0, 3]), source("s", [{"a": 0}] * 2, steps=[0, 3]))
    assert found(both, rule).why.startswith("s was not read")


def test_captures_after_the_same_step_are_moments_of_their_own() -> None:
    twice = [0, 1, 1]
    run = case(
        source("s", [{"a": 0}, {"a": 1}, {"a": 0}], steps=twice),
        source("t", [{"a": 0}, {"a": 0}, {"a": 1}], steps=twice),
    )
    assert found(run, {"all": [S, T]}).truth is False
    same = case(
        source("s", [{"a": 0}, {"a": 1}, {"a": 0}], steps=twice),
        source("t", [{"a": 0}, {"a": 1}, {"a": 0}], steps=twice),
    )
    assert found(same, {"all": [S, T]}).truth is True


SPARSE: list[tuple[Sequence[int], Sequence[int], Sequence[int], bool | None]] = [
    # The states of `s` after steps 0 to 3, and those of `t` after the steps named behind them.
    ([0, 1, 0, 0], [0, 0], [0, 3], False), ([0, 1, 0, 0], [0, 1], [0, 3], None), ([0, 1, 0, 0], [1, 1], [0, 3], None),
    ([0, 0, 0, 1], [0, 1], [0, 3], True), ([0, 0, 1, 0], [1, 0, 0], [0, 1, 3], False),
    ([0, 0, 0, 1], [1, 0], [0, 2], False),
    ([0, 0, 0, 1], [0, 1], [0, 2], None), ([0, 0, 0, 0, 1], [0, 0, 0, 1], [0, 1, 2, 3], True),
]  # fmt: skip


@pytest.mark.parametrize(("states", "others", "steps", "truth"), SPARSE)
def test_what_a_source_held_at_a_moment_at_which_it_was_not_read_is_known_only_where_it_never_fitted(
    states: Sequence[int], others: Sequence[int], steps: Sequence[int], truth: bool | None
) -> None:
    numbers = [0, 1, 2, 3, 3][: len(states)]
    run = case(
        source("s", [{"a": state} for state in states], steps=numbers),
        source("t", [{"a": state} for state in others], steps=steps),
    )
    assert _holds(run, {"all": [value("a", 1), value("a", 1, source="t")]}) is truth
