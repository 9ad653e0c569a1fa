"""Every document that a command prints with `--json` is one of the schema that `exactchange schema` gives for it."""

import json
import pathlib
import re
import shutil
import sqlite3
from typing import Any

import jsonschema
import pytest
from tests.cli.conftest import Command

from exactchange.cli.schema import schema as command
from exactchange.cli.shapes import DOCUMENTS
from exactchange.reports import Entry, report_json
from exactchange.reports.shapes import ReportShape

ROOT = pathlib.Path(__file__).parents[2]
EPISODES = sorted(path.parent for path in (ROOT / "fixtures" / "episodes").rglob("episode.json"))


def valid(exactchange: Command, document: dict[str, Any]) -> str:
    """The name of a document, which fits its schema and has all that it promises."""
    name = str(document["schema"]).split("/")[1]
    schema = exactchange("schema", name).document
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    assert schema["additionalProperties"] is False
    return name


@pytest.fixture
def states(tmp_path: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    for name, value in (("before", 1), ("after", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.yaml").write_text(f"a: {value}\nb: [1, 2]\n", encoding="utf-8")
        with sqlite3.connect(tmp_path / name / "a.db") as base:
            base.executescript(f"CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, {value});")
        base.close()
    (tmp_path / "task.yaml").write_text(
        'id: t\ninstruction: Do it.\nsources: {c: {adapter: file, path: "{workdir}/a.yaml"}, '
        'd: {adapter: sqlite, path: "{workdir}/a.db"}}\nmust: [{change: {in: c, at: a, to: 2}}]\n',
        encoding="utf-8",
    )
    return tmp_path / "before", tmp_path / "after"


def test_the_documents_of_every_day_are_of_their_schemas(
    exactchange: Command, states: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path
) -> None:
    before, after = states
    (tmp_path / "broken.yaml").write_text("id: t\nmst: []\n", encoding="utf-8")
    task = tmp_path / "task.yaml"
    said = [
        exactchange("judge", task, "--before", before, "--after", after, "--json"),
        exactchange("diff", before, after, "--json"),
        exactchange("diff", before, after, "--stat", "--json"),
        exactchange("snapshot", after, "--json"),
        exactchange("check", task, tmp_path / "broken.yaml", "--json"),
        exactchange("adapters", "--json"),
        exactchange("doctor", "--json"),
        exactchange("init", tmp_path / "new", "--json"),
        exactchange("docs", "--json"),
        exactchange("docs", "cli#exit-codes", "--json"),
        exactchange("docs", "nowhere", "--json"),
        exactchange("sql", "DELETE FROM t; SELECT own(1)", "--json"),
    ]
    names = [valid(exactchange, item.document) for item in said]
    assert names == [
        "verdict",
        "diff",
        "diff-stat",
        "snapshot",
        "check",
        "adapters",
        "doctor",
        "init",
        "docs",
        "docs",
        "error",
        "sql",
    ]
    (tmp_path / "verdict.json").write_text(said[0].out, encoding="utf-8")
    assert valid(exactchange, exactchange("explain", tmp_path / "verdict.json", "--json").document) == "verdict"
    assert valid(exactchange, exactchange("explain", tmp_path / "verdict.json", "c:a", "--json").document) == "explain"


def test_the_report_of_recorded_episodes_is_of_its_schema_with_and_without_repeats(
    exactchange: Command, tmp_path: pathlib.Path
) -> None:
    chosen = EPISODES[:2]
    again = [pathlib.Path(shutil.copytree(episode, tmp_path / episode.name)) for episode in chosen]
    for episodes in (chosen, [*chosen, *again]):
        said = exactchange("judge", *episodes, "--recorded-params", "--json")
        assert said.code in (0, 1, 3), said.err
        assert valid(exactchange, said.document) == "report"
    demo = {**said.document, "expected": {"a": "passed"}, "as_expected": False}
    assert valid(exactchange, demo) == "report"


def test_a_report_of_nothing_and_of_what_failed_is_of_its_schema() -> None:
    for entries in ([], [Entry("a", None, failed="no browser")], [Entry("a", None, failed="x")] * 2):
        ReportShape.model_validate(json.loads(json.dumps(report_json(entries))), strict=False)


def test_a_field_too_few_or_too_many_is_none_of_the_schema(
    exactchange: Command, states: tuple[pathlib.Path, pathlib.Path]
) -> None:
    document = exactchange("diff", *states, "--json").document
    schema = exactchange("schema", "diff").document
    for wrong in ({**document, "extra": 1}, {k: v for k, v in document.items() if k != "complete"}):
        assert not jsonschema.Draft202012Validator(schema).is_valid(wrong)


def test_every_schema_that_is_named_anywhere_can_be_had() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "judge").rglob("*.py"))
    named = set(re.findall(r'"exactchange/([a-z-]+)/1"', source))
    on_disk_or_in_conversation = {"episode", "event", "blob", "protocol"}
    assert named - on_disk_or_in_conversation <= set(DOCUMENTS)
    (what,) = [option for option in command.params if option.name == "what"]
    assert set(getattr(what.type, "choices", ())) == {"task", *DOCUMENTS}
