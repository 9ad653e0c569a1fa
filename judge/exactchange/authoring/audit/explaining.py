"""What a task says itself of what it lets through: its `holes`, each with the place in the file where it stands."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from exactchange.authoring.audit.mutant import Mutant
from exactchange.case import Case, Evidence
from exactchange.conditions import Atom, Evaluation, Hole, atoms, hits
from exactchange.conditions.units import Unit, own_atoms
from exactchange.errors import OverBudget
from exactchange.task import Task


@dataclass(frozen=True, slots=True)
class Said:
    """An explanation in the task, and its `file:line:column`."""

    why: str
    where: str


def between(good: Case, mutant: Mutant) -> Evidence:
    """The good end and the end of a mutant as two captures of a source, of which everything is looked at."""
    evidence = good.sources[mutant.source]
    ends = (evidence.captures[-1], mutant.case.sources[mutant.source].captures[-1])
    params = evidence.params.model_copy(update={"only": (), "except_": ()})
    return replace(evidence, params=params, captures=ends)


@dataclass(frozen=True)
class Explanations:
    """The `holes` of a task, put to the two ends of one source."""

    task: Task
    ends: Evidence
    _met: dict[int, frozenset[Atom]] = field(default_factory=dict[int, frozenset[Atom]])

    def of(self, unit: Unit) -> Said | None:
        """The first entry that speaks of all of a unit."""
        wanted = own_atoms(unit)
        return _first(
            self.task, lambda number, hole: hole.in_ == self.ends.name and wanted <= self._spoken_of(number, hole)
        )

    def _spoken_of(self, number: int, hole: Hole) -> frozenset[Atom]:
        if number not in self._met:
            try:
                found = hits(hole, Evaluation(Case({self.ends.name: self.ends})), 0, 1)
            except OverBudget:
                found = ()
            sure = (unit for hit in found if hit.truth is True for unit in hit.units)
            self._met[number] = frozenset(atom for unit in sure for atom in atoms(unit))
        return self._met[number]


def said_of(task: Task, *, rule: str = "", param: str = "", source: str = "") -> Said | None:
    """The first entry of `holes` for a rule, a param, or a whole source."""

    def speaks(_: int, hole: Hole) -> bool:
        whole = hole.in_ == source and not hole.at and hole.table is None and not hole.own()
        return bool((rule and hole.rule == rule) or (param and hole.param == param) or (source and whole))

    return _first(task, speaks)


def _first(task: Task, speaks: Callable[[int, Hole], bool]) -> Said | None:
    for number, hole in enumerate(task.holes):
        if speaks(number, hole):
            return Said(hole.why, task.where("holes", number))
    return None
