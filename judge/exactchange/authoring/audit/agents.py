"""Agents that do nothing: none of them may pass."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from exactchange.authoring.audit.answers import empty_answers
from exactchange.authoring.audit.leaves import reads
from exactchange.case import ANSWER, Case, Ended
from exactchange.task import Task

_TALKERS: Final[tuple[tuple[str, str | None, Ended], ...]] = (
    ("does nothing", None, "done"),
    ("only claims success", "Done. The task is complete.", "done"),
    ('answers "N/A"', "N/A", "done"),
    ("answers nothing", "", "done"),
    ("stops at once", None, "stopped"),
)


@dataclass(frozen=True)
class NullAgent:
    """An agent without effect, and the case of its run. `claims`: it knows the answer of the good run."""

    name: str
    case: Case
    claims: bool = False


def null_agents(task: Task, case: Case) -> Iterator[NullAgent]:
    """The runs of the null agents, made from the start of a good episode."""
    start = case.at_start()
    for name, answer, ended in _TALKERS:
        yield NullAgent(name, replace(start, answer=answer, ended=ended))
    for name, answer in empty_answers(task.instruction):
        yield NullAgent(name, replace(start, answer=answer, ended="done"))
    judged = any(reads(must, ANSWER) for must in task.must)
    if judged and case.answer is not None:
        yield NullAgent("gives the right answer without any work", replace(start, answer=case.answer), claims=True)
