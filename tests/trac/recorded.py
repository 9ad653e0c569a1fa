"""Runs of Trac's tasks that several tests look at: played once in a test session, by whichever worker comes first."""

import fcntl
import json
import pathlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import pytest
from tests.end_to_end.play import play, shipped_task, twin

from exactchange.task import Task
from exactchange.testing import footprint
from exactchange.values.jsonform import Json

CHECKOUT = pathlib.Path(__file__).parents[2]
SEED = CHECKOUT / ".trac" / "seed"


@dataclass(frozen=True)
class Recorded:
    """What a run left: see `Played`. `touched`: what the run changed in the seed, one line each."""

    task: Task
    episode: pathlib.Path
    before: pathlib.Path
    after: pathlib.Path
    verdict: Mapping[str, Json]
    touched: tuple[str, ...]


def recorded(factory: pytest.TempPathFactory, task: str, *twins: str) -> Recorded:
    """The run of a task by these twins, one after another."""
    base = factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base  # of one worker, and of the whole session
    folder = shared / "-".join([task, *twins])
    with (shared / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = shared / f"{folder.name}.making"
            shutil.rmtree(making, ignore_errors=True)  # of one that failed
            making.mkdir()
            seed = footprint(SEED)
            play(task, twin(task, *twins), making, timeout_s=120.0)  # a tour on a machine with much else to do
            (making / "touched").write_text("\n".join(seed.differences(footprint(SEED))), encoding="utf-8")
            making.rename(folder)
    return Recorded(
        shipped_task(task),
        folder / "episode",
        folder / "before",
        folder / "after",
        cast("Mapping[str, Json]", json.loads((folder / "episode" / "verdict.json").read_text(encoding="utf-8"))),
        tuple((folder / "touched").read_text(encoding="utf-8").splitlines()),
    )
