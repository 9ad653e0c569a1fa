"""The live half: captures of a database file that is being written by somebody else."""

import asyncio
from pathlib import Path

from exactchange.errors import InfrastructureError
from exactchange.snapshot import Mark, Unread
from exactchange_adapters.sqlite.copying import Taken, Unsettled, take
from exactchange_adapters.sqlite.engine import Unreadable
from exactchange_adapters.sqlite.files import LiveDatabase, Refused
from exactchange_adapters.sqlite.image import Image, judged
from exactchange_adapters.sqlite.params import SqliteParams
from exactchange_adapters.sqlite.patience import COUNTED, Patience, TooLate
from exactchange_adapters.sqlite.snapshot import Hold, SqliteSnapshot
from exactchange_adapters.sqlite.stillness import Trace, now_ns, traced


class SqliteReader:
    """Reads one database file. Holds nothing but the open file between captures."""

    def __init__(self, path: Path, params: SqliteParams) -> None:
        self._live = LiveDatabase(path)
        self._params = params
        self._left: tuple[Image, Trace] | None = None
        """The image that was read last, and how the files were left, where that tells whether they were changed."""

    async def capture(self, *, mark: Mark, previous: SqliteSnapshot | None, deadline_s: float) -> SqliteSnapshot:
        """The database as it is now; shares the previous image when every byte is the same, or nobody wrote since.

        Raises InfrastructureError when there is no room for the copy.
        """
        if previous is not None and self._is_as_left(previous):
            return previous.twin(mark)
        began, before = now_ns(), traced(self._live)
        patience = Patience.of(deadline_s)
        snapshot = await asyncio.to_thread(
            captured, self._live, self._params, mark=mark, previous=previous, patience=patience
        )
        image = snapshot.image
        is_told = before is not None and before.still(began) and before == traced(self._live)
        self._left = (image, before) if before is not None and is_told and image and not image.rolled_back else None
        return snapshot

    def _is_as_left(self, previous: SqliteSnapshot) -> bool:
        return self._left is not None and previous.image is self._left[0] and traced(self._live) == self._left[1]

    async def aclose(self) -> None:
        self._live.close()


def read_path(path: Path, params: SqliteParams) -> SqliteSnapshot:
    """The state of a database file that nobody writes. Raises InfrastructureError."""
    live = LiveDatabase(path)
    try:
        return captured(live, params, mark=Mark(), previous=None, patience=COUNTED)
    finally:
        live.close()


def captured(
    live: LiveDatabase, params: SqliteParams, *, mark: Mark, previous: SqliteSnapshot | None, patience: Patience
) -> SqliteSnapshot:  # fmt: skip
    """One snapshot; tries until the files hold still or patience ends."""
    earlier = previous.image if previous is not None else None
    if earlier is not None and earlier.rolled_back:
        earlier = None  # its bytes are no longer those that were read
    keys = params.named_keys()
    image = Image()
    try:
        taken = _settled(live, image, earlier, params.largest, patience)
        if taken.same and previous is not None:
            image.release()
            return previous.twin(mark)
        image.check(journal=taken.journal, patience=patience)
        unread, notes = judged(image)
    except FileNotFoundError:
        image.release()
        return SqliteSnapshot(mark=mark, keys=keys)
    except (Refused, Unsettled, Unreadable, TooLate) as error:
        image.release()
        return SqliteSnapshot(mark=mark, unread=(Unread((), "", str(error)),), keys=keys)
    except OSError as error:
        image.release()
        raise InfrastructureError(f"the database could not be copied: {error}") from error
    except BaseException:
        image.release()
        raise
    return SqliteSnapshot(Hold(image), mark, unread, notes, keys)


def _settled(live: LiveDatabase, image: Image, earlier: Image | None, largest: int, patience: Patience) -> Taken:
    tries = 0
    last: Unsettled | None = None
    there = earlier.directory if earlier is not None else None
    while True:
        try:
            return take(live, image.directory, earlier=there, largest=largest, patience=patience)
        except Unsettled as error:
            tries, last = tries + 1, error
            if not patience.again(tries):
                raise
        except TooLate:
            raise last or TooLate from None  # what kept it from being read says more than that the time is over
