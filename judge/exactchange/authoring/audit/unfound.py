"""Vetoes that no run can cross by what is there: places that stand in no capture of the good run, as when misspelt."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from exactchange.address import AddressPattern, Style, unkey
from exactchange.address.segments import Deep, Exactly, File, Glob, Item, Segment, open_value
from exactchange.authoring.audit.mutant import editor
from exactchange.authoring.audit.unselected import misnamed, unselected
from exactchange.case import Evidence
from exactchange.conditions import ChangeRule, Condition, Evaluation
from exactchange.errors import ExactChangeError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.sources import Match, Suggestion
from exactchange.task.problem import did_you_mean
from exactchange.task.stored import misspelt

SUGGESTED: Final = 96
"""Alterations of a state that a kind is asked for."""


def unfound(condition: Condition, evaluation: Evaluation) -> str | None:
    """What a condition speaks of that never was there, with what it may have meant; None where there is something.

    A run made for it would have to bring that into being first, and would prove nothing of the place that was meant.
    """
    if condition.change is not None:
        return _of_change(condition.change, evaluation) or unselected(condition.change, evaluation)
    if condition.action is not None and condition.action.target is not None:
        return misnamed(condition.action.target, evaluation)
    if condition.any is not None:
        found = [unfound(part, evaluation) for part in condition.any]
        return None if None in found else next(iter(found))
    parts = (*(condition.all or ()), *(condition.order or ()), *((condition.not_,) if condition.not_ else ()))
    return next((said for part in parts if (said := unfound(part, evaluation)) is not None), None)


def _of_change(rule: ChangeRule, evaluation: Evaluation) -> str | None:
    evidence = evaluation.case.sources.get(rule.in_)
    if evidence is None:
        return None
    read = [snapshot for snapshot in evidence.captures if not unread_whole(snapshot)]
    for item in misspelt(rule, evidence.kind, *read):
        return f"{item.why}{f'; {item.hint}' if item.hint else ''}"
    pattern = evaluation.pattern(rule)
    if pattern is None or not read:
        return None
    # Where it stands at the end, or did at the start, nothing else has to be looked through.
    captures = [read[-1], read[0], *read[1:-1]]
    said = [_missing(item, pattern, rule, evidence, captures) for item in pattern.alternatives]
    told = [item for item in said if item is not None]
    if len(told) < len(said) or _comes_to_mind(evidence, pattern, read[-1]):
        return None
    return next((item for item in told if "did you mean" in item), told[0])


def _comes_to_mind(evidence: Evidence, pattern: AddressPattern, snapshot: Snapshot) -> bool:
    """Whether the kind itself would alter something in this place, such as an index where there is none yet."""
    kind = editor(evidence)
    every = () if kind is None else kind.suggestions(snapshot, near=(), most=SUGGESTED)
    return any(inside(pattern, suggestion, evidence) for suggestion in every)


def inside(pattern: AddressPattern, suggestion: Suggestion, evidence: Evidence) -> bool:
    """Whether what a kind would alter lies in a place."""
    slashed = evidence.kind.style is Style.SLASHED
    paths = [edit.path for edit in suggestion.edits]
    return any(pattern.matches(path, slashed=slashed) or pattern.covers(path, slashed=slashed) for path in paths)


def _missing(
    segments: Sequence[Segment], pattern: AddressPattern, rule: ChangeRule, evidence: Evidence, read: Sequence[Snapshot]
) -> str | None:
    """What is missing for one spelling of a place: what holds the thing, or a thing with a name of its own."""
    shown = f"{rule.in_}: nothing ever stood at {rule.at or rule.table}"
    named = list(segments)
    while named and isinstance(named[-1], Deep):
        named.pop()

    def stands(length: int) -> bool:
        return any(_find(evidence, pattern, named[:length], snapshot) for snapshot in read)

    if not named or stands(len(named)):
        return None
    if _exact(named[-1]) and rule.op != "added":
        hint = _hint(named, evidence, pattern, read)
        return f"{shown}{hint or '; say `op: added` if it is to come into being'}"
    if len(named) == 1 or stands(len(named) - 1):
        return None
    return f"{shown}, nor what would hold it{_hint(named, evidence, pattern, read)}"


def _find(
    evidence: Evidence, pattern: AddressPattern, segments: Sequence[Segment], snapshot: Snapshot
) -> Sequence[Match]:
    try:
        asked = replace(pattern, alternatives=(tuple(segments),))
        return evidence.kind.find(snapshot, asked, budget=CountedBudget())
    except ExactChangeError:  # what cannot be looked through may be there, and its veto shows whether it can be crossed
        return (Match((), "", None),)


def _exact(segment: Segment) -> bool:
    match segment:
        case Exactly():
            return True
        case Glob(parts=parts) | File(parts=parts):
            return len(parts) == 1
        case Item(pairs=pairs):
            return pairs is not None and not any(open_value(want) for _, want in pairs)
        case _:
            return False


def _hint(named: Sequence[Segment], evidence: Evidence, pattern: AddressPattern, read: Sequence[Snapshot]) -> str:
    """`; did you mean …?` for the first name that is not there, of those that are in its place."""
    for length in range(1, len(named) + 1):
        if any(_find(evidence, pattern, named[:length], snapshot) for snapshot in read):
            continue
        missing = named[length - 1]
        every: Segment = File(("", "")) if isinstance(missing, File) else Glob(("", ""))
        kinds = (every, Item(None)) if isinstance(missing, Item) else (every,)
        beside = [m for s in read for kind in kinds for m in _find(evidence, pattern, [*named[: length - 1], kind], s)]
        known = {word for match in beside if match.path for word in _words(match)}
        said = next((hint for word in _word_of(missing) if (hint := did_you_mean(word, known)) is not None), None)
        return f"; {said}" if said else ""
    return ""


def _words(match: Match) -> Iterator[str]:
    segment = str(match.path[-1])
    name = unkey(segment)
    text = name if isinstance(name, str) else segment
    yield text.rpartition("/")[2]


def _word_of(segment: Segment) -> Iterator[str]:
    match segment:
        case Exactly(segment=name):
            found = unkey(name) if isinstance(name, str) else None
            yield found if isinstance(found, str) else str(name)
        case Glob(parts=(text,)) | File(parts=(text,)):
            yield text
        case Item(pairs=pairs) if pairs:
            yield ",".join(f"{name}={text}" for name, text in pairs)
        case _:
            pass
