"""The JSON Schema of task files, for editors that complete and check while one writes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pydantic import BaseModel

from exactchange.conditions import KINDS, Allowed, Condition, Hole
from exactchange.conditions.matchers.shape import DEFINITIONS, matcher_definitions
from exactchange.sources import kind_named, kinds
from exactchange.task.checks import OF_THE_START, WITH_MOMENTS
from exactchange.task.model import App, Score
from exactchange.task.params import HOLES, PATTERNS, TIERS
from exactchange.values.jsonform import Json

_PARAM: Final[dict[str, Json]] = {"$ref": "#/definitions/Param"}
_TYPED: Final = frozenset({"integer", "number", "boolean", "array", "object"})
_TEXT: Final[dict[str, Json]] = {"type": "string", "minLength": 1}
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
    "score": "What a pass is worth without any bonus.",
    "holes": "What `audit` finds that the task lets through, each with the reason why that is all right.",
}


_GOES_WITH: Final = {"where": "table", "column": "table", "name": "role"}
_WAYS: Final = ("at", "table", "css", "role", "label", "testid", "text")
_SNIPPETS: Final[Mapping[str, Json]] = {
    "change": {"in": "$1", "at": "$2", "from": "$3", "to": "$4"},
    "value": {"in": "$1", "at": "$2", "is": "$3"},
    "action": {"kind": "$1"},
    "request": {"in": "$1", "method": "POST", "url": {"path": "$2"}},
    "sql": {"effect": ["delete", "drop", "truncate"], "dialect": "sqlite"},
    "effort": {"steps": 5},
}


def task_schema() -> dict[str, Json]:
    """The JSON Schema of a task file or fragment, with the parameters of every installed adapter.

    Of draft 7, which editors know best. A value of any type but text may also be written as `"{param}"`.
    """
    definitions: dict[str, Json] = {
        "Param": {
            "description": "The param of this name, with its type.",
            "type": "string",
            "pattern": r"^\{[A-Za-z_][A-Za-z0-9_]*\}$",
        },
        **matcher_definitions(),
    }
    condition = _reference(Condition, definitions)
    pattern = _reference(Allowed, definitions)
    _tighten(definitions)
    items: dict[str, Json] = {tier: _without(condition, "weight") for tier in TIERS} | {"bonus": condition}
    items["given"] = _without(condition, "weight", *sorted(set(KINDS) - OF_THE_START))
    items |= {"allow": pattern, "ignore": _without(pattern, "max")}
    properties: dict[str, Json] = {
        "id": _TEXT,
        "instruction": _TEXT,
        "use": {"type": "array", "items": _TEXT},
        "params": {"type": "object", "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}},
        "app": {"allOf": [_reference(App, definitions)]},
        "sources": {"type": "object", "additionalProperties": _source(definitions)},
        **{name: {"type": "array", "items": items[name]} for name in (*TIERS, *PATTERNS)},
        HOLES: {"type": "array", "items": _reference(Hole, definitions)},
        "score": {"allOf": [_reference(Score, definitions)]},
    }
    properties["must"] = {**_object(properties["must"]), "minItems": 1}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Exact Change task",
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {"description": _SAID[name], **_object(body)} for name, body in properties.items()},
        "definitions": definitions,
    }


def _tighten(definitions: dict[str, Json]) -> None:
    """What a model's fields alone do not say: a condition has just one kind, a place is said in one way, a value stands
    somewhere, and what comes before or after has a moment. An editor offers beginnings of conditions.
    """
    snippets: list[Json] = [
        {"label": name, "description": f"A new {name} condition.", "body": {name: body}}
        for name, body in _SNIPPETS.items()
    ]
    definitions["Condition"] = {
        **_object(definitions["Condition"]),
        "oneOf": [{"required": [kind]} for kind in KINDS],
        "defaultSnippets": snippets,
    }
    moment = _without({"$ref": "#/definitions/Condition"}, *sorted(set(KINDS) - WITH_MOMENTS))
    definitions["Moment"] = {"description": "A condition that is met at some time.", **_object(moment)}
    fields = _object(_object(definitions["Condition"])["properties"])
    fields["order"] = _referring(fields["order"], "Condition", "Moment")
    for name in ("ChangeRule", "ActionRule", "RequestRule", "SqlRule"):
        fields = _object(_object(definitions[name])["properties"])
        fields["unless_after"] = _referring(fields["unless_after"], "Condition", "Moment")
    for name in ("ChangeRule", "ValueRule", "Allowed"):
        body = _object(definitions[name])
        body["dependencies"] = {**_object(body["dependencies"]), **{way: _only(way) for way in _WAYS}}
    value = _object(definitions["ValueRule"])
    value["anyOf"] = [{"required": [way]} for way in (*_WAYS, "query")]


def _without(reference: Json, *names: str) -> Json:
    """A definition less some of its fields."""
    return {"allOf": [reference, {"properties": dict.fromkeys(names, False)}]}


def _only(way: str) -> Json:
    """With one way to say a place there is no other."""
    return {"properties": {other: False for other in _WAYS if other != way}}


def _referring(node: Json, old: str, new: str) -> Json:
    def change(body: Mapping[str, Json]) -> dict[str, Json]:
        return {**body, "$ref": f"#/definitions/{new}"} if _named(body) == old else dict(body)

    return _mapped(node, change)


def _source(definitions: dict[str, Json]) -> Json:
    """A source by its adapter: the fields of the others are errors, as when the task is loaded."""
    choices: list[Json] = []
    for name in kinds():
        body = _model(kind_named(name).params, definitions)
        fields = {key: item for key, item in _object(body.get("properties", {})).items() if key != "adapter"}
        needed = body.get("required", [])
        assert isinstance(needed, list)
        definitions[f"{name} source"] = {
            **body,
            "properties": {"adapter": {"const": name, "description": "The kind of source."}, **fields},
            "required": ["adapter", *(item for item in needed if item != "adapter")],
        }
        this: Json = {"properties": {"adapter": {"const": name}}, "required": ["adapter"]}
        choices.append({"if": this, "then": {"$ref": f"#/definitions/{name} source"}})
    return {
        "description": "A piece of real state.",
        "type": "object",
        "required": ["adapter"],
        "properties": {"adapter": {"description": "The kind of source.", "enum": list(kinds())}},
        "allOf": choices,
    }


def _reference(model: type[BaseModel], definitions: dict[str, Json]) -> Json:
    body = _model(model, definitions)
    if "$ref" not in body:
        definitions[model.__name__] = body
    return {"$ref": f"#/definitions/{model.__name__}"}


def _model(model: type[BaseModel], definitions: dict[str, Json]) -> dict[str, Json]:
    body: dict[str, Json] = model.model_json_schema(by_alias=True, ref_template="#/definitions/{model}")
    inner = _object(body.pop("$defs", {}))
    definitions.update({name: _tidy(_object(item), definitions | inner) for name, item in inner.items()})
    return _tidy(body, definitions | inner)


def _tidy(body: Mapping[str, Json], known: Mapping[str, Json]) -> dict[str, Json]:
    """A model as an author sees it: no titles made of names, no nulls for what is left out, and what every field means.

    `known`: the definitions, of which one speaks for a field that says nothing itself.
    """
    out: dict[str, Json] = {key: item for key, item in body.items() if key != "title"}
    fields = _object(out.get("properties", {}))
    if fields:
        out["properties"] = {name: _field(_object(item), known) for name, item in fields.items()}
        pairs: dict[str, Json] = {
            name: [other] for name, other in _GOES_WITH.items() if name in fields and other in fields
        }
        if pairs:
            out["dependencies"] = pairs
    return out


def _field(body: Mapping[str, Json], known: Mapping[str, Json]) -> Json:
    plain = _object(_plain(dict(body)))
    said: dict[str, Json] = {key: plain.pop(key) for key in ("description", "default") if key in plain}
    shapes = [shape for shape in _shapes(plain) if shape != {"type": "null"}]
    if said.get("default") is None:
        said.pop("default", None)
    if "description" not in said:
        named = [_object(known[name]) for shape in shapes if (name := _named(shape)) in known]
        words = [model["description"] for model in named if "description" in model]
        said = {**({"description": words[0]} if words else {}), **said}
    if any(_is_typed(shape) for shape in shapes):
        shapes.append(_PARAM)
    (first, *others) = shapes
    if others:
        return {**said, "anyOf": list(shapes)}
    return {**said, **({"allOf": [first]} if "$ref" in first and said else first)}


def _shapes(body: Mapping[str, Json]) -> Sequence[dict[str, Json]]:
    """The shapes that a value may have, those within others with them, each with the bounds that all share."""
    inner = body.get("anyOf")
    if not isinstance(inner, list):
        return [dict(body)]
    shared = {key: item for key, item in body.items() if key != "anyOf"}
    return [
        {**shape, **(shared if shape.get("type") != "null" else {})}
        for item in inner
        for shape in _shapes(_object(item))
    ]


def _plain(node: Json) -> Json:
    """Without titles, with matchers by their definition, and with bounds as a schema names them."""

    def change(body: Mapping[str, Json]) -> dict[str, Json]:
        out: dict[str, Json] = {key: item for key, item in body.items() if key != "title"}
        mark = out.pop("$comment", None)
        if isinstance(mark, str):
            out["$ref"] = f"#/definitions/{DEFINITIONS[mark]}"
        if "gt" in out:
            out["exclusiveMinimum"] = out.pop("gt")
        return out

    return _mapped(node, change)


def _named(shape: Mapping[str, Json]) -> str:
    return str(shape.get("$ref", "")).rpartition("/")[2]


def _is_typed(shape: Mapping[str, Json]) -> bool:
    """Whether a param may stand in its place: where no text may, or only certain words."""
    kind = shape.get("type")
    return "enum" in shape or "const" in shape or (isinstance(kind, str) and kind in _TYPED)


def _mapped(node: Json, change: Callable[[Mapping[str, Json]], dict[str, Json]]) -> Json:
    if isinstance(node, list):
        return [_mapped(item, change) for item in node]
    return {key: _mapped(item, change) for key, item in change(node).items()} if isinstance(node, dict) else node


def _object(node: Json) -> dict[str, Json]:
    assert isinstance(node, dict)
    return node
