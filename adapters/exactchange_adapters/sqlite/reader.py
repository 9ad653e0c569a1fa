"""The live half: captures of a database file that is being written by somebody else."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from exactchange.errors import InfrastructureError
from exactchange.snapshot import Mark, Unread
from exactchange_adapters.sqlite.copying import Taken, Unsettled, take
from exactchange_adapters.sqlite.engine import Unreadable
from exactchange_adapters.sqlite.files import LiveDatabase, Refused
from exactchange_adapters.sqlite.image import Image, judged
from exactchange_adapters.sqlite.params import SqliteParams
from exactchange_adapters.sqlite.snapshot import Hold, SqliteSnapshot

_FEWEST_TRIES: Final = 5
_OFFLINE_TRIES: Final = 50
_LONGEST_PAUSE_S: Final = 0.02


class SqliteReader:
    """Reads one database file. Holds nothing but the open file between captures."""

    def __init__(self, path: Path, params: SqliteParams) -> None:
        self._live = LiveDatabase(path)
        self._params = params

    async def capture(self, *, mark: Mark, previous: SqliteSnapshot | None, deadline_s: float) -> SqliteSnapshot:
        """The database as it is now; shares the previous image when every byte is the same.

        Raises InfrastructureError when there is no room for the copy.
        """
        end = time.monotonic() + deadline_s

        def more(tries: int) -> bool:
            return tries < _FEWEST_TRIES or time.monotonic() < end

        return await asyncio.to_thread(captured, self._live, self._params, mark=mark, previous=previous, more=more)

    async def aclose(self) -> None:
        self._live.close()


def read_path(path: Path, params: SqliteParams) -> SqliteSnapshot:
    """The state of a database file that nobody writes. Raises InfrastructureError."""
    live = LiveDatabase(path)
    try:
        return captured(live, params, mark=Mark(), previous=None, more=lambda tries: tries < _OFFLINE_TRIES)
    finally:
        live.close()


def captured(
    live: LiveDatabase, params: SqliteParams, *, mark: Mark, previous: SqliteSnapshot | None,
    more: Callable[[int], bool],
) -> SqliteSnapshot:  # fmt: skip
    """One snapshot; tries until the files hold still or `more` of the number of tries says no."""
    earlier = previous.image if previous is not None else None
    if earlier is not None and earlier.rolled_back:
        earlier = None  # its bytes are no longer those that were read
    keys = params.named_keys()
    image = Image()
    try:
        taken = _settled(live, image, earlier, params.largest, more)
        if taken.same and previous is not None:
            image.release()
            return previous.twin(mark)
        image.check(journal=taken.journal)
        unread, notes = judged(image)
    except FileNotFoundError:
        image.release()
        return SqliteSnapshot(mark=mark, keys=keys)
    except (Refused, Unsettled, Unreadable) as error:
        image.release()
        return SqliteSnapshot(mark=mark, unread=(Unread((), "", str(error)),), keys=keys)
    except OSError as error:
        image.release()
        raise InfrastructureError(f"the database could not be copied: {error}") from error
    except BaseException:
        image.release()
        raise
    return SqliteSnapshot(Hold(image), mark, unread, notes, keys)


def _settled(
    live: LiveDatabase, image: Image, earlier: Image | None, largest: int, more: Callable[[int], bool]
) -> Taken:
    tries = 0
    while True:
        try:
            return take(live, image.directory, earlier=earlier.directory if earlier else None, largest=largest)
        except Unsettled:
            tries += 1
            if not more(tries):
                raise
            time.sleep(min(_LONGEST_PAUSE_S, 0.0005 * tries))
