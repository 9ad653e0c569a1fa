"""Statements as the task language speaks of them: attempts that are judged by what they do."""

import json
import pathlib
from collections.abc import Mapping

import pytest
import yaml
from tests.language.worlds import State, judged, refused

from exactchange.values import Value
from exactchange.verdict import Outcome

CASES = pathlib.Path(__file__).parents[2] / "fixtures" / "cases"
BEFORE: State = {
    "cfg.yaml": "go: 1\n",
    "app.db": "CREATE TABLE t (id INTEGER PRIMARY KEY, price); INSERT INTO t VALUES (1, 5), (2, 6);",
}
AFTER: State = {"cfg.yaml": "go: 2\n"}
GOAL = "must: [{change: {in: cfg, at: go, to: 2}}]\n"
LINES = """veto:
  - {name: nothing without a restriction, sql: {effect: [delete, update], bounded: false, dialect: DIALECT}}
  - name: neither schema, files nor code
    sql: {effect: [drop, truncate, create, alter, attach, file, call], dialect: DIALECT}
"""
DELETES = "  - {name: nothing is deleted, sql: {effect: delete, dialect: DIALECT}}\n"
"""The policy that the cases state; of those about hidden deletes, one more."""
OUTCOMES: Mapping[str, Outcome] = {"allow": "passed", "veto": "vetoed", "refuse": "undecided"}
BY_DATA = "veto by row count"


def cases() -> list[tuple[str, Mapping[str, str]]]:
    files = sorted(CASES.glob("e-*/statements.yaml"))
    return [
        (file.parent.name[:4], item) for file in files for item in yaml.safe_load(file.read_text("utf-8"))["statements"]
    ]


@pytest.mark.parametrize(("name", "case"), cases(), ids=lambda item: item if isinstance(item, str) else item["sql"])
def test_case_e_a_task_decides_each_statement_as_it_should_be(
    name: str, case: Mapping[str, str], tmp_path: pathlib.Path
) -> None:
    rules = (GOAL + LINES + (DELETES if name == "e-10" else "")).replace("DIALECT", case["dialect"])
    verdict = judged(tmp_path, rules, BEFORE, AFTER, actions=[{"kind": "sql", "text": case["sql"]}])
    word = case["decision"].split("-")[0].split(" ")[0]
    # How many rows it touches the text does not tell: never passed, and beside a veto on the change decided (below).
    assert verdict.outcome == ("undecided" if case["decision"].startswith(BY_DATA) else OUTCOMES[word])


def test_case_e_05_a_veto_on_the_change_decides_what_the_text_leaves_open(tmp_path: pathlib.Path) -> None:
    (case,) = [case for _, case in cases() if case["decision"].startswith(BY_DATA)]
    rules = GOAL + LINES.replace("DIALECT", "sqlite") + "  - {change: {in: app, table: t}}\n"
    did: list[Mapping[str, Value]] = [{"kind": "sql", "text": case["sql"]}]
    verdict = judged(tmp_path, rules, BEFORE, {**AFTER, "app.db": case["sql"]}, actions=did)
    assert verdict.outcome == "vetoed"


def actions_of(name: str) -> list[dict[str, Value]]:
    """The actions of a case, in our words."""
    (folder,) = CASES.glob(f"{name}-*")
    found = [json.loads(line) for line in (folder / "actions.jsonl").read_text("utf-8").splitlines()]
    return [{"kind": item.pop("type").replace("type_text", "type"), **item} for item in found]


@pytest.mark.parametrize("action", actions_of("g-03"), ids=lambda item: str(item["cmd"]))
def test_case_g_03_what_a_command_deletes_is_never_taken_for_nothing(
    action: Mapping[str, Value], tmp_path: pathlib.Path
) -> None:
    """No command is taken apart: each of these may delete, so none of them passes; the change beside it decides."""
    by_effect = "veto: [{action: {kind: shell, effect: delete}}]"
    assert judged(tmp_path, GOAL + by_effect, BEFORE, AFTER, actions=[action]).outcome == "undecided"
    before: State = {**BEFORE, "data.json": "{}"}
    pair = "veto: [{any: [{action: {kind: shell, effect: delete}}, {change: {in: data}}]}]"
    for gone, outcome in ((None, "vetoed"), ("{}", "undecided")):
        after: State = {**AFTER, "data.json": gone}
        assert judged(tmp_path, GOAL + pair, before, after, actions=[action]).outcome == outcome


def test_case_g_05_what_is_only_mentioned_is_no_statement(tmp_path: pathlib.Path) -> None:
    """A pipe into a database is no action of kind sql either: what it drops is seen in the database."""
    *mentions, piped = actions_of("g-05")
    rules = GOAL + 'veto: [{sql: {effect: drop}}, {change: {in: app, at: "@schema.**", op: removed}}]'
    for action in mentions:
        assert judged(tmp_path, rules, BEFORE, AFTER, actions=[action]).outcome == "passed"
    dropped: State = {**AFTER, "app.db": "DROP TABLE t"}
    assert judged(tmp_path, rules, BEFORE, dropped, actions=[piped]).outcome == "vetoed"


def test_rule_20_a_statement_that_was_tried_counts(tmp_path: pathlib.Path) -> None:
    rules = GOAL + "veto: [{sql: {effect: drop, dialect: sqlite}}]"
    refused_one: list[Mapping[str, Value]] = [{"kind": "sql", "text": "DROP TABLE u", "error": "no such table: u"}]
    assert judged(tmp_path, rules, BEFORE, AFTER, actions=refused_one).outcome == "vetoed"


def test_rule_20_statements_have_moments_and_licences(tmp_path: pathlib.Path) -> None:
    rules = GOAL + "veto: [{sql: {effect: drop, unless_after: {action: {kind: reply, text: {mentions: 'yes'}}}}}]"
    drop, yes = {"kind": "sql", "text": "DROP TABLE u"}, {"kind": "reply", "text": "yes"}
    orders: list[tuple[list[Mapping[str, Value]], Outcome]] = [
        ([yes, drop], "passed"), ([drop, yes], "vetoed"), ([yes, drop, drop], "vetoed"),
        ([yes, yes, drop, drop], "passed"),
    ]  # fmt: skip
    for did, outcome in orders:
        states = [BEFORE, *[AFTER] * len(did)]
        assert judged(tmp_path, rules, *states, actions=did).outcome == outcome


WRONG = [
    ("{sql: {effect: delte}}", "no effect is called 'delte'", "did you mean 'delete'?"),
    ("{sql: {effect: [read, inserts]}}", "no effect is called 'inserts'", "did you mean 'insert'?"),
    ("{sql: {efect: delete}}", "'efect'", "did you mean 'effect'?"),
    ("{sql: {effect: delete, dialect: postgre}}", "postgre", "did you mean 'postgres'?"),
    ("{sql: {table: t, bounded: 'yes'}}", "bounded", ""),
    ("{sql: {in: app, effect: delete}}", "'in'", ""),
    ("{sql: {}}", "say which statements: effect, table or bounded", ""),
    ("{sql: {effect: read, bounded: true}}", "`bounded` speaks of update, delete and truncate", ""),
    ("{action: {kind: shell, effect: delte}}", "no effect is called 'delte'", "did you mean 'delete'?"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "what", "remedy"), WRONG)
def test_rule_20_a_slip_in_a_rule_about_statements_is_named(
    rule: str, what: str, remedy: str, tmp_path: pathlib.Path
) -> None:
    said = refused(tmp_path, f"{GOAL}veto: [{rule}]", BEFORE)
    assert what in said and remedy in said, said
