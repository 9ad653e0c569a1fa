"""Finds places that can never be there, and values, rows and changes that can never be in a place."""

from collections.abc import Iterator, Mapping, Sequence

from exactchange.address import format_path
from exactchange.address.segments import Deep, Exactly, File, Glob, Segment
from exactchange.case.pseudo import ACTIONS, OF_ACTIONS
from exactchange.conditions import Matcher, Pattern, Place, ValueRule
from exactchange.conditions.change import ChangeRule
from exactchange.sources import SourceParams, TreeKind
from exactchange.sources.standing import Deriving, Lost, Placing, Standing, standing_at
from exactchange.task.declared import Declared
from exactchange.task.fitting import NOTHING, finite, types_of
from exactchange.task.gather import Gathered
from exactchange.task.overlaps import address_of
from exactchange.task.problem import did_you_mean, one_of
from exactchange.task.rules import Rule, Spoken, spoken
from exactchange.values import Path, dumps


def check_places(
    rules: Sequence[Rule], patterns: Sequence[Spoken], declared: Mapping[str, Declared | None], task: Gathered
) -> None:
    """Report places and changes that no state of a source can have, as its kind knows them; warn of likely slips."""
    parts = [(item, rule.explains) for rule in rules for item in spoken(rule)]
    for part, asked in [*parts, *((item, False) for item in patterns)]:
        place, source = part.part, declared.get(part.part.in_)
        if source is None or source.params is None or not isinstance(place, Place):
            continue
        if place.own():
            _check_selected(place, part.path, source, source.params, task)
        elif not (isinstance(place, ValueRule) and place.query is not None):
            _check_address(place, part.path, source, source.params, asked=asked, task=task)


def check_looked_at(declared: Mapping[str, Declared | None], task: Gathered) -> None:
    """Report patterns in `only` and `except` of a source that stand for nothing there can ever be."""
    for name, source in declared.items():
        if source is None or source.params is None or source.spec is None:
            continue
        standings = _standings(name, source, source.params)
        for key in ("only", "except"):
            patterns = source.spec.raw.get(key)
            for number, text in enumerate(patterns if standings and isinstance(patterns, list) else ()):
                address = address_of(Place.model_validate({"in": name, "at": text}), source.slashed)
                lost = None if address is None else standing_at(address, standings or {}).lost
                if lost is not None:
                    task.say(("sources", name, key, number), *_no_place(name, lost))


def _check_address(
    place: Place, path: Path, source: Declared, params: SourceParams, *, asked: bool, task: Gathered
) -> None:
    address = address_of(place, source.slashed)
    if address is None:
        return  # reported where it stands
    if place.table is not None and not place.table.strip():
        task.warn((*path, "table"), "place", "no table is called that", "write the name of the table")
    standings = _standings(place.in_, source, params)
    if standings is None:
        _check_row(place, path, source, None, task)
        return
    found = standing_at(address, standings)
    way = "at" if place.at is not None else "column" if place.column is not None else "table"
    if found.lost is not None:
        task.say((*path, way), *_no_place(place.in_, found.lost))
        return
    for odd in found.odd:
        said = _text(odd.segment)
        what = f"nothing of {odd.above.what} is usually called {said!r}, so that this may look at nothing"
        task.warn((*path, way), "place", what, did_you_mean(said, odd.above.fields) or odd.above.hint)
    there = [standings[name] for name in sorted({spot.name for spot in found.spots})]
    _check_values(place, path, source, params, there, task)
    _check_row(place, path, source, there, task)
    if isinstance(place, ChangeRule) and all(spot.stays for spot in found.spots) and (asked or place.tests_values):
        _check_op(place, (*path, "op"), there, task)


def _standings(name: str, source: Declared, params: SourceParams) -> Mapping[str, Standing] | None:
    """What may stand in a source, as far as it is known."""
    if source.spec is None:
        return OF_ACTIONS if name == ACTIONS else None
    return source.kind.standings(params) if isinstance(source.kind, Placing) else None


def _no_place(source: str, lost: Lost) -> tuple[str, str | None]:
    """What is wrong with an address, and the remedy."""
    above, said = lost.above, _text(lost.segment)
    names = list(above.fields)
    near = did_you_mean(said, names)
    facets = [name for name in names if name.startswith("@") == said.startswith("@")] or names
    there = f"there are {one_of(facets)}" if facets else None
    return f"in {source!r}, {above.what} never holds {said!r}", near or above.hint or there


def _text(segment: Segment) -> str:
    """A segment of an address as it is written."""
    if isinstance(segment, Exactly):
        return format_path((segment.segment,))
    if isinstance(segment, Glob | File):
        return "*".join(segment.parts)
    if isinstance(segment, Deep):
        return "**"
    pairs = ",".join(f"{name}={value}" for name, value in segment.pairs or ())
    return f"[{pairs or '*'}]"


def _check_values(
    place: Place,
    path: Path,
    source: Declared,
    params: SourceParams,
    there: Sequence[Standing],
    task: Gathered,
) -> None:
    """Report values of types that can never stand in this place, and texts that are none of the few that can."""
    if any(item.types is None for item in there):
        return
    types = frozenset(name for item in there for name in item.types or ())
    whole = source.kind.value_types(params)
    for inside, matcher in _sides(place):
        asked = types_of(matcher.raw)
        told = whole is not None and asked is not None and not asked & (whole | {"list", "mapping", NOTHING})
        if asked is not None and not asked & (types | {NOTHING}) and not told:
            what = f"{_whats(there)} stands there, which is never of type {one_of(sorted(asked))}"
            task.say((*path, inside), what, _hint(there, types))
        else:
            _check_texts(matcher, (*path, inside), there, task)


def _check_texts(matcher: Matcher, path: Path, there: Sequence[Standing], task: Gathered) -> None:
    values = finite(matcher.raw)
    known: set[str] = set()
    for item in there:
        if item.texts is None and "str" in (item.types or ()):
            return
        known |= item.texts or frozenset()
    if not values or not known or not all(isinstance(value, str) and value not in known for value in values):
        return
    said = [str(value) for value in values]
    types = {name for item in there for name in item.types or ()}
    truth = "bool" in types and said[0] in ("true", "false")
    hint = f"write {said[0]} without quotes" if truth else did_you_mean(said[0], known)
    what = f"{_whats(there)} is never {', '.join(map(dumps, said))}"
    task.say(path, what, hint or f"it is {one_of(sorted(known))}")


def _sides(place: Place) -> Iterator[tuple[str, Matcher]]:
    for name, attribute in (("is", "is_"), ("from", "from_"), ("to", "to")):
        matcher: object = getattr(place, attribute, None)
        if isinstance(matcher, Matcher):
            yield name, matcher


def _whats(there: Sequence[Standing]) -> str:
    return one_of(sorted({item.what for item in there}))


def _hint(there: Sequence[Standing], types: frozenset[str]) -> str:
    hints = sorted({item.hint for item in there if item.hint})
    return hints[0] if hints else f"it is {one_of(sorted(types))}"


def _check_row(place: Place, path: Path, source: Declared, there: Sequence[Standing] | None, task: Gathered) -> None:
    """Report `row` where there are no rows: nothing ever fits it. `there`: None where nothing is known of the place."""
    if not isinstance(place, Pattern) or place.row is None:
        return
    rows = getattr(type(source.kind), "row_shape", None) is not TreeKind.row_shape
    if rows and (there is None or any(item.whole or item.free for item in there)):
        return
    what = "`row` speaks of the columns of a row, and no row ever stands here"
    hint = "name the rows, such as `orders[*]`" if rows else "name the places in it, or use `to: {has: {…}}`"
    task.say((*path, "row"), what, hint, key=True)


def _check_op(rule: ChangeRule, path: Path, there: Sequence[Standing], task: Gathered) -> None:
    """Report that what is there as long as its source is never comes or goes as a whole."""
    if rule.op in ("added", "removed"):
        what = f"{_whats(there)} is always there, and is never {rule.op} as a whole"
        task.say(path, what, next((item.hint for item in there if item.hint), "write `op: modified`"))


def _check_selected(place: Place, path: Path, source: Declared, params: SourceParams, task: Gathered) -> None:
    """Report a change of what a selector works out of the state, and values that what it finds can never have."""
    kind = source.kind
    own = place.own()
    if not isinstance(kind, Deriving) or own.keys() - kind.selector.model_fields.keys():
        return  # told where it is no place at all
    try:
        selector = kind.selector.model_validate(own)
    except ValueError:
        return
    found, derives = kind.finds(selector), kind.derives(selector) if isinstance(place, Pattern) else False
    way = "field" if place.field is not None else next(iter(own))
    if derives:
        what = f"`{way}: {own[way]}` is worked out of the state, so that no change of it is ever told"
        task.say((*path, way), what, kind.derives_hint)
    elif derives is None:
        what = "of what this finds a change may be told, or none ever: that depends on what is there"
        task.warn((*path, way), "place", what, kind.derives_hint, key=True)
    if found is not None:
        _check_values(place, path, source, params, [found], task)
