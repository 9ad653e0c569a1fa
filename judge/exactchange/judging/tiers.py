"""The judge: veto first, then must and nothing else, then bonus."""

from collections.abc import Iterator, Sequence

from exactchange.case import Case
from exactchange.conditions import Allowed, Condition, Evaluation
from exactchange.conditions.effort import steps
from exactchange.conditions.evaluation import Tier
from exactchange.conditions.noise import by_rule, made_anew
from exactchange.errors import OverBudget
from exactchange.judging.account import Account, Books, Placed, books
from exactchange.judging.broken import BrokenTask
from exactchange.judging.coverage import not_excluded, scope, unread_in_scope
from exactchange.judging.fewest import better
from exactchange.judging.holding import never_held
from exactchange.judging.musts import Way, ways
from exactchange.judging.outcome import Grounds, bounds, outcome, score
from exactchange.task import Task
from exactchange.verdict import Bonus, Finding, Settled, Verdict


def judge(task: Task, case: Case) -> Verdict:
    """The verdict on an episode: a pure function of the task and the evidence.

    Raises BrokenTask when the task cannot tell a good run from a bad one.
    """
    evaluation = Evaluation(case, task.params, tolerated=(*task.ignore, *task.allow), ignored=task.ignore)
    given = _findings(task.given, "given", Evaluation(case.at_start(), task.params))
    vetoes = _findings(task.veto, "veto", evaluation if case.complete else _so_far(task, case))
    found = books(_placed(task, "ignore", task.ignore), _placed(task, "allow", task.allow), evaluation)
    way, balance = _best(task, found, evaluation, sound=all(finding.holds is True for finding in given))
    unread = unread_in_scope(task, evaluation)
    unexplained = (balance.unexplained, balance.certain)
    grounds = Grounds(given, vetoes, way.findings, *unexplained, [i for _, i in unread], case.failure, case.complete)
    result, cause = outcome(grounds)
    bonus = _findings(task.bonus, "bonus", evaluation) if result == "passed" else ()
    weighed = list(zip(task.bonus, bonus, strict=True)) if bonus else []
    return Verdict(
        task=task.id,
        outcome=result,
        score=score(result, cause, weighed, passed=task.score.passed),
        bounds=bounds(grounds, result, weighed, passed=task.score.passed),
        cause=cause,
        bonus=Bonus(sum(finding.holds is True for finding in bonus), len(task.bonus)),
        findings=(*given, *vetoes, *way.findings, *bonus),
        unexplained=balance.unexplained,
        whole=balance.whole,
        allowed=balance.allowed,
        ignored=(*found.ignored_changes(), *balance.noise, *_made_anew(case)),
        freed=(*way.freed, *balance.freed),
        unread=tuple(unread),
        scope=tuple(scope(evidence) for evidence in case.sources.values()),
        warnings=(*task.warnings, *never_held(task, evaluation), *not_excluded(evaluation)),
        mode=case.mode,
        stopped_at=case.stopped_at,
        steps=steps(evaluation),
        hashes={"task": task.hash, **case.hashes},
    )


def vetoed_so_far(task: Task, case: Case) -> tuple[Finding, ...]:
    """The vetoes that hold on what there is of an episode so far, and will hold whatever follows."""
    found = _findings(task.veto, "veto", _so_far(task, case))
    return tuple(finding for finding in found if finding.holds is True)


def _so_far(task: Task, case: Case) -> Evaluation:
    tolerated = (*task.ignore, *task.allow)
    return Evaluation(case, task.params, ends=case.complete, tolerated=tolerated, ignored=task.ignore)


def _findings(conditions: Sequence[Condition], tier: Tier, evaluation: Evaluation) -> tuple[Finding, ...]:
    return tuple(_finding(condition, tier, evaluation) for condition in conditions)


def _finding(condition: Condition, tier: Tier, evaluation: Evaluation) -> Finding:
    try:
        result = condition.check(evaluation, tier=tier)
    except OverBudget as error:
        return Finding(tier, condition.title(), condition.where, None, f"too much to look through: {error}")
    near = () if tier == "veto" else result.near
    return Finding(tier, condition.title(), condition.where, result.truth, result.why, result.evidence, (), near)


def _best(task: Task, found: Books, evaluation: Evaluation, *, sound: bool) -> tuple[Way, Account]:
    """Of all ways to fulfil the musts the one that fails least, then leaves least unexplained; else the first.

    `sound`: whether the world was as `given` says. In a broken one a must may be vacuous, and there is no verdict.
    """
    try:
        every = ways(
            task.must, evaluation, found.ignored_atoms, refine=lambda demands, first: better(demands, first, found)
        )
        judged = [(way, found.account(way)) for way in every]
    except BrokenTask:
        if sound:
            raise
        judged = []
    return min(judged, key=lambda pair: _badness(*pair), default=(Way(()), Account()))


def _made_anew(case: Case) -> Iterator[Settled]:
    """What differs and is no state, such as names that a page makes up anew: by no rule of the task."""
    for evidence in case.sources.values():
        yield from map(by_rule, made_anew(evidence))


def _placed(task: Task, section: str, patterns: Sequence[Allowed]) -> list[Placed]:
    return [(pattern, task.where(section, number)) for number, pattern in enumerate(patterns)]


def _badness(way: Way, balance: Account) -> tuple[int, bool, int, int]:
    fails = sum(finding.holds is False for finding in way.findings)
    unknown = sum(finding.holds is None for finding in way.findings)
    return fails, balance.certain, unknown, len(balance.unexplained)
