"""What came or went as a whole: a must that names a container with `op` asks for all of it, not for a part of it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from exactchange.address import key, unkey
from exactchange.conditions import ChangeRule, Evaluation, Hit
from exactchange.values import Path


@dataclass(frozen=True)
class Wholes:
    """The hits of a rule by the places that came or went, each one change however much it held.

    `inside`: how many were in places that are still there.
    """

    hits: tuple[tuple[Path, Hit], ...]
    inside: int


def wholes(rule: ChangeRule, found: Sequence[Hit], evaluation: Evaluation, last: int) -> Wholes | None:
    """The hits of the diff from start to end as whole places; None where the rule speaks of rows and leaves anyway.

    An address that ends in any depth, and one that says what stood or stands there, speaks of rows and leaves.
    Elsewhere a removed file or folder is one change, as a removed row is, and what was removed from it is none.
    """
    address = evaluation.pattern(rule)
    whole = address is not None and address.whole
    if rule.op not in ("added", "removed") or rule.tests_values or (address is not None and address.deep and not whole):
        return None
    side, other = (last, 0) if rule.op == "added" else (0, last)
    named, still = ({match.path for match in evaluation.nodes(rule, at)} for at in (side, other))
    if whole:
        named, still = named & {()}, still & {()}
    groups: dict[Path, Hit] = {}
    inside = 0
    for hit in found:
        place = _place(hit.unit.change.path, named, slashed=evaluation.slashed(rule.in_))
        if place != hit.unit.change.path and place in still:
            inside += 1
            continue
        have = groups.get(place)
        groups[place] = hit if have is None else replace(have, more=(*have.more, hit.unit))
    return Wholes(tuple(groups.items()), inside)


def _place(path: Path, named: Collection[Path], *, slashed: bool) -> Path:
    """The topmost named place that a path is or lies in; else the path itself."""
    return next((place for place in _around(path, slashed=slashed) if place in named), path)


def _around(path: Path, *, slashed: bool) -> Iterator[Path]:
    """What a path lies in, from the whole source on, and the path itself. A folder of a tree is one segment, too."""
    yield ()
    if slashed and path and isinstance(path[0], str) and isinstance(name := unkey(path[0]), str):
        parts = name.split("/")
        yield from ((key("/".join(parts[:end])),) for end in range(1, len(parts)))
    yield from (path[:end] for end in range(1, len(path) + 1))
