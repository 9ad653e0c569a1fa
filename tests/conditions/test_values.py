"""`value` by itself: what its finding says and shows, at which captures it looks, and when it began to hold."""

import pathlib
from collections.abc import Mapping, Sequence

import pytest
from tests.conditions.test_places import Locked
from tests.judging.kit import TABLES, Data, Given, Plain, act, case, database, seen, source, unread, value

from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation, Result
from exactchange.conditions.evaluation import Tier
from exactchange.limits import Budget
from exactchange.snapshot import TreeSnapshot
from exactchange.values import ABSENT, Value
from exactchange.verdict import Truth


def steps(*states: Given, **params: object) -> Case:
    return case(source("s", states, params=params))


def found(run: Case, rule: Data, tier: Tier = "bonus", *, ends: bool = True, prefix: bool = False) -> Result:
    return Condition.model_validate(rule).check(Evaluation(run, ends=ends, prefix=prefix), tier=tier)


TREE: Value = {"a": 1, "b": 2, "pw": {"@secret": "x"}}
LOST = unread("c", reason="locked")
SAID: list[tuple[Given, Data, Truth, str, list[Value]]] = [
    (TREE, value("a", 1), True, "a fits", [1]),
    (TREE, value("a", 2), False, "a does not fit", [1]),
    (TREE, value("pw", "x"), None, "pw cannot be told", [{"@secret": "x"}]),
    (TREE, value("*", 1, pick="any"), True, "a fits", [1, 2, {"@secret": "x"}]),
    (TREE, value("*", 1), None, "3 values stand there; say which, or `pick: every` or `any`", [1, 2, {"@secret": "x"}]),
    (TREE, value("c", 1), False, "s: nothing stands there", []),
    (seen(TREE, LOST), value("c", 1), None, "s: c is unread: locked", []),
    (seen({"a": 1}, LOST), value("*", 1), None, "s: c is unread: locked", [1]),
    (seen({"a": 1}, LOST), value("*", 2, pick="any"), None, "s: c is unread: locked", [1]),
    (seen({"a": 1}, LOST), value("*", 1, pick="any"), True, "a fits", [1]),
    (seen({"a": 1}, LOST), value("*", 2, pick="every"), False, "a does not fit", [1]),
    (1, value("", 2), False, "s does not fit", [1]),
    (TREE, value("*", "x", pick="any"), None, "a cannot be told", [1, 2, {"@secret": "x"}]),
    (TREE, value("*", {"not": 5}, pick="every"), None, "a cannot be told", [1, 2, {"@secret": "x"}]),
    (seen({"a": 1}, LOST), value("*", 2), None, "s: c is unread: locked", [1]),
]


@pytest.mark.parametrize(("end", "rule", "truth", "why", "shown"), SAID)
def test_a_finding_says_what_stands_there_and_shows_it(
    end: Given, rule: Data, truth: Truth, why: str, shown: list[Value]
) -> None:
    result = found(steps({"c": 1}, end), rule)
    assert (result.truth, result.why) == (truth, why)
    assert [item["value"] for item in result.evidence if "value" in item] == shown


def test_a_value_is_shown_with_its_place_and_step_and_nothing_as_none() -> None:
    run = steps({"a": 1, "c": 1}, {"a": 2})
    assert found(run, value("a", 2)).evidence == (
        {"kind": "value", "source": "s", "address": "a", "value": 2, "step": 1},
    )
    assert found(run, value("c", 2)).evidence == ({"kind": "value", "source": "s", "address": "c", "step": 1},)
    many = found(steps({}, {f"k{n:02}": n for n in range(30)}), value("*", 1, pick="any"))
    assert (len(many.evidence), many.evidence[-1]) == (21, {"kind": "more", "count": 10})


WHENS: list[tuple[str | None, Tier, list[int], Truth, int]] = [
    (None, "bonus", [1, 5, 1], False, 2), (None, "veto", [1, 5, 1], True, 1), ("end", "veto", [1, 5, 1], False, 2),
    ("ever", "bonus", [1, 5, 5], True, 1), ("ever", "bonus", [1, 1, 1], False, 0),
    ("always", "bonus", [5, 5, 5], True, 0),
    ("always", "bonus", [5, 1, 5], False, 1), ("always", "veto", [5, 5, 1], False, 2),
]  # fmt: skip


@pytest.mark.parametrize(("when", "tier", "held", "truth", "step"), WHENS)
def test_the_first_capture_that_decides_is_told(
    when: str | None, tier: Tier, held: list[int], truth: Truth, step: int
) -> None:
    rule = value("a", 5) if when is None else value("a", 5, when=when)
    result = found(steps(*({"a": item} for item in held)), rule, tier)
    assert (result.truth, result.evidence[0]["step"]) == (truth, step)


ENDS: list[tuple[str, list[int], Truth]] = [
    ("end", [1, 5], None), ("ever", [1, 5], True), ("ever", [1, 1], None), ("always", [5, 5], None),
    ("always", [5, 1], False),
]  # fmt: skip


@pytest.mark.parametrize(("when", "held", "truth"), ENDS)
def test_before_the_end_only_that_is_told_which_stays_so(when: str, held: list[int], truth: Truth) -> None:
    result = found(steps(*({"a": item} for item in held)), value("a", 5, when=when), ends=False)
    assert result.truth is truth
    assert (result.why == "the episode is not over") == (truth is None)


def test_a_source_without_any_capture_tells_nothing() -> None:
    assert found(case(source("s", [])), value("a", 1)) == Result(None, "s: there is no capture")


def test_a_place_where_nothing_ever_stood_is_told_as_such() -> None:
    said = "s: nothing ever stood there: is the place misspelt? (`missing: ok` if not)"
    run = steps({"a": 1}, {"a": 1})
    assert found(run, value("b", 1)) == Result(None, said)
    assert found(run, value("b", {"not": 1})).why == said
    assert found(run, value("b", {"absent": True})).truth is True
    assert found(run, value("b", {"absent": False})).why == said
    assert found(run, value("b", 1), prefix=True).truth is False
    assert found(steps({"a": 1}, {"a": 1}, missing="ok"), value("b", 1)).truth is False
    assert found(steps({"a": 1}, {"a": 1}, missing="ok"), value("b", {"not": 1})).truth is True
    assert found(steps({"b": 1}, {"a": 1}), value("b", {"not": 1})).truth is True
    assert found(steps({}, {"b": 1}, {}), value("b", 1)).truth is False
    assert found(steps({"a": 1}, seen({"a": 1}, unread("b"))), value("b", 1)).why == "s: b is unread: cannot be read"


def test_a_place_that_takes_too_much_to_look_through_says_so() -> None:
    locked = case(source("s", [{"t": {}}, {"t": {}}], kind=Locked()))
    assert found(locked, value("t[*]", 1)) == Result(None, "s: too much to look through: the table is locked")


ABSENCE: list[tuple[Value, str, Truth]] = [
    ({"absent": True}, "one", True), ({"absent": True}, "every", True), ({"absent": True}, "any", True),
    ({"absent": False}, "one", False), ({"absent": False}, "every", False), ({"not": 1}, "one", True),
    ({"not": 1}, "every", False), ({"not": 1}, "any", False), (1, "one", False), ({"same": "x"}, "one", False),
    ({"not": {"absent": True}}, "one", False),
]  # fmt: skip


@pytest.mark.parametrize(("is_", "pick", "truth"), ABSENCE)
def test_of_nothing_only_absence_holds_where_several_are_asked_for(is_: Value, pick: str, truth: Truth) -> None:
    assert found(steps({"b": 1}, {}, missing="ok"), value("b", is_, pick=pick)).truth is truth


def moments(run: Case, rule: Data, *, ends: bool = True) -> tuple[list[tuple[int, int]], bool]:
    told = Condition.model_validate(rule).moments(Evaluation(run, ends=ends), trusted=False)
    return [moment.steps for moment in told.sure], told.unsure


HID = seen({}, unread("a"))
MOMENTS: list[tuple[list[Given], list[tuple[int, int]], bool]] = [
    ([{}, {"a": 5}], [(1, 1)], False), ([{"a": 5}, {"a": 5}], [(0, 0)], False), ([{}, {}], [], False),
    ([{}, {"a": 5}, {"a": 5}], [(1, 1)], False), ([{}, {"a": 5}, {}, {"a": 5}], [(1, 1), (3, 3)], False),
    ([{}, HID, {"a": 5}], [(1, 2)], True), ([{}, {"a": 5}, HID, {"a": 5}], [(1, 1)], True),
    ([HID, {"a": 5}], [(0, 1)], True), ([HID, HID, {}, {"a": 5}], [(3, 3)], True),
    ([{}, {"a": 5}, {}, HID, {"a": 5}], [(1, 1), (3, 4)], True),
]  # fmt: skip


@pytest.mark.parametrize(("states", "expected", "unsure"), MOMENTS)
def test_a_value_began_to_hold_after_the_last_capture_at_which_it_certainly_did_not(
    states: list[Given], expected: list[tuple[int, int]], unsure: bool
) -> None:
    assert moments(steps(*states), value("a", 5)) == (expected, unsure)
    assert moments(steps(*states), value("a", 5), ends=False) == (expected, True)


def test_a_source_that_was_first_read_late_may_have_held_it_since_any_step_before() -> None:
    late = case(source("s", [{"a": 5}, {"a": 5}], steps=[2, 3]), actions=[act("click", n) for n in (1, 2, 3)])
    assert moments(late, value("a", 5)) == ([(2, 2)], False)


SHOP = "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT, m INT); INSERT INTO t VALUES (1, 5, 6), (2, 7, 8);"


def test_a_query_names_its_rows_by_number_and_itself_where_it_gives_none(tmp_path: pathlib.Path) -> None:
    run = case(database("s", tmp_path, [SHOP, "UPDATE t SET n = 6 WHERE id = 1"]))

    def asked(query: str, is_: Value, **more: Value) -> Result:
        return found(run, {"value": {"in": "s", "query": query, "is": is_, **more}})

    both = asked("SELECT n FROM t ORDER BY id", {"type": "int"}, pick="every")
    assert (both.why, [(item["address"], item["value"]) for item in both.evidence]) == (
        "row 1 fits", [("row 1", 6), ("row 2", 7)],
    )  # fmt: skip
    nothing = asked("SELECT n FROM t WHERE id = 9", 1)
    assert (nothing.truth, nothing.evidence[0]["address"]) == (False, "SELECT n FROM t WHERE id = 9")
    assert asked("SELECT n, m FROM t WHERE id = 2", {"exactly": {"n": 7, "m": 8}}).truth is True
    assert asked("SELECT n FROM t WHERE id = 2", 7).truth is True


class Asked(Plain):
    """A source that answers every query with one row."""

    def rows(
        self, snapshot: TreeSnapshot, sql: str, arguments: Mapping[str, Value], *, budget: Budget
    ) -> Sequence[Value]:
        return [{"n": 1}]


def test_a_query_may_need_what_is_unread_anywhere_in_a_source() -> None:
    rule: Data = {"value": {"in": "s", "query": "SELECT 1", "is": 1}}
    assert found(case(source("s", [{}, {"a": 1}], kind=Asked())), rule).truth is True
    hidden = found(case(source("s", [{}, seen({"a": 1}, unread("b"))], kind=Asked())), rule)
    assert (hidden.truth, hidden.why) == (None, "s: b is unread: cannot be read")


def test_a_value_knows_its_column_and_a_table_without_rows_has_no_address() -> None:
    before: Value = {"t": {"id=1": {"id": 1, "n": 4}}}
    after: Value = {"t": {"id=1": {"id": 1, "n": 4}, "id=2": {"id": 2, "n": 5}}}
    run = case(source("s", [before, after], kind=TABLES))
    assert found(run, value("t[id=2].n", {"generated": "next"})).truth is True
    assert found(run, value("t[id=1].n", {"generated": "next"})).truth is False
    gone = case(source("s", [before, {"t": {}}], kind=TABLES))
    assert found(gone, {"value": {"in": "s", "table": "t", "is": 1}}).evidence[0]["address"] == ""


def test_a_query_on_a_source_that_is_unread_as_a_whole_cannot_be_told() -> None:
    run = case(source("s", [{}, seen(ABSENT, unread(reason="gone"))]))
    result = found(run, {"value": {"in": "s", "query": "SELECT 1", "is": 1}})
    assert (result.truth, result.why) == (None, "s: the whole source is unread: gone")
