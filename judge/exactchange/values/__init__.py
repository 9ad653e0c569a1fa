"""Values in which the type is part of the value, their canonical bytes and their JSON form."""

from exactchange.values.canonical import canonical_bytes, digest, same, type_name
from exactchange.values.jsonform import dumps, from_json, loads, to_json
from exactchange.values.model import ABSENT, Absent, Path, Scalar, State, Value

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
    "same",
    "to_json",
    "type_name",
]
