"""The changes of a verdict as rows: what is wrong first, then what is unread, asked for, allowed and ignored."""

from collections.abc import Iterator

from exactchange.diff import Change
from exactchange.reports.allow import allow_line
from exactchange.reports.changes import Row, change_row, unread_row, value_limit
from exactchange.reports.findings import crossing, near_text, place
from exactchange.reports.lines import folded
from exactchange.reports.sanitise import shown
from exactchange.verdict import Verdict

_LONGEST_ALLOW = 4000
Spot = tuple[str, str, str]


def verdict_rows(verdict: Verdict, *, width: int) -> Iterator[Row]:
    """Every change with why it is all right or not; made one by one, since a hostile run may have millions."""
    limit = value_limit(width)
    crossed = crossing(verdict)
    for change in verdict.unexplained:
        if _spot(change) in crossed:
            yield change_row(change, f"! veto: {shown(crossed[_spot(change)][0])}", limit=limit, style="veto")
    near = {_spot(item.change): near_text(item) for finding in verdict.findings for item in finding.near}
    for change in verdict.unexplained:
        if _spot(change) not in crossed:
            yield _unexplained(change, near.get(_spot(change)), width)
    for source, item in verdict.unread:
        yield unread_row(source, item)
    for change, name in _asked_for(verdict).values():
        yield change_row(change, f"must: {shown(name)}", limit=limit, style="good")
    for word, items in (("allow", verdict.allowed), ("ignore", verdict.ignored)):
        for settled in items:
            yield change_row(settled.change, f"{word} {place(settled.where)}", limit=limit, style="dim")


def count_rows(verdict: Verdict) -> int:
    """How many rows there are."""
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


def _unexplained(change: Change, near: str | None, width: int) -> Row:
    ready = allow_line(change)
    if len(ready) > _LONGEST_ALLOW:
        ready = f"(an address of {len(change.address):,} characters: see the verdict's JSON document)"
    below = [f"if that is all right, add to allow:  {ready}"]
    if near is not None:
        below = [*folded(near, cells=width - 6, lead="near: ", more="| "), *below]
    return change_row(change, "! not explained", limit=value_limit(width), style="bad", below=below)


def _spot(change: Change) -> Spot:
    return change.source, change.address, change.op
