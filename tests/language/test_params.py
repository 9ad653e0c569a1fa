"""Rule 28: `{name}` in a task stands for a param, in the way of the place in which it stands."""

import json
import pathlib
from collections.abc import Mapping

import pytest
from tests.language.worlds import State, case_of, must, task_of

from exactchange.judging import judge
from exactchange.task import Task, TaskError, load_task
from exactchange.values import Value
from exactchange.verdict import Verdict

START: State = {
    "cfg.json": '{"a": "before", "s": {"a.b": 1}}',
    "db.db": "CREATE TABLE t (id INTEGER PRIMARY KEY, who TEXT); INSERT INTO t VALUES (1, 'ada'), (2, '{who}');",
}


def loaded(folder: pathlib.Path, params: str, rules: str, given: Mapping[str, Value] | None = None) -> Task:
    """The task of these params and rules, with `given` in place of some of them."""
    task_of(folder, f"params: {params}\n{rules}", START)
    return load_task(folder / "task.yaml", params=given)


def judged(folder: pathlib.Path, task: Task, after: State) -> Verdict:
    case = case_of(folder, task, [START, after])
    try:
        return judge(task, case)
    finally:
        for evidence in case.sources.values():
            for snapshot in evidence.captures:
                snapshot.close()


TYPES: list[tuple[str, str, str, bool]] = [
    ("{n: 30}", '"{n}"', "30", True), ("{n: 30}", '"{n}"', '"30"', False), ("{n: '30'}", '"{n}"', '"30"', True),
    ("{n: '30'}", '"{n}"', "30", False), ("{n: 30}", '"{n}s"', '"30s"', True), ("{n: true}", '"{n}"', "true", True),
    ("{n: true}", '"{n}"', '"true"', False), ("{n: 1.5}", '"{n}"', "1.5", True), ("{n: 1}", '"{{n}}"', '"{n}"', True),
    ("{n: 1}", '"{{n}}"', "1", False), ("{n: 1}", '"{{{n}}}"', '"{1}"', True),
    ("{n: '{{m}}', m: 1}", '"{n}"', '"{m}"', True),
    ("{n: '{{m}}', m: 1}", '"{n}"', "1", False),
]  # fmt: skip


@pytest.mark.parametrize(("params", "to", "after", "holds"), TYPES)
def test_rule_28_a_param_alone_keeps_its_type_and_braces_are_doubled(
    params: str, to: str, after: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    task = loaded(tmp_path, params, f"must: [{{change: {{in: cfg, at: a, to: {to}}}}}]")
    verdict = judged(tmp_path, task, {"cfg.json": f'{{"a": {after}, "s": {{"a.b": 1}}}}'})
    assert must(verdict).holds is holds


@pytest.mark.parametrize("text", ["{lost}", "x {lost}", "{N}"])
def test_rule_28_an_unknown_name_is_an_error(text: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(TaskError, match="{"):
        loaded(tmp_path, "{n: 1}", f'must: [{{change: {{in: cfg, at: a, to: "{text}"}}}}]')


PATTERNS: list[tuple[str, str, str, bool]] = [
    ("a.c", "{p}", "abc", False), ("a.c", "{p}", "a.c", True), ("a.c", "x{p}y", "xabcy", False),
    (".*", "{p}", "pay", False),
    ("(a", "{p}", "(a", True), ("a|b", "{p}", "a", False), ("a|b", "{p}", "a|b", True),
    ("1", "v{p}[0-9]{{2}}", "v123", True),
    ("\\\\d", "{p}", "5", False),
]  # fmt: skip


@pytest.mark.parametrize(("value", "pattern", "after", "holds"), PATTERNS)
def test_rule_28_in_a_pattern_the_characters_of_a_param_stand_for_themselves(
    value: str, pattern: str, after: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    rules = f'must: [{{change: {{in: cfg, at: a, to: {{matches: "{pattern.replace("{{2}}", "{2}")}"}}}}}}]'
    task = loaded(tmp_path, f'{{p: "{value}"}}', rules)
    verdict = judged(tmp_path, task, {"cfg.json": f'{{"a": "{after}", "s": {{"a.b": 1}}}}'})
    assert must(verdict).holds is holds


HOSTILE = ["ada", "x' OR '1'='1", "{who}", "ada'; DROP TABLE t; --", ":who"]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("spelt", ["{who}", ":who"])
def test_rule_28_in_a_query_a_param_is_bound_and_never_sql(value: str, spelt: str, tmp_path: pathlib.Path) -> None:
    rules = f"""must: [{{change: {{in: cfg, at: a}}}}]
bonus: [{{value: {{in: db, query: "SELECT count(*) AS n FROM t WHERE who = {spelt}", is: 1}}}}]"""
    task = loaded(tmp_path, '{who: "x"}', rules, {"who": value})
    verdict = judged(tmp_path, task, {"cfg.json": '{"a": "x", "s": {"a.b": 1}}'})
    bonus = verdict.findings[-1]
    assert (bonus.tier, bonus.holds) == ("bonus", value in ("ada", "{who}"))


def test_rule_28_in_an_address_a_param_is_one_key(tmp_path: pathlib.Path) -> None:
    rules = 'must: [{change: {in: cfg, at: "s.{key}"}}]'
    after: State = {"cfg.json": '{"a": "before", "s": {"a.b": 2}}'}
    assert judged(tmp_path, loaded(tmp_path, '{key: "a.b"}', rules), after).outcome == "passed"
    for other in ("*", "**", "a", "b"):
        assert judged(tmp_path, loaded(tmp_path, f'{{key: "{other}"}}', rules), after).outcome == "unmet"


def test_rule_28_the_params_are_part_of_the_tasks_hash_and_the_verdict_names_it(tmp_path: pathlib.Path) -> None:
    rules = 'must: [{change: {in: cfg, at: a, to: "{n}"}}]'
    one, other = loaded(tmp_path, "{n: 1}", rules), loaded(tmp_path, "{n: 1}", rules, {"n": 2})
    assert one.hash != other.hash
    assert one.hash == loaded(tmp_path, "{n: 2}", rules, {"n": 1}).hash
    unused = loaded(tmp_path, "{n: 1, spare: 1}", rules).hash, loaded(tmp_path, "{n: 1, spare: 2}", rules).hash
    assert len({one.hash, *unused}) == 3
    after: State = {"cfg.json": '{"a": 1, "s": {"a.b": 1}}'}
    assert judged(tmp_path, one, after).hashes["task"] == one.hash


KEYS: list[tuple[str, str]] = [
    ('{change: {in: cfg, at: a, to: {has: {"{{n}}": 1, "x}}y": 2}}}}', '{"a": {"{n}": 1, "x}y": 2}, "s": {"a.b": 1}}'),
    (
        '{change: {in: cfg, at: a, to: {exactly: {"{{n}}": [{"{{": 1}]}}}}',
        '{"a": {"{n}": [{"{": 1}]}, "s": {"a.b": 1}}',
    ),
    ('{change: {in: cfg, at: a, to: "{m}"}}', '{"a": {"{k}": "{k}"}, "s": {"a.b": 1}}'),
]


@pytest.mark.parametrize(("rule", "after"), KEYS)
def test_rule_28_braces_in_a_key_are_doubled_and_no_param_is_put_in(
    rule: str, after: str, tmp_path: pathlib.Path
) -> None:
    params = '{n: 30, m: {exactly: {"{{k}}": "{{k}}"}}, k: 5}'
    task = loaded(tmp_path, params, f"must: [{rule}]")
    assert must(judged(tmp_path, task, {"cfg.json": after})).holds is True
    # Written out and read again, it is the same task.
    written = tmp_path / "written.json"
    written.write_text(json.dumps(task.data, default=dict))
    assert load_task(written).data == task.data
    for bad in ('has: {"{n}": 1}', 'exactly: {a: {"x{k}": 1}}', 'has: {"{": 1}'):
        with pytest.raises(TaskError, match="in a key|a lone"):
            loaded(tmp_path, params, f"must: [{{change: {{in: cfg, at: a, to: {{{bad}}}}}}}]")
    with pytest.raises(TaskError, match="can hold no other"):
        loaded(tmp_path, '{m: {"{k}": 1}, k: 5}', f"must: [{rule}]")
