"""A mutant: the case of a good run with one thing altered, which the task has to catch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from exactchange.address import lookup
from exactchange.case import Case, Evidence
from exactchange.conditions.units import leaf_paths
from exactchange.diff import Change, Diff
from exactchange.errors import OverBudget
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot, TreeSnapshot, unread_whole
from exactchange.sources import CannotEdit, Edit, Editable, Put, Remove, diff_snapshots
from exactchange.values import ABSENT, Path, State, same

Sort: TypeAlias = Literal["undone", "near", "elsewhere", "tolerated", "forbidden"]


@dataclass(frozen=True)
class Mutant:
    """One altered run. `what`: the alteration in a few words. `rule`: title of the rule for which it was made, or "".

    `changes`: how the end of it differs from the end of the good run; empty where something else than a state differs.
    `made`: snapshots of its own, which `close` frees.
    """

    sort: Sort
    what: str
    case: Case
    source: str = ""
    changes: tuple[Change, ...] = ()
    rule: str = ""
    where: str = ""
    made: tuple[Snapshot, ...] = ()

    def close(self) -> None:
        """Free its snapshots; its case cannot be judged any more."""
        for snapshot in self.made:
            snapshot.close()


@dataclass(frozen=True, slots=True)
class Alike:
    """An alteration that makes no difference at all: no mutant."""

    sort: Sort


@dataclass(frozen=True, slots=True)
class Impossible:
    """An alteration that could not be made, and why. `rule`: title of the rule that nothing tests for want of it."""

    sort: Sort
    why: str
    rule: str = ""
    where: str = ""


Made: TypeAlias = Mutant | Alike | Impossible


def last(evidence: Evidence) -> int:
    """The position of its last capture."""
    return len(evidence.captures) - 1


def altered(
    case: Case,
    source: str,
    edits: Sequence[Edit],
    *,
    sort: Sort,
    what: str,
    rule: str = "",
    where: str = "",
    at: int | None = None,
) -> Made:
    """The case in which edits were made in one capture of a source; the last where `at` does not say another one."""
    evidence = case.sources[source]
    position = last(evidence) if at is None else at
    old = evidence.captures[position]
    like = Mutant(sort, what, case, source, (), rule, where)
    return with_snapshot(case, source, position, lambda: edited(evidence, old, edits), like)


def editor(evidence: Evidence) -> Editable[Snapshot] | None:
    """What alters the captures of a source; None where its kind offers nothing of the sort."""
    kind: object = evidence.kind
    return cast("Editable[Snapshot]", kind) if isinstance(kind, Editable) else None


def edited(evidence: Evidence, snapshot: Snapshot, edits: Sequence[Edit]) -> Snapshot:
    """A snapshot with edits made. Raises CannotEdit."""
    kind = editor(evidence)
    if unread_whole(snapshot) or kind is None:
        raise CannotEdit(f"{evidence.name} cannot be altered")
    return kind.edited(snapshot, edits)


def with_snapshot(case: Case, source: str, position: int, make: Callable[[], Snapshot], like: Mutant) -> Made:
    """The mutant in which one capture is another one."""
    evidence = case.sources[source]
    try:
        new = make()
    except CannotEdit as error:
        return Impossible(like.sort, str(error))
    try:
        changes = difference(evidence, evidence.captures[position], new)
    except OverBudget as error:
        new.close()
        return Impossible(like.sort, str(error))
    if not changes.changes and not changes.unread:
        new.close()
        return Alike(like.sort)
    return replace(like, case=case.with_captures(source, {position: new}), changes=changes.changes, made=(new,))


def difference(evidence: Evidence, before: Snapshot, after: Snapshot) -> Diff:
    """All that differs between two captures, whatever the task looks at."""
    params = evidence.params.model_copy(update={"only": (), "except_": ()})
    return diff_snapshots(evidence.kind, evidence.name, before, after, params=params, budget=CountedBudget())


def only_less(good: Case, mutant: Mutant) -> bool:
    """Whether less changed than in the good run, and nothing else: what is tolerated need not happen."""
    if mutant.source not in good.sources:
        return False
    had, has = (_leaves(case, mutant.source) for case in (good, mutant.case))
    return len(has) < len(had) and all(path in had and all(map(same, sides, had[path])) for path, sides in has.items())


def _leaves(case: Case, source: str) -> dict[tuple[Path, bool], tuple[State, State]]:
    """What stood and stands at each leaf that changed from start to end."""
    evidence = case.sources[source]
    found: dict[tuple[Path, bool], tuple[State, State]] = {}
    for change in case.diff(source, 0, last(evidence)).changes:
        moved = change.op == "moved"
        for number, side in enumerate((change.before, change.after)):
            for path in (change.path,) if moved else leaf_paths(side, change.path):
                value = side if moved else lookup(side, path[len(change.path) :])
                pair = found.get((path, moved), (ABSENT, ABSENT))
                found[path, moved] = (value, pair[1]) if number == 0 else (pair[0], value)
    return found


def undoing(evidence: Evidence, changes: Sequence[Change]) -> tuple[Edit, ...]:
    """Edits of the last capture that put back what stood at the start where these changes are."""
    start = evidence.captures[0]
    out: list[Edit] = []
    for change in reversed(changes):
        path = change.path[:-1] if change.op == "moved" else change.path
        before = change.before if change.op != "moved" else ABSENT
        if isinstance(start, TreeSnapshot):  # a diff leaves out what goes without saying
            before = lookup(start.tree, path)
        out.append(Remove(path) if before is ABSENT else Put(path, before))
    return tuple(out)


def unalterable(sources: Mapping[str, Evidence]) -> list[str]:
    """The sources that no audit can alter: their kinds offer no edits."""
    return [name for name, evidence in sources.items() if editor(evidence) is None]
