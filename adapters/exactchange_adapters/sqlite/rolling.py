"""What became of a live database since it was last read: the pages that differ, without copying the others.

The same two cases as of a whole copy (`copying`). With a log: the main file is compared first, unless it was left
alone, then the log is read on. What a checkpoint writes into the main file meanwhile are pages that the log holds, and
of those the log's are taken. Without a log: the main file is compared; its pages are those of one moment where the
files had been still for a while and nothing touched them meanwhile (`stillness`), else where a second reading agrees.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from exactchange_adapters.sqlite.files import CHUNK, LiveDatabase
from exactchange_adapters.sqlite.image import Image, Origin
from exactchange_adapters.sqlite.log import LogEnd, TooMuch, begin, is_as_read, read_on
from exactchange_adapters.sqlite.pages import Foreign, Pages
from exactchange_adapters.sqlite.patience import Patience
from exactchange_adapters.sqlite.stillness import now_ns, traced
from exactchange_adapters.sqlite.together import Files, Unsettled, log_header, opened, says_wal, times

MOST_BYTES: Final = 32 * 1024 * 1024
"""Of changed pages that are kept in memory."""
_HEADER: Final = 100
_GIVEN_BACK: Final = 4096


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
    header = files.main.read(_HEADER, 0)
    return header[:16] == was.header[:16] and header[16:18] == was.header[16:18] and header[20] == was.header[20]


class _Attempt:
    def __init__(self, live: LiveDatabase, files: Files, was: Pages, origin: Origin | None) -> None:
        self._live, self._files, self._was = live, files, was
        self._origin = origin
        self._began, self._before = now_ns(), traced(live)

    def without_log(self) -> Rolled:
        """The main file is all there is."""
        began = times(self._files.main)
        pages, count = self._compared()
        locked = self._files.main.exclusively_locked()
        if not self._stood_still():
            with opened(self._live, self._files.patience) as again:
                if again.main is not self._files.main or again.journal is not None or log_header(again.wal) is not None:
                    raise Unsettled("it is being written all the time")
                if self._compared() != (pages, count) or times(self._files.main) != began:
                    raise Unsettled("it is being written all the time")
        header = pages.get(1, self._was.header)
        self._files.check_lock(locked, says_wal=says_wal(header))
        return Rolled(pages, count, None)

    def with_log(self, header: bytes) -> Rolled:
        """The main file, and over it what its log has committed."""
        wal, patience, size = self._files.wal, self._files.patience, self._was.size
        assert wal is not None
        mark = self._origin.log if self._origin is not None else None
        known = mark is not None and mark.header == header and is_as_read(wal, mark, patience)
        start = mark if known and mark is not None else begin(header)
        if int.from_bytes(header[8:12], "big") != size:
            raise Foreign("a log of pages of another size")
        below, length = ({}, 0) if known and self._main_is_as_left() else self._compared()
        end, logged = read_on(wal, start, size=size, most=MOST_BYTES, patience=patience)
        self._files.check_log(self._live, header)
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

    def _holds(self, number: int, page: bytes) -> bool:
        return number <= self._was.count and self._was.page(number) == page

    def _main_is_as_left(self) -> bool:
        """Whether nothing was written into the main file since the image was read, no checkpoint either."""
        left = self._origin.main if self._origin is not None else None
        return left is not None and self._before is not None and left == self._before.files[0]

    def _stood_still(self) -> bool:
        before = self._before
        return before is not None and before.still(self._began) and traced(self._live) == before

    def _compared(self) -> tuple[dict[int, bytes], int]:
        """The pages of the main file that differ from the image's, and how many it has. Raises Foreign, TooMuch."""
        main, was, size = self._files.main, self._was, self._was.size
        length = main.stat().st_size
        if length % size:
            raise Foreign("a file that ends within a page")
        found: dict[int, bytes] = {}
        own = {(number - 1) * size // CHUNK for number in was.own}
        mine = bytearray(CHUNK)
        for offset in range(0, length, CHUNK):
            self._files.patience.check()
            read = main.read_into(mine, offset)
            if read == CHUNK and offset // CHUNK not in own and was.main_holds(mine, offset):
                continue
            for at in range(0, read - size + 1, size):
                number, page = (offset + at) // size + 1, bytes(mine[at : at + size])
                if not self._holds(number, page):
                    found[number] = page
            if size * len(found) > MOST_BYTES:
                raise TooMuch
        return found, length // size
