"""The one place where judged text becomes printable: nothing in it can drive a terminal, a log or a CI runner."""

import re
import unicodedata

from rich.cells import cell_len

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Characters that are letters or marks by category, and are drawn as nothing."""
_ORDERS = re.compile(r"#(?=#\w*\[)|(?<=\A):(?=:)")
"""What CI runners read as orders: `##vso[`, `##[`, `##teamcity[` anywhere in a line, `::error …::` at its start."""
_MARKS_IN_A_ROW = 4  # no script in ordinary use needs more; a pile of them paints over the lines above


def shown(text: str) -> str:
    """The text with everything unprintable written as an escape: one line, no control, format or blank characters."""
    if text.isascii() and text.isprintable() and "##" not in text and "::" not in text:
        return text
    out: list[str] = []
    marks = 0
    for char in text:
        mark = unicodedata.combining(char) != 0 or unicodedata.category(char) in ("Mn", "Me")
        marks = marks + 1 if mark else 0
        alone = mark and (not out or marks > _MARKS_IN_A_ROW)
        out.append(escape(char) if alone or not plain(char) else char)
    return _ORDERS.sub(lambda match: escape(match[0]), "".join(out))


def quoted(text: str) -> str:
    """The text as a value: in double quotes, with quotes and backslashes escaped, so that it cannot be misread."""
    return '"' + shown(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def plain(char: str) -> bool:
    """Whether the character is drawn, as itself, and takes no part in ordering or joining."""
    return char.isprintable() and char not in _BLANK and not _selects_variation(char)


def escape(char: str) -> str:
    r"""`\n`, `\t`, `\r`, `\x1b`, `\u202e`, `\U000e0001`."""
    known = _SHORT.get(char)
    if known is not None:
        return known
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def right_to_left(text: str) -> bool:
    """Whether some of it is written from right to left, so that a terminal may reorder what stands beside it."""
    return not text.isascii() and any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text)


def cut(text: str, cells: int) -> str:
    """Shown text, cut to this many terminal cells with a final `…`; wide characters take two."""
    if cell_len(text) <= cells:
        return text
    used, out = 1, ""
    for char in text:
        used += cell_len(char)
        if used > cells:
            break
        out += char
    return out + "…"


def _selects_variation(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
