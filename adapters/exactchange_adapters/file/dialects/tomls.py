"""TOML to a raw tree: dotted keys, tables and inline tables by meaning, dates typed."""

import tomllib
from typing import cast

from exactchange.address import key
from exactchange.values import Value
from exactchange_adapters.file.dialects.decimals import with_decimal
from exactchange_adapters.file.dialects.parsed import Parsed, Raw, Unparsable, Unusable

_MOST_DOTS = 2000  # in one line: the standard parser's work grows with the square of a dotted key's parts


def parse_toml(text: str) -> Parsed:
    """A TOML document. Duplicate keys are no TOML. Raises Unparsable with the parser's line and column."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MOST_DOTS:
            raise Unparsable(f"line {number}: more than {_MOST_DOTS} dots")
    try:
        document = tomllib.loads(text, parse_float=_Float)
    except tomllib.TOMLDecodeError as error:
        raise Unparsable(str(error)) from error
    except (RecursionError, ValueError) as error:  # ValueError: an integer longer than Python converts
        raise Unparsable(str(error) if isinstance(error, ValueError) else "nested too deep to be read") from error
    return Parsed(_spelt(document))


class _Float(str):
    """A float's text, until the whole document is known to be TOML (tomllib takes no richer values from its hook)."""


def _spelt(node: object) -> Raw:
    # Depth is bounded: tomllib itself recurses and would have given up before.
    if isinstance(node, _Float):
        return _float(node.replace("_", ""))
    if isinstance(node, dict):
        return {key(name): _spelt(item) for name, item in cast("dict[str, object]", node).items()}
    if isinstance(node, list):
        return [_spelt(item) for item in cast("list[object]", node)]
    return cast("Value", node)


def _float(text: str) -> Raw:
    number = float(text)
    if number in (float("inf"), float("-inf")) and "inf" not in text:
        return Unusable(f"{text[:40]} is beyond what a 64-bit float holds")
    return with_decimal(number, text)
