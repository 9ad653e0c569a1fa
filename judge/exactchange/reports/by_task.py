"""Episodes by task: those of the same id and the same content are repeats of one another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactchange.reports.bootstrap import Trial
from exactchange.reports.entries import OUTCOMES, Entry, TaskName
from exactchange.reports.statistics import flaky, wilson
from exactchange.values import Value, canonical_bytes
from exactchange.verdict import Bonus, Warned


@dataclass(frozen=True, slots=True)
class Repeats:
    """The episodes of one task, in their order; never none.

    `task`: None for an episode of which nobody knows the task, which then stands for one of its own. `told`: the params
    that tell it from others of the same id. `version`: the beginning of its hash, where no params tell it from another.
    """

    task: TaskName | None
    entries: tuple[Entry, ...]
    told: Mapping[str, Value]
    version: str = ""

    @property
    def passed(self) -> int:
        """How many passed."""
        return sum(entry.outcome == "passed" for entry in self.entries)

    @property
    def at_most(self) -> int:
        """How many passed, were all that is undecided or without a verdict a pass."""
        return sum(entry.may_pass for entry in self.entries)

    @property
    def counts(self) -> dict[str, int]:
        """How many had each outcome."""
        return {name: sum(entry.outcome == name for entry in self.entries) for name in OUTCOMES}

    @property
    def flaky(self) -> bool:
        """Whether some passed and some did not."""
        return flaky(self.passed, len(self.entries))

    @property
    def mean_score(self) -> Fraction:
        """Over all of them; 0 for what has none."""
        return sum((entry.score for entry in self.entries), Fraction(0)) / len(self.entries)

    @property
    def bonus(self) -> Bonus:
        """Of all of them together."""
        return bonus_of(self.entries)

    @property
    def interval(self) -> tuple[float, float]:
        """Of the rate of this task: Wilson, 95 %."""
        return wilson(self.passed, len(self.entries))

    @property
    def trials(self) -> tuple[Trial, ...]:
        """What a bootstrap draws from."""
        return tuple((entry.outcome == "passed", entry.score) for entry in self.entries)


def by_task(entries: Sequence[Entry]) -> tuple[Repeats, ...]:
    """The episodes of each task, in the order in which the tasks come first; unknown ones each by itself."""
    groups: dict[object, list[Entry]] = {}
    for number, entry in enumerate(entries):
        task = entry.of
        groups.setdefault(number if task is None else (task.id, task.hash), []).append(entry)
    named = [(_named(group), tuple(group)) for group in groups.values()]
    namesakes: dict[str, list[TaskName]] = {}
    for task, _ in named:
        if task is not None:
            namesakes.setdefault(task.id, []).append(task)
    return tuple(_repeats(task, group, [] if task is None else namesakes[task.id]) for task, group in named)


def edited(groups: Sequence[Repeats]) -> tuple[Warned, ...]:
    """A warning for each task of which there are several versions that no params tell apart."""
    namesakes: dict[str, list[Repeats]] = {}
    for group in groups:
        if group.task is not None:
            namesakes.setdefault(group.task.id, []).append(group)
    return tuple(
        Warned("edited", _edited(name, same))
        for name, same in namesakes.items()
        if len({_spelt(group.task) for group in same}) < len(same)
    )


def bonus_of(entries: Sequence[Entry]) -> Bonus:
    """How many bonus rules were met in all, of how many."""
    found = [entry.verdict.bonus for entry in entries if entry.verdict is not None]
    return Bonus(sum(bonus.met for bonus in found), sum(bonus.of for bonus in found))


def _edited(name: str, same: Sequence[Repeats]) -> str:
    versions = ", ".join(f"{len(group.entries)} of version {_version(group.task)}" for group in same if group.task)
    sure = all(group.task is not None and group.task.params is not None for group in same)
    doubt = "" if sure else ", or has other parameters,"
    return f"the task {name}{doubt} was edited between these episodes: {versions}; they count as different tasks"


def _named(group: Sequence[Entry]) -> TaskName | None:
    """The name of a group, with the params from whichever of its episodes knows them."""
    names = [entry.of for entry in group]
    return next((name for name in names if name is not None and name.params is not None), names[0])


def _repeats(task: TaskName | None, group: tuple[Entry, ...], namesakes: Sequence[TaskName]) -> Repeats:
    if task is None:
        return Repeats(None, group, {})
    alike = [other for other in namesakes if _spelt(other) == _spelt(task)]
    return Repeats(task, group, _telling(task, namesakes), _version(task) if len(alike) > 1 else "")


def _version(task: TaskName) -> str:
    return task.hash[:8] or "(unknown)"


def _telling(task: TaskName, namesakes: Sequence[TaskName]) -> dict[str, Value]:
    others = [other for other in namesakes if other.hash != task.hash]
    own = task.params or {}
    return {name: value for name, value in own.items() if any(not _same(name, task, other) for other in others)}


def _same(name: str, task: TaskName, other: TaskName) -> bool:
    own, its = task.params or {}, other.params or {}
    return name in its and canonical_bytes(own[name]) == canonical_bytes(its[name])


def _spelt(task: TaskName | None) -> bytes:
    return canonical_bytes(None if task is None or task.params is None else dict(task.params))
