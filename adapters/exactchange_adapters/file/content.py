"""A file's bytes as the keys and facets of its snapshot: parsed, doubtful places unread, secrets sealed."""

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from exactchange.errors import OverBudget
from exactchange.limits import CountedBudget
from exactchange.values import Path, Value
from exactchange_adapters import secrets
from exactchange_adapters.file.arrangement import Arrangement
from exactchange_adapters.file.dialects import Dialect, parser_for
from exactchange_adapters.file.dialects.parsed import (
    DEEPEST,
    LARGEST_TEXT,
    MOST_NODES,
    Parsed,
    Unparsable,
)
from exactchange_adapters.file.dialects.plain import binary_facets, text_lines
from exactchange_adapters.file.settle import SecretRule, settle

ALSO: Final = "@also"
"""Hidden facet: `{dialect: {path as JSON: value}}`, what another plausible dialect reads where it differs."""
LAYOUT: Final = "@layout"
"""Hidden facet: the sealed bytes and the encoding, of which only notes are made."""
UNPARSED: Final = "@unparsed"
"""Facet of a file that is told by its lines since its keys could not be told: the reason."""
HIDDEN: Final = frozenset({ALSO, LAYOUT})

Compare: TypeAlias = Literal["meaning", "text", "bytes"]
_BARE_UTF8: Final = frozenset({"ini-trac"})
"""Dialects whose one reader fails at a byte order mark; elsewhere the encoding is a note."""
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with BOM"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32 LE"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32 BE"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16 LE"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16 BE"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be understood. Patterns are addresses in the file.

    `secret`: which values are sealed. `unordered`: lists in which order is nothing. `key`: what identifies list items.
    """

    dialect: Dialect | None = None
    compare: Compare = "meaning"
    secret: SecretRule = "auto"
    unordered: tuple[str, ...] = ()
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """Keys and facets of one file, and what of it could not be read, as paths in it (() is all of it) and reasons."""

    keys: Mapping[str, Value]
    unread: tuple[tuple[Path, str], ...] = ()


def understand(data: bytes, name: str, reading: Reading, *, text_limit: int = LARGEST_TEXT) -> Content:
    """The content of a regular file. `name` tells the dialect where none is declared. Never raises for content.

    Text without a dialect that is longer than `text_limit` bytes or not UTF-8 is told by its hash.
    """
    if reading.compare == "bytes" or reading.dialect == "binary":
        return Content(binary_facets(data))
    parse = parser_for(reading.dialect, name) if reading.compare == "meaning" else None
    try:
        text, encoding = _decoded(data)
    except Unparsable as error:
        undeclared = parse is None and reading.dialect != "text" and reading.compare != "text"
        return Content(binary_facets(data)) if undeclared else _unread(str(error))
    if reading.dialect in _BARE_UTF8 and encoding != "UTF-8":
        return _unread(f"{encoding}, at which the reader of {reading.dialect} stops: it knows bare UTF-8 only")
    if parse is None:
        return _plain_text(data, text, encoding, reading, text_limit)
    budget = CountedBudget(max_bytes=LARGEST_TEXT, max_nodes=MOST_NODES, max_depth=DEEPEST)
    try:
        budget.spend(bytes=len(data))
        parsed = parse(text, budget)
        return _settled(parsed, reading, _layout(data, text, encoding))
    except Unparsable as error:
        return _unread(str(error))
    except OverBudget as error:
        return _unread(str(error))


def as_text(data: bytes, reason: str, reading: Reading, *, text_limit: int) -> Content:
    """A file that does not tell its keys, told by its lines instead, or by its hash; `@unparsed` says why."""
    content = understand(data, "", replace(reading, dialect=None), text_limit=text_limit)
    return Content({UNPARSED: reason, **content.keys})


def wants_text(name: str, reading: Reading) -> bool:
    """Whether a file's text is asked for, so that its hash would not be an answer."""
    if reading.compare == "text" or reading.dialect == "text":
        return True
    return reading.compare == "meaning" and parser_for(reading.dialect, name) is not None


def _decoded(data: bytes) -> tuple[str, str]:
    found = [(codec, name) for bom, codec, name in _BOMS if data.startswith(bom)]
    codec, name = found[0] if found else ("utf-8", "UTF-8")
    try:
        return data.decode(codec), name
    except UnicodeDecodeError as error:
        raise Unparsable(f"not {name}: byte {error.start} ({error.reason})") from error


def _plain_text(data: bytes, text: str, encoding: str, reading: Reading, limit: int) -> Content:
    declared = reading.dialect == "text" or reading.compare == "text"
    if not declared and (len(data) > limit or "\0" in text):
        return Content(binary_facets(data))
    if len(data) > LARGEST_TEXT:
        return _unread(f"more than {LARGEST_TEXT} bytes of text")
    lines, facets = text_lines(text)
    if encoding != "UTF-8":
        facets["@encoding"] = encoding
    facets["@text"] = list(lines) if reading.secret == "none" else _sealed_text(text, lines)
    return Content(facets)


def _sealed_text(text: str, lines: Sequence[str]) -> Value:
    """The lines with sealed passwords; of a file that is a key or a vault as a whole, one seal."""
    if secrets.is_key_material(text):
        return secrets.seal(text)
    return [secrets.seal(line) if secrets.holds_secret(line) else line for line in lines]


def _layout(data: bytes, text: str, encoding: str) -> Value:
    returns, newlines = text.count("\r\n"), text.count("\n")
    ends = "LF" if not returns else "CRLF" if returns == newlines else "mixed"
    return {"bytes": secrets.seal_bytes(data), "encoding": encoding, "newlines": ends}


def _unread(reason: str) -> Content:
    return Content({}, (((), reason),))


def _settled(parsed: Parsed, reading: Reading, layout: Value) -> Content:
    done = settle(parsed, secret=reading.secret, arrangement=Arrangement.of(reading.unordered, reading.key))
    hidden: dict[str, Value] = {LAYOUT: layout} | ({ALSO: done.others} if done.others else {})
    return Content({**done.keys, **hidden}, done.unread)
