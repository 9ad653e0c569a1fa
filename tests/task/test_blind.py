# ruff: noqa: E501  # a row of a table for every case
"""What a task does not look at although it seems to is told of at `check`."""

import pathlib

import pytest
from tests.task.writing import HEAD, MUST, load, one, problems

FACETS = "{in: page, at: '@cookies.*'}, {in: page, at: '@storage.**'}, {in: page, at: '@downloads.**'}"


@pytest.mark.parametrize(
    ("patterns", "verb", "name"),
    [
        ("ignore: [{in: db}]", "ignores", "db"),
        ("ignore: [{in: db, at: '**'}]", "ignores", "db"),
        ("ignore: [{in: db, at: '*[*]'}]", "ignores", "db"),
        ("ignore: [{in: db, at: '*[*].*'}]", "ignores", "db"),
        ("ignore: [{in: ini, at: '*'}]", "ignores", "ini"),
        ("ignore: [{in: files, at: '**'}]", "ignores", "files"),
        ("ignore: [{in: db, op: added}, {in: db, at: '*[*]', op: removed}, {in: db, op: modified}]", "ignores", "db"),
        ("ignore: [{in: page}]", "ignores", "page"),
        (f"ignore: [{FACETS}]", "ignores", "page"),
        ("allow: [{in: db}]", "allows", "db"),
        ("allow: [{in: files, at: '**', rest: any}]", "allows", "files"),
    ],
)
def test_a_source_of_which_nothing_is_left_to_judge_is_warned_of(
    tmp_path: pathlib.Path, patterns: str, verb: str, name: str
) -> None:
    (warned,) = load(tmp_path, f"{HEAD}{MUST}{patterns}\n").warnings
    assert warned.kind == verb.removesuffix("s")
    assert f"this {verb} all that is judged of '{name}', so that anything may change there" in warned.message


@pytest.mark.parametrize(
    "patterns",
    [
        "ignore: [{in: db, at: 'session[*]'}]",
        "ignore: [{in: db, at: '*[*].updated_at'}]",
        "ignore: [{in: db, op: added}]",
        "ignore: [{in: db, op: added}, {in: db, op: modified}]",
        "ignore: [{in: db, to: {type: str}}]",
        "ignore: [{in: page, at: '@cookies.*'}]",
        "ignore: [{in: page, at: '@cookies.*'}, {in: page, at: '@storage.local.**'}, {in: page, at: '@downloads.**'}]",
        "ignore: [{in: files, at: 'cache/**'}]",
        "allow: [{in: db, max: 3}]",
        "allow: [{in: db, op: added, rest: any}]",
    ],
)
def test_a_source_of_which_something_is_judged_is_not_warned_of(tmp_path: pathlib.Path, patterns: str) -> None:
    assert load(tmp_path, f"{HEAD}{MUST}{patterns}\n").warnings == ()


def test_a_page_with_more_closed_than_what_is_ignored_is_judged(tmp_path: pathlib.Path) -> None:
    head = HEAD.replace("{adapter: browser,", "{adapter: browser, closed: [controls],")
    assert load(tmp_path, f"{head}{MUST}ignore: [{FACETS}]\n").warnings == ()


@pytest.mark.parametrize(
    ("value", "ignore"),
    [
        ("{in: cfg, at: x, is: 1}", "{in: cfg, at: x}"),
        ("{in: cfg, at: x.y, is: 1}", "{in: cfg, at: x}"),
        ("{in: page, at: '@cookies.lang.value', is: en}", "{in: page, at: '@cookies.*'}"),
        ("{in: db, table: t, column: c, where: {id: 7}, is: x}", "{in: db, at: 't[*].c'}"),
        ("{in: db, at: 't[id=7].c', is: x}", "{in: db, table: t, where: {id: 7}}"),
    ],
)
@pytest.mark.parametrize("tier", ["must", "veto"])
def test_an_ignore_over_a_value_that_is_judged_is_warned_of(
    tmp_path: pathlib.Path, tier: str, value: str, ignore: str
) -> None:
    rule = f"  - {{value: {value}}}\n"
    text = f"{HEAD}{MUST}{rule if tier == 'must' else ''}ignore: [{ignore}]\n"
    text += f"veto: [{{value: {value}}}]\n" if tier == "veto" else ""
    (warned,) = load(tmp_path, text).warnings
    assert warned.kind == "ignore" and f"this ignores changes of what the {tier} at task.yaml:" in warned.message


@pytest.mark.parametrize(
    ("rules", "ignore"),
    [
        ("must:\n  - {value: {in: cfg, at: y, is: 1}}", "{in: cfg, at: x}"),
        ("must:\n  - {value: {in: cfg, at: x, is: {has: {y: 1}}}}", "{in: cfg, at: x.z}"),
        ("must:\n  - {value: {in: db, query: 'SELECT 1', is: 1}}", "{in: db, at: 't[*]'}"),
        ("must:\n  - {value: {in: db, at: 't[id=7].c', is: x}}", "{in: db, at: 't[*]', op: removed}"),
        ("must:\n  - {value: {in: db, at: 't[id=7].c', is: x}}", "{in: db, table: t, where: {id: 8}}"),
        (f"given: [{{value: {{in: cfg, at: x, is: 1}}}}]\n{MUST}", "{in: cfg, at: x}"),
        (f"bonus: [{{value: {{in: cfg, at: x, is: 1}}}}]\n{MUST}", "{in: cfg, at: x}"),
    ],
)
def test_an_ignore_beside_a_value_is_not_warned_of(tmp_path: pathlib.Path, rules: str, ignore: str) -> None:
    assert load(tmp_path, f"{HEAD}{rules}\nignore: [{ignore}]\n").warnings == ()


@pytest.mark.parametrize(
    ("tier", "condition", "ignore"),
    [
        ("veto", "{change: {in: db, table: users, where: {id: 7}}}", "{in: db, table: users, where: {id: 8}}"),
        ("veto", "{change: {in: db, table: users, where: {id: 7}}}", "{in: db, at: 'users[id=8]'}"),
        ("veto", "{change: {in: db, at: 'users[name=\"Ada L\"]'}}", "{in: db, table: users, where: {name: Bob}}"),
        ("veto", "{change: {in: db, at: 'users[*].admin', to: 1}}", "{in: db, at: 'users[*].admin', to: 0}"),
        (
            "veto",
            "{change: {in: db, at: 'log[*]', row: {who: eve}}}",
            "{in: db, at: 'log[*]', op: added, row: {who: cron}}",
        ),
    ],
)
def test_an_ignore_of_other_rows_or_values_hides_nothing(
    tmp_path: pathlib.Path, tier: str, condition: str, ignore: str
) -> None:
    assert problems(tmp_path, f"{HEAD}{MUST}{tier}: [{condition}]\nignore: [{ignore}]\n") == ()


@pytest.mark.parametrize(
    ("tier", "condition", "ignore"),
    [
        ("veto", "{change: {in: db, table: users, where: {state: open}}}", "{in: db, table: users, where: {id: 8}}"),
        ("veto", "{change: {in: db, table: users, where: {id: 8}}}", "{in: db, at: 'users[id=8].seen'}"),
        ("veto", "{change: {in: db, table: users, column: seen}}", "{in: db, at: '*[*].seen', op: modified}"),
        ("veto", "{change: {in: db, at: 'users[*].admin', to: {not: 0}}}", "{in: db, at: 'users[*].admin', to: 1}"),
        ("veto", "{order: [{change: {in: cfg, at: x}}, {action: {tool: y}}]}", "{in: cfg, at: x}"),
        ("veto", "{change: {in: page, css: '#a', unless_after: {change: {in: cfg, at: x}}}}", "{in: cfg, at: x}"),
        ("must", "{not: {change: {in: cfg, at: x}}}", "{in: cfg, at: x}"),
        ("must", "{order: [{change: {in: cfg, at: x}}, {action: {tool: y}}]}", "{in: cfg, at: '*'}"),
        ("must", "{change: {in: cfg, at: x, when: ever}}", "{in: cfg, at: x}"),
    ],
)
def test_an_ignore_over_what_any_veto_or_must_looks_for_is_refused(
    tmp_path: pathlib.Path, tier: str, condition: str, ignore: str
) -> None:
    must = MUST.replace("cfg", "ini").replace("30", "x") + (f"  - {condition}\n" if tier == "must" else "")
    veto = f"veto: [{condition}]\n" if tier == "veto" else ""
    said = one(tmp_path, f"{HEAD}{must}{veto}ignore: [{ignore}]\n")
    assert f"this ignores changes that the {tier} at task.yaml:11:" in said


@pytest.mark.parametrize(
    ("source", "at", "message"),
    [
        ("except: [cache]", "cache.size", "leaves this place out by its `except`, so no change here is seen"),
        ("except: ['cache.**']", "cache.size", "leaves this place out by its `except`"),
        ("except: ['*']", "a.b", "leaves this place out by its `except`"),
        ("only: [server]", "cache.size", "looks only at what its `only` names, so no change here is seen; add this place to `only`"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tier", ["must", "veto", "bonus"])
def test_a_rule_on_a_place_that_its_source_leaves_out_is_refused(
    tmp_path: pathlib.Path, tier: str, source: str, at: str, message: str
) -> None:
    head = f"{HEAD}  part: {{adapter: file, path: '{{workdir}}/p.yaml', {source}}}\n"
    rule = f"{{change: {{in: part, at: {at}, to: 1}}}}"
    text = head + MUST + (f"  - {rule}\n" if tier == "must" else f"{tier}: [{rule}]\n")
    assert message in str(problems(tmp_path, text)[0])


@pytest.mark.parametrize(
    ("source", "at"),
    [("except: [cache]", "server.port"), ("except: [cache.size]", "cache"), ("only: [server]", "server.port"),
     ("only: [server.port]", "server"), ("only: ['*.port']", "server.port"), ("except: ['cache*']", "'ca*'")],
)  # fmt: skip
def test_a_rule_on_a_place_that_is_looked_at_is_all_right(tmp_path: pathlib.Path, source: str, at: str) -> None:
    head = f"{HEAD}  part: {{adapter: file, path: '{{workdir}}/p.yaml', {source}}}\n"
    assert problems(tmp_path, f"{head}{MUST}  - {{change: {{in: part, at: {at}}}}}\n") == ()


@pytest.mark.parametrize(
    ("at", "owner"), [("a.yaml.server.port", "cfg"), ("a.db", "db"), ("a.db-wal", "db"), ("a.ini", "ini")]
)
def test_a_rule_in_a_directory_on_another_source_s_file_is_warned_of(
    tmp_path: pathlib.Path, at: str, owner: str
) -> None:
    (warned,) = load(tmp_path, f"{HEAD}{MUST}veto: [{{change: {{in: files, at: {at}}}}}]\n").warnings
    assert f"this file belongs to the source '{owner}', and 'files' leaves it out by itself" in warned.message


@pytest.mark.parametrize("at", ["b.yaml", "sub/a.yaml", "'**'", "'*.yaml'", "a.yamlx"])
def test_a_rule_in_a_directory_on_its_own_files_is_not(tmp_path: pathlib.Path, at: str) -> None:
    assert load(tmp_path, f"{HEAD}{MUST}veto: [{{change: {{in: files, at: {at}}}}}]\n").warnings == ()


@pytest.mark.parametrize(
    ("params", "rule", "unused"),
    [
        ("{host: a, port_: 1}", "{value: {in: cfg, at: x, is: '{port_}'}}", ["host"]),
        ("{host: a}", "{value: {in: cfg, at: 'hosts.{host}', is: 1}}", []),
        ("{host: a}", "{value: {in: db, query: 'SELECT 1 FROM t WHERE h = :host', is: 1}}", []),
        ("{host: a}", "{value: {in: db, query: 'SELECT 1 FROM t WHERE h = {host}', is: 1}}", []),
        ("{host: a}", "{value: {in: cfg, at: x, is: {has: {y: '{host}!'}}}}", []),
        ("{host: a}", "{value: {in: cfg, at: x, is: '{{host}}'}}", ["host"]),
    ],
)
def test_a_param_that_stands_nowhere_is_warned_of(
    tmp_path: pathlib.Path, params: str, rule: str, unused: list[str]
) -> None:
    found = load(tmp_path, f"{HEAD}{MUST}  - {rule}\nparams: {params}\n").warnings
    assert [item.message.split("{")[1].split("}")[0] for item in found if item.kind == "params"] == unused


def test_a_param_of_a_fragment_may_be_of_use_to_other_tasks(tmp_path: pathlib.Path) -> None:
    (tmp_path / "all.yaml").write_text("params: {host: a}\n")
    assert load(tmp_path, f"{HEAD}use: [all.yaml]\n{MUST}").warnings == ()


SHOWN = "{value: {in: page, at: '@title', is: Done}}"


@pytest.mark.parametrize(
    ("musts", "warned"),
    [
        (f"  - {SHOWN}\n", True),
        (f"  - {{all: [{SHOWN}, {SHOWN}]}}\n", True),
        (f"  - {SHOWN}\n  - {{change: {{in: cfg, at: a.b}}}}\n", False),
        (f"  - {SHOWN}\n  - {{value: {{in: db, query: SELECT 1, is: 1}}}}\n", False),
        (f"  - {{any: [{SHOWN}, {{value: {{in: cfg, at: a, is: 1}}}}]}}\n", False),
        (f"  - {SHOWN}\n  - {{value: {{in: answer, at: '', is: done}}}}\n", False),
        ("  - {change: {in: page, css: '#a', field: value}}\n", False),
    ],
)
def test_musts_that_only_look_at_a_page_are_warned_of(tmp_path: pathlib.Path, musts: str, warned: bool) -> None:
    found = load(tmp_path, f"{HEAD}must:\n{musts}").warnings
    assert ["an agent can show a page of its own; ask for the state in 'db'" in w.message for w in found] == [
        True
    ] * warned


def test_a_page_without_any_other_source_is_all_there_is(tmp_path: pathlib.Path) -> None:
    head = "id: t\ninstruction: Do it.\nsources:\n  page: {adapter: browser, start: 'http://127.0.0.1:{port}/'}\n"
    assert load(tmp_path, f"{head}must: [{SHOWN}]\n").warnings == ()


UNPERMITTED = (
    "no must, allow or ignore speaks of this change, so a run that earns the bonus is unmet; add it to `allow`"
)


@pytest.mark.parametrize(
    "bonus",
    [
        "{change: {in: files, at: backup/a.yaml, op: added}}",
        "{order: [{change: {in: files, at: backup/a.yaml, op: added}}, {change: {in: cfg, at: a.b}}]}",
        "{all: [{change: {in: db, at: 'log[*]', op: added}}]}",
        "{change: {in: cfg, at: a.b, to: 31}}",
        "{change: {in: page, at: '@cookies.theme'}}",
        "{change: {in: db, at: 'notes[*]', op: removed}}",
    ],
)
def test_a_bonus_for_a_change_that_nobody_permits_is_warned_of(tmp_path: pathlib.Path, bonus: str) -> None:
    text = f"{HEAD}{MUST}allow: [{{in: db, at: 'notes[*]', op: added, max: 1}}]\nbonus: [{bonus}]\n"
    assert [item.message.split(": ", 1)[1] for item in load(tmp_path, text).warnings] == [UNPERMITTED]


@pytest.mark.parametrize(
    "bonus",
    [
        "{change: {in: cfg, at: a.b}}",
        "{change: {in: cfg, at: a.b, from: 3, to: 30}}",
        "{change: {in: db, at: 'notes[*]', op: added}}",
        "{change: {in: db, at: 'session[id=3]'}}",
        "{not: {change: {in: files, at: backup/a.yaml}}}",
        "{change: {in: files, count: {le: 3}}}",
        "{any: [{change: {in: files, op: added}}, {change: {in: cfg, at: a.b}}]}",
        "{change: {in: page, at: '@title'}}",
        "{change: {in: page, at: '#theme.value'}}",
        "{change: {in: page, css: '#theme', field: value}}",
        "{value: {in: files, at: backup/a.yaml.x, is: 1}}",
    ],
)
def test_a_bonus_for_what_a_pass_may_have_is_not_warned_of(tmp_path: pathlib.Path, bonus: str) -> None:
    more = "allow: [{in: db, at: 'notes[*]', op: added, max: 1}]\nignore: [{in: db, at: 'session[*]'}]\n"
    assert load(tmp_path, f"{HEAD}{MUST}{more}bonus: [{bonus}]\n").warnings == ()
