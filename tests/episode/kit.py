"""Small real episodes: a task over a file, a directory and a database, and runs of it that are recorded."""

import asyncio
import json
import pathlib
import sqlite3
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from exactchange.case import Case
from exactchange.episode import InvalidEpisode, RunWorld, read_episode
from exactchange.episode.blobs import blob_name
from exactchange.session import Session
from exactchange.task import Task, task_from_data
from exactchange.values import Value
from exactchange.values.jsonform import Json
from exactchange.verdict import Verdict, verdict_json

DATA: Mapping[str, Value] = {
    "id": "kit",
    "instruction": "Set a to 2.",
    "sources": {
        "doc": {"adapter": "file", "path": "{workdir}/doc.json"},
        "db": {"adapter": "sqlite", "path": "{workdir}/app.db"},
        "files": {"adapter": "tree", "path": "{workdir}"},
    },
    "veto": [
        {"name": "b stays", "change": {"in": "doc", "at": "b"}},
        {"name": "nothing explodes", "action": {"tool": "explode"}},
        {"name": "no row is lost", "change": {"in": "db", "op": "removed"}},
    ],
    "must": [{"name": "a is 2", "change": {"in": "doc", "at": "a", "to": 2}}],
}


def kit_task(**other: Value) -> Task:
    """The task, or a variant of it."""
    return task_from_data({**DATA, **other}, name="kit.yaml")


@dataclass(frozen=True)
class Desk:
    """A work directory with the state that the task starts from."""

    folder: pathlib.Path

    @property
    def world(self) -> RunWorld:
        return RunWorld(self.folder)

    def write(self, **document: Value) -> None:
        """The whole of the document."""
        (self.folder / "doc.json").write_text(json.dumps(document))

    def sql(self, statement: str) -> None:
        """Change the database, as an application would."""
        with sqlite3.connect(self.folder / "app.db") as connection:
            connection.execute(statement)
        connection.close()


def new_desk(folder: pathlib.Path) -> Desk:
    """A desk with a document, a table of two rows and a note."""
    folder.mkdir()
    desk = Desk(folder)
    desk.write(a=1, b=1)
    desk.sql("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
    desk.sql("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    (folder / "note.txt").write_text("hello\n")
    return desk


CLICK: Mapping[str, Value] = {"kind": "click", "target": {"css": "#save"}}


async def good_run(task: Task, desk: Desk, record: pathlib.Path | None) -> Verdict:
    """Two steps and an answer; passes."""
    async with Session(task, world=desk.world, record=record, settle_s=0) as session:
        assert (await session.before({"kind": "fill", "target": {"css": "#a"}, "text": "2"})).go
        assert (await session.after()).go
        assert (await session.before(CLICK)).go
        desk.write(a=2, b=1)
        assert (await session.after()).go
        return await session.finish("a is 2")


def recorded(tmp_path: pathlib.Path, task: Task | None = None) -> pathlib.Path:
    """The episode of a good run."""
    desk = new_desk(tmp_path / "work")
    verdict = asyncio.run(good_run(task or kit_task(), desk, tmp_path / "episode"))
    assert verdict.passed, verdict
    return tmp_path / "episode"


def lines_of(episode: pathlib.Path) -> list[bytes]:
    """The lines of its log, without their ends."""
    return (episode / "events.jsonl").read_bytes().split(b"\n")[:-1]


def write_lines(episode: pathlib.Path, lines: list[bytes]) -> None:
    """Another log."""
    (episode / "events.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def unseal(episode: pathlib.Path) -> None:
    """Take the end out of the header, as a crash before sealing leaves it."""
    header = json.loads((episode / "episode.json").read_text())
    (episode / "episode.json").write_text(json.dumps({**header, "end": None}))


def rechain(
    episode: pathlib.Path, change: Callable[[list[dict[str, Json]]], None], *, end: dict[str, Json] | None = None
) -> None:
    """Forge the log as somebody would who knows the format: every hash fits again."""
    from exactchange.episode import read_header

    records = [json.loads(line) for line in lines_of(episode)]
    change(records)
    unseal(episode)
    head = read_header(episode).origin
    lines: list[bytes] = []
    for number, record in enumerate(records, 1):
        line = json.dumps({**record, "seq": number, "prev": head}, sort_keys=True, separators=(",", ":")).encode()
        head = blob_name(line)
        lines.append(line)
    write_lines(episode, lines)
    last = records[-1] if end is None else end
    seal = {"ended": last["ended"], "stopped_at": last["stopped_at"], "ended_ns": last["time_ns"]}
    header = json.loads((episode / "episode.json").read_text())
    whole = {**header, "end": {**seal, "events": len(lines), "head": head}}
    (episode / "episode.json").write_text(json.dumps(whole))


@contextmanager
def case_of(episode: pathlib.Path, task: Task | None = None) -> Generator[Case]:
    """The case of an episode; its snapshots are closed afterwards."""
    case = read_episode(episode, task or kit_task())
    try:
        yield case
    finally:
        close(case)


def close(case: Case) -> None:
    """Close all snapshots of a case."""
    for evidence in case.sources.values():
        for snapshot in evidence.captures:
            snapshot.close()


def told(case: Case, workdir: pathlib.Path = pathlib.Path("/workdir")) -> object:
    """All of a case but its mode, as something that can be compared: snapshots by their state and mark.

    `workdir`: what `{workdir}` stood for; no recording knows it.
    """
    sources = {
        name: (
            evidence.kind.name,
            evidence.params.model_dump_json().replace(str(workdir), "{workdir}"),
            [
                (item.digest.hex(), item.mark.step, item.mark.wall_ns, item.mark.mono_ns, list(item.unread))
                for item in evidence.captures
            ],
            [list(item.notes) for item in evidence.captures],
        )
        for name, evidence in case.sources.items()
    }
    rest = (case.answer, case.ended, case.stopped_at, case.started_ns, case.ended_ns, case.failure, case.complete)
    return sources, case.actions, rest, case.notes, dict(case.hashes), dict(case.begun)


def but_mode(verdict: Verdict) -> dict[str, Json]:
    """A verdict's document without its mode."""
    return {name: value for name, value in verdict_json(verdict).items() if name != "mode"}


def refused(episode: pathlib.Path, task: Task | None = None) -> str:
    """Why an episode is invalid. Fails when it is read after all."""
    try:
        with case_of(episode, task):
            pass
    except InvalidEpisode as error:
        return str(error)
    raise AssertionError(f"{episode} was read")
