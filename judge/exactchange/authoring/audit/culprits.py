"""Which rule lets a mutant through, whether the task says why, and how to close it otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal, cast

from exactchange.address import Style
from exactchange.authoring.audit.explaining import Explanations, Said, between, said_of
from exactchange.authoring.audit.mutant import Mutant
from exactchange.case import Case, Evidence
from exactchange.conditions import Allowed, Unit, whole_units
from exactchange.conditions.noise import BY_RULE
from exactchange.conditions.units import below, sides
from exactchange.diff import Change
from exactchange.sources.looked import Looked
from exactchange.task import Task
from exactchange.values import Path
from exactchange.verdict import Finding, Settled, Verdict

Lets = Literal["ignore", "allow", "must", "open", "left out", "nothing", "agent", "param", "untried"]
_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Culprit:
    """What lets a mutant through. `where`: `file:line:column`, "" where it is no rule. `close`: how to close it.

    `explained`: the task's own explanation.
    """

    lets: Lets
    said: str
    where: str = ""
    close: str = ""
    explained: Said | None = None


def culprits(task: Task, good: Case, mutant: Mutant, verdict: Verdict) -> tuple[Culprit, ...]:
    """What lets a mutant pass, for each way in which its end differs from the good one, each once."""
    if not mutant.changes:
        found = Culprit("nothing", f"{mutant.rule!r} does not ask for it", mutant.where, "ask for it in a must")
        if mutant.sort == "forbidden":
            said = f"veto {mutant.rule!r} does not see it"
            found = Culprit(
                "nothing", said, mutant.where, "compare it by its meaning, or explain it in `holes` by `rule`"
            )
        return (replace(found, explained=said_of(task, rule=mutant.rule)),)
    ends = between(good, mutant)
    explanations = Explanations(task, ends)
    whole = (unit for change in mutant.changes for unit in whole_units(change, sides(ends, 0, 1)))
    # Of a row each column by itself: what takes one of them does not let the others through.
    units = (part for unit in whole for part in ((below(unit) or [unit]) if unit.row is not None else [unit]))
    evidence = good.sources[mutant.source]
    lets = dict.fromkeys(_of(task, evidence, unit, verdict, explanations) for unit in islice(units, _MOST))
    named = [culprit for culprit in lets if culprit.lets != "nothing"]  # beside them, what is as it was at the start
    return tuple(named or lets)


def _of(task: Task, evidence: Evidence, unit: Unit, verdict: Verdict, explanations: Explanations) -> Culprit:
    kind, params, change = evidence.kind, evidence.params, unit.change
    where = task.sources[evidence.name].where
    if not Looked(params, slashed=kind.style is Style.SLASHED).at(change.path):
        said = f"`only` or `except` of {evidence.name} leaves it out"
        found = Culprit("left out", said, where, "look at it, or explain it in `holes`")
        return replace(found, explained=explanations.of(unit))
    if not kind.in_scope(change.path, params):
        return replace(_open(evidence, change.path, where), explained=explanations.of(unit))
    for section, settled in (("ignore", verdict.ignored), ("allow", verdict.allowed)):
        hit = next((item for item in settled if _related(item.change, change)), None)
        if hit is not None:
            return _by_pattern(task, cast("Lets", section), hit)
    for finding in verdict.findings:
        if finding.tier == "must" and any(_related(item, change) for item in finding.explains):
            explained = explanations.of(unit) or said_of(task, rule=finding.name)
            return replace(_by_must(finding, verdict, change), explained=explained)
    found = Culprit("nothing", "no rule asks for it", "", "ask for it in a must")
    return replace(found, explained=explanations.of(unit))


def _by_pattern(task: Task, section: Lets, hit: Settled) -> Culprit:
    if hit.where.startswith(BY_RULE):
        return Culprit("ignore", hit.where, task.sources[hit.change.source].where, "turn it off: `noise: {off: […]}`")
    patterns: Sequence[Allowed] = task.ignore if section == "ignore" else task.allow
    number = next((n for n in range(len(patterns)) if task.where(section, n) == hit.where), None)
    pattern = None if number is None else patterns[number]
    place = "" if pattern is None else pattern.at or pattern.table or "all of it"
    explained = None if pattern is None or pattern.why is None else Said(pattern.why, hit.where)
    return Culprit(section, f"{section} {place}", hit.where, "narrow it, or say `why:` in it", explained)


def _by_must(finding: Finding, verdict: Verdict, change: Change) -> Culprit:
    freed = any(item.where == finding.where and item.address.endswith(change.address) for item in verdict.freed)
    what = "frees it with `rest: any`" if freed else "takes it as well"
    close = "name the column in `row`" if freed else "ask for the exact value"
    return Culprit("must", f"must {finding.name!r} {what}", finding.where, f"{close}, or explain it in `holes`")


def _open(evidence: Evidence, path: Path, where: str) -> Culprit:
    facets = closing_facets(evidence, path)
    if not facets:
        said = f"no `closed:` covers this part of {evidence.name}"
        return Culprit("open", said, where, "judge what stands behind it, and explain it in `holes`")
    named = " and ".join(facets)
    said = f"{evidence.name}: {named} {'is' if len(facets) == 1 and not named.endswith('s') else 'are'} open"
    return Culprit("open", said, where, f"add `closed: [{', '.join(facets)}]`, or explain it in `holes`")


def closing_facets(evidence: Evidence, path: Path) -> list[str]:
    """The facets, any of which `closed:` would have to name for a place to be judged; none where nothing does."""
    params, kind = evidence.params, evidence.kind
    schema = cast("dict[str, dict[str, dict[str, dict[str, list[str]]]]]", kind.params.model_json_schema())
    known = schema["properties"].get("closed", {}).get("items", {}).get("enum", ["owner"])
    wider = ((facet, params.model_copy(update={"closed": (*params.closed, facet)})) for facet in known)
    return [facet for facet, closed in wider if kind.in_scope(path, closed)]


def _related(left: Change, right: Change) -> bool:
    """Whether one of two changes is at, in or around the place of the other."""
    size = min(len(left.path), len(right.path))
    return left.source == right.source and left.path[:size] == right.path[:size]
