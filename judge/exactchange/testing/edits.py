"""Checks of what a kind offers for the audit of tasks: edits of its snapshots (`Editable`, `Rewritable`)."""

from collections.abc import Sequence
from typing import Any, cast

from exactchange.address import Style, parse_pattern
from exactchange.diff import Diff
from exactchange.snapshot import Snapshot
from exactchange.sources import CannotEdit, Editable, Remove, Rewritable, Suggestion
from exactchange.testing.bench import Bench

_MOST = 40
_NOWHERE = ("nowhere in this state", "at all", "deep down")


def check_edits(bench: Bench) -> None:
    """What the kind suggests makes one thing different, as a diff shows; the snapshot itself stays as it was.

    Nothing is checked of a kind that offers no edits: tasks on it cannot be audited. Raises AssertionError.
    """
    if not isinstance(bench.kind, Editable):
        return
    kind = _kind(bench)
    snapshot = bench.capture()
    digest = snapshot.digest
    found = list(kind.suggestions(snapshot, near=(), most=_MOST))
    assert found == list(kind.suggestions(snapshot, near=(), most=_MOST)), (
        "the same snapshot gives other suggestions the second time"
    )
    for most in (1, 3, _MOST):
        given = list(kind.suggestions(snapshot, near=(), most=most))
        assert len(given) <= most, f"{len(given)} suggestions, and at most {most} were asked for"
    for suggestion in found:
        assert suggestion.what.strip(), f"a suggestion does not say what it changes: {suggestion}"
        assert suggestion.edits, f"{suggestion.what!r} has no edits"
        diff = _edited(bench, snapshot, suggestion)
        assert diff.changes, f"{suggestion.what!r}: nothing differs after {suggestion.edits}"
        _check_near(bench, snapshot, diff)
    if isinstance(kind, Rewritable):
        for suggestion in cast("Rewritable[Any]", kind).rewritten(snapshot):
            told = [item.address for item in _edited(bench, snapshot, suggestion).changes]
            assert not told, f"{suggestion.what!r} is the same state written otherwise, and differs at {told}"
    _check_refusal(bench, snapshot)
    assert snapshot.digest == digest, "a snapshot is not what it was before edits were made of it"
    assert not bench.diff(snapshot, bench.capture()).changes, "edits of a snapshot changed the source"


def _kind(bench: Bench) -> "Editable[Any]":
    return cast("Editable[Any]", bench.kind)


def _edited(bench: Bench, snapshot: Snapshot, suggestion: Suggestion) -> Diff:
    """The diff of a snapshot and one with these edits, which is made twice and comes out the same."""
    made: list[Snapshot] = []
    try:
        for _ in range(2):
            made.append(_kind(bench).edited(snapshot, suggestion.edits))
        first, second = made
        assert first is not snapshot, f"{suggestion.what!r} alters the snapshot itself and makes none of its own"
        assert first.mark == snapshot.mark, f"{suggestion.what!r} moves the snapshot to another mark"
        assert not bench.diff(first, second).changes, f"{suggestion.what!r} made twice makes two states"
        return bench.diff(snapshot, first)
    except CannotEdit as error:
        raise AssertionError(f"the kind suggests {suggestion.what!r} and cannot make it: {error}") from error
    finally:
        for item in made:
            item.close()


def _check_near(bench: Bench, snapshot: Snapshot, diff: Diff) -> None:
    """Suggestions beside what a diff changed are as good, and each change has an address that stands for it."""
    slashed = bench.kind.style is Style.SLASHED
    for item in diff.changes:
        pattern = parse_pattern(item.address, slashed=slashed)
        assert pattern.matches(item.path, slashed=slashed), f"{item.address!r} does not match {item.path!r}"
    near = [item.path for item in diff.changes]
    beside: Sequence[Suggestion] = _kind(bench).suggestions(snapshot, near=near, most=2)
    assert len(beside) <= 2, f"{len(beside)} suggestions beside {near}, and at most 2 were asked for"


def _check_refusal(bench: Bench, snapshot: Snapshot) -> None:
    """An edit of a place that is not there is refused, or makes no difference; no other exception comes of it."""
    try:
        made: Snapshot = _kind(bench).edited(snapshot, [Remove(_NOWHERE)])
    except CannotEdit:
        return
    told = [item.address for item in bench.diff(snapshot, made).changes]
    made.close()
    assert not told, f"what stands nowhere was removed, and {told} differ"
