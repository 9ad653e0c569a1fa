"""What a plain YAML scalar means under the 1.1 types (as PyYAML resolves them) and under the 1.2 core schema."""

import datetime as dt
import re

from exactchange.values import Scalar
from exactchange_adapters.file.dialects.parsed import Unusable

LONGEST_NUMBER = 4000
"""Characters of a number that is taken as one; Python refuses to convert longer ones, and base 60 is quadratic."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS_12 = {text: text.casefold() == "true" for text in ("true", "True", "TRUE", "false", "False", "FALSE")}
_BOOLS_11 = {
    spelling: word in ("yes", "on", "true")
    for word in ("yes", "no", "on", "off", "true", "false")
    for spelling in (word, word.capitalize(), word.upper())
}
_INT_12 = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT_12 = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_INT_11 = re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*)")
_FLOAT_11 = re.compile(r"(?:[-+]?[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?")
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MOMENT = re.compile(
    r"""(\d{4})-(\d\d?)-(\d\d?) (?:[Tt]|[ \t]+) (\d\d?):(\d\d):(\d\d) (?:\.(\d*))?
        (?:[ \t]*(?:(Z)|([-+])(\d\d?)(?::(\d\d))?))?""",
    re.VERBOSE,
)
_MAY_MEAN_MORE = frozenset("0123456789+-.~nNtTfFyYoO")


def plain_12(text: str) -> Scalar | Unusable:
    """The YAML 1.2 core meaning of a plain scalar. Only null, true and false, numbers, and else text."""
    if text[:1] not in _MAY_MEAN_MORE and text:
        return text
    if text in _NULLS:
        return None
    if text in _BOOLS_12:
        return _BOOLS_12[text]
    if _INT_12.fullmatch(text):
        return _integer(text, octal="0o")
    if _SPECIAL_FLOAT.fullmatch(text):
        return float(text.replace(".", "", 1))
    return _float(text) if _FLOAT_12.fullmatch(text) else text


def plain_11(text: str) -> Scalar | Unusable:
    """The YAML 1.1 meaning of a plain scalar: yes/no/on/off, octal 012, 1_000, base 60 and dates as well."""
    if text[:1] not in _MAY_MEAN_MORE and text:
        return text
    if text in _NULLS:
        return None
    if text in _BOOLS_11:
        return _BOOLS_11[text]
    if _INT_11.fullmatch(text):
        return _integer(text.replace("_", ""), octal="0")
    if _SPECIAL_FLOAT.fullmatch(text):
        return float(text.replace(".", "", 1))
    if _FLOAT_11.fullmatch(text):
        return _float(text.replace("_", ""))
    if _BASE_60.fullmatch(text):
        return _base_60(text.replace("_", ""))
    return _moment(text)


def _integer(text: str, *, octal: str) -> int | str | Unusable:
    if len(text) > LONGEST_NUMBER:
        return Unusable(f"a number of {len(text)} digits")
    sign, digits = (-1 if text[0] == "-" else 1), text.lstrip("+-")
    if digits.startswith(("0x", "0b")):
        return sign * int(digits[2:], 16 if digits[1] == "x" else 2) if digits[2:] else text
    if digits.startswith(octal) and digits != "0" and digits[len(octal) :]:
        return sign * int(digits[len(octal) :], 8)
    return sign * int(digits)


def _float(text: str) -> float | Unusable:
    if len(text) > LONGEST_NUMBER:
        return Unusable(f"a number of {len(text)} digits")
    number = float(text)
    if number in (float("inf"), float("-inf")):
        return Unusable(f"{text[:40]} is beyond what a 64-bit float holds")
    return number


def _base_60(text: str) -> int | float | str | Unusable:
    first = text.lstrip("+-")
    if len(text) > LONGEST_NUMBER:
        return Unusable(f"a number of {len(text)} digits")
    if "." not in text and first.startswith("0"):  # 1.1 allows a leading zero in the float form only
        return text
    total: int | float = 0
    for part in first.split(":"):
        total = total * 60 + (float(part) if "." in part else int(part))
    return -total if text[0] == "-" else total


def _moment(text: str) -> Scalar | Unusable:
    try:
        day = _DATE.fullmatch(text)
        if day is not None:
            return dt.date(*map(int, day.groups()))
        match = _MOMENT.fullmatch(text)
        return text if match is None else _datetime(match)
    except ValueError as error:
        return Unusable(f"{text[:40]!r} looks like a date, but {error}")


def _datetime(match: "re.Match[str]") -> dt.datetime:
    *numbers, fraction, zulu, sign, hours, minutes = match.groups()
    year, month, day, hour, minute, second = map(int, numbers)
    micro = int((fraction or "0")[:6].ljust(6, "0"))
    zone = dt.UTC if zulu else None
    if sign:
        offset = dt.timedelta(hours=int(hours), minutes=int(minutes or 0))
        zone = dt.timezone(-offset if sign == "-" else offset)
    return dt.datetime(year, month, day, hour, minute, second, micro, zone)
