import json
import pathlib
import tempfile

import pytest
from tests.episode.kit import but_mode, case_of, close, kit_task
from tests.runner.kit import processes_with, run, task_on_disk

from exactchange.runner import RunResult
from exactchange.session import judge_episode
from exactchange.task import Task


@pytest.fixture
def scratch(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Where runs make their directories: to see what they leave behind."""
    place = tmp_path / "t"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def task(tmp_path: pathlib.Path) -> Task:
    return task_on_disk(tmp_path)


def _left_nothing(scratch: pathlib.Path) -> None:
    kept = [item for item in scratch.rglob("*") if not item.name.startswith("exactchange-sqlite-")]
    assert not kept  # the folder of this process's own images stays as long as it does, and is empty
    assert not processes_with(str(scratch))


@pytest.mark.parametrize(
    ("kind", "outcome", "ended", "observed", "stopped_at"),
    [
        ("good", "passed", "done", False, None),
        ("structured", "passed", "done", False, None),
        ("veto", "vetoed", "stopped", False, 1),
        ("silent", "passed", "done", True, None),
        ("crash", "passed", "crashed", False, None),
        ("crash_mid_action", "passed", "crashed", False, None),
        ("daemon", "passed", "done", False, None),
        ("log", "undecided", "done", True, None),
        ("log_veto", "vetoed", "done", True, None),
        ("log_torn", "undecided", "done", True, None),
        ("log_link", "undecided", "done", True, None),
        ("log_fifo", "undecided", "done", True, None),
        ("log_and_socket", "passed", "done", False, None),
        ("malformed", "passed", "done", False, None),
        ("hopeless", "passed", "crashed", False, None),
        ("flood", "passed", "done", False, None),
        ("flood_without_end", "passed", "crashed", False, None),
        ("second", "passed", "done", False, None),
    ],
)
def test_whatever_an_agent_does_its_state_is_judged_and_nothing_of_it_is_left(
    task: Task, scratch: pathlib.Path, kind: str, outcome: str, ended: str, observed: bool, stopped_at: int | None
) -> None:
    record = scratch.parent / "episode"
    result = run(task, kind, record=record)
    assert (result.verdict.outcome, result.ended, result.observed) == (outcome, ended, observed), result.agent_words
    assert result.verdict.stopped_at == stopped_at
    assert but_mode(judge_episode(task, record)) == but_mode(result.verdict)
    _left_nothing(scratch)


@pytest.mark.parametrize(
    ("kind", "ended"), [("hang", "timeout"), ("finish_then_hang", "done"), ("ignores_stop", "stopped")]
)
def test_an_agent_that_does_not_end_is_ended(
    task: Task, scratch: pathlib.Path, kind: str, ended: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactchange.runner.agent._LEAVING_S", 0.2)
    result = run(task, kind, timeout_s=2.0)
    assert result.ended == ended
    assert (result.verdict.outcome == "vetoed") == (ended == "stopped")
    _left_nothing(scratch)


def test_a_tree_that_is_too_deep_to_recurse_is_judged_and_removed(task: Task, scratch: pathlib.Path) -> None:
    verdict = run(task, "deep").verdict
    assert verdict.outcome in ("unmet", "undecided")
    _left_nothing(scratch)


def test_an_agent_that_cannot_be_started_is_wrong_usage_and_leaves_nothing(task: Task, scratch: pathlib.Path) -> None:
    import asyncio

    from exactchange.errors import UsageError
    from exactchange.runner import run_task

    for agent in ("/no/such/program", "", "unbalanced 'quote", [], ["x\0y"]):
        with pytest.raises(UsageError, match="agent"):
            asyncio.run(run_task(task, agent=agent))
    _left_nothing(scratch)


def test_an_agent_finds_its_world_in_its_environment(task: Task, scratch: pathlib.Path) -> None:
    record = scratch.parent / "episode"
    run(task, "environment", record=record)
    with case_of(record) as case:
        said = json.loads(case.answer or "")
    assert said["EXACTCHANGE_INSTRUCTION"] == "Set a to 2."
    assert said["EXACTCHANGE_CDP_URL"] == ""
    assert pathlib.Path(said["EXACTCHANGE_WORKDIR"]).name == "work"
    assert len(said["EXACTCHANGE_SOCKET"]) < 108


def test_what_an_agent_prints_is_kept_printable(task: Task, scratch: pathlib.Path) -> None:
    assert run(task, "talks").agent_words == "hello from the agent [31m"


def test_what_a_log_says_is_reported_by_the_agent_and_what_it_hides_is_unknown(
    task: Task, scratch: pathlib.Path
) -> None:
    record = scratch.parent / "episode"
    result = run(task, "log", record=record)
    with case_of(record) as case:
        assert [(action.kind, action.reported_by) for action in case.actions] == [
            ("click", "agent"),
            ("unknown", "agent"),
            ("tool", "agent"),
        ]
        assert case.answer == "a is 2"
    assert {"observed", "between captures"} <= {item.kind for item in result.verdict.warnings}


def test_a_log_is_never_followed_elsewhere(task: Task, scratch: pathlib.Path) -> None:
    record = scratch.parent / "episode"
    run(task, "log_link", record=record)
    with case_of(record) as case:
        assert [action.kind for action in case.actions] == ["unknown"]
    name = pathlib.Path("/etc/hostname").read_text().strip()
    assert name not in (record / "events.jsonl").read_text()


def test_a_seed_is_never_changed_by_a_run(task: Task, scratch: pathlib.Path) -> None:
    assert task.file is not None
    seed = task.file.parent / "seed"
    before = {item.name: item.read_bytes() for item in seed.iterdir()}
    run(task, "good")
    assert {item.name: item.read_bytes() for item in seed.iterdir()} == before


def test_what_was_recorded_can_be_judged_by_the_same_task_written_elsewhere(task: Task, scratch: pathlib.Path) -> None:
    result: RunResult = run(task, "good", record=scratch.parent / "episode")
    assert result.episode is not None
    with case_of(result.episode, kit_task(app={"seed": "seed"})) as case:
        assert case.ended == "done"
        close(case)


@pytest.mark.parametrize(
    ("kind", "noted"),
    [
        ("flood", ("message", "the agent sent a message of more than 1 MiB, which was not read")),
        ("flood_without_end", ("message", "the agent sent a message of more than 1 MiB, which was not read")),
        ("second", ("connection", "the agent opened another connection to the judge; only the first counts")),
    ],
)
def test_what_the_judge_did_not_read_is_said_once_in_the_verdict(
    task: Task, kind: str, noted: tuple[str, str], tmp_path: pathlib.Path
) -> None:
    result = run(task, kind, record=tmp_path / "episode")
    said = [(item.kind, item.message) for item in result.verdict.warnings]
    assert said.count(noted) == 1
    assert judge_episode(task, tmp_path / "episode").warnings == result.verdict.warnings
