"""Runs in which other requests were sent: for a veto ones that cross it, for a must ones that are only near."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from exactchange.authoring.audit.leaves import Leaf
from exactchange.authoring.audit.mutant import Impossible, Made, Mutant, Sort, edited, last
from exactchange.authoring.audit.samples import samples, url_of
from exactchange.authoring.audit.urls import near_urls, spellings
from exactchange.case import Case, Evidence
from exactchange.conditions import Evaluation
from exactchange.conditions.counting import bounds
from exactchange.conditions.request import RequestRule
from exactchange.conditions.sent import REQUESTS, requests
from exactchange.snapshot import Snapshot, TreeSnapshot
from exactchange.sources import Add, CannotEdit, Edit, Put
from exactchange.sources.variations import near_values
from exactchange.values import Value, canonical_bytes

_FAR: Final = 1_000_000
_EACH: Final = 3
Entry = Mapping[str, Value]


def crossing(
    rule: RequestRule, case: Case, positions: Sequence[int]
) -> Iterator[tuple[str, Case, tuple[Snapshot, ...]]]:
    """Runs in which a request is sent that fits a rule, seen first in one of these captures; with what was sent."""
    evidence = case.sources.get(rule.in_)
    for position in positions if evidence is not None else ():
        assert evidence is not None
        entries = _entries(rule, _base(evidence, position), Evaluation(case))
        found = _sent(case, evidence, position, entries)
        if found is not None:
            yield (f"a request is sent: {entries[0]['method']} {entries[0]['url']}", *found)


def respelt(rule: RequestRule, leaf: Leaf, case: Case) -> Iterator[Mutant]:
    """Runs in which a forbidden request is sent in another spelling, or with a parameter more."""
    evidence = case.sources.get(rule.in_)
    if evidence is None or rule.url is None:
        return
    position = max(1, last(evidence) // 2)
    entries = _entries(rule, _base(evidence, position), Evaluation(case))
    told = str(entries[0]["url"])
    wider = [(what, url) for what, url in near_urls(told) if what == "one parameter more"]
    ways: list[tuple[str, Entry]] = [(what, {"url": url}) for what, url in (*spellings(told), *wider)]
    ways.append(("its method in small letters", {"method": str(entries[0]["method"]).lower()}))
    for what, other in ways:
        found = _sent(case, evidence, position, [{**entry, **other} for entry in entries])
        if found is not None:
            said = f"the forbidden request, with {what}"
            yield Mutant("forbidden", said, found[0], rule.in_, (), leaf.title, leaf.condition.where, found[1])


def asked_for(rule: RequestRule, leaf: Leaf, case: Case) -> Iterator[Made]:
    """Runs in which the requests that a must asks for were not sent, or were others that are near them."""
    evidence = case.sources.get(rule.in_)
    if evidence is None:
        return
    fitting = _fitting(rule, evidence, Evaluation(case))
    if not fitting:
        yield Impossible("undone", f"no request can be left out: {leaf.title}")
        return
    yield _altered("undone", "a wanted request not sent", leaf, case, evidence, fitting, None)
    example = next(iter(fitting.values()))
    for what, other in _near(example, rule):
        yield _altered("near", f"{what} in a request", leaf, case, evidence, fitting, other)


def _near(entry: Entry, rule: RequestRule) -> Iterator[tuple[str, Entry]]:
    if rule.url is not None:
        near = near_urls(str(entry.get("url", "")))
        yield from ((what, {"url": url}) for what, url in near if what != "a fragment")  # none is ever sent
    if rule.method is not None:
        yield "another method", {"method": "GET" if str(entry.get("method")).upper() != "GET" else "POST"}
    if rule.status is not None:
        yield "another status", {"status": 500 if entry.get("status") != 500 else 200}
    body = entry.get("body")
    if rule.body is not None and isinstance(body, Mapping):
        for name, value in body.items():
            yield from ((what, {"body": {**body, name: item}}) for what, item in list(near_values(value))[:_EACH])
    elif rule.body is not None:
        yield from ((what, {"body": item}) for what, item in near_values(body))


def _fitting(rule: RequestRule, evidence: Evidence, evaluation: Evaluation) -> dict[bytes, Entry]:
    """The requests of the whole run that fit, by what tells them apart."""
    every = requests(evidence, evidence.captures[-1])
    before = {_identity(entry) for entry in requests(evidence, evidence.captures[0])}
    fits = (entry for entry in every if rule.fits(entry, evaluation) is True and _identity(entry) not in before)
    return {_identity(entry): entry for entry in fits}


def _identity(entry: Entry) -> bytes:
    return canonical_bytes(entry.get("seq", entry))


def _altered(
    sort: Sort,
    what: str,
    leaf: Leaf,
    case: Case,
    evidence: Evidence,
    chosen: Mapping[bytes, Entry],
    other: Entry | None,
) -> Made:
    """The run in which these requests were others in this, in every capture that shows them, or were not sent."""
    others: dict[int, Snapshot] = {}
    try:
        for number, snapshot in enumerate(evidence.captures):
            entries = requests(evidence, snapshot)
            if any(_identity(entry) in chosen for entry in entries):
                changed = [{**e, **(other or {})} if _identity(e) in chosen else e for e in entries]
                kept = [entry for entry in changed if other is not None or _identity(entry) not in chosen]
                edit = Put((REQUESTS,), kept)
                others[number] = edited(evidence, snapshot, [edit])
    except CannotEdit as error:
        _close(others.values())
        return Impossible(sort, str(error))
    made = tuple(others.values())
    found = case.with_captures(evidence.name, others)
    return Mutant(sort, what, found, evidence.name, (), leaf.title, leaf.condition.where, made)


def _sent(
    case: Case, evidence: Evidence, position: int, entries: Sequence[Entry]
) -> tuple[Case, tuple[Snapshot, ...]] | None:
    """The run with these requests as well, from a capture on; None where none can be added."""
    edits: list[Edit] = [Add((REQUESTS,), entry) for entry in entries]
    others: dict[int, Snapshot] = {}
    try:
        for number in range(position, len(evidence.captures)):
            others[number] = edited(evidence, evidence.captures[number], edits)
    except CannotEdit:
        _close(others.values())
        return None
    return case.with_captures(evidence.name, others), tuple(others.values())


def _close(snapshots: Iterable[Snapshot]) -> None:
    for snapshot in snapshots:
        snapshot.close()


def _base(evidence: Evidence, position: int) -> str:
    page = evidence.captures[position]
    url = page.tree.get("@url") if isinstance(page, TreeSnapshot) and isinstance(page.tree, Mapping) else None
    return str(url or "http://127.0.0.1/")


def _entries(rule: RequestRule, base: str, evaluation: Evaluation) -> list[dict[str, Value]]:
    """Requests that fit a rule: as few as it asks for."""
    context = evaluation.context()
    url = rule.url_matcher()
    told = base if url is None else url_of(url.tests[0], base, context)
    entry: dict[str, Value] = {"method": (rule.method or "POST").upper(), "url": told, "type": "fetch", "failed": False}
    entry["status"] = next(iter(samples(rule.status, context)), 200) if rule.status is not None else 200
    entry["body"] = next(iter(samples(rule.body, context)), None) if rule.body is not None else None
    fewest = 1 if rule.count is None else max(1, bounds(rule.count)[0])
    return [{**entry, "seq": _FAR + number, "time_ms": 0} for number in range(fewest)]
