"""A rule on a row, a section or a list means what changes inside of it, unless it says what value stands there."""

import pytest
from tests.judging.kit import TABLES, Data, allow, case, change, finding, judged, left, source, value

from exactchange.values import State, Value

ORDERS: State = {"orders": {"id=1": {"id": 1, "customer": "A"}, "id=2": {"id": 2, "customer": "B"}}}
EVIL: State = {"orders": {"id=1": {"id": 1, "customer": "evil"}, "id=2": {"id": 2, "customer": "B"}}}

INSIDE: list[tuple[str, State, State]] = [
    ("features", {"features": {"tf": True}}, {"features": {"tf": False}}),
    ("features", {"features": {"tf": True}}, {"features": {}}),
    ("features", {"features": {"tf": True}}, {"features": {"tf": True, "x": 1}}),
    ("l", {"l": [{"id": 1}, {"id": 2}]}, {"l": [{"id": 2}, {"id": 1}]}),
    ("*", {"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}),
]


@pytest.mark.parametrize(("at", "before", "after"), INSIDE)
def test_a_veto_on_a_section_or_list_sees_what_changes_inside(at: str, before: State, after: State) -> None:
    verdict = judged(case(source("s", [before, after])), change("**"), veto=[change(at)])
    assert (verdict.outcome, finding(verdict, "veto").holds) == ("vetoed", True)


@pytest.mark.parametrize("at", ["orders", "orders[*]", "orders[id=1]"])
@pytest.mark.parametrize("op", [None, "modified"])
def test_a_veto_on_a_table_or_row_sees_a_cell(at: str, op: str | None) -> None:
    said: dict[str, str] = {} if op is None else {"op": op}
    run = case(source("s", [ORDERS, EVIL], kind=TABLES))
    assert judged(run, change("**"), veto=[change(at, **said)]).outcome == "vetoed"
    assert judged(run, change("**"), veto=[change("orders[id=2]", **said)]).outcome == "passed"


def test_a_rule_that_says_a_value_speaks_of_its_very_place() -> None:
    run = case(source("s", [{"a": {"b": 1}}, {"a": {"b": 2}}]))
    assert judged(run, change("**"), veto=[change("a", to=2)]).outcome == "passed"
    assert finding(judged(run, change("a", to=2)), "must").holds is False


def test_an_allow_on_rows_covers_their_cells_but_no_other_rows() -> None:
    orders = source("s", [ORDERS, EVIL], kind=TABLES)
    run = case(orders, source("t", [{"n": 1}, {"n": 2}]))
    asked = change("n", source="t", to=2)
    verdict = judged(run, asked, sources=["s", "t"], allow=[allow("orders[*]")])
    assert (verdict.outcome, left(verdict)) == ("passed", [])
    verdict = judged(run, asked, sources=["s", "t"], allow=[allow("orders[id=2]")])
    assert left(verdict) == ["orders[id=1].customer"]


@pytest.mark.parametrize("at", ["misspelt", "a.misspelt"])
def test_nothing_is_no_value_that_is_not_another(at: str) -> None:
    run = case(source("s", [{"a": {"b": 1}}, {"a": {"b": 2}}]))
    verdict = judged(run, change("a.b", to=2), value(at, {"not": "accepted"}))
    assert (verdict.outcome, finding(verdict, "must", 1).holds) == ("undecided", None)
    verdict = judged(run, change("a.b", to=2), value(at, {"absent": True}))
    assert verdict.outcome == "passed"


def test_no_answer_is_no_answer_that_is_not_another() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]))
    rule = value("decision", {"not": "accepted"}, source="answer")
    assert judged(run, change("a", to=2), rule).outcome == "undecided"


@pytest.mark.parametrize("pick", ["every", "any", "one"])
def test_a_row_of_which_nobody_can_tell_whether_it_is_meant_is_not_left_out(pick: str) -> None:
    """Of a secret only equality is known: the second order may be the one that the rule speaks of."""
    rows: State = {"o": {"id=1": {"id": 1, "who": "ada", "n": 1}, "id=2": {"id": 2, "who": {"@secret": "s"}, "n": 2}}}
    run = case(source("s", [{"o": {}}, rows], kind=TABLES))
    rule: dict[str, Value] = {"in": "s", "table": "o", "where": {"who": "ada"}, "column": "n", "is": 1, "pick": pick}
    verdict = judged(run, change("**", count={"ge": 1}), {"value": rule}, veto=[{"value": {**rule, "is": 2}}])
    assert [item.holds for item in verdict.findings] == [None, True, None]
    every: Data = {"change": {"in": "s", "table": "o", "where": {"who": "ada"}, "column": "n", "count": "all"}}
    altered: State = {
        "o": {"id=1": {"id": 1, "who": "ada", "n": 5}, "id=2": {"id": 2, "who": {"@secret": "s"}, "n": 2}}
    }
    assert finding(judged(case(source("s", [rows, altered], kind=TABLES)), every), "must").holds is None
