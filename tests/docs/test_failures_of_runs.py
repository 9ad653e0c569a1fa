"""What a verdict becomes when the application, the agent or the task fails: docs/failures.md, the middle tables."""

import json
import pathlib
import sys
import tempfile

import pytest
from tests.docs.failing import as_stated, nothing, played, reach, run_by
from tests.episode.kit import DATA, Desk, kit_task
from tests.runner.kit import AGENT, task_on_disk
from tests.runner.test_world import APP

from exactchange.cli.episodes import Job, judge_all
from exactchange.errors import UsageError
from exactchange.reports import Entry
from exactchange.session import Session
from exactchange.task import Task, load_task
from exactchange.values import Value


@pytest.fixture(autouse=True)
def place(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Where runs make their directories."""
    made = tmp_path / "t"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


def _odd(kind: str) -> list[str]:
    return [sys.executable, str(AGENT), kind]


def _app(folder: pathlib.Path, *words: str, **more: Value) -> Task:
    start: Value = ["{python}", str(APP), "{port}", "{workdir}", *words]
    return task_on_disk(folder, app={"seed": "seed", "start": start, "ready": "http://127.0.0.1:{port}/", **more})


def test_an_application_that_is_not_there(tmp_path: pathlib.Path) -> None:
    entry = run_by(task_on_disk(tmp_path, app={"start": ["no-such-program-anywhere"]}), _odd("good"))
    as_stated("app-missing", entry)


@pytest.mark.parametrize("word", ["never-starts", "wrong-status"])
def test_an_application_that_is_never_ready(word: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactchange.runner.stage.READY_LIMIT_S", 1.0)
    entry = run_by(_app(tmp_path, word), _odd("good"))
    as_stated("app-never-ready", entry)
    assert entry.failed is not None and "the odd application says hello" in entry.failed


def test_an_application_that_ends_in_the_middle(tmp_path: pathlib.Path) -> None:
    entry = run_by(_app(tmp_path, "dies"), _odd("good"), record=tmp_path / "episode")
    as_stated("app-dies", entry)
    assert _warned(entry) == ["application"]


def test_a_finish_that_fails(tmp_path: pathlib.Path) -> None:
    failing: Value = ["{python}", "-c", "raise SystemExit(3)"]
    as_stated("app-finish", run_by(_app(tmp_path, finish=failing), _odd("good"), record=tmp_path / "episode"))


def _warned(entry: Entry) -> list[str]:
    assert entry.verdict is not None
    return [item.kind for item in entry.verdict.warnings]


def test_an_agent_that_is_not_there(tmp_path: pathlib.Path) -> None:
    as_stated("agent-missing", run_by(task_on_disk(tmp_path), ["/no/such/agent"]))


def test_an_agent_that_does_nothing_and_ends_well(tmp_path: pathlib.Path) -> None:
    as_stated("agent-nothing", run_by(task_on_disk(tmp_path), [sys.executable, "-c", "raise SystemExit(0)"]))


@pytest.mark.parametrize("kind", ["crash", "crash_mid_action"])
def test_an_agent_that_crashes(kind: str, tmp_path: pathlib.Path) -> None:
    entry = run_by(task_on_disk(tmp_path), _odd(kind), record=tmp_path / "episode")
    as_stated("agent-crashes", entry)
    assert "ended" in _warned(entry)


def test_an_agent_whose_time_is_over(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactchange.runner.agent._LEAVING_S", 0.2)
    entry = run_by(task_on_disk(tmp_path), _odd("hang"), record=tmp_path / "episode", timeout_s=3.0)
    as_stated("agent-late", entry)
    assert "ended" in _warned(entry)


def test_an_agent_that_is_told_to_stop_and_goes_on(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactchange.runner.agent._LEAVING_S", 0.2)
    as_stated("agent-goes-on", run_by(task_on_disk(tmp_path), _odd("ignores_stop"), record=tmp_path / "episode"))


@pytest.mark.parametrize("kind", ["malformed", "hopeless"])
def test_an_agent_that_sends_what_is_no_message(kind: str, tmp_path: pathlib.Path) -> None:
    as_stated("agent-malformed", run_by(task_on_disk(tmp_path), _odd(kind), record=tmp_path / "episode"))


@pytest.mark.parametrize("kind", ["log", "log_torn", "log_link", "log_fifo"])
def test_a_log_that_cannot_be_read(kind: str, tmp_path: pathlib.Path) -> None:
    as_stated("agent-log", run_by(task_on_disk(tmp_path), _odd(kind), record=tmp_path / "episode"))


def _musts(*more: Value) -> list[Value]:
    found = DATA["must"]
    assert isinstance(found, list)
    return [*found, *more]


def test_no_answer_where_one_is_asked_for(tmp_path: pathlib.Path) -> None:
    asked = kit_task(must=_musts({"value": {"in": "answer", "at": "a", "is": 2}}))
    as_stated("answer-missing", played(tmp_path / "1", reach, task=asked))
    assert played(tmp_path / "2", reach, task=asked, answer='{"a": 2}').outcome == "passed"


def test_an_action_that_was_aimed_by_coordinates(tmp_path: pathlib.Path) -> None:
    veto: Value = [{"action": {"kind": "click", "target": {"css": "#pay"}}}]

    async def run(session: Session, desk: Desk) -> None:
        await session.before({"kind": "click", "target": {"xy": [10, 10]}})
        reach(desk)
        await session.after()

    as_stated("target", played(tmp_path, drive=run, task=kit_task(veto=veto)))


def test_a_world_that_is_not_as_given(tmp_path: pathlib.Path) -> None:
    given: Value = [{"value": {"in": "doc", "at": "a", "is": 7}}]
    as_stated("given", played(tmp_path, reach, task=kit_task(given=given)))


def test_a_task_that_doing_nothing_would_pass(tmp_path: pathlib.Path) -> None:
    held: Value = [{"value": {"in": "doc", "at": "b", "is": 1}}]
    as_stated("vacuous", played(tmp_path, reach, task=kit_task(must=held)))


@pytest.mark.parametrize("lines", ["must: []\n", ""])
def test_a_task_without_a_must(lines: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "task.yaml"
    file.write_text(f"id: t\ninstruction: Do it.\nsources: {{doc: {{adapter: file, path: x.json}}}}\n{lines}")
    with pytest.raises(UsageError, match="must") as refused:
        load_task(file)
    as_stated("no-must", Entry("t", None, str(refused.value), exit_code=refused.value.exit_code))


def test_all_of_nothing(tmp_path: pathlib.Path) -> None:
    every: Value = [{"change": {"in": "db", "table": "t", "where": {"v": "none"}, "column": "v", "count": "all"}}]
    as_stated("all-of-nothing", played(tmp_path, reach, task=kit_task(must=every)))


def test_a_query_that_takes_too_much(tmp_path: pathlib.Path) -> None:
    joined = ", ".join(f"t AS t{number}" for number in range(40))
    query: Value = {"value": {"in": "db", "query": f"SELECT count(*) FROM {joined}", "is": 1}}
    entry = played(tmp_path, reach, task=kit_task(must=_musts(query)))
    as_stated("query-budget", entry)


def test_too_much_to_look_through(tmp_path: pathlib.Path) -> None:
    deep: Value = 1
    for _ in range(80):
        deep = {"k": deep}
    other: Value = {"adapter": "file", "path": "{workdir}/other.json"}
    sources = DATA["sources"]
    assert isinstance(sources, dict)
    task = kit_task(
        sources={**sources, "other": other}, must=_musts({"value": {"in": "other", "at": "**.zzz", "is": 1}})
    )

    def prepare(desk: Desk) -> None:
        (desk.folder / "other.json").write_text(json.dumps(deep))

    entry = played(tmp_path, reach, task=task, prepare=prepare)
    as_stated("search-budget", entry)


def test_too_many_ways_to_match(tmp_path: pathlib.Path) -> None:
    pairs: list[Value] = [
        {"change": {"in": "db", "at": "t[*]", "op": "added", "rest": "any", "row": {"id": {"same": f"n{k}"}}}}
        for k in range(4)
    ]
    never: list[Value] = [
        {"change": {"in": "db", "at": "u[*]", "op": "added", "rest": "any", "row": {"id": {"same": f"n{k}"}}}}
        for k in range(4)
    ]

    def filled(desk: Desk) -> None:
        reach(desk)
        for number in range(10, 14):
            desk.sql(f"INSERT INTO t VALUES ({number}, 'x')")
            desk.sql(f"INSERT INTO u VALUES ({number + 100})")

    def prepare(desk: Desk) -> None:
        desk.sql("CREATE TABLE u (id INTEGER PRIMARY KEY)")

    task = kit_task(must=_musts(*pairs, *never))
    as_stated("matching-budget", played(tmp_path, filled, task=task, prepare=prepare))


def test_a_mistake_of_the_judge_while_the_agent_works(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mistaken(*_: object) -> None:
        raise ZeroDivisionError("by mistake")

    monkeypatch.setattr("exactchange.judging.vetoed_so_far", mistaken)
    as_stated("judge-mistake", run_by(task_on_disk(tmp_path), _odd("good"), record=tmp_path / "episode"))


class _Deadly:
    """Ends the process that unpickles it: stands for an episode that kills its worker."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        import os

        return os._exit, (9,)


def test_a_worker_that_dies(tmp_path: pathlib.Path) -> None:
    task = task_on_disk(tmp_path)
    run_by(task, _odd("good"), record=tmp_path / "episode")
    deadly: dict[str, Value] = {"x": _Deadly()}  # type: ignore[dict-item]  # what no value is
    jobs = [Job(tmp_path / "episode", task.file, params=given, write=False) for given in (deadly, {})]
    died, other = judge_all(jobs, processes=1, news=lambda _: None)
    as_stated("worker", died)
    assert other.outcome == "passed"


def test_a_verdict_that_cannot_be_written(tmp_path: pathlib.Path) -> None:
    task, record = task_on_disk(tmp_path), tmp_path / "episode"
    in_the_way = f"import pathlib; pathlib.Path({str(record / 'verdict.json')!r}).mkdir()"
    both = f"import subprocess, sys; {in_the_way}; sys.exit(subprocess.run({_odd('good')!r}).returncode)"
    entry = run_by(task, [sys.executable, "-c", both], record=record)
    as_stated("verdict-unwritable", entry)
    assert entry.failed is not None and "cannot be written" in entry.failed
    (again,) = judge_all([Job(record, task.file)], processes=1, news=lambda _: None)
    as_stated("verdict-unwritable", again)


def test_nothing_is_as_it_is(tmp_path: pathlib.Path) -> None:
    """What the lines of this page are measured by: a run in which nothing fails."""
    assert played(tmp_path, nothing, reach).outcome == "passed"
