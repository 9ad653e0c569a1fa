"""Tasks with their repeats, the rules that failed most, and the numbers of a report, as lines for people."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from rich.cells import cell_len

from exactchange.reports.bootstrap import Interval
from exactchange.reports.by_task import Repeats
from exactchange.reports.entries import OUTCOMES, Entry
from exactchange.reports.failures import Failing
from exactchange.reports.findings import place
from exactchange.reports.lines import Line, Span, Style, folded, line, padded
from exactchange.reports.sanitise import cut, shown
from exactchange.reports.show import number_text, value_text
from exactchange.reports.summary import Spread, Summary

MARKS: Final[dict[str, tuple[str, Style]]] = {
    "passed": ("✓", "good"),
    "unmet": ("✗", "bad"),
    "vetoed": ("!", "veto"),
    "undecided": ("?", "warn"),
    "no verdict": ("?", "warn"),
}
_LEGEND: Final = "signs: ✓ passed  ✗ unmet  ! vetoed  ? undecided or no verdict"
_MOST_MARKS = 20
_WIDEST_NAME = 40
_NARROWEST_NAME = 12
_MOST_RULES = 10
_LONGEST_PARAM = 24
_LONGEST_RULE = 200
_LONGEST_PLACE = 80
_HEADINGS = ("passed", "score", "bonus")
_NO_BREAK = "\u00a0"


def task_lines(groups: Sequence[Repeats], *, width: int) -> list[Line]:
    """A line for each task: how many repeats passed, mean score, bonus, and a sign for each repeat in its order."""
    numbers = [_numbers(group) for group in groups]
    sizes = [max(map(cell_len, column)) for column in zip(_HEADINGS, *numbers, strict=True)]
    names = [_name(group) for group in groups]
    room = width - sum(sizes) - 2 * len(sizes) - min(_MOST_MARKS, max(len(group.entries) for group in groups)) - 6
    widest = max(cell_len("task"), min(max(_NARROWEST_NAME, room), _WIDEST_NAME, max(map(cell_len, names))))
    out = [line(Span(f"  {padded('task', widest)}  {_right(_HEADINGS, sizes)}  repeats", "bold"))]
    for group, name, row in zip(groups, names, numbers, strict=True):
        first, *more = folded(name, cells=widest + 2, lead="  ", more="| ")
        head = (Span(padded(first, widest + 2), "bold"), Span(f"  {_right(row, sizes)}  "))
        flaky = [Span("  flaky", "warn")] if group.flaky else []
        out += [line(*head, *_marks(group.entries), *flaky), *(line(f"  {part}") for part in more)]
    return [*out, *(line(Span(part, "dim")) for part in folded(_LEGEND, cells=width, lead="  ", more="  "))]


def failure_lines(found: Sequence[Failing], episodes: int, *, width: int) -> list[Line]:
    """The rules that decided several episodes, the one that decided most first; none where each decided one."""
    if not any(item.episodes > 1 for item in found):
        return []
    shares = [f"{item.episodes}/{episodes}" for item in found[:_MOST_RULES]]
    widest = max(map(len, shares))
    out = [line(Span("  what decided the episodes that did not pass", "bold"))]
    for item, share in zip(found, shares, strict=False):
        head = f"  {share:>{widest}}  "
        first, *more = folded(_rule(item), cells=width, lead=head, more=" " * (len(head) - 2) + "| ")
        out += [line(Span(first, "plain")), *map(line, more)]
    if len(found) > _MOST_RULES:
        out.append(line(f"  and {len(found) - _MOST_RULES:,} more; --json has all of them"))
    return out


def summary_lines(summary: Summary, *, width: int = 100) -> list[Line]:
    """Counts by outcome, scores and bonus, bounds, repeats, and the strict pass rate: the last line is for quoting."""
    counts = " · ".join(f"{summary.counts[name]} {name}" for name in OUTCOMES if summary.counts[name])
    spread = summary.spread if summary.spread is not None and summary.spread.most > 1 else None
    of = "" if spread is None else f" of {_count(spread.tasks, 'task')}"
    out = [f"{_count(summary.episodes, 'episode')}{of}: {counts or 'none'}"]
    if summary.mean_score is not None:
        out.append(f"mean score {' · '.join(_scores(summary))}")
    if summary.at_most > summary.passed:
        out.append(f"at most {summary.at_most}/{summary.episodes}, were all that is undecided a pass")
    out += [] if spread is None else _repeats(spread)
    rate = "-" if summary.rate is None else f"{percent(summary.rate)} %"
    last = Span(f"strict pass rate {summary.passed}/{summary.episodes} ({rate})", "bold")
    interval = Span(f"   95 % interval {_range(summary.interval)}", "dim")
    kept = [text.replace(" %", f"{_NO_BREAK}%") for text in out]
    told = [part for text in kept for part in folded(text, cells=width, lead="", more="  ")]
    return [*(line(part.replace(_NO_BREAK, " ")) for part in told), line(last, interval)]


def percent(rate: Fraction) -> str:
    """A rate in whole per cent; 100 and 0 only where they are exact."""
    rounded = round(100 * rate)
    if rounded == 100 and rate < 1:
        return "99"
    return "1" if rounded == 0 and rate > 0 else str(rounded)


def _scores(summary: Summary) -> list[str]:
    assert summary.mean_score is not None and summary.mean_score_at_most is not None
    low, high = number_text(summary.mean_score), number_text(summary.mean_score_at_most)
    out = [low if summary.mean_score_at_most == summary.mean_score else f"{low} (at most {high})"]
    if summary.mean_score_passed is not None and summary.passed < summary.episodes:
        out.append(f"{number_text(summary.mean_score_passed)} of what passed")
    return [*out, f"bonus {summary.bonus.met} of {summary.bonus.of} met"] if summary.bonus.of else out


def _repeats(spread: Spread) -> list[str]:
    low, high = (number_text(Fraction(round(10 * bound), 10)) for bound in spread.mean_score)
    each = f"{spread.fewest}" if spread.fewest == spread.most else f"{spread.fewest} to {spread.most}"
    out = [f"repeats: {each} of a task, {spread.flaky} of {_count(spread.repeated, 'repeated task')} flaky"]
    if len(spread.of_k) > 1:
        chances = " · ".join(f"{item.k}: {percent(item.all_pass)} %" for item in spread.of_k)
        out.append(f"chance that so many repeats all pass (pass^k): {chances}")
    return [*out, f"95 % interval over tasks and repeats: rate {_range(spread.rate)}, mean score {low} to {high}"]


def _name(group: Repeats) -> str:
    if group.task is None:
        return "(unknown task)"
    told = (f"{shown(name)}={value_text(value, _LONGEST_PARAM)}" for name, value in group.told.items())
    return " ".join([shown(group.task.id), *told, *([f"version {shown(group.version)}"] if group.version else [])])


def _numbers(group: Repeats) -> tuple[str, str, str]:
    bonus = f"{group.bonus.met}/{group.bonus.of}" if group.bonus.of else "-"
    return f"{group.passed}/{len(group.entries)}", number_text(group.mean_score), bonus


def _marks(entries: Sequence[Entry]) -> list[Span]:
    """A sign for each; of many the number of each sign."""
    signs = [MARKS[entry.outcome] for entry in entries]
    if len(signs) <= _MOST_MARKS:
        return [Span(*sign) for sign in signs]
    return [Span(f"{sign} {signs.count((sign, style))}  ", style) for sign, style in dict.fromkeys(MARKS.values())]


def _rule(item: Failing) -> str:
    """Why, and where that is written or seen: `must   the timeout is 30   settings-timeout.yaml:17`."""
    ground = "cannot tell" if item.ground == "unknown" else item.ground
    words = [f"{ground}:", cut(shown(item.name), _LONGEST_RULE)]
    where = f"  {place(item.where)}" if item.where else ""
    often = "mostly " if len(item.places) > 1 else ""
    seen = f"  {often}{cut(shown(item.places[0][0]), _LONGEST_PLACE)}" if item.places else ""
    tasks = f"  in {len(item.tasks):,} tasks" if len(item.tasks) > 1 else ""
    return " ".join(words) + where + seen + tasks


def _right(texts: Sequence[str], sizes: Sequence[int]) -> str:
    return "  ".join(f"{text:>{size}}" for text, size in zip(texts, sizes, strict=True))


def _range(interval: Interval) -> str:
    low, high = (round(100 * bound) for bound in interval)
    return f"{low} to {high} %"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
