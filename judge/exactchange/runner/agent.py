"""Lets an agent work: its process, its socket or its log, and the end of both."""

import asyncio
import os
import pathlib
import secrets
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass

from exactchange.case import Ended
from exactchange.errors import InfrastructureError, UsageError
from exactchange.runner import environment
from exactchange.runner.observed import has_lines, read_log
from exactchange.runner.processes import MARK, POLL_S, end_group, end_marked, start, tail
from exactchange.runner.protocol import LONGEST_LINE, MOST_MISTAKES, Conversation, encoded
from exactchange.runner.stage import Stage
from exactchange.session import Session

_LEAVING_S = 10.0
"""How long an agent may take to end after it finished, or was told to stop."""
_LONGEST_ANSWER_S = 60.0
_LONGEST_PASSED_OVER = 64 * 1024 * 1024
"""Bytes of a message that are read only to be dropped."""
_LONGEST_PATH = 100
"""Bytes of a socket's path; the kernel allows 108."""


@dataclass(frozen=True, slots=True)
class Worked:
    """How an agent's work ended. `observed`: it never asked, so that only its log tells what it did."""

    ended: Ended
    answer: str | None
    observed: bool
    words: str


def command_line(agent: str | Sequence[str], stage: Stage) -> list[str]:
    """The agent's command: a text is split as a shell would; `{python} {workdir} {port}` are put in. UsageError."""
    try:
        parts = shlex.split(agent) if isinstance(agent, str) else list(agent)
    except ValueError as error:
        raise UsageError(f"the agent's command cannot be split: {error}") from error
    return [stage.world.expand(part) for part in parts]


class Line:
    """The agent's end of the socket: one connection, served until it hangs up."""

    def __init__(self, session: Session) -> None:
        self.talk = Conversation(session, "agent")
        self.connected = False
        self.broken = False
        self._serving: asyncio.Task[None] | None = None
        self._noted: set[str] = set()

    @asynccontextmanager
    async def open(self, place: pathlib.Path) -> AsyncGenerator[None]:
        """Listen at this path for the block."""
        server = await asyncio.start_unix_server(self._connected, path=place, limit=LONGEST_LINE + 1)
        try:
            yield
        finally:
            server.close()
            await self.quiet()

    async def quiet(self) -> None:
        """Wait until an answer that is being made is made; the agent is gone by then."""
        if self._serving is not None:
            done, _ = await asyncio.wait({self._serving}, timeout=_LONGEST_ANSWER_S)
            if not done:
                self._serving.cancel()
                with suppress(asyncio.CancelledError):
                    await self._serving

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.connected:
            self._note("connection", "the agent opened another connection to the judge; only the first counts")
            writer.write(encoded({"type": "error", "message": "another connection is open, or was; only one counts"}))
            writer.close()
            return
        self.connected = True
        self._serving = asyncio.current_task()
        try:
            await self._serve(reader, writer)
        except (ConnectionError, BrokenPipeError):
            pass  # the agent is gone; how it ended is told by its process
        except InfrastructureError as error:
            self.talk.session.fail(str(error))
        except Exception as error:  # noqa: BLE001  # the judge's own mistake: no verdict, never a pass
            self.talk.session.fail(f"the judge failed: {type(error).__name__}: {error}")
        finally:
            writer.close()

    def _note(self, kind: str, message: str) -> None:
        """What the verdict shall warn of: once, however often it happens."""
        if kind not in self._noted:
            self._noted.add(kind)
            self.talk.session.note(kind, message)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while self.talk.mistakes < MOST_MISTAKES:
            try:
                line = await reader.readuntil(b"\n")
            except asyncio.IncompleteReadError as error:
                self.broken = self.broken or bool(error.partial)
                return
            except asyncio.LimitOverrunError:
                writer.write(encoded({"type": "error", "message": "a message of more than 1 MiB; it was not read"}))
                self._note("message", "the agent sent a message of more than 1 MiB, which was not read")
                self.talk.mistakes += 1
                if await _passed_over(reader):
                    continue
                break
            writer.write(encoded(await self.talk.reply(line[:-1])))
            await writer.drain()
        self.broken = True


async def _passed_over(reader: asyncio.StreamReader) -> bool:
    """Read to the end of a line that is too long, so that its sender lives to hear of it; whether there is one."""
    passed = 0
    while passed < _LONGEST_PASSED_OVER:
        try:
            await reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            passed += len(await reader.readexactly(error.consumed))
        except asyncio.IncompleteReadError:
            return False
        else:
            return True
    return False


async def work(stage: Stage, session: Session, agent: str | Sequence[str], *, timeout_s: float) -> Worked:
    """Start the agent, answer it until it ends or has to, and leave no process of it behind.

    Raises UsageError when it cannot be started, InfrastructureError when it cannot be ended.
    """
    line = Line(session)
    mark = secrets.token_hex(16)
    output, log = stage.scratch.file("agent.output"), stage.scratch.file("agent.jsonl")
    log.touch(mode=0o600)
    with _socket_place(stage.scratch.root) as socket_place:
        env = environment.agent(
            {
                "EXACTCHANGE_INSTRUCTION": stage.task.instruction,
                "EXACTCHANGE_CDP_URL": stage.world.cdp_url or "",
                "EXACTCHANGE_WORKDIR": str(stage.world.workdir),
                "EXACTCHANGE_SOCKET": str(socket_place),
                "EXACTCHANGE_LOG": str(log),
                MARK: mark,
                "TMPDIR": str(stage.scratch.temporary),
            }
        )
        async with line.open(socket_place):
            process = start(command_line(agent, stage), cwd=None, env=env, output=output, what="the agent")
            try:
                timed_out = await _attend(stage, session, process, line, timeout_s=timeout_s)
            finally:
                await end_group(process, patience_s=0)
                await end_marked(f"{MARK}={mark}")
    observed = not line.connected
    if not observed and has_lines(log):
        session.note("log", "the agent kept a log as well; what it said on the socket counts")
    answer = await read_log(session, log) if observed else line.talk.answer
    return Worked(_how(session, process, line, timed_out=timed_out), answer, observed, tail(output))


async def _attend(
    stage: Stage, session: Session, process: "subprocess.Popen[bytes]", line: Line, *, timeout_s: float
) -> bool:
    """Wait until the agent has ended, or has to; whether its time was up."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    leaving: float | None = None
    while process.poll() is None:
        try:
            stage.check()
        except InfrastructureError as error:
            session.fail(str(error))
            return False
        if leaving is None and (line.talk.finished or line.broken or session.stopped):
            leaving = loop.time() + _LEAVING_S
        if leaving is not None and loop.time() > leaving:
            return False
        if loop.time() > deadline:
            return True
        await asyncio.sleep(POLL_S)
    return False


def _how(session: Session, process: "subprocess.Popen[bytes]", line: Line, *, timed_out: bool) -> Ended:
    if session.failure is not None:
        return "crashed"
    if session.stopped:
        return "stopped"
    if timed_out:
        return "timeout"
    if line.talk.finished:
        return line.talk.ended
    return "crashed" if line.broken or process.returncode != 0 else "done"


@contextmanager
def _socket_place(scratch: pathlib.Path) -> Generator[pathlib.Path]:
    """A path for the socket in a private directory; a short one, since the kernel takes no long ones."""
    if len(os.fsencode(scratch)) + 20 <= _LONGEST_PATH:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="s-", dir=scratch))
    else:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="xc-", dir="/tmp"))
    try:
        yield folder / "agent.sock"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
