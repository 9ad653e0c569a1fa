"""Which places a database has, and what can stand there; see `exactchange.sources.Placing`."""

from collections.abc import Mapping
from typing import Final

from exactchange.sources import Standing

_MAPPING: Final = frozenset({"mapping"})
_KINDS: Final = ("table", "index", "view", "trigger")
_PRAGMAS: Final = ("user_version", "application_id", "encoding")
_WRITE: Final = "write `@schema.table.orders`"

STANDINGS: Final[Mapping[str, Standing]] = {
    "": Standing("a database", _MAPPING, fields={"@schema": "schema", "@pragma": "pragmas"}, keys="table"),
    "table": Standing("a table", _MAPPING, rows="row", hint="a row is written `orders[id=7]`, all of them `orders[*]`"),
    "row": Standing("a row", _MAPPING, keys="cell", whole=True, hint="a column is written `orders[*].status`"),
    "cell": Standing(
        "a column of a row", frozenset({"null", "int", "float", "str", "bytes"}),
        hint="for what is in a JSON text, use `json:`",
    ),
    "schema": Standing("the schema", _MAPPING, fields=dict.fromkeys(_KINDS, "objects"), hint=_WRITE),
    "objects": Standing("statements of the schema", _MAPPING, keys="statement", hint=_WRITE),
    "statement": Standing("a statement", frozenset({"str"})),
    "pragmas": Standing("the pragmas", _MAPPING, fields=dict.fromkeys(_PRAGMAS, "pragma")),
    "pragma": Standing("a pragma", frozenset({"null", "int", "float", "str"})),
}  # fmt: skip
