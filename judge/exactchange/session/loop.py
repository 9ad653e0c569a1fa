"""An event loop in a thread of its own, for callers that are not asynchronous."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import TypeVar

from exactchange.errors import UsageError

T = TypeVar("T")


class LoopThread:
    """Runs coroutines from any thread, one after the other; the thread starts with the first and ends with `close`."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._turn = threading.Lock()
        self._closed = False

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Wait for what the coroutine gives or raises. Raises UsageError after `close`."""
        with self._turn:
            if self._closed:
                work.close()
                raise UsageError("this session is closed; make a new one for every run")
            if not self._thread.is_alive():
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """End the thread; safe to call twice, and before anything ran."""
        if self._closed:
            return
        self._closed = True
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()
