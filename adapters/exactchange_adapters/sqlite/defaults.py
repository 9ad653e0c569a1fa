"""Column affinities, and DEFAULTs that are literals, worked out without running anything of the database's."""

import re
from functools import lru_cache
from typing import Final, Literal, TypeAlias, cast

from exactchange_adapters.sqlite.engine import Cell
from exactchange_adapters.sqlite.schema import Column

Affinity: TypeAlias = Literal["INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC"]
_LITERAL: Final = re.compile(
    r"""(?P<null>NULL)\Z | (?P<true>TRUE)\Z | (?P<false>FALSE)\Z
      | (?P<text>'(?:[^']|'')*')\Z | (?P<double>"(?:[^"]|"")*")\Z
      | x'(?P<blob>(?:[0-9a-f]{2})*)'\Z | (?P<integer>[+-]?\s*(?:0x[0-9a-f]+|\d+))\Z
      | (?P<real>[+-]?\s*(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[+-]?\d+)?)\Z""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)


def affinity(declared: str) -> Affinity:
    """The affinity of a declared type, by the five rules of https://www.sqlite.org/datatype3.html, 3.1."""
    name = declared.upper()
    if "INT" in name:
        return "INTEGER"
    if any(part in name for part in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in name or not name:
        return "BLOB"
    return "REAL" if any(part in name for part in ("REAL", "FLOA", "DOUB")) else "NUMERIC"


@lru_cache(maxsize=1024)
def literal_default(column: Column) -> tuple[Cell] | tuple[()]:
    """The value that a row has in a column nobody set: one value, or none where it is an expression or generated."""
    if column.generated:
        return ()
    if column.default is None:
        return (None,)
    value = literal_value(column.default)
    return (converted(value[0], affinity(column.declared)),) if value else ()


def literal_value(text: str) -> tuple[Cell] | tuple[()]:
    """The value that an expression is when it is a literal, in brackets or not; none where it is another."""
    match = _LITERAL.match(_bare(text))
    return () if match is None else (_value(match),)


def _bare(text: str) -> str:
    text = text.strip()
    while text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    return text


def _value(match: "re.Match[str]") -> Cell:
    kind, text = str(match.lastgroup), match.group(str(match.lastgroup))
    if kind in ("text", "double"):
        return text[1:-1].replace(text[0] * 2, text[0])
    if kind == "blob":
        return bytes.fromhex(text)
    if kind == "integer":
        return _integer(text.replace(" ", ""))
    if kind == "real":
        return float(text.replace(" ", ""))
    return None if kind == "null" else int(kind == "true")


def _integer(text: str) -> Cell:
    if "0x" in text.lower():
        number = int(text, 16)
        return number - (1 << 64) if number >= 1 << 63 else number
    number = int(text)
    return number if -(1 << 63) <= number < 1 << 63 else float(number)


def converted(value: Cell, kind: Affinity) -> Cell:
    """The value as a column of this affinity stores it: asked of SQLite itself, with nothing of the database's."""
    import apsw

    connection = apsw.Connection(":memory:")
    try:
        connection.execute(f"CREATE TABLE one(cell {kind})")
        connection.execute("INSERT INTO one VALUES(?)", (value,))
        ((stored,),) = cast("list[tuple[Cell]]", connection.execute("SELECT cell FROM one").fetchall())
    finally:
        connection.close()
    return stored
