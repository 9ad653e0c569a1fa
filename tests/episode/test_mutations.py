"""Recordings of a run that failed, altered at random by somebody who can mend the chain: none becomes a pass."""

import asyncio
import copy
import json
import pathlib
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.episode.kit import CLICK, kit_task, lines_of, new_desk, rechain

from exactchange.errors import UsageError
from exactchange.session import Session, judge_episode
from exactchange.values.jsonform import Json
from exactchange.verdict import Verdict

Place = tuple[str | int, ...]

odd: st.SearchStrategy[Json] = st.sampled_from(
    [None, True, False, 0, 1, 2, 3, -1, 2**60, 1.5, "", "1", "x", "../x", "/etc/passwd", "0" * 64, "agent", "runner"]
    + ["capture", "action", "after", "end", "verdict", "answer", "stop", "note", "failure", "done", "doc", "db"]
)


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A run that lost a row, put it back, and did not reach the goal."""
    folder = tmp_path_factory.mktemp("failed")
    desk = new_desk(folder / "work")

    async def run() -> Verdict:
        async with Session(kit_task(), world=desk.world, record=folder / "episode", settle_s=0) as session:
            await session.before(CLICK)
            desk.sql("DELETE FROM t WHERE id = 2")
            await session.after()
            desk.sql("INSERT INTO t VALUES (2, 'two')")
            desk.write(a=3, b=1)
            return await session.finish("done", ended="stopped")

    assert asyncio.run(run()).outcome == "vetoed"
    return folder / "episode"


def _places(value: Json, here: Place = ()) -> Iterator[Place]:
    yield here
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _places(item, (*here, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _places(item, (*here, number))


def _put(value: Json, place: Place, new: Json) -> None:
    for segment in place[:-1]:
        value = value[segment]  # type: ignore[index]  # a place of this very value
    value[place[-1]] = new  # type: ignore[index]


def _mutate(data: st.DataObject, records: list[dict[str, Json]]) -> None:
    kind = data.draw(st.sampled_from(["value", "value", "value", "copy", "remove", "move", "swap"]))
    number = data.draw(st.integers(0, len(records) - 1))
    other = data.draw(st.integers(0, len(records) - 1))
    if kind == "value":
        place = data.draw(st.sampled_from([place for place in _places(records[number]) if place]))
        _put(records[number], place, data.draw(odd))
    elif kind == "copy":
        records.insert(other, copy.deepcopy(records[number]))
    elif kind == "remove" and len(records) > 2:
        del records[number]
    elif kind == "move":
        records.insert(other, records.pop(number))
    elif kind == "swap":
        name = data.draw(st.sampled_from(sorted(records[number])))
        if name in records[other]:
            records[number][name], records[other][name] = records[other][name], records[number][name]


def _never_a_pass(episode: pathlib.Path) -> None:
    try:
        verdict = judge_episode(kit_task(), episode)
    except UsageError:
        return  # invalid, and said so
    assert not verdict.passed
    json.dumps(str(verdict))


@given(st.data(), st.integers(1, 4))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_alteration_of_the_events_makes_a_pass(
    failed: pathlib.Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, count: int
) -> None:
    episode = tmp_path_factory.mktemp("altered") / "episode"
    shutil.copytree(failed, episode)

    def forge(records: list[dict[str, Json]]) -> None:
        for _ in range(count):
            _mutate(data, records)

    last = json.loads(lines_of(episode)[-1])
    try:
        rechain(episode, forge, end=last)
        _never_a_pass(episode)
    finally:
        shutil.rmtree(episode.parent)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_no_alteration_of_bytes_makes_a_pass(
    failed: pathlib.Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    episode = tmp_path_factory.mktemp("flipped") / "episode"
    shutil.copytree(failed, episode)
    try:
        files = sorted(item for item in episode.rglob("*") if item.is_file() and item.name != "verdict.json")
        file = data.draw(st.sampled_from(files))
        content = bytearray(file.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(content) - 1))
            content[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
        file.write_bytes(content)
        _never_a_pass(episode)
    finally:
        shutil.rmtree(episode.parent)
