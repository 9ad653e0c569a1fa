"""Params are varied in several ways: a run that passes under another value is a hole of the rule that takes both."""

import pathlib

import pytest
from tests.language.worlds import case_of, task_of

from exactchange.authoring.audit import Audit, audit, task_variants
from exactchange.authoring.audit.report import grouped, render_audit
from exactchange.authoring.audit.variants import other_values
from exactchange.values import Scalar, Value

WAYS: list[tuple[Scalar, list[Value]]] = [
    (True, [False]),
    (7, [8, 70, -7, 0]),
    (1.5, [2.5, 15.0, -1.5, 0.0]),
    (0, [1]),
    (
        "Ada Lovelace",
        ["Beb Mpwfmbdf", "xAda Lovelace", "Ada Lovelacex", "Ada Lovelac", "Ada Lovelace Ada Lovelace", "aDA lOVELACE",
         "Ada Lovelace ", "Ada  Lovelace"],
    ),
    ("7", ["8", "70", "0", "x7", "7x", "x", "7 7", "7 "]),
    ("2026-11-30", ["2026-12-01", "3137-22-41", "x2026-11-30", "2026-11-30x", "2026-11-3"]),
    ("2026-12-31T23:00:00Z", ["2027-01-01T23:00:00Z"]),
    ("", ["x", " "]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "others"), WAYS)
def test_a_value_is_varied_in_every_way_that_a_run_may_pass_for(value: Scalar, others: list[Value]) -> None:
    found = [other for _, other in other_values(value)]
    assert found[: len(others)] == others
    assert all(type(other) is type(value) for other in found), "no variant is of another type"
    assert value not in found and len(found) == len({repr(other) for other in found})


DATABASE = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, n INT); INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);"
DONE = "UPDATE t SET v = 'Ada Lovelace', n = 30 WHERE id = 1"
PARAMS = "params: {who: Ada Lovelace, n: 30}\n"


def replayed(folder: pathlib.Path, rules: str, params: str = PARAMS) -> Audit:
    by = task_of(folder, params + rules, {"db.db": DATABASE})
    case = case_of(folder, by, [{"db.db": DATABASE}, {"db.db": DONE}])
    return audit(by, case, variants=list(task_variants(by)))


EXACT = """\
must:
  - {name: who, change: {in: db, at: "t[id=1].v", to: "{who}"}}
  - {name: how many, change: {in: db, at: "t[id=1].n", to: "{n}"}}
"""


def of_params(found: Audit) -> list[tuple[str, int]]:
    return [(culprit.said, len(slips)) for culprit, slips in grouped(found.slips) if culprit.lets == "param"]


def test_each_param_alone_and_all_of_them_together_are_tried(tmp_path: pathlib.Path) -> None:
    found = replayed(tmp_path, EXACT)
    assert of_params(found) == []
    assert [tested.about for tested in found.variants] == [
        *["another who"] * 8,
        *["another n"] * 4,
        "all params at once",
    ]
    text = render_audit(found)
    assert "another who               8/8 caught" in text and "all params at once        1/1 caught" in text


WIDE = [
    ('v", to: {text: "{who}"}', "must 'who' takes the run of another who as well", 3),  # other case, and blanks
    ('v", to: {contains: "{who}"}', "must 'who' takes the run of another who as well", 1),  # its beginning
    ('n", to: {ge: "{n}"}', "must 'who' takes the run of another n as well", 2),  # -30 and 0
    ('n", to: {number: "{n}", within: 1}', "must 'who' takes the run of another n as well", 1),
]


@pytest.mark.parametrize(("rule", "said", "passing"), WIDE)
def test_a_rule_that_takes_the_run_of_another_value_is_named(
    rule: str, said: str, passing: int, tmp_path: pathlib.Path
) -> None:
    other = "n" if rule.startswith("v") else "v"
    rest = f'allow:\n  - {{in: db, at: "t[id=1].{other}", why: anything}}\n'
    decoration = f"holes:\n  - {{param: {'n' if other == 'n' else 'who'}, why: nobody asks for it}}\n"
    rules = f'must:\n  - {{name: who, change: {{in: db, at: "t[id=1].{rule}}}}}\n{rest}'
    found = replayed(tmp_path, rules + decoration)
    assert (said, passing) in of_params(found)
    assert not found.sound
    explained = replayed(tmp_path, rules + decoration + "  - {rule: who, why: more is as good}\n")
    assert [slip for slip in explained.slips if not slip.explained] == []


def test_a_param_that_stands_in_the_instruction_alone_is_decoration_in_every_way(tmp_path: pathlib.Path) -> None:
    rules = EXACT.replace("{who}", "Ada Lovelace")
    found = replayed(tmp_path, rules)
    assert of_params(found) == [("no rule depends on this param, so that one run passes for all its values", 8)]
    assert not found.sound
    assert replayed(tmp_path, f"{rules}holes:\n  - {{param: who, why: for people}}\n").sound


def test_a_value_that_the_task_refuses_makes_no_variant_and_all_refused_are_told(tmp_path: pathlib.Path) -> None:
    rules = EXACT.replace('to: "{n}"', 'to: "{n}", count: "{k}"') + "allow:\n  - {in: db, at: 't[id=2].v'}\n"
    by = task_of(tmp_path, "params: {who: Ada Lovelace, n: 30, k: 1}\n" + rules, {"db.db": DATABASE})
    tried = [variant.params["k"] for variant in task_variants(by) if tuple(variant.params) == ("k",)]
    assert -1 not in tried and 2 in tried
