"""The audit of a task: what is caught, what slips through and why, as values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from exactchange.authoring.audit.agents import null_agents
from exactchange.authoring.audit.alike import told_alike
from exactchange.authoring.audit.culprits import Culprit, culprits
from exactchange.authoring.audit.explaining import said_of
from exactchange.authoring.audit.leaves import reads
from exactchange.authoring.audit.mutant import Alike, Impossible, Made, Mutant, Sort, only_less, unalterable
from exactchange.authoring.audit.mutants import attempts
from exactchange.authoring.audit.replays import OtherRun, crossed, varied
from exactchange.authoring.audit.result import SORTS, UNTRIED, Audit, Count, Slip, Tested
from exactchange.authoring.audit.trying import outcome, tested
from exactchange.authoring.audit.urls import is_url, same_url
from exactchange.authoring.audit.variants import Variant
from exactchange.case import ANSWER, Case
from exactchange.diff import Change
from exactchange.errors import UsageError
from exactchange.judging import judge
from exactchange.task import Task
from exactchange.verdict import Verdict


class BadEpisode(UsageError):
    """The run that a task is to be tested with does not pass."""


News = Callable[[str], None]


def audit(
    task: Task,
    case: Case,
    *,
    variants: Sequence[Variant] = (),
    others: Sequence[OtherRun] = (),
    news: News = lambda text: None,
) -> Audit:
    """Test a task with the case of a good run. Pure, but for `news`, which is told what is being tried.

    `variants`: the same task with other params. `others`: more good runs, which must pass as well, but under other
    params must not. Raises BadEpisode when a good run does not pass.
    """
    case = case.remembering()
    verdict = judge(task, case)
    for name, found in (("", verdict), *((f" {other.name}", judge(other.task, other.case)) for other in others)):
        if not found.passed:
            raise BadEpisode(f"the good run{name} does not pass: {_why(found)}")
    agents, claims = _agents(task, case)
    tally = _Tally(task, case)
    for made in attempts(task, case, verdict):
        tally.take(made)
        news(f"{tally.seen} mutants, {len(tally.slips)} passed")
    changed, decoration = varied(task, case, variants)
    exchanged, replayed = crossed(task, case, others)
    slips = [*claims, *tally.slips, *decoration, *replayed, *_unaltered(task, case)]
    return Audit(
        task.id,
        agents,
        tally.counts,
        (*changed, *exchanged),
        tuple(slips),
        tuple(_unused(task, slips)),
        told_alike(task, case),
    )


class _Tally:
    """Judges mutants one by one, and closes them."""

    def __init__(self, task: Task, good: Case) -> None:
        self.counts: dict[Sort, Count] = {sort: Count() for sort in SORTS}
        self.slips: list[Slip] = []
        self._task = task
        self._good = good

    @property
    def seen(self) -> int:
        """How many mutants were judged."""
        return sum(count.total for count in self.counts.values())

    def take(self, made: Made) -> None:
        """Count one; a mutant is judged and closed."""
        count = self.counts[made.sort]
        match made:
            case Alike():
                self.counts[made.sort] = replace(count, alike=count.alike + 1)
            case Impossible():
                self.counts[made.sort] = replace(count, impossible=count.impossible + 1)
                if made.rule:
                    self.slips.append(_untried(made, self._task))
            case Mutant():
                try:
                    self.counts[made.sort] = self._judged(made, count)
                finally:
                    made.close()

    def _judged(self, mutant: Mutant, count: Count) -> Count:
        verdict, _ = outcome(self._task, mutant.case)
        if verdict is None:
            return replace(count, caught=count.caught + 1, broken=count.broken + 1)
        if not verdict.passed:
            undecided = count.undecided + (verdict.outcome == "undecided")
            return replace(count, caught=count.caught + 1, undecided=undecided)
        if _no_other_state(self._good, mutant):
            return replace(count, alike=count.alike + 1)
        lets = culprits(self._task, self._good, mutant, verdict)
        self.slips.append(Slip(mutant.what, lets, mutant.sort, mutant.changes))
        return replace(count, passed=count.passed + 1)


def _no_other_state(good: Case, mutant: Mutant) -> bool:
    """Whether a run that passes does so rightly: with less done of what need not be, or an address spelt otherwise."""
    if mutant.sort == "near":
        return bool(mutant.changes) and all(_respelt(change) for change in mutant.changes)
    return mutant.sort in ("elsewhere", "tolerated") and only_less(good, mutant)


def _respelt(change: Change) -> bool:
    before, after = change.before, change.after
    return isinstance(before, str) and isinstance(after, str) and is_url(before) and same_url(before, after)


def _why(verdict: Verdict) -> str:
    failed = [
        finding for finding in verdict.findings if finding.tier in ("given", "must") and finding.holds is not True
    ]
    crossed = [finding for finding in verdict.findings if finding.tier == "veto" and finding.holds is not False]
    parts = [f"{finding.tier} {finding.name!r}: {finding.why}" for finding in (*crossed, *failed)]
    parts += [f"{c.source} {c.address} {c.op}, which nobody asked for" for c in verdict.unexplained]
    parts += [f"{source} {item.address} is unread: {item.reason}" for source, item in verdict.unread]
    return f"it is {verdict.outcome} ({'; '.join(parts[:3]) or 'the evidence does not tell'})"


def _agents(task: Task, case: Case) -> tuple[tuple[Tested, ...], list[Slip]]:
    """The null agents; of one that knows the right answer a hole, since for some tasks an answer is the work."""
    out: list[Tested] = []
    claims: list[Slip] = []
    for agent in null_agents(task, case):
        found = tested(agent.name, task, agent.case)
        if not agent.claims:
            out.append(found)
        elif found.passed:
            claims.append(Slip(agent.name, tuple(_answered(task))))
    return tuple(out), claims


def _answered(task: Task) -> Iterator[Culprit]:
    said = "the answer alone is judged, which no work need stand behind"
    for must in task.must:
        if reads(must, ANSWER):
            found = Culprit("agent", said, must.where, "ask for an effect too, or explain it in `holes` by `rule`")
            yield replace(found, explained=said_of(task, rule=must.title()))


def _untried(impossible: Impossible, task: Task) -> Slip:
    """A rule for which no run could be made."""
    found = Culprit(
        "untried", impossible.why, impossible.where, "see that it can be met, or explain it in `holes` by `rule`"
    )
    return Slip(UNTRIED, (replace(found, explained=said_of(task, rule=impossible.rule)),))


def _unaltered(task: Task, case: Case) -> Iterator[Slip]:
    for name in unalterable(case.sources):
        said = f"{name} cannot be altered, so it is not tested: its adapter offers no edits"
        found = Culprit("untried", said, task.sources[name].where, "explain it in `holes` by `in` alone")
        yield Slip(f"source {name}", (replace(found, explained=said_of(task, source=name)),))


def _unused(task: Task, slips: Sequence[Slip]) -> Iterator[str]:
    used = {culprit.explained.where for slip in slips for culprit in slip.lets if culprit.explained is not None}
    yield from (place for number in range(len(task.holes)) if (place := task.where("holes", number)) not in used)
