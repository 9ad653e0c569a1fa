"""The agent protocol on stdin and stdout, for a runner in another language that starts the judge itself."""

import asyncio
import pathlib
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, BinaryIO

from exactchange.case import Ended
from exactchange.errors import ExactChangeError, InfrastructureError, UsageError
from exactchange.runner.protocol import LONGEST_LINE, MOST_MISTAKES, Conversation, Malformed, encoded, parse
from exactchange.runner.run import finish
from exactchange.runner.stage import Stage, brought_up
from exactchange.session import Session
from exactchange.values import Value, from_json
from exactchange.verdict import verdict_json

if TYPE_CHECKING:
    from exactchange.task import Task
    from exactchange.verdict import Verdict

LoadTask = Callable[[str, Mapping[str, Value]], "Task"]


async def serve_stdio(
    source: BinaryIO, sink: BinaryIO, *, load: LoadTask, record: pathlib.Path | None = None, headless: bool = True
) -> "Verdict | None":
    """Serve one run. The other side is the runner, so what it reports counts as reported by the runner.

    First line: `{"type": "start", "task": FILE, "params": {…}}`; the answer is `world` with `instruction`, `cdp_url`
    and `workdir`. Then `before`, `after`, `event`, and `finish`, whose answer is `ack` with the `verdict`. Returns the
    verdict, or None when the other side hung up without `finish`. Raises InfrastructureError when the world does not
    come up, after saying so.
    """
    lines = _Lines(source)
    say = _Sayer(sink)
    task = await _first(lines, say, load)
    if task is None:
        return None
    try:
        async with brought_up(task, headless=headless, keep=False, say=_quiet) as stage:
            async with Session(task, world=stage.world, record=record) as session:
                say(_world(stage))
                return await _talk(stage, session, lines, say)
    except ExactChangeError as error:
        say({"type": "error", "message": str(error)})
        raise


async def _first(lines: "_Lines", say: "_Sayer", load: LoadTask) -> "Task | None":
    """The task of the first line that names one; None when there is none."""
    for _ in range(MOST_MISTAKES):
        line = await lines.next()
        if line is None:
            return None
        try:
            message = parse(line)
            name, params = message.get("task"), message.get("params", {})
            if message.get("type") != "start" or not isinstance(name, str) or not isinstance(params, Mapping):
                raise Malformed('the first message is {"type": "start", "task": FILE, "params": {…}}')
            return load(name, params)
        except UsageError as error:
            say({"type": "error", "message": str(error)})
    return None


async def _talk(stage: Stage, session: Session, lines: "_Lines", say: "_Sayer") -> "Verdict | None":
    talk = Conversation(session, "runner")
    while talk.mistakes < MOST_MISTAKES:
        line = await lines.next()
        if line is None:
            return None
        try:
            stage.check()
        except InfrastructureError as error:
            session.fail(str(error))
        answer = await talk.reply(line)
        if not talk.finished:
            say(answer)
            continue
        ended: Ended = "crashed" if session.failure is not None else "stopped" if session.stopped else "done"
        verdict = await finish(stage, session, answer=talk.answer, ended=ended, reported_by="runner")
        document = from_json(verdict_json(verdict))
        say({**answer, "verdict": document if isinstance(document, Mapping) else None})
        return verdict
    return None


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

    async def next(self) -> bytes | None:
        """The next line without its end; None after the last one."""
        return await self._lines.get()

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
        self._sink.write(encoded(message))
        self._sink.flush()


def _quiet(_text: str) -> None:
    return
