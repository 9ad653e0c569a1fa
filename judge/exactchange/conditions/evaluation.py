"""What conditions share while one case is judged: the case, source facts, and results."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Literal, TypeAlias, TypeVar, cast

from exactchange.address import AddressPattern, Style, column_pattern, key, parse_pattern, table_pattern
from exactchange.address.walk import nodes
from exactchange.case import Case, Evidence
from exactchange.conditions.aliases import Aliases
from exactchange.conditions.matchers import NO, MatchContext, Matched, Matcher
from exactchange.conditions.matchers.base import UNKNOWN, all_of
from exactchange.conditions.matchers.parse import WITHIN_EPISODE
from exactchange.conditions.moments import Moment, of_capture
from exactchange.conditions.place import Allowed, Place
from exactchange.diff import Change, Diff
from exactchange.errors import OverBudget
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, TreeSnapshot, unread_whole
from exactchange.sources import Match
from exactchange.values import ABSENT, Path, State, Value
from exactchange.values.locales import figures_of
from exactchange.verdict import NearMiss, Truth

T = TypeVar("T")
Tier: TypeAlias = Literal["given", "veto", "must", "bonus"]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one condition: its truth, one sentence why, evidence, and near misses."""

    truth: Truth
    why: str
    evidence: tuple[Mapping[str, Value], ...] = ()
    near: tuple[NearMiss, ...] = ()


@dataclass(frozen=True)
class Evaluation:
    """One case under judgement. Facts about sources are found once and kept.

    `arguments`: the task's params, which queries may bind. `ends`: whether nothing follows; else only that holds which
    will hold whatever follows. `prefix`: whether the case is the beginning of one that was judged, so that a place in
    which nothing stands yet is not taken for a misspelt one. `tolerated`: what the task ignores or allows; `ignored`:
    what it ignores.
    """

    case: Case
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    ends: bool = True
    prefix: bool = False
    tolerated: Sequence[Allowed] = ()
    ignored: Sequence[Allowed] = ()
    _kept: dict[object, object] = field(default_factory=dict[object, object])

    def kept(self, key: object, find: Callable[[], T]) -> T:
        """What `find` gives, found once for this case. The key tells what it is."""
        if key not in self._kept:
            self._kept[key] = find()
        return cast("T", self._kept[key])

    def seen_throughout(self, source: str) -> bool:
        """Whether a source was read after every step, so that it held nothing in between that nobody saw."""
        return source not in self.case.sources or self.case.watched_every_step(source)

    def gaps(self, source: str) -> tuple[Moment, ...]:
        """When a source may have held something that nobody saw: between captures with several steps in between."""
        if source not in self.case.sources:
            return ()
        steps = self.case.evidence(source).steps
        return tuple(of_capture(since, step) for since, step in pairwise(steps) if step > since + 1)

    def unfinished(self) -> "Evaluation":
        """The same case, of which only that holds which will hold whatever else comes to light."""
        return self.kept("unfinished", lambda: replace(self, ends=False, _kept={}))

    def context(self, source: str | None = None, path: Path = ()) -> MatchContext:
        """What matchers may know of a value at this place."""
        largest: Callable[[], int | None] | None = None
        if source is not None and len(path) >= 2 and isinstance(path[-1], str):
            largest = partial(self._largest_before, source, path)
        ended_ns, ends = self._end
        locale = None if source is None else self.case.evidence(source).params.locale
        figures = () if locale is None else figures_of(locale)
        return MatchContext(self.case.started_ns, ended_ns, largest, ends, figures)

    def pattern(self, place: Place) -> AddressPattern | None:
        """The place as an address pattern; None when only the kind's own selector can find it."""
        if place.table is not None:
            return table_pattern(place.table, place.column)
        if place.at is not None:
            return parse_pattern(place.at, slashed=self.slashed(place.in_))
        return None if place.own() else parse_pattern("")

    def slashed(self, source: str) -> bool:
        """Whether addresses of this source begin with a file's path."""
        return self.case.evidence(source).kind.style is Style.SLASHED

    def nodes(self, place: Place, position: int) -> tuple[Match, ...]:
        """Every node of a capture that a place stands for, `where` applied. `position`: the capture's in its source.

        Raises OverBudget where that cannot be told.
        """
        where = place.model_dump_json(include=set(_PLACE), exclude_none=True, by_alias=True)
        # Of what is within the episode more becomes known while it goes on.
        now = self._end if WITHIN_EPISODE in where else None
        return self.case.found(
            place.in_, position, ("nodes", where, now), lambda taken: tuple(self._nodes(place, taken))
        )

    def fits_where(self, place: Place, snapshot: Snapshot, path: Path) -> Truth:
        """Whether the row that a path lies in has the columns that `where` asks for. The snapshot was read."""
        if place.where is None:
            return True
        try:
            row = self.case.evidence(place.in_).kind.row_at(snapshot, path[:2])
        except OverBudget:
            return None
        return False if row is None else fits_row(row, place.where, self.context(place.in_, path))

    def diff(self, source: str, start: int, end: int) -> Diff:
        """All changes between two captures of a source."""
        return self.case.diff(source, start, end)

    @property
    def _end(self) -> tuple[int, bool]:
        """How far the episode has come, in ns since 1970, and whether that is its end. A moved clock tells neither."""
        moved = any(note.kind == "clock" for note in self.case.notes)
        return (self.case.started_ns, False) if moved else (self.case.ended_ns, self.ends)

    def _nodes(self, place: Place, snapshot: Snapshot) -> list[Match]:
        if unread_whole(snapshot):
            return []
        evidence = self.case.evidence(place.in_)
        budget = CountedBudget()
        pattern = self.pattern(place)
        if pattern is None:
            selector = evidence.kind.selector.model_validate(place.own())
            return list(evidence.kind.select(snapshot, selector, budget=budget))
        found = evidence.kind.find(snapshot, pattern, budget=budget)
        if pattern.by_key and isinstance(snapshot, TreeSnapshot):
            found = [*found, *_renamed(pattern, snapshot, evidence, {match.path for match in found})]
        meant = [(match, self.fits_where(place, snapshot, match.path)) for match in found]
        doubtful = [match.address for match, truth in meant if truth is None]
        if doubtful:
            raise OverBudget(f"whether `where` means {doubtful[0]} cannot be told")
        return [match for match, truth in meant if truth]

    def _largest_before(self, source: str, path: Path) -> int | None:
        """The largest number at the start in the same column of all rows. Raises OverBudget where that is unread."""
        kind = self.case.evidence(source).kind
        pattern = column_pattern(path[0], path[-1])

        def largest(start: Snapshot) -> int | None:
            assert not unread_whole(start)  # else there would be no diff to ask about
            found = kind.find(start, pattern, budget=CountedBudget())
            numbers = [m.value for m in found if isinstance(m.value, int) and not isinstance(m.value, bool)]
            return max(numbers, default=None)

        return self.case.found(source, 0, ("largest", path[0], path[-1]), largest)


def _renamed(
    pattern: AddressPattern, snapshot: TreeSnapshot, evidence: Evidence, known: Collection[Path]
) -> Iterator[Match]:
    """What a pattern means by a key that items have, although their list goes by another one, or by position."""
    kind, slashed = evidence.kind, evidence.kind.style is Style.SLASHED
    names = Aliases(snapshot, named=evidence.params.key, every=True)
    for path, value in nodes(snapshot.tree):
        if path not in known and any(pattern.matches(other, slashed=slashed) for other in names.of(path)):
            address, _ = kind.describe(path, before=snapshot, after=snapshot)
            yield Match(path, address, value)


def never_there(evidence: Evidence) -> bool:
    """Whether a source is absent in every capture: its path is rather misspelt, unless the task says `missing: ok`."""
    captures = evidence.captures
    return evidence.params.missing != "ok" and bool(captures) and all(map(_absent, captures))


def _absent(snapshot: Snapshot) -> bool:
    """Whether a source is known not to be there."""
    if isinstance(snapshot, TreeSnapshot):
        return snapshot.tree is ABSENT and not snapshot.unread
    return getattr(snapshot, "absent", False) is True  # of kinds whose snapshot is an image


def fits_row(row: Mapping[str, Value], wanted: Mapping[str, Matcher], context: MatchContext) -> Truth:
    """Kleene's and over the columns of a row."""
    return columns_match(row, wanted, lambda column: context).truth


def columns_match(row: State, wanted: Mapping[str, Matcher], context: Callable[[str], MatchContext]) -> Matched:
    """Whether the columns of a row fit; of one that the row has not, nobody can tell that it is not something."""
    found = row_match(row, wanted, context)
    if found.truth is not True or not isinstance(row, Mapping):
        return found
    lacking = any(key(name) not in row and not matcher.about_absence for name, matcher in wanted.items())
    return UNKNOWN if lacking else found


def row_match(row: State, wanted: Mapping[str, Matcher], context: Callable[[str], MatchContext]) -> Matched:
    """Whether the columns of a row fit, each with its own context, and what they bind."""
    if not isinstance(row, Mapping):
        return NO
    return all_of([m.match(row.get(key(name), ABSENT), context(name)) for name, m in wanted.items()])


def change_evidence(change: Change, step: int | None) -> Mapping[str, Value]:
    """A change as an item of evidence; what is absent on a side is left out."""
    item: dict[str, Value] = {"kind": "change", "source": change.source, "op": change.op, "address": change.address}
    item |= {name: side for name, side in (("before", change.before), ("after", change.after)) if side is not ABSENT}
    return item if step is None else item | {"step": step}


_PLACE = ("in_", "at", "table", "where", "column", "css", "role", "name", "label", "testid", "text", "field", "tab")
