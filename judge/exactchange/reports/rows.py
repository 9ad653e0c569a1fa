"""The changes of a verdict as rows: what is wrong first, then what is unread, asked for, allowed and ignored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.cells import cell_len

from exactchange.diff import Change
from exactchange.reports.allow import allow_line
from exactchange.reports.changes import Row, change_row, unread_row, value_limit
from exactchange.reports.findings import crossing, near_text, place
from exactchange.reports.groups import Group, groups
from exactchange.reports.lines import folded
from exactchange.reports.sanitise import shown
from exactchange.verdict import Verdict

_LONGEST_ALLOW = 4000
_BELOW = 6  # cells before the lines below a row
_LEAD = "if that is all right, add to allow:"
Spot = tuple[str, str, str]


def verdict_rows(verdict: Verdict, *, width: int, full: bool = False) -> Iterator[Row]:
    """Every change with why it is all right or not; made one by one, since a hostile run may have millions.

    What came or went as a whole is one row; with `full` each of its leaves is.
    """
    limit = value_limit(width)
    crossed = crossing(verdict)
    for change in verdict.unexplained:
        if _spot(change) in crossed:
            yield change_row(change, f"! veto: {shown(crossed[_spot(change)][0])}", limit=limit, style="veto")
    yield from _unexplained_rows(verdict, crossed, width, full=full)
    for source, item in verdict.unread:
        yield unread_row(source, item)
    for change, name in _asked_for(verdict).values():
        yield change_row(change, f"must: {shown(name)}", limit=limit, style="good")
    for word, items in (("allow", verdict.allowed), ("ignore", verdict.ignored)):
        for settled in items:
            yield change_row(settled.change, f"{word} {place(settled.where)}", limit=limit, style="dim")


def count_changes(verdict: Verdict) -> int:
    """How many changes the rows speak of."""
    listed = (verdict.unexplained, verdict.unread, verdict.allowed, verdict.ignored)
    return sum(map(len, listed)) + len(_asked_for(verdict))


def _asked_for(verdict: Verdict) -> dict[Spot, tuple[Change, str]]:
    """The changes that a must asked for, each once, with the name of the first that did."""
    out: dict[Spot, tuple[Change, str]] = {}
    for finding in verdict.findings:
        if finding.tier == "must":
            for change in finding.explains:
                out.setdefault(_spot(change), (change, finding.name))
    return out


def _unexplained_rows(
    verdict: Verdict, crossed: Mapping[Spot, tuple[str, str]], width: int, *, full: bool
) -> Iterator[Row]:
    near = {_spot(item.change): item for finding in verdict.findings for item in finding.near}
    left: Sequence[Change] = verdict.unexplained
    alone = [item.change for item in near.values()]
    if crossed:
        left = [change for change in verdict.unexplained if _spot(change) not in crossed]
        alone += [change for change in verdict.unexplained if _spot(change) in crossed]
    for group in groups(left, () if full else verdict.whole, alone=alone):
        miss = near.get(_spot(group.change)) if group.whole is None else None
        yield _unexplained(group, None if miss is None else near_text(miss), width)


def _unexplained(group: Group, near: str | None, width: int) -> Row:
    change, count = group.change, len(group.changes)
    below = _ready_lines(change, width)
    if near is not None:
        below = [*folded(near, cells=width - 6, lead="near: ", more="| "), *below]
    why = "! not explained" if group.whole is None else f"! not explained: {count:,} values"
    row = change_row(change, why, limit=value_limit(width), style="bad", below=below)
    return replace(row, count=count)


def _ready_lines(change: Change, width: int) -> list[str]:
    """The words and the line to paste: together where they fit, else the line alone, so that it breaks no sooner."""
    ready = allow_line(change)
    if len(ready) > _LONGEST_ALLOW:
        ready = f"(an address of {len(change.address):,} characters: see the verdict's JSON document)"
    if _BELOW + len(_LEAD) + 2 + cell_len(ready) <= width:
        return [f"{_LEAD}  {ready}"]
    return [_LEAD, f"  {ready}"]


def _spot(change: Change) -> Spot:
    return change.source, change.address, change.op
