"""Deals numbered pieces of work out to several processes, and hands back what each piece came to."""

import json
import os
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

_NUMBER: Final = struct.Struct("<I")
_AT_ONCE: Final = 4
"""Pieces that a process takes at a time: neighbours, since what ended one is likely to end the next."""


def dealt(pieces: int, work: Callable[[int], str], *, workers: int) -> Iterator[tuple[int, str]]:
    """Each number below `pieces` with the word that `work` gives for it, in whatever order they end.

    A process that dies takes its pieces along: they are missing.
    """
    todo, dealing = os.pipe()
    results, telling = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    dealer = os.fork()
    if not dealer:
        with suppress(BrokenPipeError):  # when all workers died
            os.close(todo)
            for number in range(0, pieces, _AT_ONCE):
                os.write(dealing, _NUMBER.pack(number))
        os._exit(0)
    os.close(dealing)
    children = [_worker(todo, telling, pieces, work) for _ in range(workers)]
    os.close(todo)
    os.close(telling)
    with os.fdopen(results, encoding="utf-8") as lines:
        for line in lines:
            number, word = json.loads(line)
            yield number, word
    for child in (dealer, *children):
        os.waitpid(child, 0)


def _worker(todo: int, telling: int, pieces: int, work: Callable[[int], str]) -> int:
    """Start one; its process id."""
    child = os.fork()
    if child:
        return child
    status = 70
    with suppress(BaseException):  # it must not go on with the work of its parent
        while chunk := os.read(todo, _NUMBER.size):  # so short a piece is read whole
            first: int = _NUMBER.unpack(chunk)[0]
            for number in range(first, min(first + _AT_ONCE, pieces)):
                os.write(telling, f"{json.dumps([number, work(number)])}\n".encode())
        status = 0
    os._exit(status)
