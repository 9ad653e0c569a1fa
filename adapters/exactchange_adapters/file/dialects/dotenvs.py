"""Environment files to a raw tree, by python-dotenv's rule, marking what other readers of such files see otherwise."""

import io
import re

from dotenv.parser import parse_stream

from exactchange.address import key
from exactchange.values import Value
from exactchange_adapters.file.dialects.parsed import Also, Parsed, Raw, Unparsable

LARGEST = 256 * 1024
"""Bytes of an environment file; with the next limit they bound the parser's work, which is quadratic in blanks."""
_LONGEST_LINE = 8192


def parse_dotenv(text: str, *, declared: bool) -> Parsed:
    """Names and values; `$` is not expanded. A name that is given several times has all its values, in order.

    Not `declared`: where `env-file` readers (all behind `=`) or `dotenv-js` (any `#` ends an unquoted value) would see
    another value, that is marked. Raises Unparsable with the line.
    """
    if len(text) > LARGEST or any(len(line) > _LONGEST_LINE for line in text.split("\n")):
        raise Unparsable(f"more than {LARGEST} characters, or a line of more than {_LONGEST_LINE}")
    values: dict[str, list[Raw]] = {}
    for binding in parse_stream(io.StringIO(text)):
        if binding.error:
            raise Unparsable(f"line {binding.original.line}: not a name with a value")
        if binding.key is not None:
            others = {} if declared else _elsewhere(binding.original.string, binding.value)
            values.setdefault(key(binding.key), []).append(Also(binding.value, others) if others else binding.value)
    return Parsed({name: given[0] if len(given) == 1 else given for name, given in values.items()})


def _elsewhere(line: str, value: str | None) -> dict[str, Value]:
    """What two other families of readers take as the value, where it differs."""
    if value is None:
        return {}
    raw = line.partition("=")[2].strip("\r\n")
    script = raw.strip()
    if script[:1] not in ("'", '"', "`"):
        script = re.split("#", script, maxsplit=1)[0].rstrip()
    else:
        script = value
    read = {"env-file": raw, "dotenv-js": script}
    return {reader: seen for reader, seen in read.items() if seen != value}
