"""What an audit found, for people and as a document: the score, every hole with what lets it through, a table."""

from collections.abc import Iterator, Sequence
from typing import Final

from exactchange.authoring.audit.culprits import Culprit
from exactchange.authoring.audit.explaining import Said
from exactchange.authoring.audit.result import SORTS, Audit, Slip, Tested
from exactchange.reports.lines import Line, Span, Style, folded, line, padded, render, width_of
from exactchange.reports.sanitise import shown
from exactchange.reports.table import change_text
from exactchange.values.jsonform import Json
from exactchange.verdict.document import change_json

SCHEMA: Final = "exactchange/audit/1"
_EXAMPLES: Final = 3
_LIMIT: Final = 32
_WIDEST: Final = 40
Group = tuple[Culprit, list[Slip]]


def render_audit(found: Audit, *, width: int = 100, colour: bool = False, full: bool = False) -> str:
    """One task: its numbers, then its holes, those that nobody explains first. `full`: every example."""
    lines = [line(Span(shown(found.task), "bold")), line()]
    lines += _agents(found, width)
    lines += _mutants(found)
    lines += _variants(found, width)
    lines += _alike(found, width)
    groups = grouped(found.slips)
    bare = [group for group in groups if group[0].explained is None]
    if bare:
        lines += [line(), line(Span(f"  {_count(len(bare), 'hole')} not explained", "bold"))]
        lines += [item for group in bare for item in _hole(group, width, full=full)]
    explained = _by_explanation(groups)
    if explained:
        lines += [line(), line(Span("  let through on purpose", "bold"))]
        lines += [item for said, chosen in explained.items() for item in _purpose(said, chosen, width, full=full)]
    for place in found.unused:
        lines += _folded(f"{shown(place)}: this entry of `holes` explains nothing any more; remove it", width, "warn")
    return render([*lines, line()], colour=colour)


def render_summary(audits: Sequence[Audit], *, width: int = 100, colour: bool = False) -> str:
    """A table of all tasks: null agents caught, mutants caught, the score, and the holes."""
    size = max([4, *(min(_WIDEST, len(shown(item.task))) for item in audits)])
    head = f"{padded('task', size)}  {'null agents':>11}  {'mutants':>11}  {'score':>6}  holes"
    out = [line(Span(head, "bold"))]
    for item in audits:
        caught = sum(not agent.passed for agent in item.agents)
        cells = f"{f'{caught}/{len(item.agents)}':>11}  {f'{item.caught}/{item.total}':>11}  {percent(item):>6}  "
        groups = grouped(item.slips)
        bare = sum(culprit.explained is None for culprit, _ in groups)
        said = (
            "none"
            if not groups
            else f"{len(groups)} explained"
            if not bare
            else f"{bare} of {len(groups)} not explained"
        )
        rest = f"; {_count(item.untried, 'rule')} not tried" if item.untried else ""
        style: Style = "bad" if bare else "warn" if rest else "good"
        out.append(line(padded(shown(item.task), size), "  ", cells, Span(f"{said}{rest}", style)))
    return render(out, colour=colour)


def audit_json(audits: Sequence[Audit]) -> dict[str, Json]:
    """The document `exactchange/audit/1`."""
    return {"schema": SCHEMA, "sound": all(item.sound for item in audits), "tasks": [_task_json(a) for a in audits]}


def grouped(slips: Sequence[Slip]) -> list[Group]:
    """What slips through, by what lets it through; in the order in which it was found."""
    found: dict[Culprit, list[Slip]] = {}
    for slip in slips:
        for culprit in slip.lets:
            found.setdefault(culprit, []).append(slip)
    return list(found.items())


def percent(found: Audit) -> str:
    """The score in whole per cent; 100 only where it is exact."""
    score = 100 * found.score
    return f"{int(score)} %"


def _task_json(found: Audit) -> Json:
    return {
        "task": found.task,
        "sound": found.sound,
        "caught": found.caught,
        "total": found.total,
        "untried": found.untried,
        "agents": [_tested_json(item) for item in found.agents],
        "mutants": {sort: {name: getattr(count, name) for name in _NUMBERS} for sort, count in found.counts.items()},
        "variants": [_tested_json(item) for item in found.variants],
        "holes": [_hole_json(group) for group in grouped(found.slips)],
        "alike": [_tested_json(item) for item in found.alike],
        "unused": list(found.unused),
    }


_NUMBERS = ("caught", "total", "undecided", "broken", "alike", "impossible")


def _tested_json(tested: Tested) -> Json:
    return {"name": tested.name, "outcome": tested.outcome, "passed": tested.passed, "broken": tested.broken or None}


def _hole_json(group: Group) -> Json:
    culprit, slips = group
    explained = culprit.explained
    return {
        "lets": culprit.lets,
        "said": culprit.said,
        "where": culprit.where or None,
        "close": culprit.close,
        "why": None if explained is None else explained.why,
        "explained_at": None if explained is None else explained.where,
        "mutants": len(slips),
        "examples": [
            {"what": s.what, "changes": [change_json(c) for c in s.changes[:_EXAMPLES]]} for s in slips[:_EXAMPLES]
        ],
    }


def _agents(found: Audit, width: int) -> Iterator[Line]:
    caught = sum(not agent.passed for agent in found.agents)
    bad = caught < len(found.agents)
    yield line("  ", padded("null agents", 26), Span(f"{caught}/{len(found.agents)} caught", "bad" if bad else "plain"))
    for agent in found.agents:
        if agent.passed:
            yield from _folded(f"the agent that {shown(agent.name)} passes", width, "bad")
        elif agent.broken:
            yield from _folded(f"{shown(agent.name)}: the task cannot be judged: {shown(agent.broken)}", width, "dim")


def _mutants(found: Audit) -> Iterator[Line]:
    for sort, title in SORTS.items():
        count = found.counts[sort]
        told = [(count.undecided, "undecided"), (count.broken, "not to be judged")]
        told += [(count.alike, "made no difference"), (count.impossible, "could not be made")]
        notes = ", ".join(f"{number} {word}" for number, word in told if number)
        style: Style = "bad" if count.passed else "plain"
        text = f"{count.caught}/{count.total} caught"
        yield line("  ", padded(title, 26), Span(padded(text, 18), style), Span(notes, "dim"))
    if found.untried:
        said = f"{_count(found.untried, 'rule')} could not be tried, so that no figure here tells of it"
        yield line("  ", padded("", 26), Span(said if found.untried == 1 else said.replace("of it", "of them"), "warn"))
    left = found.total - found.caught
    bare = sum(slip.sort is not None and not slip.explained for slip in found.slips)
    rest = f"; {left - bare} let through on purpose, {bare} not explained" if left else ""
    yield line(
        "  ", padded("mutation score", 26), Span(f"{found.caught}/{found.total} ({percent(found)})", "bold"), rest
    )


def _variants(found: Audit, width: int) -> Iterator[Line]:
    """Runs under other params: how many of each are caught, and by themselves those of which there is only one."""
    for about in dict.fromkeys(tested.about for tested in found.variants):
        runs = [tested for tested in found.variants if tested.about == about]
        if about:
            caught = sum(not tested.passed for tested in runs)
            style: Style = "plain" if caught == len(runs) else "bad"
            yield line("  ", padded(shown(about), 26), Span(f"{caught}/{len(runs)} caught", style))
            continue
        for tested in runs:
            said = "passes" if tested.passed else f"is {tested.outcome}" if tested.outcome else "cannot be judged"
            yield from _folded(f"{shown(tested.name)} {said}", width, "bad" if tested.passed else "dim")


def _alike(found: Audit, width: int) -> Iterator[Line]:
    """Runs as good as the good one, and each of them that does not pass: a false fail."""
    passed = sum(run.passed for run in found.alike)
    style: Style = "plain" if passed == len(found.alike) else "bad"
    yield line("  ", padded("as good, otherwise done", 26), Span(f"{passed}/{len(found.alike)} passed", style))
    for run in found.alike:
        if not run.passed:
            yield from _folded(f"false fail: {shown(run.name)} changes nothing: {shown(run.broken)}", width, "bad")


def _hole(group: Group, width: int, *, full: bool) -> Iterator[Line]:
    culprit, slips = group
    where = f"  {shown(culprit.where)}" if culprit.where else ""
    yield line("  ", Span("✗ ", "bad"), Span(shown(culprit.said), "bold"), Span(where, "link"))
    yield from _examples(slips, len(slips) if full else _EXAMPLES, width)
    if culprit.close:
        yield from _folded(shown(culprit.close), width, "warn", "to close it: ")


def _by_explanation(groups: Sequence[Group]) -> dict[Said, list[Group]]:
    found: dict[Said, list[Group]] = {}
    for group in groups:
        if group[0].explained is not None:
            found.setdefault(group[0].explained, []).append(group)
    return found


def _purpose(said: Said, groups: Sequence[Group], width: int, *, full: bool) -> Iterator[Line]:
    """What one explanation of the task covers."""
    *above, tail = folded(shown(said.why), cells=width, lead="  · ", more="    ")
    yield from (line(Span(text, "bold")) for text in above)
    place = Span(f"  {shown(said.where)}", "link")
    if width_of(here := line(Span(tail, "bold"), place)) <= width:
        yield here
    else:
        yield from (line(Span(tail, "bold")), line("  ", place))
    told = ", ".join(f"{shown(culprit.said)} ({len(slips)})" for culprit, slips in groups)
    yield from _folded(told, width, "plain")
    if full:
        yield from (item for _, slips in groups for item in _examples(slips, len(slips), width))


def _examples(slips: Sequence[Slip], most: int, width: int) -> Iterator[Line]:
    told = list(dict.fromkeys(map(_example, slips)))  # one alteration may be of two sorts
    yield from (item for text in told[:most] for item in _folded(text, width, "plain"))
    if len(told) > most:
        yield line(Span(f"      and {len(told) - most} more", "dim"))


def _example(slip: Slip) -> str:
    changes = "; ".join(change_text(change, _LIMIT) for change in slip.changes[:2])
    return f"{changes}  ({shown(slip.what)})" if changes else shown(slip.what)


def _folded(text: str, width: int, style: Style, label: str = "") -> list[Line]:
    lines = folded(text, cells=width, lead=f"      {label}", more="        ")
    return [line(Span(part, style)) for part in lines]


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
