"""Changes as rows: sign, source, address, what was and is, and why that is all right or not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from exactchange.diff import Change, Operation
from exactchange.reports.lines import Line, Span, Style, folded, line, padded
from exactchange.reports.sanitise import cut, right_to_left, shown
from exactchange.reports.show import pair_text, value_text
from exactchange.snapshot import Unread

SIGNS: Final[dict[Operation, str]] = {"added": "+", "removed": "-", "modified": "~", "moved": ">"}
_LEGEND: Final = "signs: + added  - removed  ~ modified  > moved  ? unread"
COLOURS: Final[dict[str, Style]] = {"+": "good", "-": "bad", "~": "warn", ">": "link", "?": "warn"}
_WIDEST_SOURCE = 14
_GUTTER = 2
_MORE = "      | "
_CAUSE: Final = "      likely cause: "


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list of changes; every text in it is shown already. `before` None: there is one side only."""

    sign: str
    source: str
    address: str
    before: str | None
    after: str
    why: str = ""
    style: Style = "plain"
    longer: tuple[str | None, str] | None = None
    """Both sides again at more length, for lines of their own."""
    below: tuple[str, ...] = ()
    """Lines that follow, each complete: they begin with words of ours, or are ready to be pasted."""
    count: int = 1
    """How many changes it stands for."""
    cause: str = ""
    """What may have made the change."""

    @property
    def values(self) -> str:
        return self.after if self.before is None else f"{self.before} -> {self.after}"


def change_row(change: Change, why: str, *, limit: int, style: Style = "plain", below: Sequence[str] = ()) -> Row:
    """The row of a change; `why` must be shown text."""
    source, address = shown(change.source), shown(change.address) or "(the whole source)"
    before, after = _sides(change, limit)
    longer = _sides(change, 2 * limit + limit // 2)
    cause = shown(change.likely_cause)
    return Row(SIGNS[change.op], source, address, before, after, why, style, longer, tuple(below), cause=cause)


def unread_row(source: str, item: Unread) -> Row:
    """The row of what could not be read: why, and whether the content or the infrastructure is to blame."""
    return Row(
        "?",
        shown(source),
        shown(item.address) or "(the whole source)",
        None,
        shown(item.reason),
        f"unread, cause: {item.cause}",
        "warn",
    )


def value_limit(width: int) -> int:
    """Characters of each side of a change that fit a terminal of this width."""
    return max(12, min(60, width // 4))


def legend_lines(width: int) -> list[Line]:
    """What the signs mean."""
    return [line(Span(part, "dim")) for part in folded(_LEGEND, cells=width, lead="  ", more="    | ")]


def row_lines(rows: Sequence[Row], *, width: int) -> list[Line]:
    """The rows, in columns where they fit, else on lines of their own below their address."""
    columns, flat = _columns(rows, width)
    out: list[Line] = []
    for number, row in enumerate(rows):
        out += [_flat(row, columns)] if number in flat else _stacked(row, columns[0], width)
        out += _cause_lines(row, width)
        out += [line(f"      {text}") for text in row.below]
    return out


def _sides(change: Change, limit: int) -> tuple[str | None, str]:
    if change.op == "added":
        return None, value_text(change.after, limit + limit // 3)
    if change.op == "removed":
        return None, value_text(change.before, limit + limit // 3)
    if change.op == "moved":
        return f"position {value_text(change.before, limit)}", value_text(change.after, limit)
    return pair_text(change.before, change.after, limit)


def _columns(rows: Sequence[Row], width: int) -> tuple[tuple[int, int, int], frozenset[int]]:
    """Widths of source, address and value, and the rows that stand in such columns: as many of the shortest as fit.

    What a terminal might reorder stands on lines of its own.
    """
    source = min(_WIDEST_SOURCE, max((cell_len(row.source) for row in rows), default=0))
    sizes = [(cell_len(row.address), cell_len(row.values), cell_len(row.why)) for row in rows]
    order = sorted(range(len(rows)), key=lambda number: sum(sizes[number]))
    widest, flat = (0, 0, 0), list[int]()
    for number in (item for item in order if not right_to_left(rows[item].address + rows[item].values)):
        grown = tuple(map(max, widest, sizes[number]))
        if 4 + source + sum(grown) + 3 * _GUTTER > width:
            break
        widest = (grown[0], grown[1], grown[2])
        flat.append(number)
    return (source, widest[0], widest[1]), frozenset(flat)


def _flat(row: Row, columns: tuple[int, int, int]) -> Line:
    source, address, value = columns
    return line(
        *_head(row, source),
        Span(padded(row.address, address + _GUTTER), "bold"),
        padded(row.values, value + _GUTTER),
        Span(row.why, row.style),
    )


def _stacked(row: Row, source: int, width: int) -> list[Line]:
    room = max(24, width - 6 - source - _GUTTER)
    address = cut(row.address, room)
    if address != row.address:
        address = f"{cut(row.address, room - 22)} ({len(row.address):,} characters)"
    out = [line(*_head(row, source), Span(address, "bold"))]
    before, after = row.longer if row.longer is not None else (row.before, row.after)
    if before is None:
        out += _text_lines("value: " if row.sign in "+-" else "reason: ", after, width)
    elif right_to_left(before + after) or cell_len(before + after) + 17 > width:
        out += _text_lines("before: ", before, width) + _text_lines("after:  ", after, width)
    else:
        out += _text_lines("value: ", f"{before} -> {after}", width)
    if row.why:
        folds = folded(row.why, cells=width, lead="      why: ", more=_MORE)
        out += [line(Span(text, row.style)) for text in folds]
    return out


def _cause_lines(row: Row, width: int) -> list[Line]:
    if not row.cause:
        return []
    return [line(Span(text, "dim")) for text in folded(row.cause, cells=width, lead=_CAUSE, more=_MORE)]


def _text_lines(label: str, text: str, width: int) -> list[Line]:
    return [line(part) for part in folded(text, cells=width, lead=f"      {label}", more=_MORE)]


def _head(row: Row, source: int) -> tuple[Span, ...]:
    return (
        Span("  "),
        Span(row.sign, COLOURS[row.sign]),
        Span(" "),
        Span(padded(row.source, source + _GUTTER if source else 0)),
    )
