"""What became of a live database since it was last read: the pages that differ, without copying the others.

The same two cases as of a whole copy (`copying`). With a log: the main file is compared first, unless it was left
alone, then the log is read on. What a checkpoint writes into the main file meanwhile are pages that the log holds, and
of those the log's are taken. Without a log: the main file is compared; its pages are those of one moment where the
files had been still for a while and nothing touched them meanwhile (`stillness`), else where a second reading agrees.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from exactchange_adapters.sqlite.files import CHUNK, HEADER, LiveDatabase
from exactchange_adapters.sqlite.image import Image, Origin
from exactchange_adapters.sqlite.log import LogBytes, LogEnd, TooMuch, begin, is_as_read, read_log, read_on
from exactchange_adapters.sqlite.pages import Foreign, Pages
from exactchange_adapters.sqlite.patience import Patience
from exactchange_adapters.sqlite.stillness import now_ns, traced
from exactchange_adapters.sqlite.together import Files, Unsettled, log_header, opened, says_wal, times

MOST_BYTES: Final = 32 * 1024 * 1024
"""Of changed pages that are kept in memory."""
_GIVEN_BACK: Final = 4096
_AT_ONE_GO: Final = 16 * 1024 * 1024
Reading: TypeAlias = Callable[[bytearray, int], int]
"""Fills a buffer from an offset, and says how many bytes there were."""


@dataclass(frozen=True, slots=True)
class Rolled:
    """The pages that differ from an image's, by number, and how many there are now. `log`: how far it was read."""

    pages: Mapping[int, bytes]
    count: int
    log: LogEnd | None


def roll(live: LiveDatabase, image: Image, *, largest: int, patience: Patience) -> Rolled | None:
    """What differs from an image that was read before; None where only a whole copy tells.

    Raises FileNotFoundError, Refused, Unsettled to be tried again, TooLate.
    """
    try:
        with opened(live, patience) as files, Pages(image) as was:
            files.check_sizes(largest)
            log = log_header(files.wal)
            if files.journal is not None or not _alike(files, was):
                return None
            attempt = _Attempt(live, files, was, image.origin)
            return attempt.without_log() if log is None else attempt.with_log(log)
    except (Foreign, TooMuch):
        return None


def _alike(files: Files, was: Pages) -> bool:
    """Whether the main file has pages of the same size, and is no ruin."""
    header = files.main.read(HEADER, 0)
    return header[:16] == was.header[:16] and header[16:18] == was.header[16:18] and header[20] == was.header[20]


class _Attempt:
    def __init__(self, live: LiveDatabase, files: Files, was: Pages, origin: Origin | None) -> None:
        self._live, self._files, self._was = live, files, was
        self._origin = origin
        self._began, self._before = now_ns(), traced(live)

    def without_log(self) -> Rolled:
        """The main file is all there is."""
        main = self._files.main
        began = times(main)
        if main.stat().st_size <= _AT_ONE_GO:  # as fast as can be, and compared afterwards: somebody may write soon
            first: bytes | tuple[dict[int, bytes], int] = self._raw()
        else:
            first = self._compared(main.read_into)
        locked = main.exclusively_locked()
        if not self._stood_still():
            with opened(self._live, self._files.patience) as again:
                if again.main is not main or again.journal is not None or log_header(again.wal) is not None:
                    raise Unsettled("it is being written all the time")
                second = self._raw() if isinstance(first, bytes) else self._compared(main.read_into)
                if second != first or times(main) != began:
                    raise Unsettled("it is being written all the time")
        pages, count = self._compared(_reading(first)) if isinstance(first, bytes) else first
        self._files.check_lock(locked, says_wal=says_wal(pages.get(1, self._was.header)))
        return Rolled(pages, count, None)

    def _raw(self) -> bytes:
        """All bytes of the main file."""
        main = self._files.main
        return b"".join(main.read(CHUNK, offset) for offset in range(0, main.stat().st_size, CHUNK))

    def with_log(self, header: bytes) -> Rolled:
        """The main file, and over it what its log has committed."""
        patience, size = self._files.patience, self._was.size
        if int.from_bytes(header[8:12], "big") != size:
            raise Foreign("a log of pages of another size")
        mark = self._origin.log if self._origin is not None else None
        known = mark if mark is not None and mark.header == header else None
        read = self._files.main.read_into
        below, length = ({}, 0) if known is not None and self._main_is_as_left() else self._compared(read)
        start, found = self._log(header, known)
        if known is not None and not is_as_read(found, known):  # somebody wrote into what had been read
            below, length = self._compared(read)
            start, found = self._log(header, None)
        end, logged = read_on(found.tail, start, size=size, patience=patience)
        count = length if end.count is None else end.count
        if end.count is None and not length:
            count = self._was.count
        if count > self._was.count + len(below) + len(logged) + _GIVEN_BACK:
            raise Foreign("a database that claims to be far longer than it is")
        pages = {number: page for number, page in below.items() if number not in end.numbers}
        pages |= {number: page for number, page in logged.items() if not self._holds(number, page)}
        for number in range((length or self._was.count) + 1, count + 1):
            if number not in end.numbers and not self._holds(number, bytes(size)):
                pages[number] = bytes(size)  # one that a transaction took and gave back stands in no file
        return Rolled({number: page for number, page in pages.items() if number <= count}, count, end)

    def _log(self, header: bytes, known: LogEnd | None) -> tuple[LogEnd, LogBytes]:
        """The bytes of the log, which belong to what was read of the main file before, and from where they are new."""
        assert self._files.wal is not None
        start = begin(header) if known is None else known
        found = read_log(self._files.wal, start, most=2 * MOST_BYTES, patience=self._files.patience)
        self._files.check_log(self._live, header)
        return start, found

    def _holds(self, number: int, page: bytes) -> bool:
        return number <= self._was.count and self._was.page(number) == page

    def _main_is_as_left(self) -> bool:
        """Whether nothing was written into the main file since the image was read, no checkpoint either."""
        left = self._origin.main if self._origin is not None else None
        return left is not None and self._before is not None and left == self._before.files[0]

    def _stood_still(self) -> bool:
        before = self._before
        return before is not None and before.still(self._began) and traced(self._live) == before

    def _compared(self, read_into: Reading) -> tuple[dict[int, bytes], int]:
        """The pages of the main file that differ from the image's, and how many it has. Raises Foreign, TooMuch."""
        was, size = self._was, self._was.size
        found: dict[int, bytes] = {}
        own = {(number - 1) * size // CHUNK for number in was.own}
        mine, offset = bytearray(CHUNK), 0
        while read := read_into(mine, offset):
            self._files.patience.check()
            if read == CHUNK and offset // CHUNK not in own and was.main_holds(mine, offset):
                offset += read
                continue
            if read % size:
                raise Foreign("a file that ends within a page")
            for at in range(0, read, size):
                number, page = (offset + at) // size + 1, bytes(mine[at : at + size])
                if not self._holds(number, page):
                    found[number] = page
            if size * len(found) > MOST_BYTES:
                raise TooMuch
            offset += read
        return found, offset // size


def _reading(data: bytes) -> Reading:
    def read_into(buffer: bytearray, offset: int) -> int:
        part = data[offset : offset + len(buffer)]
        buffer[: len(part)] = part
        return len(part)

    return read_into
