"""The conditions of a task taken apart: each with the rule that it stands in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exactchange.conditions import Condition


@dataclass(frozen=True, slots=True)
class Leaf:
    """A condition that is no `all` or `any`, and the rule of the task that it is a part of.

    `needs`: the other conditions that hold together with it, where it stands under `all`.
    """

    condition: Condition
    rule: Condition
    needs: tuple[Condition, ...] = ()

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


def leaves(rules: Sequence[Condition]) -> Iterator[Leaf]:
    """Every condition of some rules that is no `all` or `any`."""
    for rule in rules:
        yield from _below(rule, rule, ())


def _below(condition: Condition, rule: Condition, needs: tuple[Condition, ...]) -> Iterator[Leaf]:
    if condition.any is not None:
        for part in condition.any:
            yield from _below(part, rule, needs)
    elif condition.all is not None:
        for part in condition.all:
            yield from _below(part, rule, (*needs, *(other for other in condition.all if other is not part)))
    else:
        yield Leaf(condition, rule, needs)
