"""Documents of a source that came or left while the episode ran, each by itself: as it first and as it last was."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from exactchange.case import Evidence
from exactchange.conditions.evaluation import Evaluation
from exactchange.conditions.patterns import Hit, hits
from exactchange.conditions.place import Pattern
from exactchange.conditions.units import Sides, Unit, atoms, sides, whole_units
from exactchange.snapshot import Snapshot, Unread
from exactchange.sources import Documented, Span
from exactchange.values import Path, Value


@dataclass(frozen=True, slots=True)
class Apart:
    """A document that is judged by itself. `left`: whether it is gone at the end.

    `evaluation`: of a case with two captures, of nothing but this document, in the place where it was last seen.
    """

    span: Span
    left: bool
    evaluation: Evaluation
    evidence: Evidence

    @property
    def ends(self) -> Sides:
        """How it first and how it last was."""
        return sides(self.evidence, 0, 1)

    def units(self) -> Iterator[Unit]:
        """The rows and leaves of it that changed, of those in which nothing else may."""
        for change in self.evaluation.diff(self.evidence.name, 0, 1).changes:
            yield from (self._told(unit) for unit in whole_units(change, self.ends) if self._holds(unit.change.path))

    def hits(self, pattern: Pattern) -> Iterator[Hit]:
        """What of that changed in the place of a pattern. Raises OverBudget where that cannot be told."""
        for hit in hits(pattern, self.evaluation, 0, 1):
            if any(self._holds(path) for _, path, _ in atoms(hit.unit)):
                yield replace(hit, unit=self._told(hit.unit))

    def _holds(self, path: Path) -> bool:
        kind = _kind(self.evidence)
        return kind is not None and kind.document_of(path, self.evidence.params) == self.span.path

    def _told(self, unit: Unit) -> Unit:
        """The unit with its change saying in which document it is, and after which step that was last read."""
        where: dict[str, Value] = {"document": self.span.title, "step": self.ends.step}
        return replace(unit, change=replace(unit.change, at={**unit.change.at, **where}))


def spans(evaluation: Evaluation, source: str) -> Sequence[Span]:
    """The documents of a source, in the order of first sight; none where it has none, or they are not told apart."""
    evidence = evaluation.case.evidence(source)
    kind = _kind(evidence)
    if kind is None:
        return ()
    return evaluation.kept(("documents", source), lambda: tuple(kind.documents(evidence.captures)))


def apart(evaluation: Evaluation, source: str) -> Sequence[Apart]:
    """The documents in which nothing else may change, but those that stood in one place from the start to the end."""
    return evaluation.kept(("apart", source), lambda: tuple(_apart(evaluation, source)))


def is_apart(evaluation: Evaluation, source: str, path: Path) -> bool:
    """Whether a place belongs, at the start or the end, to a document that is judged by itself."""
    evidence = evaluation.case.evidence(source)
    kind, ends = _kind(evidence), (0, len(evidence.captures) - 1)
    found = apart(evaluation, source)
    places = evaluation.kept(
        ("apart at the ends", source),
        lambda: {path for item in found for position, path in item.span.stood if position in ends},
    )
    return kind is not None and kind.document_of(path, evidence.params) in places


def unread_documents(evaluation: Evaluation, source: str) -> Iterator[Unread]:
    """What is not known of documents in which nothing else may change, as they first or last were."""
    evidence = evaluation.case.evidence(source)
    kind = _kind(evidence)
    if kind is not None and kind.closes_documents(evidence.params):
        for span in spans(evaluation, source):
            yield from span.unread
        for document in apart(evaluation, source):
            yield from document.evaluation.diff(source, 0, 1).unread


def left_unseen(evaluation: Evaluation, source: str) -> list[str]:
    """The documents that were gone several steps after they had been read, so that the steps between went unseen."""
    steps = evaluation.case.evidence(source).steps
    left = (item.span for item in apart(evaluation, source) if item.left)
    pairs = ((span.title, steps[span.last], steps[span.last + 1]) for span in left)
    return [
        f"{title}, last read after step {last}, gone at step {gone}" for title, last, gone in pairs if gone > last + 1
    ]


def lone(evaluation: Evaluation, source: str, position: int, path: Path) -> Evaluation:
    """Of a case with one capture: nothing but the document that stood at a path in a capture."""

    def alone() -> Evaluation:
        evidence = evaluation.case.evidence(source)
        return _evaluation(evaluation, evidence, "a document", (_alone(evidence, position, path, path),))

    return evaluation.kept(("alone", source, position, path), alone)


def _apart(evaluation: Evaluation, source: str) -> Iterator[Apart]:
    evidence = evaluation.case.evidence(source)
    count, kind = len(evidence.captures), _kind(evidence)
    if count < 2 or kind is None or not kind.closes_documents(evidence.params):
        return
    for number, span in enumerate(spans(evaluation, source), 1):
        if not span.still(count):
            what = ("document", number, span, evaluation.ends, evaluation.prefix)
            find = partial(_one, evaluation, evidence, number, span)
            yield evaluation.case.remembered(source, span.first, span.last, what, find)


def _one(evaluation: Evaluation, evidence: Evidence, number: int, span: Span) -> Apart:
    first, begun = span.stood[0]
    ends = tuple(_alone(evidence, at, path, span.path) for at, path in ((first, begun), (span.last, span.path)))
    inside = _evaluation(evaluation, evidence, f"document {number}", ends)
    left = span.last < len(evidence.captures) - 1
    return Apart(span, left, inside, inside.case.evidence(evidence.name))


def _alone(evidence: Evidence, position: int, path: Path, placed: Path) -> Snapshot:
    kind = _kind(evidence)
    assert kind is not None  # else it has no documents
    taken: Snapshot = kind.alone(evidence.captures[position], path, placed=placed)
    return taken


def _kind(evidence: Evidence) -> "Documented[Any, Any] | None":
    return evidence.kind if isinstance(evidence.kind, Documented) else None


def _evaluation(evaluation: Evaluation, evidence: Evidence, part: str, captures: tuple[Snapshot, ...]) -> Evaluation:
    case = evaluation.case.of_part(evidence.name, part, captures)
    return Evaluation(case, evaluation.arguments, evaluation.ends, evaluation.prefix)
