# ruff: noqa: E501  # a row of a table for every mistake
import pathlib
import shutil

import pytest
from tests.task.golden import HERE, check_golden
from tests.task.writing import HEAD, MUST, load, marked, one, problems, said

from exactchange.task import TaskError, load_task, task_from_data


def failure(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str) -> TaskError:
    shutil.copy(HERE / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TaskError) as caught:
        load_task(name)
    return caught.value


def test_a_file_with_five_mistakes_names_all_five_with_line_and_column(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = failure(tmp_path, monkeypatch, "five.yaml")
    assert [(item.where, marked(item), item.suggestion) for item in error.problems] == [
        ("five.yaml:4:21", "fil", "did you mean 'file'?"),
        ("five.yaml:7:28", "chnage", "did you mean 'change'?"),
        ("five.yaml:9:44", "confg", "did you mean 'config'?"),
        ("five.yaml:10:79", "mathces", "did you mean 'matches'?"),
        ("five.yaml:12:35", "five", None),
    ]


@pytest.mark.parametrize("name", ["five", "many"])
def test_mistakes_read_as_their_golden_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    check_golden(f"{name}.txt", f"{failure(tmp_path, monkeypatch, f'{name}.yaml')}\n")


CONDITIONS = [
    # keys
    ("{chnage: {in: db}}", "chnage", "unknown key 'chnage' in a condition; did you mean 'change'?"),
    ("{change: {in: db, colour: red}}", "colour", "unknown key 'colour' in `change`; did you mean 'column'?"),
    ("{change: {in: db, from_: 1}}", "from_", "unknown key 'from_' in `change`; did you mean 'from'?"),
    ("{value: {at: a, is: 1}}", "value", "`value` needs `in`"),
    ("{value: {inn: cfg, at: a, is: 1}}", "inn", "unknown key 'inn' in `value`; did you mean 'in'?"),
    ("{any: [{not: {valeu: {}}}]}", "valeu", "unknown key 'valeu' in a condition; did you mean 'value'?"),
    ("{effort: {step: 5}}", "step", "unknown key 'step' in `effort`; did you mean 'steps'?"),
    # kinds
    ("{name: x}", "{", "a condition has one kind of "),
    ("{effort: {steps: 1}, action: {tool: x}}", "{", "a condition has one kind of "),
    ("[a]", "[", "a condition is a mapping such as {change: …}, not a list"),
    ("{any: []}", "[", "`any` needs at least 1 item"),
    ("{any: {action: {tool: x}}}", "{", "`any` takes a list, not a mapping"),
    # types and words
    ("{change: {in: db, op: aded}}", "aded", "`op` takes `added`, `removed` or `modified`, not the text \"aded\"; did you mean 'added'?"),
    ("{value: {in: cfg, at: a, is: 1, when: soon}}", "soon", "`when` takes `end`, `ever` or `always`, not the text \"soon\""),
    ("{change: {in: db, count: many}}", "many", '`count` takes a whole number, a mapping or `all`, not the text "many"'),
    ("{change: {in: db, count: \"3\"}}", '"3"', "`count` takes a whole number, a mapping or `all`, not the text \"3\"; write 3 without quotes"),
    ("{change: {in: db, count: {ge: x}}}", "x", '`ge` takes a whole number, not the text "x"'),
    ("{change: {in: db, count: {ge: 3, le: 2}}}", "{", "no number is at least 3 and at most 2"),
    ("{change: {in: db, count: -1}}", "-1", "`count` is at least 0, not -1"),
    ("{effort: {steps: 1.5}}", "1.5", "`steps` takes a whole number, not 1.5"),
    ("{effort: {steps: yes}}", "yes", '`steps` takes a whole number, not the text "yes"'),
    ("{action: {tool: 3}}", "3", '`tool` takes a text, not 3; write "3"'),
    ("{name: 3, action: {tool: x}}", "3", '`name` takes a text, not 3; write "3"'),
    ("{name: on, action: {tool: x, kind: tol}}", "tol", "no action is of kind 'tol'; did you mean 'tool'?"),
    # places
    ("{change: {in: dbs}}", "dbs", "no source is called 'dbs'; did you mean 'db'?"),
    ("{change: {in: nowhere}}", "nowhere", "no source is called 'nowhere'; there are db, cfg, ini, page, files, actions or answer"),
    ("{change: {in: cfg, at: a., to: 1}}", "a.", "not an address from character 2 on: 'a.'; quote odd keys like"),
    ("{change: {in: cfg, at: a, table: b}}", "{", "one place, one way: at and table stand together"),
    ("{change: {in: cfg, table: b}}", "table", "`table` is no place in 'cfg'; a file source is addressed by `at`"),
    ("{change: {in: db, css: b}}", "css", "`css` is no place in 'db'; a sqlite source is addressed by `at` or `table`"),
    ("{value: {in: answer, css: b, is: x}}", "css", "`css` is no place in 'answer'; a plain source is addressed by `at`"),
    ("{value: {in: cfg, query: SELECT 1, is: 1}}", "query", "'cfg' is a file source, which has no queries; use `at`"),
    ("{value: {in: cfg, is: 1}}", "{", "a value stands in one place: say `at`, `table`, a selector or `query`"),
    ("{change: {in: cfg, at: a, column: b}}", "b", "`where` and `column` choose rows of a `table`"),
    ("{change: {in: page, css: 'a[['}}", "'a[['", "`css` is no selector: 'a[['"),
    ("{change: {in: page, css: a, tab: x}}", "x", '`tab` takes a whole number, not the text "x"'),
    ("{change: {in: page, css: a, label: b}}", "{", "one place, one way: css and label stand together"),
    ("{request: {in: db, method: POST}}", "db", "'db' is a sqlite source, which sends no requests; name a page"),
    ("{change: {in: answer, op: added}}", "answer", "'answer' is no state that changes: it is known at the end; use `value`"),
    # matchers
    ("{value: {in: cfg, at: a, is: {mathces: x}}}", "mathces", "unknown matcher 'mathces'; did you mean 'matches'?"),
    ("{value: {in: cfg, at: a, is: {has: {b: {not: {gte: 3}}}}}}", "gte", "unknown matcher 'gte'; did you mean 'gt'?"),
    ("{value: {in: cfg, at: a, is: [1]}}", "[", "a list is written `exactly: [...]` (the whole value) or `items: [...]` (a matcher each)"),
    ("{value: {in: cfg, at: a, is: {one_of: [a, {ge: x}]}}}", "x", '`ge:` takes a finite number, not "x"'),
    ("{value: {in: cfg, at: a, is: {matches: '('}}}", "'('", "`matches:` is no pattern in RE2 syntax: '('"),
    ("{value: {in: page, at: '@url', is: {url: {pathh: /x}}}}", "pathh", "a URL has no part called 'pathh'; did you mean 'path'?"),
    ("{request: {in: page, url: {path: {matchs: x}}}}", "matchs", "unknown matcher 'matchs'; did you mean 'matches'?"),
    ("{request: {in: page, url: nowhere}}", "nowhere", "`url:` takes a URL or its parts"),
    # values that can never be
    ("{value: {in: ini, at: a, is: 30}}", "30", "'ini' never holds the int 30; write \"30\""),
    ("{change: {in: ini, at: a, to: {one_of: [a, true]}}}", "true", "'ini' never holds the bool true; write \"true\""),
    # combinations
    ("{change: {in: cfg, at: a, op: added, from: 3}}", "from", "nothing stands there before it was added, so `from` can never be 3; remove `from`"),
    ("{change: {in: cfg, at: a, op: removed, to: 3}}", "to", "nothing stands there once it is removed, so `to` can never be 3; remove `to`"),
    ("{weight: 2, action: {tool: x}}", "weight", "only a bonus has a weight; remove it"),
    ("{order: [{effort: {steps: 1}}, {action: {tool: x}}]}", "effort", "`effort` has no moment, so nothing comes before or after it; use change,"),
    ("{order: [{action: {tool: x}}, {any: [{effort: {steps: 1}}]}]}", "effort", "`effort` has no moment, so nothing comes before or after it; use change,"),
    ("{not: {change: {in: cfg, at: a, count: all}}}", "all", "`count: all` asks that every node there changes, which only a must can ask"),
    ("{change: {in: cfg, at: a, count: all, when: ever}}", "all", "`count: all` asks that every node there changes, which only a must can ask, of the end"),
    ("{change: {in: db, op: added, unless_after: {not: {action: {tool: x}}}}}", "not", "`not` has no moment, so nothing comes before or after it"),
    ("{change: {in: db, table: t, column: c, where: {c: 1}, to: 2}}", "c", "`where` reads 'c', the very column that changes; test it by `from` and `to` alone"),
    # braces
    ("{action: {tool: '{x}'}}", "{x}", "no param is called 'x'; the task has no params"),
    ("{action: {tool: '{workdir}'}}", "{workdir}", "{workdir} has a value only in `app` and `sources`"),
]  # fmt: skip


BEYOND_A_SCHEMA: list[tuple[str, str, str]] = [
    ("{value: {in: answer, at: '', is: 30}}", "30", 'the whole answer is a text, never of type int; write "30"'),
    ("{value: {in: answer, at: '**', is: {has: {a: 1}}}}", "{", "the whole answer is a text, never of type mapping; write {json: …} to read it"),
    ("{change: {in: cfg, at: a, count: {ge: 0}}}", "{", "any number is at least 0, so that this holds whatever happens; write how many"),
    ("{not: {action: {tool: x, count: {ge: 0}}}}", "{", "any number is at least 0, so that this holds whatever happens; write how many"),
    ("{request: {in: page, method: POST, count: {ge: 0}}}", "{", "any number is at least 0, so that this holds whatever happens; write how many"),
    ("{change: {in: db, at: 't[*]', op: added, row: {'{x}': 1}}}", "{x}", "{x} stands in a key, where no param is put in; a param stands in"),
    ("{change: {in: db, table: t, where: {'a{x}': 1}}}", "{x}", "{x} stands in a key, where no param is put in; a param stands in"),
    ("{action: {tool: x, args: {'{x}': 1}}}", "{x}", "{x} stands in a key, where no param is put in; a param stands in a value"),
    ("{value: {in: cfg, at: a, is: {has: {'{x}': 1}}}}", "{x}", "{x} stands in a key, where no param is put in; a param stands in"),
    ("{value: {in: cfg, at: a, is: {exactly: {b: {'{x}': 1}}}}}", "{x}", "{x} stands in a key, where no param is put in; a param"),
    ("{value: {in: page, at: '@url', is: {url: {query: {'{x}': a}}}}}", "{x}", "{x} stands in a key, where no param is put in; a"),
    ("{value: {in: cfg, at: a, is: {has: {'{': 1}}}}", "{", "a lone '{'; write {{ for the brace itself, or {name} for a param"),
]  # fmt: skip
ALL = [*CONDITIONS, *BEYOND_A_SCHEMA]


@pytest.mark.parametrize(("condition", "mark", "message"), ALL, ids=[item[0] for item in ALL])
def test_one_mistake_in_a_condition_is_one_problem_at_its_place(
    tmp_path: pathlib.Path, condition: str, mark: str, message: str
) -> None:
    found = problems(tmp_path, f"{HEAD}{MUST}  - {condition}\n")
    assert [str(item) for item in found] == [str(item) for item in found[:1]]
    assert found[0].where.startswith(f"{tmp_path}/task.yaml:11:")
    assert marked(found[0]) == mark
    assert said(found[0]).split(": ", 1)[1].startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a task is a mapping with `id`, `instruction`, `sources` and `must`; it is empty"),
        ("- a\n", "a task is a mapping with `id`, `instruction`, `sources` and `must`; this is a list"),
    ],
)
def test_a_file_that_is_no_mapping_is_no_task(tmp_path: pathlib.Path, text: str, message: str) -> None:
    assert [item.message for item in problems(tmp_path, text)] == [message]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "1:1: a task needs `must`, what has to be reached"),
        (HEAD + "must: []\n", "9:7: `must` is empty, so that doing nothing would be a pass; say what has to be reached"),
        (HEAD + "must:\n", "9:6: `must` takes a list, and this is empty; write [] or leave the key out"),
        (HEAD + "mst:\n  - {action: {tool: x}}\n", "9:1: unknown key 'mst' in a task; did you mean 'must'?"),
        (HEAD + MUST + "given: {a: 1}\n", "11:8: `given` takes a list, and this is a mapping; put each of its items behind a dash"),
        (HEAD + MUST + "given: [{change: {in: db}}]\n", "11:10: `given` is looked at before the first action, where no change can have been; use `value`"),
        (HEAD + MUST + "ignore: [{in: db, max: 3}]\n", "11:19: `max` bounds an allow; an ignore has none; remove it"),
        (HEAD + MUST + "allow: [{in: db, at: x, ops: added}]\n", "11:25: unknown key 'ops' in `allow`; did you mean 'op'?"),
        (HEAD + MUST + "allow: [x]\n", "11:9: each item of `allow` is a mapping such as {in: db, at: …}, not a str"),
        (HEAD.replace("id: t", "id: ' '") + MUST, "1:5: `id` is empty"),
        (HEAD.replace("id: t", "id: ../t") + MUST, "1:5: an id names files: letters, digits, dots, - and _; '../t' has others"),
        (HEAD.replace("Do it.", "3") + MUST, '2:14: `instruction` takes a text, not 3; write "3"'),
        (HEAD.replace("id: t\n", "") + MUST, "1:1: a task needs `id`, a short name such as settings-timeout"),
        (HEAD + MUST + "app: {start: run it}\n", '11:14: `start` takes a list, not the text "run it"'),
        (HEAD + MUST + "app: {start: [a, 3]}\n", '11:18: each item of `start` takes a text, not 3; write "3"'),
        (HEAD + "  x-y: {adapter: file, path: p, only: ['a[']}\n" + MUST, "9:40: not an address from character 2 on: 'a['"),
        (HEAD + "  a.b: {adapter: file, path: p}\n" + MUST, "9:3: a source's name has letters, digits, - and _; 'a.b' has others"),
        (HEAD + "  actions: {adapter: file, path: p}\n" + MUST, "9:3: every task has a source called 'actions' already"),
        (HEAD + "  x: {adapter: sqlite}\n" + MUST, "9:3: a sqlite source needs `path`"),
        (HEAD + "  x: {adapter: sqlite, pth: p}\n" + MUST, "9:24: unknown key 'pth' in a sqlite source; did you mean 'path'?"),
        (HEAD + "  x: {adapter: sqlit, path: p}\n" + MUST, "9:16: no adapter is called 'sqlit'; did you mean 'sqlite'?"),
        (HEAD + "  x: {adapter: gopher, path: p}\n" + MUST, "9:16: no adapter is called 'gopher'; installed are browser, file, sqlite or tree"),
        (HEAD + "  x: {path: p}\n" + MUST, "9:6: the source 'x' needs an `adapter`; installed are browser, file, sqlite or tree"),
        (HEAD + "  x: {adapter: browser, closed: [text, contols]}\n" + MUST, "9:40: no facet of a page is called 'contols'; did you mean 'controls'?"),
        (HEAD + "  x: {adapter: file, path: p, dialect: yml-1.2}\n" + MUST, "9:40: `dialect` takes `yaml-1.1`, `yaml-1.2`, "),
        (HEAD + "  x: {adapter: file, path: p, missing: yes}\n" + MUST, '9:40: `missing` takes `ok`, not the text "yes"'),
    ],
)  # fmt: skip
def test_one_mistake_elsewhere_is_one_problem_at_its_place(tmp_path: pathlib.Path, text: str, message: str) -> None:
    assert one(tmp_path, text).startswith(message)


def test_two_mistakes_in_one_condition_are_two_problems(tmp_path: pathlib.Path) -> None:
    found = problems(tmp_path, HEAD + MUST + "  - {change: {in: dbs, op: gone, to: {gte: 3}}, nme: x}\n")
    assert [marked(item) for item in found] == ["dbs", "gone", "gte", "nme"]


def test_a_mistake_in_a_source_makes_none_where_it_is_used(tmp_path: pathlib.Path) -> None:
    text = HEAD.replace("adapter: sqlite", "adapter: sqlit") + MUST + "  - {change: {in: db, table: t, op: added}}\n"
    assert one(tmp_path, text) == "4:20: no adapter is called 'sqlit'; did you mean 'sqlite'?"


def test_mistakes_in_data_are_named_by_their_path() -> None:
    with pytest.raises(TaskError) as caught:
        task_from_data({"id": "t", "instruction": "x", "sources": {}, "must": [{"chnage": {}}]}, name="made")
    assert str(caught.value) == "made:must[0].chnage: unknown key 'chnage' in a condition; did you mean 'change'?"


def test_params_are_checked_when_the_world_is_known(tmp_path: pathlib.Path) -> None:
    task = load(tmp_path, HEAD + MUST)
    params = task.sources["cfg"].params(lambda text: text.replace("{workdir}", "/w"))
    assert getattr(params, "path") == "/w/a.yaml"  # noqa: B009  # of the adapter's own model
