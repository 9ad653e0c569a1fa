"""`max` of an `allow` is spent on what nothing else explains, and what it cannot cover is left."""

import pytest
from tests.judging.kit import Data, allow, case, change, judged, left, source

from exactchange.values import Value

CHANGED: tuple[dict[str, Value], dict[str, Value]] = (dict.fromkeys("abcd", 1), dict.fromkeys("abcd", 2))

SPENT: list[tuple[list[Data], list[Data], list[str]]] = [
    ([change("a")], [allow("*", max=3)], []),
    ([change("a"), change("d")], [allow("*", max=2)], []),
    ([change("a")], [allow("*", max=2)], ["d"]),
    ([change("d")], [allow("*", max=2)], ["c"]),
    ([change("a")], [allow("b"), allow("*", max=2)], []),
    ([change("a")], [allow("*", max=2), allow("d")], []),
    ([change("a")], [allow("*", max=1), allow("c"), allow("d")], []),
    ([change("a")], [allow("*", max=1), allow("b", max=1), allow("c")], []),
    ([change("a")], [allow("b", max=1), allow("*", max=1), allow("d", max=0)], ["d"]),
    ([change("*")], [allow("*", max=3)], []),
    ([change("*")], [allow("a"), allow("b"), allow("c"), allow("d", max=0)], []),
]


@pytest.mark.parametrize(("musts", "allowed", "expected"), SPENT)
def test_a_bound_is_spent_on_what_nothing_else_explains(
    musts: list[Data], allowed: list[Data], expected: list[str]
) -> None:
    verdict = judged(case(source("s", CHANGED)), *musts, allow=allowed)
    assert (left(verdict), verdict.outcome) == (expected, "unmet" if expected else "passed")


def test_a_change_is_allowed_once_and_only_where_nothing_asked_for_it() -> None:
    run = case(source("s", CHANGED))
    verdict = judged(run, change("a"), allow=[allow("b"), allow("*", max=2), allow("*")], ignore=[allow("c")])
    assert [item.change.address for item in verdict.allowed] == ["b", "d"]
    assert [item.change.address for item in verdict.ignored] == ["c"]
