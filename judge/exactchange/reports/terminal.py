"""A verdict as a person reads it: every change with why it is all right or not, every rule, one result line."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from exactchange.diff import Change
from exactchange.reports.changes import legend_lines, row_lines
from exactchange.reports.findings import finding_lines, place
from exactchange.reports.lines import Line, Span, Style, folded, line, render
from exactchange.reports.rows import count_changes, verdict_rows
from exactchange.reports.sanitise import shown
from exactchange.reports.show import number_text, score_text, value_text
from exactchange.verdict import Finding, Outcome, Verdict

_STYLES: Final[dict[Outcome, Style]] = {"passed": "good", "unmet": "bad", "vetoed": "veto", "undecided": "warn"}
_SENTENCES: Final[dict[Outcome, str]] = {
    "passed": "The goal was reached, no red line was crossed, and nothing else changed.",
    "unmet": "The goal was not reached.",
    "vetoed": "A red line was crossed; nothing makes up for it.",
    "undecided": "It cannot be told; this never counts as a pass.",
}
_NO_VERDICT = "The world around the run failed: there is no verdict."
_MOST_ROWS = 40
OTHERWISE: Final = "everything else unchanged: "


def render_verdict(
    verdict: Verdict,
    *,
    width: int = 100,
    colour: bool = False,
    full: bool = False,
    seconds: float | None = None,
    next_step: str | None = None,
    asked: Callable[[Change], str | None] = lambda _: None,
) -> str:
    """The text of a verdict in lines of `width` cells; the last line, and only it, begins with the outcome.

    `full`: every change and all evidence, without a cap. `seconds`: how long the run took. `next_step`: a command.
    `asked`: which rule asks for something in the place of a change, so that no line may allow it.
    """
    lines: list[Line] = [*_header(verdict, width), *_changes(verdict, width, full, asked), line()]
    lines += finding_lines([*verdict.findings, *_nothing_else(verdict)], width=width, full=full)
    lines += [*_freed(verdict, width, full), *_warnings(verdict, width), line(), *_scope(verdict, width)]
    if next_step is not None:
        lines.append(line(Span("next: ", "dim"), shown(next_step)))
    lines.append(_result(verdict, seconds))
    return render(_without_double_blanks(lines), colour=colour)


def outcome_word(verdict: Verdict) -> str:
    """`PASSED`, `UNMET`, `VETOED`, `UNDECIDED`; `NO VERDICT` where the infrastructure failed."""
    return "NO VERDICT" if no_verdict(verdict) else verdict.outcome.upper()


def no_verdict(verdict: Verdict) -> bool:
    """Whether the infrastructure failed, so that the episode says nothing about the agent."""
    return verdict.score is None


def outcome_style(verdict: Verdict) -> Style:
    """The style of the outcome's word."""
    return _STYLES[verdict.outcome]


def _header(verdict: Verdict, width: int) -> list[Line]:
    head = line(Span(f"task {shown(verdict.task)}", "bold"), "   ", Span(outcome_word(verdict), outcome_style(verdict)))
    sentence = _sentence(verdict)
    stopped = [] if verdict.stopped_at is None else [line(f"  The agent was stopped at step {verdict.stopped_at}.")]
    told = [line(part) for part in folded(sentence, cells=width, lead="  ", more="    | ")]
    return [head, *told, *stopped, line()]


def _sentence(verdict: Verdict) -> str:
    if no_verdict(verdict):
        return _NO_VERDICT
    musts = {item.holds for item in verdict.findings if item.tier == "must"}
    if verdict.outcome != "unmet" or not verdict.unexplained:
        return _SENTENCES[verdict.outcome]
    if False in musts:
        return "The goal was not reached, and something else changed."
    return "Something else changed." if None in musts else "The goal was reached, but something else changed."


def _changes(verdict: Verdict, width: int, full: bool, asked: Callable[[Change], str | None]) -> list[Line]:
    rows = list(islice(verdict_rows(verdict, width=width, full=full, asked=asked), None if full else _MOST_ROWS))
    if not rows:
        return [line("  No change was seen.")]
    left = count_changes(verdict) - sum(row.count for row in rows)
    more = [line(f"  and {left:,} more changes (--all shows every one)")] if left else []
    return [*legend_lines(width), *row_lines(rows, width=width), *more]


def _nothing_else(verdict: Verdict) -> list[Finding]:
    """The rule that no task writes down: nothing else changed."""
    if no_verdict(verdict):
        return []
    count, unread = len(verdict.unexplained), len(verdict.unread)
    if count:
        why = f"{count:,} change{' is' if count == 1 else 's are'} neither asked for nor allowed"
        return [Finding("must", "nothing else changed", "", False, why)]
    if unread:
        why = f"{unread:,} part{'' if unread == 1 else 's'} could not be read"
        return [Finding("must", "nothing else changed", "", None, why)]
    return [Finding("must", "nothing else changed", "", True)]


def _freed(verdict: Verdict, width: int, full: bool) -> list[Line]:
    if not verdict.freed:
        return []
    rules = ", ".join(dict.fromkeys(place(item.where) for item in verdict.freed))
    count = len(verdict.freed)
    if full:
        named = ", ".join(f"{shown(item.address)}: {value_text(item.value, 24)}" for item in verdict.freed)
    else:
        named = shown(verdict.freed[0].address) + (f" and {count - 1:,} more" if count > 1 else "")
    return _folded("freed", f"{count:,} value{'' if count == 1 else 's'} may be anything, by {rules}: {named}", width)


def _warnings(verdict: Verdict, width: int) -> list[Line]:
    return [
        part
        for item in verdict.warnings
        for part in _folded("warning", f"{shown(item.kind)}: {shown(item.message)}", width, style="warn")
    ]


def _scope(verdict: Verdict, width: int) -> list[Line]:
    if not verdict.scope:
        return []
    named = ", ".join(shown(item) for item in verdict.scope)
    whole = not verdict.unexplained and not verdict.unread
    lead = OTHERWISE if whole else "looked at: "
    return [line(part) for part in folded(named, cells=width, lead=lead, more="    | ")]


def _folded(label: str, text: str, width: int, *, style: Style = "plain") -> list[Line]:
    return [line(Span(part, style)) for part in folded(text, cells=width, lead=f"  {label}: ", more="    | ")]


def _result(verdict: Verdict, seconds: float | None) -> Line:
    bonus = [f"bonus {verdict.bonus.met}/{verdict.bonus.of}"] if verdict.bonus.of else []
    parts = [*_scored(verdict), *bonus, _steps(verdict.steps)]
    if seconds is not None:
        parts.append(f"{seconds:.1f} s")
    return line(Span(outcome_word(verdict), outcome_style(verdict)), "   " + " · ".join(parts))


def _scored(verdict: Verdict) -> list[str]:
    """The score, and what is not excluded: a higher score, and a red line that cannot be told."""
    score, bounds = score_text(verdict.score), verdict.bounds
    if bounds is None or verdict.score is None:
        return [score]
    above = "" if bounds.score_at_most == verdict.score else f" (at most {number_text(bounds.score_at_most)})"
    worse = [f"at worst {bounds.worst}"] if bounds.worst == "vetoed" != verdict.outcome else []
    return [score + above, *worse]


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _without_double_blanks(lines: Sequence[Line]) -> list[Line]:
    kept: list[Line] = []
    for item in lines:
        if item or (kept and kept[-1]):
            kept.append(item)
    return kept
