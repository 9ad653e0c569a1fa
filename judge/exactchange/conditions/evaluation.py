"""What conditions share while one case is judged: the case, source facts, and results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias

from exactchange.address import AddressPattern, Style, key, parse_pattern
from exactchange.case import Case, Evidence
from exactchange.conditions.matchers import NO, MatchContext, Matched, Matcher
from exactchange.conditions.matchers.base import all_of
from exactchange.conditions.place import Place
from exactchange.diff import Change, Diff
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.sources import Match
from exactchange.values import ABSENT, Path, State, Value
from exactchange.verdict import NearMiss, Truth

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
    """One case under judgement. Facts about sources are found once and kept."""

    case: Case
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """The task's params, which queries may bind."""
    _found: dict[tuple[str, int, str], tuple[Match, ...]] = field(
        default_factory=dict[tuple[str, int, str], tuple[Match, ...]]
    )
    _largest: dict[tuple[str, str, str], int | None] = field(default_factory=dict[tuple[str, str, str], int | None])

    def context(self, source: str | None = None, path: Path = ()) -> MatchContext:
        """What matchers may know of a value at this place."""
        largest: Callable[[], int | None] | None = None
        if source is not None and len(path) >= 2 and isinstance(path[-1], str):
            table, column = str(path[0]), path[-1]
            largest = partial(self._largest_before, source, table, column)
        return MatchContext(self.case.started_ns, self.case.ended_ns, largest)

    def pattern(self, place: Place) -> AddressPattern | None:
        """The place as an address pattern; None when only the kind's own selector can find it."""
        slashed = self.case.evidence(place.in_).kind.style is Style.SLASHED
        if place.table is not None:
            column = "" if place.column is None else f'["{_escaped(place.column)}"]'
            return parse_pattern(f'["{_escaped(place.table)}"][*]{column}')
        if place.at is not None:
            return parse_pattern(place.at, slashed=slashed)
        return None if place.own() else parse_pattern("")

    def matches(self, path: Path, pattern: AddressPattern, source: str) -> bool:
        """Whether a path of this source fits an address pattern."""
        return pattern.matches(path, slashed=self.case.evidence(source).kind.style is Style.SLASHED)

    def nodes(self, place: Place, snapshot: Snapshot, position: int) -> tuple[Match, ...]:
        """Every node of a capture that a place stands for, `where` applied. `position`: the capture's in its source."""
        spot = (place.in_, position, place.model_dump_json(include=set(_PLACE), exclude_none=True, by_alias=True))
        if spot not in self._found:
            self._found[spot] = tuple(self._nodes(place, self.case.evidence(place.in_), snapshot))
        return self._found[spot]

    def fits_where(self, place: Place, snapshot: Snapshot, path: Path) -> Truth:
        """Whether the row that a path lies in has the columns that `where` asks for."""
        if place.where is None:
            return True
        if unread_whole(snapshot):
            return None
        row = self.case.evidence(place.in_).kind.row_at(snapshot, path[:2])
        if row is None:
            return False
        return fits_row(row, place.where, self.context(place.in_, path))

    def diff(self, source: str, start: int, end: int) -> Diff:
        """All changes between two captures of a source."""
        return self.case.diff(source, start, end)

    def _nodes(self, place: Place, evidence: Evidence, snapshot: Snapshot) -> list[Match]:
        if unread_whole(snapshot):
            return []
        budget = CountedBudget()
        pattern = self.pattern(place)
        if pattern is None:
            selector = evidence.kind.selector.model_validate(place.own())
            return list(evidence.kind.select(snapshot, selector, budget=budget))
        found = evidence.kind.find(snapshot, pattern, budget=budget)
        return [match for match in found if self.fits_where(place, snapshot, match.path) is True]

    def _largest_before(self, source: str, table: str, column: str) -> int | None:
        spot = (source, table, column)
        if spot not in self._largest:
            evidence = self.case.evidence(source)
            assert not unread_whole(evidence.captures[0])  # else there would be no diff to ask about
            pattern = parse_pattern(f'["{_escaped(table)}"][*]["{_escaped(column)}"]')
            found = evidence.kind.find(evidence.captures[0], pattern, budget=CountedBudget())
            numbers = [m.value for m in found if isinstance(m.value, int) and not isinstance(m.value, bool)]
            self._largest[spot] = max(numbers, default=None)
        return self._largest[spot]


def fits_row(row: Mapping[str, Value], wanted: Mapping[str, Matcher], context: MatchContext) -> Truth:
    """Kleene's and over the columns of a row."""
    return row_match(row, wanted, lambda column: context).truth


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


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


_PLACE = ("in_", "at", "table", "where", "column", "css", "role", "name", "label", "testid", "field", "tab")
