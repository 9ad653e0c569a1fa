"""The JSON Schema of matchers, so that an editor completes them and says at once what is none."""

from typing import Final

from exactchange.values.jsonform import Json

MARK, URL_MARK = "matcher", "url"
"""`$comment` of what is a matcher, or the parts of a URL: a schema has a reference in its place, by DEFINITIONS."""
DEFINITIONS: Final = {MARK: "Matcher", URL_MARK: "Url"}
_MATCHER: Final[Json] = {"$ref": "#/definitions/Matcher"}
_PARAM: Final[Json] = {"$ref": "#/definitions/Param"}
_NUMBER: Final[Json] = {"type": "number"}
_TEXT: Final[Json] = {"type": "string"}
_NAMED: Final[Json] = {"type": "object", "minProperties": 1, "additionalProperties": _MATCHER}
_LISTED: Final[Json] = {"type": "array", "items": _MATCHER}
_TYPES: Final[list[Json]] = [
    *("null", "bool", "int", "float", "str", "bytes", "datetime", "date", "time", "mapping", "list"),
]


def matcher_definitions() -> dict[str, Json]:
    """The definitions `Matcher`, `Matching` and `Url`, which refer to each other and to `Param`."""
    return {
        "Matcher": {
            "description": "A value of the same type, or a matcher.",
            "if": {"type": "object"},
            "then": {"$ref": "#/definitions/Matching"},
            "else": {"type": ["string", "number", "boolean", "null"]},
        },
        "Matching": {
            "description": "What a value must fit, all of it.",
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "properties": {name: _said(text, shape) for name, (text, shape) in _TESTS.items()},
            "dependencies": {"within": ["number"], "unit": ["number"]},
        },
        "Url": {
            "description": "The parts of a URL; without `rest: any` it has no other parameters.",
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "properties": {name: _said(text, shape) for name, (text, shape) in _PARTS.items()},
        },
    }


def _said(text: str, shape: Json) -> Json:
    """A field: what it means, and its shape; a param may stand where no text does."""
    assert isinstance(shape, dict)
    if "$ref" in shape:
        return {"description": text, "allOf": [shape]}
    plain = not shape or shape.get("type") == "string" or "anyOf" in shape
    return {"description": text, **(shape if plain else {"anyOf": [shape, _PARAM]})}


_TESTS: Final[dict[str, tuple[str, Json]]] = {
    "exactly": ("This value with its types, where it is a list or a mapping.", {}),
    "has": ("A mapping in which these keys fit; others may stand beside them.", _NAMED),
    "items": ("A list of just these items, in this order.", _LISTED),
    "one_of": ("One of these.", {"type": "array", "minItems": 1, "items": _MATCHER}),
    "not": ("Anything but this.", _MATCHER),
    "gt": ("A number greater than this.", _NUMBER),
    "ge": ("A number of at least this.", _NUMBER),
    "lt": ("A number less than this.", _NUMBER),
    "le": ("A number of at most this.", _NUMBER),
    "number": ("This number, or a text that is this number.", _NUMBER),
    "within": ("Largest difference from `number`; 0 if left out.", _NUMBER),
    "unit": ("The one unit that may stand beside `number` in a text.", _TEXT),
    "contains": ("A text that holds this, character by character.", _TEXT),
    "matches": ("A text that fits this pattern (RE2) as a whole.", _TEXT),
    "text": ("This text as people read it: case, blanks, quotes and dashes do not matter.", _TEXT),
    "mentions": ("A text in which this stands as a word or number: 10 in `10 items`, not in `2100`.", _TEXT),
    "time": ("This instant, however it is written; ISO 8601.", _TEXT),
    "url": ("A URL by its parts.", {"anyOf": [_TEXT, {"$ref": "#/definitions/Url"}]}),
    "json": ("A text that is JSON and fits as data.", _MATCHER),
    "same": ("Whatever it is, the same wherever this name stands.", {"type": "string", "minLength": 1}),
    "generated": ("An id that the system made: a UUID, or a number above all there were.", {"enum": ["uuid", "next"]}),
    "absent": ("Whether nothing stands there.", {"type": "boolean"}),
    "type": ("Any value of this type.", {"enum": _TYPES}),
}
_PARTS: Final[dict[str, tuple[str, Json]]] = {
    "scheme": ("http or https.", _MATCHER),
    "host": ("The host, without the port.", _MATCHER),
    "port": ("The port, also where it is the usual one.", _MATCHER),
    "path": ("The path, such as /orders/7.", _MATCHER),
    "query": ("Parameters by their names.", {"type": "object", "additionalProperties": _MATCHER}),
    "fragment": ("What follows the #.", _MATCHER),
    "rest": ("Whether other parameters may be there.", {"enum": ["none", "any"]}),
}
