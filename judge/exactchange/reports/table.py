"""Many verdicts as one table with a line each, by task where there are repeats, and the numbers below it."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final

from rich.cells import cell_len

from exactchange.diff import Change
from exactchange.reports.by_task import by_task, edited
from exactchange.reports.changes import SIGNS, value_limit
from exactchange.reports.entries import Entry
from exactchange.reports.failures import failures
from exactchange.reports.findings import evidence_text
from exactchange.reports.lines import Line, Span, Style, folded, line, padded, render, width_of
from exactchange.reports.sanitise import cut, shown
from exactchange.reports.show import number_text, pair_text, value_text
from exactchange.reports.summary import summarise
from exactchange.reports.task_table import failure_lines, summary_lines, task_lines
from exactchange.snapshot import Unread
from exactchange.verdict import Finding, Verdict

_STYLES: Final[dict[str, Style]] = {
    "passed": "good",
    "unmet": "bad",
    "vetoed": "veto",
    "undecided": "warn",
    "no verdict": "warn",
}
_WIDEST_NAME = 32
_NARROWEST_WHY = 40
_LONGEST_WHY = 200
_FEW = 2
_MOST_WITH_REPEATS = 20
_HEADINGS = ("episode", "outcome", "score", "bonus", "steps")
Reasons = tuple[Iterator[str], int]
Cells = tuple[str, str, str, str, str]


def render_table(entries: Sequence[Entry], *, width: int = 100, colour: bool = False, full: bool = False) -> str:
    """The episodes, the tasks where one was repeated, what failed more than once, and the numbers.

    Of many episodes with repeats the tasks stand for the episodes, unless `full`.
    """
    groups = by_task(entries)
    repeated = any(len(group.entries) > 1 for group in groups)
    out: list[Line] = []
    if full or not repeated or len(entries) <= _MOST_WITH_REPEATS:
        out += [*_episodes(entries, width), line()]
    if repeated:
        out += [*task_lines(groups, width=width), line()]
    common = failure_lines(failures(entries), len(entries), width=width)
    out += [*common, line()] if common else []
    warned = [part for item in edited(groups) for part in _warning(item.message, width)]
    return render([*out, *warned, *summary_lines(summarise(entries), width=width)], colour=colour)


def _warning(message: str, width: int) -> list[Line]:
    parts = folded(shown(message), cells=width, lead="warning: ", more="       | ")
    return [line(Span(part, "warn")) for part in parts]


def _episodes(entries: Sequence[Entry], width: int) -> list[Line]:
    """What does not fit beside an episode stands below it."""
    cells = [_cells(entry) for entry in entries]
    sizes = [min(_WIDEST_NAME, max(map(cell_len, column))) for column in zip(_HEADINGS, *cells, strict=True)]
    out: list[Line] = [line(Span(_joined(_HEADINGS, sizes) + "why", "bold"))]
    for entry, row in zip(entries, cells, strict=True):
        out += _row(entry, row, sizes, width)
    return out


def why_text(entry: Entry, *, limit: int = 24) -> str:
    """One line on why an episode ended as it did: the red line, the rule or the change that decided it."""
    verdict = entry.verdict
    if verdict is None:
        return cut(shown((entry.failed or "there is no verdict").partition("\n")[0]), _LONGEST_WHY)
    if verdict.outcome == "passed":
        return "the goal was reached and nothing else changed"
    parts, count = {"vetoed": _vetoed, "unmet": _unmet, "undecided": _undecided}[verdict.outcome](verdict, limit)
    few = list(islice(parts, _FEW))
    return "; ".join(few) + (f"; and {count - len(few):,} more" if count > len(few) else "")


def _cells(entry: Entry) -> Cells:
    verdict = entry.verdict
    name, outcome = cut(shown(entry.name), _WIDEST_NAME), entry.outcome
    if verdict is None:
        return name, outcome, "-", "-", "-"
    score = "-" if verdict.score is None else number_text(verdict.score)
    bonus = f"{verdict.bonus.met}/{verdict.bonus.of}" if verdict.bonus.of else "-"
    return name, outcome, score, bonus, str(verdict.steps)


def _row(entry: Entry, row: Cells, sizes: Sequence[int], width: int) -> list[Line]:
    name, outcome, *numbers = row
    head = (
        Span("  "),
        Span(padded(name, sizes[0] + 2), "bold"),
        Span(padded(outcome, sizes[1] + 2), _STYLES[entry.outcome]),
        Span("".join(f"{number:>{size}}  " for number, size in zip(numbers, sizes[2:], strict=True))),
    )
    why, used = why_text(entry, limit=value_limit(width)), width_of(head)
    if width - used >= min(_NARROWEST_WHY, cell_len(why)):
        first, *rest = folded(why, cells=width - used, lead="", more="")
        return [line(*head, first), *(line(" " * (used - 2), "| ", part) for part in rest)]
    return [line(*head), *(line(part) for part in folded(why, cells=width, lead="    why: ", more="       | "))]


def _joined(headings: Sequence[str], sizes: Sequence[int]) -> str:
    first = "".join(padded(text, size + 2) for text, size in zip(headings[:2], sizes[:2], strict=True))
    return "  " + first + "".join(f"{text:>{size}}  " for text, size in zip(headings[2:], sizes[2:], strict=True))


def _vetoed(verdict: Verdict, limit: int) -> Reasons:
    crossed = [item for item in verdict.findings if item.tier == "veto" and item.holds]
    told = (f"{shown(item.name)}: {_seen(item, limit)}" if item.evidence else shown(item.name) for item in crossed)
    return told, len(crossed)


def _unmet(verdict: Verdict, limit: int) -> Reasons:
    failed = [item for item in verdict.findings if item.tier == "must" and item.holds is False]
    missed = (f"not met: {shown(item.name)}" for item in failed)
    more = (f"not asked for: {change_text(item, limit)}" for item in verdict.unexplained)
    return chain(missed, more), len(failed) + len(verdict.unexplained)


def _undecided(verdict: Verdict, limit: int) -> Reasons:
    del limit
    unknown = [item for item in verdict.findings if item.holds is None]
    if verdict.unread:
        told = (f"unread: {_unread(source, item)}" for source, item in verdict.unread)
        return told, len(verdict.unread)
    if unknown:
        return (f"cannot tell: {shown(item.name)}" for item in unknown), len(unknown)
    warned = [shown(item.message) for item in verdict.warnings] or ["the evidence does not tell"]
    return iter(warned), len(warned)


def _unread(source: str, item: Unread) -> str:
    return f"{' '.join(filter(None, [shown(source), shown(item.address)]))}: {shown(item.reason)}"


def change_text(change: Change, limit: int) -> str:
    """A change in a sentence: `~ config server.retries 3 -> 5`."""
    lead = f"{SIGNS[change.op]} {shown(change.source)} {shown(change.address)}".rstrip()
    if change.op == "added":
        return f"{lead} {value_text(change.after, limit)}"
    if change.op == "removed":
        return f"{lead} {value_text(change.before, limit)}"
    before, after = pair_text(change.before, change.after, limit)
    return f"{lead} {before} -> {after}"


def _seen(finding: Finding, limit: int) -> str:
    return evidence_text(finding.evidence[0], limit=limit)
