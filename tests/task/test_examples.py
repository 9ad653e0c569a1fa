"""The tasks on which the language was tried: real ones of several benchmarks, and of a tracker with many rows."""

import json
import pathlib

import jsonschema
import pytest
import yaml
from tests.task.writing import HEAD, MUST

from exactchange.conditions import Matcher
from exactchange.task import load_task, task_from_data, task_schema
from exactchange.task.yaml12 import read_document
from exactchange.values.jsonform import Json

EXAMPLES = pathlib.Path(__file__).parent / "examples"
SHIPPED = pathlib.Path(__file__).parents[2] / "tasks"
FILES = sorted([*EXAMPLES.glob("*.yaml"), *SHIPPED.rglob("*.yaml")])
TASKS = [file for file in FILES if not file.name.endswith(".app.yaml")]


@pytest.mark.parametrize("file", TASKS, ids=lambda file: file.stem)
def test_every_example_loads_without_a_warning_and_survives_json_and_yaml(file: pathlib.Path) -> None:
    task = load_task(file)
    assert task.warnings == ()
    for again in (
        task_from_data(json.loads(json.dumps(task.as_data())), name="json"),
        task_from_data(yaml.safe_load(yaml.safe_dump(task.as_data())), name="yaml"),
    ):
        assert again == task and again.hash == task.hash
        assert [rule.model_dump() for rule in again.must] == [rule.model_dump() for rule in task.must]


def test_the_examples_are_all_there() -> None:
    assert sorted(file.stem for file in TASKS) == [
        "agentdiff-compost",
        "article-form",
        "book-flight",
        "osworld-9d425400",
        "settings-timeout",
        "tau2-airline-0",
        *sorted(file.stem for file in (SHIPPED / "trac").glob("trac-*.yaml")),
    ]


def test_a_task_of_the_tracker_has_what_its_fragment_gives() -> None:
    task = load_task(SHIPPED / "trac" / "trac-close-1.yaml")
    assert list(task.sources) == ["page", "db", "ini", "files"]
    assert task.app is not None and task.app.seed == "../../.trac/seed"
    assert [pattern.at for pattern in task.ignore][:2] == ["@cookies.trac_auth", "@cookies.trac_session"]
    files = [rule.where.split(":")[0] for rule in task.veto]
    assert list(dict.fromkeys(files)) == ["trac.app.yaml", "trac-close-1.yaml"]  # fragments first
    times = [matcher.raw for rule in task.must if rule.change for matcher in used(rule.change.row, rule.change.to)]
    assert times.count({"same": "when"}) == 4


def used(row: dict[str, Matcher] | None, to: Matcher | None) -> list[Matcher]:
    return [*(row or {}).values(), *([] if to is None else [to])]


def test_an_anchor_says_the_same_thing_twice() -> None:
    task = load_task(SHIPPED / "article" / "book-flight.yaml")
    change, request = (part for part in task.veto[0].any or ())
    assert change.change is not None and request.request is not None
    first, second = change.change.unless_after, request.request.unless_after
    assert first is not None and second is not None
    assert first.model_dump() == second.model_dump()
    assert first.where != second.where


# --- The JSON Schema ----------------------------------------------------------------------------------------------


def read(text: str) -> Json:
    document, problems = read_document(text.encode(), name="t", shown="t")
    assert problems == []
    return json.loads(json.dumps(document.data))  # type: ignore[no-any-return]  # JSON is JSON


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    schema = task_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_schema_accepts_every_example(validator: jsonschema.Draft7Validator, file: pathlib.Path) -> None:
    found = [error.message for error in validator.iter_errors(read(file.read_text(encoding="utf-8")))]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        HEAD + MUST + "  - {effort: {steps: '{n}'}}\n",
        HEAD + MUST + "  - {change: {in: db, count: '{n}'}}\n",
        HEAD + MUST + "  - {value: {in: cfg, at: a, is: {exactly: {b: [1]}}}}\n",
        HEAD + MUST + "  - {action: {kind: '{k}'}}\n",
    ],
)
def test_the_schema_accepts_what_the_loader_accepts(validator: jsonschema.Draft7Validator, text: str) -> None:
    assert [error.message for error in validator.iter_errors(read(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "mst: []\n",
        HEAD + MUST + "  - {chnage: {in: db}}\n",
        HEAD + MUST + "  - {change: {op: added}}\n",
        HEAD + MUST + "  - {change: {in: db, op: gone}}\n",
        HEAD + MUST + "  - {effort: {steps: many}}\n",
        HEAD + MUST + "  - {action: {kind: clikc}}\n",
        HEAD + MUST + "  - {order: [{action: {tool: x}}]}\n",
        HEAD + "  x: {adapter: sqlite, pth: x}\n" + MUST,
        HEAD + "  x: {adapter: sqlite}\n" + MUST,
        HEAD + "  x: {adapter: gopher, path: x}\n" + MUST,
        HEAD + MUST + "app: {start: serve}\n",
        HEAD + MUST + "allow: {in: db}\n",
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(validator: jsonschema.Draft7Validator, text: str) -> None:
    assert [error.message for error in validator.iter_errors(read(text))] != []
