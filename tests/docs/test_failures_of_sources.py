"""What a verdict becomes when a file, a directory or a database cannot be read: docs/failures.md, the first table."""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest
from tests.docs.failing import Act, as_stated, nothing, played, reach
from tests.episode.kit import CLICK, DATA, Desk, kit_task
from tests.session.kinds import OddKind, Trace, odd_task

from exactchange.reports import Entry, verdict_of
from exactchange.session import Session
from exactchange.snapshot import Mark
from exactchange.task import Task
from exactchange.values import Value

OTHER: Value = {"adapter": "file", "path": "{workdir}/other.json"}


def _with(source: Value, **more: Value) -> Task:
    """The kit's task with one more file, called other."""
    sources = DATA["sources"]
    assert isinstance(sources, dict)
    return kit_task(sources={**sources, "other": source}, **more)


def _other(text: str) -> Act:
    return lambda desk: (desk.folder / "other.json").write_text(text)


def _gone(desk: Desk) -> None:
    (desk.folder / "other.json").unlink()


def test_absent_from_beginning_to_end(tmp_path: pathlib.Path) -> None:
    entry = played(tmp_path / "1", reach, task=_with(OTHER))
    as_stated("never-there", entry)
    assert entry.verdict is not None and "misspelt" in entry.verdict.unread[0][1].reason
    tolerant: Value = {"adapter": "file", "path": "{workdir}/other.json", "missing": "ok"}
    assert played(tmp_path / "2", reach, task=_with(tolerant)).outcome == "passed"


def test_absent_at_the_start(tmp_path: pathlib.Path) -> None:
    made: Value = {"change": {"in": "other", "at": "x", "op": "added", "to": 1}}
    task = _with(OTHER, must=[made, *_musts()])
    as_stated("comes", played(tmp_path, reach, _other('{"x": 1}'), task=task))


def test_absent_at_the_end(tmp_path: pathlib.Path) -> None:
    entry = played(tmp_path, reach, _gone, task=_with(OTHER), prepare=_other('{"x": 1}'))
    as_stated("goes", entry)
    assert entry.verdict is not None
    assert [(item.source, item.op) for item in entry.verdict.unexplained] == [("other", "removed")]


def _musts() -> list[Value]:
    found = DATA["must"]
    assert isinstance(found, list)
    return found


_FORBIDDEN = """
    import json, os, pathlib, sys
    from tests.docs.failing import played, reach
    from tests.episode.kit import DATA, kit_task
    from exactchange.verdict import verdict_json

    def locked(desk):
        reach(desk)
        (desk.folder / "other.json").chmod(0o000)

    doc, other = DATA["sources"]["doc"], {"adapter": "file", "path": "{workdir}/other.json"}
    task = kit_task(sources={"doc": doc, "other": other}, veto=DATA["veto"][:2])
    write = lambda desk: (desk.folder / "other.json").write_text("{}")
    played(pathlib.Path(sys.argv[1], "root"), reach, task=task, prepare=write)  # loads what nobody may not
    if os.getuid() == 0:
        os.setuid(65534)
    entry = played(pathlib.Path(sys.argv[1], "nobody"), locked, task=task, prepare=write)
    print(json.dumps(verdict_json(entry.verdict)))
"""


def test_what_may_not_be_read() -> None:
    """In a process of its own, since nothing is forbidden to root."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        os.chmod(pathlib.Path(folder).parent, 0o711)  # the tests' own temporary folder, through which nobody must come
        done = subprocess.run(
            [sys.executable, "-c", "if True:" + _FORBIDDEN, folder],
            cwd=pathlib.Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    verdict = verdict_of(json.loads(done.stdout), name="child")
    as_stated("no-permission", Entry("child", verdict))
    assert [(source, item.reason) for source, item in verdict.unread][0] == ("other", "permission denied")


def test_a_directory_in_its_place(tmp_path: pathlib.Path) -> None:
    def replaced(desk: Desk) -> None:
        _gone(desk)
        (desk.folder / "other.json").mkdir()

    as_stated("directory", played(tmp_path, reach, replaced, task=_with(OTHER), prepare=_other("{}")))


@pytest.mark.parametrize("text", ['{"x": ', '{"x": 1, "x": 2}', "\x00\x01"])
def test_a_torn_file(text: str, tmp_path: pathlib.Path) -> None:
    as_stated("corrupt-file", played(tmp_path, reach, _other(text), task=_with(OTHER), prepare=_other("{}")))


@pytest.mark.parametrize("bad", [b"not a database, " * 512, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_corrupt_database(bad: bytes, tmp_path: pathlib.Path) -> None:
    def overwritten(desk: Desk) -> None:
        reach(desk)
        (desk.folder / "app.db").write_bytes(bad)

    as_stated("corrupt-database", played(tmp_path / "whole", overwritten))

    def cut(desk: Desk) -> None:
        reach(desk)
        os.truncate(desk.folder / "app.db", 6000)

    as_stated("corrupt-database", played(tmp_path / "cut", cut))


def test_a_file_that_is_too_large(tmp_path: pathlib.Path) -> None:
    large = json.dumps({"x": "y" * 5 * 1024 * 1024})
    as_stated("too-large", played(tmp_path, reach, _other(large), task=_with(OTHER), prepare=_other("{}")))


def test_a_database_that_is_too_large(tmp_path: pathlib.Path) -> None:
    sources = DATA["sources"]
    assert isinstance(sources, dict)
    small: Value = {"adapter": "sqlite", "path": "{workdir}/app.db", "largest": 16 * 1024}

    def grown(desk: Desk) -> None:
        reach(desk)
        desk.sql("INSERT INTO t (v) VALUES (hex(zeroblob(40000)))")

    as_stated("too-large", played(tmp_path, grown, task=kit_task(sources={**sources, "db": small})))


def test_a_file_that_is_too_deep(tmp_path: pathlib.Path) -> None:
    deep = "[" * 1000 + "]" * 1000
    as_stated("too-deep", played(tmp_path, reach, _other(deep), task=_with(OTHER), prepare=_other("{}")))


def test_unread_in_between(tmp_path: pathlib.Path) -> None:
    acts = (_other("{"), _other("{}"), reach)
    entry = played(tmp_path / "1", *acts, task=_with(OTHER), prepare=_other("{}"))
    as_stated("between", entry)
    assert entry.verdict is not None and [item.kind for item in entry.verdict.warnings] == ["between captures"]
    veto: list[Value] = [{"change": {"in": "other", "at": "x"}}]
    as_stated("between-veto", played(tmp_path / "2", *acts, task=_with(OTHER, veto=veto), prepare=_other("{}")))


async def _unwatched(session: Session, desk: Desk) -> None:
    await session.observed(CLICK)
    reach(desk)
    await session.observed(CLICK)


def test_steps_that_nobody_watched(tmp_path: pathlib.Path) -> None:
    entry = played(tmp_path / "1", drive=_unwatched)
    as_stated("unwatched", entry)
    assert entry.verdict is not None and "between captures" in [item.kind for item in entry.verdict.warnings]
    seen: Value = {"value": {"in": "doc", "at": "a", "is": 7, "when": "ever"}}
    as_stated("unwatched-must", played(tmp_path / "2", drive=_unwatched, task=kit_task(must=[seen, *_musts()])))
    row: Value = {"change": {"in": "db", "at": "t[*]", "op": "added"}}
    first: Value = {"order": [row, {"change": {"in": "doc", "at": "a"}}]}
    as_stated("unwatched-must", played(tmp_path / "3", drive=_unwatched, task=kit_task(must=[first, *_musts()])))
    assert played(tmp_path / "4", reach, task=kit_task(must=[seen, *_musts()])).outcome == "unmet"


def _torn(desk: Desk) -> None:
    (desk.folder / "app.db").write_bytes(b"not a database, " * 512)


def _crossed(desk: Desk) -> None:
    desk.write(a=1, b=2)


def test_unread_beside_what_is_known(tmp_path: pathlib.Path) -> None:
    as_stated("unread-and-failed", played(tmp_path / "1", _torn))
    entry = played(tmp_path / "2", _crossed, _torn, reach)
    as_stated("unread-and-vetoed", entry)
    assert entry.verdict is not None and entry.verdict.unread


async def _hangs(_mark: Mark) -> None:
    await asyncio.Event().wait()


def _mistaken(_mark: Mark) -> None:
    raise ZeroDivisionError("by mistake")


def test_a_reader_that_is_silent_or_mistaken_at_the_end(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactchange.session.watching._GRACE_S", 0.0)

    def at_the_end(happen: object) -> Task:
        assert callable(happen)
        return odd_task(OddKind("odd", Trace(), lambda mark: happen(mark) if mark.step else 0))

    as_stated("silent", played(tmp_path / "1", reach, task=at_the_end(_hangs), deadline_s=0.5))
    as_stated("adapter", played(tmp_path / "2", reach, task=at_the_end(_mistaken)))


def test_what_never_stands_still(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactchange.session.online._STILL_MOVING_S", 0.05)
    ticks = iter(range(10**6))
    task = odd_task(OddKind("odd", Trace(), lambda mark: next(ticks)))
    entry = played(tmp_path, reach, task=task, settle_s=0.01)
    as_stated("moving", entry)
    assert entry.verdict is not None and "moving" in [item.kind for item in entry.verdict.warnings]


def test_what_a_secret_was(tmp_path: pathlib.Path) -> None:
    new: Value = {"change": {"in": "other", "at": "password", "to": "hunter2"}}
    acts = (reach, _other('{"password": "hunter2"}'))
    start = _other('{"password": "hunter1"}')
    as_stated("secret", played(tmp_path / "1", *acts, task=_with(OTHER, must=[new, *_musts()]), prepare=start))
    changed: Value = {"change": {"in": "other", "at": "password"}}
    known = played(tmp_path / "2", *acts, task=_with(OTHER, must=[changed, *_musts()]), prepare=start)
    assert known.outcome == "passed"
    assert played(tmp_path / "3", reach, nothing, task=_with(OTHER), prepare=start).outcome == "passed"
