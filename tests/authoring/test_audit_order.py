"""`order` is tried with the evidence of the good run: turned round, in one step, the first left out; or it says why."""

import pathlib

import pytest
from tests.language.worlds import case_of, task_of

from exactchange.authoring.audit import Audit, Mutant, audit, mutants
from exactchange.authoring.audit.report import grouped
from exactchange.case import Case
from exactchange.judging import judge
from exactchange.task import Task
from exactchange.values import Value

START = {"cfg.json": '{"a": 1, "b": 1}', "log.json": '{"n": 0}'}
STATES = [START, {"log.json": '{"n": 1}'}, {}, {"cfg.json": '{"a": 2, "b": 1}'}, {}]
"""First the log is written, at step 1, then the value, at step 3, then nothing more."""
RULES = """\
must:
  - {{name: a is 2, change: {{in: cfg, at: a, to: 2}}}}
  - {{name: logged, change: {{in: log, at: n, to: 1}}}}
  - {{name: logged first, order: [{first}, {second}]}}
"""
LOG, SET = "{change: {in: log, at: n}}", "{change: {in: cfg, at: a}}"
NOTE, CLICK = "{action: {tool: note}}", "{action: {tool: save}}"
ACTIONS: list[dict[str, Value]] = [
    {"kind": "tool", "tool": name, "args": {}} for name in ("note", "look", "save", "look")
]


def world(folder: pathlib.Path, rules: str) -> tuple[Task, Case]:
    by = task_of(folder, rules, START)
    return by, case_of(folder, by, STATES, actions=ACTIONS)


def made(by: Task, case: Case, rule: str) -> list[Mutant]:
    return [mutant for mutant in mutants(by, case) if mutant.rule == rule]


TURNED, TOGETHER, LEFT_OUT = (
    "what was to come first came second", "both came in one step", "what was to come first did not come",
)  # fmt: skip
PAIRS = {
    "two changes": (LOG, SET, {TURNED, TOGETHER, LEFT_OUT}),
    "two actions": (NOTE, CLICK, {TURNED, LEFT_OUT}),
    "an action, then a change": (NOTE, SET, {TURNED, LEFT_OUT}),
    "a change, then an action": (LOG, CLICK, {TURNED, LEFT_OUT}),
    "a value, then a change": ("{value: {in: log, at: n, is: 1}}", SET, {TURNED, TOGETHER, LEFT_OUT}),
}


@pytest.mark.parametrize(("first", "second", "ways"), PAIRS.values(), ids=PAIRS)
def test_a_run_in_which_two_things_came_otherwise_is_made_and_caught(
    first: str, second: str, ways: set[str], tmp_path: pathlib.Path
) -> None:
    by, case = world(tmp_path, RULES.format(first=first, second=second))
    assert judge(by, case).passed
    found = made(by, case, "logged first")
    assert ways <= {mutant.what for mutant in found}
    for mutant in found:
        verdict = judge(by, mutant.case)
        (rule,) = [item for item in verdict.findings if item.name == "logged first"]
        assert rule.holds is not True and not verdict.passed, mutant.what
        if mutant.what != LEFT_OUT:
            others = [item.holds for item in verdict.findings if item.tier == "must" and item is not rule]
            assert False not in others, f"{mutant.what}: nothing else is wrong with it"


def test_an_order_that_something_else_fulfils_as_well_is_a_hole(tmp_path: pathlib.Path) -> None:
    """The log need not be written first: the first look is an action, too."""
    by, case = world(tmp_path, RULES.format(first="{action: {kind: tool}}", second=CLICK))
    found = audit(by, case)
    assert "'logged first' does not ask for it" in [culprit.said for culprit, _ in grouped(found.slips)]


UNTRIED = [
    ("{change: {in: log, at: n}}", "{any: [{change: {in: cfg, at: a}}, {action: {tool: x}}]}", "`any` has no evidence"),
]


@pytest.mark.parametrize(("first", "second", "why"), UNTRIED)
def test_an_order_that_cannot_be_tried_says_why(first: str, second: str, why: str, tmp_path: pathlib.Path) -> None:
    by, case = world(tmp_path, RULES.format(first=first, second=second))
    found = audit(by, case)
    said = [culprit.said for culprit, _ in grouped(found.slips) if culprit.lets == "untried"]
    assert len(said) == 1 and why in said[0] and found.untried == 1 and not found.sound


VETOES = {
    "two changes that came the other way round": [SET, LOG],
    "two changes that never came": ["{change: {in: cfg, at: b, to: 7}}", "{change: {in: log, at: n, to: 9}}"],
    "two actions that never came": ["{action: {tool: pay}}", "{action: {tool: cancel}}"],
    "an action, then a change": ["{action: {tool: pay}}", "{change: {in: cfg, at: b}}"],
    "two statements": ["{sql: {effect: delete}}", "{sql: {effect: drop, table: t}}"],
    "a statement, then a change": ["{sql: {effect: delete}}", "{change: {in: cfg, at: b}}"],
    "a change, then an action": ["{change: {in: cfg, at: b}}", "{action: {tool: pay}}"],
    "three": ["{action: {tool: pay}}", "{change: {in: cfg, at: b}}", "{action: {tool: cancel}}"],
}


@pytest.mark.parametrize("parts", VETOES.values(), ids=VETOES)
def test_a_forbidden_order_is_crossed_by_what_came_or_by_what_is_made(parts: list[str], tmp_path: pathlib.Path) -> None:
    rules = RULES.format(first=LOG, second=SET) + f"veto:\n  - {{name: never so, order: [{', '.join(parts)}]}}\n"
    by, case = world(tmp_path, rules)
    assert judge(by, case).passed
    found = made(by, case, "never so")
    assert found
    assert all(judge(by, mutant.case).outcome == "vetoed" for mutant in found)
    audited: Audit = audit(by, case)
    assert audited.untried == 0 and audited.counts["forbidden"].passed == 0


def test_statements_are_left_out_and_turned_round(tmp_path: pathlib.Path) -> None:
    delete, drop = "{sql: {effect: delete}}", "{sql: {effect: drop}}"
    rules = RULES.format(first=delete, second=drop) + "  - {name: deleted, sql: {effect: delete, count: 1}}\n"
    texts = ("DELETE FROM t WHERE id = 1", "SELECT 1", "DROP TABLE t", "SELECT 2")
    by = task_of(tmp_path, rules, START)
    case = case_of(tmp_path, by, STATES, actions=[{"kind": "sql", "text": text} for text in texts])
    assert judge(by, case).passed
    assert {mutant.what for mutant in made(by, case, "logged first")} == {TURNED, LEFT_OUT}
    assert {mutant.what for mutant in made(by, case, "deleted")} == {"a wanted action left out"}
    found = [mutant for name in ("logged first", "deleted") for mutant in made(by, case, name)]
    assert not any(judge(by, mutant.case).passed for mutant in found)
