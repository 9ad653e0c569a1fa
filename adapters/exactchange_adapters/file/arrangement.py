"""Lists that a task says to compare otherwise than by position: by a key field, or as multisets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from exactchange.address import AddressPattern, key_segment, parse_pattern
from exactchange.values import Path, Scalar, Value, canonical_bytes, digest
from exactchange_adapters.file.dialects.parsed import Also, Raw, Unusable


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which lists have no order (`unordered`: patterns), and the field that identifies list items (`key`)."""

    unordered: tuple[AddressPattern, ...] = ()
    key: str | None = None

    @classmethod
    def of(cls, unordered: Sequence[str], key: str | None) -> "Arrangement":
        """From the task's words. Raises UsageError for what is no address pattern."""
        return cls(tuple(map(parse_pattern, unordered)), key)

    def is_unordered(self, path: Path) -> bool:
        """Whether the list at this path is a multiset."""
        return any(pattern.matches(path) for pattern in self.unordered)

    def identities(self, items: "Sequence[Raw]") -> list[str] | None:
        """The items' segments by the task's key field; None unless each item has it, as a scalar of its own."""
        if self.key is None or not items:
            return None
        values: list[Scalar] = []
        for item in items:
            value: Raw = item.get(self.key, ()) if isinstance(item, Mapping) else ()
            value = value.value if isinstance(value, Also) else value
            if isinstance(value, Unusable | Mapping) or (isinstance(value, Sequence) and not isinstance(value, str)):
                return None
            values.append(cast("Scalar", value))
        if len({canonical_bytes(value) for value in values}) < len(values):
            return None
        return [key_segment([(self.key, value)]) for value in values]


def by_content(pairs: Sequence[tuple[Value, Value]]) -> dict[str, Value]:
    """Items by the hash of themselves and of what goes with each; equal ones are numbered."""
    seen: dict[str, int] = {}
    out: dict[str, Value] = {}
    for item, beside in pairs:
        name = f"#{digest([item, beside]).hex()[:16]}"
        seen[name] = seen.get(name, 0) + 1
        out[name if seen[name] == 1 else f"{name}-{seen[name]}"] = item
    return out
