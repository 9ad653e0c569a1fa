"""The JSON Schema of task files, for editors that complete and check while one writes."""

from collections.abc import Callable, Mapping

from pydantic import BaseModel

from exactchange.conditions import Allowed, Condition, Hole
from exactchange.sources import kind_named, kinds
from exactchange.task.model import App
from exactchange.task.params import HOLES, PATTERNS, TIERS
from exactchange.values.jsonform import Json

_PARAM: dict[str, Json] = {"type": "string", "pattern": r"^\{[A-Za-z_][A-Za-z0-9_]*\}$"}
_TYPED = frozenset({"integer", "number", "boolean", "array", "object"})
_TEXT: dict[str, Json] = {"type": "string", "minLength": 1}
_SAID = {
    "id": "A short name.",
    "instruction": "The text that the agent is given.",
    "use": "Fragments whose sections are added to this task's, by their paths from this file.",
    "params": "Values that stand wherever {name} is written.",
    "app": "The application under test.",
    "sources": "The pieces of real state that are judged, by name.",
    "given": "What must hold before the first action, or else the world is broken.",
    "veto": "What must never happen.",
    "must": "What has to be reached; nothing else may change.",
    "bonus": "What makes a pass a better one.",
    "allow": "Changes that are tolerated.",
    "ignore": "Noise that is not looked at.",
    "holes": "What `audit` finds that the task lets through, each with the reason why that is all right.",
}


def task_schema() -> dict[str, Json]:
    """The JSON Schema of a task file or fragment, with the parameters of every installed adapter.

    Of draft 7, which editors know best. A value of any type but text may also be written as `"{param}"`.
    """
    definitions: dict[str, Json] = {}
    condition = _reference(Condition, definitions)
    pattern = _reference(Allowed, definitions)
    properties: dict[str, Json] = {
        "id": _TEXT,
        "instruction": _TEXT,
        "use": {"type": "array", "items": _TEXT},
        "params": {"type": "object"},
        "app": _reference(App, definitions),
        "sources": {"type": "object", "additionalProperties": _source(definitions)},
        **{tier: {"type": "array", "items": condition} for tier in TIERS},
        **{name: {"type": "array", "items": pattern} for name in PATTERNS},
        HOLES: {"type": "array", "items": _reference(Hole, definitions)},
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Exact Change task",
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {**_object(body), "description": _SAID[name]} for name, body in properties.items()},
        "definitions": definitions,
    }


def _source(definitions: dict[str, Json]) -> Json:
    """A source by its adapter: the fields of the others are errors, as when the task is loaded."""
    choices: list[Json] = []
    for name in kinds():
        model = kind_named(name).params
        body = _object(_schema(model, definitions))
        fields = _object(body.get("properties", {}))
        needed = body.get("required", [])
        assert isinstance(needed, list)
        choices.append(
            {
                **body,
                "title": f"{name} source",
                "properties": {**fields, "adapter": {"const": name}},
                "required": ["adapter", *(item for item in needed if item != "adapter")],
            }
        )
    return {"type": "object", "required": ["adapter"], "oneOf": choices} if choices else {"type": "object"}


def _reference(model: type[BaseModel], definitions: dict[str, Json]) -> Json:
    body = _schema(model, definitions)
    if "$ref" not in body:
        definitions[model.__name__] = body
    return {"$ref": f"#/definitions/{model.__name__}"}


def _schema(model: type[BaseModel], definitions: dict[str, Json]) -> dict[str, Json]:
    body: dict[str, Json] = model.model_json_schema(by_alias=True, ref_template="#/definitions/{model}")
    inner = _object(body.pop("$defs", {}))
    definitions.update({name: _with_params(_plain(item)) for name, item in inner.items()})
    return _object(_with_params(_plain(body)))


def _plain(node: Json) -> Json:
    """Without the titles that pydantic makes of field names, which tell an author nothing."""
    return _mapped(node, lambda body: {key: item for key, item in body.items() if key != "title"})


def _with_params(node: Json) -> Json:
    """With `"{param}"` beside every type but text, below the model itself."""
    if not isinstance(node, dict):
        return node
    fields = _object(node.get("properties", {}))
    if not fields:
        return node
    return {**node, "properties": {name: _or_param(item) for name, item in fields.items()}}


def _or_param(field: Json) -> Json:
    body = _object(field)
    shapes = body.get("anyOf", [body])
    assert isinstance(shapes, list)
    if "enum" not in body and not any(_is_typed(_object(shape)) for shape in shapes):
        return field
    kept: dict[str, Json] = {key: body[key] for key in ("description", "default") if key in body}
    rest: Json = {key: item for key, item in body.items() if key not in kept}
    return {**kept, "anyOf": [*(shapes if set(body) - set(kept) == {"anyOf"} else [rest]), _PARAM]}


def _is_typed(shape: Mapping[str, Json]) -> bool:
    kind = shape.get("type")
    return "enum" in shape or (isinstance(kind, str) and kind in _TYPED)


def _mapped(node: Json, change: Callable[[Mapping[str, Json]], dict[str, Json]], *, names: bool = False) -> Json:
    if isinstance(node, list):
        return [_mapped(item, change) for item in node]
    if not isinstance(node, dict):
        return node
    body = dict(node) if names else change(node)
    return {
        key: _mapped(item, change, names=key in ("properties", "$defs", "definitions") and not names)
        for key, item in body.items()
    }


def _object(node: Json) -> dict[str, Json]:
    assert isinstance(node, dict)
    return node
