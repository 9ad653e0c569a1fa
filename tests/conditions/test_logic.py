"""`all`, `any` and `not`: truth by Kleene's tables, and the sentences and evidence of what decided."""

from itertools import product

import pytest

from exactchange.conditions import Result
from exactchange.conditions.logic import all_of, any_of, negation
from exactchange.diff import Change
from exactchange.verdict import NearMiss, Truth

TRUTHS: tuple[Truth, ...] = (True, False, None)
NEAR = NearMiss(Change("s", "added", "a", ("a",), None, 1, {}), "to 2", "1 (int)")


def result(truth: Truth, number: int = 0) -> Result:
    return Result(truth, f"why {number}", ({"kind": "value", "n": number},), (NEAR,))


@pytest.mark.parametrize("truths", [pair for size in (1, 2, 3) for pair in product(TRUTHS, repeat=size)])
def test_all_is_the_least_and_any_the_greatest_truth(truths: tuple[Truth, ...]) -> None:
    rank: dict[Truth, int] = {False: 0, None: 1, True: 2}
    found = [result(truth, number) for number, truth in enumerate(truths)]
    assert all_of(found).truth is min(truths, key=lambda truth: rank[truth])
    assert any_of(found).truth is max(truths, key=lambda truth: rank[truth])


def test_the_first_part_that_decides_is_told_with_its_evidence() -> None:
    assert all_of([result(True, 1), result(None, 2), result(False, 3), result(False, 4)]) == result(False, 3)
    assert all_of([result(True, 1), result(None, 2), result(None, 3)]) == result(None, 2)
    assert any_of([result(False, 1), result(None, 2), result(True, 3), result(True, 4)]) == result(True, 3)
    assert any_of([result(False, 1), result(None, 2), result(None, 3)]) == result(None, 2)


def test_where_all_parts_decide_together_all_are_told_and_the_same_sentence_once() -> None:
    whole = all_of([result(True, 1), result(True, 2), result(True, 1), Result(True, "")])
    numbers = [item["n"] for item in whole.evidence]
    assert (whole.truth, whole.why, numbers, whole.near) == (True, "why 1; why 2", [1, 2, 1], (NEAR,) * 3)
    whole = any_of([result(False, 1), result(False, 2)])
    numbers = [item["n"] for item in whole.evidence]
    assert (whole.truth, whole.why, numbers, whole.near) == (False, "why 1; why 2", [1, 2], (NEAR,) * 2)


@pytest.mark.parametrize(("inner", "outer"), [(True, False), (False, True), (None, None)])
def test_a_negation_turns_the_truth_and_keeps_what_was_found(inner: Truth, outer: Truth) -> None:
    assert negation(result(inner, 1)) == Result(outer, "why 1", ({"kind": "value", "n": 1},))
