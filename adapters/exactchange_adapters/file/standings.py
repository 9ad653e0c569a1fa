"""Which places a file and a directory have, and what can stand there; see `exactchange.sources.Placing`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, get_args

from exactchange.sources import Standing
from exactchange_adapters.file.content import UNPARSED
from exactchange_adapters.file.disk import EntryType
from exactchange_adapters.file.meanings import MAIN

_TYPES: Final = frozenset(get_args(EntryType))
_CONTENT: Final = (
    "@value @documents @tag @repeated @text @newlines @unterminated @encoding @dialect @keys @unusable @version"
).split()
_ENTRY: Final[Mapping[str, str]] = {
    "@type": "type", "@mode": "mode", "@owner": "text", "@link": "text", "@via": "text", "@hash": "text",
    "@size": "size", UNPARSED: "text",
    **dict.fromkeys([*_CONTENT, *(f"@{dialect}" for dialect in {*MAIN, *MAIN.values()})], "content"),
}  # fmt: skip
_INSIDE: Final = "name a place in the file, such as `backup/app.yaml.server.port`"
_TEXT: Final = frozenset({"str"})

STANDINGS: Final[Mapping[str, Standing]] = {
    "": Standing(
        "a file", frozenset({"mapping"}), fields=_ENTRY, keys="content", rows="content",
        hint="an item of a document that is a list is written `@value[0]`",
    ),
    "content": Standing("what is in a file", free=True),
    "type": Standing("the type of a file", _TEXT, texts=_TYPES),
    "mode": Standing("the mode of a file, a text of four digits", _TEXT, hint='write "0644"'),
    "text": Standing("a text", _TEXT),
    "size": Standing("a number", frozenset({"int"})),
}  # fmt: skip
"""By name; "" is a file."""

OF_DIRECTORIES: Final[Mapping[str, Standing]] = {
    **STANDINGS,
    "": Standing(
        "a directory", frozenset({"mapping"}), fields={name: _ENTRY[name] for name in ("@type", "@mode", "@link")},
        keys="entry", files="entry",
    ),
    "entry": replace(STANDINGS[""], files="entry", items="content", hint=_INSIDE),
}  # fmt: skip
"""By name; "" is the directory that a source names."""
