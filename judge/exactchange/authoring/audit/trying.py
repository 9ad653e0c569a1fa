"""One run judged by one task, where the task may find that it cannot judge it."""

from exactchange.authoring.audit.result import Tested
from exactchange.case import Case
from exactchange.judging import BrokenTask, judge
from exactchange.task import Task
from exactchange.verdict import Verdict


def outcome(task: Task, case: Case) -> tuple[Verdict | None, str]:
    """The verdict; none, and why, where the task finds that it cannot judge the run."""
    try:
        return judge(task, case), ""
    except BrokenTask as error:
        return None, str(error)


def tested(name: str, task: Task, case: Case, *, about: str = "") -> Tested:
    """What came of a run. `about`: what several runs have in common, for people."""
    verdict, broken = outcome(task, case)
    return Tested(name, None if verdict is None else verdict.outcome, broken, about)
