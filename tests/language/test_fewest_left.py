"""Rules 10 and 11: changes are shared out among musts and `allow` so that the fewest are left over."""

import pathlib
from collections.abc import Sequence
from itertools import permutations

import pytest
from tests.language.worlds import State, judged, left, must

from exactchange.judging.sharing import MOST_STEPS
from exactchange.verdict import Outcome

TABLE: State = {
    "db.db": "CREATE TABLE t (id INTEGER PRIMARY KEY, amt INT, note TEXT, more TEXT);"
    "CREATE TABLE u (id INTEGER PRIMARY KEY, note TEXT);"
}
DONE = '{change: {in: db, at: "t[*]", op: added, row: {note: done}}}'
SENT = '{change: {in: db, at: "u[*]", op: added, row: {note: sent}}}'
OTHER = 'at: "t[*]", op: added, row: {note: {contains: o}}, rest: any, max: 1'


def added(*rows: str) -> State:
    """Rows of amount, note and more."""
    return {"db.db": "".join(f"INSERT INTO t (amt, note, more) VALUES ({row});" for row in rows)}


def allowed(*patterns: str) -> str:
    return "allow: [" + ", ".join(f"{{in: db, {pattern}}}" for pattern in patterns) + "]"


WIDE, NARROW = 'at: "t[*]", op: added, rest: any, max: 1', 'at: "t[*]", op: added, row: {amt: 1}, max: 1'
PART, REST = 'at: "t[*]", op: added, row: {amt: 1}', 'at: "t[*].more", max: 1'
ALLOWED: list[tuple[Sequence[str], Sequence[str], Outcome, Sequence[str]]] = [
    ((WIDE, NARROW), ("1, NULL, NULL", "2, NULL, NULL"), "passed", []),
    ((WIDE, NARROW), ("2, NULL, NULL", "1, NULL, NULL"), "passed", []),
    ((WIDE, NARROW), ("2, NULL, NULL", "3, NULL, NULL"), "unmet", ["t[id=2]"]),
    ((WIDE, NARROW), ("1, NULL, NULL", "1, NULL, NULL", "1, NULL, NULL"), "unmet", ["t[id=3]"]),
    # A row of which the narrow one explains a part: the wide one takes it.
    ((WIDE, NARROW), ("1, NULL, NULL", "1, 'x', NULL"), "passed", []),
    ((NARROW, WIDE), ("1, 'x', NULL", "1, NULL, NULL"), "passed", []),
    # Two patterns may make one row up between them, and each still counts.
    ((PART, REST), ("1, NULL, 'x'",), "passed", []),
    ((PART, REST), ("1, NULL, 'x'", "1, NULL, 'y'"), "unmet", ["t[id=2].more"]),
    ((NARROW, REST, WIDE), ("1, NULL, 'x'", "2, NULL, 'y'"), "passed", []),
    ((NARROW, REST, WIDE), ("1, NULL, 'x'", "2, NULL, 'y'", "3, NULL, NULL"), "unmet", ["t[id=3]"]),
]  # fmt: skip


@pytest.mark.parametrize(("patterns", "rows", "outcome", "rest"), ALLOWED)
def test_rule_11_allow_with_max_takes_what_leaves_the_fewest_whatever_its_order(
    patterns: Sequence[str], rows: Sequence[str], outcome: Outcome, rest: Sequence[str], tmp_path: pathlib.Path
) -> None:
    rules = f"must:\n- {SENT}\n"
    edit = {"db.db": f"{added(*rows)['db.db']}INSERT INTO u (note) VALUES ('sent');"}
    verdict = judged(tmp_path, rules + allowed(*patterns), TABLE, edit)
    assert (verdict.outcome, left(verdict)) == (outcome, rest)
    for order in permutations(patterns):
        other = judged(tmp_path, rules + allowed(*order), TABLE, edit)
        assert (other.outcome, len(left(other))) == (outcome, len(rest))


ENDS: list[tuple[str, Outcome, Sequence[str]]] = [("1", "passed", []), ("2", "passed", []), ("3", "unmet", ["t[id=2]"])]
MUSTS: list[tuple[Sequence[str], Sequence[str], Sequence[str], Outcome, Sequence[str]]] = [
    # Neither speaks of the amount. Where both do, one row is for the must and one is allowed; a third is left over.
    ((DONE,), ("at: 't[id=1]', op: added, row: {note: done}",),
     ("1, 'done', NULL", "2, 'done', NULL"), "unmet", ["t[id=1].amt", "t[id=2].amt"]),
    ((DONE.replace("note", "amt: 1, note"),), ("at: 't[id=1]', op: added, row: {amt: 1, note: done}",),
     ("1, 'done', NULL", "1, 'done', NULL"), "passed", []),
    ((DONE.replace("note", "amt: 1, note"),), ("at: 't[id=1]', op: added, row: {amt: 1, note: done}",),
     ("1, 'done', NULL", "1, 'done', NULL", "1, 'done', NULL"), "unmet", ["t[id=2]"]),
    # Of two that fit, the one that is asked for is the one that is explained whole.
    ((DONE,), (OTHER,), ("7, 'done', NULL", "NULL, 'done', NULL"), "passed", []),
    ((DONE,), (OTHER,), ("NULL, 'done', NULL", "7, 'done', NULL"), "passed", []),
    # Both musts, whatever their order, and an allow for one that is left.
    ((DONE, DONE.replace("note", "amt: {ge: 1}, note")), ("at: 't[*]', op: added, row: {amt: 2, note: done}",),
     ("2, 'done', NULL", "NULL, 'done', NULL", "1, 'done', NULL"), "passed", []),
    # An allow with a limit has its part in it, whichever of the two it may take.
    *(((DONE.replace("note", f"amt: {amount}, note"),),
       (f"at: 't[*]', op: added, row: {{amt: {free}, note: done}}, max: 1",),
       ("1, 'done', NULL", "2, 'done', NULL"), outcome, rest)
      for amount in ("{ge: 1}", "{same: n}")
      for free, outcome, rest in ENDS),
]  # fmt: skip


@pytest.mark.parametrize(("musts", "patterns", "rows", "outcome", "rest"), MUSTS)
def test_rule_11_of_the_ways_to_meet_all_musts_the_one_is_taken_that_leaves_the_fewest_after_allow(
    musts: Sequence[str],
    patterns: Sequence[str],
    rows: Sequence[str],
    outcome: Outcome,
    rest: Sequence[str],
    tmp_path: pathlib.Path,
) -> None:
    found = set[tuple[str, int]]()
    for order in permutations(musts):
        rules = "must:\n" + "".join(f"- {rule}\n" for rule in order)
        verdict = judged(tmp_path, rules + allowed(*patterns), TABLE, added(*rows))
        assert [must(verdict, number).holds for number in range(len(musts))] == [True] * len(musts)
        found.add((verdict.outcome, len(left(verdict))))
    assert found == {(outcome, len(rest))}


def test_rule_10_the_choice_among_any_is_by_what_is_left_after_sharing_out(tmp_path: pathlib.Path) -> None:
    other = DONE.replace("note: done", "amt: 2, note: done")
    rules = f"must:\n- any: [{DONE}, {other}]\n" + allowed(
        'at: "t[*]", op: added, row: {amt: 1, note: {contains: o}}, max: 1'
    )
    verdict = judged(tmp_path, rules, TABLE, added("1, 'done', NULL", "2, 'done', NULL"))
    assert verdict.outcome == "passed"


@pytest.mark.parametrize(("steps", "outcome"), [(1, "undecided"), (MOST_STEPS, "passed")])
def test_rule_11_what_is_too_much_to_try_is_undecided_and_never_a_pass(
    steps: int, outcome: Outcome, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("account", "fewest"):
        monkeypatch.setattr(f"exactchange.judging.{module}.MOST_STEPS", steps)
    rules = f"must:\n- {SENT}\n" + allowed(WIDE.replace("1", "2"), NARROW)
    rows = added("1, NULL, NULL", "1, NULL, NULL", "2, NULL, NULL")
    edit = {"db.db": f"INSERT INTO u (note) VALUES ('sent');{rows['db.db']}"}
    assert judged(tmp_path, rules, TABLE, edit).outcome == outcome
    # What no rule speaks of is left over however the rest is shared out.
    assert judged(tmp_path, rules, {**TABLE, "a.json": "1"}, {**edit, "a.json": "2"}).outcome == "unmet"
    # The same of the musts.
    rules = f"must:\n- {DONE}\n" + allowed('at: "t[id=1]", op: added, row: {note: done}')
    assert judged(tmp_path, rules, TABLE, added("NULL, 'done', NULL", "NULL, 'done', NULL")).outcome == outcome
