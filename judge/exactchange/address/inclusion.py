"""Whether one address pattern takes in all that another stands for: what the checks of tasks reason with."""

from collections.abc import Sequence

from exactchange.address.pattern import AddressPattern
from exactchange.address.segments import Deep, Exactly, File, Glob, Item, One, Segment, glob, open_value, value_fits


def includes(outer: AddressPattern, inner: AddressPattern) -> bool:
    """Whether every path that fits `inner` fits `outer` as well (errs on the side of no)."""
    return all(any(_includes(wide, narrow) for wide in outer.alternatives) for narrow in inner.alternatives)


def single(pattern: AddressPattern) -> bool:
    """Whether it stands for one place: a key, a row by its key, a list item; no `*` and no `**`."""
    return all(each and all(_single(item) for item in each) for each in pattern.alternatives)


def boundless(pattern: AddressPattern) -> bool:
    """Whether it and what lies in it is everything but facets: `""`, `**`, `*`, `*[*]`, whatever the names are."""
    return all(all(_open(item) for item in each) for each in pattern.alternatives)


def _includes(outer: Sequence[Segment], inner: Sequence[Segment]) -> bool:
    """Looked at from every pair of positions at most once, so that a row of `**` costs no more than one."""
    seen: set[tuple[int, int]] = set()
    todo = [(0, 0)]
    while todo:
        i, j = todo.pop()
        if (i, j) in seen:
            continue
        seen.add((i, j))
        if i == len(outer):
            if j == len(inner):
                return True
            continue
        wide, narrow = outer[i], inner[j] if j < len(inner) else None
        if isinstance(wide, Deep):
            todo += [(i + 1, j)] + ([(i, j + 1)] if narrow is not None else [])
        elif narrow is not None and not isinstance(narrow, Deep) and _takes_in(wide, narrow):
            todo.append((i + 1, j + 1))
    return False


def _takes_in(wide: One, narrow: One) -> bool:
    if isinstance(narrow, Exactly):
        return wide.fits(narrow.segment)
    if isinstance(wide, Exactly):
        return False
    if isinstance(wide, Item):
        return isinstance(narrow, Item) and _pairs_take_in(wide, narrow)
    if isinstance(wide, File):
        return isinstance(narrow, File) and _glob_takes_in(wide.parts, narrow.parts)
    if isinstance(narrow, Glob):
        facet = narrow.parts[0][:1] == "@"
        everything = wide.parts == ("", "") and not facet
        return everything or (narrow.parts != ("", "") and _glob_takes_in(wide.parts, narrow.parts))
    return isinstance(narrow, Item) and wide.parts == ("", "")


def _pairs_take_in(wide: Item, narrow: Item) -> bool:
    mine, other = dict(wide.pairs or ()), dict(narrow.pairs or ())
    return all(
        name in other and (want == other[name] or (not open_value(other[name]) and value_fits(want, other[name])))
        for name, want in mine.items()
    )


def _glob_takes_in(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    """Of globs with several `*` only equal ones are known to take each other in."""
    if len(narrow) == 1:
        return glob(wide, narrow[0])
    if len(wide) != 2:
        return tuple(wide) == tuple(narrow)
    fits = narrow[0].startswith(wide[0]) and narrow[-1].endswith(wide[1])
    return fits and sum(map(len, narrow)) >= sum(map(len, wide))


def _single(item: Segment) -> bool:
    if isinstance(item, Item):
        return item.pairs is not None and not any(open_value(value) for _, value in item.pairs)
    if isinstance(item, Glob | File):
        return len(item.parts) == 1
    return isinstance(item, Exactly)


def _open(item: Segment) -> bool:
    if isinstance(item, Glob | File):
        return item.parts == ("", "")
    return isinstance(item, Deep) or (isinstance(item, Item) and item.pairs is None)
