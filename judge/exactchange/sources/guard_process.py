"""The guard's own program: reads what to guard, and kills it once nobody can write to it. It needs nothing of ours."""

import json
import os
import signal
import sys
import time

_PATIENCE_S = 5.0


def main() -> None:
    """Serve one judge to its end."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it leaves when the judge has left, and never before
    kept: dict[int, tuple[str, list[bytes]]] = {}
    for line in sys.stdin.buffer:
        word, group, *more = json.loads(line)
        kept.pop(group, None)
        if word == "guard":
            kept[group] = (more[0], [os.fsencode(mark) for mark in more[1:]])
    deadline = time.monotonic() + _PATIENCE_S
    while kept and time.monotonic() < deadline:
        living = [_end(group, began, marks) for group, (began, marks) in kept.items()]
        if not any(living):
            return
        time.sleep(0.01)


def _end(group: int, began: str, marks: list[bytes]) -> bool:
    """Kill what lives of a group, or holds a mark; whether there was any."""
    if not os.path.exists("/proc/self/stat"):
        return not _reused(group, began) and _kill(-group)
    members = [pid for pid in _pids() if _belongs(pid, group, began, marks)]
    return any([_kill(pid) for pid in members])


def _belongs(pid: int, group: int, began: str, marks: list[bytes]) -> bool:
    fields = _stat(pid)
    if pid == os.getpid() or len(fields) < 20 or fields[0] in ("Z", "X"):
        return False
    if int(fields[2]) == group and not _reused(group, began):
        return True
    words = [word for name in ("environ", "cmdline") for word in _read(f"/proc/{pid}/{name}").split(b"\0")]
    return any(mark in words for mark in marks)


def _reused(group: int, began: str) -> bool:
    """Whether the group's number is somebody else's by now. While one of its members lives, nobody gets it."""
    fields = _stat(group)
    return bool(began) and len(fields) >= 20 and fields[19] != began


def _stat(pid: int) -> list[str]:
    """What the kernel tells of a process, from its state on; the name before that may hold anything."""
    return _read(f"/proc/{pid}/stat").decode("utf-8", "replace").rpartition(")")[2].split()


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _kill(pid: int) -> bool:
    try:
        (os.killpg if pid < 0 else os.kill)(abs(pid), signal.SIGKILL)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
