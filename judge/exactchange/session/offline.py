"""The one way from a case to its verdict, for live runs and recorded ones alike."""

import pathlib
from dataclasses import replace
from typing import TYPE_CHECKING

from exactchange.case import Case
from exactchange.episode import read_episode
from exactchange.limits import Budget
from exactchange.verdict import Verdict, Warned

if TYPE_CHECKING:
    from exactchange.task import Task


def judged(task: "Task", case: Case) -> Verdict:
    """The verdict of a case, with what its recorder saw and the hash of its events."""
    from exactchange.judging import judge  # the rules and what they need load only when something is judged

    verdict = judge(task, case)
    said = [Warned(note.kind, note.message) for note in case.notes]
    warnings = (*verdict.warnings, *(item for item in said if item not in verdict.warnings))
    return replace(verdict, warnings=warnings, hashes={**verdict.hashes, **case.hashes})


def judge_episode(task: "Task", directory: pathlib.Path, *, budget: Budget | None = None) -> Verdict:
    """The verdict of a recorded episode. Reads only; see `read_episode` for what it raises."""
    case = read_episode(directory, task, budget=budget)
    try:
        return judged(task, case)
    finally:
        for evidence in case.sources.values():
            for snapshot in evidence.captures:
                snapshot.close()
