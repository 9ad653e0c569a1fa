"""What a kind of source may know of noise: changes that come about by themselves, recognised by rules with names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from exactchange.diff import Change
from exactchange.snapshot import Snapshot
from exactchange.sources.kind import SourceParams

S = TypeVar("S", bound=Snapshot, contravariant=True)
P = TypeVar("P", bound=SourceParams, contravariant=True)


@dataclass(frozen=True, slots=True)
class NoiseRule:
    """A rule as people know it. `usual`: whether it is on where a task says nothing."""

    name: str
    says: str
    usual: bool


@dataclass(frozen=True, slots=True)
class Recognised:
    """A change that a rule takes for noise, and the rule's name."""

    change: Change
    rule: str


@runtime_checkable
class Noisy(Protocol[P, S]):
    """An optional part of a SourceKind: of one whose state changes though nobody did anything.

    A rule looks at both values and at where they stand, and takes nothing that it is not sure of. What it takes is
    asked for by vetoes and musts first; then it is reported as ignored.
    """

    @property
    def noise_rules(self) -> Sequence[NoiseRule]: ...

    def noise(self, changes: Sequence[Change], *, before: S, after: S, params: P) -> Sequence[str | None]:
        """For each of these leaves that changed between two captures the rule that it is noise by; None for none."""
        ...

    def made_anew(self, source: str, *, before: S, after: S, params: P) -> Sequence[Recognised]:
        """What differs and is no state, such as names that a framework makes up anew: no address shows it."""
        ...
