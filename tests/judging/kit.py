"""Cases made by hand: plain value trees, small tables and real databases at each step, and tasks over them."""

import pathlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from exactchange.actions import Action, Reporter, normalise
from exactchange.case import Case, Evidence
from exactchange.conditions import Allowed, Condition
from exactchange.judging import judge
from exactchange.limits import CountedBudget
from exactchange.snapshot import Cause, Mark, Snapshot, TreeSnapshot, Unread
from exactchange.sources import NoSelector, RowShape, SourceParams, TreeKind
from exactchange.sources.registry import AnyKind
from exactchange.task import SourceSpec, Task
from exactchange.values import Path, State, Value
from exactchange.verdict import Finding, Outcome, Verdict
from exactchange_adapters.sqlite import KIND as SQLITE
from exactchange_adapters.sqlite import SqliteParams

Data = Mapping[str, Value]
SECOND = 10**9
STARTED = 1_790_000_000 * SECOND


class Plain(TreeKind[SourceParams, NoSelector, TreeSnapshot]):
    """A source that is a value tree. Facets (`@name`) are in scope only where `closed` names them."""

    name = "plain"

    def in_scope(self, path: Path, params: SourceParams) -> bool:
        head = path[0] if path else ""
        return not (isinstance(head, str) and head.startswith("@")) or head[1:] in params.closed


class Tables(Plain):
    """Tables of rows by key: `{"orders": {"id=7": {"id": 7, "status": "new"}}}`; `state` has the DEFAULT "draft"."""

    name = "tables"

    def row_shape(self, snapshot: TreeSnapshot, path: Path) -> RowShape | None:
        if len(path) != 2:
            return None
        return RowShape(frozenset({"id"}), {"state": "draft"}, frozenset({"total"}))


PLAIN = Plain()
TABLES = Tables()
Given: TypeAlias = "State | TreeSnapshot"


def unread(*path: str | int, reason: str = "cannot be read", cause: Cause = "content") -> Unread:
    """A part that could not be read."""
    return Unread(tuple(path), ".".join(map(str, path)), reason, cause)


def seen(tree: State, *unread_parts: Unread, step: int = 0) -> TreeSnapshot:
    """A capture of a value tree with parts that could not be read."""
    return TreeSnapshot("plain", tree, Mark(step), unread_parts)


def source(
    name: str,
    states: Sequence[Given],
    *,
    kind: AnyKind = PLAIN,
    steps: Sequence[int] | None = None,
    params: Mapping[str, object] | None = None,
) -> Evidence:
    """The captures of a source, one after each step, or after the `steps` given."""
    numbers = range(len(states)) if steps is None else steps
    captures = [_captured(state, step) for state, step in zip(states, numbers, strict=True)]
    return Evidence(name, kind, SourceParams.model_validate(params or {}), tuple(captures))


def case(
    *sources: Evidence,
    actions: Sequence[Action] | None = None,
    answer: str | None = None,
    complete: bool = True,
    failure: str | None = None,
) -> Case:
    """A case of these sources. Without actions there is a click for every step that was captured."""
    last = max((evidence.steps[-1] for evidence in sources if evidence.steps), default=0)
    done = tuple(act("click", number) for number in range(1, last + 1)) if actions is None else tuple(actions)
    return Case(
        {evidence.name: evidence for evidence in sources},
        done,
        answer=answer,
        complete=complete,
        failure=failure,
        started_ns=STARTED,
        ended_ns=STARTED + 60 * SECOND,
    )


def act(kind: str, seq: int, by: Reporter = "runner", **fields: Value) -> Action:
    """An action of this kind."""
    return normalise({"kind": kind, **fields}, seq=seq, reported_by=by)


def task(
    *must: Data,
    given: Sequence[Data] = (),
    veto: Sequence[Data] = (),
    bonus: Sequence[Data] = (),
    allow: Sequence[Data] = (),
    ignore: Sequence[Data] = (),
    sources: Sequence[str] = (),
    params: Data | None = None,
) -> Task:
    """A task of these rules."""
    specs = {name: SourceSpec(name, "plain", {}, "") for name in sources}
    return Task(
        "t",
        "Do it.",
        None,
        specs,
        must=_conditions(must),
        given=_conditions(given),
        veto=_conditions(veto),
        bonus=_conditions(bonus),
        allow=_patterns(allow),
        ignore=_patterns(ignore),
        params=params or {},
    )


def _conditions(rules: Sequence[Data]) -> tuple[Condition, ...]:
    return tuple(map(Condition.model_validate, rules))


def _patterns(rules: Sequence[Data]) -> tuple[Allowed, ...]:
    return tuple(map(Allowed.model_validate, rules))


def judged(case_: Case, *must: Data, sources: Sequence[str] = (), **sections: Sequence[Data]) -> Verdict:
    """The verdict on a case by these rules; `sources`: the names of those that the task declares."""
    return judge(task(*must, sources=sources, **sections), case_)  # type: ignore[arg-type]  # sections by name


def change(at: str, *, source: str = "s", **fields: Value) -> Data:
    """A `change` rule in a place of source `s`."""
    return {"change": {"in": source, "at": at, **{name.removesuffix("_"): value for name, value in fields.items()}}}


def action(kind: str, **fields: Value) -> Data:
    """An `action` rule."""
    return {"action": {"kind": kind, **fields}}


def value(at: str, is_: Value, *, source: str = "s", **fields: Value) -> Data:
    """A `value` rule in a place of source `s`."""
    return {"value": {"in": source, "at": at, "is": is_, **fields}}


def allow(at: str, *, source: str = "s", **fields: Value) -> Data:
    """A pattern of `allow` or `ignore`."""
    return {"in": source, "at": at, **{name.removesuffix("_"): item for name, item in fields.items()}}


def told(verdict: Verdict) -> tuple[Outcome, Cause | None, float | None]:
    """Outcome, cause and score."""
    return verdict.outcome, verdict.cause, None if verdict.score is None else float(verdict.score)


def left(verdict: Verdict) -> list[str]:
    """The addresses of what changed without leave."""
    return [item.address for item in verdict.unexplained]


def finding(verdict: Verdict, tier: str, number: int = 0) -> Finding:
    """A finding of a tier, by its number there."""
    return [item for item in verdict.findings if item.tier == tier][number]


def database(name: str, folder: pathlib.Path, scripts: Sequence[str], **params: object) -> Evidence:
    """The captures of a real database, one before and one after each script but the first, which makes it."""
    file = folder / f"{name}.db"
    settings = SqliteParams.model_validate({"path": str(file), **params})
    captures: list[Snapshot] = []
    for step, script in enumerate(scripts):
        with sqlite3.connect(file) as connection:
            connection.executescript(script)
        connection.close()
        taken = SQLITE.from_path(file, settings, world=_Nowhere(folder), budget=CountedBudget())
        captures.append(taken.twin(Mark(step)))
    return Evidence(name, SQLITE, settings, tuple(captures))


@dataclass(frozen=True)
class _Nowhere:
    workdir: pathlib.Path
    cdp_url: str | None = None
    claimed: frozenset[pathlib.Path] = frozenset()
    own_browser: bool = False


def _captured(state: Given, step: int) -> Snapshot:
    if isinstance(state, TreeSnapshot):
        return TreeSnapshot(state.kind, state.tree, Mark(step), state.unread, state.notes)
    return TreeSnapshot("plain", state, Mark(step))
