"""Which changes a place means: by every name of an item, by what `where` chooses, and where nobody could look."""

from collections.abc import Sequence

import pytest
from pydantic import BaseModel, ConfigDict
from tests.judging.kit import PLAIN, TABLES, Data, Plain, case, change, judged, seen, source, unread

from exactchange.address import Style, parse_pattern
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation, Result
from exactchange.conditions.meeting import may_meet
from exactchange.conditions.patterns import Same
from exactchange.limits import Budget
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import Match, RowShape, SourceParams, TreeKind
from exactchange.values import ABSENT, Path, State, Value


def found(run: Case, rule: Data, *, prefix: bool = False) -> Result:
    return Condition.model_validate(rule).check(Evaluation(run, prefix=prefix), tier="bonus")


class Folder(Plain):
    """A directory: addresses begin with a file's path."""

    style = Style.SLASHED


FOLDER = Folder()

MEETING: list[tuple[str, Path, bool, bool]] = [
    ("backup/**", ("backup/app.yaml", "port"), True, True),
    ("backup/**", ("kept/app.yaml", "port"), True, False),
    ("**/app.yaml.port", ("backup/app.yaml",), True, True),
    ("backup", ("backup/app.yaml",), True, False),
    ("backup/app.yaml", ("backup/app.yaml", "port", "x"), True, True),
    ("backup/app.yaml", ("backup/b.yaml", "port", "x"), True, False),
    ("a", ("a", "b", "c"), False, True),
    ("a.b", ("a",), False, True),
    ("a.b", ("a", "c"), False, False),
    ("b", ("a", "b"), False, False),
    ("b", (), False, True),
]


@pytest.mark.parametrize(("at", "path", "slashed", "expected"), MEETING)
def test_what_is_unread_may_be_in_a_place_that_it_is_or_lies_in_or_holds(
    at: str, path: Path, slashed: bool, expected: bool
) -> None:
    evaluation = Evaluation(case(source("s", [{}, {}], kind=FOLDER if slashed else PLAIN)))
    assert may_meet(parse_pattern(at, slashed=slashed), path, evaluation, "s") is expected
    assert may_meet(None, path, evaluation, "s") is True


def test_a_rule_on_a_folder_cannot_be_told_where_a_file_in_it_is_unread() -> None:
    run = case(source("s", [{"a/b": 1, "c": 1}, seen({"a/b": 1, "c": 1}, unread("a/b"))], kind=FOLDER))
    assert (found(run, change("a/**")).truth, found(run, change("c")).truth) == (None, False)


def test_a_source_that_is_not_there_yet_is_no_misspelt_one() -> None:
    run = case(source("s", [ABSENT, ABSENT]))
    yet, never = found(run, change("a"), prefix=True), found(run, change("a"))
    assert (yet.truth, yet.why) == (False, "no such change")
    assert (never.truth, "misspelt" in never.why) == (None, True)


ONE: State = {"jobs": [{"name": "build", "n": 1}, {"name": "test", "n": 1}]}


@pytest.mark.parametrize("at", ["jobs[name=build]", "jobs[name=build].n", "jobs[name=build].**"])
def test_a_job_is_itself_by_its_name_where_an_item_without_one_came(at: str) -> None:
    more: State = {"jobs": [{"name": "build", "n": 2}, {"name": "test", "n": 1}, {"n": 5}]}
    run = case(source("s", [ONE, more]))
    assert judged(run, change("**", count={"ge": 1}), veto=[change(at)]).outcome == "vetoed"
    other = at.replace("build", "test")
    assert judged(run, change("**", count={"ge": 1}), veto=[change(other)]).outcome == "passed"


@pytest.mark.parametrize("swapped", [False, True])
def test_an_item_has_the_name_that_either_capture_gives_it(swapped: bool) -> None:
    nameless: State = {"jobs": [{"name": "build", "n": 2}, {"name": "test", "n": 1}, {"n": 5}]}
    renamed: State = {"jobs": [{"name": "other", "n": 1}, {"name": "test", "n": 1}, {"n": 5}]}
    states = [renamed, nameless] if swapped else [nameless, renamed]
    run = case(source("s", states))
    assert found(run, change("jobs[name=build].n")).truth is True
    assert found(run, change("jobs[name=other].n")).truth is True
    assert found(run, change("jobs[name=test].n")).truth is False


def rows(**values: Value) -> State:
    return {"t": {f"id={name}": {"id": name, "k": name, "v": value} for name, value in values.items()}}


def test_what_where_does_not_choose_is_not_even_near() -> None:
    run = case(source("s", [rows(a=1, b=1), rows(a=2, b=3)], kind=TABLES))
    of_b: Data = {"change": {"in": "s", "table": "t", "where": {"k": "b"}, "column": "v", "to": 9}}
    assert [near.change.address for near in found(run, of_b).near] == ["t[id=b].v"]
    of_c: Data = {"change": {"in": "s", "table": "t", "where": {"k": "c"}, "column": "v", "to": 9}}
    assert found(run, of_c).near == ()


INSIDE: list[tuple[str, State, State, list[str]]] = [
    ("t[*].v.**", {"t": {}}, rows(a=1, b=2), ["t[id=a].v", "t[id=b].v"]),
    ("t.**", {"t": {}}, rows(a=1, b=2), ["t[id=a]", "t[id=b]"]),
    ("**.x", {"x": {"x": 1}}, {"x": {"x": 2}}, ["x.x"]),  # it lies in such a place and is one itself: still one change
    ("a.*", {}, {"a": {"x": 1, "y": {"z": 2}}}, ["a.x", "a.y"]),
    ("x.**", {"x": {"y": 1}, "z": 1}, {"x": {"y": 2}, "z": 2}, ["x.y"]),
]


@pytest.mark.parametrize(("at", "before", "after", "expected"), INSIDE)
def test_each_change_that_a_place_means_is_found_once(
    at: str, before: State, after: State, expected: list[str]
) -> None:
    result = found(case(source("s", [before, after], kind=TABLES)), change(at, count=len(expected)))
    assert (result.truth, [item["address"] for item in result.evidence]) == (True, expected)


class Css(BaseModel):
    model_config = ConfigDict(extra="forbid")
    css: str


class Keyless(TreeKind[SourceParams, Css, TreeSnapshot]):
    """Rows without a key, which a selector chooses: all of them."""

    name = "keyless"
    selector: type[BaseModel] = Css

    def row_shape(self, snapshot: TreeSnapshot, path: Path) -> RowShape | None:
        return RowShape(frozenset(), {}, frozenset()) if len(path) == 2 else None

    def select(self, snapshot: TreeSnapshot, selector: Css, *, budget: Budget) -> Sequence[Match]:
        tree = snapshot.tree
        assert isinstance(tree, dict) and isinstance(tree["t"], dict)
        return [Match(("t", name), name, item) for name, item in tree["t"].items()]


def test_what_a_selector_chooses_it_chooses_in_one_capture_and_no_row_of_it_became_another() -> None:
    run = case(source("s", [{"t": {"#1": {"v": 1}}}, {"t": {"#2": {"v": 2}}}], kind=Keyless()))
    assert found(run, {"change": {"in": "s", "css": "*", "op": "modified"}}).truth is False
    assert found(run, {"change": {"in": "s", "css": "*", "op": "added"}}).truth is True
    doubtful = found(run, change("t[*].v", op="modified"))
    assert (doubtful.truth, "whether t[#2] is one that was modified cannot be told" in doubtful.why) == (None, True)


def test_an_object_as_a_key_is_itself_and_nothing_that_is_equal_to_it() -> None:
    one: list[Value] = [1]
    assert Same(one) == Same(one)
    assert Same(one) != Same([1])
    assert Same(one) != one
    assert Same(one) != Same
