"""What a source may say of how it was used: acts that it saw itself, whatever the agent's own log says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from exactchange.limits import Budget
from exactchange.snapshot import Snapshot
from exactchange.values import Value


@dataclass(frozen=True, slots=True)
class Act:
    """Something that was done, as the source saw it.

    `kind`, `args`: as of an action; a text that was not kept is missing. `sure`: whether somebody certainly did it,
    rather than a script of the source's own. `element`: what it was done to, in a form that the kind of source knows.
    """

    kind: str
    args: Mapping[str, Value]
    sure: bool = True
    element: Mapping[str, Value] | None = None

    @property
    def target(self) -> Mapping[str, Value]:
        """What it was done to, in words."""
        target = self.args.get("target")
        return target if isinstance(target, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Heard:
    """What was seen since the last time of asking. `unheard`: why there may have been more, for people."""

    acts: tuple[Act, ...] = ()
    unheard: tuple[str, ...] = ()


@runtime_checkable
class Witness(Protocol):
    """An optional part of a Reader: of one that sees what is done to its source, and not only what came of it."""

    def witnessed(self) -> Heard | None:
        """What was seen since the last call; at once, from any thread. None where it does not listen."""
        ...


@runtime_checkable
class Recognising(Protocol):
    """An optional part of a SourceKind whose Reader is a Witness."""

    def is_element(
        self,
        element: Mapping[str, Value],
        fields: Mapping[str, Value],
        *,
        pages: Sequence[Snapshot] = (),
        around: bool = False,
        budget: Budget,
    ) -> bool | None:
        """Whether an act's element is one that a selector with these fields stands for; None when it cannot be told.

        `pages`: captures of about that time, those before it first, for what the element alone does not tell.
        `around`: whether it is one of these elements, or in one.
        """
        ...
