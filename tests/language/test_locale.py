"""Rule 23: a number in a text is read in the locale of its source: of files, databases and pages."""

import json
import pathlib

import pytest
import yaml
from tests.language.worlds import judged, must, refused, task_of, veto

from exactchange.task import load_task, task_from_data

INI = "[shop]\nprice = 5\n"
PAID = "must: [{change: {in: shop, at: shop.price, to: {number: 1234.5}}}]\n"


def priced(text: str) -> dict[str, str | None]:
    return {"shop.ini": f"[shop]\nprice = {text}\n"}


@pytest.mark.parametrize(
    ("said", "text", "outcome"),
    [
        ("locale: de", "1.234,50", "passed"),
        ("locale: fr", "1\u202f234,50", "passed"),
        ("locale: en", "1,234.50", "passed"),
        ("locale: de", "1,2345", "unmet"),
        ("locale: de", "1,234.50", "undecided"),
        ("locale: hi-IN", "१,२३४.५", "passed"),
        ("", "1.234,50", "undecided"),
        ("", "1,234.50", "passed"),
        ("", "1234.50", "passed"),
    ],
)
def test_rule_23_a_file_is_read_in_its_locale(tmp_path: pathlib.Path, said: str, text: str, outcome: str) -> None:
    also = {"shop": said} if said else {}
    assert judged(tmp_path, PAID, {"shop.ini": INI}, priced(text), also=also).outcome == outcome


def test_rule_23_where_no_locale_is_said_the_verdict_says_that_one_is_wanted(tmp_path: pathlib.Path) -> None:
    found = judged(tmp_path, PAID, {"shop.ini": INI}, priced("1.234,50"))
    assert "`locale`" in must(found).near[0].wanted
    rule = "must: [{value: {in: shop, at: shop.price, is: {number: 1234.5}}}]\nallow: [{in: shop}]\n"
    assert "`locale`" in must(judged(tmp_path, rule, {"shop.ini": INI}, priced("1.234,50"))).why


def test_rule_23_a_veto_on_a_number_is_not_silent_where_the_locale_is_not_said(tmp_path: pathlib.Path) -> None:
    rule = """veto: [{change: {in: shop, to: {number: 1234}}}]
must: [{value: {in: shop, at: shop.x, is: '2'}}]
allow: [{in: shop}]
"""
    before, after = {"shop.ini": INI + "x = 1\n"}, {"shop.ini": "[shop]\nprice = 1.234\nx = 2\n"}
    assert veto(judged(tmp_path, rule, before, after)).holds is None
    assert veto(judged(tmp_path, rule, before, after, also={"shop": "locale: de"})).holds is True
    assert veto(judged(tmp_path, rule, before, after, also={"shop": "locale: en"})).holds is False


def test_rule_23_a_text_in_a_database_is_read_in_its_locale_and_a_number_is_itself(tmp_path: pathlib.Path) -> None:
    made = {"db.db": "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b REAL); INSERT INTO t VALUES (1, '1', 1)"}
    paid = {"db.db": "UPDATE t SET a = '1.234,50 €', b = 1234.5"}
    rule = """must:
  - {change: {in: db, at: "t[*].a", to: {number: 1234.5, unit: €}}}
  - {change: {in: db, at: "t[*].b", to: {number: 1234.5}}}
  - {value: {in: db, query: "SELECT a FROM t", is: {number: 1234.5, unit: €}}}
  - {value: {in: db, table: t, where: {a: {number: 1234.5, unit: €}}, column: id, is: 1}}
"""
    assert judged(tmp_path, rule, made, paid, also={"db": "locale: de"}).outcome == "passed"
    assert judged(tmp_path, rule, made, paid, also={"db": "locale: en"}).outcome != "passed"


@pytest.mark.parametrize(
    ("name", "hint"), [("de_DE", "'de-DE'"), ("dee", "'de'"), ("klingon", "BCP 47"), ("5", "a text")]
)
def test_rule_23_check_refuses_a_locale_that_nobody_knows(tmp_path: pathlib.Path, name: str, hint: str) -> None:
    said = refused(tmp_path, PAID, {"shop.ini": INI}, also={"shop": f"locale: {name}"})
    assert "task.yaml:4:" in said and hint in said


def test_rule_23_a_locale_goes_round_through_yaml_and_json_and_is_part_of_the_hash(tmp_path: pathlib.Path) -> None:
    task = task_of(tmp_path, PAID, {"shop.ini": INI}, also={"shop": "locale: de-CH"})
    assert task.sources["shop"].raw["locale"] == "de-CH"
    assert task_from_data(json.loads(json.dumps(task.as_data())), name="json") == task
    assert task_from_data(yaml.safe_load(yaml.safe_dump(task.as_data())), name="yaml") == task
    assert task_of(tmp_path, PAID, {"shop.ini": INI}).hash != task.hash
    assert load_task(tmp_path / "task.yaml").hash != task.hash
