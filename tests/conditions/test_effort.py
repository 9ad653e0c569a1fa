"""`effort`: what its finding says of steps, corrections and redundant steps, against each bound."""

import pytest
from tests.judging.kit import Data, act, case, source

from exactchange.actions import Action
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation, Result
from exactchange.values import Value
from exactchange.verdict import Truth


def found(run: Case, bounds: dict[str, int], *, ends: bool = True) -> Result:
    rule: Data = {"effort": bounds}
    return Condition.model_validate(rule).check(Evaluation(run, ends=ends), tier="bonus")


def typed(*texts: str) -> Case:
    """A run that types one text after the other into the same field, and then presses a button."""
    fills = [act("fill", n, target={"css": "#name"}, text=text) for n, text in enumerate(texts, 1)]
    clicks = [act("click", len(texts) + 1, target={"css": "#ok"})]
    states: list[Value] = [{"name": text} for text in ("", *texts)]
    return case(source("s", [*states, {"name": texts[-1], "sent": 1}]), actions=[*fills, *clicks])


BOUNDS: list[tuple[dict[str, int], Truth, str]] = [
    ({"steps": 3}, True, "3 steps (at most 3)"), ({"steps": 2}, False, "3 steps (at most 2)"),
    ({"steps": 9}, True, "3 steps (at most 9)"), ({"corrections": 1}, True, "1 corrections (at most 1)"),
    ({"corrections": 0}, False, "1 corrections (at most 0)"), ({"corrections": 9}, True, "1 corrections (at most 9)"),
    ({"redundant": 0}, True, "0 redundant steps (at most 0)"),
    ({"steps": 9, "corrections": 0, "redundant": 9}, False,
     "3 steps (at most 9), 1 corrections (at most 0), 0 redundant steps (at most 9)"),
]  # fmt: skip


@pytest.mark.parametrize(("bounds", "truth", "why"), BOUNDS)
def test_each_bound_is_counted_and_said(bounds: dict[str, int], truth: Truth, why: str) -> None:
    result = found(typed("Ava", "Ada"), bounds)
    assert (result.truth, result.why) == (truth, why)


def clicked(number: int, *, steps: list[int] | None = None) -> Case:
    """A run of clicks on other buttons that change nothing."""
    actions: list[Action] = [act("click", n, target={"css": f"#b{n}"}) for n in range(1, number + 1)]
    places = list(range(number + 1)) if steps is None else steps
    states: list[Value] = [{} for _ in places]
    return case(source("s", states, steps=places), actions=actions)


def test_redundant_steps_are_named_by_their_actions_as_far_as_a_few() -> None:
    said = found(clicked(10), {"redundant": 99}).why
    assert said == "0 to 10 redundant steps at action 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 (at most 99)"
    said = found(clicked(11), {"redundant": 99}).why
    assert said == "0 to 11 redundant steps at action 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (at most 99)"


def test_what_may_be_redundant_leaves_a_bound_open_only_where_it_matters() -> None:
    assert [found(clicked(3), {"redundant": most}).truth for most in (0, 2, 3)] == [None, None, True]


def test_where_not_every_step_was_looked_at_redundant_steps_are_unknown() -> None:
    result = found(clicked(2, steps=[0, 2]), {"redundant": 9})
    assert (result.truth, result.why) == (None, "unknown redundant steps (at most 9)")
    assert found(clicked(2, steps=[0, 2]), {"redundant": 9, "steps": 1}).truth is False


def test_before_the_end_only_a_broken_bound_is_told() -> None:
    run = typed("Ava", "Ada")
    assert [found(run, {"steps": most}, ends=False).truth for most in (2, 3, 9)] == [False, None, None]
    assert [found(run, {"corrections": most}, ends=False).truth for most in (0, 1)] == [False, None]


def test_what_happened_outside_every_step_is_told_first() -> None:
    silent = case(source("s", [{}, {"a": 1}]), actions=[])
    result = found(silent, {"steps": 5})
    assert (result.truth, result.why) == (None, "something happened outside any announced step: s: a added")
