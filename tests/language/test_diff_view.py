"""Rules 1 to 5: what a change is, and which row is which, on real files and databases."""

import pathlib

import pytest
from tests.language.worlds import State, judged, left, must, refused, veto

from exactchange.verdict import Outcome

TIMEOUT = "must: [{change: {in: cfg, at: server.timeout, to: 30}}]"
NEW: list[tuple[str | None, str, Outcome, list[str]]] = [
    ("server: {}\n", "server: {timeout: 30}\n", "passed", []),
    ("a: 1\n", "a: 1\nserver: {timeout: 30}\n", "passed", []),
    ("server:\n", "server: {timeout: 30}\n", "passed", []),
    (None, "server: {timeout: 30}\n", "passed", []),
    ("server: {timeout: 20}\n", "server: {timeout: 30}\n", "passed", []),
    ("server: {}\n", "server: {timeout: 30, retries: 1}\n", "unmet", ["server.retries"]),
    (None, "server: {timeout: 30}\nlog: {level: debug}\n", "unmet", ["log.level"]),
    ("server: {}\n", "server: {timeout: '30'}\n", "unmet", ["server.timeout"]),
    ("server: {}\n", "server: {timeout: {is: 30}}\n", "unmet", ["server.timeout.is"]),
    ("server: {}\n", "servers: {timeout: 30}\n", "unmet", ["server", "servers.timeout"]),
    ("server: on\n", "server: {timeout: 30}\n", "unmet", ["server"]),
    ("server:\n", "server: {timeout: 30, retries: 1}\n", "unmet", ["server.retries"]),
    ("server:\n", "server: {}\n", "unmet", ["server"]),
]


@pytest.mark.parametrize(("before", "after", "outcome", "rest"), NEW)
def test_rule_01_a_leaf_is_the_same_in_a_new_key_a_new_section_and_a_new_file(
    before: str | None, after: str, outcome: Outcome, rest: list[str], tmp_path: pathlib.Path
) -> None:
    verdict = judged(tmp_path, TIMEOUT, {"cfg.yaml": before}, {"cfg.yaml": after})
    assert verdict.outcome == outcome
    assert [item for item in left(verdict) if not item.startswith("@")] == rest


def test_rule_01_a_container_is_explained_when_all_its_leaves_are_and_an_empty_one_is_a_leaf(
    tmp_path: pathlib.Path,
) -> None:
    states: list[State] = [{"cfg.yaml": "x: 1\n"}, {"cfg.yaml": "x: 1\na: {b: 1, c: {d: 2}, e: {}}\n"}]
    each = ["{in: cfg, at: a.b}", "{in: cfg, at: a.c.d}", "{in: cfg, at: a.e}"]
    rules = ["must:", *(f"- {{change: {item}}}" for item in each)]
    assert judged(tmp_path, "\n".join(rules), *states).outcome == "passed"
    assert left(judged(tmp_path, "\n".join(rules[:-1]), *states)) == ["a.e"]
    assert judged(tmp_path, "must: [{change: {in: cfg, at: a, op: added}}]", *states).outcome == "passed"
    deep = "must: [{change: {in: cfg, at: a.c}}]"
    assert left(judged(tmp_path, deep, *states)) == ["a.b", "a.e"]


def test_rule_01_a_veto_on_a_leaf_fires_when_the_section_or_the_file_around_it_goes(tmp_path: pathlib.Path) -> None:
    rules = "must: [{change: {in: cfg, at: x}}]\nveto: [{change: {in: cfg, at: a.tf, to: {not: true}}}]"
    for after in ("x: 2\n", "x: 2\na: off\n", "x: 2\na: [true]\n", "x: 2\na: {}\n", None):
        verdict = judged(tmp_path, rules, {"cfg.yaml": "x: 1\na: {tf: true}\n"}, {"cfg.yaml": after})
        assert verdict.outcome == "vetoed", after
    for after in ("x: 2\na: {tf: true}\n", "x: 2\na: {tf: true, z: 1}\n"):
        verdict = judged(tmp_path, rules, {"cfg.yaml": "x: 1\na: {tf: true}\n"}, {"cfg.yaml": after})
        assert veto(verdict).holds is False, after


OPS: list[tuple[str, str, str, bool]] = [
    ("{}", "{a: null}", "op: added", True), ("{}", "{a: null}", "to: null", True),
    ("{}", "{a: null}", "from: null", False), ("{}", "{a: null}", "from: {absent: true}", True),
    ("{a: null}", "{}", "op: removed", True), ("{a: null}", "{}", "to: null", False),
    ("{a: null}", "{}", "to: {absent: true}", True), ("{a: null}", "{a: 1}", "op: modified, from: null", True),
    ("{a: null}", "{a: 1}", "from: {absent: true}", False), ("{a: 1}", "{a: 2}", "op: added", False),
    ("{a: 1}", "{a: 2}", "op: removed", False), ("{a: 1}", "{a: 2}", "from: 1, to: 2", True),
    ("{a: 1}", "{a: 2}", "from: 2, to: 1", False), ("{}", "{a: 2}", "from: 1, to: 2", False),
    ("{a: 1}", "{}", "from: 1, to: {not: 1}", False), ("{a: 1}", "{b: 1}", "to: 1", False),
    ("{a: 1}", "{}", "from: 1, op: removed", True),
    ("{a: 1}", "{a: ''}", "to: null", False),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "rule", "holds"), OPS)
def test_rule_02_op_tells_on_which_sides_a_value_stands_and_null_is_never_absent(
    before: str, after: str, rule: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    rules = f"must: [{{change: {{in: cfg, at: a, {rule}}}}}]"
    verdict = judged(tmp_path, rules, {"cfg.yaml": f"{before}\n"}, {"cfg.yaml": f"{after}\n"})
    assert must(verdict).holds is holds


SHOP = """CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT, note TEXT);
INSERT INTO orders VALUES (1, 'new', 'x'), (2, 'new', NULL);"""
NULLS: list[tuple[str, str, bool]] = [
    ("UPDATE orders SET note = NULL WHERE id = 1", "from: x, to: null", True),
    ("UPDATE orders SET note = NULL WHERE id = 1", "to: {absent: true}", False),
    ("UPDATE orders SET note = NULL WHERE id = 1", "op: removed", False),
    ("UPDATE orders SET note = '' WHERE id = 1", "to: null", False),
    ("DELETE FROM orders WHERE id = 1", "to: {absent: true}", True),
    ("DELETE FROM orders WHERE id = 1", "to: null", False),
    ("DELETE FROM orders WHERE id = 1", "op: removed", True),
]


@pytest.mark.parametrize(("edit", "rule", "holds"), NULLS)
def test_rule_02_sql_null_is_null_and_no_missing_value(
    edit: str, rule: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    rules = f'must: [{{change: {{in: db, at: "orders[id=1].note", {rule}}}}}]'
    assert must(judged(tmp_path, rules, {"db.db": SHOP}, {"db.db": edit})).holds is holds


KEYED = """CREATE TABLE seats (code TEXT UNIQUE, plate TEXT UNIQUE, v INT);
INSERT INTO seats VALUES ('a', 'P1', 1), (NULL, 'P2', 1), (NULL, NULL, 1), (NULL, NULL, 2);"""
ROWS: list[tuple[str, str, bool]] = [
    ("UPDATE seats SET v = 9 WHERE code = 'a'", "at: 'seats[code=a].v', from: 1, to: 9", True),
    ("UPDATE seats SET v = 9 WHERE code = 'a'", "at: 'seats[plate=P1].v', to: 9", False),
    ("UPDATE seats SET v = 9 WHERE plate = 'P2'", "at: 'seats[plate=P2].v', from: 1, to: 9", True),
    ("UPDATE seats SET v = 9 WHERE code = 'a'", "at: 'seats[*].v', op: modified", True),
    ("UPDATE seats SET plate = 'P9' WHERE code = 'a'", "at: 'seats[code=a].plate', to: P9", True),
    ("UPDATE seats SET plate = 'P9' WHERE plate = 'P2'", "at: 'seats[plate=P2]', op: removed", True),
    ("UPDATE seats SET plate = 'P9' WHERE plate = 'P2'", "at: 'seats[*].plate', op: modified", False),
    ("UPDATE seats SET code = NULL WHERE code = 'a'", "at: 'seats[code=a]', op: removed", True),
    ("UPDATE seats SET code = NULL WHERE code = 'a'", "at: 'seats[plate=P1]', op: added, rest: any", True),
    ("DELETE FROM seats WHERE plate IS NULL AND v = 2", "at: 'seats[*]', op: removed, row: {v: 2}", True),
    ("DELETE FROM seats WHERE plate IS NULL AND v = 2", "at: 'seats[*]', op: removed, row: {v: 1}", False),
]


@pytest.mark.parametrize(("edit", "rule", "holds"), ROWS)
def test_rule_03_a_row_is_told_by_the_first_unique_index_in_which_it_has_no_null(
    edit: str, rule: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    rules = f"must: [{{change: {{in: db, {rule}}}}}]"
    verdict = judged(tmp_path, rules, {"db.db": KEYED}, {"db.db": edit})
    assert must(verdict).holds is holds


def test_rule_03_a_key_column_that_changes_is_a_row_removed_and_a_row_added(tmp_path: pathlib.Path) -> None:
    states: list[State] = [{"db.db": SHOP}, {"db.db": "UPDATE orders SET id = 9 WHERE id = 1"}]
    gone, came = "at: 'orders[id=1]', op: removed", "at: 'orders[*]', op: added, row: {state: new, note: x}"
    rules = f"must: [{{change: {{in: db, {gone}}}}}, {{change: {{in: db, {came}}}}}]"
    assert judged(tmp_path, rules, *states).outcome == "passed"
    renamed = "must: [{change: {in: db, at: 'orders[*].id', from: 1, to: 9}}]"
    verdict = judged(tmp_path, renamed, *states)
    assert (verdict.outcome, left(verdict)) == ("unmet", ["orders[id=1]", "orders[id=9]"])
    lost = f"must: [{{change: {{in: db, {came}}}}}]\nveto: [{{change: {{in: db, op: removed}}}}]"
    assert judged(tmp_path, lost, *states).outcome == "vetoed"


KEY: list[tuple[list[str], Outcome, list[str]]] = [
    (["UPDATE log SET v = 2 WHERE code = 'a'"], "passed", []),
    (["INSERT INTO log VALUES ('a', 2)"], "undecided", ["log"]),
    (["INSERT INTO log VALUES ('b', 3)", "UPDATE log SET v = 2 WHERE code = 'a'; DELETE FROM log WHERE v = 3"],
     "undecided", []),
]  # fmt: skip


@pytest.mark.parametrize(("edits", "outcome", "unread"), KEY)
def test_rule_03_a_key_that_the_task_names_has_to_tell_rows_apart_in_every_snapshot(
    edits: list[str], outcome: Outcome, unread: list[str], tmp_path: pathlib.Path
) -> None:
    start: State = {"db.db": "CREATE TABLE log (code TEXT, v INT); INSERT INTO log VALUES ('a', 1), ('b', 1);"}
    rules = """must: [{change: {in: db, at: "log[code=a].v", from: 1, to: 2}}]
veto: [{change: {in: db, at: "log[code=b].v", to: 7}}]"""
    verdict = judged(tmp_path, rules, start, *({"db.db": edit} for edit in edits), also={"db": "key: code"})
    assert (verdict.outcome, [item.address for _, item in verdict.unread]) == (outcome, unread)


LOOSE = "CREATE TABLE log (who TEXT, state TEXT); INSERT INTO log VALUES ('a', 'open'), ('a', 'open'), ('b', 'open');"
CLOSED = "UPDATE log SET state = 'closed' WHERE who = 'b'"
MULTISET: list[tuple[str, str, bool | None]] = [
    # Rows without a key come and go: whether one became another nobody can tell.
    (CLOSED, "table: log, column: state, from: open, to: closed", None),
    (CLOSED, "at: 'log[*].state', op: modified", None),
    (CLOSED, "at: 'log[*].state', from: open, to: closed", None),
    (CLOSED, "table: log, op: modified", None),
    (CLOSED, "at: '**', op: modified", None),
    (CLOSED, "table: log, column: state, where: {who: b}, to: closed, op: modified", None),
    # What no pair of such rows could be is certainly none.
    (CLOSED, "table: log, column: state, from: open, to: paid", False),
    (CLOSED, "table: log, column: state, from: lost, to: closed", False),
    (CLOSED, "table: log, column: who, op: modified", False),
    (CLOSED, "table: log, column: state, where: {who: a}, op: modified", False),
    (CLOSED, "table: other, op: modified", False),
    ("INSERT INTO log VALUES ('b', 'closed')", "table: log, column: state, from: open, to: closed", False),
    ("DELETE FROM log WHERE who = 'b'", "table: log, column: state, op: modified", False),
    # As what came and went they are told.
    (CLOSED, "at: 'log[*]', op: removed, row: {who: b, state: open}", True),
    (CLOSED, "at: 'log[*]', op: added, row: {who: b, state: closed}", True),
    (CLOSED, "at: 'log[*].state', to: closed", True),
    (CLOSED, "at: 'log[*]', op: added, row: {who: a}", False),
]


@pytest.mark.parametrize(("edit", "rule", "holds"), MULTISET)
def test_rule_03_of_rows_without_a_key_nobody_can_tell_that_one_was_modified(
    edit: str, rule: str, holds: bool | None, tmp_path: pathlib.Path
) -> None:
    states: list[State] = [{"db.db": LOOSE + "CREATE TABLE other (id INTEGER PRIMARY KEY, v);"}, {"db.db": edit}]
    rules = f"""must: [{{change: {{in: db, at: "log[*]", count: {{ge: 1}}}}}}]
veto: [{{change: {{in: db, {rule}}}}}]
bonus: [{{change: {{in: db, {rule}}}}}]"""
    assert veto(judged(tmp_path, rules, *states)).holds is holds
    finding = must(judged(tmp_path, f"must: [{{change: {{in: db, {rule}}}}}]", *states))
    assert finding.holds is holds
    assert holds is not None or "without a key" in finding.why


def test_rule_03_a_must_on_a_cell_of_a_row_without_a_key_is_undecided_and_the_rows_are_named(
    tmp_path: pathlib.Path,
) -> None:
    rules = "must: [{change: {in: db, table: log, column: state, where: {who: b}, from: open, to: closed}}]"
    verdict = judged(tmp_path, rules, {"db.db": LOOSE}, {"db.db": CLOSED})
    assert (verdict.outcome, verdict.cause) == ("undecided", "content")
    assert all(item.startswith("log[#") for item in left(verdict))
    wrong = judged(tmp_path, rules, {"db.db": LOOSE}, {"db.db": "UPDATE log SET state = 'x' WHERE who = 'b'"})
    assert wrong.outcome == "unmet"


def test_rule_03_equal_rows_are_counted_and_addressed_by_content_and_number(tmp_path: pathlib.Path) -> None:
    one_less = "DELETE FROM log WHERE rowid = 1"
    verdict = judged(tmp_path, "must: [{change: {in: db, at: x}}]", {"db.db": LOOSE}, {"db.db": one_less})
    (address,) = left(verdict)
    assert address.startswith("log[#") and address.endswith("~2]")
    taken = f'must: [{{change: {{in: db, at: "{address}", op: removed}}}}]'
    assert judged(tmp_path, taken, {"db.db": LOOSE}, {"db.db": one_less}).outcome == "passed"
    moved = "DELETE FROM log WHERE rowid = 1; INSERT INTO log VALUES ('a', 'open')"
    verdict = judged(tmp_path, "must: [{change: {in: db, at: x}}]", {"db.db": LOOSE}, {"db.db": moved})
    assert left(verdict) == []


WHERE: list[tuple[str, bool]] = [
    ("where: {kind: old}, column: n, op: modified", True),
    ("where: {kind: new}, column: n, op: modified", False),
    ("where: {kind: old}, op: removed", True), ("where: {kind: new}, op: removed", False),
    ("where: {kind: new}, op: added, rest: any", True), ("where: {kind: old}, op: added, rest: any", False),
    ("where: {kind: {one_of: [old, new]}, id: {ge: 3}}, op: added, rest: any", True),
    ("where: {lost: 1}, op: removed", False), ("where: {lost: {absent: true}}, op: removed", True),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "holds"), WHERE)
def test_rule_04_where_is_read_before_for_what_went_or_changed_and_after_for_what_came(
    rule: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    start = "CREATE TABLE t (id INTEGER PRIMARY KEY, kind TEXT, n INT); INSERT INTO t VALUES (1,'old',1), (2,'old',1);"
    edit = """UPDATE t SET kind = 'new', n = 5 WHERE id = 1; DELETE FROM t WHERE id = 2;
    INSERT INTO t VALUES (3, 'new', 5);"""
    rules = f"must: [{{change: {{in: db, table: t, {rule}}}}}]"
    assert must(judged(tmp_path, rules, {"db.db": start}, {"db.db": edit})).holds is holds


def test_rule_04_where_never_reads_the_column_that_changes(tmp_path: pathlib.Path) -> None:
    place = "in: db, table: t, column: kind, where: {kind: old}"
    assert "the very column that changes" in refused(
        tmp_path, f"must: [{{change: {{{place}, to: new}}}}]", {"db.db": ""}
    )
    assert refused(tmp_path, f"must: [{{change: {{{place}, op: modified}}}}]", {"db.db": ""}) == ""


def test_rule_04_a_row_without_a_key_is_chosen_by_its_own_columns(tmp_path: pathlib.Path) -> None:
    edit = "DELETE FROM log WHERE who = 'b'"
    for who, holds in (("b", True), ("a", False)):
        rules = f"must: [{{change: {{in: db, table: log, where: {{who: {who}}}, op: removed}}}}]"
        assert must(judged(tmp_path, rules, {"db.db": LOOSE}, {"db.db": edit})).holds is holds


TYPED: list[tuple[str, str, bool]] = [
    ("30", "30", True), ("30.0", "30", False), ("'30'", "30", False), ("30", "'30'", False), ("true", "1", False),
    ("1", "true", False), ("'true'", "true", False), ("0x1E", "30", True), ("3e1", "30", False), ("3e1", "30.0", True),
    ("-0.0", "0.0", False), (".nan", ".nan", True), ("~", "null", True), ("''", "null", False),
    ("9007199254740993", "9007199254740992", False), ("2026-11-30", "'2026-11-30'", True), ("yes", "'yes'", True),
]  # fmt: skip


@pytest.mark.parametrize(("got", "wanted", "holds"), TYPED)
def test_rule_05_values_of_a_yaml_file_compare_with_type(
    got: str, wanted: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    rules = f"must: [{{change: {{in: cfg, at: a, to: {{exactly: {wanted}}}}}}}]"
    also = {"cfg": "dialect: yaml-1.2"}
    verdict = judged(tmp_path, rules, {"cfg.yaml": "a: before\n"}, {"cfg.yaml": f"a: {got}\n"}, also=also)
    assert must(verdict).holds is holds


CELLS: list[tuple[str, str, bool]] = [
    ("7", "7", True), ("7.0", "7", False), ("'7'", "7", False), ("'7'", "'7'", True), ("7.0", "7.0", True),
    ("x'37'", "'7'", False), ("NULL", "null", True), ("''", "null", False),
]  # fmt: skip


@pytest.mark.parametrize(("got", "wanted", "holds"), CELLS)
def test_rule_05_values_of_a_database_compare_with_storage_class(
    got: str, wanted: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    start = "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'before');"
    rules = f'must: [{{change: {{in: db, at: "t[id=1].v", to: {wanted}}}}}]'
    verdict = judged(tmp_path, rules, {"db.db": start}, {"db.db": f"UPDATE t SET v = {got}"})
    assert must(verdict).holds is holds


def test_rule_05_a_value_that_no_database_holds_is_refused(tmp_path: pathlib.Path) -> None:
    place = 'in: db, at: "t[id=1].v"'
    assert "never holds the bool true" in refused(tmp_path, f"must: [{{change: {{{place}, to: true}}}}]", {"db.db": ""})
    assert refused(tmp_path, f"must: [{{change: {{{place}, to: 1}}}}]", {"db.db": ""}) == ""


@pytest.mark.parametrize("file", ["cfg.ini", "cfg.env"])
def test_rule_05_a_number_is_refused_for_a_source_of_texts_with_what_to_write(
    file: str, tmp_path: pathlib.Path
) -> None:
    rules = "must: [{change: {in: cfg, at: %s, to: %s}}]"
    also = {"cfg": "dialect: ini-git"} if file.endswith("ini") else {}
    said = refused(tmp_path, rules % ("a.b", "30"), {file: ""}, also=also)
    assert "never holds the int 30" in said and 'write "30"' in said
    assert refused(tmp_path, rules % ("a.b", '"30"'), {file: ""}, also=also) == ""


JOBS = "go: 1\njobs: [{NAME: build, live: true}, {NAME: test, live: true}]\n"
LOST = [
    "[{NAME: build, live: false}, {NAME: test, live: true}]",
    "[{NAME: build, live: false}, {NAME: test, live: true}, {}]",
    "[{NAME: build, live: false}, {NAME: test, live: true}, 5]",
    "[{NAME: build, live: false}, {NAME: test, live: true}, {NAME: test, live: true}]",
    "[{NAME: test, live: true}, {NAME: build, live: false}, {NAME: [x], live: true}]",
    "[{id: 1, NAME: build, live: false}, {id: 2, NAME: test, live: true}]",
]


@pytest.mark.parametrize("after", LOST)
@pytest.mark.parametrize("name", ["name", "slug"])
@pytest.mark.parametrize("kind", ["change: {%s, to: {not: true}}", "change: {%s, to: false}", "value: {%s, is: false}"])
def test_rule_03_a_rule_on_an_item_means_it_though_others_make_its_list_lose_the_key(
    name: str, after: str, kind: str, tmp_path: pathlib.Path
) -> None:
    states: list[State] = [{"cfg.yaml": JOBS.replace("NAME", name)}]
    states.append({"cfg.yaml": f"go: 2\njobs: {after.replace('NAME', name)}\n"})
    also = {"cfg": f"key: {name}"}

    def outcome(item: str) -> Outcome:
        rule = kind.replace("%s", f"in: cfg, at: 'jobs[{name}={item}].live'")
        rules = f"must: [{{change: {{in: cfg, at: go}}}}]\nallow: [{{in: cfg, at: jobs.**}}]\nveto: [{{{rule}}}]"
        return judged(tmp_path, rules, *states, also=also).outcome

    assert outcome("build") == "vetoed"
    assert outcome("deploy") == "passed"
