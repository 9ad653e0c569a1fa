"""A diff for people, with the signs of verdicts, and as the document `exactchange/diff/1`."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from exactchange.diff import Diff
from exactchange.reports.changes import SIGNS, Row, change_row, legend_lines, row_lines, unread_row, value_limit
from exactchange.reports.lines import Line, Span, folded, line, render
from exactchange.reports.sanitise import shown
from exactchange.values.jsonform import Json
from exactchange.verdict.document import change_json, unread_json

SCHEMA: Final = "exactchange/diff/1"
_MOST_ROWS = 200


def render_diff(diff: Diff, *, source: str, width: int = 100, colour: bool = False, full: bool = False) -> str:
    """Every change and every unread part; the last line counts them. `source`: a name for what has none."""
    rows = [*(change_row(item, "", limit=value_limit(width)) for item in diff.changes), *_unread(diff, source)]
    kept = rows if full else rows[:_MOST_ROWS]
    out: list[Line] = [*legend_lines(width), *row_lines(kept, width=width)] if rows else []
    if len(kept) < len(rows):
        out.append(line(f"  and {len(rows) - len(kept):,} more (--all shows every one)"))
    return render([*out, *_notes(diff, width), line(Span(counts_text(diff), "bold"))], colour=colour)


def render_stat(diff: Diff, *, colour: bool = False) -> str:
    """How many changes of each kind there are, by the first part of their path."""
    counts = Counter((str(item.path[0]) if item.path else "", SIGNS[item.op]) for item in diff.changes)
    parts = sorted({part for part, _ in counts})
    out = [line("  ", _signed({s: counts[part, s] for s in "+-~>"}), "  ", _named(part)) for part in parts]
    return render([*out, line(Span(counts_text(diff), "bold"))], colour=colour)


def counts_text(diff: Diff) -> str:
    """`3 changes: 1 added, 2 modified; 1 part unread`."""
    by = Counter(item.op for item in diff.changes)
    named = ", ".join(f"{by[op]:,} {op}" for op in SIGNS if by[op])
    total = len(diff.changes)
    text = "no change" if not total else f"{total:,} change{'' if total == 1 else 's'}: {named}"
    if diff.unread:
        text += f"; {len(diff.unread):,} part{'' if len(diff.unread) == 1 else 's'} unread, so this is not complete"
    return text


def diff_json(diff: Diff) -> dict[str, Json]:
    """The document of a diff, `exactchange/diff/1`."""
    return {
        "schema": SCHEMA,
        "complete": diff.complete,
        "changes": [change_json(item) for item in diff.changes],
        "unread": [unread_json(item) for item in diff.unread],
        "notes": [{"kind": item.kind, "message": item.message} for item in diff.notes],
    }


def stat_json(diff: Diff) -> dict[str, Json]:
    """The counts alone, `exactchange/diff-stat/1`."""
    by = Counter(item.op for item in diff.changes)
    counts: dict[str, Json] = {op: by[op] for op in SIGNS}
    return {"schema": "exactchange/diff-stat/1", "complete": diff.complete, "unread": len(diff.unread), **counts}


def _unread(diff: Diff, source: str) -> Sequence[Row]:
    return [unread_row(source, item) for item in diff.unread]


def _notes(diff: Diff, width: int) -> list[Line]:
    return [
        line(Span(part, "dim"))
        for note in diff.notes
        for part in folded(f"{shown(note.kind)}: {shown(note.message)}", cells=width, lead="  note: ", more="      | ")
    ]


def _signed(counts: dict[str, int]) -> str:
    return " ".join(f"{sign}{counts[sign]:<6,}" for sign in "+-~>")


def _named(part: str) -> str:
    return shown(part) or "(the whole source)"
