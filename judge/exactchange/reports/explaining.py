"""What a verdict says of one place: its changes with the rule that settles each, and the findings that speak of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactchange.address import format_path
from exactchange.diff import Change
from exactchange.reports.allow import allow_line
from exactchange.reports.changes import SIGNS
from exactchange.reports.findings import crossing, evidence_text, near_text, place, said
from exactchange.reports.groups import spelling
from exactchange.reports.lines import Line, Span, Style, folded, line, render
from exactchange.reports.sanitise import shown
from exactchange.reports.show import typed_text, value_text
from exactchange.snapshot import Unread
from exactchange.values import ABSENT, State
from exactchange.values.jsonform import Json
from exactchange.verdict import Finding, Verdict
from exactchange.verdict.document import change_json, unread_json

_LONGEST = 20_000  # characters of a value that are printed; the verdict's document holds it whole


@dataclass(frozen=True, slots=True)
class Told:
    """One change, why it is all right or not, and the rule's place ("" where no rule settles it)."""

    change: Change
    why: str
    where: str
    right: bool = True


@dataclass(frozen=True, slots=True)
class About:
    """All that a verdict says of one place."""

    changes: tuple[Told, ...]
    unread: tuple[tuple[str, Unread], ...]
    findings: tuple[Finding, ...]
    above: Change | None = None
    """The place itself, where several changes without leave lie in it, all of one kind, and nothing else does."""


def about(verdict: Verdict, address: str) -> About:
    """What concerns an address: `source:address`, the address alone, or a place above what changed."""
    told = tuple(item for item in _told(verdict) if _concerns(item.change.source, item.change.address, address))
    unread = tuple((s, item) for s, item in verdict.unread if _concerns(s, item.address, address))
    findings = tuple(item for item in verdict.findings if _speaks(item, address))
    return About(told, unread, findings, None if findings else _above(told, address))


def places(verdict: Verdict) -> list[str]:
    """Every `source:address` of which the verdict speaks."""
    named = [f"{item.change.source}:{item.change.address}" for item in _told(verdict)]
    return list(dict.fromkeys([*named, *(f"{source}:{item.address}" for source, item in verdict.unread)]))


def render_about(told: About, *, width: int = 100, colour: bool = False) -> str:
    """The text: each change with both values whole, and what the rules say of it."""
    lines: list[Line] = []
    near = [miss.change for finding in told.findings for miss in finding.near]
    for item in told.changes:
        lines += [*_change(item, width, item.change in near), line()]
    if told.above is not None:
        count = len(told.changes)
        lines += [line(f"all {count:,} of them at once, add to allow:"), line(f"  {allow_line(told.above)}"), line()]
    for source, unread in told.unread:
        head = f"? {shown(source)}  {shown(unread.address) or '(the whole source)'}"
        lines += [
            line(Span(head, "bold")),
            *_folded("unread", f"{shown(unread.reason)} ({unread.cause})", width),
            line(),
        ]
    for finding in told.findings:
        lines += [*_finding(finding, width), line()]
    return render(lines[:-1], colour=colour)


def about_json(verdict: Verdict, told: About) -> dict[str, Json]:
    """The document `exactchange/explain/1`."""
    return {
        "schema": "exactchange/explain/1",
        "task": verdict.task,
        "outcome": verdict.outcome,
        "changes": [{**change_json(t.change), "why": t.why, "where": t.where} for t in told.changes],
        "unread": [{"source": source, **unread_json(item)} for source, item in told.unread],
        "findings": [
            {"tier": f.tier, "name": f.name, "holds": f.holds, "where": f.where, "why": f.why} for f in told.findings
        ],
    }


def _told(verdict: Verdict) -> list[Told]:
    crossed = crossing(verdict)
    out: list[Told] = []
    for change in verdict.unexplained:
        name, where = crossed.get((change.source, change.address, change.op), ("", ""))
        why = f"crosses the red line: {name}" if where else "not explained: no rule asks for it or allows it"
        out.append(Told(change, why, where, right=False))
    for finding in verdict.findings:
        if finding.tier == "must":
            out += [Told(change, f"asked for by must: {finding.name}", finding.where) for change in finding.explains]
    out += [Told(item.change, "allowed", item.where) for item in verdict.allowed]
    return out + [Told(item.change, "ignored", item.where) for item in verdict.ignored]


def _concerns(source: str, address: str, wanted: str) -> bool:
    full = f"{source}:{address}"
    return any(
        have == wanted or (have.startswith(wanted) and have[len(wanted)] in ".[/") for have in (full, address) if wanted
    ) or wanted in (source, f"{source}:")


def _above(told: Sequence[Told], address: str) -> Change | None:
    first = told[0].change if len(told) > 1 else None
    if first is None or any(item.where or item.change.op != first.op for item in told):
        return None
    style, bare = spelling(first), address.removeprefix(f"{first.source}:")
    for end in range(1, len(first.path)):
        path = first.path[:end]
        if style is not None and bare == format_path(path, style=style):
            inside = all(c.source == first.source and c.path[:end] == path for c in (item.change for item in told))
            return Change(first.source, first.op, bare, path, ABSENT, ABSENT) if inside else None
    return None


def _speaks(finding: Finding, address: str) -> bool:
    if any(_concerns(near.change.source, near.change.address, address) for near in finding.near):
        return True
    if any(_concerns(change.source, change.address, address) for change in finding.explains):
        return True
    return any(
        _concerns(str(item.get("source", "")), str(item.get("address", "")), address)
        for item in finding.evidence
        if "source" in item
    )


def _change(item: Told, width: int, near: bool) -> list[Line]:
    change = item.change
    style: Style = "good" if item.right else "bad"
    head = f"{SIGNS[change.op]} {shown(change.source)}  {shown(change.address) or '(the whole source)'}"
    out = [line(Span(head, "bold"), f"   {change.op}"), *_value("before", change.before, width)]
    out += _value("after", change.after, width)
    why = shown(item.why) + (f" ({place(item.where)})" if item.where else "")
    out += [line(Span(text, style)) for text in _fold("why", why, width)]
    cause = shown(change.likely_cause)
    out += map(line, folded(cause, cells=width, lead="  likely cause: ", more="        | ")) if cause else ()
    at = "; ".join(f"{shown(name)}: {value_text(value, 60)}" for name, value in change.at.items())
    out += _folded("place", at, width) if at else []
    return out if item.where or near else [*out, line(f"  add to allow:  {allow_line(change)}")]


def _value(label: str, value: State, width: int) -> list[Line]:
    return [] if value is ABSENT else _folded(label, typed_text(value, _LONGEST), width)


def _finding(finding: Finding, width: int) -> list[Line]:
    head = f"{finding.tier} {said(finding)}: {shown(finding.name)}"
    out = [line(Span(head, "bold"), Span(f"   {place(finding.where)}", "dim"))]
    out += _folded("why", shown(finding.why), width) if finding.why else []
    for item in finding.evidence:
        out += _folded("seen", evidence_text(item, limit=200), width)
    for near in finding.near:
        out += _folded("near", near_text(near), width)
    return out


def _fold(label: str, text: str, width: int) -> list[str]:
    return folded(text, cells=width, lead=f"  {label + ':':<8}", more="        | ")


def _folded(label: str, text: str, width: int) -> list[Line]:
    return [line(text) for text in _fold(label, text, width)]
