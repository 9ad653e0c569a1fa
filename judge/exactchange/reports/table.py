"""Many verdicts as one table with a line each, and the numbers below it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice
from typing import Final

from rich.cells import cell_len

from exactchange.diff import Change
from exactchange.reports.changes import SIGNS, value_limit
from exactchange.reports.findings import evidence_text
from exactchange.reports.lines import Line, Span, Style, folded, line, padded, render, width_of
from exactchange.reports.sanitise import cut, shown
from exactchange.reports.show import number_text, pair_text, value_text
from exactchange.reports.summary import OUTCOMES, Entry, Summary, summarise
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
_HEADINGS = ("episode", "outcome", "score", "bonus", "steps")
Reasons = tuple[Iterator[str], int]
Cells = tuple[str, str, str, str, str]


def render_table(entries: Sequence[Entry], *, width: int = 100, colour: bool = False) -> str:
    """The table of the episodes and the summary; what does not fit beside an episode stands below it."""
    cells = [_cells(entry) for entry in entries]
    sizes = [min(_WIDEST_NAME, max(map(cell_len, column))) for column in zip(_HEADINGS, *cells, strict=True)]
    out: list[Line] = [line(Span(_joined(_HEADINGS, sizes) + "why", "bold"))]
    for entry, row in zip(entries, cells, strict=True):
        out += _row(entry, row, sizes, width)
    return render([*out, line(), *summary_lines(summarise(entries))], colour=colour)


def summary_lines(summary: Summary) -> list[Line]:
    """Counts by outcome, mean score and bonus, strict pass rate: the last line is the one to quote."""
    counts = " · ".join(f"{summary.counts[name]} {name}" for name in OUTCOMES if summary.counts[name])
    low, high = (round(100 * bound) for bound in summary.interval)
    out = [line(f"{_count(summary.episodes, 'episode')}: {counts or 'none'}")]
    if summary.mean_score is not None:
        bonus = f" · bonus {summary.bonus.met} of {summary.bonus.of} met" if summary.bonus.of else ""
        out.append(line(f"mean score {_bounded(summary)}{bonus}"))
    if summary.at_most > summary.passed:
        out.append(line(f"at most {summary.at_most}/{summary.episodes}, were all that is undecided a pass"))
    rate = "-" if summary.rate is None else f"{percent(summary.rate)} %"
    text = f"strict pass rate {summary.passed}/{summary.episodes} ({rate})"
    out.append(line(Span(text, "bold"), Span(f"   95 % interval {low} to {high} %", "dim")))
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


def percent(rate: Fraction) -> str:
    """A rate in whole per cent; 100 and 0 only where they are exact."""
    rounded = round(100 * rate)
    if rounded == 100 and rate < 1:
        return "99"
    return "1" if rounded == 0 and rate > 0 else str(rounded)


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


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _bounded(summary: Summary) -> str:
    assert summary.mean_score is not None and summary.mean_score_at_most is not None
    low = number_text(summary.mean_score)
    if summary.mean_score_at_most == summary.mean_score:
        return low
    return f"{low} (at most {number_text(summary.mean_score_at_most)})"
