"""The judge: veto first, then must and nothing else, then bonus."""

from collections.abc import Sequence

from exactchange.case import Case, Evidence
from exactchange.conditions import Allowed, Condition, Evaluation
from exactchange.conditions.effort import steps
from exactchange.conditions.evaluation import Tier
from exactchange.errors import OverBudget
from exactchange.judging.account import Account, Placed, account, ignored_atoms, ignored_changes
from exactchange.judging.musts import Way, ways
from exactchange.judging.outcome import Grounds, outcome, score
from exactchange.snapshot import Unread
from exactchange.task import Task
from exactchange.verdict import Bonus, Finding, Verdict, Warned


def judge(task: Task, case: Case) -> Verdict:
    """The verdict on an episode: a pure function of the task and the evidence.

    Raises BrokenTask when the task cannot tell a good run from a bad one.
    """
    evaluation = Evaluation(case, task.params)
    given = _findings(task.given, "given", Evaluation(case.at_start(), task.params))
    vetoes = _findings(task.veto, "veto", evaluation)
    way, balance = _best(task, evaluation)
    unread = _unread(evaluation)
    grounds = Grounds(
        given, vetoes, way.findings, balance.unexplained, [i for _, i in unread], case.failure, case.complete
    )
    result, cause = outcome(grounds)
    bonus = _findings(task.bonus, "bonus", evaluation) if result == "passed" else ()
    return Verdict(
        task=task.id,
        outcome=result,
        score=score(result, cause, list(zip(task.bonus, bonus, strict=True)) if bonus else ()),
        cause=cause,
        bonus=Bonus(sum(finding.holds is True for finding in bonus), len(task.bonus)),
        findings=(*given, *vetoes, *way.findings, *bonus),
        unexplained=balance.unexplained,
        allowed=balance.allowed,
        ignored=ignored_changes(_placed(task, "ignore", task.ignore), evaluation),
        freed=(*way.freed, *balance.freed),
        unread=tuple(unread),
        scope=tuple(_scope(evidence) for evidence in case.sources.values()),
        warnings=(*task.warnings, *_not_excluded(task, case)),
        mode=case.mode,
        stopped_at=case.stopped_at,
        steps=steps(evaluation),
        hashes={"task": task.hash, **case.hashes},
    )


def vetoed_so_far(task: Task, case: Case) -> tuple[Finding, ...]:
    """The vetoes that hold on what there is of an episode so far."""
    found = _findings(task.veto, "veto", Evaluation(case, task.params))
    return tuple(finding for finding in found if finding.holds is True)


def _findings(conditions: Sequence[Condition], tier: Tier, evaluation: Evaluation) -> tuple[Finding, ...]:
    return tuple(_finding(condition, tier, evaluation) for condition in conditions)


def _finding(condition: Condition, tier: Tier, evaluation: Evaluation) -> Finding:
    try:
        result = condition.check(evaluation, tier=tier)
    except OverBudget as error:
        return Finding(tier, condition.title(), condition.where, None, f"too much to look through: {error}")
    near = () if tier == "veto" else result.near
    return Finding(tier, condition.title(), condition.where, result.truth, result.why, result.evidence, (), near)


def _best(task: Task, evaluation: Evaluation) -> tuple[Way, Account]:
    """Of all ways to fulfil the musts the one that fails least, then leaves least unexplained; else the first."""
    ignored = ignored_atoms(_placed(task, "ignore", task.ignore), evaluation)
    allow = _placed(task, "allow", task.allow)
    judged = [(way, account(way, ignored, allow, evaluation)) for way in ways(task.must, evaluation, ignored)]
    return min(judged, key=lambda pair: _badness(*pair), default=(Way(()), Account()))


def _placed(task: Task, section: str, patterns: Sequence[Allowed]) -> list[Placed]:
    return [(pattern, task.where(section, number)) for number, pattern in enumerate(patterns)]


def _badness(way: Way, balance: Account) -> tuple[int, bool, int, int]:
    fails = sum(finding.holds is False for finding in way.findings)
    unknown = sum(finding.holds is None for finding in way.findings)
    return fails, bool(balance.unexplained), unknown, len(balance.unexplained)


def _unread(evaluation: Evaluation) -> list[tuple[str, Unread]]:
    """What could not be read at the start or the end, in scope: about it nothing can be said."""
    out: list[tuple[str, Unread]] = []
    for name, evidence in evaluation.case.sources.items():
        last = len(evidence.captures) - 1
        if last < 1:
            out.append((name, Unread((), "", "there is no capture at both the start and the end", "infrastructure")))
            continue
        for item in evaluation.diff(name, 0, last).unread:
            if not item.path or evidence.kind.in_scope(item.path, evidence.params):
                out.append((name, item))
    return out


def _scope(evidence: Evidence) -> str:
    inside = evidence.kind.scope(evidence.params)
    return f"{evidence.name} ({inside})" if inside else evidence.name


def _not_excluded(task: Task, case: Case) -> tuple[Warned, ...]:
    """What a verdict on this evidence cannot exclude, so that a pass does not claim more than was seen."""
    out = [] if case.failure is None else [Warned("infrastructure", case.failure)]
    out += [Warned(note.kind, note.message) for note in case.notes]
    blind = [name for name in case.sources if not case.watched_every_step(name)]
    if blind:
        out.append(
            Warned(
                "between captures",
                f"what was done and undone between two captures is not excluded: {', '.join(blind)} "
                f"{'was' if len(blind) == 1 else 'were'} not read after every step",
            )
        )
    return tuple(out)
