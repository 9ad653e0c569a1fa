"""A veto on what stands in a place where nothing ever did saw nothing: the verdict says so."""

import pathlib

import pytest
from tests.conditions.test_places import Page, el
from tests.judging.kit import TABLES, Data, Given, case, change, judged, seen, source, unread, value
from tests.language.worlds import judged as in_files

from exactchange.values import ABSENT
from exactchange.verdict import Verdict

STATES: list[Given] = [{"a": 1}, {"a": 2, "seen": {"once": 1}}, {"a": 2}]
SAID = "nothing ever stood at {}, so that this veto saw nothing: is the place misspelt? (`missing: ok` if not)"


def misspelt(verdict: Verdict) -> list[str]:
    return [item.message for item in verdict.warnings if item.kind == "misspelt"]


RULES: list[tuple[Data, list[str]]] = [
    (value("aa", 5), ["aa"]), (value("a.b", 5), ["a.b"]), ({"not": {"not": value("aa", 5)}}, ["aa"]),
    ({"any": [value("aa", 5), value("a", 5), value("seen.never", {"not": 1}, pick="any")]}, ["aa", "seen.never"]),
    ({"all": [value("aa", 5), value("bb", 5)]}, ["aa", "bb"]), (value("aa", 5, when="end"), ["aa"]),
    (value("a", 5), []), (value("seen.once", 5), []), (value("seen.*", 5, pick="any"), []), (value("", 5), []),
    (value("aa", {"absent": False}), []), (value("aa", {"one_of": [5, {"absent": False}]}), []),
    (value("aa", "x", source="answer"), []), (change("aa", to=5), []),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "places"), RULES)
def test_a_veto_on_the_value_of_a_place_that_never_was_is_told_to_be_misspelt(rule: Data, places: list[str]) -> None:
    states: list[Given] = [{"a": 1, "seen": {"once": 1}}, {"a": 2, "seen": {}}]
    for run in (states, states[::-1]):
        goal = 2 if run is states else 1
        found = judged(case(source("s", run)), change("a", to=goal), veto=[rule], allow=[{"in": "s", "at": "seen.**"}])
        assert misspelt(found) == [f": in s {SAID.format(place)}" for place in places]


def test_one_that_was_there_at_some_moment_is_none() -> None:
    found = judged(case(source("s", STATES)), change("a", to=2), veto=[value("seen.once", 5), value("seen.twice", 5)])
    assert (found.outcome, misspelt(found)) == ("passed", [f": in s {SAID.format('seen.twice')}"])


def test_nor_one_that_may_be_there_unread_or_that_need_not_be_there() -> None:
    dark: list[Given] = [{"a": 1}, seen({"a": 2}, unread("b"), step=1)]
    found = judged(case(source("s", dark)), change("a", to=2), veto=[value("b.c", 5), value("d", 5)])
    assert misspelt(found) == [f": in s {SAID.format('d')}"]
    may = source("s", [{"a": 1}, {"a": 2}], params={"missing": "ok"})
    assert misspelt(judged(case(may), change("a", to=2), veto=[value("d", 5)])) == []


def test_of_a_must_it_is_no_warning_but_cannot_be_told() -> None:
    found = judged(case(source("s", [{"a": 1}, {"a": 2}])), change("a", to=2), value("aa", 5))
    assert (found.outcome, misspelt(found)) == ("undecided", [])


def test_the_place_is_named_as_the_rule_names_it() -> None:
    looks = case(source("s", [{"a": el("x", "1")}, {"a": el("x", "2")}], kind=Page()))
    rule: Data = {"value": {"in": "s", "css": ".never", "is": 1}}
    assert misspelt(judged(looks, change("a.text", to="2"), veto=[rule])) == [f": in s {SAID.format('css: .never')}"]
    rows = case(source("s", [{"t": {"id=1": {"id": 1}}}, {"t": {"id=1": {"id": 2}}}], kind=TABLES))
    table: Data = {"value": {"in": "s", "table": "u", "column": "v", "is": 1}}
    assert misspelt(judged(rows, change("t[*].id", to=2), veto=[table])) == [f": in s {SAID.format('u')}"]


def test_of_a_source_that_never_was_that_is_told_and_not_of_its_places() -> None:
    run = case(source("s", [{"a": 1}, {"a": 2}]), source("t", [ABSENT, ABSENT]))
    assert misspelt(judged(run, change("a", to=2), veto=[value("b", 5, source="t")])) == []


RULES_IN_A_FILE = """must: [{change: {in: db, at: "orders[id=7].year", to: 2}}]
veto:
  - {value: {in: db, at: "ordes[*].year", is: 5, pick: any}}
  - {value: {in: db, at: "orders[id=9].year", is: 5}}
  - {value: {in: db, at: "orders[id=8].year", is: 5}}
allow: [{in: db, at: "nosuch[*]"}]
ignore: [{in: db, at: "gone[*]"}]
"""


def test_a_warning_names_the_line_of_its_rule_and_each_rule_is_warned_of_once(tmp_path: pathlib.Path) -> None:
    table = "CREATE TABLE orders (id INTEGER PRIMARY KEY, year INT); INSERT INTO orders VALUES (7, 1);"
    found = in_files(tmp_path, RULES_IN_A_FILE, {"db.db": table}, {"db.db": "UPDATE orders SET year = 2"})
    told = [item.partition("task.yaml:")[2].split(":", 2) for item in misspelt(found)]
    first = int(told[0][0])
    assert [(int(line) - first, said.split()[:4]) for line, _, said in told] == [
        (0, ["db", "has", "no", "table"]),
        (3, ["db", "has", "no", "table"]),
        (4, ["db", "has", "no", "table"]),
        (1, ["in", "db", "nothing", "ever"]),
        (2, ["in", "db", "nothing", "ever"]),
    ]
