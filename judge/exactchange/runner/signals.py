"""Runs to the end what must clean up behind itself, also when the program is told to terminate."""

import asyncio
import signal
import threading
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")

_ENDING = (signal.SIGTERM, signal.SIGHUP)


def run_to_end(work: Coroutine[object, object, T]) -> T:
    """As `asyncio.run`, but SIGTERM and SIGHUP end the work as Ctrl-C does, so that nothing it started is left.

    Raises SystemExit with the usual status, 128 and the signal's number, when one of them came.
    """
    came: list[signal.Signals] = []

    async def watched() -> T:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()

        def end(number: signal.Signals) -> None:
            came.append(number)
            task.cancel()

        watched_for = _ENDING if threading.current_thread() is threading.main_thread() else ()
        for number in watched_for:
            loop.add_signal_handler(number, end, number)
        try:
            return await task
        finally:
            for number in watched_for:
                loop.remove_signal_handler(number)

    try:
        return asyncio.run(watched())
    except asyncio.CancelledError:
        if came:
            raise SystemExit(128 + came[0]) from None
        raise
