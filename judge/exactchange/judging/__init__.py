"""Judging: a pure function from a task and a case to a verdict."""

from exactchange.judging.broken import BrokenTask
from exactchange.judging.tiers import judge, vetoed_so_far

__all__ = ["BrokenTask", "judge", "vetoed_so_far"]
