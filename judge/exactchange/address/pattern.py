"""Address patterns: what stands after `at:` in a task, matched against paths in linear time.

`*` stands for one segment or a part of one, `**` for any depth, `[k=v]` selects by key, `["a.b"]` is one literal
segment, `""` is the whole source. `*` never stands for a facet such as `@mode`; `**` and `""` include them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exactchange.address.keys import key, parse_key_segment
from exactchange.errors import UsageError
from exactchange.values import Path

_TOKEN = re.compile(
    r"""\.?(?:
        \[(?P<quoted>"(?:[^"\\]|\\.)*")\]
      | \[(?P<index>\d+)\]
      | \[(?P<inner>(?:[^\[\]"]|"(?:[^"\\]|\\.)*")+)\]
      | (?P<facet>[@\#]"(?:[^"\\]|\\.)*")
      | (?P<bare>[^.\[\]"\s][^.\[\]"\r\n]*)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Glob:
    """One segment by its text, `*` for any run of characters."""

    parts: tuple[str, ...]

    def fits(self, segment: str | int) -> bool:
        if self.parts == ("", ""):
            return isinstance(segment, int) or not segment.startswith("@") or segment.startswith(("@@", "@!"))
        if isinstance(segment, int):
            return False
        if len(self.parts) == 1:
            return segment == self.parts[0]
        if segment.startswith("@@"):
            return _glob(self.parts, segment[2:])
        return _glob(self.parts, segment) and segment.startswith("@") == self.parts[0].startswith("@")


@dataclass(frozen=True, slots=True)
class _Item:
    """`[*]`, `[3]`, `[k=v]`: a list item or row; `pairs` None means any."""

    pairs: tuple[tuple[str, str], ...] | None
    index: int | None = None

    def fits(self, segment: str | int) -> bool:
        if isinstance(segment, int):
            return self.pairs is None and self.index in (None, segment)
        if self.index is not None or segment.startswith("@"):
            return False
        if self.pairs is None:
            return segment.startswith("#") or "=" in segment
        if "=" not in segment:
            return False
        have = dict(parse_key_segment(segment))
        return all(name in have and _glob(tuple(want.split("*")), have[name]) for name, want in self.pairs)


@dataclass(frozen=True, slots=True)
class _Deep:
    """`**`: any number of segments, none included."""


_Segment = _Glob | _Item | _Deep


@dataclass(frozen=True, slots=True)
class AddressPattern:
    """A parsed pattern. `alternatives` holds more than one only for trees, where a dot may be part of a file's name."""

    text: str
    alternatives: tuple[tuple[_Segment, ...], ...]

    @property
    def whole(self) -> bool:
        """Whether it names the whole source: `""` or `**`."""
        return all(item == (_Deep(),) for item in self.alternatives)

    @property
    def deep(self) -> bool:
        """Whether it ends in any depth, so that it speaks of leaves and not of one node."""
        return all(bool(item) and isinstance(item[-1], _Deep) for item in self.alternatives)

    def pairs_at(self, depth: int) -> Mapping[str, str] | None:
        """The key fields that the segment at this depth must have, as printed; None where the pattern does not say.

        For kinds that can look a row up by its key instead of walking over all of them.
        """
        here = [item[depth] if depth < len(item) else None for item in self.alternatives]
        above = [item for alternative in self.alternatives for item in alternative[:depth]]
        if len(here) != 1 or any(isinstance(item, _Deep) for item in above) or not isinstance(here[0], _Item):
            return None
        return None if here[0].pairs is None else dict(here[0].pairs)

    def matches(self, path: Path, *, slashed: bool = False) -> bool:
        """Whether the path is one of those that the pattern stands for. `slashed`: the first segment is a file path."""
        parts = _split_file(path) if slashed else path
        return any(_match(item, parts) for item in self.alternatives)


def parse_pattern(text: str, *, slashed: bool = False) -> AddressPattern:
    """Parse what stands after `at:`. Raises UsageError that says where the text stops being an address."""
    if text == "":
        return AddressPattern(text, ((_Deep(),),))
    if not slashed:
        return AddressPattern(text, (tuple(_segments(text)),))
    return AddressPattern(text, tuple(_tree_alternatives(text)))


def overlap(left: AddressPattern, right: AddressPattern) -> bool:
    """Whether some path could match both patterns (errs on the side of yes)."""
    return any(_meet(a, b) for a in left.alternatives for b in right.alternatives)


def _segments(text: str) -> list[_Segment]:
    out: list[_Segment] = []
    end = 0
    while end < len(text):
        match = _TOKEN.match(text, end)
        if match is None or (end == 0 and text.startswith(".")):
            raise UsageError(
                f'not an address from character {end + 1} on: {text!r}; quote odd keys like ["a.b"], items like [id=7]'
            )
        out.append(_segment(match))
        end = match.end()
    return out


def _segment(match: "re.Match[str]") -> _Segment:
    quoted, index, inner, facet, bare = match.group("quoted", "index", "inner", "facet", "bare")
    if quoted is not None:
        return _Glob((key(_unquote(quoted)),))
    if index is not None:
        return _Item(None, int(index))
    if facet is not None:
        return _Glob((facet[0] + _unquote(facet[1:]),))
    if inner is not None:
        return _inner(inner)
    if bare == "**":
        return _Deep()
    if bare.startswith("!"):
        return _Glob((f"@{bare}",))
    return _Glob(tuple(bare.split("*"))) if "*" in bare else _Glob((bare,))


def _inner(inner: str) -> _Segment:
    if inner == "*":
        return _Item(None)
    if inner.startswith("#"):
        return _Glob(tuple(inner.split("*")))
    if inner.startswith("!"):
        return _Glob((f"@{inner}",))
    return _Item(tuple(parse_key_segment(inner)))


def _unquote(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise UsageError(f"not a quoted key: {text}: {error}") from error


def _tree_alternatives(text: str) -> list[tuple[_Segment, ...]]:
    """A tree's address is a file path and then keys; every dot or bracket may be where the file path ends."""
    if text.startswith("["):
        first, *rest = _segments(text)
        if isinstance(first, _Glob) and len(first.parts) == 1:
            name = first.parts[0].removeprefix("@@")
            return [(*[_Glob((part,)) for part in name.split("/")], *([_FILE_END] if rest else []), *rest)]
        raise UsageError(f"a tree's address begins with a file path: {text!r}")
    if text.startswith("@"):
        return [tuple(_segments(text))]
    cuts = [m.start() for m in re.finditer(r"[.\[]", text) if m.start() > 0] + [len(text)]
    out: list[tuple[_Segment, ...]] = []
    for cut in cuts:
        names, keys = text[:cut], text[cut:]
        if "[" in names or '"' in names or names.endswith("/"):
            continue
        try:
            below = _segments(keys.removeprefix(".")) if keys else []
        except UsageError:
            continue
        out.append((*_file_parts(names), *([_FILE_END] if below else []), *below))
    if not out:
        raise UsageError(
            f"not an address in a tree: {text!r}; it is a file path, then keys: backup/app.yaml.server.port"
        )
    return out


def _file_parts(names: str) -> list[_Segment]:
    return [_Deep() if part == "**" else _Glob(tuple(part.split("*"))) for part in names.split("/")]


_FILE_END = _Glob(("\0",))  # stands between a file's path and its keys; no path component can be NUL


def _split_file(path: Path) -> Path:
    if not path or not isinstance(path[0], str) or (path[0].startswith("@") and not path[0].startswith("@@")):
        return path
    names: tuple[str | int, ...] = tuple(path[0].removeprefix("@@").split("/"))
    return names if len(path) == 1 else (*names, "\0", *path[1:])


def _glob(parts: Sequence[str], text: str) -> bool:
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


def _match(pattern: Sequence[_Segment], path: Sequence[str | int]) -> bool:
    p = s = 0
    back_p, back_s = -1, 0
    while s < len(path):
        here = pattern[p] if p < len(pattern) else None
        if isinstance(here, _Deep):
            back_p, back_s = p, s
            p += 1
        elif here is not None and here.fits(path[s]):
            p, s = p + 1, s + 1
        elif back_p >= 0:
            back_s += 1
            p, s = back_p + 1, back_s
        else:
            return False
    return all(isinstance(item, _Deep) for item in pattern[p:])


def _meet(left: Sequence[_Segment], right: Sequence[_Segment]) -> bool:
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
        if isinstance(a, _Deep):
            todo += [(i + 1, j)] + ([(i, j + 1)] if b is not None else [])
        elif isinstance(b, _Deep):
            todo += [(i, j + 1)] + ([(i + 1, j)] if a is not None else [])
        elif a is not None and b is not None and _compatible(a, b):
            todo.append((i + 1, j + 1))
    return False


def _compatible(a: _Glob | _Item, b: _Glob | _Item) -> bool:
    if isinstance(a, _Item) and isinstance(b, _Item):
        if a.index is not None and b.index is not None:
            return a.index == b.index
        mine, other = dict(a.pairs or ()), dict(b.pairs or ())
        return all("*" in mine[k] + other[k] or mine[k] == other[k] for k in mine.keys() & other.keys())
    if isinstance(a, _Glob) and isinstance(b, _Glob):
        if len(a.parts) == 1 and len(b.parts) == 1:
            return a.parts == b.parts
        if len(a.parts) == 1:
            return b.fits(a.parts[0])
        return a.fits(b.parts[0]) if len(b.parts) == 1 else True
    glob, item = (a, b) if isinstance(a, _Glob) else (b, a)
    assert isinstance(glob, _Glob) and isinstance(item, _Item)
    return len(glob.parts) > 1 or item.fits(glob.parts[0])
