"""Address patterns: what stands after `at:` in a task, matched against paths in linear time.

`*` stands for one segment or a part of one, `**` for any depth, `[k=v]` selects by key, `["a.b"]` is one literal
segment, `""` is the whole source. `*` never stands for a facet such as `@mode`; `**` and `""` include them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from exactchange.address.keys import key
from exactchange.address.reading import read_segments
from exactchange.address.segments import Deep, Exactly, File, Item, Named, Segment, fit, meet, parts_of
from exactchange.address.spelling import MOST_CUTS
from exactchange.errors import UsageError
from exactchange.values import Path

_INSIDE: Final[tuple[Segment, ...]] = (File(("", "")), Deep())


@dataclass(frozen=True, slots=True)
class AddressPattern:
    """A parsed pattern. `alternatives` holds more than one only for trees, where a dot may be part of a file's name."""

    text: str
    alternatives: tuple[tuple[Segment, ...], ...]

    @property
    def whole(self) -> bool:
        """Whether it names the whole source: `""` or `**`."""
        return all(item == (Deep(),) for item in self.alternatives)

    @property
    def deep(self) -> bool:
        """Whether it ends in any depth, so that it speaks of leaves and not of one node."""
        return all(bool(item) and isinstance(item[-1], Deep) for item in self.alternatives)

    @property
    def by_key(self) -> bool:
        """Whether it chooses a row or item by its key."""
        return any(isinstance(item, Item) and item.pairs is not None for each in self.alternatives for item in each)

    def pairs_at(self, depth: int) -> Mapping[str, str] | None:
        """The key fields that the segment at this depth must have, as printed; None where the pattern does not say.

        For kinds that can look a row up by its key instead of walking over all of them.
        """
        here = [item[depth] if depth < len(item) else None for item in self.alternatives]
        above = [item for alternative in self.alternatives for item in alternative[:depth]]
        if len(here) != 1 or any(isinstance(item, Deep) for item in above) or not isinstance(here[0], Item):
            return None
        return None if here[0].pairs is None else dict(here[0].pairs)

    def matches(self, path: Path, *, slashed: bool = False) -> bool:
        """Whether the path is one of those that the pattern stands for. `slashed`: the first segment is a file path."""
        parts = parts_of(path, slashed=slashed)
        return any(fit(item, parts) for item in self.alternatives)

    def covers(self, path: Path, *, slashed: bool = False) -> bool:
        """Whether it stands for something that the path lies in: a row, a section, a list, a directory."""
        parts = parts_of(path, slashed=slashed)
        return any(fit(item, parts[:end]) for item in self.alternatives for end in range(1, len(parts)))

    @property
    def with_all_below(self) -> "AddressPattern":
        """The pattern of all that it stands for and of everything in it."""
        return AddressPattern(self.text, tuple((*item, Deep()) for item in self.alternatives))

    def all_inside(self, path: Path) -> bool:
        """Whether it stands for whatever may be in the directory at this path, in a tree."""
        parts = parts_of(path, slashed=True)
        return any(item[-2:] == _INSIDE and fit(item[:-2], parts) for item in self.alternatives)


_NO_CUT = re.compile(r'[\["]')
_OUTSIDE = re.compile(r"\A(?:\.{0,2}/)+")


def parse_pattern(text: str, *, slashed: bool = False) -> AddressPattern:
    """Parse what stands after `at:`. Raises UsageError that says where the text stops being an address."""
    if text == "":
        return AddressPattern(text, ((Deep(),),))
    if not slashed:
        return AddressPattern(text, (tuple(read_segments(text)),))
    inside = _OUTSIDE.sub("", text)
    if inside != text:  # stands for nothing: a rule that says so could never fire
        raise UsageError(f"an address in a tree begins at its root, without / or ./: write {inside!r}, not {text!r}")
    return AddressPattern(text, tuple(_tree_alternatives(text)))


def pattern_below(path: Path, *, slashed: bool = False) -> AddressPattern:
    """The pattern of everything at and below a path; in a directory, of the files below it too."""
    parts = parts_of(path, slashed=slashed)
    exact = (File((part.name,)) if isinstance(part, Named) else Exactly(part) for part in parts)
    return AddressPattern("", ((*exact, Deep()),))


def table_pattern(table: str, column: str | None = None) -> AddressPattern:
    """The pattern of all rows of a table, or of all its cells in one column."""
    rest = () if column is None else (Exactly(key(column)),)
    return AddressPattern("", ((Exactly(key(table)), Item(None), *rest),))


def column_pattern(table: str | int, column: str | int) -> AddressPattern:
    """The pattern of all cells below these two segments, whatever the row."""
    return AddressPattern("", ((Exactly(table), Item(None), Exactly(column)),))


def overlap(left: AddressPattern, right: AddressPattern) -> bool:
    """Whether some path could match both patterns (errs on the side of yes)."""
    return any(meet(a, b) for a in left.alternatives for b in right.alternatives)


def _tree_alternatives(text: str) -> list[tuple[Segment, ...]]:
    """A tree's address is a file path and then keys; every dot or bracket may be where the file path ends."""
    if text.startswith("["):
        first, *rest = read_segments(text)
        if not text.startswith('["') or not isinstance(first, Exactly) or not isinstance(first.segment, str):
            raise UsageError(f"a tree's address begins with a file path: {text!r}")
        return [(*_literal(first.segment.removeprefix("@@")), *rest)]
    if text.startswith("@"):
        return [tuple(read_segments(text))]
    bare = len(_NO_CUT.split(text, 1)[0])  # what a bracket or a quote ends is no file path any more
    cuts = [m.start() for m in re.finditer(r"[.\[]", text[: bare + 1]) if m.start() > 0] + [len(text)]
    if len(cuts) > MOST_CUTS:
        raise UsageError(
            f'an address in a tree with {len(cuts) - 1} dots; quote its file path: ["a/b.yaml"].server.port'
        )
    out: list[tuple[Segment, ...]] = []
    for cut in cuts:
        names, keys = text[:cut], text[cut:]
        if "[" in names or '"' in names or names.endswith("/") or keys == ".":
            continue
        try:
            below = read_segments(keys.removeprefix(".")) if keys else []
        except UsageError:
            continue
        out.append((*_files(names), *below))
    if not out:
        raise UsageError(
            f"not an address in a tree: {text!r}; it is a file path, then keys: backup/app.yaml.server.port"
        )
    return out


def _files(names: str) -> list[Segment]:
    parts = names.split("/")
    depth = len(parts)
    while depth and parts[depth - 1] == "**":
        depth -= 1
    # `backup/**` is what is in the directory: its own mode, type and removal are not. `**` alone is everything.
    end: tuple[Segment, ...] = () if depth == len(parts) else _INSIDE if depth else (Deep(),)
    return [*(Deep() if part == "**" else File(tuple(part.split("*"))) for part in parts[:depth]), *end]


def _literal(names: str) -> list[Segment]:
    return [File((part,)) for part in names.split("/")]
