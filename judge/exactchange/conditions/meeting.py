"""Whether what is unread may hold what a rule speaks of."""

from exactchange.address import AddressPattern, overlap, pattern_below
from exactchange.conditions.evaluation import Evaluation
from exactchange.sources.selecting import Selecting
from exactchange.values import Path


def may_meet(address: AddressPattern | None, path: Path, evaluation: Evaluation, source: str) -> bool:
    """Whether an unread place may hold what a pattern speaks of: it, something below it, or something above.

    Without an address, a selector may find something wherever those of the source look.
    """
    if address is None:
        kind = evaluation.case.evidence(source).kind
        return not (isinstance(kind, Selecting) and kind.beyond_selectors(path))
    slashed = evaluation.slashed(source)
    prefixes = (path[:end] for end in range(1, len(path)))
    return overlap(address, pattern_below(path, slashed=slashed)) or any(
        address.matches(part, slashed=slashed) for part in prefixes
    )
