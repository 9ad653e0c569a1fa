"""`why` and `holes`: read with their mistakes at their places, kept through data and back, and judged by nobody."""

import json
import pathlib

import jsonschema
import pytest
from tests.judging.kit import case, source
from tests.task.writing import HEAD, MUST, load, one

from exactchange.judging import judge
from exactchange.task import task_from_data, task_schema

NAMED = "must:\n  - {name: a is 30, change: {in: cfg, at: a.b, to: 30}}\n"
WHOLE = (
    HEAD
    + NAMED
    + """\
params: {save: form}
allow:
  - {in: db, at: "log[*]", op: added, rest: any, why: "the {save} notes what it did"}
ignore:
  - {in: page, at: "@cookies.session", why: who is signed in}
holes:
  - {in: page, at: "**", why: the database is the truth}
  - {in: db, table: log, column: said, op: modified, why: nobody reads it}
  - {in: files, why: tested elsewhere}
  - {rule: a is 30, why: thirty is thirty}
  - {param: save, why: how it is sent}
"""
)


def test_all_that_explains_is_read_with_params_put_in(tmp_path: pathlib.Path) -> None:
    task = load(tmp_path, WHOLE, params={"save": "shop"})
    assert [pattern.why for pattern in (*task.allow, *task.ignore)] == [
        "the shop notes what it did",
        "who is signed in",
    ]
    assert [(hole.in_, hole.rule, hole.param) for hole in task.holes] == [
        ("page", None, None), ("db", None, None), ("files", None, None), ("", "a is 30", None), ("", None, "save"),
    ]  # fmt: skip
    assert task.where("holes", 3) == "task.yaml:20:5"


def test_it_survives_the_way_through_data_and_json(tmp_path: pathlib.Path) -> None:
    task = load(tmp_path, WHOLE)
    again = task_from_data(json.loads(json.dumps(task.as_data())), name="again")
    assert again == task
    assert (again.holes, again.allow) == (task.holes, task.allow)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{in: page, at: x}", r"12:5: `holes` needs `why`"),
        ('{in: page, why: ""}', r"12:21: `why` is empty; say why it does no harm"),
        ("{why: nothing}", r"12:5: a hole is at a place (`in` and `at`), of a `rule`, or of a `param`: say one"),
        ("{in: page, param: x, why: both}", r"12:5: a hole is at a place"),
        ("{rule: a is 30, at: x, why: y}", r"12:5: a hole of a `rule` has no place of its own"),
        ("{rule: a is 31, why: y}", r"12:12: no rule is called 'a is 31'; did you mean 'a is 30'?"),
        ("{param: speed, why: y}", r"12:13: no param is called 'speed'"),
        ("{in: pgae, at: x, why: y}", r"12:10: no source is called 'pgae'; did you mean 'page'?"),
        ('{in: db, at: "a..b", why: y}', r"12:18: not an address"),
        ("{in: db, whi: y, why: y}", r"12:14: unknown key 'whi' in `holes`; did you mean 'why'?"),
        ("a page", r"12:5: each item of `holes` is a mapping"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_at_its_place(entry: str, said: str, tmp_path: pathlib.Path) -> None:
    import re

    found = one(tmp_path, f"{HEAD}{NAMED}holes:\n  - {entry}\n")
    assert re.match(said if ".*" in said else re.escape(said), found), found


def test_holes_that_are_no_list_are_said_so(tmp_path: pathlib.Path) -> None:
    assert "`holes` takes a list" in one(tmp_path, HEAD + MUST + "holes: {in: page, why: x}\n")


def test_a_fragment_explains_what_it_lets_through(tmp_path: pathlib.Path) -> None:
    (tmp_path / "shop.yaml").write_text('holes: [{in: page, at: "**", why: a view}]\n', encoding="utf-8")
    task = load(tmp_path, HEAD + "use: [shop.yaml]\n" + MUST + "holes: [{in: files, why: elsewhere}]\n")
    assert [hole.why for hole in task.holes] == ["a view", "elsewhere"]
    assert task.where("holes", 0) == "shop.yaml:1:9"


def test_the_schema_knows_them(tmp_path: pathlib.Path) -> None:
    import yaml

    validator = jsonschema.Draft7Validator(task_schema())
    assert list(validator.iter_errors(yaml.safe_load(WHOLE))) == []
    broken = yaml.safe_load(WHOLE)
    del broken["holes"][0]["why"]
    assert list(validator.iter_errors(broken))


def test_no_verdict_depends_on_an_explanation(tmp_path: pathlib.Path) -> None:
    text = 'id: t\ninstruction: Do it.\nsources:\n  s: {adapter: file, path: "a.json"}\n'
    text += "must:\n  - {change: {in: s, at: a, to: 2}}\n"
    run = case(source("s", [{"a": 1, "b": 1}, {"a": 2, "b": 2}]))
    with_hole = load(tmp_path, text + "holes:\n  - {in: s, at: b, why: nobody cares}\n")
    assert judge(with_hole, run).outcome == judge(load(tmp_path, text), run).outcome == "unmet"


TWINS = """\
must:
  - {change: {in: cfg, at: "a.*", from: 1, to: 2}}
  - {change: {in: cfg, at: "a.*", from: 3, to: {gt: 3}}}
"""


def test_a_hole_is_of_one_rule_and_not_of_all_that_are_called_alike(tmp_path: pathlib.Path) -> None:
    entry = 'holes: [{rule: "change in cfg: a.*", why: a good reason for one of them}]\n'
    assert "2 rules are called 'change in cfg: a.*'" in one(tmp_path, HEAD + TWINS + entry)
    named = TWINS.replace("{change", "{name: grows, change", 1)
    assert load(tmp_path, HEAD + named + entry).holes
    veto = "veto: [{name: a is 30, change: {in: db, at: t}}]\n"
    assert "2 rules are called 'a is 30'" in one(tmp_path, HEAD + NAMED + veto + "holes: [{rule: a is 30, why: x}]\n")


@pytest.mark.parametrize("place", ["in: cfg", 'in: cfg, at: "**"', 'in: cfg, at: "", op: modified'])
def test_a_hole_as_wide_as_what_a_must_asks_of_is_warned_of(place: str, tmp_path: pathlib.Path) -> None:
    found = load(tmp_path, HEAD + MUST + f"holes: [{{{place}, why: whatever}}]\n").warnings
    assert [(item.kind, "explains whatever slips through in 'cfg'" in item.message) for item in found] == [
        ("holes", True)
    ]


@pytest.mark.parametrize("place", ['in: page, at: "**"', "in: db", "in: cfg, at: a", 'in: cfg, at: "**", to: 3'])
def test_a_hole_that_is_narrower_or_elsewhere_is_not(place: str, tmp_path: pathlib.Path) -> None:
    assert load(tmp_path, HEAD + MUST + f"holes: [{{{place}, why: a view}}]\n").warnings == ()
