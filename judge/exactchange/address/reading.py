"""Reads the text of an address pattern into its segments."""

import json
import re

from exactchange.address.keys import key, parse_key_segment, printed
from exactchange.address.segments import Deep, Exactly, Glob, Item, Segment
from exactchange.errors import UsageError

_TOKEN = re.compile(
    r"""\.?(?:
        \[(?P<quoted>"(?:[^"\\]|\\.)*")\]
      | \[(?P<index>[0-9]+)\]
      | \[(?P<inner>(?:[^\[\]"]|"(?:[^"\\]|\\.)*")+)\]
      | (?P<facet>[@\#]"(?:[^"\\]|\\.)*")
      | (?P<bare>[^.\[\]"\s][^.\[\]"\r\n]*)
    )""",
    re.VERBOSE,
)
_TYPED = re.compile(r"-?[0-9].*|-?inf|nan|null|true|false|[a-z]'.*", re.DOTALL)
"""Printed values of keys that are no text; text that looks like one of them stands in quotes."""


def read_segments(text: str) -> list[Segment]:
    """The segments of an address. Raises UsageError that says from which character on it is none."""
    out: list[Segment] = []
    end = 0
    while end < len(text):
        match = _TOKEN.match(text, end)
        if match is None or (end == 0 and text.startswith(".")):
            raise UsageError(
                f'not an address from character {end + 1} on: {text!r}; quote odd keys like ["a.b"], items like [id=7]'
            )
        out.append(_segment(match))
        end = match.end()
    return out


def _segment(match: "re.Match[str]") -> Segment:
    quoted, index, inner, facet, bare = match.group("quoted", "index", "inner", "facet", "bare")
    if quoted is not None:
        return Exactly(key(_unquoted(quoted)))
    if index is not None:
        return Exactly(int(index))
    if facet is not None:
        return Exactly(facet[0] + _unquoted(facet[1:]))
    if inner is not None:
        return _inner(inner)
    return Deep() if bare == "**" else _word(bare)


def _inner(inner: str) -> Segment:
    if inner == "*":
        return Item(None)
    if inner.startswith("!"):
        return Exactly(f"@{inner}")
    if inner.startswith("#"):
        return _word(inner)
    return Item(tuple((field, _value(value)) for field, value in parse_key_segment(inner)))


def _word(text: str) -> Segment:
    return Glob(tuple(text.split("*"))) if "*" in text else Exactly(text)


def _value(text: str) -> str:
    """The wanted value of a key as `key_segment` prints it, however an author quoted it."""
    if text.startswith('"'):
        return printed(_unquoted(text))
    return text if "*" in text or _TYPED.fullmatch(text) else printed(text)


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise UsageError(f"not a quoted key: {text}: {error}") from error
