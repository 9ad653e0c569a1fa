"""Checks what a kind says of its own places: a task is refused by it before anything runs."""

from exactchange.address import Style, parse_pattern
from exactchange.limits import CountedBudget
from exactchange.sources.standing import Placing, misplaced
from exactchange.testing.bench import Bench


def check_places(bench: Bench) -> None:
    """Every node of a snapshot stands in a place that the kind says it has, and is of a type that it says stands there.

    Of a kind that says nothing of its places nothing is checked. Give it a state that holds as much as there can be.
    """
    if not isinstance(bench.kind, Placing):
        return
    standings = bench.kind.standings(bench.params)
    slashed = bench.kind.style is Style.SLASHED
    found = bench.kind.find(bench.capture(), parse_pattern("**", slashed=slashed), budget=CountedBudget())
    for match in found:
        why = misplaced(match.path, match.value, standings, slashed=slashed)
        assert why is None, f"{match.address!r} is in a snapshot, and by the standings of the kind {why}"
