"""The law of recording: what is read back is what was judged."""

import asyncio
import pathlib
import tempfile
from collections.abc import Sequence
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.episode.kit import CLICK, Desk, but_mode, case_of, kit_task, new_desk, told

from exactchange.case import Case
from exactchange.session import Session, judge_episode, offline
from exactchange.snapshot import Note
from exactchange.task import Task
from exactchange.values import Value
from exactchange.verdict import Verdict

Move: TypeAlias = tuple[str, Value]

texts = st.text(max_size=8) | st.sampled_from(["\u2028", "\n", "\x85", '{"seq":9}', "\ud800", "\x00", "$x", "9" * 400])
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values: st.SearchStrategy[Value] = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
moves: st.SearchStrategy[Move] = st.one_of(
    st.tuples(st.just("write"), st.dictionaries(st.sampled_from("abcd"), values, max_size=3)),
    st.tuples(st.just("row"), st.integers(1, 4)),
    st.tuples(st.just("file"), texts),
    st.tuples(st.just("remove"), st.just(None)),
    st.tuples(st.just("corrupt"), st.just(None)),
    st.tuples(st.just("step"), st.dictionaries(texts, values, max_size=3)),
    st.tuples(st.just("failed step"), texts),
    st.tuples(st.just("reply"), texts),
    st.tuples(st.just("log"), texts),
    st.tuples(st.just("fail"), texts),
    st.tuples(st.just("note"), texts),
)


@given(st.lists(moves, max_size=8), st.none() | texts)
@settings(max_examples=60, deadline=None)
def test_a_recorded_case_is_the_case_that_was_judged(plan: Sequence[Move], answer: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk, record = new_desk(pathlib.Path(folder, "work")), pathlib.Path(folder, "episode")
        task = kit_task()
        seen: list[object] = []
        verdict = asyncio.run(_play(task, desk, record, plan, answer, seen))
        with case_of(record) as case:
            assert told(case) == seen[0]
        assert but_mode(judge_episode(task, record)) == but_mode(verdict)


async def _play(
    task: Task, desk: Desk, record: pathlib.Path, plan: Sequence[Move], answer: str | None, seen: list[object]
) -> Verdict:
    def judged(task: Task, case: Case) -> Verdict:
        seen.append(told(case, desk.folder))
        return offline.judged(task, case)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("exactchange.session.online.judged", judged)  # its own way to the verdict, with an ear on it
        async with Session(task, world=desk.world, record=record, settle_s=0) as session:
            for move in plan:
                await _make(session, desk, *move)
            return await session.finish(answer)


async def _make(session: Session, desk: Desk, kind: str, value: Value) -> None:
    match kind, value:
        case "write", dict():
            desk.write(**value)
        case "row", int():
            desk.sql(f"INSERT OR REPLACE INTO t VALUES ({value}, 'row {value}')")
        case "file", str():
            (desk.folder / "new.txt").write_text(value.encode("utf-8", "replace").decode())
        case "remove", _:
            (desk.folder / "note.txt").unlink(missing_ok=True)
        case "corrupt", _:
            (desk.folder / "doc.json").write_bytes(b'{"a": ')
        case "reply", str():
            await session.event({"kind": "reply", "text": value})
        case "log", str():
            await session.observed({"kind": value, "text": value})
        case "fail", str():
            session.fail(value)
        case "note", str():
            session.note("test", value)
        case _:
            await _step(session, value)


async def _step(session: Session, value: Value) -> None:
    raw = value if isinstance(value, dict) else CLICK
    if (await session.before(raw)).go:
        await session.after(error=value if isinstance(value, str) else None)


def test_the_notes_of_a_run_are_those_of_its_record(tmp_path: pathlib.Path) -> None:
    desk = new_desk(tmp_path / "work")
    asyncio.run(_play(kit_task(), desk, tmp_path / "episode", [("note", "x"), ("fail", "y")], None, []))
    with case_of(tmp_path / "episode") as case:
        assert case.notes == (Note("test", "x"),)
        assert case.failure == "y"
