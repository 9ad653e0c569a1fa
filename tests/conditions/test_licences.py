"""`unless_after`: a licence comes strictly before what it licenses, whatever is known of when, and is used once."""

from tests.judging.kit import Data, act, case, change, source

from exactchange.case import Case, Evidence
from exactchange.conditions import Condition, Evaluation
from exactchange.values import Value
from exactchange.verdict import Truth

ACTIONS = [act("click", number) for number in range(1, 5)]


def vetoed(rule: Data, *sources: Evidence) -> Truth:
    run: Case = case(*sources, actions=ACTIONS)
    return Condition.model_validate(rule).check(Evaluation(run), tier="veto").truth


def paid_at(*steps: int) -> Evidence:
    """Payments in source `s`, each first shown by the capture after its step; every step was read."""
    states: list[Value] = [{"p": {f"k{paid}": 1 for paid in steps if paid <= step}} for step in range(5)]
    return source("s", states)


def changed(name: str, *, steps: list[int]) -> Evidence:
    """`go` of a source changed before its last capture."""
    states: list[Value] = [*[{"go": 1}] * (len(steps) - 1), {"go": 2}]
    return source(name, states, steps=steps)


def pay(unless: Data) -> Data:
    return change("p.*", op="added", unless_after=unless)


def test_what_may_have_come_after_the_hit_licenses_nothing() -> None:
    yes = change("go", source="t")
    assert vetoed(pay(yes), paid_at(2), changed("t", steps=[0, 1])) is False
    assert vetoed(pay(yes), paid_at(2), changed("t", steps=[0, 3])) is True
    assert vetoed(pay(yes), paid_at(4), changed("t", steps=[0, 3])) is False
    assert vetoed(pay(yes), paid_at(3), changed("t", steps=[0, 3])) is True


def test_the_licence_that_was_certainly_given_first_is_used_first() -> None:
    either: Data = {"any": [change("go", source="t"), change("go", source="u")]}
    early, late = changed("u", steps=[0, 1, 2]), changed("t", steps=[0, 3])
    assert vetoed(pay(either), paid_at(3), late, early) is False
    assert vetoed(pay(either), paid_at(3, 4), late, early) is False
    assert vetoed(pay(either), paid_at(2, 3), late, early) is True


def test_a_hit_that_nobody_can_tell_uses_no_licence_and_stays_unknown() -> None:
    """Of a secret nobody can tell whether it is the payment that the rule speaks of."""
    states: list[Value] = [
        {"p": {f"k{n}": {"@secret": "x"} if n == 2 else 5 for n in (2, 3) if n <= step}} for step in range(5)
    ]
    rule = change("p.*", op="added", to=5, unless_after=change("go", source="t"))
    assert vetoed(rule, source("s", states), changed("t", steps=[0, 1])) is None
    assert vetoed(rule, source("s", states), changed("t", steps=[0, 4])) is True


def test_what_is_left_after_the_licences_is_counted() -> None:
    yes = change("go", source="t")
    assert (
        vetoed(change("p.*", op="added", unless_after=yes, count=1), paid_at(1, 3), changed("t", steps=[0, 1])) is True
    )
    assert (
        vetoed(change("p.*", op="added", unless_after=yes, count=1), paid_at(2, 3), changed("t", steps=[0, 1])) is True
    )
    assert (
        vetoed(change("p.*", op="added", unless_after=yes, count=2), paid_at(2, 3), changed("t", steps=[0, 1])) is False
    )
