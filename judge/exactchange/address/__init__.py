"""Addresses for people and paths for programs: spelling, parsing, and patterns that match paths."""

from exactchange.address.inclusion import boundless, includes, single
from exactchange.address.keys import key, key_segment, parse_key_segment, unkey
from exactchange.address.pattern import (
    AddressPattern,
    column_pattern,
    overlap,
    parse_pattern,
    pattern_below,
    table_pattern,
)
from exactchange.address.spelling import Style, format_path
from exactchange.address.walk import lookup, nodes

__all__ = [
    "AddressPattern",
    "Style",
    "boundless",
    "column_pattern",
    "format_path",
    "includes",
    "key",
    "key_segment",
    "lookup",
    "nodes",
    "overlap",
    "parse_key_segment",
    "parse_pattern",
    "pattern_below",
    "single",
    "table_pattern",
    "unkey",
]
