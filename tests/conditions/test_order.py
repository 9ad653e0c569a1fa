"""`order` and the moments that it compares: action n is at 2n, what its capture shows at 2n + 1."""

import pytest

from exactchange.conditions.moments import Moment, Moments, of_action, of_capture
from exactchange.conditions.order import check_order
from exactchange.verdict import Truth

MOMENTS: list[tuple[Moment, tuple[int, int], tuple[int, int]]] = [
    (of_action(3), (6, 6), (3, 3)), (of_capture(2, 3), (7, 7), (3, 3)), (of_capture(0, 3), (3, 7), (1, 3)),
    (of_capture(3, 3), (7, 7), (3, 3)), (of_capture(-1, 0), (1, 1), (0, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("moment", "ends", "steps"), MOMENTS)
def test_a_moment_lies_between_two_instants_and_in_the_steps_of_both(
    moment: Moment, ends: tuple[int, int], steps: tuple[int, int]
) -> None:
    assert (tuple(moment), moment.steps) == (ends, steps)


def met(*moments: Moment) -> Moments:
    return Moments(moments)


START = of_capture(-1, 0)
A1, A2, A3 = of_action(1), of_action(2), of_action(3)
C1, C2, C3 = of_capture(0, 1), of_capture(1, 2), of_capture(2, 3)
FAR = of_capture(0, 3)  # after action 1, 2 or 3
NEVER = Moments()
UNSURE = Moments(unsure=True, why="s: x is unread")
ORDERS: list[tuple[list[Moments], Truth, str]] = [
    ([met(A1), met(A2)], True, "in order, the last at step 2"),
    ([met(A2), met(A1)], False, "part 2 did not happen after the one before"),
    ([met(A1), met(A1)], False, "part 2 did not happen after the one before"),
    ([met(A1), met(C1)], True, "in order, the last at step 1"),
    ([met(C1), met(A1)], False, "part 2 did not happen after the one before"),
    ([met(C1), met(A2)], True, "in order, the last at step 2"),
    ([met(C1), met(C1)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(C1), met(C1), met(C1)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(C1), met(C2), met(C2)], None, "part 3 cannot be told apart in time from the one before"),
    ([met(C1), met(C2), met(C3)], True, "in order, the last at step 3"),
    ([met(C1, C3), met(C2)], True, "in order, the last at step 2"),
    ([met(C3, C1), met(C2)], True, "in order, the last at step 2"),
    ([met(C2, C3), met(C1)], False, "part 2 did not happen after the one before"),
    ([NEVER, met(A1)], False, "part 1 did not happen"),
    ([met(A1), NEVER], False, "part 2 did not happen"),
    ([met(A2), NEVER, met(A1)], False, "part 2 did not happen"),
    ([UNSURE, met(A1)], None, "s: x is unread"),
    ([met(A1), UNSURE], None, "s: x is unread"),
    ([met(A2), UNSURE, met(A1)], False, "part 3 did not happen after the one before"),
    ([met(A1), UNSURE, met(A2)], None, "s: x is unread"),
    ([Moments((A1,), unsure=True), met(A2)], True, "in order, the last at step 2"),
    ([Moments((A2,), unsure=True), met(A1)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(FAR), met(A2)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(A2), met(FAR)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(FAR), met(A1)], False, "part 2 did not happen after the one before"),
    ([met(A3), met(FAR)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(FAR), met(FAR)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(FAR), met(C1)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(FAR), met(C1), met(C1)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(C2), met(FAR), met(A3)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(C3), met(FAR), met(A3)], False, "part 3 did not happen after the one before"),
    ([Moments(maybe=(A1,)), met(A2)], None, "part 1 cannot be told apart in time from the one before"),
    ([Moments(maybe=(A2,)), met(A1)], False, "part 2 did not happen after the one before"),
    ([met(A2), Moments(maybe=(A1,))], False, "part 2 did not happen"),
    ([met(A2), Moments((A1,), maybe=(A3,))], None, "part 2 cannot be told apart in time from the one before"),
    ([met(A1), Moments(maybe=(A2, A3)), met(A3)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(START), met(A1)], True, "in order, the last at step 1"),
    ([met(START), met(START)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(C1, C3), met(C1)], None, "part 2 cannot be told apart in time from the one before"),
    ([met(A3), met(FAR), met(A3)], False, "part 3 did not happen after the one before"),
    ([met(A1), met(FAR), met(A2)], None, "part 3 cannot be told apart in time from the one before"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "truth", "why"), ORDERS)
def test_each_part_has_a_moment_after_the_one_before(parts: list[Moments], truth: Truth, why: str) -> None:
    found = check_order(parts)
    assert (found.truth, found.why) == (truth, why)


def test_an_order_that_may_be_none_is_told_by_every_instant_that_is_possible() -> None:
    """Against all ways to choose an instant for each part: what one capture shows may have come in any order."""
    moments = [A1, A2, A3, C1, C2, C3, FAR, of_capture(0, 2), of_capture(1, 3)]

    def instants(moment: Moment) -> list[float]:
        # Within one capture's instant there are several moments that nobody saw.
        return [n + part / 4 for n in range(moment.first, moment.last + 1) for part in range(4 if n % 2 else 1)]

    for first in moments:
        for second in moments:
            pairs = [(one, two) for one in instants(first) for two in instants(second)]
            possible = any(one < two for one, two in pairs)
            certain = all(one < two for one, two in pairs)
            expected = True if certain else None if possible else False
            assert check_order([met(first), met(second)]).truth is expected, (first, second)
