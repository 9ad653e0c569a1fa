"""The events of an episode: what each line of `events.jsonl` may say."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from exactchange.actions import KINDS, Action, Reporter
from exactchange.case import Ended
from exactchange.case.hearing import Hearing
from exactchange.snapshot import Cause
from exactchange.sources.witnessing import Act
from exactchange.values import Value

FILE = "events.jsonl"
LONGEST_LINE = 1024 * 1024
SPILL = LONGEST_LINE // 4
"""What an event says beyond this many bytes is stored beside the log, and the line names it."""
LONGEST_SPILL = 16 * 1024 * 1024
FOREIGN = frozenset({"verdict", "judge"})
"""A verdict inside a recording is a claim of whoever wrote the recording: never used, and said."""

Count = Annotated[int, Field(ge=0)]
Number = Annotated[int, Field(ge=1)]


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    seq: Number
    prev: str
    time_ns: Count
    mono_ns: Count
    reporter: Reporter


class ActionRecord(BaseModel):
    """An action as `exactchange.actions.action_record` writes it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    seq: Number
    kind: str
    args: dict[str, object]
    raw: str
    reported_by: Reporter
    time_ns: int | None = None
    error: str | None = None

    def action(self) -> Action:
        """The action. A kind that nobody knows is `unknown`, whatever it calls itself."""
        args: Mapping[str, Value] = self.args  # type: ignore[assignment]  # what `loads` made holds values only
        kind = self.kind if self.kind in KINDS else "unknown"
        return Action(self.seq, kind, args, self.raw, self.reported_by, self.time_ns, self.error)


class Attempted(_Event):
    """An action, before it is done."""

    type: Literal["action"]
    action: ActionRecord


class Done(_Event):
    """The action `ref` is over; `error`: what went wrong, as the runner said."""

    type: Literal["after"]
    ref: Number
    error: str | None = None


class LostRecord(BaseModel):
    """Why a source could not be captured at all."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    reason: str
    cause: Cause
    wall_ns: Count
    mono_ns: Count


class Captured(_Event):
    """A source after action `step` (0: before the first): its kind's record, or why there is none."""

    type: Literal["capture"]
    source: str
    step: Count
    record: dict[str, object] | None = None
    lost: LostRecord | None = None


class Answered(_Event):
    """The agent's answer."""

    type: Literal["answer"]
    text: str


class Halted(_Event):
    """The judge told the agent to stop at this action."""

    type: Literal["stop"]
    action: Number


class Failed(_Event):
    """What failed in the infrastructure."""

    type: Literal["failure"]
    message: str


class Noted(_Event):
    """Something that the verdict shall warn of."""

    type: Literal["note"]
    kind: str
    message: str


class ActRecord(BaseModel):
    """Something that a source saw being done, as `hearing_record` writes it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: str
    args: dict[str, object]
    sure: bool
    element: dict[str, object] | None = None

    def act(self) -> Act:
        """The act."""
        args: Mapping[str, Value] = self.args  # type: ignore[assignment]  # what `loads` made holds values only
        element: Mapping[str, Value] | None = self.element  # type: ignore[assignment]  # so does this
        return Act(self.kind, args, self.sure, element)


class Witnessed(_Event):
    """What a source saw being done since action `since`, or since the last of these, until after action `step`."""

    type: Literal["witness"]
    source: str
    since: Count
    step: Count
    outside: bool
    acts: list[ActRecord]
    unheard: list[str]

    def hearing(self) -> Hearing:
        """What was heard."""
        acts = tuple(record.act() for record in self.acts)
        return Hearing(self.source, self.since, self.step, self.outside, acts, tuple(self.unheard))


def hearing_record(hearing: Hearing) -> dict[str, Value]:
    """The JSON form of a hearing in an episode."""
    acts: list[Value] = [
        {
            "kind": act.kind,
            "args": dict(act.args),
            "sure": act.sure,
            "element": None if act.element is None else dict(act.element),
        }
        for act in hearing.acts
    ]
    return {
        "source": hearing.source,
        "since": hearing.since,
        "step": hearing.step,
        "outside": hearing.outside,
        "acts": acts,
        "unheard": list(hearing.unheard),
    }


class Ends(_Event):
    """The last event: every capture has been taken."""

    type: Literal["end"]
    ended: Ended
    stopped_at: Number | None = None


Event: TypeAlias = Attempted | Done | Captured | Answered | Halted | Failed | Noted | Witnessed | Ends
EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="type")])
