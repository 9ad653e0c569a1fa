"""The segments of an address pattern: which segments of a path each of them stands for, and which two can meet."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from exactchange.address.keys import parse_key_segment, unkey
from exactchange.values import Path


@dataclass(frozen=True, slots=True)
class Named:
    """One component of a file's path, in a source that is a directory."""

    name: str


Part: TypeAlias = str | int | Named
"""A segment of a path as patterns see it: in a directory the file's path is taken apart first."""


@dataclass(frozen=True, slots=True)
class Exactly:
    """This very segment."""

    segment: str | int

    def fits(self, part: Part) -> bool:
        return part == self.segment


@dataclass(frozen=True, slots=True)
class Glob:
    """A key, an element or a facet by its text, `*` for any run of characters; `*` alone for any but a facet."""

    parts: tuple[str, ...]

    def fits(self, part: Part) -> bool:
        if self.parts == ("", ""):
            return isinstance(part, int) or (isinstance(part, str) and not _is_facet(part))
        if not isinstance(part, str):
            return False
        text, first = unkey(part), self.parts[0][:1]
        if text is not None:
            return first not in ("@", "#") and glob(self.parts, text)
        return (part.startswith("#") or _is_facet(part)) and first == part[0] and glob(self.parts, part)


@dataclass(frozen=True, slots=True)
class File:
    """A component of a file's path by its text, `*` for any run of characters."""

    parts: tuple[str, ...]

    def fits(self, part: Part) -> bool:
        return isinstance(part, Named) and glob(self.parts, part.name)


@dataclass(frozen=True, slots=True)
class Item:
    """`[*]`, `[k=v]`: a list item or row; `pairs` None means any."""

    pairs: tuple[tuple[str, str], ...] | None

    def fits(self, part: Part) -> bool:
        if not isinstance(part, str):
            return self.pairs is None and isinstance(part, int)
        if part.startswith("@") or "=" not in part:
            return self.pairs is None and part.startswith("#")
        if self.pairs is None:
            return True
        have = dict(parse_key_segment(part))
        return all(name in have and value_fits(want, have[name]) for name, want in self.pairs)


@dataclass(frozen=True, slots=True)
class Deep:
    """`**`: any number of segments, none included."""


One: TypeAlias = Exactly | Glob | File | Item
Segment: TypeAlias = One | Deep


def parts_of(path: Path, *, slashed: bool) -> tuple[Part, ...]:
    """A path as patterns see it. `slashed`: its first segment is a file's path, unless it is a facet of the whole."""
    if not slashed or not path or not isinstance(path[0], str) or _is_facet(path[0]):
        return path
    return (*_components(path[0]), *path[1:])


def glob(parts: Sequence[str], text: str) -> bool:
    """Whether a text consists of these parts in this order with anything between them; in linear time."""
    if len(parts) == 1:
        return text == parts[0]
    if not text.startswith(parts[0]) or len(text) < len(parts[0]) + len(parts[-1]):
        return False
    at, end = len(parts[0]), len(text) - len(parts[-1])
    for part in parts[1:-1]:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return text.endswith(parts[-1])


def value_fits(want: str, have: str) -> bool:
    """Whether the printed value of a key is the wanted one; an unquoted `*` stands for any run of characters."""
    if not open_value(want):
        return want == have
    return glob(want.split("*"), str(json.loads(have)) if have.startswith('"') else have)


def open_value(want: str) -> bool:
    """Whether a wanted value stands for several: in quotes `*` is an ordinary character."""
    return "*" in want and not want.startswith('"')


def fit(pattern: Sequence[Segment], path: Sequence[Part]) -> bool:
    """Whether a path is one of those that the segments stand for; in time linear in both, but for `**`."""
    p = s = 0
    back_p, back_s = -1, 0
    while s < len(path):
        here = pattern[p] if p < len(pattern) else None
        if isinstance(here, Deep):
            back_p, back_s = p, s
            p += 1
        elif here is not None and here.fits(path[s]):
            p, s = p + 1, s + 1
        elif back_p >= 0:
            back_s += 1
            p, s = back_p + 1, back_s
        else:
            return False
    return all(isinstance(item, Deep) for item in pattern[p:])


def meet(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Whether some path could fit both; errs on the side of yes."""
    reached: set[tuple[int, int]] = set()
    todo: list[tuple[int, int]] = [(0, 0)]
    while todo:
        i, j = todo.pop()
        if (i, j) in reached:
            continue
        reached.add((i, j))
        if i == len(left) and j == len(right):
            return True
        a = left[i] if i < len(left) else None
        b = right[j] if j < len(right) else None
        if isinstance(a, Deep):
            todo += [(i + 1, j)] + ([(i, j + 1)] if b is not None else [])
        elif isinstance(b, Deep):
            todo += [(i, j + 1)] + ([(i + 1, j)] if a is not None else [])
        elif a is not None and b is not None and _compatible(a, b):
            todo.append((i + 1, j + 1))
    return False


def _compatible(a: One, b: One) -> bool:
    if isinstance(a, Exactly):
        return b.fits(a.segment)
    if isinstance(b, Exactly):
        return a.fits(b.segment)
    if isinstance(a, File) or isinstance(b, File):
        return isinstance(a, File) and isinstance(b, File) and _texts_meet(a.parts, b.parts)
    if isinstance(a, Item) and isinstance(b, Item):
        mine, other = dict(a.pairs or ()), dict(b.pairs or ())
        return all(_values_meet(mine[name], other[name]) for name in mine.keys() & other.keys())
    if isinstance(a, Glob) and isinstance(b, Glob):
        starts = {a.parts[0][:1], b.parts[0][:1]}
        return _texts_meet(a.parts, b.parts) and not ("@" in starts and ("", "") in (a.parts, b.parts))
    # A key of its own is no item; `*` is, and so is a row that is named by its content, `#1a*`.
    word, item = (a, b) if isinstance(a, Glob) else (b, a)
    assert isinstance(word, Glob) and isinstance(item, Item)
    return word.parts == ("", "") or (word.parts[0].startswith("#") and item.pairs is None)


def _texts_meet(a: Sequence[str], b: Sequence[str]) -> bool:
    if len(a) == 1 or len(b) == 1:
        return glob(b, a[0]) if len(a) == 1 else glob(a, b[0])
    return (a[0].startswith(b[0]) or b[0].startswith(a[0])) and (a[-1].endswith(b[-1]) or b[-1].endswith(a[-1]))


def _values_meet(a: str, b: str) -> bool:
    if open_value(a) and open_value(b):
        return True
    return value_fits(a, b) if open_value(a) else value_fits(b, a)


def _is_facet(segment: str) -> bool:
    """`@mode`, and not the escaped text `@@mode` or the typed key `@!int:1`."""
    return segment.startswith("@") and not segment.startswith(("@@", "@!"))


@lru_cache(maxsize=4096)
def _components(segment: str) -> tuple[Named, ...]:
    return tuple(Named(name) for name in segment.removeprefix("@@").split("/"))
