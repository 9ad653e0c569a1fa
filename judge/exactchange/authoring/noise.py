"""From what several tours changed to the `ignore` rules that take it: as narrow as agrees with every tour."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

from exactchange.address import Style
from exactchange.authoring.places import (
    Like,
    Part,
    Want,
    address_of,
    alike,
    first_word,
    last_word,
    parts_of,
    shared,
    takes,
    wanted,
)
from exactchange.conditions import Allowed
from exactchange.diff import Change, Operation
from exactchange.reports.groups import groups, spelling
from exactchange.values import Path
from exactchange.verdict import Verdict

_MOST_FREE = 5  # parts that differ, of which every choice is tried
_SIBLINGS = 3  # so many names that begin alike are one rule
_CROWD = 5  # more siblings than this are one rule, whatever they are called


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing that one tour changed: a leaf, a row, or a container that came or went as a whole with its leaves."""

    run: int
    change: Change
    leaves: Sequence[Change]

    @property
    def place(self) -> tuple[str, Operation, Path]:
        """What is the same in every run in which the same thing changed."""
        return self.change.source, self.change.op, self.change.path


@dataclass(frozen=True)
class Rule:
    """A rule that makes a part of the tours quiet. `style` None: its address could not be taken apart.

    `wants`: what it asks of each part of its address; `things`: what it takes, of which it has one or more.
    """

    at: str
    style: Style | None
    wants: tuple[Want, ...]
    things: tuple[Thing, ...]

    @property
    def example(self) -> Change:
        """The first change that it takes."""
        return self.things[0].change

    @property
    def exact(self) -> bool:
        """Whether it stands for one place alone."""
        return not any(isinstance(want, Like) for want in self.wants)

    @property
    def runs(self) -> int:
        """In how many tours there was something for it."""
        return len({thing.run for thing in self.things})

    @property
    def changes(self) -> int:
        """How many changes it takes in all tours, as a verdict counts them."""
        return sum(len(thing.leaves) for thing in self.things)

    @property
    def pattern(self) -> Allowed:
        """The rule as a task holds it."""
        said = {} if self.example.op == "moved" else {"op": self.example.op}
        return Allowed.model_validate({"in": self.example.source, "at": self.at, **said})


@dataclass(frozen=True)
class Refused:
    """What no rule may ignore, since a veto or must of the task speaks of it. `said`: which, and where it stands."""

    rule: Rule
    said: str


@dataclass(frozen=True)
class Proposal:
    """The rules that make all tours quiet, in the order of the sources, and what no rule may take."""

    rules: tuple[Rule, ...]
    refused: tuple[Refused, ...] = field(default=())


Refuse: TypeAlias = Callable[[Allowed], str | None]
"""Says why a pattern may be in no `ignore`; None where it may."""
_Shape: TypeAlias = tuple[object, ...]


def propose(runs: Sequence[Verdict], *, refuse: Refuse) -> Proposal:
    """The narrowest rules for what is unexplained in the verdicts of several tours, which differ as worlds do.

    What is in the same place in every run keeps its exact address. Of an address that differs only that is left open
    which does, down to a field of a row's key; siblings become one rule where they begin alike, or are a crowd.
    """
    things = [thing for number, verdict in enumerate(runs) for thing in _things(number, verdict)]
    rules = [rule for pool in _by_shape(things) for rule in _across(pool)]
    narrow = [part for rule in rules for part in _permitted(rule, refuse)]
    kept = [rule for rule in narrow if refuse(rule.pattern) is None]
    refused = [Refused(rule, str(refuse(rule.pattern))) for rule in narrow if refuse(rule.pattern) is not None]
    leaves = [leaf for thing in things for leaf in thing.leaves]
    order = {(leaf.source, leaf.op, leaf.path): number for number, leaf in reversed(list(enumerate(leaves)))}
    joined = _without_covered(_joined(kept, refuse))
    joined.sort(key=lambda rule: min(order[_first_leaf(thing)] for thing in rule.things))
    return Proposal(tuple(joined), tuple(refused))


def _things(run: int, verdict: Verdict) -> Iterator[Thing]:
    for group in groups(verdict.unexplained, verdict.whole):
        yield Thing(run, group.change, group.changes)


def _first_leaf(thing: Thing) -> tuple[str, Operation, Path]:
    leaf = thing.leaves[0]
    return leaf.source, leaf.op, leaf.path


def _by_shape(things: Iterable[Thing]) -> list[list[Thing]]:
    """Things that could be the same one, by all that never differs between runs."""
    pools: dict[_Shape, list[Thing]] = defaultdict(list)
    for thing in things:
        pools[_shape(thing)].append(thing)
    return list(pools.values())


def _shape(thing: Thing) -> _Shape:
    change, style = thing.change, spelling(thing.change)
    if style is None:
        return change.source, change.op, change.address
    parts = parts_of(change.path, style)
    return change.source, change.op, style, tuple((part.segment, part.kind, part.name) for part in parts)


def _across(pool: Sequence[Thing]) -> Iterator[Rule]:
    """Rules for things of one shape: those that most of a place agrees on first; what only one run had is exact."""
    style = spelling(pool[0].change)
    if style is None:
        yield Rule(pool[0].change.address, None, (), tuple(pool))
        return
    parts = {id(thing): parts_of(thing.change.path, style) for thing in pool}
    texts = [[part.text for part in parts[id(thing)]] for thing in pool]
    free = [number for number, column in enumerate(zip(*texts, strict=True)) if len(set(column)) > 1]
    left = list(pool)
    for kept in _choices(free):
        classes: dict[tuple[str, ...], list[Thing]] = defaultdict(list)
        for thing in left:
            classes[tuple(parts[id(thing)][number].text for number in kept)].append(thing)
        shared_by_runs = [members for members in classes.values() if len({thing.run for thing in members}) > 1]
        found = [rule for members in shared_by_runs if (rule := _rule(members, style)) is not None]
        taken = {id(thing) for rule in found for thing in rule.things}
        left = [thing for thing in left if id(thing) not in taken]
        yield from found
    yield from _exact(left)


def _choices(free: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Which of the parts that differ are kept: all, then ever fewer."""
    sizes = range(len(free), -1, -1) if len(free) <= _MOST_FREE else (len(free), len(free) - 1, 1, 0)
    for size in sizes:
        yield from combinations(free, size)


def _rule(things: Sequence[Thing], style: Style) -> Rule | None:
    """The narrowest rule that takes all of these; None where they are too unlike for one."""
    columns = list(zip(*(parts_of(thing.change.path, style) for thing in things), strict=True))
    wants = [_want(column) for column in columns]
    return None if None in wants else _written(things, [want for want in wants if want is not None], style)


def _want(column: Sequence[Part]) -> Want | None:
    texts = list(dict.fromkeys(part.text for part in column))
    return texts[0] if len(texts) == 1 else alike(column[0].kind, texts)


def _written(things: Sequence[Thing], wants: Sequence[Want], style: Style) -> Rule | None:
    at = address_of(things[0].change.path, wants, style)
    if at is None or not all(takes(at, thing.change.path, style) for thing in things):
        return None
    return Rule(at, style, tuple(wants), tuple(things))


def _exact(things: Iterable[Thing]) -> Iterator[Rule]:
    by_place: dict[object, list[Thing]] = defaultdict(list)
    for thing in things:
        by_place[thing.place].append(thing)
    for same in by_place.values():
        change, style = same[0].change, spelling(same[0].change)
        wants = () if style is None else tuple(part.text for part in parts_of(change.path, style))
        yield Rule(change.address, style, wants, tuple(same))


def _permitted(rule: Rule, refuse: Refuse) -> Iterator[Rule]:
    """The rule; where a veto or must speaks of what it takes, narrower ones, down to the leaves."""
    if refuse(rule.pattern) is None:
        yield rule
    elif not rule.exact:
        for narrower in _exact(rule.things):
            yield from _permitted(narrower, refuse)
    elif any(len(thing.leaves) > 1 for thing in rule.things):
        leaves = (Thing(thing.run, leaf, (leaf,)) for thing in rule.things for leaf in thing.leaves)
        yield from _exact(leaves)
    else:
        yield rule


def _joined(rules: Sequence[Rule], refuse: Refuse) -> list[Rule]:
    """Siblings, which differ in one part alone, as one rule where that is not refused."""
    out = list(rules)
    most = max((len(rule.wants) for rule in rules), default=0)
    for number in reversed(range(most)):
        families: dict[_Shape, list[Rule]] = defaultdict(list)
        for rule in out:
            beside = rule.wants[:number] + rule.wants[number + 1 :]
            alone = () if number < len(rule.wants) else (rule.at,)
            families[*_shape(rule.things[0]), beside, alone].append(rule)
        out = [rule for family in families.values() for rule in _family(family, number, refuse)]
    return out


def _family(family: Sequence[Rule], number: int, refuse: Refuse) -> Sequence[Rule]:
    """Rules that differ in this part alone: those that begin or end with the same word as one, then a crowd of any."""
    style = family[0].style
    if len(family) < _SIBLINGS or style is None:
        return family
    part = parts_of(family[0].example.path, style)[number]
    if part.kind == "fixed":
        return family
    left, out = list(family), list[Rule]()
    for word in (first_word, last_word):
        families: dict[str, list[Rule]] = defaultdict(list)
        for rule in left:
            families[word(part.kind, rule.wants[number])].append(rule)
        left = families.pop("", [])
        for members in families.values():
            one = _one(members, number, refuse) if len(members) >= _SIBLINGS else None
            left += members if one is None else []
            out += [] if one is None else [one]
    whole = _one(left, number, refuse, anything=True) if len(left) > _CROWD else None
    return [*out, *(left if whole is None else [whole])]


def _one(family: Sequence[Rule], number: int, refuse: Refuse, *, anything: bool = False) -> Rule | None:
    style = family[0].style
    assert style is not None
    things = [thing for rule in family for thing in rule.things]
    column = [parts_of(thing.change.path, style)[number] for thing in things]
    texts = [text for part in column if (text := wanted(part)) is not None]
    common = shared(column[0].kind, texts) if len(texts) == len(column) else Like()
    if common == Like() and not anything:
        return None
    rule = _written(things, [*family[0].wants[:number], common, *family[0].wants[number + 1 :]], style)
    return None if rule is None or refuse(rule.pattern) is not None else rule


def _without_covered(rules: Sequence[Rule]) -> list[Rule]:
    """Each rule that another one takes in whole goes into that one."""
    wide = [rule for rule in rules if not rule.exact]
    extra: dict[int, list[Thing]] = defaultdict(list)
    out: list[Rule] = []
    for rule in rules:
        cover = next((w for w in wide if rule.exact and _covers(w, rule)), None)
        if cover is None:
            out.append(rule)
        else:
            extra[id(cover)] += rule.things
    return [Rule(r.at, r.style, r.wants, (*r.things, *extra[id(r)])) if id(r) in extra else r for r in out]


def _covers(wide: Rule, rule: Rule) -> bool:
    if (wide.example.source, wide.example.op) != (rule.example.source, rule.example.op) or wide.style is None:
        return False
    style = wide.style
    return all(takes(wide.at, thing.change.path, style) for thing in rule.things)
