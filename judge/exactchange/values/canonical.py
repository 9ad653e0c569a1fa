"""Typed canonical bytes: two values have the same bytes if and only if they are the same value."""

import datetime as dt
import math
import struct
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import cast

from exactchange.values.model import ABSENT, State

_TYPE_NAMES: tuple[tuple[type, str], ...] = (
    (bool, "bool"),  # before int: bool is a subclass
    (int, "int"),
    (float, "float"),
    (str, "str"),
    (bytes, "bytes"),
    (dt.datetime, "datetime"),  # before date: datetime is a subclass
    (dt.date, "date"),
    (dt.time, "time"),
    (Mapping, "mapping"),
    (Sequence, "list"),
)

_PLAIN_TYPES: dict[type, str] = {
    bool: "bool", int: "int", float: "float", str: "str", bytes: "bytes", dict: "mapping", list: "list", tuple: "list",
}  # fmt: skip
"""The same for the types that nearly all values have: a look-up instead of many questions."""
_EXACT = frozenset({bool, int, str, bytes})
"""Types of which `==` is the whole truth, between values of one and the same of them."""


def type_name(value: State) -> str:
    """The name of a value's type as task files spell it: null, bool, int, float, str, bytes, …, list, mapping, absent.

    Raises TypeError for anything that is no Value.
    """
    if value is None:
        return "null"
    if value is ABSENT:
        return "absent"
    known = _PLAIN_TYPES.get(type(value))
    if known is not None:
        return known
    for kind, name in _TYPE_NAMES:
        if isinstance(value, kind):
            return name
    raise TypeError(f"not a value: {type(value).__name__}")


def canonical_bytes(value: State) -> bytes:
    """Type tag, length and content of a value; mappings by sorted key. NaN has one form; -0.0 and 0.0 differ."""
    out: list[bytes] = []
    _write(value, out)
    return b"".join(out)


def digest(value: State) -> bytes:
    """BLAKE2b-256 of the canonical bytes."""
    return blake2b(canonical_bytes(value), digest_size=32).digest()


def same_bytes(left: State, right: State) -> bool:
    """Whether two values have the same canonical bytes. Of what is one object in both none are made."""
    if left is right:
        return True
    if type(left) is str and type(right) is str:
        return left == right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_bytes(item, right[key]) for key, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_bytes, left, right))
    return canonical_bytes(left) == canonical_bytes(right)


def same(left: State, right: State) -> bool:
    """Whether two values are the same value: equal with types, NaN equal to NaN, 0.0 and -0.0 different."""
    if left is right:
        return True
    if type(left) in _EXACT and type(right) is type(left):
        return left == right
    if isinstance(left, Mapping):
        return (
            isinstance(right, Mapping)
            and len(left) == len(right)
            and all(key in right and same(item, right[key]) for key, item in left.items())
        )
    if isinstance(left, Sequence) and not isinstance(left, str | bytes):
        return (
            isinstance(right, Sequence)
            and not isinstance(right, str | bytes)
            and len(left) == len(right)
            and all(map(same, left, right))
        )
    if isinstance(right, Mapping) or (isinstance(right, Sequence) and not isinstance(right, str | bytes)):
        return False
    return canonical_bytes(left) == canonical_bytes(right)


def _write(value: State, out: list[bytes]) -> None:
    if type(value) is str:  # nearly all of what there is
        body = _encoded(value)
        out.append(b"str%d:%b" % (len(body), body))
        return
    if type(value) is dict:
        _write_mapping(cast("Mapping[str, State]", value), out)
        return
    name = type_name(value)
    if name == "mapping":
        assert isinstance(value, Mapping)
        _write_mapping(value, out)
    elif name == "list":
        assert isinstance(value, Sequence)
        assert not isinstance(value, str | bytes)
        out.append(b"l%d:" % len(value))
        for item in value:
            _write(item, out)
    else:
        _chunk(name.encode(), _scalar_bytes(value), out)


def _write_mapping(value: Mapping[str, State], out: list[bytes]) -> None:
    out.append(b"m%d:" % len(value))
    for key in sorted(value):
        body = _encoded(key)
        out.append(b"k%d:%b" % (len(body), body))
        _write(value[key], out)


def _encoded(text: str) -> bytes:
    # Without halves of surrogate pairs, which hardly any text has, it goes three times as fast.
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _chunk(tag: bytes, body: bytes, out: list[bytes]) -> None:
    out.append(b"%b%d:%b" % (tag, len(body), body))


def _scalar_bytes(value: State) -> bytes:
    if isinstance(value, str):
        return _encoded(value)
    if isinstance(value, bytes):
        return value
    if isinstance(value, bool) or value is None or value is ABSENT:
        return str(value).encode()
    if isinstance(value, int):
        return b"%x" % value  # hexadecimal: exact, and free of Python's limit on decimal digits
    if isinstance(value, float):
        return b"nan" if math.isnan(value) else struct.pack(">d", value)
    assert isinstance(value, dt.date | dt.time)  # type_name refused everything else
    return _moment_bytes(value)


def _moment_bytes(value: dt.date | dt.time) -> bytes:
    # `fold` and a zone's name are not part of the value; the offset is.
    return value.isoformat().encode()
