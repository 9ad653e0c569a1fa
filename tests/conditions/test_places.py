"""Where rules look: tables, selectors, queries, and what is said where a place cannot be looked at."""

import pathlib
from collections.abc import Mapping, Sequence

import pytest
from pydantic import BaseModel, ConfigDict
from tests.judging.kit import (
    TABLES,
    Data,
    Given,
    Plain,
    Tables,
    allow,
    case,
    change,
    database,
    finding,
    judged,
    left,
    seen,
    source,
    unread,
)

from exactchange.address import AddressPattern
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation
from exactchange.errors import OverBudget
from exactchange.limits import Budget
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import Match, SourceParams, TreeKind
from exactchange.values import ABSENT, Path, Value

Truth = bool | None


def holds(run: Case, rule: Data, params: Mapping[str, Value] | None = None) -> Truth:
    return Condition.model_validate(rule).check(Evaluation(run, params or {}), tier="bonus").truth


class Css(BaseModel):
    model_config = ConfigDict(extra="forbid")
    css: str


class Page(TreeKind[SourceParams, Css, TreeSnapshot]):
    """A page of elements by id; `.name` selects those of a class."""

    name = "page"
    selector: type[BaseModel] = Css

    def select(self, snapshot: TreeSnapshot, selector: Css, *, budget: Budget) -> Sequence[Match]:
        if selector.css == ".endless":
            raise OverBudget("too many elements")
        tree = snapshot.tree if isinstance(snapshot.tree, dict) else {}
        found = [(name, item) for name, item in tree.items() if isinstance(item, dict)]
        return [Match((name,), name, item) for name, item in found if item.get("class") == selector.css[1:]]


def page(*states: Given) -> Case:
    return case(source("s", states, kind=Page()))


def el(kind: str, text: str) -> Value:
    return {"class": kind, "text": text}


def by_css(css: str, **more: Value) -> Data:
    return {"change": {"in": "s", "css": css, **more}}


def test_a_selector_finds_what_changed_in_the_state_before_and_what_came_in_the_state_after() -> None:
    changed = page({"a": el("x", "1"), "b": el("y", "1")}, {"a": el("x", "2"), "b": el("y", "2")})
    assert holds(changed, by_css(".x", to="2")) is True
    assert holds(changed, by_css(".x", count=1)) is True
    assert holds(changed, by_css(".z")) is False
    came = page({}, {"a": el("x", "1")})
    assert holds(came, by_css(".x", op="added", to="1")) is True
    assert holds(came, by_css(".x", op="removed")) is False
    gone = page({"a": el("x", "1")}, {})
    assert holds(gone, by_css(".x", op="removed")) is True
    renamed = page({"a": el("x", "1")}, {"a": el("y", "2")})
    assert holds(renamed, by_css(".x", to="2")) is True
    assert holds(renamed, by_css(".y", to="2")) is False


def test_what_a_selector_chooses_explains_and_allows_all_of_it() -> None:
    run = page({"a": el("x", "1"), "b": el("y", "1")}, {"a": el("x", "2"), "b": el("y", "2")})
    assert left(judged(run, by_css(".x"))) == ["b.text"]
    assert judged(run, by_css(".x"), allow=[{"in": "s", "css": ".y"}]).outcome == "passed"


def test_a_selector_on_a_page_that_is_unread_in_part_cannot_be_told() -> None:
    run = page({"a": el("x", "1")}, seen({"a": el("x", "1")}, unread("b")))
    assert holds(run, by_css(".y")) is None
    assert holds(run, {"value": {"in": "s", "css": ".y", "is": 1}}) is None
    assert holds(page({"a": el("x", "1")}, seen(ABSENT, unread())), by_css(".x")) is None


def test_a_selector_that_takes_too_much_cannot_be_told() -> None:
    run = page({"a": el("x", "1")}, {"a": el("x", "2")})
    endless = by_css(".endless")
    assert finding(judged(run, by_css(".x"), veto=[endless]), "veto").holds is None
    assert judged(run, by_css(".x"), veto=[endless]).outcome == "undecided"
    assert judged(run, endless).outcome == "undecided"
    assert judged(run, endless, allow=[allow("**")]).outcome == "undecided"
    assert judged(run, {"not": by_css(".y")}, by_css(".x"), allow=[{"in": "s", "css": ".endless"}]).outcome == "passed"
    both = page({"a": el("x", "1"), "b": 1}, {"a": el("x", "2"), "b": 2})
    assert judged(both, by_css(".x"), allow=[{"in": "s", "css": ".endless"}]).outcome == "undecided"
    assert judged(both, by_css(".x"), ignore=[{"in": "s", "css": ".endless"}]).outcome == "undecided"
    value: Data = {"value": {"in": "s", "css": ".endless", "is": 1}}
    assert holds(run, value) is None


SCHEMA = """CREATE TABLE t (id INTEGER PRIMARY KEY, kind TEXT, n INT);
INSERT INTO t VALUES (1, 'a', 5), (2, 'b', 7), (3, 'b', 7);"""


def asked(query: str, is_: Value, **more: Value) -> Data:
    return {"value": {"in": "s", "query": query, "is": is_, **more}}


QUERIES: list[tuple[Data, Truth]] = [
    (asked("SELECT count(*) FROM t", 3), True), (asked("SELECT count(*) FROM t", 4), False),
    (asked("SELECT n FROM t WHERE id = 1", 5), True), (asked("SELECT n FROM t", 7), None),
    (asked("SELECT n FROM t WHERE kind = 'b'", 7, pick="every"), True),
    (asked("SELECT n FROM t", 7, pick="any"), True), (asked("SELECT n FROM t", 7, pick="every"), False),
    (asked("SELECT id, n FROM t WHERE id = 1", {"has": {"n": 5}}), True),
    (asked("SELECT n FROM t WHERE id = 9", {"absent": True}), True), (asked("SELECT n FROM t WHERE id = 9", 5), False),
    (asked("SELECT n FROM t WHERE id = :wanted", 7), True), (asked("SELECT n FROM lost", 7), None),
    (asked("DELETE FROM t", 7), None),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "truth"), QUERIES)
def test_a_query_gives_one_value_or_several_and_what_it_cannot_answer_cannot_be_told(
    rule: Data, truth: Truth, tmp_path: pathlib.Path
) -> None:
    run = case(database("s", tmp_path, [SCHEMA, "UPDATE t SET n = 5 WHERE id = 1"]))
    assert holds(run, rule, {"wanted": 2}) is truth


def test_a_source_without_queries_says_so() -> None:
    result = Condition.model_validate(asked("SELECT 1", 1)).check(Evaluation(case(source("s", [{}, {}]))), tier="must")
    assert (result.truth, "has no queries" in result.why) == (None, True)
    lost = case(source("s", [{}, seen(ABSENT, unread())]))
    assert holds(lost, asked("SELECT 1", 1)) is None


def rows(*cells: Mapping[str, Value]) -> Value:
    return {"t": {f"id={number}": {"id": number, **cell} for number, cell in enumerate(cells, 1)}}


def test_a_table_speaks_of_its_rows_a_column_of_its_cells_and_where_of_some() -> None:
    run = case(
        source(
            "s",
            [rows({"k": "a", "v": 1}, {"k": "b", "v": 1}), rows({"k": "a", "v": 2}, {"k": "b", "v": 1})],
            kind=TABLES,
        )
    )
    assert holds(run, {"change": {"in": "s", "table": "t", "column": "v"}}) is True
    assert holds(run, {"change": {"in": "s", "table": "t", "where": {"k": "a"}, "column": "v"}}) is True
    assert holds(run, {"change": {"in": "s", "table": "t", "where": {"k": "b"}, "column": "v"}}) is False
    assert holds(run, {"change": {"in": "s", "table": "u", "column": "v"}}) is False
    assert holds(run, {"value": {"in": "s", "table": "t", "where": {"k": "a"}, "column": "v", "is": 2}}) is True
    assert holds(run, {"value": {"in": "s", "table": "t", "where": {"v": 1}, "is": {"has": {"k": "b"}}}}) is True
    assert holds(run, {"value": {"in": "s", "table": "t", "column": "v", "is": 1}}) is None


def test_a_table_or_column_of_any_name_is_one_literal_segment() -> None:
    odd = 'a.b"c[*]'
    run = case(source("s", [{odd: {"id=1": {"*": 1}}}, {odd: {"id=1": {"*": 2}}}], kind=TABLES))
    assert holds(run, {"change": {"in": "s", "table": odd, "column": "*", "to": 2}}) is True
    assert holds(run, {"change": {"in": "s", "table": "a", "column": "*"}}) is False


class Locked(Tables):
    """Tables whose rows cannot be looked up, and in which nothing can be found."""

    def row_at(self, snapshot: TreeSnapshot, path: Path) -> Mapping[str, Value] | None:
        raise OverBudget("the table is locked")

    def find(self, snapshot: TreeSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        raise OverBudget("the table is locked")


def test_a_row_that_cannot_be_looked_up_may_be_the_wanted_one() -> None:
    run = case(source("s", [rows({"k": "a", "v": 1}), rows({"k": "a", "v": 2})], kind=Locked()))
    rule: Data = {"change": {"in": "s", "table": "t", "where": {"k": "a"}, "column": "v"}}
    assert holds(run, rule) is None
    assert judged(run, rule).outcome == "undecided"
    assert judged(run, change("t[*].v", count="all")).outcome == "undecided"
    assert holds(run, {"value": {"in": "s", "at": "t[*].v", "is": 2}}) is None


def test_a_row_in_a_source_that_is_unread_at_one_end_cannot_be_told() -> None:
    run = case(source("s", [rows({"v": 1}), rows({"v": 1}), seen(ABSENT, unread())], kind=TABLES))
    rule: Data = {"change": {"in": "s", "table": "t", "where": {"v": 1}, "column": "v"}}
    assert holds(run, rule) is None


class FirstLocked(Plain):
    """A source of which only the first capture takes too much to look through."""

    def find(self, snapshot: TreeSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        if snapshot.mark.step == 0:
            raise OverBudget("too deep")
        return super().find(snapshot, pattern, budget=budget)


def test_a_place_that_held_nothing_where_it_could_be_looked_at_cannot_be_told() -> None:
    result = Condition.model_validate({"value": {"in": "s", "at": "a", "is": 1}}).check(
        Evaluation(case(source("s", [{}, {}], kind=FirstLocked()))), tier="must"
    )
    assert (result.truth, result.why) == (None, "s: too much to look through: too deep")


def test_a_where_on_what_is_no_row_chooses_nothing() -> None:
    run = case(source("s", [{"t": {"id=1": 5}}, {"t": {"id=1": 6}}], kind=TABLES))
    assert holds(run, {"change": {"in": "s", "table": "t", "where": {"a": 1}}}) is False
    removed = case(source("s", [{"t": {"id=1": 5}}, {"t": {}}], kind=TABLES))
    assert holds(removed, change("t[*]", op="removed", row={"a": 1})) is False


def test_a_request_may_leave_its_url_open() -> None:
    run = case(source("s", [{"@requests": []}, {"@requests": [{"seq": 1, "method": "GET", "url": "http://a.test"}]}]))
    assert holds(run, {"request": {"in": "s", "method": "GET", "url": None}}) is True


def test_the_largest_number_of_a_column_is_looked_up_once() -> None:
    run = case(source("s", [rows({"n": 5}), rows({"n": 6}, {"n": 7})], kind=TABLES))
    new = change("t[*]", op="added", row={"id": {"generated": "next"}, "n": {"generated": "next"}})
    assert judged(run, new, change("t[id=1].n", to={"generated": "next"})).outcome == "passed"


def test_the_actions_are_a_source_too() -> None:
    run = case(source("s", [{}, {}, {}]))
    assert holds(run, {"value": {"in": "actions", "at": "[1].kind", "is": "click"}}) is True
    assert holds(run, {"value": {"in": "actions", "at": "[*].reported_by", "is": "runner", "pick": "every"}}) is True
    assert holds(run, {"value": {"in": "actions", "at": "[2]", "is": {"absent": True}}}) is True


def test_a_pattern_that_ends_in_any_depth_finds_cells_of_rows_too() -> None:
    run = case(source("s", [rows(), rows({"v": 1, "w": 2})], kind=TABLES))
    assert holds(run, change("t[*].v.**", to=1)) is True
    assert holds(run, change("t.**", op="added")) is True
    assert holds(run, change("u.**", op="added")) is False
    assert holds(case(source("s", [{}, {"a": 1}])), change("x.**")) is False
    assert holds(case(source("s", [{}, {"a": [1, {"b": 2}]}], kind=Plain())), change("a.**", to=2)) is True
