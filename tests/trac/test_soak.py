"""Every way through every Trac task, many times over: `make soak`, `make soak REPEATS=3`."""

import asyncio
import os
import pathlib
import shutil
import time
from collections.abc import Callable

import pytest
from tests.end_to_end.deserved import check_changes, check_crossing, check_near, check_rules
from tests.end_to_end.play import shipped_task, twin
from tests.trac.expected import EXPECTED, NOTHING, idly, spelt

from exactchange.runner import run_task
from exactchange.verdict import verdict_json

pytestmark = pytest.mark.soak

REPEATS = int(os.environ.get("REPEATS", "1"))
LIMIT_S = 120.0


def ways() -> list[tuple[str, str, int]]:
    """Task, way and number of each run: all ways once, then all of them again.

    Those that change nothing are the same in all tasks: each time another task judges them.
    """
    tasks = list(EXPECTED)
    return [
        (task, way, number)
        for number in range(REPEATS)
        for task in tasks
        for way in (*EXPECTED[task], *(NOTHING if task == tasks[number % len(tasks)] else ()))
    ]


@pytest.mark.timeout(2 * LIMIT_S)
@pytest.mark.parametrize(("task", "way", "number"), ways())
def test_every_way_ends_as_it_deserves_every_time(
    task: str, way: str, number: int, tmp_path: pathlib.Path, record_property: Callable[[str, object], None]
) -> None:
    del number
    expected = EXPECTED[task].get(way) or idly(task, way)
    record_property("way", way if way in NOTHING else f"{task} {way}")
    began = time.perf_counter()
    agent = twin(task, way)
    result = asyncio.run(run_task(shipped_task(task), agent=agent, record=tmp_path / "episode", timeout_s=LIMIT_S))
    record_property("seconds", time.perf_counter() - began)
    record_property("outcome", result.verdict.outcome)
    verdict = verdict_json(result.verdict)
    assert (verdict["outcome"], verdict["score"]) == (expected.outcome, expected.score), result.agent_words
    assert (verdict["cause"], verdict["unread"], verdict["warnings"]) == (None, [], [])
    assert result.ended == ("stopped" if expected.outcome == "vetoed" else "done"), result.agent_words
    check_rules(verdict, expected)
    check_changes(verdict, expected, spelt=spelt)
    check_crossing(verdict, expected, spelt=spelt)
    if way not in NOTHING:
        check_near(verdict, expected)
    shutil.rmtree(tmp_path / "episode")  # only that of a run that went wrong is worth its place
