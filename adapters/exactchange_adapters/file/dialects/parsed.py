"""What a dialect's parser makes of a text: a raw tree in which doubtful places are marked, not decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from exactchange.values import Value

LARGEST_TEXT = 4 * 1024 * 1024
"""Bytes of a file that is parsed; a larger one is unread (or, as plain text, told by its hash)."""
MOST_NODES = 300_000
"""Nodes of one parsed file, aliases expanded."""
DEEPEST = 100
"""Levels of nesting in one parsed file."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """Stands where a value should: it could not be read, and `reason` says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Also:
    """A value that other dialects of the format read differently.

    `others`: what each of those dialects reads here. `keys`: what each reads as the key in front of this value.
    """

    value: "Raw"
    others: Mapping[str, Value] = field(default_factory=dict[str, Value])
    keys: Mapping[str, Value] = field(default_factory=dict[str, Value])


Raw: TypeAlias = "Value | Unusable | Also | Sequence[Raw] | Mapping[str, Raw]"
"""A value tree whose mapping keys are spelt as path segments, with marks in it."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed text. `root` is a mapping, or whatever else the document is; `facets` stand beside its keys."""

    root: Raw
    facets: Mapping[str, Value] = field(default_factory=dict[str, Value])


class Unparsable(Exception):
    """The text is not what its dialect asks for; the message names the line. Never leaves the file package."""
