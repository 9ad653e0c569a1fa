"""`change`: something was added, removed or modified."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Optional

from pydantic import Field

from exactchange.conditions.counting import MOST_EVIDENCE, counted, shortened
from exactchange.conditions.evaluation import Evaluation, Result, change_evidence
from exactchange.conditions.licences import unlicensed
from exactchange.conditions.moments import Moment, Moments, of_capture
from exactchange.conditions.patterns import Hit, hits, near_misses, unread_there
from exactchange.conditions.place import AtLeast, Between, Pattern
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition


class ChangeRule(Pattern):
    """Changes that fit a pattern: in a must just so many, elsewhere at least one."""

    count: AtLeast | Between | Literal["all"] | None = Field(default=None, description="How many such changes.")
    when: Literal["end", "ever"] | None = Field(default=None, description="At the end, or at any time in between.")
    unless_after: Optional["Condition"] = Field(
        default=None, description="It does not count after this; each hit of it licenses one."
    )

    def check(self, evaluation: Evaluation, *, ever: bool) -> Result:
        """Whether such changes are there. `ever`: look at every step unless the rule says otherwise."""
        always = self.when == "ever" or (self.when is None and ever) or self.unless_after is not None
        if not always and not evaluation.ends:
            return Result(None, "the episode is not over")
        every, unread = self.timeline(evaluation) if always else self._end(evaluation)
        found = self._unlicensed(evaluation, every)
        sure = [hit for hit in found if hit.truth is True]
        possible = [hit for hit in found if hit.truth is None]
        truth = counted(len(sure), len(possible), self._count(), more=bool(unread) or not evaluation.ends)
        evidence = shortened([change_evidence(hit.unit.change, hit.unit.sides.step) for hit in sure or possible])
        near = () if sure else near_misses(self, found, evaluation, most=MOST_EVIDENCE)
        return Result(truth, _why(truth, sure, possible, unread), evidence, near)

    def timeline(self, evaluation: Evaluation) -> tuple[list[Hit], list[str]]:
        """Hits of every step, and those that only the whole way from the start shows; each with its step."""
        last = len(evaluation.case.evidence(self.in_).captures) - 1
        out: list[Hit] = []
        unread: list[str] = []
        seen: set[object] = set()
        for end in range(1, last + 1):
            if end > 1 and evaluation.case.unchanged(self.in_, end):
                continue  # neither step nor way shows what the capture before did not
            for start in (end - 1, 0) if end > 1 else (0,):
                found = hits(self, evaluation, start, end)
                out += [
                    hit for hit in found if start == end - 1 or (hit.truth is not False and hit.unit.spot not in seen)
                ]
                seen |= {hit.unit.spot for hit in found if hit.truth is not False}
                unread += unread_there(self, evaluation, start, end)
        if last < 1:
            unread.append(f"{self.in_}: there is no capture after the start")
        return out, list(dict.fromkeys(unread))

    def moments(self, evaluation: Evaluation) -> Moments:
        """The steps whose capture first shows such a change."""
        every, unread = self.timeline(evaluation)
        found = self._unlicensed(evaluation, every)
        sure = sorted({_moment(hit) for hit in found if hit.truth is True})
        unsure = bool(unread) or not evaluation.ends or any(hit.truth is None for hit in found)
        return Moments(tuple(sure), unsure, "; ".join(unread))

    def _end(self, evaluation: Evaluation) -> tuple[Sequence[Hit], list[str]]:
        last = len(evaluation.case.evidence(self.in_).captures) - 1
        if last < 1:
            return [], [f"{self.in_}: there is no capture after the start"]
        return hits(self, evaluation, 0, last), list(unread_there(self, evaluation, 0, last))

    def _count(self) -> int | Between | None:
        return None if self.count == "all" else self.count

    def _unlicensed(self, evaluation: Evaluation, found: Sequence[Hit]) -> Sequence[Hit]:
        return unlicensed(self.unless_after, evaluation, found, moment=_moment, truth=lambda hit: hit.truth)


def _moment(hit: Hit) -> Moment:
    return of_capture(hit.unit.sides.since, hit.unit.sides.step)


def _why(truth: Truth, sure: Sequence[Hit], possible: Sequence[Hit], unread: Sequence[str]) -> str:
    if sure:
        first = sure[0].unit
        where = f"{first.change.source}: {first.change.address or 'the whole source'} {first.change.op}"
        step = f" at step {first.sides.step}" if first.sides.step else ""
        more = f" and {len(sure) - 1} more" if len(sure) > 1 else ""
        return f"{where}{step}{more}"
    if truth is None:
        return "; ".join(unread) or f"{len(possible)} changes cannot be told apart from the wanted one"
    return "no such change"
