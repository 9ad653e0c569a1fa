import pytest
from tests.authoring.kit import TABLES, Tree, calibrated, lines, noise, some_task, toured
from tests.judging.kit import allow, change

from exactchange.address import key_segment
from exactchange.values import Scalar, Value

NOTHING: Tree = {}


def rows(keys: "list[Key]") -> Tree:
    """A table `t` with these rows, which hold their key alone."""
    return {"t": {key_segment(list(key.items())): dict(key) for key in keys}}


SIDS: list[Tree] = [{"cookies": {"sid": {"value": value, "path": "/"}}} for value in "xy"]
ALIKE: Tree = {"a": {"query_x": 1, "query_y": 1, "query_z": 1, "r": 1}}
SHORT: Tree = {"a": {"q_x": 1, "q_y": 1, "q_z": 1}}
LONG: Tree = {"a": [9, 8, 7, 6, 5, 4]}
PLACES: dict[str, tuple[Tree, list[Tree], list[str]]] = {
    "the same place": ({"a": {"b": 1}}, [{"a": {"b": 2}}, {"a": {"b": 3}}], ["modified a.b (2)"]),
    "a whole": (NOTHING, SIDS, ["added cookies (2)"]),
    "a whole in something": ({"cookies": {}}, SIDS, ["added cookies.sid (2)"]),
    "one run of two": ({"a": 1}, [{"a": 1}, {"a": 2}], ["modified a (1)"]),
    "two kinds of change": ({"a": 1}, [{"a": 2}, {}], ["modified a (1)", "removed a (1)"]),
    "keys that are made up": ({"a": {}}, [{"a": {"k8f": 1}}, {"a": {"p03": 1}}], ["added a.* (2)"]),
    "keys that begin alike": ({"a": {}}, [{"a": {"id-8f": 1}}, {"a": {"id-c3": 1}}], ["added a.id-* (2)"]),
    "keys with dots": ({"a": {}}, [{"a": {"x8.tmp": 1}}, {"a": {"y9.tmp": 1}}], ["added a.* (2)"]),
    "names": ({"a": {}}, [{"a": {"alpha": 1}}, {"a": {"beta": 1}}], ["added a.alpha (1)", "added a.beta (1)"]),
    "too little alike": ({"a": {}}, [SHORT] * 2, [f"added a.q_{name} (2)" for name in "xyz"]),
    "three siblings": ({"a": {}}, [ALIKE] * 2, ["added a.query_* (2)", "added a.r (2)"]),
    "two siblings": ({"a": {"query_z": 1, "r": 1}}, [ALIKE] * 2, ["added a.query_x (2)", "added a.query_y (2)"]),
    "a crowd": ({"a": [0, 0, 0, 0, 0, 0]}, [LONG] * 2, ["modified a[*] (2)"]),
    "few positions": ({"a": [9, 8, 7, 0, 0, 0]}, [LONG] * 2, [f"modified a[{number}] (2)" for number in (3, 4, 5)]),
}


@pytest.mark.parametrize(("before", "afters", "wanted"), PLACES.values(), ids=PLACES)
def test_a_rule_is_as_narrow_as_agrees_with_every_run(before: Tree, afters: list[Tree], wanted: list[str]) -> None:
    assert lines(noise(before, *afters)) == wanted


Key = dict[str, Scalar]


def cookie(value: str) -> list[Key]:
    return [{"cookie": value, "ip": "127.0.0.1", "name": "admin"}]


def visits(first: int, second: int) -> list[Key]:
    return [{"id": first, "kind": "login"}, {"id": second, "kind": "view"}]


def numbered(most: int) -> list[Key]:
    return [{"id": number} for number in range(1, most + 1)]


def named(*names: str) -> list[Key]:
    return [{"sid": "admin", "name": name} for name in names]


KEYS: list[tuple[list[Key], list[Key], list[str]]] = [
    ([{"id": 1}], [{"id": 1}], ["added t[id=1] (2)"]),
    (cookie("a1"), cookie("b2"), ['added t[ip="127.0.0.1",name=admin] (2)']),
    ([{"id": 71}], [{"id": 83}], ["added t[*] (2)"]),
    (visits(71, 72), visits(83, 85), ["added t[kind=login] (2)", "added t[kind=view] (2)"]),
    (named("search"), named("index"), ["added t[sid=admin,name=search] (1)", "added t[sid=admin,name=index] (1)"]),
    (named("lock-search"), named("lock-index"), ["added t[sid=admin,name=lock-*] (2)"]),
    (named("a.b-x1.tmp"), named("c.d-y2.tmp"), ["added t[sid=admin,name=*.tmp] (2)"]),
    (named("kQz8x"), named("uWn3r"), ["added t[sid=admin] (2)"]),
    (named("q_a", "q_b", "q_c"), named("q_a", "q_b", "q_c"), [f"added t[sid=admin,name=q_{n}] (2)" for n in "abc"]),
    (named("tag_a", "tag_b", "tag_c"), named("tag_a", "tag_b", "tag_c"), ["added t[sid=admin,name=tag_*] (2)"]),
    (numbered(5), numbered(5), [f"added t[id={number}] (2)" for number in range(1, 6)]),
    (numbered(6), numbered(6), ["added t[*] (2)"]),
    (numbered(1), numbered(2), ["added t[id=1] (2)", "added t[id=2] (1)"]),
    ([{"k": "a*b"}], [{"k": "a*b"}], ['added t[k="a*b"] (2)']),
]


@pytest.mark.parametrize(("first", "second", "wanted"), KEYS)
def test_of_a_row_only_that_part_of_its_key_is_left_open_that_differs(
    first: list[Key], second: list[Key], wanted: list[str]
) -> None:
    assert lines(noise({"t": {}}, rows(first), rows(second), kind=TABLES)) == wanted


def test_a_cell_is_named_by_its_column() -> None:
    before, first, second = [{"t": {"sid=admin": {"sid": "admin", "seen": n, "age": 4}}} for n in (1, 2, 3)]
    assert lines(noise({**before}, {**first}, {**second}, kind=TABLES)) == ["modified t[sid=admin].seen (2)"]


def test_rows_that_run_and_columns_of_them_stay_apart() -> None:
    before: Tree = {"t": {f"id={n}": {"id": n, "seen": 1, "name": "x"} for n in range(9)}}
    after: Tree = {"t": {f"id={n}": {"id": n, "seen": 2, "name": "x"} for n in range(9)}}
    assert lines(noise(before, after, after, kind=TABLES)) == ["modified t[*].seen (2)"]


def test_nothing_is_proposed_for_what_the_task_ignores_or_allows() -> None:
    before: Tree = {"a": 1, "b": 1, "c": 1}
    after: Tree = {"a": 2, "b": 2, "c": 2}
    work = some_task(ignore=[allow("a")], allow=[allow("b", op="modified")])
    found = calibrated(work, toured(work, before, [after, after]))
    assert lines(found) == ["modified c (2)"]


@pytest.mark.parametrize("tier", ["veto", "must"])
def test_what_a_veto_or_a_must_speaks_of_is_no_noise(tier: str) -> None:
    rule = change("users.root", op="modified")
    work = some_task(rule) if tier == "must" else some_task(veto=[rule])
    before: Tree = {"users": {"root": 1}, "seen": 1}
    after: Tree = {"users": {"root": 2}, "seen": 2}
    found = calibrated(work, toured(work, before, [after, after]))
    assert lines(found) == ["modified seen (2)"]
    assert [(item.rule.at, item.said.startswith(f"the {tier} at ")) for item in found.refused] == [("users.root", True)]


def test_a_veto_does_not_end_a_tour_and_a_must_takes_nothing_from_it() -> None:
    work = some_task(change("seen", op="modified"), veto=[change("gone", op="removed")])
    (verdict,) = toured(work, {"seen": 1, "gone": 1}, [{"seen": 2}])
    assert [item.address for item in verdict.unexplained] == ["gone", "seen"]
    assert verdict.score is not None


def test_of_a_whole_that_a_must_speaks_of_the_other_leaves_are_noise() -> None:
    work = some_task(change("made.name", op="added", to="x"))
    after: Tree = {"made": {"name": "x", "at": 5, "by": "me"}}
    found = calibrated(work, toured(work, {}, [after, after]))
    assert lines(found) == ["added made.at (2)", "added made.by (2)"]
    assert [item.rule.at for item in found.refused] == ["made.name"]


def test_a_wide_rule_over_a_red_line_gives_way_to_narrow_ones() -> None:
    keys: list[Value] = [f"user_{n}" for n in "abc"]
    after: Tree = {"t": {str(name): 1 for name in keys}}
    for op, wanted in (("removed", ["added t.user_* (2)"]), ("added", [f"added t.user_{n} (2)" for n in "abc"])):
        work = some_task(veto=[change("t.user_root", op=op)])
        assert lines(calibrated(work, toured(work, {"t": {}}, [after, after]))) == wanted, op
