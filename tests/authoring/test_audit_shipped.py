"""The tasks that ship are tested themselves: by their right runs, by wrong ones made from those, and rule by rule."""

import pathlib
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import chain
from typing import Literal, TypeAlias, cast

import pytest

from exactchange.authoring.audit import Mutant, audit, task_variants
from exactchange.authoring.audit.forbidden import forbidden
from exactchange.authoring.audit.mutants import MOST
from exactchange.authoring.audit.wanted import near, undone
from exactchange.case import Case
from exactchange.episode import read_episode, read_header
from exactchange.judging import BrokenTask, judge
from exactchange.task import Task, TaskError, load_task, task_from_data
from exactchange.values import Value
from exactchange_fixtures.shipped import task_dir

Section: TypeAlias = Literal["veto", "must", "allow", "ignore"]

EPISODES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "episodes"
FILES = {path.stem: path for path in sorted(task_dir().rglob("*.yaml")) if not path.name.endswith(".app.yaml")}
TASKS = {name: load_task(path) for name, path in FILES.items()}


def rules(section: Section) -> list[tuple[str, int]]:
    """The rules of a section in all tasks, each as its task's name and its number."""
    return [
        (name, number)
        for name, task in TASKS.items()
        for number in range(len(cast("list[Value]", task.as_data().get(section, []))))
    ]


JUDGED: list[tuple[str, Section, int]] = [(n, s, i) for s in ("veto", "must") for n, i in rules(s)]
TOLERATED: Mapping[str, list[tuple[str, Section, int]]] = {
    place: [(n, s, i) for s in ("allow", "ignore") for n, i in rules(s) if TASKS[n].where(s, i) == place]
    for s in ("allow", "ignore")
    for n, i in rules(s)
    for place in [TASKS[n].where(s, i)]
}
"""What a file tolerates, by its place; a fragment's rule is one of each task that uses it."""


@contextmanager
def read(episode: pathlib.Path, task: Task) -> Generator[Case]:
    case = read_episode(episode, task)
    try:
        yield case
    finally:
        for evidence in case.sources.values():
            for snapshot in evidence.captures:
                snapshot.close()


def without(task: Task, section: Section, number: int) -> Task:
    """The same task less one rule."""
    data = task.as_data()
    left = list(cast("list[Value]", data[section]))
    del left[number]
    return task_from_data({**data, section: left}, name=task.id)


def outcome(task: Task, case: Case) -> str:
    try:
        return judge(task, case).outcome
    except BrokenTask:
        return "broken"


@cache
def telling(name: str) -> frozenset[tuple[Section, int]]:
    """The vetoes and musts of a task without which some wrong run has another outcome."""
    task = TASKS[name]
    pending = {rule[1:]: less for rule in JUDGED if rule[0] == name and (less := _less(task, *rule[1:])) is not None}
    told = {rule[1:] for rule in JUDGED if rule[0] == name and rule[1:] not in pending}  # without it there is no task
    with read(EPISODES / name, task) as case:
        for mutant in _wrong_runs(task, case.remembering()):
            asked = [rule for rule in pending if _title(task, *rule) == mutant.rule]
            with_all = outcome(task, mutant.case) if asked else ""
            found = [rule for rule in asked if outcome(pending[rule], mutant.case) != with_all]
            mutant.close()
            told.update(found)
            for rule in found:
                del pending[rule]
            if not pending and mutant.sort != "forbidden":  # of those several are held at a time
                break
    return frozenset(told)


def _wrong_runs(task: Task, case: Case) -> Iterator[Mutant]:
    verdict = judge(task, case)
    for made in chain(forbidden(task, case), undone(task, case, verdict), near(task, case, verdict)):
        if isinstance(made, Mutant):
            yield made


def _title(task: Task, section: Section, number: int) -> str:
    return (task.veto if section == "veto" else task.must)[number].title()


def _less(task: Task, section: Section, number: int) -> Task | None:
    try:
        return without(task, section, number)
    except TaskError as error:
        assert "`must` is empty" in str(error)
        return None


@pytest.mark.parametrize("most", [16, pytest.param(MOST, marks=pytest.mark.fuzz)], ids=["some", "all"])
@pytest.mark.parametrize("name", TASKS)
def test_no_null_agent_passes_and_whatever_else_passes_is_explained_in_the_task(
    name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`most`: alterations of each source that no rule speaks of; the command line makes them all."""
    monkeypatch.setattr(import_module("exactchange.authoring.audit.mutants"), "MOST", most)
    task = TASKS[name]
    with read(EPISODES / name, task) as case:
        found = audit(task, case, variants=list(task_variants(task)))
    assert [agent.name for agent in found.agents if agent.passed] == [] and len(found.agents) >= 5
    assert [(slip.what, slip.changes, slip.lets) for slip in found.slips if not slip.explained] == []
    assert found.sound and found.unused == ()
    assert all(found.counts[sort].caught for sort in ("undone", "near", "elsewhere", "forbidden"))


@pytest.mark.parametrize(
    ("name", "section", "number"), JUDGED, ids=lambda part: part if isinstance(part, str) else str(part)
)
def test_without_any_one_veto_or_must_a_wrong_run_has_another_outcome(name: str, section: Section, number: int) -> None:
    assert (section, number) in telling(name)


@pytest.mark.parametrize("place", TOLERATED)
def test_without_anything_that_is_allowed_or_ignored_a_right_run_does_not_pass(place: str) -> None:
    assert any(
        outcome(less, case) != "passed"
        for name, section, number in TOLERATED[place]
        for episode in EPISODES.glob(f"{name}*")
        for task in [load_task(FILES[name], params=cast("Mapping[str, Value]", read_header(episode).params))]
        for less in [without(task, section, number)]
        for case in _one(episode, task)
    )


def _one(episode: pathlib.Path, task: Task) -> Iterator[Case]:
    with read(episode, task) as case:
        assert outcome(task, case) == "passed"
        yield case
