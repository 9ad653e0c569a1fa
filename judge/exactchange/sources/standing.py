"""What a kind of source may know of its places: which there can ever be, and what can stand there.

A task that looks where nothing can ever stand has a rule that never holds, and a veto that never fires; it is told so
before anything runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from exactchange.address import AddressPattern
from exactchange.address.segments import Deep, Exactly, File, Glob, Item, Named, One, Segment, parts_of
from exactchange.sources.kind import SourceParams
from exactchange.values import Path, Value, sealed, type_name

P = TypeVar("P", bound=SourceParams, contravariant=True)
Q = TypeVar("Q", bound=BaseModel, contravariant=True)


@dataclass(frozen=True, slots=True)
class Standing:
    """What may stand in a place, and right below it. The standings of a kind name each other; the first is "".

    `what`: for people, such as "a cookie". `types`: of the values right there, `list` and `mapping` included; None:
    any. `texts`: of texts the only ones; None: any. `fields`: the places below that have names of their own, all
    facets among them. `keys`, `rows`, `items`, `files`: what stands at any other key, at a row (`[id=7]`) or an element
    (`#id`), at a position, and, in a directory, at a part of a file's path; None: nothing ever does. `stays`: fields
    that are there as long as it is. `usual`: keys that are no slip; None: any. `whole`: whether it is a row, of whose
    columns `row:` speaks. `free`: nothing is known of it, nor of what is below. `hint`: what to write where something
    else was meant.
    """

    what: str
    types: frozenset[str] | None = None
    texts: frozenset[str] | None = None
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    keys: str | None = None
    rows: str | None = None
    items: str | None = None
    files: str | None = None
    stays: frozenset[str] = frozenset()
    usual: frozenset[str] | None = None
    whole: bool = False
    free: bool = False
    hint: str | None = None


@runtime_checkable
class Placing(Protocol[P]):
    """An optional part of a SourceKind: of one that knows which places there can be.

    What it says has to hold of every snapshot that it makes; the adapter kit compares the two.
    """

    def standings(self, params: P) -> Mapping[str, Standing]:
        """What may stand in its places by names of its own; "" is the whole source."""
        ...


@runtime_checkable
class Deriving(Protocol[Q]):
    """An optional part of a SourceKind: of one whose selectors also find what is worked out of the state.

    Such a thing can be read, and no change of it is ever told, since it stands in no place of the state.
    """

    @property
    def derives_hint(self) -> str:
        """What a rule on a change has to say instead, for people."""
        ...

    def derives(self, selector: Q) -> bool | None:
        """Whether all that a selector finds is worked out; None where that depends on the state."""
        ...

    def finds(self, selector: Q) -> Standing | None:
        """What stands there of all that a selector finds; None where that depends on the state."""
        ...

    def is_derived(self, path: Path) -> bool:
        """Whether something that a selector found is worked out."""
        ...


@dataclass(frozen=True, slots=True)
class Spot:
    """What may stand in a place, and whether the place is there as long as the source is."""

    name: str
    stays: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """Where the places end: what stands there, and what was looked for below it."""

    above: Standing
    segment: Segment


@dataclass(frozen=True, slots=True)
class Found:
    """What may stand in the places of a pattern. `odd`: keys that are hardly meant, and what they stand below."""

    spots: frozenset[Spot]
    lost: Lost | None = None
    odd: tuple[Lost, ...] = ()


def standing_at(pattern: AddressPattern, standings: Mapping[str, Standing]) -> Found:
    """What may stand at the places of a pattern: nothing (`lost`) where there can never be such a place."""
    found = [_follow(each, standings) for each in pattern.alternatives]
    spots = frozenset(spot for item in found for spot in item.spots)
    likely = [item for item in found if item.spots]
    odd = () if any(not item.odd for item in likely) else tuple(lost for item in likely for lost in item.odd)
    return Found(spots, None if spots else found[0].lost, odd)


def misplaced(path: Path, value: Value, standings: Mapping[str, Standing], *, slashed: bool) -> str | None:
    """Why a state that holds this value at this path is none that a kind says it has; None where it is one."""
    exact = (
        File((part.name,)) if isinstance(part, Named) else Exactly(part) for part in parts_of(path, slashed=slashed)
    )
    found = _follow(tuple(exact), standings)
    if found.lost is not None:
        return f"{found.lost.above.what} has no such place"
    there = [standings[spot.name] for spot in found.spots]
    if sealed(value) or any(item.types is None or type_name(value) in item.types for item in there):
        return None
    return f"a {type_name(value)} stands there, and not {' or '.join(sorted(item.what for item in there))}"


def _follow(segments: Sequence[Segment], standings: Mapping[str, Standing]) -> Found:
    here = frozenset({Spot("", stays=True)})
    odd: list[Lost] = []
    for segment in segments:
        if isinstance(segment, Deep):
            here = frozenset(_all_below(here, standings))
            continue
        below = frozenset(spot for at in here for spot in _step(at, segment, standings))
        first = standings[min(here, key=lambda spot: spot.name).name]
        if not below:
            return Found(frozenset(), Lost(first, segment))
        if all(_is_odd(standings[at.name], segment) for at in here):
            odd.append(Lost(first, segment))
        here = below
    return Found(here, None, tuple(odd))


def _is_odd(standing: Standing, segment: One) -> bool:
    """Whether a key is hardly meant that may stand there."""
    if standing.usual is None or not isinstance(segment, Exactly) or not isinstance(segment.segment, str):
        return False
    name = segment.segment
    return _sort(name) == "keys" and name not in standing.fields and name not in standing.usual and "-" not in name


def _step(at: Spot, segment: One, standings: Mapping[str, Standing]) -> Iterator[Spot]:
    standing = standings[at.name]
    if standing.free:
        yield Spot(at.name, stays=False)
        return
    for name, below in standing.fields.items():
        if segment.fits(name):
            yield Spot(below, at.stays and name in standing.stays and isinstance(segment, Exactly))
    yield from (Spot(below, stays=False) for below in _others(standing, segment) if below is not None)


def _others(standing: Standing, segment: One) -> tuple[str | None, ...]:
    """What stands below at a segment that is no field."""
    if isinstance(segment, File):
        return (standing.files,)
    if isinstance(segment, Item):
        return (standing.rows,) if segment.pairs is not None else (standing.rows, standing.items)
    if isinstance(segment, Glob):
        if segment.parts == ("", ""):
            return standing.keys, standing.rows, standing.items
        first = segment.parts[0][:1]
        return () if first == "@" else (standing.rows,) if first == "#" else (standing.keys,)
    if isinstance(segment.segment, int):
        return (standing.items,)
    sort = _sort(segment.segment)
    return () if sort == "facet" or segment.segment in standing.fields else (getattr(standing, sort),)


def _sort(segment: str) -> str:
    if segment.startswith(("@@", "@!")):
        return "keys"
    return "facet" if segment.startswith("@") else "rows" if segment.startswith("#") or "=" in segment else "keys"


def _all_below(here: frozenset[Spot], standings: Mapping[str, Standing]) -> Iterator[Spot]:
    """The spots and all that is below them."""
    seen: set[Spot] = set()
    todo = list(here)
    while todo:
        spot = todo.pop()
        if spot in seen:
            continue
        seen.add(spot)
        standing = standings[spot.name]
        names = [*standing.fields.values(), standing.keys, standing.rows, standing.items, standing.files]
        todo += [Spot(name, stays=False) for name in names if name is not None]
    return iter(seen)
