"""The live half: captures of a database file that is being written by somebody else."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from exactchange.errors import InfrastructureError
from exactchange.snapshot import Mark, Unread
from exactchange_adapters.sqlite.checking import SMALL, check, check_over, flatten
from exactchange_adapters.sqlite.copying import take
from exactchange_adapters.sqlite.engine import Unreadable
from exactchange_adapters.sqlite.files import LiveDatabase, Refused
from exactchange_adapters.sqlite.image import Image, Origin, judged, let_go_on_failure
from exactchange_adapters.sqlite.layer import Layer
from exactchange_adapters.sqlite.log import LogEnd
from exactchange_adapters.sqlite.params import SqliteParams
from exactchange_adapters.sqlite.patience import COUNTED, Patience, TooLate
from exactchange_adapters.sqlite.rolling import Rolled, roll
from exactchange_adapters.sqlite.snapshot import Hold, SqliteSnapshot
from exactchange_adapters.sqlite.stillness import Trace, is_still, now_ns, traced
from exactchange_adapters.sqlite.together import Unsettled

_FEW_TRIES: Final = 3
_FEW_PAGES: Final = 4096
_LARGEST_SHARE: Final = 4
"""Where more than this part of an image's pages are its own, the next one is a copy again."""
T = TypeVar("T")


class SqliteReader:
    """Reads one database file. Holds nothing but the open file between captures."""

    def __init__(self, path: Path, params: SqliteParams) -> None:
        self._live = LiveDatabase(path)
        self._params = params

    async def capture(self, *, mark: Mark, previous: SqliteSnapshot | None, deadline_s: float) -> SqliteSnapshot:
        """The database as it is now; shares the previous image when every byte is the same, or nobody wrote since.

        Raises InfrastructureError when there is no room for the copy.
        """
        if previous is not None and self._is_as_left(previous):
            return previous.twin(mark)
        patience = Patience.of(deadline_s)
        return await asyncio.to_thread(
            captured, self._live, self._params, mark=mark, previous=previous, patience=patience
        )

    def _is_as_left(self, previous: SqliteSnapshot) -> bool:
        image = previous.image
        trace = image.origin.trace if image is not None and image.origin is not None else None
        return trace is not None and traced(self._live) == trace

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
    keys = params.named_keys()
    earlier = previous.image if previous is not None else None
    try:
        image = _read(live, earlier, params.largest, patience)
        if image is earlier and previous is not None:
            return previous.twin(mark)
        with let_go_on_failure(image):
            unread, notes = judged(image)
    except FileNotFoundError:
        return SqliteSnapshot(mark=mark, keys=keys)
    except (Refused, Unsettled, Unreadable, TooLate) as error:
        return SqliteSnapshot(mark=mark, unread=(Unread((), "", str(error)),), keys=keys)
    except OSError as error:
        raise InfrastructureError(f"the database could not be copied: {error}") from error
    return SqliteSnapshot(Hold(image), mark, unread, notes, keys)


def _read(live: LiveDatabase, earlier: Image | None, largest: int, patience: Patience) -> Image:
    """An image of what is there now: the earlier one itself where nothing differs, or one that shares its copy."""
    began, before = now_ns(), traced(live)
    layer = earlier.layer if earlier is not None else None
    rolled: Rolled | None = None
    if earlier is not None and layer is not None and layer.own.count <= _FEW_PAGES + layer.count // _LARGEST_SHARE:
        rolled = _rolled(live, earlier, layer, largest, patience)
    if earlier is None or layer is None or rolled is None:
        image = _copy(live, largest, patience)
    elif not rolled.pages and rolled.count == layer.count:
        image = earlier
    else:
        image = earlier.over(rolled.pages, rolled.count)
        with let_go_on_failure(image):
            check_over(image, earlier, patience)
    image.origin = _origin(live, began, before, rolled.log if rolled is not None else None)
    return image


def _rolled(live: LiveDatabase, earlier: Image, layer: Layer, largest: int, patience: Patience) -> Rolled | None:
    """What became of an image; None where a copy tells it better. Of a small file that somebody writes without end a
    copy is sooner made than its pages are compared.
    """
    tries = 0

    def attempt() -> Rolled | None:
        nonlocal tries
        tries += 1
        try:
            return roll(live, earlier, largest=largest, patience=patience)
        except Unsettled:
            if tries >= _FEW_TRIES and layer.size * layer.count <= SMALL:
                return None
            raise

    return _until_settled(patience, attempt)


def _origin(live: LiveDatabase, began: int, before: Trace | None, log: LogEnd | None) -> Origin:
    """How the files were left: times tell of those that had been still for a while, and that nobody touched since."""
    after = traced(live)
    if before is None or after is None:
        return Origin(log=log)
    main = before.files[0] if is_still(before.files[0], began) and before.files[0] == after.files[0] else None
    return Origin(before if before == after and before.still(began) else None, main, log)


def _copy(live: LiveDatabase, largest: int, patience: Patience) -> Image:
    image = Image()
    with let_go_on_failure(image):
        directory = image.directory
        journal = _until_settled(patience, lambda: take(live, directory, largest=largest, patience=patience))
        check(image, journal=journal, patience=patience)
        flatten(image)
    return image


def _until_settled(patience: Patience, attempt: Callable[[], T]) -> T:
    """What an attempt gives, made again as long as the files do not hold still and there is time."""
    tries = 0
    last: Unsettled | None = None
    while True:
        try:
            return attempt()
        except Unsettled as error:
            tries, last = tries + 1, error
            if not patience.again(tries):
                raise
        except TooLate:
            raise last or TooLate from None  # what kept it from being read says more than that the time is over
