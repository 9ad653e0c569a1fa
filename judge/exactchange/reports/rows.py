"""The changes of a verdict as rows: what is wrong first, then what is unread, asked for, allowed and ignored."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from rich.cells import cell_len

from exactchange.address import format_path
from exactchange.diff import Change, Operation
from exactchange.reports.allow import allow_line
from exactchange.reports.changes import Row, change_row, unread_row, value_limit
from exactchange.reports.findings import crossing, near_text, place
from exactchange.reports.groups import groups, spelling, takes_anything
from exactchange.reports.lines import folded
from exactchange.reports.sanitise import shown
from exactchange.values import Path
from exactchange.verdict import Verdict, Whole

_LONGEST_ALLOW = 4000
_BELOW = 6  # cells before the lines below a row
_FEWEST_FOLDED = 4  # fewer can be looked at one by one
_LEAD = "if that is all right, add to allow:"
Spot = tuple[str, str, str]


def verdict_rows(
    verdict: Verdict, *, width: int, full: bool = False, asked: Callable[[Change], str | None] = lambda _: None
) -> Iterator[Row]:
    """Every change with why it is all right or not; made one by one, since a hostile run may have millions.

    What came or went as a whole is one row; with `full` each of its leaves is. `asked`: says which rule asks for
    something in the place of a change, so that no line may allow it.
    """
    limit = value_limit(width)
    crossed = crossing(verdict)
    for change in verdict.unexplained:
        if _spot(change) in crossed:
            yield change_row(change, f"! veto: {shown(crossed[_spot(change)][0])}", limit=limit, style="veto")
    yield from _unexplained_rows(verdict, crossed, width, full=full, asked=asked)
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
    verdict: Verdict,
    crossed: Mapping[Spot, tuple[str, str]],
    width: int,
    *,
    full: bool,
    asked: Callable[[Change], str | None],
) -> Iterator[Row]:
    near = {_spot(item.change): item for finding in verdict.findings for item in finding.near}
    left: Sequence[Change] = verdict.unexplained
    alone = [item.change for item in near.values()]
    if crossed:
        left = [change for change in verdict.unexplained if _spot(change) not in crossed]
        alone += [change for change in verdict.unexplained if _spot(change) in crossed]
    partly: set[Whole] = set() if full else _partly_asked(verdict)
    for group in groups(left, () if full else (*verdict.whole, *partly), alone=alone):
        change = group.change
        miss = near.get(_spot(change)) if group.whole is None else None
        if miss is not None:
            below = folded(near_text(miss), cells=width - _BELOW, lead="near: ", more="| ")
        elif group.whole in partly:
            below = ["a must asks for the rest of it; --all shows the lines to allow these"]
        elif (said := asked(change)) is not None:
            below = folded(f"no line may allow it: {shown(said)}", cells=width - _BELOW, lead="", more="| ")
        else:
            below = _ready_lines(change, width)
        below = [*_document_lines(change, width), *below]
        why = "! not explained" if group.whole is None else f"! not explained: {len(group.changes):,} values"
        row = change_row(change, why, limit=value_limit(width), style="bad", below=below)
        yield replace(row, count=len(group.changes))


def _partly_asked(verdict: Verdict) -> set[Whole]:
    """What came or went with a must asking for a part of it: the place around that part.

    Only where several changes are left in it, all of the same kind.
    """
    asked = {
        (change.source, change.path[:-1]): change
        for change, _ in _asked_for(verdict).values()
        if change.op in ("added", "removed") and not takes_anything(change.path[:-1])
    }
    if not asked:
        return set()
    seen: dict[tuple[str, Path], list[Operation]] = {place: [] for place in asked}
    for change in verdict.unexplained:
        for end in range(1, len(change.path)):
            seen.get((change.source, change.path[:end]), []).append(change.op)
    found: set[Whole] = set()
    for (source, path), change in asked.items():
        ops, style = seen[source, path], spelling(change)
        if style is not None and len(ops) >= _FEWEST_FOLDED and set(ops) == {change.op}:
            found.add(Whole(source, change.op, format_path(path, style=style), path))
    return found


def _document_lines(change: Change, width: int) -> list[str]:
    """Of a change in a document that was judged by itself: in which, and after which step that was last read."""
    if "document" not in change.at:
        return []
    told = f"in {shown(str(change.at['document']))}, as it last was: after step {change.at.get('step')}"
    return folded(told, cells=width - _BELOW, lead="", more="| ")


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
