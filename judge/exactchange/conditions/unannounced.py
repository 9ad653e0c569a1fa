"""What happened outside every announced step: of it nobody knows what was done, undone again, or how often."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from exactchange.case import Evidence
from exactchange.case.hearing import witnessed
from exactchange.conditions.evaluation import Evaluation
from exactchange.conditions.matchers.base import unbound
from exactchange.conditions.noise import noise
from exactchange.conditions.patterns import hits
from exactchange.conditions.place import Allowed
from exactchange.conditions.sent import REQUESTS, requests, requests_unread
from exactchange.conditions.units import Atom, Unit, atoms, own_atoms, sides, whole_units
from exactchange.conditions.witnessed import said_of, was_meant
from exactchange.errors import OverBudget
from exactchange.snapshot import START, Snapshot
from exactchange.values import Value

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"})
"""Methods that only ask (RFC 9110, section 9.2.1; RFC 4918; RFC 3253; RFC 5323), as pages do that poll."""
LATE_MS: Final = 5000
"""How long after a step a page may still do what the step set going: move on to another address, save a draft."""
_FRAMES_MS: Final = 1000
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_NS_PER_MS: Final = 1_000_000


def unannounced(evaluation: Evaluation) -> tuple[str, ...]:
    """The places and requests outside every announced step, for people; empty where none is known.

    What `ignore` or `allow` speaks of, what is noise, or what the recording does not place in time, is left out.
    """
    return evaluation.kept("unannounced", lambda: (*_changed(evaluation), *_sent(evaluation), *_done(evaluation)))


def _changed(evaluation: Evaluation) -> Iterator[str]:
    """Places in scope that changed after the last step was over and read, or although there was no step at all."""
    for name, evidence in evaluation.case.sources.items():
        window = _after_the_last_step(evaluation, evidence)
        if window is None:
            continue
        inside = [unit for unit in _units(evaluation, evidence, *window) if _in_scope(unit, evidence)]
        passing = _passing(evaluation, evidence, inside, window[0])
        tolerated = _tolerated(evaluation, name, window) | passing | noise(inside).keys()
        for unit in inside:
            if not own_atoms(unit) <= tolerated:
                yield f"{name}: {unit.change.address or 'the whole of it'} {unit.change.op}"


def _units(evaluation: Evaluation, evidence: Evidence, start: int, end: int) -> list[Unit]:
    between = sides(evidence, start, end)
    changes = evaluation.diff(evidence.name, start, end).changes
    return [unit for change in changes for unit in whole_units(change, between)]


def _in_scope(unit: Unit, evidence: Evidence) -> bool:
    return evidence.kind.in_scope(unit.change.path, evidence.params)


def _passing(evaluation: Evaluation, evidence: Evidence, units: Sequence[Unit], first: int) -> frozenset[Atom]:
    """What came with a step and went by itself: the locks and temporary files of an application at work."""
    went = {unit.spot for unit in units if unit.change.op == "removed"}
    if not went:
        return frozenset()
    came = [unit for unit in _units(evaluation, evidence, 0, first) if unit.change.op == "added"]
    return frozenset(atom for unit in came if unit.spot in went for atom in own_atoms(unit))


def _after_the_last_step(evaluation: Evaluation, evidence: Evidence) -> tuple[int, int] | None:
    """Positions of the capture after the last action and of the next one, the first of the end."""
    steps, last = evidence.steps, evaluation.case.last_step
    if last == START:
        return (0, len(steps) - 1) if len(steps) > 1 else None
    if steps.count(last) < 2:  # it was read at the end only: all that is seen there may be the last step's
        return None
    first = steps.index(last)
    return first, first + 1


def _tolerated(evaluation: Evaluation, source: str, window: tuple[int, int]) -> frozenset[Atom]:
    """What `ignore` and `allow` may speak of, between these captures or over the whole run."""
    whole = (0, len(evaluation.case.evidence(source).captures) - 1)
    found: set[Atom] = set()
    for pattern in evaluation.tolerated:
        if pattern.in_ == source:
            for ends in {window, whole}:
                found |= _spoken_of(pattern, evaluation, ends)
    return frozenset(found)


def _spoken_of(pattern: Allowed, evaluation: Evaluation, ends: tuple[int, int]) -> set[Atom]:
    try:
        found = hits(pattern, evaluation, *ends)
    except OverBudget:
        return set()
    return {atom for hit in found if unbound(hit.matched) is not False for atom in atoms(hit.unit)}


def _done(evaluation: Evaluation) -> Iterator[str]:
    """What a source saw somebody do while no action was under way."""
    for hearing, act in witnessed(evaluation.case.heard):
        if hearing.outside and was_meant(act):
            when = f"after action {hearing.step}" if hearing.step != START else "before any action"
            yield f"{hearing.source}: {said_of(act)} {when}"


def _sent(evaluation: Evaluation) -> Iterator[str]:
    """Documents asked for and writes sent outside every step, as far as the recorded times tell."""
    if any(note.kind in ("observed", "clock") for note in evaluation.case.notes):
        return  # the times of a log, or of a clock that was moved, place nothing
    for evidence in evaluation.case.sources.values():
        if evidence.kind.needs_browser:
            yield from _sent_by(evaluation, evidence)


def _sent_by(evaluation: Evaluation, evidence: Evidence) -> Iterator[str]:
    quiet = _quiet_requests(evaluation, evidence.name)
    seen = Counter[tuple[str, ...]]()
    known: set[str] = set()
    since: Snapshot | None = None
    for snapshot in evidence.captures:
        window = None if since is None else _window(evaluation, since, snapshot)
        known |= set() if since is None else _shown(evidence, since)
        for number, entry in _fresh(requests(evidence, snapshot), seen):
            if window is not None and window.outside(entry, known=known) and number not in quiet:
                yield f"{evidence.name}: {entry.get('method')} {entry.get('url')} {window.when}"
            known |= {_page(entry.get("url"))} if _is_document(entry) else set()
        since = None if requests_unread(evidence.name, snapshot) else snapshot


def _fresh(
    entries: Sequence[Mapping[str, Value]], seen: "Counter[tuple[str, ...]]"
) -> list[tuple[int, Mapping[str, Value]]]:
    """Requests, with their positions, that no capture before showed. They are numbered anew where one is left out."""
    here = Counter[tuple[str, ...]]()
    out: list[tuple[int, Mapping[str, Value]]] = []
    for number, entry in enumerate(entries):
        identity = tuple(str(entry.get(name)) for name in ("method", "url", "type", "time_ms", "body_hash"))
        here[identity] += 1
        if here[identity] > seen[identity]:
            out.append((number, entry))
    seen |= here
    return out


@dataclass(slots=True)
class _Window:
    """The time between the capture after one step and the beginning of the next, in ms since 1970.

    `until` None: no step follows. A page may be moved on once, with its frames, and send one write by itself.
    """

    since: int
    until: int | None
    when: str
    _moved: int | None = field(default=None, init=False)
    _wrote: bool = field(default=False, init=False)

    def outside(self, entry: Mapping[str, Value], *, known: set[str]) -> bool:
        """Whether a request was certainly sent in here, and not by what the step before set going."""
        time = entry.get("time_ms")
        if not isinstance(time, int) or time < self.since or (self.until is not None and time >= self.until):
            return False
        late = time <= self.since + LATE_MS
        document = _is_document(entry)
        if str(entry.get("method")) in SAFE:
            return document and not _moves_on(entry) and _page(entry.get("url")) not in known and self._led(time, late)
        if document or self._wrote or not late:  # a form is sent by somebody
            return True
        self._wrote = True
        return False

    def _led(self, time: int, late: bool) -> bool:
        """Whether somebody, rather than the page, went to a document."""
        self._moved = time if self._moved is None else self._moved
        return not late or time > self._moved + _FRAMES_MS


def _window(evaluation: Evaluation, since: Snapshot, snapshot: Snapshot) -> _Window | None:
    """The time without a step between two captures; None where it is not known."""
    before, after = since.mark.step, snapshot.mark.step
    begin = since.mark.wall_ns // _NS_PER_MS
    if begin <= 0:
        return None
    if before == after:
        return _Window(begin, None, f"after action {after}" if after != START else "without any action")
    begun = evaluation.case.begun.get(after)
    if after != before + 1 or begun is None:
        return None
    return _Window(begin, begun // _NS_PER_MS, f"before action {after}")


def _quiet_requests(evaluation: Evaluation, source: str) -> frozenset[int]:
    """Positions of the requests that a pattern of `ignore` or `allow` names; one of the whole page names none."""
    found: set[int] = set()
    last = len(evaluation.case.evidence(source).captures) - 1
    for pattern in evaluation.tolerated:
        if pattern.in_ == source and last > 0 and (pattern.at or "").startswith(REQUESTS):
            paths = [path for _, path, _ in _spoken_of(pattern, evaluation, (0, last))]
            found |= {path[1] for path in paths if len(path) > 1 and isinstance(path[1], int)}
    return frozenset(found)


def _shown(evidence: Evidence, snapshot: Snapshot) -> set[str]:
    """The address that the page showed, which it may load again by itself."""
    tree = None if requests_unread(evidence.name, snapshot) else evidence.kind.row_at(snapshot, ())
    return set() if tree is None else {_page(tree.get("@url"))}


def _is_document(entry: Mapping[str, Value]) -> bool:
    return entry.get("type") == "document"


def _page(url: object) -> str:
    return str(url).partition("#")[0]


def _moves_on(entry: Mapping[str, Value]) -> bool:
    """Whether the answer was only the way to another document, which is recorded as well."""
    status = entry.get("status")
    return isinstance(status, int) and status in _REDIRECTS
