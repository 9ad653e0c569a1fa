"""The agent protocol on stdin and stdout, for a runner in another language that starts the judge itself."""

import asyncio
import json
import pathlib
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from exactchange.case import Ended
from exactchange.errors import ExactChangeError, InfrastructureError, UsageError
from exactchange.runner.protocol import LONGEST_LINE, MOST_MISTAKES, Conversation, Malformed, encoded, parse
from exactchange.runner.run import finish
from exactchange.runner.stage import Stage, brought_up
from exactchange.session import Session
from exactchange.values import Value
from exactchange.values.jsonform import Json
from exactchange.verdict import verdict_json
from exactchange.verdict.document import VerdictNotWritten

if TYPE_CHECKING:
    from exactchange.task import Task
    from exactchange.verdict import Verdict

LoadTask = Callable[[str, Mapping[str, Value]], "Task"]


async def serve_stdio(
    task: "Task | None" = None,
    *,
    load: LoadTask | None = None,
    source: BinaryIO | None = None,
    sink: BinaryIO | None = None,
    record: pathlib.Path | None = None,
    headless: bool = True,
) -> "Verdict":
    """Serve one run. The other side is the runner, so what it reports counts as reported by the runner.

    The first line written is `world` with `instruction`, `cdp_url` and `workdir`; without a `task` it answers a first
    message `{"type": "start", "task": FILE, "params": {…}}`, which `load` makes a task of. Then come `before`,
    `after`, `event`, and `finish`, whose answer is `ack` with the `verdict`. `source` and `sink` are stdin and stdout
    unless given.

    Raises InfrastructureError when the world does not come up or the other side hangs up without `finish`: then there
    is no verdict. Whatever is raised was said in an `error` message before.
    """
    lines = _Lines(source if source is not None else _stdin())
    say = _Sayer(sink if sink is not None else sys.stdout.buffer)
    try:
        wanted = task if task is not None else await _first(lines, say, load)
        async with brought_up(wanted, headless=headless, keep=False, say=_quiet) as stage:
            async with Session(wanted, world=stage.world, record=record) as session:
                say(_world(stage))
                return await _talk(stage, session, lines, say)
    except ExactChangeError as error:
        say.last_word({"type": "error", "message": str(error)})
        raise


def _stdin() -> BinaryIO:
    """Stdin as a file of its own: a thread that still waits on `sys.stdin` would abort the interpreter's end."""
    return open(sys.stdin.fileno(), "rb", closefd=False)


async def _first(lines: "_Lines", say: "_Sayer", load: LoadTask | None) -> "Task":
    """The task of the first line that names one."""
    for _ in range(MOST_MISTAKES):
        try:
            message = parse(await lines.next())
            name, params = message.get("task"), message.get("params", {})
            if message.get("type") != "start" or not isinstance(name, str) or not isinstance(params, Mapping):
                raise Malformed('the first message is {"type": "start", "task": FILE, "params": {…}}')
            if load is None:
                raise UsageError("no task was given, and this end loads none")
            return load(name, params)
        except UsageError as error:
            say({"type": "error", "message": str(error)})
    raise UsageError(f"no task was named in {MOST_MISTAKES} messages")


async def _talk(stage: Stage, session: Session, lines: "_Lines", say: "_Sayer") -> "Verdict":
    talk = Conversation(session, "runner")
    while talk.mistakes < MOST_MISTAKES:
        line = await lines.next()
        try:
            stage.check()
        except InfrastructureError as error:
            session.fail(str(error))
        answer = await talk.reply(line)
        if not talk.finished:
            say(answer)
            continue
        ended = _ended(session, talk)
        try:
            verdict = await finish(stage, session, answer=talk.answer, ended=ended, reported_by="runner")
        except VerdictNotWritten as error:
            say.line({"type": "ack", "verdict": verdict_json(error.verdict)})
            raise
        say.line({"type": "ack", "verdict": verdict_json(verdict)})
        return verdict
    raise UsageError(f"{MOST_MISTAKES} messages could not be understood; the run was given up")


def _ended(session: Session, talk: Conversation) -> Ended:
    if session.failure is not None:
        return "crashed"
    return "stopped" if session.stopped else talk.ended


def _world(stage: Stage) -> Mapping[str, Value]:
    return {
        "type": "world",
        "instruction": stage.task.instruction,
        "cdp_url": stage.world.cdp_url,
        "workdir": str(stage.world.workdir),
    }


class _Lines:
    """Lines of a blocking stream, read in a thread that never holds up the end of the program."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        threading.Thread(target=self._read, name="exactchange-stdin", daemon=True).start()

    async def next(self) -> bytes:
        """The next line without its end. Raises InfrastructureError after the last one."""
        line = await self._lines.get()
        if line is None:
            raise InfrastructureError("the runner hung up before `finish`: there is no verdict")
        return line

    def _read(self) -> None:
        while line := self._source.readline(LONGEST_LINE + 2):
            self._put(line.removesuffix(b"\n"))
            if not line.endswith(b"\n") and len(line) > LONGEST_LINE:
                break  # the rest of it cannot be told from a message
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:
            return  # the loop has closed: nobody waits


class _Sayer:
    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink

    def __call__(self, message: Mapping[str, Value]) -> None:
        self._write(encoded(message))

    def line(self, document: Mapping[str, Json]) -> None:
        """A message that is a JSON document already."""
        self._write(json.dumps(document, sort_keys=True, allow_nan=False).encode("ascii") + b"\n")

    def _write(self, line: bytes) -> None:
        try:
            self._sink.write(line)
            self._sink.flush()
        except OSError as error:
            raise InfrastructureError(f"the runner does not listen: {error}") from error

    def last_word(self, message: Mapping[str, Value]) -> None:
        """Say it if anybody listens."""
        with suppress(InfrastructureError):
            self(message)


def _quiet(_text: str) -> None:
    return
