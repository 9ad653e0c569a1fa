"""What a calibration found: YAML to paste, every rule with its evidence and what else it hides; and as a document."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from exactchange.address import Style, format_path
from exactchange.authoring.places import Like, Part, Want
from exactchange.authoring.proposal import Proposal, Refused, Rule
from exactchange.diff import Operation
from exactchange.reports.allow import ready_line
from exactchange.reports.changes import COLOURS, SIGNS
from exactchange.reports.lines import Line, Span, folded, line, render
from exactchange.reports.lines import Style as Shade
from exactchange.reports.sanitise import cut, shown
from exactchange.reports.show import pair_text, value_text
from exactchange.snapshot import Unread
from exactchange.values import Path
from exactchange.values.jsonform import Json
from exactchange.verdict import Verdict
from exactchange.verdict.document import change_json, unread_json

SCHEMA: Final = "exactchange/calibrate/1"
_DONE: Final[dict[Operation, tuple[str, str]]] = {
    "added": ("added", "to"),
    "removed": ("removed", "from"),
    "modified": ("changed", "in"),
    "moved": ("moved", "in"),
}
_LONGEST_PART = 24
_LONGEST_LINE = 4000


@dataclass(frozen=True, slots=True)
class Calibration:
    """The rules for a task, from the verdicts of its tours. `paste`: the file whose `ignore` they belong in."""

    task: str
    tours: Sequence[Verdict]
    proposal: Proposal
    paste: str

    @property
    def quiet(self) -> bool:
        """Whether nothing changed that the task does not take."""
        return not self.proposal.rules and not self.proposal.refused

    @property
    def complete(self) -> bool:
        """Whether all that is in scope could be read."""
        return not any(tour.unread for tour in self.tours)


def ignore_line(rule: Rule) -> str:
    """`- {in: db, at: "session[sid=admin].last_visit", op: modified}`."""
    return ready_line(rule.example.source, rule.at, rule.example.op)


def hides(rule: Rule) -> str:
    """What a rule takes beside what was seen; "" for one that stands for one place in which nothing else can be."""
    verb, way = _DONE[rule.example.op]
    if rule.exact or rule.style is None:
        return f"anything {verb} {way} {shown(rule.at)}" if rule.container else ""
    path, known = rule.example.path, list[int]()  # segments since the last part that is open
    what = where = which = place = ""
    for number, found in groupby(zip(rule.things[0].parts, rule.wants, strict=True), lambda pair: pair[0].segment):
        piece = list(found)
        if all(isinstance(want, str) for _, want in piece):
            known.append(number)
            continue
        where = " of ".join(filter(None, [_spelt(path, known, rule.style), place]))
        what, which = _open(piece, "row" if "table" in rule.example.at else "item")
        place, known = what + (f" of {where}" if where else "") + which, []
    below = "" if "table" in rule.example.at else f", or anything {verb} in one"
    if known:
        return f"{_spelt(path, known, rule.style)} {verb} {way} {place}{below}"
    return f"{what} {verb}" + (f" {way} {where}" if where else "") + which + below


def render_calibration(found: Calibration, *, width: int = 100, colour: bool = False) -> str:
    """YAML, all of it: a fragment with `ignore`, what is not to be pasted as comments."""
    lines = [*_head(found, width)]
    lines.append(line(Span("ignore:" if found.proposal.rules else "ignore: []", "bold")))
    for rule in found.proposal.rules:
        lines += _rule(rule, len(found.tours), width)
    for item in found.proposal.refused:
        lines += _refused(item, len(found.tours), width)
    for source, part in _unread(found):
        where = f"{shown(source)} {shown(part.address)}".rstrip()
        lines += _comment(f"? {where} is unread: {shown(part.reason)} ({part.cause}); no rule mends that", width)
    moving = dict.fromkeys(note.message for tour in found.tours for note in tour.warnings if note.kind == "moving")
    for message in moving:
        lines += _comment(f"note: {shown(message)}", width)
    return render([*lines, *_tail(found, width)], colour=colour)


def calibration_json(found: Calibration) -> dict[str, Json]:
    """The document `exactchange/calibrate/1`."""
    return {
        "schema": SCHEMA,
        "task": found.task,
        "runs": len(found.tours),
        "quiet": found.quiet,
        "complete": found.complete,
        "rules": [{**_rule_json(rule), "line": ignore_line(rule)} for rule in found.proposal.rules],
        "more": found.proposal.more,
        "not_noise": [{**_rule_json(item.rule), "why": item.said} for item in found.proposal.refused],
        "unread": [{"source": source, **unread_json(part)} for source, part in _unread(found)],
    }


def _rule_json(rule: Rule) -> dict[str, Json]:
    return {
        "in": rule.example.source,
        "at": rule.at,
        "op": None if rule.example.op == "moved" else rule.example.op,
        "exact": rule.exact and not rule.container,
        "hides": hides(rule),
        "runs": rule.runs,
        "changes": rule.changes,
        "example": change_json(rule.example),
    }


def _unread(found: Calibration) -> list[tuple[str, Unread]]:
    """What could not be read in some tour, each part once."""
    parts = {(source, part.address): (source, part) for tour in found.tours for source, part in tour.unread}
    return list(parts.values())


def _spelt(path: Path, segments: Sequence[int], style: Style) -> str:
    part = tuple(path[number] for number in segments)
    return shown(format_path(part, style=style if 0 in segments or style is Style.PAGE else Style.DOTTED))


def _open(piece: Sequence[tuple[Part, Want]], row: str) -> tuple[str, str]:
    """What a segment that is open in some part stands for, and what is asked of it."""
    kind = piece[0][0].kind
    if kind == "file":
        return f"any file {shown('/'.join(_asked(want) for _, want in piece))}", ""
    if kind == "number":
        return f"any {row}", ""
    asked = [(part.name, shown(_asked(want))) for part, want in piece if want != Like()]
    if kind == "field":
        return f"any {row}", f" with {', '.join(f'{shown(name)}={text}' for name, text in asked)}" if asked else ""
    return "anything", "".join(f" named {text}" for _, text in asked)


def _asked(want: Want) -> str:
    return want if isinstance(want, str) else f"{want.head}*{want.tail}"


def _head(found: Calibration, width: int) -> list[Line]:
    name, count = shown(found.task), len(found.tours)
    if not found.proposal.rules:
        return _comment(f"{name}, {count} tours", width)
    text = (
        f"{name}, {count} tours: what changed though nobody did anything, and no rule takes. Add what is noise to "
        f"`ignore:` in {shown(found.paste)}; then nothing but a veto looks at it."
    )
    return _comment(text, width)


def _tail(found: Calibration, width: int) -> list[Line]:
    rules, count = len(found.proposal.rules), sum(rule.changes for rule in found.proposal.rules)
    if found.quiet:
        said = "nothing is left: the tour is quiet" if found.complete else "nothing is left of what could be read"
        return _comment(said, width)
    if not rules:
        return _comment("no rule makes this tour quiet", width)
    said = f"{rules} rule{'' if rules == 1 else 's'} for {count:,} changes in {len(found.tours)} tours. "
    if not found.proposal.more:
        return _comment(f"{said}When they are pasted, calibrate again.", width)
    more = f"At least {found.proposal.more:,} more would be needed: these tours change data, and that is no noise."
    return _comment(said + more, width)


def _rule(rule: Rule, tours: int, width: int) -> list[Line]:
    sign = SIGNS[rule.example.op]
    first, *more = folded(_seen(rule, tours, width), cells=width, lead="  # + ", more="  #   ")
    style: Shade = "warn" if rule.runs < tours else "dim"
    out = [line(Span("  # ", "dim"), Span(sign, COLOURS[sign]), Span(first[5:], style))]
    out += [line(Span(text, "dim")) for text in more]
    if hidden := hides(rule):
        wide = folded(f"hides {hidden}", cells=width, lead="  #   ", more="  #     ")
        out += [line(Span(text, "warn")) for text in wide]
    ready = ignore_line(rule)
    if len(ready) > _LONGEST_LINE:
        return [*out, *_comment(f"its address has {len(rule.at):,} characters: --json has the line", width)]
    return [*out, line(Span(f"  {ready}", "bold"))]


def _seen(rule: Rule, tours: int, width: int) -> str:
    change = rule.example
    each = Counter(thing.run for thing in rule.things)
    times = set(each.values())
    text = f"seen in {rule.runs} of {tours} runs"
    if times != {1}:
        text += f", {max(times):,} times each" if len(times) == 1 else f", {len(rule.things):,} times"
    if not rule.exact:
        return f"{text}, such as {_differing(rule)}"
    room = max(16, (width - len(text) - 8) // 2)
    if change.op in ("added", "removed"):
        return f"{text}: {value_text(change.after if change.op == 'added' else change.before, room)}"
    return f"{text}: {' -> '.join(pair_text(change.before, change.after, room // 2))}"


def _differing(rule: Rule) -> str:
    """What stands in the open parts of the example."""
    pairs = zip(rule.things[0].parts, rule.wants, strict=True)
    texts = [(part, cut(shown(part.text), _LONGEST_PART)) for part, want in pairs if isinstance(want, Like)]
    return ", ".join(f"{shown(part.name)}={text}" if part.kind == "field" else text for part, text in texts)


def _refused(item: Refused, tours: int, width: int) -> Iterator[Line]:
    rule = item.rule
    place = f"{SIGNS[rule.example.op]} {shown(rule.example.source)} {shown(rule.at) or '(the whole source)'}"
    yield from _comment(f"not noise: {place}, seen in {rule.runs} of {tours} runs: {shown(item.said)}", width)


def _comment(text: str, width: int) -> list[Line]:
    return [line(Span(part, "dim")) for part in folded(text, cells=width, lead="# ", more="#   ")]
