import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.authoring.kit import SOMETHING, TABLES, Tree, calibrated, lines, noise, some_task, toured
from tests.judging.kit import Data, allow, change

from exactchange.address import Style, format_path, key, key_segment
from exactchange.authoring.noise import propose
from exactchange.diff import Change, Operation
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import NoSelector, SourceParams, TreeKind
from exactchange.values import ABSENT, Path, Scalar, Value
from exactchange.verdict import Verdict, Whole

NOTHING: Tree = {}
DOTTED = {"s": Style.DOTTED}


def rows(keys: "list[Key]") -> Tree:
    """A table `t` with these rows, which hold their key alone."""
    return {"t": {key_segment(list(key.items())): dict(key) for key in keys}}


SIDS: list[Tree] = [{"cookies": {"sid": {"value": value, "path": "/"}}} for value in "xy"]
ALIKE: Tree = {"a": {"query_x": 1, "query_y": 1, "query_z": 1, "r": 1}}
SHORT: Tree = {"a": {"q_x": 1, "q_y": 1, "q_z": 1}}
LONG: Tree = {"a": [9, 8, 7, 6, 5, 4]}
FRUIT: Tree = {"t": dict.fromkeys("abcdefg", 1)}
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
    "a crowd": ({"a": []}, [LONG] * 2, ["added a[*] (2)"]),
    "a crowd that was there": ({"a": [0] * 6}, [LONG] * 2, [f"modified a[{number}] (2)" for number in range(6)]),
    "a crowd of names": ({"t": {}}, [FRUIT] * 2, [f"added t.{name} (2)" for name in "abcdefg"]),
    "few positions": ({"a": [9, 8, 7]}, [LONG] * 2, [f"added a[{number}] (2)" for number in (3, 4, 5)]),
    "two names": (
        {"lastSeenAt": 1, "adminEmail": 1, "twoFactor": 1},
        [{"lastSeenAt": 2, "adminEmail": 1, "twoFactor": 1}, {"lastSeenAt": 1, "adminEmail": 2, "twoFactor": 1}],
        ["modified lastSeenAt (1)", "modified adminEmail (1)"],
    ),
    "two names that came": (
        {"a": {}},
        [{"a": {"lastSeenAt": 1}}, {"a": {"adminEmail": 1}}],
        ["added a.lastSeenAt (1)", "added a.adminEmail (1)"],
    ),
    "what is made up at the top": (NOTHING, [{"k8f": 1}, {"p03": 1}], ["added k8f (1)", "added p03 (1)"]),
    "what was there": (
        {"a": {"k-1": 1, "k-2": 1}},
        [{"a": {"k-1": 1}}, {"a": {"k-2": 1}}],
        ["removed a.k-2 (1)", "removed a.k-1 (1)"],
    ),
    "two that were there": (
        {"acc": [{"n": 1}, {"n": 1}]},
        [{"acc": [{"n": 2}, {"n": 1}]}, {"acc": [{"n": 1}, {"n": 2}]}],
        ["modified acc[0].n (1)", "modified acc[1].n (1)"],
    ),
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


def test_rows_that_were_there_have_one_name_in_every_world_and_rules_of_their_own() -> None:
    before: Tree = {"t": {f"id={n}": {"id": n, "seen": 1, "name": "x"} for n in range(9)}}
    after: Tree = {"t": {f"id={n}": {"id": n, "seen": 2, "name": "x"} for n in range(9)}}
    assert lines(noise(before, after, after, kind=TABLES)) == [f"modified t[id={n}].seen (2)" for n in range(9)]


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


class Files(TreeKind[SourceParams, NoSelector, TreeSnapshot]):
    name = "files"
    style = Style.SLASHED


def written(*names: str) -> Tree:
    return {key(name): {"@text": [name], "@unterminated": True} for name in names}


CAME: dict[str, tuple[Tree, list[Tree], list[str]]] = {
    "a blank in the name": ({}, [written("logs/run 08.log"), written("logs/run 17.log")], ["added logs/*.log (2)"]),
    "a sign in the name": ({}, [written("logs/run=08.log"), written("logs/run=17.log")], ["added logs/*.log (2)"]),
    "a blank above": ({}, [written("My Files/u8.tmp"), written("My Files/u9.tmp")], ["added My Files/*.tmp (2)"]),
    "at the top": ({}, [written("run 08"), written("run 17")], ['added ["run 08"] (1)', 'added ["run 17"] (1)']),
    "scripts": ({}, [written("in/x.py"), written("in/y.py")], ["added in/x.py (1)", "added in/y.py (1)"]),
    "a directory": (
        {},
        [{"up": {"@type": "dir", "@mode": "0700"}}] * 2,
        ["added up.@mode (2)", "added up.@type (2)"],
    ),
}


@pytest.mark.parametrize(("before", "afters", "wanted"), CAME.values(), ids=CAME)
def test_of_a_tree_no_rule_takes_more_than_files_of_one_directory(
    before: Tree, afters: list[Tree], wanted: list[str]
) -> None:
    found = noise(before, *afters, kind=Files())
    assert sorted(lines(found)) == sorted(wanted)
    assert not found.refused


def test_a_whole_source_or_facet_that_came_is_taken_item_by_item() -> None:
    shop = {"theme": "day", "cart": "3"}
    page: Tree = {"@storage": {"local": {"http://a": shop, "http://b": shop}}, "@cookies": {"sid": {"v": 1, "p": 2}}}
    verdicts = [whole("", page, "added")] * 2
    found = propose(verdicts, styles={"s": Style.PAGE}, refuse=lambda _: None)
    stored = [f"added @storage.local.http://{host}.{name} (2)" for host in "ab" for name in ("theme", "cart")]
    assert lines(found) == [*stored, "added @cookies.sid (2)"]
    assert not found.refused


def test_no_rule_takes_a_source_that_holds_one_value_or_a_move() -> None:
    one = Change("s", "modified", "", (), 1, 2)
    move = Change("s", "moved", "l[id=3]", ("l", "id=3"), 2, 0)
    found = propose(
        [replace(whole("", {}, "added"), unexplained=(one, move))] * 2, styles=DOTTED, refuse=lambda _: None
    )
    assert (found.rules, [item.rule.runs for item in found.refused]) == ((), [2, 2])


def whole(address: str, tree: Tree, op: Operation) -> Verdict:
    """What a tour gives in which this came at the source's top as a whole."""
    leaves = tuple(
        Change("s", op, format_path(path, style=Style.PAGE), path, ABSENT, value) for path, value in leaves_of(tree)
    )
    return Verdict("t", "unmet", Fraction(0), unexplained=leaves, whole=(Whole("s", op, address, ()),))


def leaves_of(value: Value, path: Path = ()) -> Iterator[tuple[Path, Value]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves_of(item, (*path, name))
    else:
        yield path, value


ASKED: list[tuple[Data, str]] = [
    ({"value": {"in": "s", "at": "users.root", "is": 1}}, "speaks of it"),
    ({"value": {"in": "s", "at": "users", "is": {"type": "mapping"}}}, "speaks of it"),
    ({"value": {"in": "s", "at": "users.root.name", "is": 1}}, "speaks of something in it"),
    ({"not": change("users.root")}, "speaks of it"),
    ({"any": [{"not": change("users.*", op="modified")}, SOMETHING]}, "speaks of it"),
]


@pytest.mark.parametrize(("rule", "said"), ASKED)
@pytest.mark.parametrize("tier", ["veto", "must"])
def test_whatever_a_veto_or_must_looks_at_is_no_noise(tier: str, rule: Data, said: str) -> None:
    work = some_task(rule) if tier == "must" else some_task(veto=[rule])
    after: Tree = {"users": {"root": 2}}
    found = calibrated(work, toured(work, {"users": {"root": 1}}, [after, after]))
    assert lines(found) == []
    assert [said in item.said for item in found.refused] == [True]


def test_the_reason_names_a_rule_that_looks_at_the_place_itself() -> None:
    work = some_task(veto=[change("users.root.name"), change("users.root", op="modified", to=9), change("users.*")])
    after: Tree = {"users": {"root": 9}}
    found = calibrated(work, toured(work, {"users": {"root": 1}}, [after, after]))
    assert ["change in s: users.root" in item.said for item in found.refused] == [True], found.refused[0].said


def test_tours_that_change_data_end_in_a_number_and_soon() -> None:
    def many(run: int) -> Tree:
        ids: list[Key] = [
            {"a": f"k{n % 50}", "b": f"v{letters(n)}", "c": f"w{letters(n * 7 + run)}"} for n in range(SIZE)
        ]
        return rows(ids)

    begun = time.process_time()
    found = noise({"t": {}}, many(0), many(1), kind=TABLES)
    assert time.process_time() - begun < 20
    assert len(found.rules) == 100
    assert found.more > 100


SIZE = 3_000


def letters(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(number))
