"""`change`: something was added, removed or modified."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Optional

from pydantic import Field

from exactchange.conditions.counting import MOST_EVIDENCE, counted, shortened
from exactchange.conditions.evaluation import Evaluation, Result, change_evidence
from exactchange.conditions.licences import unlicensed
from exactchange.conditions.moments import Moment, Moments, of_capture
from exactchange.conditions.near import near_misses
from exactchange.conditions.patterns import Hit, hits, unread_there
from exactchange.conditions.place import AtLeast, Between, Pattern
from exactchange.snapshot import START
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition


@dataclass(frozen=True, slots=True)
class Seen:
    """A hit, and when it happened."""

    hit: Hit
    moment: Moment


class ChangeRule(Pattern):
    """Changes that fit a pattern: in a must just so many, elsewhere at least one."""

    count: AtLeast | Between | Literal["all"] | None = Field(default=None, description="How many such changes.")
    when: Literal["end", "ever"] | None = Field(default=None, description="At the end, or at any time in between.")
    unless_after: Optional["Condition"] = Field(
        default=None, description="It does not count after this; each hit of it licenses one."
    )

    def check(self, evaluation: Evaluation, *, ever: bool) -> Result:
        """Whether such changes are there. `ever`: look at every step unless the rule says otherwise."""
        always = self.in_between(ever)
        if not always and not evaluation.ends:
            return Result(None, "the episode is not over")
        found, unread = self._ever(evaluation) if always else self._end(evaluation)
        sure = [hit for hit in found if hit.truth is True]
        possible = [hit for hit in found if hit.truth is None]
        truth = counted(len(sure), len(possible), self._count(), more=bool(unread) or not evaluation.ends)
        evidence = shortened([change_evidence(hit.unit.change, hit.unit.sides.step) for hit in sure or possible])
        near = () if sure else near_misses(self, found, evaluation, most=MOST_EVIDENCE)
        return Result(truth, _why(truth, sure, possible, unread), evidence, near)

    def in_between(self, ever: bool) -> bool:
        """Whether it looks at every step, and not only at start and end."""
        return self.when == "ever" or (self.when is None and ever) or self.unless_after is not None

    def timeline(self, evaluation: Evaluation) -> tuple[Sequence[Seen], Sequence[str]]:
        """Hits of every step, and those that only the whole way from the start shows; each with its moment."""
        captures = evaluation.case.evidence(self.in_).captures
        out: list[Seen] = []
        unread: dict[str, None] = {}
        known: set[object] = set()
        looked = START  # the last step at which the whole way from the start was seen
        clear = True
        for end in range(1, len(captures)):
            step = captures[end].mark.step
            if not evaluation.case.unchanged(self.in_, end):
                for start in (end - 1, 0) if end > 1 else (0,):
                    since = captures[end - 1].mark.step if start == end - 1 else looked
                    found = hits(self, evaluation, start, end)
                    new = [h for h in found if start == end - 1 or (h.truth is not False and h.unit.spot not in known)]
                    out += [Seen(hit, of_capture(since, step)) for hit in new]
                    known |= {hit.unit.spot for hit in found if hit.truth is not False}
                    unread |= dict.fromkeys(unread_there(self, evaluation, start, end))
                clear = not unread_there(self, evaluation, 0, end)
            looked = step if clear else looked
        if len(captures) < 2:
            unread[f"{self.in_}: there is no capture after the start"] = None
        return out, list(unread)

    def moments(self, evaluation: Evaluation) -> Moments:
        """The steps whose capture first shows such a change."""
        found, unread = self.timeline(evaluation)
        found = self._unlicensed(evaluation, found)
        sure = sorted({seen.moment for seen in found if seen.hit.truth is True})
        unsure = bool(unread) or not evaluation.ends or any(seen.hit.truth is None for seen in found)
        return Moments(tuple(sure), unsure, "; ".join(unread))

    def _ever(self, evaluation: Evaluation) -> tuple[Sequence[Hit], Sequence[str]]:
        found, unread = self.timeline(evaluation)
        return [seen.hit for seen in self._unlicensed(evaluation, found)], unread

    def _end(self, evaluation: Evaluation) -> tuple[Sequence[Hit], Sequence[str]]:
        last = len(evaluation.case.evidence(self.in_).captures) - 1
        if last < 1:
            return [], [f"{self.in_}: there is no capture after the start"]
        return hits(self, evaluation, 0, last), unread_there(self, evaluation, 0, last)

    def _count(self) -> int | Between | None:
        return None if self.count == "all" else self.count

    def _unlicensed(self, evaluation: Evaluation, found: Sequence[Seen]) -> Sequence[Seen]:
        return unlicensed(
            self.unless_after, evaluation, found, moment=lambda seen: seen.moment, truth=lambda seen: seen.hit.truth
        )


def _why(truth: Truth, sure: Sequence[Hit], possible: Sequence[Hit], unread: Sequence[str]) -> str:
    if sure:
        first = sure[0].unit
        where = f"{first.change.source}: {first.change.address or 'the whole source'} {first.change.op}"
        step = f" at step {first.sides.step}" if first.sides.step else ""
        more = f" and {len(sure) - 1} more" if len(sure) > 1 else ""
        return f"{where}{step}{more}"
    if truth is None:
        said = "; ".join(unread) or next((hit.why for hit in possible if hit.why), "")
        return said or f"{len(possible)} changes cannot be told apart from the wanted one"
    return "no such change"
