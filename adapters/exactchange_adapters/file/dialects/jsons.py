"""JSON and JSON with comments to a raw tree: duplicate keys, numbers and constants that lose something are marked."""

import json
import re

from exactchange.address import key
from exactchange_adapters.file.dialects.decimals import with_decimal
from exactchange_adapters.file.dialects.parsed import Parsed, Raw, Unparsable, Unusable

_LONGEST_NUMBER = 4000
_TOKEN = re.compile(r"""("(?:[^"\\\n]|\\.)*")|(//[^\n]*)|(/\*)|(,)|([\]}])|([ \t\r\n]+)|([^"/,\]} \t\r\n]+|.)""")


def parse_json(text: str) -> Parsed:
    """A strict JSON document. Raises Unparsable with line and column."""
    return Parsed(_loads(text))


def parse_jsonc(text: str) -> Parsed:
    """JSON with `//` and `/* */` comments and trailing commas, as editors' settings are written. Raises Unparsable."""
    return Parsed(_loads(_without_comments(text)))


def parse_suffix_json(text: str) -> Parsed:
    """A file that is called `.json` and no more is known: strict, or else with comments, which is then a facet.

    Many programs' `.json` files hold comments; for a strict reader one comment breaks the file. So whether the text is
    strict JSON is part of the state.
    """
    try:
        return parse_json(text)
    except Unparsable as strict:
        try:
            lenient = parse_jsonc(text)
        except Unparsable:
            raise strict from None
        return Parsed(lenient.root, {"@dialect": "jsonc"})


def _loads(text: str) -> Raw:
    try:
        document: Raw = json.loads(
            text, object_pairs_hook=_mapping, parse_int=_int, parse_float=_float, parse_constant=_constant
        )
    except json.JSONDecodeError as error:
        raise Unparsable(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise Unparsable("nested too deep to be read") from error
    return document


def _mapping(pairs: list[tuple[str, Raw]]) -> Raw:
    out: dict[str, Raw] = {}
    for name, value in pairs:
        segment = key(name)
        doubled = segment in out
        out[segment] = (
            Unusable("the key stands here twice: readers differ in which one they take") if doubled else value
        )
    return out


def _int(text: str) -> Raw:
    if len(text) > _LONGEST_NUMBER:
        return Unusable(f"a number of {len(text)} digits")
    return -0.0 if text == "-0" else int(text)  # JavaScript reads -0 as the float; so does every IEEE reader


def _float(text: str) -> Raw:
    if len(text) > _LONGEST_NUMBER:
        return Unusable(f"a number of {len(text)} digits")
    number = float(text)
    if number in (float("inf"), float("-inf")):
        return Unusable(f"{text[:40]} is beyond what a 64-bit float holds")
    return with_decimal(number, text)


def _constant(name: str) -> Raw:
    return Unusable(f"{name} is not JSON")


def _without_comments(text: str) -> str:
    """The text with blanks for comments and trailing commas; lines keep their numbers. One pass, linear in the text."""
    out: list[str] = []
    comma = -1  # where in `out` a comma waits to learn whether a bracket follows
    value = False  # whether a value stands in front of that comma: `[,]` is not JSON in any dialect
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unparsable(f"line {text.count(chr(10), 0, at) + 1}: a text that does not end")
        kind, token = match.lastindex, match.group()
        at = match.end()
        if kind == 3:
            at = _comment_end(text, match.start())
            token = re.sub(r"[^\n]", " ", text[match.start() : at])
        elif kind == 2:
            token = " " * len(token)
        elif kind == 4:
            comma = len(out) if value else -1
            value = False
        elif kind == 5 and comma >= 0:
            out[comma] = " "
        if kind in (1, 5, 7):
            value, comma = True, -1
            value = kind != 7 or token[-1] not in "[{:"
        out.append(token)
    return "".join(out)


def _comment_end(text: str, start: int) -> int:
    end = text.find("*/", start + 2)
    if end < 0:
        raise Unparsable(f"line {text.count(chr(10), 0, start) + 1}: a comment that does not end")
    return end + 2
