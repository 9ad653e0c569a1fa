"""The JSON Schema of tasks: editors complete and check by it, so it says all that a schema of one file can say."""

import json
from collections.abc import Iterator

import jsonschema
import pytest
from tests.task.test_conflicts import FORBIDDEN, TWO_VALUES
from tests.task.test_docs import BLOCKS
from tests.task.test_docs import HEAD as PAGE_HEAD
from tests.task.test_mistakes import CONDITIONS
from tests.task.writing import HEAD, MUST

from exactchange.conditions import KINDS
from exactchange.conditions.matchers.parse import PARSERS
from exactchange.conditions.matchers.url import PARTS
from exactchange.sources import kind_named, kinds
from exactchange.task import task_schema
from exactchange.task.reading import KEYS
from exactchange.task.yaml12 import read_document
from exactchange.values.jsonform import Json

BEYOND = (
    "no number is at least",
    "no source is called",
    "not an address",
    "is no place in",
    "has no queries",
    "is no selector",
    "which sends no requests",
    "is no state that changes",
    "is no pattern in RE2 syntax",
    "`url:` takes a URL",
    "never holds the",
    "so `from` can never be",
    "so `to` can never be",
    "which only a must can ask",
    "the very column that changes",
    "no param is called",
    "has a value only in",
)
"""What no schema of one file can know: other parts of the file, patterns, and what a kind of source can hold."""


@pytest.fixture(scope="module")
def schema() -> dict[str, Json]:
    return task_schema()


@pytest.fixture(scope="module")
def validator(schema: dict[str, Json]) -> jsonschema.Draft7Validator:
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def read(text: str) -> Json:
    document, problems = read_document(text.encode(), name="t", shown="t")
    assert problems == []
    return json.loads(json.dumps(document.data))  # type: ignore[no-any-return]  # JSON is JSON


def refused(validator: jsonschema.Draft7Validator, text: str) -> list[str]:
    return [error.message for error in validator.iter_errors(read(text))]


@pytest.mark.parametrize(("condition", "mark", "message"), CONDITIONS, ids=[item[0] for item in CONDITIONS])
def test_a_broken_condition_is_refused_unless_no_schema_can_know(
    validator: jsonschema.Draft7Validator, condition: str, mark: str, message: str
) -> None:
    inside = condition == "{order: [{action: {tool: x}}, {any: [{effort: {steps: 1}}]}]}"  # a moment in a moment
    beyond = inside or any(part in message for part in BEYOND)
    assert (refused(validator, f"{HEAD}{MUST}  - {condition}\n") == []) is beyond


def test_most_broken_conditions_are_refused_by_the_schema_alone(validator: jsonschema.Draft7Validator) -> None:
    found = [item for item in CONDITIONS if refused(validator, f"{HEAD}{MUST}  - {item[0]}\n")]
    assert len(found) >= 35 and len(CONDITIONS) - len(found) <= 25


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "must: []\n",
        HEAD + MUST + "given: [{change: {in: db}}]\n",
        HEAD + MUST + "veto: [{weight: 2, action: {tool: x}}]\n",
        HEAD + MUST + "ignore: [{in: db, max: 3}]\n",
        HEAD + MUST + "allow: [{in: db, at: x, ops: added}]\n",
        HEAD + MUST + "allow: [{at: x}]\n",
        HEAD + MUST + "app: {start: run it}\n",
        HEAD + MUST + "app: {start: []}\n",
        HEAD + MUST + "params: {a-b: 1}\n",
        HEAD + MUST + "use: shop.yaml\n",
        HEAD + MUST + "scores: 1\n",
        HEAD + "  x: {adapter: sqlite, pth: p}\n" + MUST,
        HEAD + "  x: {adapter: file, path: p, dialect: yml}\n" + MUST,
        HEAD + "  x: {adapter: browser, closed: [contols]}\n" + MUST,
        HEAD + "  x: {adapter: browser, path: p}\n" + MUST,
        HEAD + "  x: {path: p}\n" + MUST,
        HEAD + MUST + "  - {value: {in: cfg, at: a, is: {within: 3}}}\n",
        HEAD + MUST + "  - {value: {in: cfg, at: a, is: {generated: guid}}}\n",
        HEAD + MUST + "  - {value: {in: cfg, at: a, is: {type: integer}}}\n",
        HEAD + MUST + "  - {value: {in: cfg, at: a, is: {absent: yes}}}\n",
        HEAD + MUST + "  - {value: {in: cfg, at: a, is: {}}}\n",
        HEAD + MUST + "  - {value: {in: cfg, at: a, is: {one_of: []}}}\n",
        HEAD + MUST + "  - {value: {in: cfg, at: a, is: {items: [[1]]}}}\n",
        HEAD + MUST + "  - {value: {in: page, at: '@url', is: {url: {path: {matchs: x}}}}}\n",
        HEAD + MUST + "  - {sql: {effect: delte}}\n",
        HEAD + MUST + "  - {sql: {effect: []}}\n",
        HEAD + MUST + "  - {sql: {effect: [delete, x]}}\n",
        HEAD + MUST + "  - {sql: {table: t, dialect: oracle}}\n",
        HEAD + MUST + "  - {sql: {in: db, effect: delete}}\n",
        HEAD + MUST + "  - {action: {effect: delte}}\n",
    ],
)
def test_a_broken_part_elsewhere_is_refused(validator: jsonschema.Draft7Validator, text: str) -> None:
    assert refused(validator, text) != []


@pytest.mark.parametrize("condition", sorted({rule for pair in [*TWO_VALUES, *FORBIDDEN] for rule in pair}))
def test_a_condition_that_is_well_formed_is_accepted(validator: jsonschema.Draft7Validator, condition: str) -> None:
    assert refused(validator, f"{HEAD}{MUST}  - {condition}\n") == []


@pytest.mark.parametrize(
    "condition",
    [
        "{change: {in: db, table: t, column: c, where: {id: {ge: '{low}', lt: 9}}, count: {ge: 1, le: '{most}'}}}",
        "{value: {in: cfg, at: a, is: null}}",
        "{value: {in: cfg, at: a, is: within_episode}}",
        "{value: {in: cfg, at: a, is: {has: {b: {items: [1, {exactly: [2]}]}}}}}",
        "{value: {in: cfg, at: a, is: {number: 30, within: 0.5, unit: s}}}",
        "{value: {in: page, at: '@url', is: {url: {host: a.example, port: 8080, query: {q: {text: x}}, rest: any}}}}",
        "{value: {in: db, query: 'SELECT 1', is: 1}}",
        "{request: {in: page, url: {path: /pay}, status: {ge: 400}, unless_after: {action: {kind: reply}}}}",
        "{sql: {effect: delete, table: t, bounded: false, dialect: sqlite, count: {ge: 2}}}",
        "{sql: {effect: [drop, truncate], dialect: '{engine}', unless_after: {sql: {effect: '{word}'}}}}",
        "{action: {kind: shell, effect: [file, unknown]}}",
        "{order: [{any: [{change: {in: db}}, {action: {tool: x}}]}, {sql: {table: t}}]}",
        "{change: {in: db, op: '{op}', rest: '{rest}'}}",
    ],
)
def test_what_the_language_knows_is_accepted(validator: jsonschema.Draft7Validator, condition: str) -> None:
    assert refused(validator, f"{HEAD}{MUST}  - {condition}\n") == []


@pytest.mark.parametrize(
    "block", [item for item in BLOCKS if "five-mistakes" not in item and read(item) is not None], ids=lambda b: b[:30]
)
def test_every_example_of_the_page_is_accepted(validator: jsonschema.Draft7Validator, block: str) -> None:
    whole = block.startswith(("id: ", "# "))
    assert refused(validator, block if whole else PAGE_HEAD + block) == []


def test_the_five_mistakes_of_the_page_are_four_for_the_schema(validator: jsonschema.Draft7Validator) -> None:
    """The fifth is a source that is not there."""
    block = next(item for item in BLOCKS if "five-mistakes" in item)
    places = {tuple(error.absolute_path)[:2] for error in validator.iter_errors(read(block))}
    assert places == {("sources", "config"), ("veto", 0), ("must", 1), ("bonus", 0)}


def nodes(node: Json) -> Iterator[dict[str, Json]]:
    if isinstance(node, dict):
        yield node
    for item in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from nodes(item)


def test_every_reference_leads_somewhere_and_every_definition_is_used(schema: dict[str, Json]) -> None:
    names = {str(node["$ref"]) for node in nodes(schema) if "$ref" in node}
    definitions = schema["definitions"]
    assert isinstance(definitions, dict)
    assert names == {f"#/definitions/{name}" for name in definitions}


def test_every_field_says_what_it_means(schema: dict[str, Json]) -> None:
    definitions = schema["definitions"]
    assert isinstance(definitions, dict)
    silent = [
        f"{name}.{field}"
        for name, body in [("task", schema), *definitions.items()]
        if isinstance(body, dict) and isinstance(fields := body.get("properties", {}), dict)
        for field, shape in fields.items()
        if not (isinstance(shape, dict) and str(shape.get("description", "")).strip())
    ]
    assert silent == []


def test_no_field_offers_nothing_as_its_value(schema: dict[str, Json]) -> None:
    assert [node for node in nodes(schema) if node.get("type") == "null" or node.get("default", 0) is None] == []


def test_the_schema_knows_every_key_kind_matcher_and_adapter(schema: dict[str, Json]) -> None:
    definitions, properties = schema["definitions"], schema["properties"]
    assert isinstance(definitions, dict) and isinstance(properties, dict)
    bodies = {name: body for name, body in definitions.items() if isinstance(body, dict)}
    fields = {name: set(found) for name, body in bodies.items() if isinstance(found := body.get("properties"), dict)}
    assert set(properties) == set(KEYS)
    assert fields["Condition"] - {"name", "weight"} == set(KINDS)
    assert fields["Matching"] == {*PARSERS, "within", "unit"}
    assert fields["Url"] == {*PARTS, "rest"}
    for name in kinds():
        model = kind_named(name).params
        assert fields[f"{name} source"] - {"adapter"} == {
            info.alias or field for field, info in model.model_fields.items() if field != "adapter"
        }


def test_the_schema_stays_small_enough_to_read(schema: dict[str, Json]) -> None:
    assert len(json.dumps(schema)) < 48 * 1024


def test_a_beginning_of_a_condition_is_one_once_its_gaps_are_filled(
    schema: dict[str, Json], validator: jsonschema.Draft7Validator
) -> None:
    bodies = [node["body"] for node in nodes(schema) if "body" in node and "label" in node]
    assert len(bodies) >= 5
    for body in bodies:
        text = json.dumps(body)
        text = text.replace('"$1"', '"tool"' if "kind" in text else '"db"').replace('"$2"', '"x"')
        assert refused(validator, f"{HEAD}must: [{text}]\n") == [], text
