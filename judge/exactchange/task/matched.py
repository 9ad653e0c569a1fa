"""Finds matchers that no value can fit, values that a place never holds, and comparisons that let too much through."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel

from exactchange.conditions import Matcher, Pattern, Place, ValueRule
from exactchange.conditions.matchers.text import readable
from exactchange.task.declared import Declared
from exactchange.task.fitting import alone, impossible, types_of
from exactchange.task.gather import Gathered
from exactchange.task.held import types_at
from exactchange.task.mistakes import inner_matchers
from exactchange.task.problem import one_of
from exactchange.task.rules import Rule, matchers
from exactchange.values import ABSENT, Path, Value, dumps, same

_PARTS = ("change", "value", "action", "request")
_CONTAINERS = frozenset({"mapping", "list", "absent"})
_ADDRESSES = ("@url", "@loaded")


def check_matchers(
    rules: Sequence[Rule],
    patterns: Sequence[tuple[Path, Pattern]],
    declared: Mapping[str, Declared | None],
    task: Gathered,
) -> None:
    """Report and warn of what is wrong with the matchers of rules and patterns that are well formed."""
    parts: list[tuple[Path, BaseModel]] = list(patterns)
    for rule in rules:
        found: list[tuple[str, BaseModel | None]] = [(kind, getattr(rule.condition, kind)) for kind in _PARTS]
        parts += [((*rule.path, kind), part) for kind, part in found if part is not None]
    for path, part in parts:
        for inside, matcher in matchers(part):
            for below, raw in _every(matcher.raw):
                _check(path + inside + below, raw, task)
        if isinstance(part, Pattern):
            _check_sides(path, part, task)
        source = declared.get(part.in_) if isinstance(part, Place) else None
        if source is not None and isinstance(part, Place):
            _check_types(path, part, source, task)
            _warn_of_addresses(path, part, task)


def _every(raw: Value, path: Path = ()) -> Iterator[tuple[Path, Value]]:
    """A matcher and all inside."""
    yield path, raw
    for part, inner in inner_matchers(raw):
        yield from _every(inner, path + part)


def _check(path: Path, raw: Value, task: Gathered) -> None:
    if not isinstance(raw, Mapping):
        return
    if impossible(raw):
        task.say(path, f"no value can be all of this: {dumps(raw)}", "remove what contradicts the rest")
    wanted = raw.get("mentions")
    if isinstance(wanted, str) and not readable(wanted):
        task.say((*path, "mentions"), "a text without a letter or digit is mentioned nowhere", "write the word")
    held = raw.get("contains")
    if held == "":
        task.warn((*path, "contains"), "text", "every text contains the empty one", "say what it has to contain")
    elif isinstance(held, str) and held.isdigit():
        hint = f"write `mentions: {dumps(held)}`, which looks for the number"
        task.warn((*path, "contains"), "text", f"{dumps(held)} is in {dumps(f'2{held}0')} as well", hint)


def _check_sides(path: Path, pattern: Pattern, task: Gathered) -> None:
    """Sides of a change that make it none, or one of another kind."""
    before, after = alone(pattern.from_), alone(pattern.to)
    if before is not None and after is not None and same(before[0], after[0]):
        what = "a place that holds the same before and after did not change"
        task.say((*path, "to"), what, "write another value, or leave `from` out", key=True)
        return
    for name, value, ops, word in (
        ("from", before, ("removed", "modified"), "stood there before, where something was"),
        ("to", after, ("added", "modified"), "stands there after, where something is"),
    ):
        if value is not None and value[0] is ABSENT and pattern.op in ops:
            task.say((*path, name), f"nothing {word} {pattern.op}", f"remove `{name}`, or `op: {pattern.op}`", key=True)


def _check_types(path: Path, place: Place, source: Declared, task: Gathered) -> None:
    """A matcher for values of types that the source never holds; of plain values another check tells."""
    types = types_at(place, source)
    if types is None or (isinstance(place, ValueRule) and place.query is not None):
        return
    for inside, matcher in matchers(place):
        for below, raw in _own(matcher):
            asked = types_of(raw)
            plain = not isinstance(raw, Mapping) or {"exactly", "one_of", "not"} & raw.keys()
            if plain or asked is None or asked & (types | _CONTAINERS):
                continue
            number = bool({"gt", "ge", "lt", "le"} & raw.keys()) if isinstance(raw, Mapping) else False
            hint = "use `number:` for a text that is one" if number else f"it holds {one_of(sorted(types))} only"
            what = f"{place.in_!r} never holds {one_of(sorted(asked)) or 'that'}, which {dumps(raw)} asks for"
            task.say(path + inside + below, what, hint)


def _own(matcher: Matcher) -> Iterator[tuple[Path, Value]]:
    """The matchers of values that the source holds itself: not of data in a text, not of the parts of a URL."""
    for below, raw in _every(matcher.raw):
        if not {"json", "url"} & set(below):
            yield below, raw


def _warn_of_addresses(path: Path, place: Place, task: Gathered) -> None:
    """An address of the web that is compared as a text."""
    if place.at is None or not place.at.endswith(_ADDRESSES):
        return
    for inside, matcher in matchers(place):
        raw = matcher.raw
        if isinstance(raw, Mapping) and "contains" in raw:
            what = f"{dumps(raw['contains'])} may stand anywhere in a URL, and at the beginning of a longer path"
            task.warn((*path, *inside, "contains"), "url", what, "compare by parts: `url: {path: …}`")
        elif isinstance(raw, str) and "://" in raw:
            what = "a URL has more than one spelling, and this asks for one of them"
            task.warn((*path, *inside), "url", what, f"write {{url: {dumps(raw)}}}")
