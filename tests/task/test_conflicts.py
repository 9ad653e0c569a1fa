# ruff: noqa: E501  # a row of a table for every case
"""Rules of which no run can meet both are told of at `check`, and rules that only look like it are not."""

import pathlib

import pytest
from tests.task.writing import HEAD, MUST, load, one, problems

START = "  - {change: {in: cfg, at: name, to: x}}\n"  # so that there is something else to reach


def text(musts: str, more: str = "") -> str:
    return f"{HEAD}must:\n{musts}{more}"


def must(*rules: str) -> str:
    return "".join(f"  - {rule}\n" for rule in rules)


TWO_VALUES = [
    ("{change: {in: cfg, at: a, to: 1}}", "{change: {in: cfg, at: a, to: 2}}"),
    ("{change: {in: cfg, at: a, to: 1}}", "{value: {in: cfg, at: a, is: 2}}"),
    ("{value: {in: cfg, at: a, is: 1}}", '{value: {in: cfg, at: a, is: "1"}}'),
    ("{value: {in: cfg, at: a, is: 1}}", "{value: {in: cfg, at: '[\"a\"]', is: 1.0}}"),
    ("{value: {in: cfg, at: a, is: {ge: 5}}}", "{value: {in: cfg, at: a, is: {lt: 5}}}"),
    ("{value: {in: cfg, at: a, is: {type: int}}}", "{value: {in: cfg, at: a, is: {contains: x}}}"),
    ("{value: {in: cfg, at: a, is: {one_of: [1, 2]}}}", "{change: {in: cfg, at: a, to: {one_of: [3, 4]}}}"),
    ("{value: {in: db, at: 'orders[id=7].state', is: paid}}", "{change: {in: db, at: 'orders[id=7].state', to: open}}"),
    ("{change: {in: db, at: 'orders[id=7]', op: removed}}", "{change: {in: db, at: 'orders[id=7]', op: added, to: {has: {state: x}}}}"),
    ("{value: {in: page, label: Name, field: value, is: Ada}}", "{value: {in: page, field: value, label: Name, is: Bob}}"),
    ("{value: {in: files, at: a.txt.x, is: 1}}", "{value: {in: files, at: a.txt.x, is: 2}}"),
    ("{value: {in: cfg, at: a, is: 1, when: always}}", "{change: {in: cfg, at: a, from: 2, to: 1}}"),
]  # fmt: skip


@pytest.mark.parametrize("rules", TWO_VALUES)
@pytest.mark.parametrize("under_all", [False, True])
def test_two_musts_may_not_want_different_values_in_one_place(
    tmp_path: pathlib.Path, rules: tuple[str, str], under_all: bool
) -> None:
    body = must(rules[0], f"{{all: [{rules[1]}]}}" if under_all else rules[1])
    said = one(tmp_path, text(START + body))
    assert said.startswith("12:") and "has to be" in said and "by the must at task.yaml:11:5; nothing is both" in said


@pytest.mark.parametrize(
    "rules",
    [
        ("{change: {in: cfg, at: a, to: 1}}", "{change: {in: cfg, at: b, to: 2}}"),
        ("{change: {in: cfg, at: a, to: 1}}", "{value: {in: cfg, at: a, is: {ge: 1}}}"),
        ("{value: {in: cfg, at: a, is: {ge: 5}}}", "{value: {in: cfg, at: a, is: {le: 5}}}"),
        ("{value: {in: cfg, at: a, is: 1}}", "{any: [{value: {in: cfg, at: a, is: 2}}, {value: {in: cfg, at: b, is: 1}}]}"),
        ("{value: {in: cfg, at: a, is: 1, when: ever}}", "{value: {in: cfg, at: a, is: 2}}"),
        ("{value: {in: cfg, at: 'a.*', is: 1, pick: any}}", "{value: {in: cfg, at: 'a.*', is: 2, pick: any}}"),
        ("{value: {in: page, css: li, is: x, pick: any}}", "{value: {in: page, css: li, is: y, pick: any}}"),
        ("{value: {in: cfg, at: a, is: {same: n}}}", "{value: {in: cfg, at: a, is: {matches: 'x.*'}}}"),
        ("{value: {in: cfg, at: a, is: {matches: 'x.*'}}}", "{value: {in: cfg, at: a, is: {contains: y}}}"),
        ("{value: {in: db, query: SELECT 1, is: 1}}", "{value: {in: db, query: SELECT 2, is: 2}}"),
        ("{value: {in: cfg, at: a, is: 1}}", "{value: {in: answer, at: a, is: 2}}"),
        ("{change: {in: db, table: t, column: c, where: {id: 1}, to: 2}}", "{change: {in: db, table: t, column: c, where: {id: 2}, to: 3}}"),
        ("{change: {in: db, at: 'orders[*].state', to: a}}", "{change: {in: db, at: 'orders[*].state', to: b}}"),
        ("{value: {in: cfg, at: a, is: {exactly: {'@x': 1}}}}", "{value: {in: cfg, at: a, is: {has: {'@x': 1}}}}"),
    ],
)  # fmt: skip
def test_musts_that_one_state_can_meet_are_all_right(tmp_path: pathlib.Path, rules: tuple[str, str]) -> None:
    found = [item for item in problems(tmp_path, text(START + must(*rules))) if "same: n" not in item.message]
    assert found == []


def test_what_no_value_can_be_is_told_of_once(tmp_path: pathlib.Path) -> None:
    rules = must("{value: {in: cfg, at: a, is: {gt: 5, lt: 3}}}", "{value: {in: cfg, at: a, is: 1}}")
    assert "no value can be all of this" in one(tmp_path, text(START + rules))


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("{value: {in: cfg, at: a, is: 20}}", "{change: {in: cfg, at: a, from: 30, to: 40}}"),
        ("{value: {in: cfg, at: a, is: {absent: true}}}", "{change: {in: cfg, at: a, from: 30}}"),
        ("{value: {in: cfg, at: a, is: 20}}", "{change: {in: cfg, at: a, op: added, to: 3}}"),
        ("{all: [{value: {in: cfg, at: a, is: 20}}]}", "{value: {in: cfg, at: a, is: 30, when: always}}"),
    ],
)
def test_a_change_may_not_begin_where_given_says_that_something_else_stands(
    tmp_path: pathlib.Path, given: str, rule: str
) -> None:
    said = one(tmp_path, text(START + must(rule), f"given: [{given}]\n"))
    assert "at the start this has to be " in said


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("{value: {in: cfg, at: a, is: 20}}", "{change: {in: cfg, at: a, from: 20, to: 30}}"),
        ("{value: {in: cfg, at: a, is: 20}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{value: {in: cfg, at: a, is: {absent: true}}}", "{change: {in: cfg, at: a, op: added, to: 3}}"),
        ("{not: {value: {in: cfg, at: a, is: 20}}}", "{change: {in: cfg, at: a, from: 20, to: 30}}"),
        ("{any: [{value: {in: cfg, at: a, is: 10}}, {value: {in: cfg, at: a, is: 20}}]}", "{change: {in: cfg, at: a, from: 20}}"),
        ("{value: {in: cfg, at: a, is: {ge: 10}}}", "{change: {in: cfg, at: a, from: 20}}"),
        ("{value: {in: cfg, at: a, is: 20}}", "{value: {in: cfg, at: a, is: 30}}"),
    ],
)  # fmt: skip
def test_given_and_the_change_from_it_agree(tmp_path: pathlib.Path, given: str, rule: str) -> None:
    assert problems(tmp_path, text(START + must(rule), f"given: [{given}]\n")) == ()


@pytest.mark.parametrize(
    ("rules", "given"),
    [
        (["{change: {in: cfg, at: a, to: 20}}"], "{value: {in: cfg, at: a, is: 20}}"),
        (["{change: {in: cfg, at: a}}", "{value: {in: cfg, at: a, is: 20, when: always}}"], None),
        (["{change: {in: cfg, at: a, from: 20}}", "{value: {in: cfg, at: a, is: 20}}"], None),
    ],
)
def test_a_place_that_stays_as_it_is_cannot_have_to_change(
    tmp_path: pathlib.Path, rules: list[str], given: str | None
) -> None:
    said = one(tmp_path, text(START + must(*rules), f"given: [{given}]\n" if given else ""))
    assert "nothing changes here: it is 20 at the start and at the end, by " in said


@pytest.mark.parametrize(
    "rules",
    [
        ("{change: {in: cfg, at: a, from: 20}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{change: {in: cfg, at: a, to: 30}}", "{change: {in: cfg, at: a, to: {ge: 30}}}"),
        ("{change: {in: files, at: old.txt, op: removed}}", "{change: {in: files, at: old.txt, op: removed}}"),
        ("{change: {in: db, at: 'a[id=7]', op: removed}}", "{change: {in: db, at: 'a[id=7]', op: added, row: {b: x}}}"),
    ],
)
def test_one_change_cannot_meet_two_musts(tmp_path: pathlib.Path, rules: tuple[str, str]) -> None:
    said = one(tmp_path, text(START + must(*rules)))
    assert said.startswith("12:") and "this is one change, and it goes to the must at task.yaml:11:5 already" in said


@pytest.mark.parametrize(
    "rules",
    [
        ("{change: {in: db, at: 'orders[*]', op: added}}", "{change: {in: db, at: 'orders[*]', op: added}}"),
        ("{change: {in: cfg, at: server}}", "{change: {in: cfg, at: server}}"),
        ("{change: {in: cfg, at: a, to: 30}}", "{change: {in: cfg, at: a, to: 30, when: ever}}"),
        ("{change: {in: cfg, at: a, to: 30}}", "{change: {in: cfg, at: a, to: 31, count: 0}}"),
    ],
)
def test_musts_for_several_changes_are_all_right(tmp_path: pathlib.Path, rules: tuple[str, str]) -> None:
    assert problems(tmp_path, text(START + must(*rules))) == ()


FORBIDDEN = [
    ("{change: {in: cfg}}", "{change: {in: cfg, at: a, to: 30}}"),
    ("{change: {in: cfg, at: '**'}}", "{change: {in: cfg, at: a.b, to: 30}}"),
    ("{change: {in: cfg, at: 'a.*', to: {not: true}}}", "{change: {in: cfg, at: a.b, to: 30}}"),
    ("{change: {in: cfg, at: a.b, op: modified}}", "{change: {in: cfg, at: a.b, from: 20, to: 30}}"),
    ("{change: {in: cfg, at: a.b, from: 20}}", "{change: {in: cfg, at: a.b, from: 20, to: 30}}"),
    ("{any: [{action: {tool: x}}, {change: {in: cfg, at: a}}]}", "{change: {in: cfg, at: a.b, to: 30}}"),
    ("{change: {in: cfg, at: a, when: end}}", "{all: [{change: {in: cfg, at: a, count: {ge: 2}}}]}"),
    ("{change: {in: db, op: removed}}", "{change: {in: db, at: 'orders[id=7]', op: removed}}"),
    ("{change: {in: db, table: orders}}", "{change: {in: db, at: 'orders[*]', op: added, row: {state: new}}}"),
    ("{change: {in: db, at: 'orders[*]', op: added, row: {state: {not: draft}}}}", "{change: {in: db, at: 'orders[*]', op: added, row: {state: new}}}"),
    ("{change: {in: db, at: 'orders[*].state', to: new}}", "{change: {in: db, at: 'orders[*]', op: added, row: {state: new}}}"),
    ("{change: {in: db, at: 'orders[id=7].state'}}", "{change: {in: db, at: 'orders[id=7].state', to: paid}}"),
    ("{change: {in: files, at: 'backup/**'}}", "{change: {in: files, at: backup/a.yaml, op: added}}"),
    ("{change: {in: page, css: '#pay'}}", "{change: {in: page, css: '#pay', to: x}}"),
    ("{value: {in: cfg, at: a, is: 30}}", "{change: {in: cfg, at: a, to: 30}}"),
    ("{value: {in: cfg, at: a, is: {gt: 20}}}", "{value: {in: cfg, at: a, is: 30}}"),
    ("{action: {tool: x}}", "{action: {tool: x}}"),
    ("{name: never, request: {in: page, method: POST}}", "{name: sent, request: {in: page, method: POST}}"),
    ("{action: {tool: x}}", "{all: [{action: {tool: x}}]}"),
]  # fmt: skip


@pytest.mark.parametrize(("veto", "rule"), FORBIDDEN)
def test_a_veto_may_not_forbid_what_a_must_asks_for(tmp_path: pathlib.Path, veto: str, rule: str) -> None:
    said = one(tmp_path, text(START.replace("cfg", "ini") + must(rule), f"veto: [{veto}]\n"))
    assert said.startswith("11:") and "the veto at task.yaml:12:" in said and "so that no run can pass" in said


@pytest.mark.parametrize(
    ("veto", "rule"), [item for item in FORBIDDEN if "any:" not in item[0] and "when:" not in item[0]]
)
def test_a_must_may_not_be_the_contrary_of_another(tmp_path: pathlib.Path, veto: str, rule: str) -> None:
    body = START.replace("cfg", "ini") + must(rule, f"{{not: {veto}}}")
    said = one(tmp_path, text(body))
    assert said.startswith("11:") and "the must at task.yaml:12:1" in said and "forbids" in said


@pytest.mark.parametrize(
    ("veto", "rule"),
    [
        ("{change: {in: cfg, at: b}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{change: {in: cfg, at: a, to: 31}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{change: {in: cfg, at: a, to: {not: 30}}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{change: {in: cfg, at: '**', from: {not: Demo}}}", "{change: {in: cfg, at: a, from: Demo, to: 30}}"),
        ("{change: {in: cfg, op: removed}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{change: {in: cfg, at: a, count: {ge: 2}}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{change: {in: cfg, unless_after: {action: {kind: reply}}}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{all: [{change: {in: cfg}}, {action: {tool: x}}]}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{not: {change: {in: cfg}}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{change: {in: cfg}}", "{any: [{change: {in: cfg, at: a, to: 30}}, {change: {in: ini, at: a}}]}"),
        ("{change: {in: cfg, at: a, from: 1}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{change: {in: db, table: orders, where: {id: 8}}}", "{change: {in: db, at: 'orders[id=7].state', to: paid}}"),
        ("{change: {in: db, at: 'orders[*]', op: removed}}", "{change: {in: db, at: 'orders[*]', op: added}}"),
        ("{change: {in: db, at: 'orders[*]', op: added, row: {state: paid}}}", "{change: {in: db, at: 'orders[*]', op: added, row: {state: new}}}"),
        ("{value: {in: cfg, at: a, is: 30, when: always}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{value: {in: cfg, at: a, is: 31}}", "{change: {in: cfg, at: a, to: 30}}"),
        ("{action: {tool: x}}", "{action: {tool: y}}"),
        ("{action: {tool: x}}", "{any: [{action: {tool: x}}, {action: {tool: y}}]}"),
        ("{change: {in: page, css: '#pay'}}", "{change: {in: page, css: '#buy', to: x}}"),
    ],
)  # fmt: skip
def test_a_veto_beside_what_a_must_asks_for_is_all_right(tmp_path: pathlib.Path, veto: str, rule: str) -> None:
    assert problems(tmp_path, text(START.replace("cfg", "ini") + must(rule), f"veto: [{veto}]\n")) == ()


@pytest.mark.parametrize(
    ("veto", "wrong"),
    [("{value: {in: cfg, at: a, is: 20}}", True), ("{value: {in: cfg, at: a, is: 20, when: end}}", False)],
)
def test_a_veto_may_not_fire_on_the_world_as_it_begins(tmp_path: pathlib.Path, veto: str, wrong: bool) -> None:
    found = problems(tmp_path, text(START, f"given: [{{value: {{in: cfg, at: a, is: 20}}}}]\nveto: [{veto}]\n"))
    assert ["forbids the very value" in item.message for item in found] == [True] * wrong


@pytest.mark.parametrize(
    ("veto", "rules", "warned"),
    [
        ("{change: {in: db, at: 'log[*]'}}", "allow: [{in: db, at: 'log[*]', op: added}]", True),
        ("{change: {in: db, op: removed}}", "allow: [{in: db, at: 'log[*]', op: removed, max: 1}]", True),
        ("{change: {in: db, op: removed}}", "allow: [{in: db, at: 'log[*]'}]", False),
        ("{change: {in: db, at: 'log[*]', op: added, row: {who: eve}}}", "allow: [{in: db, at: 'log[*]', op: added}]", False),
        ("{change: {in: db, op: removed}}", "bonus: [{change: {in: db, at: 'log[*]', op: removed}}]", True),
        ("{change: {in: db, op: removed}}", "bonus: [{not: {change: {in: db, at: 'log[*]', op: removed}}}]", False),
    ],
)  # fmt: skip
def test_an_allow_or_bonus_of_no_use_is_warned_of(tmp_path: pathlib.Path, veto: str, rules: str, warned: bool) -> None:
    task = load(tmp_path, f"{HEAD}{MUST}veto: [{veto}]\n{rules}\n")
    found = [item.message for item in task.warnings if item.kind == "contradiction"]
    assert ["the veto at task.yaml:11:8 forbids every change that this" in item for item in found] == [True] * warned


@pytest.mark.parametrize(
    ("rules", "idle"),
    [
        (["{not: {change: {in: cfg}}}"], True),
        (["{effort: {steps: 5}}"], True),
        (["{not: {any: [{change: {in: cfg}}, {action: {tool: x}}]}}"], True),
        (["{not: {any: [{change: {in: cfg}}, {value: {in: cfg, at: a, is: 1}}]}}"], False),
        (["{not: {all: [{change: {in: cfg}}, {value: {in: cfg, at: a, is: 1}}]}}"], True),
        (["{not: {order: [{value: {in: cfg, at: a, is: 1}}, {action: {tool: x}}]}}"], True),
        (["{change: {in: cfg, at: a, count: 0}}", "{action: {tool: x, count: {le: 3}}}"], True),
        (["{any: [{change: {in: cfg, at: a, count: 0}}, {not: {action: {tool: x}}}]}"], True),
        (["{any: [{change: {in: cfg, at: a}}, {not: {action: {tool: x}}}]}"], False),
        (["{value: {in: cfg, at: z, is: 1}}"], True),
        (["{not: {change: {in: cfg}}}", "{value: {in: answer, at: '', is: done}}"], False),
        (["{not: {value: {in: cfg, at: a, is: 1}}}"], False),
        (["{all: [{effort: {steps: 5}}, {action: {tool: x}}]}"], False),
        (["{value: {in: cfg, at: z, is: 2}}"], False),
    ],
)
def test_a_task_that_doing_nothing_would_pass_is_none(tmp_path: pathlib.Path, rules: list[str], idle: bool) -> None:
    found = problems(tmp_path, text(must(*rules), "given: [{value: {in: cfg, at: z, is: 1}}]\n"))
    assert ["doing nothing would be a pass" in item.message for item in found] == [True] * idle
