"""What a matcher asks for of a value that fits: all of it, or only the keys that it names."""

from collections.abc import Sequence

from exactchange.address.walk import children
from exactchange.conditions.matchers import MatchContext, Matcher
from exactchange.conditions.matchers.base import Test
from exactchange.conditions.matchers.tests import Has, Items, OneOf
from exactchange.conditions.units import leaf_paths
from exactchange.values import Path, Value


def asked_for(matcher: Matcher, value: Value, path: Path, context: MatchContext) -> frozenset[Path] | None:
    """The leaves of a value that a fitting matcher speaks of, by path; None for all of them.

    `has:` speaks of the keys that it lists, also deep inside; of what several tests say together, all must speak.
    """
    out: frozenset[Path] | None = None
    for test in matcher.tests:
        found = _of_test(test, value, path, context)
        if found is not None:
            out = found if out is None else out & found
    return out


def _of_test(test: Test, value: Value, path: Path, context: MatchContext) -> frozenset[Path] | None:
    if isinstance(test, OneOf):
        fitting = (choice for choice in test.choices if choice.match(value, context).truth)
        first = next(fitting, None)
        return None if first is None else asked_for(first, value, path, context)
    parts = dict(children(value))
    if isinstance(test, Has):
        named: Sequence[tuple[str | int, Matcher, Value]] = [
            (name, matcher, parts[name]) for name, matcher in test.wanted.items() if name in parts
        ]
    elif isinstance(test, Items):
        named = [(name, m, item) for (name, item), m in zip(parts.items(), test.wanted, strict=True)]
    else:
        return None
    out: set[Path] = set()
    for name, matcher, item in named:
        below = (*path, name)
        found = asked_for(matcher, item, below, context)
        out |= set(leaf_paths(item, below)) if found is None else found
    return frozenset(out)
