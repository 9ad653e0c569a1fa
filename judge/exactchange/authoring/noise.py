"""From what several tours changed to the `ignore` rules that take it: as narrow as agrees with every tour."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from exactchange.address import Style, format_path
from exactchange.authoring.places import (
    Want,
    address_of,
    alike,
    crowd,
    first_word,
    last_word,
    parts_of,
    shared,
    takes,
)
from exactchange.authoring.proposal import Proposal, Refused, Rule, Thing
from exactchange.conditions import Allowed
from exactchange.diff import Change, Operation
from exactchange.reports.groups import groups, takes_anything
from exactchange.values import Path
from exactchange.verdict import Verdict

_MOST_FREE = 5  # parts that differ, of which every choice is tried
_SIBLINGS = 3  # so many names that begin alike are one rule
_CROWD = 5  # more siblings than this are one rule where their names are made up
_MOST_RULES = 100  # a tour that needs more changes data, and nobody reads them
_MOST_COMPARED = 100_000  # pairs of rules, of which one may take the other
_ALONE: Final = "a move: a rule without `op` would take everything there"
_WHOLE: Final = "a rule for it would take whatever comes there"


Refuse: TypeAlias = Callable[[Allowed], str | None]
"""Says why a pattern may be in no `ignore`; None where it may."""


def propose(runs: Sequence[Verdict], *, styles: Mapping[str, Style], refuse: Refuse) -> Proposal:
    """The narrowest rules for what is unexplained in the verdicts of several tours, which differ as worlds do.

    What was there at the start has one name in every world, so its address is exact. Of what was added, that is left
    open in which the runs differ and which nobody can have given as a name, down to a field of a row's key; siblings
    become one rule where they share a word, or are a crowd of made-up names. `styles`: of the sources, by name.
    """
    things = [thing for number, verdict in enumerate(runs) for thing in _things(number, verdict, styles)]
    odd = [thing for thing in things if _odd(thing) is not None]
    rules = [rule for pool in _by_shape(thing for thing in things if _odd(thing) is None) for rule in _across(pool)]
    order: dict[object, int] = {}
    for number, leaf in enumerate(leaf for thing in things for leaf in thing.leaves):
        order.setdefault((leaf.source, leaf.op, leaf.path), number)
    joined = _without_covered(_joined(rules))
    joined.sort(key=lambda rule: min(order[_first_leaf(thing)] for thing in rule.things))
    return _permitted(joined, [Refused(rule, str(_odd(rule.things[0]))) for rule in _exact(odd)], refuse)


def _things(run: int, verdict: Verdict, styles: Mapping[str, Style]) -> Iterator[Thing]:
    for group in groups(verdict.unexplained, verdict.whole):
        yield _thing(run, group.change, group.changes, styles.get(group.change.source))


def _thing(run: int, change: Change, leaves: Sequence[Change], style: Style | None) -> Thing:
    if style is None or format_path(change.path, style=style) != change.address:
        return Thing(run, change, leaves, None, ())
    return Thing(run, change, leaves, style, parts_of(change.path, style))


def _odd(thing: Thing) -> str | None:
    """Why no rule can take this thing and leave the rest alone."""
    if thing.change.op == "moved":
        return _ALONE
    return _WHOLE if not thing.change.path or (thing.container and takes_anything(thing.change.path)) else None


def _first_leaf(thing: Thing) -> tuple[str, Operation, Path]:
    leaf = thing.leaves[0]
    return leaf.source, leaf.op, leaf.path


def _by_shape(things: Iterable[Thing]) -> list[list[Thing]]:
    """Things that could be the same one, by all that never differs between runs."""
    pools: dict[object, list[Thing]] = defaultdict(list)
    for thing in things:
        pools[thing.shape].append(thing)
    return list(pools.values())


def _across(pool: Sequence[Thing]) -> Iterator[Rule]:
    """Rules for things of one shape: those that most of a place agrees on first; what only one run had is exact."""
    left = list(pool)
    if pool[0].style is not None and pool[0].change.op == "added":
        columns = zip(*([part.text for part in thing.parts] for thing in pool), strict=True)
        free = [number for number, column in enumerate(columns) if len(set(column)) > 1]
        for kept in _choices(free):
            classes: dict[tuple[str, ...], list[Thing]] = defaultdict(list)
            for thing in left:
                classes[tuple(thing.parts[number].text for number in kept)].append(thing)
            shared_by_runs = [members for members in classes.values() if len({thing.run for thing in members}) > 1]
            found = [rule for members in shared_by_runs if (rule := _rule(members)) is not None]
            taken = {id(thing) for rule in found for thing in rule.things}
            left = [thing for thing in left if id(thing) not in taken]
            yield from found
    yield from _exact(left)


def _choices(free: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Which of the parts that differ are kept: all, then ever fewer."""
    sizes = range(len(free), -1, -1) if len(free) <= _MOST_FREE else (len(free), len(free) - 1, 1, 0)
    for size in sizes:
        yield from combinations(free, size)


def _rule(things: Sequence[Thing]) -> Rule | None:
    """The narrowest rule that takes all of these; None where they are too unlike for one."""
    wants: list[Want] = []
    for number, column in enumerate(zip(*(thing.parts for thing in things), strict=True)):
        texts = list(dict.fromkeys(part.text for part in column))
        want = texts[0] if len(texts) == 1 else alike(column[0].kind, texts, first=number == 0)
        if want is None:
            return None
        wants.append(want)
    return _written(things, wants)


def _written(things: Sequence[Thing], wants: Sequence[Want]) -> Rule | None:
    style = things[0].style
    assert style is not None
    at = address_of(things[0].change.path, wants, style)
    if at is None or not all(takes(at, path, style) for path in dict.fromkeys(thing.change.path for thing in things)):
        return None
    return Rule(at, style, tuple(wants), tuple(things))


def _exact(things: Iterable[Thing]) -> Iterator[Rule]:
    by_place: dict[object, list[Thing]] = defaultdict(list)
    for thing in things:
        by_place[thing.place].append(thing)
    for same in by_place.values():
        yield Rule(same[0].change.address, same[0].style, tuple(part.text for part in same[0].parts), tuple(same))


def _permitted(rules: Sequence[Rule], refused: list[Refused], refuse: Refuse) -> Proposal:
    """The rules; where a veto or must speaks of what one takes, narrower ones, down to the leaves."""
    kept: list[Rule] = []
    left = deque(rules)
    while left and len(kept) + len(refused) < _MOST_RULES:
        rule = left.popleft()
        said = refuse(rule.pattern)
        if said is None:
            kept.append(rule)
        elif narrower := _narrower(rule):
            left.extendleft(reversed(narrower))
        else:
            refused.append(Refused(rule, said))
    return Proposal(tuple(kept), tuple(refused), len(left))


def _narrower(rule: Rule) -> list[Rule]:
    if not rule.exact:
        return list(_exact(rule.things))
    if all(len(thing.leaves) == 1 for thing in rule.things):
        return []
    return list(_exact(_thing(t.run, leaf, (leaf,), t.style) for t in rule.things for leaf in t.leaves))


def _joined(rules: Sequence[Rule]) -> list[Rule]:
    """Siblings that were added, which differ in one part alone, as one rule."""
    out = list(rules)
    most = max((len(rule.wants) for rule in rules), default=0)
    for number in reversed(range(most)):
        families: dict[object, list[Rule]] = defaultdict(list)
        for rule in out:
            beside = rule.wants[:number] + rule.wants[number + 1 :]
            alone = number < len(rule.wants) and rule.example.op == "added"
            families[rule.things[0].shape, beside, "" if alone else rule.at].append(rule)
        out = [rule for family in families.values() for rule in _family(family, number)]
    return out


def _family(family: Sequence[Rule], number: int) -> Sequence[Rule]:
    """Rules that differ in this part alone: those that begin or end with the same word as one, then a crowd of any."""
    if len(family) < _SIBLINGS:
        return family
    part = family[0].things[0].parts[number]
    left, out = list(family), list[Rule]()
    for word in (first_word, last_word):
        families: dict[str, list[Rule]] = defaultdict(list)
        for rule in left:
            families[word(part.kind, rule.wants[number])].append(rule)
        left = families.pop("", [])
        for members in families.values():
            one = _one(members, number) if len(members) >= _SIBLINGS else None
            left += members if one is None else []
            out += [] if one is None else [one]
    whole = _one(left, number, anything=True) if len(left) > _CROWD else None
    return [*out, *(left if whole is None else [whole])]


def _one(family: Sequence[Rule], number: int, *, anything: bool = False) -> Rule | None:
    things = [thing for rule in family for thing in rule.things]
    kind, texts = things[0].parts[number].kind, list(dict.fromkeys(thing.parts[number].text for thing in things))
    want = crowd(kind, texts, first=number == 0) if anything else shared(kind, texts)
    if want is None:
        return None
    return _written(things, [*family[0].wants[:number], want, *family[0].wants[number + 1 :]])


def _without_covered(rules: Sequence[Rule]) -> list[Rule]:
    """Each rule that another one takes in whole goes into that one, where they are not too many to compare."""
    wide = [rule for rule in rules if not rule.exact]
    if len(wide) * len(rules) > _MOST_COMPARED:
        return list(rules)
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
    return takes(wide.at, rule.example.path, wide.style)
