"""Counts work in steps of Python, so that what a page can make grow is held by the same number on every machine."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import TraceFunction


def steps(work: Callable[[], object]) -> int:
    """How many instructions of Python are run, in generators and functions that are called, too."""
    count = 0

    def trace(frame: FrameType, event: str, _arg: object) -> "TraceFunction":
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def growth(work: Callable[[int], Callable[[], object]], *, size: int = 60, times: int = 8) -> float:
    """How many times as many steps so many times the size takes: about as many where it is linear.

    `work`: prepares what is counted, of a size.
    """
    return steps(work(size * times)) / steps(work(size))
