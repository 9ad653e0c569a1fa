"""Rules 6 to 13: how many changes a must takes, what it explains, and what is left over, on real databases."""

import pathlib

import pytest
from tests.language.worlds import State, judged, left, must, refused

from exactchange.judging import BrokenTask
from exactchange.verdict import Outcome

SHOP: State = {
    "db.db": """
CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT, state TEXT DEFAULT 'draft', note TEXT);
CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id INT REFERENCES orders(id) ON DELETE CASCADE, sku TEXT);
CREATE TABLE audit (id INTEGER PRIMARY KEY, what TEXT);
CREATE TRIGGER watch AFTER UPDATE ON orders BEGIN INSERT INTO audit (what) VALUES ('order ' || new.id); END;
INSERT INTO orders (id, item, state) VALUES (1, 'ink', 'new'), (2, 'ink', 'new'), (3, 'pen', 'paid');
INSERT INTO lines VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c');
"""
}
NOISE = 'allow: [{in: db, at: "audit[*]", op: added, rest: any}]'


def ruled(*musts: str, allow: str = NOISE, more: str = "") -> str:
    """Rules in YAML, a line for each must."""
    return "\n".join(["must:", *(f"- {rule}" for rule in musts), allow, more])


COUNTS: list[tuple[str, str, Outcome, int]] = [
    ("", "id = 1", "passed", 0), ("", "id < 3", "unmet", 1), (", count: 2", "id < 3", "passed", 0),
    (", count: 2", "id = 1", "unmet", 0), (", count: 2", "id < 4", "unmet", 1),
    (", count: {ge: 2}", "id < 4", "passed", 0), (", count: {ge: 1, le: 2}", "id < 4", "unmet", 1),
    (", from: new, count: all", "id < 3", "passed", 0), (", from: new, count: all", "id = 1", "unmet", 0),
    (", from: new, count: all", "id < 4", "unmet", 1), (", count: all", "id < 4", "passed", 0),
]  # fmt: skip


@pytest.mark.parametrize(("count", "which", "outcome", "rest"), COUNTS)
def test_rule_06_a_must_takes_just_as_many_changes_as_it_counts_and_further_ones_stay_unexplained(
    count: str, which: str, outcome: Outcome, rest: int, tmp_path: pathlib.Path
) -> None:
    rules = ruled(f'{{change: {{in: db, at: "orders[*].state", to: done{count}}}}}')
    verdict = judged(tmp_path, rules, SHOP, {"db.db": f"UPDATE orders SET state = 'done' WHERE {which}"})
    assert (verdict.outcome, len(left(verdict))) == (outcome, rest)


@pytest.mark.parametrize("place", ['at: "orders[*].state", from: lost', "table: bills, column: state", 'at: "x[*].y"'])
def test_rule_06_count_all_of_nothing_is_a_broken_task(place: str, tmp_path: pathlib.Path) -> None:
    rules = ruled(f"{{change: {{in: db, {place}, to: done, count: all}}}}")
    with pytest.raises(BrokenTask, match="selects nothing at the start"):
        judged(tmp_path, rules, SHOP, {"db.db": "UPDATE orders SET state = 'done'"})


def test_rule_06_count_all_is_of_the_rows_that_were_there_and_not_of_those_that_take_their_place(
    tmp_path: pathlib.Path,
) -> None:
    rule = "{change: {in: db, table: orders, column: state, where: {item: ink}, to: done, count: all}}"
    edit = "UPDATE orders SET state = 'done' WHERE id = 1; DELETE FROM orders WHERE id = 2;"
    swapped = edit + "INSERT INTO orders VALUES (9, 'ink', 'done', NULL);"
    rules = ruled(rule, allow='allow: [{in: db, at: "audit[*]", rest: any}, {in: db, at: "orders[id=2]", op: removed}]')
    verdict = judged(tmp_path, rules, SHOP, {"db.db": swapped})
    assert (verdict.outcome, must(verdict).holds) == ("unmet", False)
    # One that is chosen by `where` and cannot be escaped by changing what `where` reads.
    hidden = "UPDATE orders SET state = 'done', item = 'x' WHERE id = 1; UPDATE orders SET item = 'x' WHERE id = 2"
    verdict = judged(tmp_path, ruled(rule), SHOP, {"db.db": hidden})
    assert must(verdict).why.startswith("only 1 of 2 such changes")


TWO_ORDERS = "INSERT INTO orders (id, item) VALUES (10, 'ink'), (11, 'ink');"
SAME: list[tuple[str, Outcome, int]] = [
    ("(10,'x'), (11,'x'), (11,'x')", "passed", 0),
    ("(11,'x'), (10,'x'), (10,'x')", "passed", 0),
    ("(10,'x'), (11,'x'), (12,'x')", "unmet", 1),
    ("(10,'x'), (11,'x'), (11,'y')", "unmet", 1),
    ("(11,'x'), (11,'x')", "passed", 0),
    ("(11,'x'), (11,'x'), (11,'x')", "passed", 0),
    ("(10,'x'), (10,'x'), (11,'x'), (11,'x')", "unmet", 1),
]


@pytest.mark.parametrize(("lines", "outcome", "failed"), SAME)
def test_rule_07_same_is_part_of_the_one_matching_also_with_counts_allows_and_choices(
    lines: str, outcome: Outcome, failed: int, tmp_path: pathlib.Path
) -> None:
    """One of two new orders has two lines x; whichever it is, the other order and one line may be there as well."""
    order = 'change: {in: db, at: "orders[*]", op: added, row: {id: {same: o}, item: ink}}'
    pair = 'change: {in: db, at: "lines[*]", op: added, count: 2, row: {order_id: {same: o}, sku: x}}'
    spare = """allow: [{in: db, at: "orders[*]", op: added, row: {item: ink}, max: 1},
  {in: db, at: "lines[*]", op: added, row: {sku: {one_of: [x, y]}}, rest: any, max: 1}]"""
    edit = {"db.db": TWO_ORDERS + f"INSERT INTO lines (order_id, sku) VALUES {lines};"}
    verdict = judged(tmp_path, ruled(f"{{{order}}}", f"{{{pair}}}", allow=spare), SHOP, edit)
    assert verdict.outcome == outcome
    nested = f"{{any: [{{change: {{in: db, at: nowhere}}}}, {{all: [{{{order}}}, {{{pair}}}]}}]}}"
    assert judged(tmp_path, ruled(nested, allow=spare), SHOP, edit).outcome == outcome


def test_rule_07_a_change_that_several_musts_could_take_goes_where_all_are_met_whatever_their_order(
    tmp_path: pathlib.Path,
) -> None:
    edit = {"db.db": "UPDATE orders SET state = 'done' WHERE id < 4"}
    wide = '{change: {in: db, at: "orders[*].state", to: done}}'
    middle = "{change: {in: db, table: orders, column: state, where: {item: ink}, to: done}}"
    narrow = '{change: {in: db, at: "orders[id=1].state", to: done}}'
    for musts in ((wide, middle, narrow), (narrow, middle, wide), (middle, wide, narrow)):
        verdict = judged(tmp_path, ruled(*musts), SHOP, edit)
        assert verdict.outcome == "passed"
        taken = {rule: [item.address for item in must(verdict, number).explains] for number, rule in enumerate(musts)}
        assert taken == {
            narrow: ["orders[id=1].state"], middle: ["orders[id=2].state"], wide: ["orders[id=3].state"],
        }  # fmt: skip
    assert "this is one change" in refused(tmp_path, ruled(narrow, narrow, wide), SHOP)
    few = "{change: {in: db, table: orders, column: state, where: {id: {le: 1}}, to: done}}"
    verdict = judged(tmp_path, ruled(narrow, few, wide), SHOP, edit)
    assert [must(verdict, number).holds for number in range(3)] == [True, False, True]


def test_rule_07_the_first_rule_of_the_file_takes_the_first_address(tmp_path: pathlib.Path) -> None:
    rule = '{change: {in: db, at: "orders[*].state", to: done}}'
    verdict = judged(tmp_path, ruled(rule, rule), SHOP, {"db.db": "UPDATE orders SET state = 'done' WHERE id < 3"})
    taken = [[item.address for item in must(verdict, number).explains] for number in range(2)]
    assert taken == [["orders[id=1].state"], ["orders[id=2].state"]]


WIDE: State = {
    "db.db": """CREATE TABLE t (id INTEGER PRIMARY KEY, email TEXT UNIQUE, n INT DEFAULT 5, r REAL DEFAULT 0.0,
 s TEXT DEFAULT 'it''s', b BLOB DEFAULT x'00', at TEXT DEFAULT CURRENT_TIMESTAMP, two INT DEFAULT (1 + 1),
 double INT GENERATED ALWAYS AS (n * 2) STORED, flag BOOLEAN DEFAULT TRUE, code TEXT DEFAULT 7);
CREATE TABLE u (name TEXT UNIQUE, a INT); CREATE TABLE w (k TEXT PRIMARY KEY, a INT) WITHOUT ROWID;
CREATE TABLE p (x INT, y INT, v INT, PRIMARY KEY (x, y)); CREATE TABLE loose (a INT, b INT DEFAULT 3);"""
}
PLAIN_ROW = "INSERT INTO t (email, at, two) VALUES ('a@x', NULL, NULL)"
REST: list[tuple[str, str, list[str]]] = [
    (PLAIN_ROW, "at: 't[*]', row: {email: a@x}", []),
    ("INSERT INTO t (email, n, r, s, b, at, two, flag, code)"
     " VALUES ('a@x', 5, 0.0, 'it''s', x'00', NULL, NULL, 1, '7')",
     "at: 't[*]', row: {email: a@x}", []),
    ("INSERT INTO t (email, n, r, s, b, at, two, flag, code) VALUES ('a@x', NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
     " NULL)", "at: 't[*]', row: {email: a@x}", []),
    (PLAIN_ROW, "at: 't[*]', row: {n: 5}", ["email"]),
    ("INSERT INTO t (email, n, at, two) VALUES ('a@x', 6, NULL, NULL)", "at: 't[*]', row: {email: a@x}", ["n"]),
    ("INSERT INTO t (email, r, at, two) VALUES ('a@x', 0.5, NULL, NULL)", "at: 't[*]', row: {email: a@x}", ["r"]),
    ("INSERT INTO t (email, n, at, two) VALUES ('a@x', '5x', NULL, NULL)", "at: 't[*]', row: {email: a@x}",
     ["n"]),
    ("INSERT INTO t (email, s, at, two) VALUES ('a@x', 'its', NULL, NULL)", "at: 't[*]', row: {email: a@x}", ["s"]),
    ("INSERT INTO t (email, flag, at, two) VALUES ('a@x', 0, NULL, NULL)", "at: 't[*]', row: {email: a@x}", ["flag"]),
    # What a DEFAULT expression gives is not known, so it has to be said.
    ("INSERT INTO t (email, at) VALUES ('a@x', 'today')", "at: 't[*]', row: {email: a@x}", ["at", "two"]),
    ("INSERT INTO t (email, at) VALUES ('a@x', 'today')", "at: 't[*]', row: {email: a@x, at: today, two: 2}", []),
    # A key is explained with its row: where a rule leaves it open, any will do.
    ("INSERT INTO t (id, email, at, two) VALUES (77, 'a@x', NULL, NULL)", "at: 't[*]', row: {email: a@x}", []),
    ("INSERT INTO t (id, email, at, two) VALUES (77, 'a@x', NULL, NULL)", "at: 't[*]', row: {id: {generated: next}}",
     ["email"]),
    ("INSERT INTO u VALUES ('x', 1)", "at: 'u[*]', row: {a: 1}", []),
    ("INSERT INTO u VALUES (NULL, 1)", "at: 'u[*]', row: {a: 1}", []),
    ("INSERT INTO w VALUES ('x', 1)", "at: 'w[*]', row: {a: 1}", []),
    ("INSERT INTO p VALUES (1, 2, 3)", "at: 'p[x=1]', row: {v: 3}", []),
    ("INSERT INTO p VALUES (1, 2, 3)", "at: 'p[x=1]', op: added", ["v"]),
    ("INSERT INTO loose VALUES (1, 3)", "at: 'loose[*]', row: {a: 1}", []),
    ("INSERT INTO loose VALUES (1, 4)", "at: 'loose[*]', row: {a: 1}", ["b"]),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "rule", "rest"), REST)
def test_rule_08_an_unlisted_column_must_be_null_or_its_default_or_the_key(
    edit: str, rule: str, rest: list[str], tmp_path: pathlib.Path
) -> None:
    rules = ruled(f"{{change: {{in: db, {rule}}}}}", allow="")
    verdict = judged(tmp_path, rules, WIDE, {"db.db": edit})
    assert must(verdict).holds is True
    assert [item.rpartition(".")[2] for item in left(verdict)] == rest
    assert (verdict.outcome == "passed") == (rest == [])
    free = judged(tmp_path, ruled(f"{{change: {{in: db, rest: any, {rule}}}}}", allow=""), WIDE, {"db.db": edit})
    assert free.outcome == "passed"
    assert [item.address.rpartition(".")[2] for item in free.freed] == rest


REMADE = """CREATE TABLE u2 (id INTEGER PRIMARY KEY, a TEXT, b TEXT DEFAULT %s, c TEXT %s);
INSERT INTO u2 (id, a, b) SELECT id, a, b FROM u; DROP TABLE u; ALTER TABLE u2 RENAME TO u;"""
SCHEMAS: list[tuple[str, list[str]]] = [
    (REMADE % ("'draft'", ""), []),
    (REMADE % ("'paid'", ""), ["u[id=1].b"]),
    (REMADE % ("'draft'", "GENERATED ALWAYS AS ('pay Eve')"), ["u[id=1].c"]),
    (REMADE % ("'draft'", "DEFAULT 'pay Eve'"), ["u[id=1].c"]),
    ("ALTER TABLE u ADD COLUMN note TEXT DEFAULT 'pay Eve';", ["u[id=1].note"]),
    ("ALTER TABLE u ADD COLUMN note TEXT;", []),
]


@pytest.mark.parametrize(("remade", "rest"), SCHEMAS)
def test_rule_08_a_default_that_somebody_made_in_the_meantime_explains_nothing(
    remade: str, rest: list[str], tmp_path: pathlib.Path
) -> None:
    start: State = {"db.db": "CREATE TABLE u (id INTEGER PRIMARY KEY, a TEXT, b TEXT DEFAULT 'draft', c TEXT);"}
    rules = ruled("{change: {in: db, at: 'u[*]', op: added, row: {a: x}}}", allow="allow: [{in: db, at: '@schema.**'}]")
    verdict = judged(tmp_path, rules, start, {"db.db": remade + "INSERT INTO u (a) VALUES ('x');"})
    assert (must(verdict).holds, left(verdict)) == (True, rest)


HAS: list[tuple[str, str, list[str]]] = [
    ("{port: 80}", "{has: {port: 80}}", []), ("{port: 80, admin: true}", "{has: {port: 80}}", ["a.admin"]),
    ("{port: 80, tls: {on: true}}", "{has: {port: 80}}", ["a.tls.on"]),
    ("{port: 80, tls: {on: true, v: 1}}", "{has: {tls: {has: {on: true}}}}", ["a.port", "a.tls.v"]),
    ("{port: 80, x: null}", "{has: {port: 80}}", ["a.x"]), ("{port: 80, x: 1}", "{exactly: {port: 80, x: 1}}", []),
]  # fmt: skip


@pytest.mark.parametrize(("after", "to", "rest"), HAS)
def test_rule_08_a_mapping_that_has_fits_is_explained_as_far_as_it_is_listed(
    after: str, to: str, rest: list[str], tmp_path: pathlib.Path
) -> None:
    rules = f"must: [{{change: {{in: cfg, at: a, to: {to}}}}}]"
    verdict = judged(tmp_path, rules, {"cfg.yaml": "b: 1\n"}, {"cfg.yaml": f"b: 1\na: {after}\n"})
    assert (must(verdict).holds, left(verdict)) == (True, rest)


def test_rule_08_a_removed_row_is_explained_whole_but_not_the_one_that_replaced_it(tmp_path: pathlib.Path) -> None:
    rules = ruled('{change: {in: db, at: "orders[id=3]", op: removed, row: {item: pen}}}')
    assert judged(tmp_path, rules, SHOP, {"db.db": "DELETE FROM orders WHERE id = 3"}).outcome == "passed"
    verdict = judged(tmp_path, rules, SHOP, {"db.db": "REPLACE INTO orders VALUES (3, 'cap', 'new', NULL)"})
    assert (verdict.outcome, must(verdict).holds) == ("unmet", False)


CASCADE = "PRAGMA foreign_keys = ON; DELETE FROM orders WHERE id = 1;"
GONE = '{change: {in: db, at: "orders[id=1]", op: removed}}'
LINES = "{change: {in: db, table: lines, where: {order_id: 1}, op: removed, count: all}}"


def test_rule_09_nothing_is_explained_because_something_else_caused_it(tmp_path: pathlib.Path) -> None:
    assert left(judged(tmp_path, ruled(GONE), SHOP, {"db.db": CASCADE})) == ["lines[id=1]", "lines[id=2]"]
    assert judged(tmp_path, ruled(GONE, LINES), SHOP, {"db.db": CASCADE}).outcome == "passed"
    more = CASCADE + "DELETE FROM lines WHERE id = 3"
    assert left(judged(tmp_path, ruled(GONE, LINES), SHOP, {"db.db": more})) == ["lines[id=3]"]
    without = "DELETE FROM orders WHERE id = 1"
    assert judged(tmp_path, ruled(GONE, LINES), SHOP, {"db.db": without}).outcome == "unmet"
    triggered = {"db.db": "UPDATE orders SET state = 'done' WHERE id = 1"}
    state = '{change: {in: db, at: "orders[id=1].state", to: done}}'
    assert left(judged(tmp_path, ruled(state, allow=""), SHOP, triggered)) == ["audit[id=1]"]
    audit = '{change: {in: db, at: "audit[*]", op: added, row: {what: order 1}}}'
    assert judged(tmp_path, ruled(state, audit, allow=""), SHOP, triggered).outcome == "passed"


A, B, C = (f"{{change: {{in: cfg, at: {name}, to: 2}}}}" for name in "abc")
CHOICES: list[tuple[str, str, Outcome, list[str]]] = [
    (f"{{any: [{A}, {{all: [{A}, {B}]}}]}}", "a: 2\nb: 2\nc: 1\n", "passed", []),
    (f"{{any: [{A}, {{all: [{A}, {B}]}}]}}", "a: 2\nb: 2\nc: 2\n", "unmet", ["c"]),
    (f"{{any: [{A}, {{all: [{B}, {C}]}}]}}", "a: 2\nb: 2\nc: 2\n", "unmet", ["a"]),
    (f"{{any: [{{all: [{B}, {C}]}}, {A}]}}", "a: 2\nb: 1\nc: 1\n", "passed", []),
    (f"{{all: [{{any: [{A}, {B}]}}, {{any: [{B}, {C}]}}]}}", "a: 2\nb: 2\nc: 1\n", "passed", []),
    (f"{{all: [{{any: [{A}, {B}]}}, {{any: [{B}, {A}]}}]}}", "a: 2\nb: 1\nc: 1\n", "unmet", []),
    (f"{{all: [{{any: [{A}, {B}]}}, {{any: [{A}, {C}]}}]}}", "a: 2\nb: 2\nc: 2\n", "unmet", ["b"]),
    (f"{{any: [{A}, {B}]}}", "a: 9\nb: 1\nc: 1\n", "unmet", ["a"]),
    (f"{{order: [{A}, {A}]}}", "a: 2\nb: 1\nc: 1\n", "unmet", ["a"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "after", "outcome", "rest"), CHOICES)
def test_rule_10_of_the_choices_under_any_the_one_that_leaves_least_unexplained_counts(
    rule: str, after: str, outcome: Outcome, rest: list[str], tmp_path: pathlib.Path
) -> None:
    states: list[State] = [{"cfg.yaml": "a: 1\nb: 1\nc: 1\n"}, {"cfg.yaml": after}]
    verdict = judged(tmp_path, ruled(rule, allow=""), *states)
    assert (verdict.outcome, left(verdict)) == (outcome, rest)


def test_rule_10_what_stands_under_not_and_order_and_in_veto_and_bonus_explains_nothing(tmp_path: pathlib.Path) -> None:
    states: list[State] = [{"cfg.yaml": "a: 1\nb: 1\n"}, {"cfg.yaml": "a: 2\nb: 1\n"}, {"cfg.yaml": "a: 2\nb: 2\n"}]
    wrong = "{change: {in: cfg, at: b, to: 9}}"
    for more in (f"bonus: [{B}]", f"veto: [{wrong}]", f"bonus: [{{not: {wrong}}}]"):
        assert left(judged(tmp_path, ruled(A, allow="", more=more), *states)) == ["b"]
    assert left(judged(tmp_path, ruled(A, f"{{not: {wrong}}}", allow=""), *states)) == ["b"]
    assert left(judged(tmp_path, ruled(f"{{order: [{A}, {B}]}}", allow=""), *states)) == ["a", "b"]


def test_rule_11_a_change_goes_to_a_must_before_an_allow_and_max_bounds_the_rest(tmp_path: pathlib.Path) -> None:
    edit = {"db.db": "UPDATE orders SET state = 'done' WHERE id < 4"}
    rule = '{change: {in: db, at: "orders[id=2].state", to: done}}'
    for most, rest in ((0, ["1", "3"]), (1, ["3"]), (2, [])):
        allow = (
            f'allow: [{{in: db, at: "orders[*].state", to: done, max: {most}}}, {{in: db, at: "audit[*]", rest: any}}]'
        )
        verdict = judged(tmp_path, ruled(rule, allow=allow), SHOP, edit)
        assert left(verdict) == [f"orders[id={number}].state" for number in rest]
        assert must(verdict).holds is True
    nobody = '{change: {in: db, at: "orders[id=9].state", to: done}}'
    verdict = judged(
        tmp_path, ruled(nobody, allow='allow: [{in: db, at: "**", rest: any, to: {absent: false}}]'), SHOP, edit
    )
    assert (verdict.outcome, left(verdict)) == ("unmet", [])


def test_rule_11_an_allow_that_would_hide_a_wrong_value_is_refused(tmp_path: pathlib.Path) -> None:
    rule = '{change: {in: db, at: "orders[id=2].state", to: done}}'
    for place in ('at: "orders[*].state"', "table: orders", 'at: "**"', 'at: "orders[id=2]", op: modified'):
        assert "allows any value where the must" in refused(
            tmp_path, ruled(rule, allow=f"allow: [{{in: db, {place}}}]"), SHOP
        )
    for place in ('at: "orders[*].note"', 'at: "orders[*].state", to: late', 'at: "orders[id=1]"', "table: lines"):
        assert refused(tmp_path, ruled(rule, allow=f"allow: [{{in: db, {place}}}]"), SHOP) == ""


def test_rule_11_a_wrong_value_in_the_right_place_is_reported_once_with_what_was_wanted(tmp_path: pathlib.Path) -> None:
    rule = '{change: {in: db, at: "orders[id=2].state", from: new, to: done}}'
    verdict = judged(tmp_path, ruled(rule), SHOP, {"db.db": "UPDATE orders SET state = 'Done' WHERE id = 2"})
    (near,) = must(verdict).near
    assert (near.change.address, near.wanted, near.got) == ("orders[id=2].state", 'to "done"', '"Done" (str)')
    assert left(verdict) == ["orders[id=2].state"]
    elsewhere = judged(tmp_path, ruled(rule), SHOP, {"db.db": "UPDATE orders SET note = 'done' WHERE id = 2"})
    assert must(elsewhere).near == ()


def test_rule_12_a_veto_reads_what_ignore_takes_out_and_both_in_one_task_are_refused(tmp_path: pathlib.Path) -> None:
    edit = {"db.db": "DELETE FROM lines WHERE id = 1; UPDATE orders SET state = 'done' WHERE id = 1"}
    rule = '{change: {in: db, at: "orders[id=1].state", to: done}}'
    ignore = 'ignore: [{in: db, at: "lines[*]", op: %s}]'
    whole = "veto: [{value: {in: db, query: SELECT count(*) FROM lines, is: {lt: 3}}}]"
    assert judged(tmp_path, ruled(rule, more=ignore % "removed"), SHOP, edit).outcome == "passed"
    assert judged(tmp_path, ruled(rule, more=ignore % "removed" + "\n" + whole), SHOP, edit).outcome == "vetoed"
    lost = "\nveto: [{change: {in: db, table: lines, op: removed}}]"
    assert "ignores changes that the veto" in refused(tmp_path, ruled(rule, more=ignore % "removed" + lost), SHOP)
    assert refused(tmp_path, ruled(rule, more=ignore % "modified" + lost), SHOP) == ""
    asked = 'ignore: [{in: db, at: "orders[*].state"}]'
    assert "ignores changes that the must" in refused(tmp_path, ruled(rule, more=asked), SHOP)


def test_rule_13_a_file_with_a_source_of_its_own_is_left_out_of_the_tree_around_it(tmp_path: pathlib.Path) -> None:
    start: State = {
        "db.db": "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY);",
        "cfg.yaml": "a: 1\n",
    }
    edit: State = {"db.db": "INSERT INTO t VALUES (1)", "cfg.yaml": "a: 2\n"}
    rules = "must: [{change: {in: cfg, at: a, to: 2}}, {change: {in: db, table: t, op: added}}]"
    verdict = judged(tmp_path, rules, start, edit, tree="files")
    assert (verdict.outcome, left(verdict)) == ("passed", [])
    assert verdict.scope == ("files (without cfg.yaml, db.db, which other sources hold)", "db", "cfg")
    verdict = judged(tmp_path, rules, start, {**edit, "cfg.yml": "a: 2\n", "db.db-copy": "x"}, tree="files")
    assert sorted({item.partition(".")[0] for item in left(verdict)}) == ["cfg", "db"]
    half = "must: [{change: {in: cfg, at: a, to: 2}}]"
    assert left(judged(tmp_path, half, start, edit, tree="files")) == ["t[id=1]"]


IGNORED_ROWS: list[tuple[str, str, list[str]]] = [
    ("row: {n: 1}", "1, 'plain'", []), ("row: {n: 1}", "1, 'evil'", ["log[id=1].kind"]),
    ("row: {n: 1}, rest: any", "1, 'evil'", []), ("row: {n: 2}", "1, 'plain'", ["log[id=1]"]),
    ("rest: default", "1, 'evil'", []), ("to: {has: {n: 1}}", "1, 'evil'", ["log[id=1].kind"]),
]  # fmt: skip


@pytest.mark.parametrize(("said", "values", "over"), IGNORED_ROWS)
def test_rule_12_an_ignore_that_says_what_a_row_holds_drops_no_more_than_it_says(
    said: str, values: str, over: list[str], tmp_path: pathlib.Path
) -> None:
    """One column named, an agent could write into the others what it liked."""
    start = "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1);"
    start += "CREATE TABLE log(id INTEGER PRIMARY KEY, n INT, kind TEXT DEFAULT 'plain');"
    rules = 'must: [{change: {in: db, at: "t[id=1].v", to: 2}}]\n'
    rules += f'ignore: [{{in: db, at: "log[*]", op: added, {said}}}]'
    verdict = judged(
        tmp_path, rules, {"db.db": start}, {"db.db": f"UPDATE t SET v = 2; INSERT INTO log VALUES (1, {values})"}
    )
    assert left(verdict) == over
