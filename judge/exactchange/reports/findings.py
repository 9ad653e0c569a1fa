"""Findings as lines: mark and word by tier, the rule's place, the reason, evidence and near misses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from exactchange.diff import Operation
from exactchange.reports.changes import SIGNS
from exactchange.reports.lines import Line, Span, Style, folded, line, padded
from exactchange.reports.sanitise import cut, shown
from exactchange.reports.show import value_text
from exactchange.values import Value
from exactchange.verdict import Finding, NearMiss, Tier, Truth, Verdict

_Said = tuple[str, str, Style]
_WORDS: Final[dict[Tier, dict[Truth, _Said]]] = {
    "given": {True: ("✓", "holds", "good"), False: ("✗", "does not hold", "bad"), None: ("?", "cannot tell", "warn")},
    "veto": {True: ("✗", "CROSSED", "veto"), False: ("✓", "not crossed", "good"), None: ("?", "cannot tell", "warn")},
    "must": {True: ("✓", "met", "good"), False: ("✗", "NOT MET", "bad"), None: ("?", "cannot tell", "warn")},
    "bonus": {True: ("✓", "met", "good"), False: ("-", "not met", "dim"), None: ("?", "cannot tell", "warn")},
}
TIERS: Final[tuple[Tier, ...]] = ("given", "veto", "must", "bonus")
_WORD_CELLS = 13
_MOST_EVIDENCE = 3
_INDENT = "      "
_MORE = "      | "


def finding_lines(findings: Sequence[Finding], *, width: int, full: bool = False) -> list[Line]:
    """All findings by tier. What is as it should be takes one line; `full` shows the evidence of those as well."""
    ordered = [item for tier in TIERS for item in findings if item.tier == tier]
    places = [place(item.where) for item in ordered]
    room = max([0, *map(cell_len, places)])
    out: list[Line] = []
    for item, where in zip(ordered, places, strict=True):
        out.append(_headline(item, where, room, width))
        if full or not _as_wished(item):
            out += _reasons(item, width, None if full else _MOST_EVIDENCE)
    return out


def said(finding: Finding) -> str:
    """The word for what came of a rule, such as `CROSSED` or `met`."""
    return _WORDS[finding.tier][finding.holds][1]


def crossing(verdict: Verdict) -> dict[tuple[str, str, str], tuple[str, str]]:
    """The places of the changes that crossed a red line, with its name and rule: no `allow` makes up for those."""
    return {
        (str(item.get("source")), str(item.get("address")), str(item.get("op"))): (finding.name, finding.where)
        for finding in verdict.findings
        if finding.tier == "veto" and finding.holds
        for item in finding.evidence
        if item.get("kind") == "change"
    }


def place(where: str) -> str:
    """`file:line` of a rule's `file:line:column`."""
    head, _, last = where.rpartition(":")
    name, _, number = head.rpartition(":")
    return shown(head if last.isdigit() and number.isdigit() and name else where)


def evidence_text(item: Mapping[str, Value], *, limit: int = 48) -> str:
    """One item of evidence on one line: `step 3: change of config server.retries: 3 -> 5`."""
    step = item.get("step")
    lead = f"step {step}: " if isinstance(step, int) else "at the end: " if item.get("kind") == "change" else ""
    kind = item.get("kind")
    if kind == "change":
        return lead + _change_text(item, limit)
    known = _EVIDENCE.get(str(kind))
    if known is not None and all(isinstance(item.get(name), str) for name in known.texts):
        return lead + known.say(item, limit)
    rest = {name: value for name, value in item.items() if name not in ("kind", "step") and value is not None}
    words = ", ".join(f"{shown(name)}: {value_text(value, limit)}" for name, value in rest.items())
    return f"{lead}{shown(str(kind))} {words}".rstrip()


def _action_text(item: Mapping[str, Value], limit: int) -> str:
    args = item.get("args")
    said = value_text(args, 2 * limit) if isinstance(args, Mapping) and args else ""
    by = f" (reported by the {shown(str(item['reported_by']))})" if "reported_by" in item else ""
    return f"action {shown(str(item['action']))} {said}".rstrip() + by


def _request_text(item: Mapping[str, Value], limit: int) -> str:
    status = item.get("status")
    answer = f" -> {status}" if isinstance(status, int) else ""
    return f"request {cut(shown(str(item['method'])), 12)} {cut(shown(str(item['url'])), 2 * limit)}{answer}"


def _sql_text(item: Mapping[str, Value], limit: int) -> str:
    effects = item.get("effects")
    does = ", ".join(shown(str(word)) for word in effects) if isinstance(effects, list) else ""
    why = f" ({shown(str(item['why']))})" if item.get("why") else ""
    by = f" (reported by the {shown(str(item['reported_by']))})" if "reported_by" in item else ""
    return f"sql {cut(shown(str(item['sql'])), 2 * limit)}: {does}{why}{by}"


def _value_text(item: Mapping[str, Value], limit: int) -> str:
    where = " ".join(filter(None, [shown(str(item["source"])), shown(str(item["address"]))]))
    return f"value of {where}: {value_text(item['value'], limit) if 'value' in item else 'absent'}"


@dataclass(frozen=True, slots=True)
class _Known:
    """How evidence of one kind is said, and the fields that must be texts for that."""

    texts: tuple[str, ...]
    say: Callable[[Mapping[str, Value], int], str]


_EVIDENCE: Final = {
    "action": _Known(("action",), _action_text),
    "request": _Known(("method", "url"), _request_text),
    "sql": _Known(("sql",), _sql_text),
    "value": _Known(("source", "address"), _value_text),
}


def near_text(near: NearMiss) -> str:
    """`near: config server.timeout: wanted 30 (int), got "30" (str)`."""
    where = f"{shown(near.change.source)} {shown(near.change.address)}"
    return f"{where}: wanted {cut(shown(near.wanted), 200)}, got {cut(shown(near.got), 200)}"


def _as_wished(finding: Finding) -> bool:
    return finding.holds is (finding.tier != "veto")


def _headline(finding: Finding, where: str, room: int, width: int) -> Line:
    mark, word, style = _WORDS[finding.tier][finding.holds]
    used = 4 + 7 + _WORD_CELLS + 2 + room
    name = shown(finding.name) or "(unnamed)"
    head = (Span(f"  {mark} ", style), Span(padded(finding.tier, 7)), Span(padded(word, _WORD_CELLS + 1), style))
    if width - used < 24:
        return line(*head, cut(name, max(12, width - 4 - 7 - _WORD_CELLS - 1)))
    return (
        line(*head, padded(name, width - used), " ", Span(where, "dim"))
        if where
        else line(*head, cut(name, width - used))
    )


def _reasons(finding: Finding, width: int, most: int | None) -> list[Line]:
    out: list[Line] = []
    if finding.why:
        out += _folded("why: ", shown(finding.why), width)
    shown_evidence = finding.evidence[:most]
    for item in shown_evidence:
        out += _folded("seen: ", evidence_text(item), width)
    if len(finding.evidence) > len(shown_evidence):
        out.append(line(f"{_INDENT}and {len(finding.evidence) - len(shown_evidence):,} more (--all)"))
    for near in finding.near[:most]:
        out += _folded("near: ", near_text(near), width)
    return out


def _folded(label: str, text: str, width: int) -> list[Line]:
    return [line(part) for part in folded(text, cells=width, lead=f"{_INDENT}{label}", more=_MORE)]


def _change_text(item: Mapping[str, Value], limit: int) -> str:
    operations: dict[str, Operation] = {
        "added": "added",
        "removed": "removed",
        "modified": "modified",
        "moved": "moved",
    }
    op = operations.get(str(item.get("op")), "modified")
    where = f"{shown(str(item.get('source', '')))} {shown(str(item.get('address', '')))}".strip()
    before, after = (value_text(item[side], limit) if side in item else "?" for side in ("before", "after"))
    values = after if op == "added" else before if op == "removed" else f"{before} -> {after}"
    return f"{SIGNS[op]} {where}  {values}"
