"""The scalars of YAML 1.2 core: null, true and false, numbers; everything else is text."""

import math
import re

from exactchange.values import Scalar

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INF = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NAN = frozenset({".nan", ".NaN", ".NAN"})
_BASES = {"0o": 8, "0x": 16}
_LONGEST_NUMBER = 4000  # Python itself refuses decimals of more than 4,300 digits


class NotAScalar(ValueError):
    """A number that no value can hold."""


def resolve(text: str) -> Scalar:
    """The value of an unquoted scalar (YAML 1.2.2, section 10.3.2). Raises NotAScalar for a number out of range."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        if len(text) > _LONGEST_NUMBER:
            raise NotAScalar(f"a number of more than {_LONGEST_NUMBER} digits")
        base = _BASES.get(text[:2], 10)
        return int(text, 10) if base == 10 else int(text[2:], base)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isinf(number):
            raise NotAScalar("a number too large for a float")
        return number
    if infinite := _INF.fullmatch(text):
        return -math.inf if infinite[1] == "-" else math.inf
    return math.nan if text in _NAN else text
