"""Noise among what changed: the leaves that a kind's own rules take, and by which rule."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from exactchange.case import Evidence
from exactchange.conditions.units import Atom, Sides, Unit, own_atoms
from exactchange.diff import Change, Diff
from exactchange.snapshot import Note, Snapshot, unread_whole
from exactchange.sources import Noisy, Recognised, SourceParams
from exactchange.sources.registry import AnyKind
from exactchange.verdict import Settled

BY_RULE: Final = "noise rule "
"""How the `where` of what a rule takes begins; after it stands the rule's name."""

_MOST_NAMED: Final = 5


def noise(units: Iterable[Unit]) -> Mapping[Atom, str]:
    """The atoms of these units that are noise, each with its rule. Of rows, and of what was moved, nothing is."""
    out: dict[Atom, str] = {}
    for between, group in _by_sides(units):
        kind = noisy(between.evidence)
        if kind is None:
            continue
        changes = [unit.change for unit in group]
        rules = kind.noise(changes, before=between.before, after=between.after, params=between.evidence.params)
        for unit, rule in zip(group, rules, strict=True):
            if rule is not None:
                out |= dict.fromkeys(own_atoms(unit), rule)
    return out


def made_anew(evidence: Evidence) -> tuple[Recognised, ...]:
    """What no address shows and differs between the first and the last capture of a source, by rule."""
    kind = noisy(evidence)
    if kind is None or len(evidence.captures) < 2:
        return ()
    before, after = evidence.captures[0], evidence.captures[-1]
    return tuple(kind.made_anew(evidence.name, before=before, after=after, params=evidence.params))


def noted(found: Diff, kind: AnyKind, before: Snapshot, after: Snapshot, *, params: SourceParams) -> tuple[Note, ...]:
    """What of a comparison is noise by the kind's rules, for people: nobody judges it, so all of it is listed, too."""
    if not isinstance(kind, Noisy) or unread_whole(before) or unread_whole(after):
        return ()
    rules = kind.noise(found.changes, before=before, after=after, params=params)
    taken = [Recognised(change, rule) for change, rule in zip(found.changes, rules, strict=True) if rule is not None]
    anew = kind.made_anew("", before=before, after=after, params=params)
    by_name: dict[str, list[str]] = {}
    for item in (*taken, *anew):
        by_name.setdefault(item.rule, []).append(_told(item.change))
    return tuple(Note("noise", f"{rule}: {', '.join(places[:_MOST_NAMED])}") for rule, places in by_name.items())


def _told(change: Change) -> str:
    """A change for people; of names that were made up anew the first."""
    if isinstance(change.before, list) and isinstance(change.after, list) and change.before and change.after:
        return f"{change.before[0]} -> {change.after[0]} ({change.address})"
    return change.address


def by_rule(item: Recognised) -> Settled:
    """What a rule takes, as a verdict reports it."""
    return Settled(item.change, f"{BY_RULE}{item.rule}")


def noisy(evidence: Evidence) -> "Noisy[Any, Any] | None":
    """The kind of a source where it knows of noise."""
    return evidence.kind if isinstance(evidence.kind, Noisy) else None


def _by_sides(units: Iterable[Unit]) -> list[tuple[Sides, list[Unit]]]:
    """Leaves by the two captures that they differ between."""
    found: dict[tuple[str, int, int], tuple[Sides, list[Unit]]] = {}
    for unit in units:
        if unit.row is None and unit.change.op != "moved":
            between = unit.sides
            place = (between.account, id(between.before), id(between.after))
            found.setdefault(place, (between, []))[1].append(unit)
    return list(found.values())
