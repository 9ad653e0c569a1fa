"""Near misses and places left behind: what an unmet must shows of what nearly met it."""

from collections.abc import Sequence

from tests.judging.kit import TABLES, Tables, allow, case, change, finding, judged, source

from exactchange.address import AddressPattern
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation
from exactchange.conditions.near import near_misses
from exactchange.conditions.patterns import hits
from exactchange.conditions.place import Pattern
from exactchange.errors import OverBudget
from exactchange.limits import Budget
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import Match
from exactchange.values import Value
from exactchange.verdict import Verdict


def _rows(*rows: dict[str, Value], before: tuple[dict[str, Value], ...] = ()) -> Case:
    states: list[Value] = [{"t": {f"id={row['id']}": row for row in side}} for side in (before, rows)]
    return case(source("s", list(states), kind=TABLES))


def _near(verdict: Verdict, number: int = 0) -> list[tuple[str, str, str]]:
    return [(item.change.address, item.wanted, item.got) for item in finding(verdict, "must", number).near]


def test_only_the_nearest_are_near() -> None:
    run = _rows({"id": 1, "a": 9, "b": 9, "c": 3}, {"id": 2, "a": 1, "b": 2, "c": 4}, {"id": 3, "a": 1, "b": 9, "c": 3})
    verdict = judged(run, change("t[*]", op="added", row={"a": 1, "b": 2, "c": 3}))
    assert _near(verdict) == [("t[id=2]", "c: 3", "c: 4 (int)"), ("t[id=3]", "b: 2", "b: 9 (int)")]


def test_of_modified_values_the_one_with_the_right_old_value_is_nearer() -> None:
    run = case(source("s", [{"a": "open", "b": "new"}, {"a": "late", "b": "late"}]))
    verdict = judged(run, change("*", from_="open", to="closed"))
    assert _near(verdict) == [("a", 'to "closed"', '"late" (str)')]


def test_what_another_must_explains_is_not_near() -> None:
    run = _rows({"id": 1, "f": "a", "at": 5})
    verdict = judged(run, *(change("t[*]", op="added", row={"f": name}) for name in "ab"))
    assert (finding(verdict, "must", 1).why, _near(verdict, 1)) == ("no such change", [])


def test_a_row_that_fits_but_for_a_name_bound_elsewhere_is_near() -> None:
    run = _rows({"id": 1, "f": "a", "at": 5}, {"id": 2, "f": "b", "at": 5}, {"id": 3, "f": "c", "at": 4})
    musts = [change("t[*]", op="added", row={"f": name, "at": {"same": "when"}}) for name in "abc"]
    verdict = judged(run, *musts)
    assert [finding(verdict, "must", number).holds for number in range(3)] == [True, True, False]
    assert _near(verdict, 2) == [("t[id=3]", "at: the same when as elsewhere", "at: 4 (int)")]


def test_the_places_that_had_to_follow_and_did_not_are_named_with_what_they_hold() -> None:
    olds: tuple[dict[str, Value], ...] = (
        {"id": 1, "c": "x"},
        {"id": 2, "c": "x"},
        {"id": 3, "c": "x"},
        {"id": 4, "c": "x"},
    )
    run = _rows({"id": 1, "c": "y"}, {"id": 2, "c": "x"}, {"id": 3, "c": "z"}, before=olds)
    verdict = judged(run, change("t[*].c", from_="x", to="y", count="all"), allow=[allow("t[id=4]")])
    found = finding(verdict, "must")
    assert found.why == "only 1 of 4 such changes; 1 place stayed as before; something near it did change"
    assert [item["address"] for item in found.evidence] == ["t[id=1].c", "t[id=2].c"]
    assert {"kind": "value", "source": "s", "address": "t[id=2].c", "value": "x", "step": 1} in found.evidence
    assert ("t[id=3].c", 'to "y"', '"z" (str)') in _near(verdict)


def test_where_all_places_followed_none_is_named() -> None:
    run = _rows({"id": 1, "c": "y"}, before=({"id": 1, "c": "x"},))
    found = finding(judged(run, change("t[*].c", from_="x", to="y", count="all")), "must")
    assert (found.holds, [item["kind"] for item in found.evidence]) == (True, ["change"])


class EndLocked(Tables):
    """Tables in which nothing can be found once something was done."""

    def find(self, snapshot: TreeSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        if snapshot.mark.step:
            raise OverBudget("the table is locked")
        return super().find(snapshot, pattern, budget=budget)


def test_where_the_end_takes_too_much_to_look_through_the_places_left_behind_are_not_named() -> None:
    before: Value = {"t": {"id=1": {"id": 1, "c": "x"}, "id=2": {"id": 2, "c": "x"}}}
    after: Value = {"t": {"id=1": {"id": 1, "c": "y"}, "id=2": {"id": 2, "c": "x"}}}
    run = case(source("s", [before, after], kind=EndLocked()))
    found = finding(judged(run, change("t[*].c", from_="x", to="y", count="all")), "must")
    assert (found.holds, found.why) == (False, "only 1 of 2 such changes")
    assert [item["address"] for item in found.evidence] == ["t[id=1].c"]


def test_a_wrong_old_value_is_told_as_such() -> None:
    verdict = judged(case(source("s", [{"a": 1}, {"a": 2}])), change("a", from_=5))
    assert _near(verdict) == [("a", "from 5", "1 (int)")]
    assert _near(judged(case(source("s", [{"a": 1}, {"a": 2}])), change("a", from_=5, to=6))) == [
        ("a", "from 5", "1 (int)")
    ]


def test_a_name_keeps_nothing_from_being_near_where_nothing_else_binds_it() -> None:
    run = _rows({"id": 1, "a": 1, "b": 6})
    wanted = change("t[*]", op="added", row={"a": {"same": "n"}, "b": 5})
    near = finding(judged(run, wanted, bonus=[]), "must").near
    assert [(item.wanted, item.got) for item in near] == [("b: 5", "b: 6 (int)")]
    result = Condition.model_validate(wanted).check(Evaluation(run), tier="bonus")
    assert [(item.wanted, item.got) for item in result.near] == [("b: 5", "b: 6 (int)")]


def test_a_name_that_agrees_with_elsewhere_is_no_reason() -> None:
    run = _rows(
        {"id": 1, "f": "a", "at": 5}, {"id": 2, "f": "b", "at": 5}, {"id": 3, "f": "x", "at": 5},
        {"id": 4, "f": "y", "at": 4},
    )  # fmt: skip
    musts = [change("t[*]", op="added", row={"f": name, "at": {"same": "when"}}) for name in "abc"]
    assert _near(judged(run, *musts), 2) == [("t[id=3]", 'f: "c"', 'f: "x" (str)')]


def test_all_names_that_disagree_are_told_together() -> None:
    pair: Value = {"has": {"x": {"same": "n"}, "y": {"same": "m"}}}
    run = case(source("s", [{}, {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}, "c": {"x": 3, "y": 4}}]))
    verdict = judged(run, change("a", to=pair), change("b", to=pair), change("c", to=pair))
    assert [item.wanted for item in finding(verdict, "must", 2).near] == ["to the same n and m as elsewhere"]


def test_a_long_value_is_cut_where_it_is_longer_than_200_characters() -> None:
    def got(length: int) -> str:
        verdict = judged(case(source("s", [{"a": 1}, {"a": "x" * (length - 2)}])), change("a", to=5))  # and two quotes
        return _near(verdict)[0][2]

    assert got(200) == f'"{"x" * 198}" (str)'
    assert got(201) == f'"{"x" * 199}… (201 characters) (str)'


def test_what_fits_is_not_near_and_a_text_that_may_fit_is_told_with_what_it_lacks() -> None:
    evaluation = Evaluation(case(source("s", [{"a": "x", "b": 1, "c": "x"}, {"a": "1,234", "b": 2, "c": "y"}])))

    def near(to: Value) -> list[tuple[str, str]]:
        pattern = Pattern.model_validate({"in": "s", "at": "*", "to": to})
        told = near_misses(pattern, hits(pattern, evaluation, 0, 1), evaluation, most=9)
        return [(item.change.address, item.wanted) for item in told]

    assert near(2) == [("a", "to 2"), ("c", "to 2")]
    said = 'to {"number":1.234}'
    assert near({"number": 1.234}) == [("a", f"{said}; give the source its `locale`"), ("b", said), ("c", said)]
