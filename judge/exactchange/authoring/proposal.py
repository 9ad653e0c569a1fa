"""What tours changed, and the rules that are proposed for it, as values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from exactchange.address import Style
from exactchange.authoring.places import Like, Part, Want
from exactchange.conditions import Allowed
from exactchange.diff import Change, Operation
from exactchange.values import ABSENT, Path


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing that one tour changed: a leaf, a row, or a container that came or went as a whole with its leaves.

    `style`: how its source spells addresses; None where its address could not be taken apart. `parts`: of its path.
    """

    run: int
    change: Change
    leaves: Sequence[Change]
    style: Style | None
    parts: tuple[Part, ...]

    @property
    def place(self) -> tuple[str, Operation, Path]:
        """What is the same in every run in which the same thing changed."""
        return self.change.source, self.change.op, self.change.path

    @property
    def shape(self) -> tuple[object, ...]:
        """All that never differs between runs in which it is the same thing."""
        change, parts = self.change, tuple((part.segment, part.kind, part.name) for part in self.parts)
        return change.source, change.op, self.style, change.address if self.style is None else "", parts

    @property
    def container(self) -> bool:
        """Whether other things than those that were seen may come or go in its place."""
        value = self.change.before if self.change.after is ABSENT else self.change.after
        return self.leaves[0].path != self.change.path or isinstance(value, Mapping | list)


@dataclass(frozen=True)
class Rule:
    """A rule that makes a part of the tours quiet. `style` None: its address could not be taken apart.

    `wants`: what it asks of each part of its address; `things`: what it takes, of which it has one or more.
    """

    at: str
    style: Style | None
    wants: tuple[Want, ...]
    things: tuple[Thing, ...]

    @property
    def example(self) -> Change:
        """The first change that it takes."""
        return self.things[0].change

    @property
    def exact(self) -> bool:
        """Whether it stands for one place alone."""
        return not any(isinstance(want, Like) for want in self.wants)

    @property
    def container(self) -> bool:
        """Whether other things than those that were seen may come or go in its place."""
        return any(thing.container for thing in self.things)

    @property
    def runs(self) -> int:
        """In how many tours there was something for it."""
        return len({thing.run for thing in self.things})

    @property
    def changes(self) -> int:
        """How many changes it takes in all tours, as a verdict counts them."""
        return sum(len(thing.leaves) for thing in self.things)

    @property
    def pattern(self) -> Allowed:
        """The rule as a task holds it."""
        said = {} if self.example.op == "moved" else {"op": self.example.op}
        return Allowed.model_validate({"in": self.example.source, "at": self.at, **said})


@dataclass(frozen=True)
class Refused:
    """What no rule may ignore, since a veto or must of the task speaks of it. `said`: why, or which, and where."""

    rule: Rule
    said: str


@dataclass(frozen=True)
class Proposal:
    """The rules that make all tours quiet, in the order of the sources, and what no rule may take.

    `more`: rules that were left out since there are too many.
    """

    rules: tuple[Rule, ...]
    refused: tuple[Refused, ...] = field(default=())
    more: int = 0
