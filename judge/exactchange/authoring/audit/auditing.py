"""The audit of a task: what is caught, what slips through and why, as values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from exactchange.authoring.audit.agents import null_agents
from exactchange.authoring.audit.culprits import Culprit, culprits
from exactchange.authoring.audit.explaining import said_of
from exactchange.authoring.audit.leaves import reads
from exactchange.authoring.audit.mutant import Alike, Impossible, Made, Mutant, Sort, only_less, unalterable
from exactchange.authoring.audit.mutants import attempts
from exactchange.authoring.audit.result import SORTS, UNTRIED, Audit, Count, Slip, Tested
from exactchange.authoring.audit.variants import Variant
from exactchange.case import ANSWER, Case
from exactchange.errors import UsageError
from exactchange.judging import BrokenTask, judge
from exactchange.task import Task
from exactchange.verdict import Verdict


class BadEpisode(UsageError):
    """The run that a task is to be tested with does not pass."""


News = Callable[[str], None]


@dataclass(frozen=True)
class OtherRun:
    """Another good run. `differs`: names of the params that are others; none for one of the same variant."""

    name: str
    task: Task
    case: Case
    differs: tuple[str, ...] = ()


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
    varied, decoration = _variants(task, case, variants)
    crossed, replayed = _crossed(task, case, others)
    slips = [*claims, *tally.slips, *decoration, *replayed, *_unaltered(task, case)]
    return Audit(task.id, agents, tally.counts, (*varied, *crossed), tuple(slips), tuple(_unused(task, slips)))


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
        verdict, _ = _outcome(self._task, mutant.case)
        if verdict is None:
            return replace(count, caught=count.caught + 1, broken=count.broken + 1)
        if not verdict.passed:
            undecided = count.undecided + (verdict.outcome == "undecided")
            return replace(count, caught=count.caught + 1, undecided=undecided)
        if mutant.sort in ("elsewhere", "tolerated") and only_less(self._good, mutant):
            return replace(count, alike=count.alike + 1)
        lets = culprits(self._task, self._good, mutant, verdict)
        self.slips.append(Slip(mutant.what, lets, mutant.sort, mutant.changes))
        return replace(count, passed=count.passed + 1)


def _why(verdict: Verdict) -> str:
    failed = [
        finding for finding in verdict.findings if finding.tier in ("given", "must") and finding.holds is not True
    ]
    crossed = [finding for finding in verdict.findings if finding.tier == "veto" and finding.holds is not False]
    parts = [f"{finding.tier} {finding.name!r}: {finding.why}" for finding in (*crossed, *failed)]
    parts += [f"{c.source} {c.address} {c.op}, which nobody asked for" for c in verdict.unexplained]
    parts += [f"{source} {item.address} is unread: {item.reason}" for source, item in verdict.unread]
    return f"it is {verdict.outcome} ({'; '.join(parts[:3]) or 'the evidence does not tell'})"


def _outcome(task: Task, case: Case) -> tuple[Verdict | None, str]:
    """The verdict; none, and why, where the task finds that it cannot judge the run."""
    try:
        return judge(task, case), ""
    except BrokenTask as error:
        return None, str(error)


def _tested(name: str, task: Task, case: Case) -> Tested:
    verdict, broken = _outcome(task, case)
    return Tested(name, None if verdict is None else verdict.outcome, broken)


def _agents(task: Task, case: Case) -> tuple[tuple[Tested, ...], list[Slip]]:
    """The null agents; of one that knows the right answer a hole, since for some tasks an answer is the work."""
    out: list[Tested] = []
    claims: list[Slip] = []
    for agent in null_agents(task, case):
        tested = _tested(agent.name, task, agent.case)
        if not agent.claims:
            out.append(tested)
        elif tested.passed:
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


def _variants(task: Task, case: Case, variants: Sequence[Variant]) -> tuple[tuple[Tested, ...], list[Slip]]:
    """What the good run is under other params; a hole where it passes: then no verdict depends on that param."""
    out: list[Tested] = []
    slips: list[Slip] = []
    for variant in variants:
        where = task.where("params")
        if variant.task is None:
            found = Culprit(
                "param", f"it could not be varied: {variant.why}", where, "explain it in `holes` by `param`"
            )
            slips.append(
                Slip(f"param {variant.param}", (replace(found, explained=said_of(task, param=variant.param)),))
            )
            continue
        tested = _tested(f"the same run under {variant.said}", variant.task, case)
        out.append(tested)
        if tested.passed:
            said = "no rule depends on this param, so that one run passes for all its values"
            found = Culprit("param", said, where, "use it in a must, or explain it in `holes` by `param`")
            slips.append(
                Slip(
                    f"the same run with {variant.said}", (replace(found, explained=said_of(task, param=variant.param)),)
                )
            )
    return tuple(out), slips


def _crossed(task: Task, case: Case, others: Sequence[OtherRun]) -> tuple[tuple[Tested, ...], list[Slip]]:
    """The end state of one variant judged under another, both ways: else blind replay could win."""
    out: list[Tested] = []
    slips: list[Slip] = []
    for other in (run for run in others if run.differs):
        pairs = ((f"the run {other.name}", task, other.case), (f"this run, by {other.name}", other.task, case))
        for name, by, run in pairs:
            tested = _tested(name, by, run)
            out.append(tested)
            if tested.passed:
                said = "the run of one variant passes under another"
                found = Culprit("param", said, task.where("params"), "ask for what the params say")
                explained = [said_of(task, param=param) for param in other.differs]
                slips.append(Slip(name, tuple(replace(found, explained=item) for item in explained)))
    return tuple(out), slips


def _unaltered(task: Task, case: Case) -> Iterator[Slip]:
    for name in unalterable(case.sources):
        said = f"{name} cannot be altered, so it is not tested: its adapter offers no edits"
        found = Culprit("untried", said, task.sources[name].where, "explain it in `holes` by `in` alone")
        yield Slip(f"source {name}", (replace(found, explained=said_of(task, source=name)),))


def _unused(task: Task, slips: Sequence[Slip]) -> Iterator[str]:
    used = {culprit.explained.where for slip in slips for culprit in slip.lets if culprit.explained is not None}
    yield from (place for number in range(len(task.holes)) if (place := task.where("holes", number)) not in used)
