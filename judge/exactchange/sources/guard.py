"""Ends what a run started when the judge itself dies without a chance to: by SIGKILL, or for want of memory.

A small process of its own holds the reading end of a pipe. Its writing end is closed by the kernel however the judge
ends, and nobody else has it; what is registered then is killed. Linux can tie a child's life to its parent's
(PR_SET_PDEATHSIG), but to the thread that started it, by code that runs between fork and exec, and not its children's.
"""

import atexit
import os
import pathlib
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field

from exactchange.values import dumps

_PROGRAM = pathlib.Path(__file__).with_name("guard_process.py")
_LEAVES_S = 2.0


@dataclass
class _Guard:
    """The guard of this process, started on first use; begun anew where somebody ended it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    kept: dict[int, str] = field(default_factory=dict[int, str])
    process: "subprocess.Popen[bytes] | None" = None
    owner: int = 0

    def tell(self, line: str) -> None:
        """Send a line; to a guard that is gone, all that is registered."""
        if self.process is None or self.owner != os.getpid() or not self._sent(line):
            self._start()
            self._sent("".join(self.kept.values()))

    def end(self) -> None:
        """Let the guard go: nothing is left to be guarded, or it ends that now. Its lock is held, if need be."""
        if self.process is not None and self.process.stdin is not None and self.owner == os.getpid():
            with suppress(OSError):
                self.process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=_LEAVES_S)
            self.process = None

    def _start(self) -> None:
        with suppress(OSError):  # without it a run is as good, and only its sudden end is not tidied up
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,
            )
            self.owner = os.getpid()

    def _sent(self, text: str) -> bool:
        if self.process is None or self.process.stdin is None:
            return False
        try:
            self.process.stdin.write(text.encode())
            self.process.stdin.flush()
        except OSError:
            return False
        return True


_GUARD = _Guard()
atexit.register(_GUARD.end)


def guard(group: int, *marks: str) -> None:
    """End a process group that was just started with the judge, and whatever holds a mark.

    `group`: the pid of its leader. `marks`: whole `NAME=value` of an environment, or arguments, that nobody guesses:
    they show what left the group; only Linux tells.
    """
    with _GUARD.lock:
        _GUARD.kept[group] = dumps(["guard", group, _started(group), *marks]) + "\n"
        _GUARD.tell(_GUARD.kept[group])


def release(group: int) -> None:
    """The group has ended: its number may be somebody else's soon. With the last one the guard goes, too."""
    with _GUARD.lock:
        if _GUARD.kept.pop(group, None) is not None:
            _GUARD.tell(dumps(["release", group]) + "\n")
            if not _GUARD.kept:
                _GUARD.end()


def _started(pid: int) -> str:
    """When a process began, as the kernel tells it: that tells it from another with its number. Empty if unknown."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
