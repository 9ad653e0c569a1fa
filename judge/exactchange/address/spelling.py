"""Paths spelt as addresses that people read and paste into task files."""

import re
from collections.abc import Iterable
from enum import Enum
from typing import Final

from exactchange.address.keys import quote, unkey
from exactchange.values import Path

_BARE = re.compile(r"""[^\s.\[\]"*@#=]+\Z""")
_BARE_FILE = re.compile(r"""[^\s\[\]"*@#=]+\Z""")


MOST_CUTS: Final = 200
"""Where the file path of a tree's address may end is tried at so many dots; with more it is printed in quotes."""


class Style(Enum):
    """How a kind of source spells its paths."""

    DOTTED = "dotted"
    """`server.timeout`, `jobs[name=build].steps[2]`, `orders[id=7].status`, `t[#1a2b3c4d]`"""
    SLASHED = "slashed"
    """The first segment is a file's relative path: `backup/app.yaml`, `backup/app.yaml.server.timeout`"""
    PAGE = "page"
    """As dotted, but `#email.value`: an element's id stands bare."""


def format_path(path: Path, *, style: Style = Style.DOTTED) -> str:
    """The address of a path: `""` for the whole source. `parse_pattern` of the result matches the path."""
    first, *rest = _spell(path, style) if path else ("",)
    file = unkey(path[0]) if style is Style.SLASHED and path and isinstance(path[0], str) else None
    if file is not None and first.count(".") + sum(part.count(".") for part in rest) > MOST_CUTS - 2:
        first = f"[{quote(file)}]"
    return first + "".join(rest)


def _spell(path: Path, style: Style) -> Iterable[str]:
    for number, segment in enumerate(path):
        first = number == 0
        if isinstance(segment, int):
            yield f"[{segment}]"
        elif segment.startswith("#") and style is not Style.PAGE:
            yield f"[{segment}]"
        elif segment.startswith("@!"):
            yield f"[{segment[1:]}]"
        elif segment[:1] in ("@", "#") and not segment.startswith("@@"):
            yield ("" if first else ".") + segment[0] + _bare(segment[1:])
        elif unkey(segment) is None:
            yield f"[{segment}]"
        else:
            yield _plain(str(unkey(segment)), first=first, slashed=first and style is Style.SLASHED)


def _plain(text: str, *, first: bool, slashed: bool) -> str:
    if (_BARE_FILE if slashed else _BARE).match(text) and text.isprintable():
        return text if first else f".{text}"
    return f"[{quote(text)}]"


def _bare(text: str) -> str:
    return text if _BARE.match(text) and text.isprintable() else quote(text)
