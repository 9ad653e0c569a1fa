"""Judging while it happens is judging what was recorded: generated tasks and runs, step by step, against the laws."""

import asyncio
import json
import os
import pathlib
import sqlite3
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from tests.episode.kit import close
from tests.judging.kit import Data
from tests.session import grammar
from tests.session.boxes import Box, box_specs, database_spec
from tests.session.grammar import calls, states, tasks

from exactchange.actions import Reporter
from exactchange.case import Case, Ended, Evidence
from exactchange.episode import RunWorld, read_episode
from exactchange.judging import BrokenTask, judge, vetoed_so_far
from exactchange.session import Decision, Session, judge_episode
from exactchange.snapshot import Mark, Snapshot, TreeSnapshot
from exactchange.task import Task
from exactchange.values import Path, State
from exactchange.verdict import Outcome, Verdict, verdict_json

T = TypeVar("T")
BOXES = ("s", "o")
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where runs are recorded: thousands of them, each made durable, would wait for a disk most of the time."""
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


Effect: TypeAlias = tuple[str, State]
"""A box and what stands in it from now on; a statement; a box that goes back to its start; the goal and no more."""
effect: st.SearchStrategy[Effect] = (
    st.tuples(st.sampled_from(BOXES), states)
    | st.tuples(st.just("sql"), st.sampled_from(grammar.STATEMENTS))
    | st.tuples(st.just("back"), st.sampled_from(BOXES))
    | st.just(("goal", None))
    | st.just(("goal", None))
)
effects = st.lists(effect, max_size=2)


class Ticks:
    """Clocks that go on by a second each time they are asked."""

    def __init__(self) -> None:
        self.now = 1_790_000_000 * 10**9

    def __call__(self) -> tuple[int, int]:
        self.now += 10**9
        return self.now, self.now


@dataclass(frozen=True)
class Asked:
    """A decision, and how much there was to judge by when it was taken: actions, captures of each source, the time."""

    decision: Decision
    actions: int
    captures: int
    ended_ns: int
    late: bool
    """Whether it may have been taken before the last of this: of the replies that a step kept waiting."""


class Run(RuleBasedStateMachine):
    """One run of one task: the world changes, the agent acts, some things cannot be read; then the laws are asked."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory(dir=MEMORY)
        self.root = pathlib.Path(self.folder.name)
        self.boxes: Mapping[str, Box] = {name: Box() for name in BOXES}
        self.unseen: list[tuple[int, dict[str, State]]] = []
        self.asked: list[Asked] = []
        self.clock = Ticks()
        self.actions = self.captures = 0
        self.pending = self.over = False
        self.waiting = 0
        self.answer: str | None = None
        self.tidy = False
        self.session: Session | None = None

    @initialize(task=tasks, left=states, right=states, answer=st.none() | st.just('{"a": 1}'), tidy=st.booleans())
    def begins(self, task: Task, left: State, right: State, answer: str | None, tidy: bool) -> None:
        """`tidy`: at the end all is as it was at the start, but for the goal, as of an agent that cleans up."""
        self.answer, self.tidy = answer, tidy
        self.boxes["s"].state, self.boxes["o"].state = left, right
        self.starts = {name: box.state for name, box in self.boxes.items()}
        self._sql(grammar.SCHEMA)
        sources = {**box_specs(self.boxes), "db": database_spec(self.root / "app.db")}
        self.task = replace(task, sources=sources)
        world = RunWorld(self.root)
        self.session = Session(self.task, world=world, record=self.root / "episode", settle_s=0, clock=self.clock)
        self._do(self.session.start())
        self.captures = 1

    @rule(effect=effect, name=st.sampled_from(BOXES), part=st.none() | st.sampled_from(grammar.PARTS))
    def changes(self, effect: Effect, name: str, part: Path | None) -> None:
        """Something happens that nobody announced, and what a box holds may not be read the next time."""
        self._happens(*effect)
        if part is not None and not any(
            part[: len(dark)] == dark or dark[: len(part)] == part for dark in self.boxes[name].dark
        ):
            self.boxes[name].dark.append(part)

    @precondition(lambda self: not self.pending)
    @rule(call=calls, reporter=st.sampled_from(["agent", "runner"]), effects=effects)
    def takes_a_step(self, call: Data, reporter: Reporter, effects: Sequence[Effect]) -> None:
        """Announced, done and read; an agent that is told to stop goes on all the same."""
        self.announces(call, reporter)
        for name, state in effects:
            self._happens(name, state)
        if self.pending:
            self.did(None)

    @precondition(lambda self: not self.pending)
    @rule(call=calls, reporter=st.sampled_from(["agent", "runner"]))
    def announces(self, call: Data, reporter: Reporter) -> None:
        self.actions += not self.over
        decision = self._do(self._running().before(call, reported_by=reporter))
        self._decided(decision)
        self.pending = decision.go

    @precondition(lambda self: self.pending)
    @rule(error=st.none() | st.just("no such element"))
    def did(self, error: str | None) -> None:
        decision = self._do(self._running().after(error=error))
        self.pending = False
        self.captures += 1 + self.waiting
        self.actions += self.waiting
        self._decided(decision, late=self.waiting > 0)
        self.waiting = 0

    @rule(reporter=st.sampled_from(["agent", "runner", "witness"]))
    def hears(self, reporter: Reporter) -> None:
        """A reply of the person; while a step is under way it is put behind that step."""
        happens = not self.pending and not self.over
        decision = self._do(self._running().event({"kind": "reply", "text": "yes"}, reported_by=reporter))
        self.waiting += self.pending
        self.actions += happens
        self.captures += happens
        if not self.pending:
            self._decided(decision)

    @precondition(lambda self: not self.pending)
    @rule(call=calls)
    def goes_unwatched(self, call: Data) -> None:
        """Also an agent that was told to stop goes on: what it does is known from its log."""
        self._do(self._running().observed(call))
        self.actions += 1
        self.unseen.append((self.actions, {name: box.state for name, box in self.boxes.items()}))

    @precondition(lambda self: len(self.asked) > 2)
    @rule(really=st.sampled_from([False, False, False, False, True]))
    def fails(self, really: bool) -> None:
        """The infrastructure fails: rarely, since nothing is judged afterwards."""
        if really:
            self._running().fail("the browser ended")
            self.over = True

    def _happens(self, name: str, state: State) -> None:
        match name, state:
            case "sql", str():
                self._sql(state)
            case "back", str():
                self.boxes[state].state = self.starts[state]
            case "goal", _:
                start = self.starts["s"]
                self.boxes["s"].state = {**(start if isinstance(start, dict) else {}), "c": 2}
            case _:
                self.boxes[name].state = state

    def _tidies(self) -> None:
        for name in BOXES:
            self._happens("back", name)
        self._sql("DROP TABLE t;" + grammar.SCHEMA)
        self._happens("goal", None)

    def teardown(self) -> None:
        try:
            if self.session is not None:
                if self.tidy:
                    self._tidies()
                self._ends("stopped" if self.over else "done")
        finally:
            if self.session is not None:
                self._do(self.session.aclose())
            self.loop.close()
            self.folder.cleanup()

    def _ends(self, ended: Ended) -> None:
        record = self.root / "episode"
        online = self._judged(self._running().finish(self.answer, ended))
        offline = _or_broken(lambda: judge_episode(self.task, record))
        assert _document(online) == _document(offline)
        if isinstance(online, Verdict):
            assert (record / "verdict.json").read_text("ascii") == json.dumps(verdict_json(online), indent=1) + "\n"
        case = read_episode(record, self.task)
        try:
            self._decisions_agree(case)
            self._a_veto_stays(case, online)
            self._more_evidence_takes_nothing_back(case)
        finally:
            close(case)

    def _decisions_agree(self, case: Case) -> None:
        """What was answered during the run is what the recording says it should have been."""
        stopped: Decision | None = None
        for asked in self.asked:
            if stopped is not None or asked.decision.failure is not None:
                assert asked.decision == (stopped or asked.decision)
            else:
                found = vetoed_so_far(self.task, _prefix(case, asked))
                assert asked.decision.go == (not found)
                assert asked.late or asked.decision.because == found
            stopped = stopped or (None if asked.decision.go else asked.decision)

    def _a_veto_stays(self, case: Case, online: "Verdict | str") -> None:
        """Whatever is appended: more steps, a revert, parts that cannot be read, a failure of the infrastructure."""
        held: set[str] = set()
        for asked in self.asked:
            now = _held(self.task, _prefix(case, asked))
            assert held <= now
            held = now
        assert held <= _held(self.task, case)
        if isinstance(online, Verdict) and held:
            assert online.outcome == "vetoed" and online.score == 0

    def _more_evidence_takes_nothing_back(self, case: Case) -> None:
        found = _outcome(self.task, case)
        read = self._all_read(case)
        seen = () if _two_sided(self.task) else (self._all_seen(case), self._all_seen(read))
        for more in (read, *seen):
            full = _outcome(self.task, more)
            if found is None or full is None:
                continue
            assert found != "vetoed" or full == "vetoed"
            assert found != "unmet" or full in ("unmet", "vetoed")
            assert found != "passed" or more is not read or full == "passed"

    def _all_read(self, case: Case) -> Case:
        """The case in which nothing of the boxes was dark."""
        sources = dict(case.sources)
        for name, box in self.boxes.items():
            evidence = sources[name]
            light = [_lit(old, truth) for old, truth in zip(evidence.captures, box.truths, strict=True)]
            sources[name] = replace(evidence, captures=tuple(light))
        return _like(case, sources)

    def _all_seen(self, case: Case) -> Case:
        """The case in which every step was followed by a capture of the boxes."""
        sources = dict(case.sources)
        for name in self.boxes:
            extra = [TreeSnapshot("box", state[name], Mark(step)) for step, state in self.unseen]
            sources[name] = _with(sources[name], extra)
        return _like(case, sources)

    def _running(self) -> Session:
        assert self.session is not None
        return self.session

    def _decided(self, decision: Decision, *, late: bool = False) -> None:
        self.over = not decision.go
        self.asked.append(Asked(decision, self.actions, self.captures, self.clock.now, late))

    def _judged(self, finishing: Coroutine[object, object, Verdict]) -> "Verdict | str":
        return _or_broken(lambda: self._do(finishing))

    def _do(self, work: Coroutine[object, object, T]) -> T:
        return self.loop.run(work)

    def _sql(self, script: str) -> None:
        with sqlite3.connect(self.root / "app.db") as connection:
            connection.executescript(script)
        connection.close()


def _lit(old: Snapshot, truth: State) -> TreeSnapshot:
    return TreeSnapshot("box", truth, old.mark)


def _with(evidence: Evidence, extra: list[TreeSnapshot]) -> Evidence:
    """Captures of the steps that none followed; sorting keeps the order of those that follow one step."""
    missing = [item for item in extra if item.mark.step not in evidence.steps]
    captures = sorted([*evidence.captures, *missing], key=lambda item: item.mark.step)
    return replace(evidence, captures=tuple(captures))


def _like(case: Case, sources: Mapping[str, Evidence]) -> Case:
    """The same case by other captures; what was found in the old ones is forgotten."""
    return replace(case, sources=sources, _alike={}, _diffs={}, _found={})


def _two_sided(task: Task) -> bool:
    """Whether a rule asks for what stood before and after a change: what was captured last before is what it means."""
    rules = [rule.change for top in (*task.veto, *task.must) for rule in top.walk() if rule.change is not None]
    return any(sum(part is not None for part in (rule.op, rule.from_, rule.to)) > 1 for rule in rules)


def _prefix(case: Case, asked: Asked) -> Case:
    """What there was when something was asked."""
    sources = {
        name: replace(evidence, captures=evidence.captures[: asked.captures]) for name, evidence in case.sources.items()
    }
    begun = {number: when for number, when in case.begun.items() if number <= asked.actions}
    return replace(
        _like(case, sources),
        actions=case.actions[: asked.actions],
        answer=None,
        complete=False,
        ended=None,
        stopped_at=None,
        failure=None,
        ended_ns=asked.ended_ns,
        begun=begun,
    )


def _held(task: Task, case: Case) -> set[str]:
    """Numbers of the vetoes that hold."""
    found = (replace(task, veto=(item,)) for item in task.veto)
    return {str(number) for number, alone in enumerate(found) if vetoed_so_far(alone, case)}


def _or_broken(judged: Callable[[], Verdict]) -> "Verdict | str":
    try:
        return judged()
    except BrokenTask as error:
        return f"broken: {error}"


def _document(found: "Verdict | str") -> str:
    """The verdict's document, byte for byte, but for its mode."""
    if isinstance(found, str):
        return found
    return json.dumps({**verdict_json(found), "mode": "either"}, indent=1, allow_nan=False)


def _outcome(task: Task, case: Case) -> Outcome | None:
    try:
        return judge(task, case).outcome
    except BrokenTask:
        return None


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_run_is_judged_as_its_recording_is_and_no_veto_or_fail_is_ever_taken_back() -> None:
    run_state_machine_as_test(
        Run, settings=settings(max_examples=80, stateful_step_count=12, deadline=None, suppress_health_check=CALM)
    )


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_the_laws_of_a_run_hold_thousands_of_times() -> None:
    run_state_machine_as_test(
        Run, settings=settings(max_examples=5_000, stateful_step_count=25, deadline=None, suppress_health_check=CALM)
    )
