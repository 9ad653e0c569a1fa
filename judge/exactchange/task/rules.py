"""Every rule of a task with its place: what the checks and the loader walk over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel

from exactchange.conditions import Condition, Matcher, Place
from exactchange.conditions.request import RequestRule
from exactchange.task.params import HOLES, PATTERNS, TIERS
from exactchange.values import Path, Value

_LISTS = ("order", "all", "any")
_EVENTS = ("change", "action", "request", "sql")


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition of a task, or one inside it. `inside`: what it stands in, outermost first: `any`, `not`, …"""

    tier: str
    path: Path
    condition: Condition
    inside: tuple[str, ...] = ()

    @property
    def needs_moment(self) -> bool:
        """Whether it is asked when it was met: in `order` or `unless_after`, by itself or under `any`."""
        return next((kind for kind in reversed(self.inside) if kind != "any"), "") in ("order", "unless_after")

    @property
    def explains(self) -> bool:
        """Whether the changes that it finds count as asked for: in a must, by itself or under `all` and `any`."""
        change = self.condition.change
        asked = change is not None and change.when != "ever" and change.unless_after is None
        return asked and self.tier == "must" and not set(self.inside) - {"all", "any"}


@dataclass(frozen=True, slots=True)
class Spoken:
    """A part of a rule or pattern that speaks of a source, and its path."""

    path: Path
    part: Place | RequestRule


def rules(tier: str, condition: Condition, path: Path, inside: tuple[str, ...] = ()) -> Iterator[Rule]:
    """The condition at a path and all inside it."""
    yield Rule(tier, path, condition, inside)
    for kind in _LISTS:
        for number, part in enumerate(getattr(condition, kind) or ()):
            yield from rules(tier, part, (*path, kind, number), (*inside, kind))
    if condition.not_ is not None:
        yield from rules(tier, condition.not_, (*path, "not"), (*inside, "not"))
    for kind in _EVENTS:
        rule = getattr(condition, kind, None)
        if rule is not None and rule.unless_after is not None:
            yield from rules(tier, rule.unless_after, (*path, kind, "unless_after"), (*inside, "unless_after"))


def raw_conditions(raw: Value, path: Path) -> Iterator[tuple[Path, Mapping[str, Value]]]:
    """The same walk over conditions that were not checked yet: whatever is a mapping where a condition may stand."""
    if not isinstance(raw, Mapping):
        return
    yield path, raw
    for kind in _LISTS:
        parts = raw.get(kind)
        for number, part in enumerate(parts if isinstance(parts, list) else ()):
            yield from raw_conditions(part, (*path, kind, number))
    yield from raw_conditions(raw.get("not"), (*path, "not"))
    for kind in _EVENTS:
        body = raw.get(kind)
        if isinstance(body, Mapping):
            yield from raw_conditions(body.get("unless_after"), (*path, kind, "unless_after"))


def raw_places(data: Mapping[str, Value]) -> Iterator[tuple[Path, Mapping[str, Value]]]:
    """The mappings of a task's data, checked or not, that say a place in a source."""
    for tier in TIERS:
        items = data.get(tier)
        for number, raw in enumerate(items if isinstance(items, list) else ()):
            for path, condition in raw_conditions(raw, (tier, number)):
                for kind in ("change", "value", "request"):
                    body = condition.get(kind)
                    if isinstance(body, Mapping):
                        yield (*path, kind), body
    for name in (*PATTERNS, HOLES):
        items = data.get(name)
        for number, body in enumerate(items if isinstance(items, list) else ()):
            if isinstance(body, Mapping):
                yield (name, number), body


def spoken(rule: Rule) -> Iterator[Spoken]:
    """The part of a rule that speaks of a source; what stands inside it is a rule of its own."""
    for kind in ("change", "value", "request"):
        part: Place | RequestRule | None = getattr(rule.condition, kind)
        if part is not None:
            yield Spoken((*rule.path, kind), part)


def matchers(part: BaseModel) -> Iterator[tuple[Path, Matcher]]:
    """The matchers that are fields of a rule or pattern, by their path in it."""
    for name, info in type(part).model_fields.items():
        body: object = getattr(part, name)
        key = info.alias or name
        if isinstance(body, Matcher):
            yield (key,), body
        elif isinstance(body, Mapping):
            columns = cast("Mapping[str, object]", body)
            yield from (((key, column), item) for column, item in columns.items() if isinstance(item, Matcher))
