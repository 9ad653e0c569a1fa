"""Values under `all` in a veto, where not every source was read after every step."""

from collections.abc import Sequence

import pytest
from tests.judging.kit import Data, case, source, value

from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation


def _holds(run: Case, rule: Data) -> bool | None:
    return Condition.model_validate(rule).check(Evaluation(run), tier="veto").truth


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
