"""Processes that a run starts: each leads a group of its own, and none of them outlives the run."""

import asyncio
import os
import pathlib
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence

from exactchange.errors import InfrastructureError, UsageError
from exactchange.sources.guard import guard, release

MARK = "EXACTCHANGE_RUN"
"""Names, in the environment of an agent and of all that it starts, the run by a number that nobody guesses."""
POLL_S = 0.02
_GONE_S = 5.0
_TAIL = 4096


def start(
    command: Sequence[str], *, cwd: pathlib.Path | None, env: Mapping[str, str], output: pathlib.Path, what: str
) -> "subprocess.Popen[bytes]":
    """Start a command as leader of a new process group, both its outputs in a file. Raises UsageError."""
    if not command:
        raise UsageError(f"{what} has no command")
    with output.open("ab") as log:
        try:
            process = subprocess.Popen(
                list(command),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise UsageError(f"{what} cannot be started: {_missing(command[0])}; or correct {what}") from error
        except (OSError, ValueError) as error:
            raise UsageError(f"{what} cannot be started: {command[0]}: {error}") from error
    guard(process.pid, *([f"{MARK}={env[MARK]}"] if MARK in env else []))
    return process


def _missing(program: str) -> str:
    """Why a program was not found, and what to do; a script is also not found where its interpreter is not there."""
    if os.path.dirname(program) and os.path.exists(program):
        return f"{os.path.normpath(program)} is there, but not what its first line asks for; install it again"
    return f"there is no {os.path.normpath(program)}; install it"


async def exited(process: "subprocess.Popen[bytes]", *, limit_s: float) -> bool:
    """Wait until it has ended, at most so long; whether it has."""
    return await _until(lambda: process.poll() is not None, limit_s)


async def end_group(process: "subprocess.Popen[bytes]", *, patience_s: float) -> bool:
    """End a process and its group: politely, then for certain. Whether it went politely.

    Raises InfrastructureError when something of the group is still there in the end.
    """
    polite = True
    for number, limit_s in ((signal.SIGTERM, patience_s), (signal.SIGKILL, _GONE_S)):
        if not _members(process):
            release(process.pid)
            return polite
        polite = number == signal.SIGTERM
        _signal_group(process.pid, number)
        await _until(lambda: not _members(process), limit_s)
    if _members(process):
        raise InfrastructureError(f"process group {process.pid} does not end")
    release(process.pid)
    return polite


async def end_marked(mark: str) -> int:
    """End every process whose environment holds this `NAME=value`, wherever it moved to; returns how many there were.

    Raises InfrastructureError when one is still there in the end. Only Linux tells the environment of processes.
    """
    found: set[int] = set()

    def gone() -> bool:
        living = _marked(mark)
        found.update(living)
        for pid in living:
            _signal(pid, signal.SIGKILL)
        return not living

    if not await _until(gone, _GONE_S):
        raise InfrastructureError("a process that the agent started does not end")
    return len(found)


def tail(output: pathlib.Path) -> str:
    """The last lines that a process wrote, as printable text."""
    try:
        with output.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            text = file.read(_TAIL).decode(errors="replace")
    except OSError:
        return ""
    return "".join(char for char in text if char.isprintable() or char == "\n").strip()


async def _until(condition: Callable[[], bool], limit_s: float) -> bool:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limit_s
    while not condition():
        if loop.time() >= deadline:
            return False
        await asyncio.sleep(POLL_S)
    return True


def _members(process: "subprocess.Popen[bytes]") -> bool:
    """Whether anything of its group still lives; a dead child that nobody has collected yet does not."""
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    proc = pathlib.Path("/proc")
    if not (proc / "self" / "stat").exists():
        return True
    return any(_group_of_living(entry) == process.pid for entry in proc.iterdir() if entry.name.isdigit())


def _group_of_living(entry: pathlib.Path) -> int | None:
    try:
        # The name in parentheses may hold anything; what follows the last one is regular.
        state, _, group = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else int(group)


def _marked(mark: str) -> set[int]:
    wanted = mark.encode()
    found: set[int] = set()
    proc = pathlib.Path("/proc")
    for entry in proc.iterdir() if proc.is_dir() else ():
        try:
            if entry.name.isdigit() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.add(int(entry.name))
        except OSError:
            continue  # gone, or not ours to look at
    return {pid for pid in found if _group_of_living(proc / str(pid)) is not None}


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return
