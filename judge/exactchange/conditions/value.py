"""`value`: what stands in a place fits."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, model_validator

from exactchange.case import ANSWER
from exactchange.conditions.counting import shortened
from exactchange.conditions.documents import lone, spans
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.matchers import MatcherField
from exactchange.conditions.matchers.base import unbound
from exactchange.conditions.matchers.number import doubt
from exactchange.conditions.meeting import may_meet
from exactchange.conditions.moments import Moment, Moments, of_capture
from exactchange.conditions.patterns import said
from exactchange.conditions.place import Place
from exactchange.errors import OverBudget, UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.sources import Match, Span
from exactchange.values import ABSENT, Path, State, Value, canonical_bytes
from exactchange.verdict import Truth


class ValueRule(Place):
    """The value in a place, or what a query gives, fits a matcher: at the end, at some time, or always."""

    query: str | None = Field(default=None, description="A SELECT on the database; params are bound as :name.")
    is_: MatcherField = Field(alias="is", description="What the value must fit.")
    pick: Literal["one", "every", "any"] = Field(
        default="one", description="Of several: only one may stand there, every one fits, or any."
    )
    when: Literal["end", "ever", "always"] | None = Field(
        default=None,
        description="At which captures. Left out: at the end; where the page that held it is gone, as that was.",
    )

    @model_validator(mode="after")
    def _somewhere(self) -> "ValueRule":
        placed = self.at is not None or self.table is not None or self.own()
        if (self.query is not None) == bool(placed):
            raise ValueError("a value stands in one place: say `at`, `table`, a selector or `query`")
        return self

    def check(self, evaluation: Evaluation, *, ever: bool) -> Result:
        """Whether it fits at the moments that count. `ever`: any capture, unless the rule says otherwise."""
        captures = evaluation.case.evidence(self.in_).captures
        if not captures:
            return Result(None, f"{self.in_}: there is no capture")
        when = self.when or ("ever" if ever else "end")
        if when == "end":
            if not evaluation.ends:
                return Result(None, "the episode is not over")
            last = len(captures) - 1
            left = self._of_left(evaluation, last) if self.when is None else None
            return self._typo(evaluation, left or self.at_capture(evaluation, last))
        results = [self.at_capture(evaluation, position) for position in range(len(captures))]
        if when == "always":
            results = [result for at, result in enumerate(results) if not self._left(evaluation, at)]
        truths = [result.truth for result in results]
        strong = when == "ever"
        if strong not in truths and not evaluation.ends:
            return Result(None, "the episode is not over")
        truth: Truth = strong if strong in truths else None if None in truths else not strong
        return next(result for result in results if result.truth is truth)

    def at_capture(self, evaluation: Evaluation, position: int) -> Result:
        """Whether it fits at one capture of the source."""
        snapshot = evaluation.case.evidence(self.in_).captures[position]
        try:
            found = self._values(evaluation, snapshot, position)
            unread = _unread(snapshot, self, evaluation)
            if found:
                return self._picked(evaluation, snapshot, found, unread)
        except OverBudget as error:
            return Result(None, f"{self.in_}: too much to look through: {error}")
        except UsageError as error:
            return Result(None, f"{self.in_}: {error}")
        if unread:
            return Result(None, unread)
        evidence = (_evidence(self, ABSENT, snapshot),)
        return Result(self._of_nothing(evaluation), f"{self.in_}: nothing stands there", evidence)

    def _of_left(self, evaluation: Evaluation, position: int) -> Result | None:
        """Whether what stood in a place fitted when the document that held it was last read; None where that says
        nothing: something stands there, it is unread, or it is asked whether anything does.
        """
        try:
            gone = self._left(evaluation, position)
            if not gone:
                return None
            at = gone[0].last
            unknown = [span.went for span in gone if span.went is not None and span.last == at]
            if unknown:
                return Result(None, said(self.in_, unknown[0]))
            kept = [self._held(evaluation, at, span.path) for span in gone if span.last == at]
            found = [match for matches, _ in kept for match in matches]
            unread = next((why for _, why in kept if why), "")
            if not found:
                return Result(None, unread)
            return self._picked(evaluation, evaluation.case.evidence(self.in_).captures[at], found, unread)
        except OverBudget as error:
            return Result(None, f"{self.in_}: too much to look through: {error}")

    def _left(self, evaluation: Evaluation, position: int) -> Sequence[Span]:
        """The documents that are gone in a capture and held the place before, the latest first; none where something
        stands there or may stand there unread, or where the rule asks whether anything does.
        """
        if self.query is not None or self.is_.about_absence or not spans(evaluation, self.in_):
            return ()
        snapshot = evaluation.case.evidence(self.in_).captures[position]
        if evaluation.nodes(self, position) or _unread(snapshot, self, evaluation):
            return ()
        gone = [(place, span) for span in spans(evaluation, self.in_) if (place := span.before(position)) is not None]
        found = [(place[0], span) for place, span in gone if any(self._held(evaluation, *place))]
        return [span for _, span in sorted(found, key=lambda pair: -pair[0])]

    def _held(self, evaluation: Evaluation, position: int, path: Path) -> tuple[Sequence[Match], str]:
        """What stood in the place in the document at a path, in a capture, and why more may have stood there unread."""
        alone = lone(evaluation, self.in_, position, path)
        return alone.nodes(self, 0), _unread(alone.case.evidence(self.in_).captures[0], self, alone)

    def may_have_stood(self, evaluation: Evaluation) -> bool:
        """Whether something stood in the place at any capture, or nobody can tell; of a query, always."""
        captures = evaluation.case.evidence(self.in_).captures
        try:
            return self.query is not None or any(
                _unread(snapshot, self, evaluation) or evaluation.nodes(self, number)
                for number, snapshot in enumerate(captures)
            )
        except OverBudget:
            return True

    def moments(self, evaluation: Evaluation) -> Moments:
        """The steps whose capture shows a fitting value that the one before did not."""
        evidence = evaluation.case.evidence(self.in_)
        truths = [self.at_capture(evaluation, number).truth for number in range(len(evidence.captures))]
        sure: list[Moment] = []
        since: int | None = None  # the last step at which it certainly did not fit
        met = False
        for step, truth in zip(evidence.steps, truths, strict=True):
            if truth is True and not met:
                sure.append(of_capture(evidence.steps[0] - 1 if since is None else since, step))
            met = truth is True or (met and truth is None)
            since = step if truth is False else since
        return Moments(tuple(sure), None in truths or not evaluation.ends)

    def _values(self, evaluation: Evaluation, snapshot: Snapshot, position: int) -> Sequence[Match]:
        query = self.query
        if query is None:
            return self._placed(evaluation, position)
        if unread_whole(snapshot):
            return ()
        kind = evaluation.case.evidence(self.in_).kind
        arguments = evaluation.arguments

        def asked(taken: Snapshot) -> Sequence[Value] | OverBudget:
            try:
                return kind.rows(taken, query, arguments, budget=CountedBudget())
            except OverBudget as error:  # kept as well: it takes longest
                return error

        rows = evaluation.case.found(self.in_, position, ("rows", query, canonical_bytes(arguments)), asked)
        if isinstance(rows, OverBudget):
            raise rows
        return [Match((), f"row {number}", _single(row)) for number, row in enumerate(rows, 1)]

    def _placed(self, evaluation: Evaluation, position: int) -> Sequence[Match]:
        """What stands in the place. A whole source is one value, unless `pick` asks for all that is in it.

        The whole answer is its text: no agent chooses by how it puts things whether a rule sees a text or data.
        """
        found = evaluation.nodes(self, position)
        address = evaluation.pattern(self)
        if self.pick != "one" or address is None or not address.whole:
            return found
        if self.in_ == ANSWER and ANSWER not in evaluation.case.sources:
            text = evaluation.case.answer
            return () if text is None else [Match((), "", text)]
        return [match for match in found if not match.path] or found

    def _of_nothing(self, evaluation: Evaluation) -> Truth:
        """Whether a place where nothing stands fits. Of none nothing holds, unless absence is wanted."""
        wants_absence = isinstance(self.is_.raw, Mapping) and self.is_.raw.get("absent") is True
        if self.pick != "one" and not wants_absence:
            return False
        return unbound(self.is_.match(ABSENT, evaluation.context()))

    def _picked(self, evaluation: Evaluation, snapshot: Snapshot, found: Sequence[Match], unread: str) -> Result:
        results = [unbound(self.is_.match(match.value, evaluation.context(self.in_, match.path))) for match in found]
        evidence = shortened([_evidence(self, match.value, snapshot, match.address) for match in found])
        if self.pick == "one" and len(found) > 1:
            return Result(None, f"{len(found)} values stand there; say which, or `pick: every` or `any`", evidence)
        strong = self.pick == "any"
        truth: Truth = strong if strong in results else None if None in results or unread else not strong
        if self.pick == "one":
            truth = None if unread else results[0]
        word = {True: "fits", False: "does not fit", None: "cannot be told"}[truth]
        if truth is None and not unread:
            word += doubt(self.is_.tests, found[results.index(None)].value, evaluation.context(self.in_))
        return Result(truth, unread if truth is None and unread else f"{found[0].address or self.in_} {word}", evidence)

    def _typo(self, evaluation: Evaluation, result: Result) -> Result:
        """A place that never held anything is more likely misspelt than judged; nothing is no value that is not X."""
        evidence = evaluation.case.evidence(self.in_)
        said = result.truth is None or (result.truth and self.is_.about_absence)
        if said or evaluation.prefix or self.query is not None or evidence.params.missing == "ok":
            return result
        if self.in_ not in evaluation.case.sources and result.truth is False:
            return result  # no answer is an answer of its own, if not the wanted one
        try:
            if any(evaluation.nodes(self, number) for number in range(len(evidence.captures))):
                return result
        except OverBudget as error:
            return Result(None, f"{self.in_}: too much to look through: {error}")
        return Result(None, f"{self.in_}: nothing ever stood there: is the place misspelt? (`missing: ok` if not)")


def _single(row: Value) -> Value:
    return next(iter(row.values())) if isinstance(row, Mapping) and len(row) == 1 else row


def _unread(snapshot: Snapshot, rule: ValueRule, evaluation: Evaluation) -> str:
    pattern = None if rule.query is not None else evaluation.pattern(rule)
    found = (item for item in snapshot.unread if may_meet(pattern, item.path, evaluation, rule.in_))
    return next((said(rule.in_, item) for item in found), "")


def _evidence(rule: ValueRule, value: State, snapshot: Snapshot, address: str = "") -> Mapping[str, Value]:
    item: dict[str, Value] = {"kind": "value", "source": rule.in_, "address": address or rule.at or rule.query or ""}
    return (item if value is ABSENT else item | {"value": value}) | {"step": snapshot.mark.step}
