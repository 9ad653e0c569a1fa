"""Values in which the type is part of the value, their canonical bytes and their JSON form."""

from exactchange.values.canonical import canonical_bytes, digest, same, same_bytes, type_name
from exactchange.values.jsonform import dumps, from_json, loads, parse_json, to_json
from exactchange.values.model import ABSENT, Absent, Path, Scalar, State, Value, sealed

__all__ = [
    "ABSENT",
    "Absent",
    "Path",
    "Scalar",
    "State",
    "Value",
    "canonical_bytes",
    "digest",
    "dumps",
    "from_json",
    "loads",
    "parse_json",
    "same",
    "same_bytes",
    "sealed",
    "to_json",
    "type_name",
]
