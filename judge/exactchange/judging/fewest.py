"""Of the ways to give the musts as much as they can get, the one that leaves the fewest changes unexplained."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from exactchange.conditions import Atom, Hit, explained
from exactchange.errors import OverBudget
from exactchange.judging.account import Books
from exactchange.judging.assign import Assignment, Demand, agreeing, bindings, matching
from exactchange.judging.sharing import MOST_STEPS, Cost, Offer, Taker, share
from exactchange.limits import CountedBudget


def better(demands: Sequence[Demand], first: Assignment, books: Books) -> Assignment:
    """The best assignment that gives no less than the first one. `untried`: finding it was too much to try."""
    return _Refining(demands, books).better(first)


@dataclass(frozen=True)
class _Refining:
    """What is known of the demands of one way to choose among the musts, against the books of the episode."""

    demands: Sequence[Demand]
    books: Books

    @cached_property
    def atoms(self) -> Sequence[Sequence[frozenset[Atom]]]:
        """What each demand would explain, were it given each of its hits."""
        return [[self._of(demand, hit) for hit in demand.hits] for demand in self.demands]

    def _of(self, demand: Demand, hit: Hit) -> frozenset[Atom]:
        parts = (
            explained(demand.rule, unit, where=demand.where, evaluation=self.books.evaluation).atoms
            for unit in hit.units
        )
        return frozenset[Atom]().union(*parts)

    def better(self, first: Assignment) -> Assignment:
        every = sum(len(demand.hits) for demand in self.demands)
        if first.exhausted or first.total() == every or not self._may_be_better(first):
            return first
        budget = CountedBudget(max_nodes=MOST_STEPS)
        best: tuple[Cost, Assignment] | None = None
        enough = (first.missing(self.demands), first.total())
        try:
            for names in self._equal(enough, budget):
                found = self._shared(names, budget)
                best = found if best is None or found[0] < best[0] else best
        except OverBudget:
            return replace(first if best is None else best[1], untried=True)
        return first if best is None else best[1]

    def _may_be_better(self, first: Assignment) -> bool:
        """Whether something is left over that a must or an `allow` might have taken, were others given other things."""
        given = [{hit.unit.spot for hit in hits} for hits in first.given]
        pairs = [
            (hit.unit.spot in given[number], atoms)
            for number, demand in enumerate(self.demands)
            for hit, atoms in zip(demand.hits, self.atoms[number], strict=True)
        ]
        taken = frozenset[Atom]().union(*(atoms for mine, atoms in pairs if mine))
        left = self.books.left_over(taken)
        return not all(left.isdisjoint(atoms) for atoms in (*(atoms for _, atoms in pairs), self.books.contested))

    def _equal(self, enough: tuple[int, int], budget: CountedBudget) -> Iterator[Mapping[str, bytes]]:
        """The values for the names of `same:` with which the musts get as much as they can."""
        for names in bindings(self.demands):
            budget.spend(nodes=1 + sum(len(demand.hits) for demand in self.demands))
            found = matching(self.demands, names)
            if (found.missing(self.demands), found.total()) == enough:
                yield names

    def _shared(self, names: Mapping[str, bytes], budget: CountedBudget) -> tuple[Cost, Assignment]:
        musts = [Taker(demand.room, demand.fewest, asked=True) for demand in self.demands]
        usable = [
            (number, hit, atoms)
            for number, demand in enumerate(self.demands)
            for hit, atoms in zip(demand.hits, self.atoms[number], strict=True)
            if agreeing(hit, names)
        ]
        offers = [Offer(number, atoms, hit.unit.spot) for number, hit, atoms in usable]
        offers += [Offer(len(musts) + number, atoms) for number, _, atoms in self.books.bounded]
        found = share([*musts, *self.books.takers()], offers, self.books.to_settle(), budget=budget)
        given = tuple(
            tuple(hit for n, (owner, hit, _) in enumerate(usable) if owner == number and n in found.taken)
            for number in range(len(musts))
        )
        return found.cost, Assignment(given, names=names)
