"""Matching patterns against the changes of a diff, and saying what a match explains."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from exactchange.address import AddressPattern, Style, format_path, key, overlap, parse_pattern
from exactchange.conditions.evaluation import Evaluation, row_match
from exactchange.conditions.matchers import MatchContext, Matched
from exactchange.conditions.matchers.base import all_of
from exactchange.conditions.place import Pattern
from exactchange.conditions.units import Atom, Unit, atoms, below, leaf_paths, walk, whole_units
from exactchange.diff import Change, Diff
from exactchange.snapshot import Snapshot
from exactchange.values import ABSENT, Path, State, Value, dumps, same, type_name
from exactchange.verdict import Freed, NearMiss, Truth


@dataclass(frozen=True)
class Hit:
    """A unit in the right place, whether it fits the rest of the pattern, and what it binds."""

    unit: Unit
    matched: Matched

    @property
    def truth(self) -> Truth:
        return self.matched.truth


@dataclass(frozen=True)
class Explained:
    """The atoms that a match explains, and what `rest: any` freed."""

    atoms: frozenset[Atom]
    freed: tuple[Freed, ...] = ()


def hits(pattern: Pattern, evaluation: Evaluation, start: int, end: int) -> list[Hit]:
    """The units of a diff in the pattern's place, each with how it fits; in address order.

    `start`, `end`: positions of the captures in the source. Units of another `op` are left out.
    """
    evidence = evaluation.case.evidence(pattern.in_)
    before, after = evidence.captures[start], evidence.captures[end]
    address = evaluation.pattern(pattern)
    out: list[Hit] = []
    for change in evaluation.diff(pattern.in_, start, end).changes:
        if address is not None:
            units = _by_address(address, change, evaluation, before, after)
        else:
            units = _by_selector(pattern, change, evaluation, (start, end))
        out.extend(Hit(unit, _fit(pattern, unit, evaluation)) for unit in units if _right_op(pattern, unit))
    return [
        hit for hit in out if evaluation.fits_where(pattern, _where_side(hit.unit), hit.unit.change.path) is not False
    ]


def unread_there(pattern: Pattern, evaluation: Evaluation, start: int, end: int) -> tuple[str, ...]:
    """Reasons why the pattern's place could not be looked at in this diff; empty when it was read."""
    evidence = evaluation.case.evidence(pattern.in_)
    diff: Diff = evaluation.diff(pattern.in_, start, end)
    found: list[str] = []
    address = evaluation.pattern(pattern)
    for item in diff.unread:
        if address is None or not item.path or may_meet(address, item.path, evaluation, pattern.in_):
            found.append(f"{evidence.name}: {item.address or 'the whole source'} is unread: {item.reason}")
    return tuple(found)


def explained(pattern: Pattern, unit: Unit, *, where: str) -> Explained:
    """What a pattern that fits a unit explains of it.

    Of an added row: the listed columns, the identity, what the schema computes, and columns that hold NULL or their
    default; everything with `rest: any`.
    """
    if unit.change.op != "added" or not isinstance(unit.change.after, Mapping):
        return Explained(atoms(unit))
    listed = _listed(pattern)
    if unit.row is None and listed is None:
        return Explained(atoms(unit))
    free_columns = _free_columns(unit) if unit.row is not None else frozenset[str]()
    named = (listed or frozenset[str]()) | free_columns
    row = unit.change.after
    keep = [(name, value) for name, value in row.items() if name in named]
    free = [(name, value) for name, value in row.items() if name not in named]
    if pattern.rest == "any":
        freed = tuple(Freed(f"{unit.change.source}:{_below(unit, name)}", value, where) for name, value in free)
        return Explained(atoms(unit), freed)
    source = unit.change.source
    return Explained(
        frozenset((source, path, False) for n, v in keep for path in leaf_paths(v, unit.change.path + (n,)))
    )


def near_miss(pattern: Pattern, hit: Hit, evaluation: Evaluation) -> NearMiss | None:
    """Why a unit in the right place does not fit: what was wanted, what is there."""
    unit = hit.unit
    if hit.truth is True:
        return None
    for name, matcher, value in (("from", pattern.from_, unit.change.before), ("to", pattern.to, unit.change.after)):
        if matcher is not None and matcher.match(value, _context(unit, evaluation)).truth is not True:
            return NearMiss(unit.change, f"{name} {matcher.describe()}", _shown(value))
    for column, matcher in (pattern.row or {}).items():
        value = unit.side.get(key(column), ABSENT) if isinstance(unit.side, Mapping) else ABSENT
        if matcher.match(value, _cell_context(unit, column, evaluation)).truth is not True:
            return NearMiss(unit.change, f"{column}: {matcher.describe()}", f"{column}: {_shown(value)}")
    return None


def _by_address(
    address: AddressPattern, change: Change, evaluation: Evaluation, before: Snapshot, after: Snapshot
) -> Iterator[Unit]:
    evidence = evaluation.case.evidence(change.source)
    if address.deep:
        for unit in whole_units(change, evidence, before, after):
            if evaluation.matches(unit.change.path, address, change.source):
                yield unit
        return
    covered: list[Path] = []
    for unit in walk(change, evidence, before, after):
        if any(unit.change.path[: len(path)] == path for path in covered):
            continue
        if evaluation.matches(unit.change.path, address, change.source):
            covered.append(unit.change.path)
            yield unit
        elif unit.row is not None:
            yield from (u for u in below(unit, evidence) if evaluation.matches(u.change.path, address, change.source))


def _by_selector(pattern: Pattern, change: Change, evaluation: Evaluation, captures: tuple[int, int]) -> Iterator[Unit]:
    """Selectors run on the whole states: before for what was removed or modified, after for what was added."""
    evidence = evaluation.case.evidence(change.source)
    side = captures[1] if change.op == "added" else captures[0]
    chosen = [match.path for match in evaluation.nodes(pattern, evidence.captures[side], side)]
    before, after = evidence.captures[captures[0]], evidence.captures[captures[1]]
    for unit in whole_units(change, evidence, before, after):
        if any(unit.change.path[: len(path)] == path for path in chosen):
            yield unit


def _right_op(pattern: Pattern, unit: Unit) -> bool:
    return pattern.op is None or pattern.op == unit.change.op


def _where_side(unit: Unit) -> Snapshot:
    return unit.after if unit.change.op == "added" else unit.before


def _fit(pattern: Pattern, unit: Unit, evaluation: Evaluation) -> Matched:
    change = unit.change
    parts: list[Matched] = []
    if change.op == "moved" and (pattern.from_ is not None or pattern.to is not None):
        return Matched(False)  # a moved item's sides are positions, of which patterns do not speak
    if pattern.from_ is not None:
        parts.append(pattern.from_.match(change.before, _context(unit, evaluation)))
    if pattern.to is not None:
        parts.append(pattern.to.match(change.after, _context(unit, evaluation)))
    if pattern.row is not None:
        if unit.row is None:
            return Matched(False)
        parts.append(row_match(unit.side, pattern.row, lambda column: _cell_context(unit, column, evaluation)))
    if pattern.where is not None:
        parts.append(Matched(evaluation.fits_where(pattern, _where_side(unit), change.path)))
    return all_of(parts)


def _context(unit: Unit, evaluation: Evaluation) -> MatchContext:
    return evaluation.context(unit.change.source, unit.change.path)


def _cell_context(unit: Unit, column: str, evaluation: Evaluation) -> MatchContext:
    return evaluation.context(unit.change.source, unit.change.path + (key(column),))


def _listed(pattern: Pattern) -> frozenset[str] | None:
    named = pattern.to.listed if pattern.to is not None else None
    if pattern.row is None:
        return named
    return frozenset(key(name) for name in pattern.row) | (named or frozenset())


def _free_columns(unit: Unit) -> frozenset[str]:
    """Columns that need no word: identity, computed, NULL, or the schema's own default."""
    assert unit.row is not None and isinstance(unit.change.after, Mapping)
    shape = unit.row
    plain = {n for n, value in unit.change.after.items() if same(value, shape.defaults.get(n))}
    nothing = {n for n, value in unit.change.after.items() if value is None}
    return shape.identity | shape.computed | plain | nothing


def _below(unit: Unit, name: str) -> str:
    return f"{unit.change.address}.{name}"


def _shown(value: State) -> str:
    return "nothing" if value is ABSENT else f"{_short(value)} ({type_name(value)})"


def _short(value: Value) -> str:
    text = dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"


def may_meet(address: AddressPattern, path: Path, evaluation: Evaluation, source: str) -> bool:
    """Whether an unread place may hold what a pattern speaks of: it, something below it, or something above."""
    kind = evaluation.case.evidence(source).kind
    slashed = kind.style is Style.SLASHED
    text = format_path(path, style=kind.style)
    there = parse_pattern(text, slashed=slashed)
    under = parse_pattern(f"{text}.**", slashed=slashed)
    prefixes = (path[:end] for end in range(1, len(path)))
    return (
        overlap(address, there)
        or overlap(address, under)
        or any(evaluation.matches(part, address, source) for part in prefixes)
    )
