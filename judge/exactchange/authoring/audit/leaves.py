"""The conditions of a task taken apart: each with the rule that it stands in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exactchange.conditions import Condition


@dataclass(frozen=True, slots=True)
class Leaf:
    """A condition inside a rule of the task, and that rule."""

    condition: Condition
    rule: Condition

    @property
    def title(self) -> str:
        return self.rule.title()


def sources_of(condition: Condition) -> frozenset[str]:
    """Names of the sources of which a condition speaks by name."""
    rules = [rule for part in condition.walk() for rule in (part.change, part.value, part.request) if rule is not None]
    return frozenset(rule.in_ for rule in rules)


def reads(condition: Condition, source: str) -> bool:
    """Whether a condition speaks of a source by name."""
    return source in sources_of(condition)


def leaves(rules: Sequence[Condition], *, whole: bool = False) -> Iterator[Leaf]:
    """Every condition of some rules that is no `any` and no `all`. `whole`: an `all` is left together."""
    for rule in rules:
        yield from _below(rule, rule, whole)


def _below(condition: Condition, rule: Condition, whole: bool) -> Iterator[Leaf]:
    parts = condition.any or (None if whole else condition.all)
    if parts is None:
        yield Leaf(condition, rule)
    for part in parts or ():
        yield from _below(part, rule, whole)
