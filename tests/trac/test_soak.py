"""Every way through every Trac task, many times over: `make soak`, `make soak REPEATS=3`."""

import asyncio
import os
import pathlib
import shutil
import time
from collections.abc import Callable, Mapping

import pytest
from tests.end_to_end.play import changes, rows, shipped_task, twin

from exactchange.runner import RunResult, run_task
from exactchange.values.jsonform import Json
from exactchange.verdict import verdict_json
from exactchange_fixtures.agents.trac_twins import OUTCOMES

pytestmark = pytest.mark.soak

REPEATS = int(os.environ.get("REPEATS", "1"))
LIMIT_S = 120.0
ALIKE = ("nothing", "tour")
"""Ways that are the same in all tasks: each time another task judges them."""


def ways() -> list[tuple[str, str, int]]:
    """Task, way and number of each run: all ways once, then all of them again."""
    tasks = sorted(OUTCOMES)
    return [
        (task, way, number)
        for number in range(REPEATS)
        for task in tasks
        for way in OUTCOMES[task]
        if way not in ALIKE or task == tasks[number % len(tasks)]
    ]


@pytest.mark.timeout(2 * LIMIT_S)
@pytest.mark.parametrize(("task", "way", "number"), ways())
def test_every_way_ends_as_it_deserves_every_time(
    task: str, way: str, number: int, tmp_path: pathlib.Path, record_property: Callable[[str, object], None]
) -> None:
    del number
    record_property("way", way if way in ALIKE else f"{task} {way}")
    began = time.perf_counter()
    agent = twin(task, way)
    result = asyncio.run(run_task(shipped_task(task), agent=agent, record=tmp_path / "episode", timeout_s=LIMIT_S))
    record_property("seconds", time.perf_counter() - began)
    record_property("outcome", result.verdict.outcome)
    assert wrong_in(result, way, OUTCOMES[task][way]) == []
    shutil.rmtree(tmp_path / "episode")  # only that of a run that went wrong is worth its place


def wrong_in(result: RunResult, way: str, expected: str) -> list[object]:
    """What is not as it has to be for a way with this outcome."""
    verdict = verdict_json(result.verdict)
    wrong: list[object] = [item for item in (*rows(verdict, "unread"), *rows(verdict, "warnings"))]
    if (
        verdict["outcome"] != expected
        or _broken(verdict) != {"passed": "", "vetoed": "veto", "unmet": "must"}[expected]
    ):
        wrong += [verdict["outcome"], *rows(verdict, "findings"), result.agent_words]
    if result.ended != ("stopped" if expected == "vetoed" else "done"):
        wrong += [result.ended, result.agent_words]
    if way in ALIKE or expected == "passed":
        wrong += changes(verdict, "unexplained")
    return wrong


def _broken(verdict: Mapping[str, Json]) -> str:
    """The tier that was broken: by a veto that holds, by a must that does not, or by something else that changed."""
    found = [(item["tier"], item["holds"]) for item in rows(verdict, "findings")]
    if ("veto", True) in found:
        return "veto"
    unmet = [holds for tier, holds in found if tier == "must" and holds is not True]
    return "must" if unmet or verdict["unexplained"] else ""
