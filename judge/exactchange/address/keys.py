"""Segments of a path: how mapping keys and row keys are spelt so that no two of them look alike.

A path segment is one of
- an `int`: a list position;
- `name`: a mapping key that looks like nothing else;
- `@facet`: an attribute that is no content, such as `@mode`;
- `@@text`: a mapping key that would otherwise look like another kind of segment;
- `@!int:1`: a mapping key that is no text;
- `k=v,k2=v2`: a row or list item, identified by its key; and `#1a2b3c4d`: one identified by its content.
Snapshot trees hold their mapping keys in this spelling, so a path segment is the key in the tree.
"""

import json
import re
from collections.abc import Sequence
from functools import lru_cache

from exactchange.errors import UsageError
from exactchange.values import Scalar, type_name

_BARE_TEXT = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*\Z")
_RESERVED = frozenset({"null", "true", "false", "nan", "inf", "x"})
# Possessive: what is matched is never given back, so that a long key takes no memory for ways to do so.
_PAIR = re.compile(r"""("(?:[^"\\]|\\.)*+"|[^=,\[\]"]*+)=("(?:[^"\\]|\\.)*+"|[^,"\]]*+)(,|\Z)""")


def key(value: Scalar) -> str:
    """The segment of a mapping key: text as it is where that is unmistakable, else escaped; other types are tagged."""
    if not isinstance(value, str):
        return f"@!{type_name(value)}:{printed(value)}"
    if value[:1] in ("@", "#") or "=" in value:
        return f"@@{value}"
    return value


def unkey(segment: str) -> str | None:
    """The text of a mapping key's segment; None for a facet, a typed key, a row or a list item."""
    if segment.startswith("@@"):
        return segment[2:]
    if segment[:1] in ("@", "#") or "=" in segment:
        return None
    return segment


def key_segment(pairs: Sequence[tuple[str, Scalar]]) -> str:
    """The segment of a row or item with these key fields: `id=7`, `user="Ada L.",day=3`; 7 and "7" differ."""
    return ",".join(f"{_name(field)}={printed(value)}" for field, value in pairs)


def parse_key_segment(segment: str) -> list[tuple[str, str]]:
    """Field and printed value of each pair of a key segment (values as `key_segment` prints them).

    Raises UsageError when the text is no key segment.
    """
    pairs: list[tuple[str, str]] = []
    end, more = 0, True
    while more:
        match = _PAIR.match(segment, end)
        if match is None:
            raise UsageError(f'not a key like id=7 or name="two words": {segment!r}')
        field, value, more = match[1], match[2], bool(match[3])
        pairs.append((str(json.loads(field)) if field.startswith('"') else field, value))
        end = match.end()
    return pairs


def quote(text: str) -> str:
    """A JSON string in which everything unprintable is escaped, so that it cannot disturb a terminal or be misread."""
    if text.isprintable():
        return json.dumps(text, ensure_ascii=False)
    return json.dumps(text)


@lru_cache(maxsize=1000)  # of key fields there are few
def _name(field: str) -> str:
    return field if re.fullmatch(r"\w+", field) else quote(field)


def printed(value: Scalar) -> str:
    """A key's value as key segments hold it: text bare or in quotes, and no two values alike."""
    if isinstance(value, str):
        bare = _BARE_TEXT.match(value) and value.casefold() not in _RESERVED
        return value if bare else quote(value)
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return repr(value)
    return f"t'{value.isoformat()}'"
