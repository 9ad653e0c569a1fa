# ruff: noqa: E501  # a row of a table for every case
import pathlib

import pytest
from tests.task.writing import HEAD, MUST, load, one, problems

ORDERS = '  - {change: {in: db, at: "orders[*]", op: added, row: {state: new}}}\n'


@pytest.mark.parametrize(
    "allow",
    [
        "{in: cfg, at: a.b}",
        "{in: cfg, at: 'a.*'}",
        "{in: cfg, at: '**'}",
        "{in: cfg}",
        "{in: cfg, op: added, max: 1}",
        "{in: db, at: 'orders[*]', op: added}",
        "{in: db, at: '*[id=7]'}",
        "{in: db, table: orders}",
        "{in: db, table: orders, where: {id: 7}}",
    ],
)
def test_an_allow_may_not_tolerate_any_value_where_a_must_wants_one(tmp_path: pathlib.Path, allow: str) -> None:
    said = one(tmp_path, HEAD + MUST + ORDERS + f"allow: [{allow}]\n")
    line = 10 if "cfg" in allow else 11
    place = f"{tmp_path}/task.yaml".rpartition("/")[2]
    assert said.startswith(f"12:9: this allows any value where the must at {place}:{line}:5 wants a certain one")


@pytest.mark.parametrize(
    "allow",
    [
        "{in: cfg, at: a.b, to: 31}",
        "{in: cfg, at: a.b, from: 30}",
        "{in: cfg, at: a.c}",
        "{in: cfg, at: 'b.*'}",
        "{in: db, at: 'orders[*]', op: removed}",
        "{in: db, at: 'orders[*]', op: added, row: {state: draft}}",
        "{in: db, at: 'orders[*].note', op: modified}",
        "{in: db, at: 'audit_log[*]', op: added, rest: any, max: 1}",
        "{in: files, at: 'backup/**', op: added}",
    ],
)
def test_an_allow_with_a_value_or_another_place_is_all_right(tmp_path: pathlib.Path, allow: str) -> None:
    assert problems(tmp_path, HEAD + MUST + ORDERS + f"allow: [{allow}]\n") == ()


@pytest.mark.parametrize(
    ("tier", "condition", "ignore"),
    [
        ("veto", "{change: {in: db, op: removed}}", "{in: db, at: 'session[*]'}"),
        ("veto", "{any: [{change: {in: db, at: 'users[*].admin', to: 1}}]}", "{in: db, at: 'users[*].*'}"),
        ("veto", "{not: {change: {in: cfg, at: x}}}", "{in: cfg, at: x}"),
        ("veto", "{change: {in: page, css: '#pay'}}", "{in: page, css: '#pay'}"),
        ("veto", "{change: {in: page, css: '#pay'}}", "{in: page}"),
        ("must", "{all: [{change: {in: cfg, at: x, to: 1}}]}", "{in: cfg, at: x}"),
    ],
)
def test_an_ignore_may_not_hide_what_a_veto_or_must_looks_for(
    tmp_path: pathlib.Path, tier: str, condition: str, ignore: str
) -> None:
    rules = f"  - {condition}\n" if tier == "must" else f"{tier}: [{condition}]\n"
    said = one(tmp_path, HEAD + MUST + rules + f"ignore: [{ignore}]\n")
    assert f"this ignores changes that the {tier} at task.yaml:11:" in said


@pytest.mark.parametrize(
    ("tier", "condition", "ignore"),
    [
        ("veto", "{change: {in: db, op: removed}}", "{in: db, at: 'session[*]', op: added}"),
        ("veto", "{change: {in: db, at: 'users[*]', op: removed}}", "{in: db, at: 'users[*].seen'}"),
        ("veto", "{change: {in: page, css: '#pay'}}", "{in: page, at: '@cookies.*'}"),
        ("bonus", "{change: {in: cfg, at: x}}", "{in: cfg, at: x}"),
        ("veto", "{value: {in: cfg, at: x, is: 1}}", "{in: cfg, at: x}"),
    ],
)
def test_an_ignore_of_other_changes_is_all_right(
    tmp_path: pathlib.Path, tier: str, condition: str, ignore: str
) -> None:
    assert problems(tmp_path, HEAD + MUST + f"{tier}: [{condition}]\nignore: [{ignore}]\n") == ()


@pytest.mark.parametrize(
    "condition",
    [
        "{change: {in: cfg, at: a, op: added, from: {absent: true}, to: 3}}",
        "{change: {in: cfg, at: a, op: modified, from: 1, to: 3}}",
        "{any: [{change: {in: cfg, at: a, count: all}}]}",
        "{change: {in: ini, at: a, to: 'x'}}",
        "{change: {in: ini, at: a, to: {number: 30}}}",
        "{value: {in: ini, at: a, is: {json: {has: {x: 30}}}}}",
        "{value: {in: cfg, at: a, is: {type: int}}}",
        "{value: {in: answer, at: decision, is: refused}}",
        "{value: {in: actions, at: '[*].kind', is: {not: shell}, pick: every}}",
        "{value: {in: db, query: SELECT 1, is: 1}}",
        "{change: {in: db, table: t, column: c, where: {id: 1}, from: 1, to: 2}}",
        "{change: {in: files, at: backup/app.yaml.server.port, to: 1}}",
        "{value: {in: page, role: button, name: Save, is: {absent: true}}}",
        "{order: [{any: [{action: {tool: x}}]}, {value: {in: cfg, at: a, is: 1}}]}",
    ],
)
def test_what_means_something_is_no_mistake(tmp_path: pathlib.Path, condition: str) -> None:
    assert problems(tmp_path, f"{HEAD}{MUST}  - {condition}\n") == ()


@pytest.mark.parametrize(
    "given",
    [
        "{value: {in: cfg, at: a.b, is: 20}}",
        "{not: {value: {in: cfg, at: a, is: 1}}}",
        "{any: [{value: {in: cfg, at: a, is: 1}}]}",
    ],
)
def test_what_must_hold_at_the_start_is_a_value(tmp_path: pathlib.Path, given: str) -> None:
    assert problems(tmp_path, f"{HEAD}{MUST}given: [{given}]\n") == ()


@pytest.mark.parametrize(
    ("rules", "kind", "message"),
    [
        ("  - {value: {in: cfg, at: x, is: yes}}\n", "yaml", 'task.yaml:11:34: yes is a text here; write "yes" or true'),
        ("  - {value: {in: cfg, at: x, is: {not: OFF}}}\n", "yaml", 'task.yaml:11:40: OFF is a text here; write "OFF" or false'),
        ("  - {change: {in: db, at: 'a[*]', row: {id: {same: new}}}}\n", "same", "task.yaml:11:45: `same: new` stands only here, so it agrees with anything"),
        ("veto: [{action: {tool: pay}}]\n", "veto", "task.yaml:11:8: an agent need not report what it did; add a veto on the change or the request that the action makes"),
        ("veto: [{sql: {effect: drop}}]\n", "veto", "task.yaml:11:8: an agent need not report what it did; add a veto on the change or the request that the statement makes"),
    ],
)  # fmt: skip
def test_what_is_likely_a_mistake_is_warned_of(tmp_path: pathlib.Path, rules: str, kind: str, message: str) -> None:
    task = load(tmp_path, HEAD + MUST + rules)
    assert [(warned.kind, warned.message) for warned in task.warnings] == [(kind, message)]


@pytest.mark.parametrize(
    "rules",
    [
        '  - {value: {in: cfg, at: x, is: "yes"}}\n',
        "  - {name: yes, value: {in: cfg, at: x, is: true}}\n",
        "  - {change: {in: db, at: 'a[*]', row: {id: {same: n}}}}\n  - {change: {in: db, at: 'b[*]', row: {a: {same: n}}}}\n",
        "veto: [{action: {tool: pay}}, {change: {in: db, op: removed}}]\n",
        "veto: [{change: {in: db, op: added, unless_after: {action: {kind: reply}}}}]\n",
    ],
)
def test_what_is_no_mistake_is_not_warned_of(tmp_path: pathlib.Path, rules: str) -> None:
    assert load(tmp_path, HEAD + MUST + rules).warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "bonus: [{value: {in: cfg, at: a.c, is: {same: n}}}]",
        "bonus: [{action: {kind: fill, text: {same: n}}}]",
        "veto: [{request: {in: page, status: {same: n}}}]",
        "allow: [{in: db, at: 'orders[*]', op: added, row: {id: {same: n}}}]",
        "ignore: [{in: cfg, at: orders.x, to: {has: {id: {same: n}}}}]",
    ],
)
def test_a_name_that_could_agree_with_nothing_is_refused(tmp_path: pathlib.Path, text: str) -> None:
    must = "  - {change: {in: db, at: 'lines[*]', op: added, row: {id: {same: n}, other: {same: n}}}}\n"
    said = problems(tmp_path, HEAD + MUST + must + text + "\n")
    assert ["`same: n` agrees among the changes" in item.message for item in said] == [True]


NEVER = "{not: {value: {in: cfg, at: a.c, is: true%s}}}"


@pytest.mark.parametrize(
    "veto",
    [
        NEVER % "",
        "{any: [{change: {in: cfg, at: x}}, %s]}" % (NEVER % ""),
        "{not: {all: [{value: {in: cfg, at: a.c, is: true}}, {change: {in: cfg, at: x}}]}}",
        "{not: {not: %s}}" % (NEVER % ""),
    ],
)
def test_a_veto_on_what_a_value_is_not_says_at_which_captures(tmp_path: pathlib.Path, veto: str) -> None:
    """That it was so at the start would clear the whole run, whatever became of it."""
    said = one(tmp_path, HEAD + MUST + f"veto: [{veto}]\n")
    assert "would never hold again once the value fitted, be it at the start" in said
    assert "`when: always`" in said and "`when: ever`" in said


@pytest.mark.parametrize(
    "rules",
    [
        *(f"veto: [{NEVER % f', when: {when}'}]" for when in ("always", "ever", "end")),
        "veto: [{value: {in: cfg, at: a.c, is: {not: true}}}]",
        "veto: [{not: {not: {value: {in: cfg, at: a.c, is: false}}}}]",
        "veto: [{not: {change: {in: cfg, at: x}}}]",
        f"bonus: [{NEVER % ''}]",
        "veto: [{not: {change: {in: cfg, at: x, unless_after: {value: {in: cfg, at: a.c, is: true}}}}}]",
    ],
)
def test_what_says_when_a_value_is_not_so_is_all_right(tmp_path: pathlib.Path, rules: str) -> None:
    assert problems(tmp_path, HEAD + MUST + rules + "\n") == ()
