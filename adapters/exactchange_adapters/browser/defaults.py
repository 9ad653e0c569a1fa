"""The state of controls as their markup gives it, by the rules of the HTML standard: before anybody used them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation

from exactchange_adapters.browser.saying import LONGEST_ATTRIBUTE

TYPES = frozenset(
    "hidden text search tel url email password date month week time datetime-local number range color checkbox radio "
    "file submit image reset button".split()
)
_DROPPED = frozenset("style srcdoc nonce integrity".split())
_SECRET = re.compile("passw|secret|token|csrf|xsrf|nonce|api-?key", re.IGNORECASE)
_LINES = re.compile(r"[\r\n]")
_BLANK = " \t\n\f\r"
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_MONTH = re.compile(r"\d{4,}-(?:0[1-9]|1[0-2])")
_WEEK = re.compile(r"\d{4,}-W(?:0[1-9]|[1-4]\d|5[0-3])")
_LOCAL = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?")
_LONGEST_NUMBER = 400
_FINEST = 1_000_000
"""More steps than this are not told apart."""


@dataclass(frozen=True, slots=True)
class Option:
    """An entry of a drop-down list: what it stands for, and whether the markup chooses or disables it."""

    value: str
    selected: bool
    disabled: bool


def kept_attributes(tag: str, given: Mapping[str, str], *, hidden: bool) -> dict[str, str]:
    """The attributes that a walk keeps of an element. `hidden`: its value is a secret."""
    out: dict[str, str] = {}
    for name, value in given.items():
        dropped = name.startswith("on") or name in _DROPPED or (name.startswith("data-") and _SECRET.search(name))
        if not dropped and not (name == "value" and hidden) and not (name == "content" and tag == "meta"):
            out[name] = value[:LONGEST_ATTRIBUTE]
    return out


def input_type(attributes: Mapping[str, str]) -> str:
    """The type of an `<input>`: what is not known is a text field."""
    kind = attributes.get("type", "").lower()
    return kind if kind in TYPES else "text"


def input_value(kind: str, attributes: Mapping[str, str]) -> str:
    """What `input.value` is in a browser that has just read the markup."""
    given = attributes.get("value")
    if kind in ("checkbox", "radio"):
        return "on" if given is None else given
    if kind in ("text", "search", "tel", "password"):
        return _LINES.sub("", given or "")
    if kind in ("url", "email"):
        bare = _LINES.sub("", given or "").strip(_BLANK)
        if kind == "email" and "multiple" in attributes:
            return ",".join(part.strip(_BLANK) for part in bare.split(","))
        return bare
    if kind == "number":
        return given if given is not None and _number(given) is not None else ""
    if kind == "range":
        return _in_range(attributes)
    if kind == "color":
        return (given or "").strip(_BLANK).lower() or "#000000"  # a name such as `red` is kept as it is
    return _moment(kind, given or "")


def selected(options: Sequence[Option], *, multiple: bool, size: str) -> str | list[str] | None:
    """What is chosen of a list: of several the last; of a drop-down list where nothing is, the first that can be."""
    chosen = [option.value for option in options if option.selected]
    if multiple:
        return chosen
    if chosen:
        return chosen[-1]
    if shows_several(size):
        return None
    return next((option.value for option in options if not option.disabled), None)


def shows_several(size: str) -> bool:
    """Whether a list that is so long shows its entries on the page."""
    return size.isascii() and size.isdigit() and int(size[:9]) > 1


def option_value(attributes: Mapping[str, str], text: str) -> str:
    """What an entry stands for: its `value`, else its text, white space as one space."""
    given = attributes.get("value")
    return " ".join(text.split()) if given is None else given


def _number(text: str) -> Decimal | None:
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _in_range(attributes: Mapping[str, str]) -> str:
    least = _or(_number(attributes.get("min", "")), Decimal(0))
    most = max(_or(_number(attributes.get("max", "")), Decimal(100)), least)
    value = _or(_number(attributes.get("value", "")), least + (most - least) / 2)
    value = min(max(value, least), most)
    step = _or(_number(attributes.get("step", "")), Decimal(1))
    if attributes.get("step", "").lower() != "any" and step > 0 and (value - least) / step < _FINEST:
        count = ((value - least) / step + Decimal("0.5")).__floor__()
        if least + count * step > most:
            count -= 1
        value = least + count * step
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _or(number: Decimal | None, other: Decimal) -> Decimal:
    return other if number is None else number


def _moment(kind: str, text: str) -> str:
    """A date or time that is one; any other text for types that take any."""
    try:
        if kind == "date":
            date.fromisoformat(text)
            return text if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else ""
        if kind == "time":
            time.fromisoformat(text)
            return text if re.fullmatch(r"\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?", text) else ""
        if kind == "datetime-local":
            datetime.fromisoformat(text)
            return text.replace(" ", "T") if _LOCAL.fullmatch(text) else ""
    except ValueError:
        return ""
    if kind == "month":
        return text if _MONTH.fullmatch(text) else ""
    if kind == "week":
        return text if _WEEK.fullmatch(text) else ""
    return text
