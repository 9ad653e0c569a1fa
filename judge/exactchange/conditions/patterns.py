"""Matching patterns against the changes of a diff, and saying what a match explains."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from exactchange.address import AddressPattern, key, overlap, pattern_below
from exactchange.conditions.aliases import Aliases
from exactchange.conditions.derived import untold
from exactchange.conditions.evaluation import Evaluation, columns_match, never_there
from exactchange.conditions.keyless import maybe_modified
from exactchange.conditions.matchers import NO, MatchContext, Matched
from exactchange.conditions.matchers.base import UNKNOWN, all_of
from exactchange.conditions.matchers.tests import Equal
from exactchange.conditions.meeting import may_meet
from exactchange.conditions.place import Pattern
from exactchange.conditions.reach import asked_for
from exactchange.conditions.units import Atom, Sides, Unit, atoms, below, leaf_paths, sides, whole_unit, whole_units
from exactchange.snapshot import Snapshot, Unread
from exactchange.values import ABSENT, Path, State, same
from exactchange.verdict import Freed, Truth


class Same:
    """An object as a key: itself, whatever is equal to it, and kept alive so that no other takes its place."""

    __slots__ = ("_it",)

    def __init__(self, it: object) -> None:
        self._it = it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other._it is self._it

    def __hash__(self) -> int:
        return id(self._it)


@dataclass(frozen=True, slots=True)
class Hit:
    """A unit in the right place, whether it fits the rest of the pattern, and what it binds.

    `more`: other units that came or went together with it, in one place that the pattern names. `why`: why it cannot be
    told, where that needs a word.
    """

    unit: Unit
    matched: Matched
    more: tuple[Unit, ...] = ()
    why: str = ""

    @property
    def units(self) -> tuple[Unit, ...]:
        """All of its units."""
        return (self.unit, *self.more)

    @property
    def truth(self) -> Truth:
        return self.matched.truth


@dataclass(frozen=True, slots=True)
class Explained:
    """The atoms that a match explains, and what `rest: any` freed."""

    atoms: frozenset[Atom]
    freed: tuple[Freed, ...] = ()


def hits(pattern: Pattern, evaluation: Evaluation, start: int, end: int) -> Sequence[Hit]:
    """The units of a diff in the pattern's place, each with how it fits; in address order.

    `start`, `end`: positions of the captures in the source. Units of another `op` are left out.
    """
    what = ("hits", Same(pattern), evaluation.ends)

    def find() -> Sequence[Hit]:
        return evaluation.case.remembered(pattern.in_, start, end, what, lambda: _hits(pattern, evaluation, start, end))

    return evaluation.kept((*what, start, end), find)


def unread_there(pattern: Pattern, evaluation: Evaluation, start: int, end: int) -> tuple[str, ...]:
    """Reasons why the pattern's place could not be looked at in this diff; empty when it was read."""
    if not evaluation.prefix and never_there(evaluation.case.evidence(pattern.in_)):
        return (f"{pattern.in_}: it was never there: is its path misspelt? (`missing: ok` if not)",)
    address = evaluation.pattern(pattern)
    unread = evaluation.diff(pattern.in_, start, end).unread
    hidden = (said(pattern.in_, item) for item in unread if may_meet(address, item.path, evaluation, pattern.in_))
    return (*hidden, *untold(pattern, evaluation, start, end))


def said(source: str, item: Unread) -> str:
    """An unread part for people."""
    return f"{source}: {item.address or 'the whole source'} is unread: {item.reason}"


def explained(pattern: Pattern, unit: Unit, *, where: str, evaluation: Evaluation) -> Explained:
    """What a pattern that fits a unit explains of it.

    Of an added row: the listed columns, the identity, what the schema computes, and columns that hold NULL or their
    default; of a mapping that `has:` fits: the listed keys; everything with `rest: any`.
    """
    change = unit.change
    everything = atoms(unit)
    asked = _asked(pattern, unit, evaluation)
    if asked is None:
        return Explained(everything)
    account = unit.sides.account
    came = frozenset((account, path, False) for path in leaf_paths(change.after, change.path))
    kept = frozenset((account, path, False) for path in asked)
    if pattern.rest == "any":
        return Explained(everything, tuple(_freed(unit, came - kept, where)))
    return Explained(everything - came | kept)


def _hits(pattern: Pattern, evaluation: Evaluation, start: int, end: int) -> Sequence[Hit]:
    between = sides(evaluation.case.evidence(pattern.in_), start, end)
    address = evaluation.pattern(pattern)
    chosen = {side: _chosen(pattern, evaluation, side) for side in (start, end)} if address is None else {}
    slashed = evaluation.slashed(pattern.in_)
    fits = None if address is None else _Fits(address, between, slashed=slashed, covering=not pattern.tests_values)
    out: list[Hit] = []
    changed = [whole_unit(change, between) for change in evaluation.diff(pattern.in_, start, end).changes]
    for unit in changed:
        if fits is not None:
            units = _by_address(fits, unit)
        else:
            units = _by_selector(chosen[end if unit.change.op == "added" else start], unit)
        out.extend(Hit(unit, _fit(pattern, unit, evaluation)) for unit in units if _right_op(pattern, unit))
    found = [hit for hit in out if _fits_where(pattern, hit.unit, evaluation) is not False]
    if fits is None:
        return found
    doubtful = maybe_modified(pattern, changed, lambda cell: any(_by_address(fits, cell)), evaluation)
    return [*found, *(Hit(item.cell, UNKNOWN, item.rows, item.why) for item in doubtful)]


class _Fits:
    """Whether an address stands for a unit, by the path of its change or as one side alone spells it."""

    def __init__(self, address: AddressPattern, between: Sides, *, slashed: bool, covering: bool) -> None:
        self.deep = address.deep
        self._covering = covering
        self._address = address
        self._slashed = slashed
        named = between.evidence.params.key
        self._aliases = Aliases(between.before, between.after, named=named) if address.by_key else None

    def __call__(self, unit: Unit) -> bool:
        return any(self._address.matches(path, slashed=self._slashed) for path in self._spellings(unit))

    def around(self, unit: Unit) -> bool:
        """Whether the address stands for something that the unit lies in, and speaks of no value there."""
        return self._covering and any(
            self._address.covers(path, slashed=self._slashed) for path in self._spellings(unit)
        )

    def inside(self, unit: Unit) -> bool:
        """Whether the address may stand for the unit or something in it (errs on the side of yes)."""
        paths = self._spellings(unit)
        return any(overlap(self._address, pattern_below(path, slashed=self._slashed)) for path in paths)

    def _spellings(self, unit: Unit) -> Iterator[Path]:
        yield unit.change.path
        if self._aliases is not None:
            yield from self._aliases.of(unit.change.path)


def _by_address(fits: _Fits, unit: Unit) -> Iterator[Unit]:
    """The topmost nodes of a change that an address stands for; else the rows and leaves of a change inside of one.

    An address that ends in any depth stands for the rows and leaves themselves.
    """
    if fits.deep:
        for part in whole_units(unit.change, unit.sides) if fits.inside(unit) else ():
            if fits(part):
                yield part
            elif part.row is not None:
                yield from (cell for cell in below(part) if fits(cell))
        return
    if fits.around(unit):
        yield from whole_units(unit.change, unit.sides)
        return
    stack = [unit]
    while stack:
        part = stack.pop()
        if fits(part):
            yield part
        elif fits.inside(part):
            stack.extend(reversed(below(part)))


def _chosen(pattern: Pattern, evaluation: Evaluation, side: int) -> Collection[Path]:
    return {match.path for match in evaluation.nodes(pattern, side)}


def _by_selector(chosen: Collection[Path], unit: Unit) -> Iterator[Unit]:
    """Selectors run on the whole states: before for what was removed or modified, after for what was added."""
    for part in whole_units(unit.change, unit.sides):
        path = part.change.path
        if any(path[:end] in chosen for end in range(len(path) + 1)):
            yield part


def _right_op(pattern: Pattern, unit: Unit) -> bool:
    return pattern.op is None or pattern.op == unit.change.op


def _where_side(unit: Unit) -> Snapshot:
    return unit.sides.after if unit.change.op == "added" else unit.sides.before


def _fits_where(pattern: Pattern, unit: Unit, evaluation: Evaluation) -> Truth:
    return evaluation.fits_where(pattern, _where_side(unit), unit.change.path)


def _fit(pattern: Pattern, unit: Unit, evaluation: Evaluation) -> Matched:
    change = unit.change
    if change.op == "moved" and (pattern.from_ is not None or pattern.to is not None):
        return NO  # a moved item's sides are positions, of which patterns do not speak
    if pattern.row is not None and unit.row is None:
        return NO
    parts: list[Matched] = []
    if pattern.from_ is not None:
        parts.append(pattern.from_.match(change.before, context_of(unit, evaluation)))
    if pattern.to is not None:
        parts.append(pattern.to.match(change.after, context_of(unit, evaluation)))
    if pattern.row is not None:
        parts.append(columns_match(unit.side, pattern.row, lambda column: cell_context(unit, column, evaluation)))
    if pattern.where is not None:
        parts.append(Matched(_fits_where(pattern, unit, evaluation)))
    return _agreed(all_of(parts))


def _agreed(found: Matched) -> Matched:
    """One name that a unit would have to bind to two values fits nothing."""
    bound: dict[str, State] = {}
    for name, value in found.bindings:
        if not same(bound.setdefault(name, value), value):
            return NO
    return found


def _asked(pattern: Pattern, unit: Unit, evaluation: Evaluation) -> frozenset[Path] | None:
    """The leaves of the new value that a pattern speaks of, with those that need no word; None for all."""
    change = unit.change
    if change.after is ABSENT or change.op == "moved":
        return None
    by_to = (
        None if pattern.to is None else asked_for(pattern.to, change.after, change.path, context_of(unit, evaluation))
    )
    if unit.row is None or change.op != "added" or not isinstance(change.after, Mapping):
        return by_to
    if pattern.to is not None and any(isinstance(test, Equal) for test in pattern.to.tests):
        return None
    named = {key(name) for name in pattern.row or ()} | _wordless(unit)
    columns = {
        path for name in named & change.after.keys() for path in leaf_paths(change.after[name], (*change.path, name))
    }
    return frozenset(columns | (by_to or frozenset()))


def _wordless(unit: Unit) -> frozenset[str]:
    """Columns that need no word: identity, computed, NULL, or the schema's own default."""
    assert unit.row is not None and isinstance(unit.change.after, Mapping)
    shape = unit.row
    plain = {n for n, value in unit.change.after.items() if value is None or same(value, shape.defaults.get(n))}
    return shape.identity | shape.computed | plain


def _freed(unit: Unit, leaves: Collection[Atom], where: str) -> Iterator[Freed]:
    """What `rest: any` frees: columns of a row, leaves of a mapping, by address."""
    stack = [unit]
    while stack:
        part = stack.pop()
        account, path, _ = part.spot
        parts = reversed(below(part)) if part.change.op == "added" or part is unit else ()
        stack.extend(parts)
        if (account, path, False) in leaves and part.change.after is not ABSENT:
            yield Freed(f"{part.change.source}:{part.change.address}", part.change.after, where)


def context_of(unit: Unit, evaluation: Evaluation) -> MatchContext:
    """What a matcher may know at the place of a unit."""
    return evaluation.context(unit.change.source, unit.change.path)


def cell_context(unit: Unit, column: str, evaluation: Evaluation) -> MatchContext:
    """What a matcher may know at a column of a row."""
    return evaluation.context(unit.change.source, unit.change.path + (key(column),))
