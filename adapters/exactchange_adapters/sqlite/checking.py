"""What is done with an image before anybody reads it: rolled back, checked, made one file."""

from typing import Final

from exactchange_adapters.sqlite.copying import NAMES
from exactchange_adapters.sqlite.engine import Engine, Unreadable
from exactchange_adapters.sqlite.grown import carries
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.patience import COUNTED, Patience
from exactchange_adapters.sqlite.sound import sound

SMALL: Final = 32 * 1024 * 1024
"""Bytes up to which SQLite checks every image whole."""
_CLAIM: Final = 16
_LEAST_CLAIM: Final = 64 * 1024 * 1024
_MAGIC: Final = b"SQLite format 3\0"


def check(image: Image, *, journal: bool, patience: Patience = COUNTED) -> None:
    """Roll a copy back to what was committed, and see that it is sound. Raises Unreadable, TooLate."""
    with image.main.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise Unreadable("not an SQLite database, or encrypted")
    copied = image.size
    if journal:
        _write(image, "SELECT count(*) FROM sqlite_schema")
        (image.directory / NAMES["-journal"]).unlink(missing_ok=True)
    engine = image.connect(patience=patience)
    try:
        engine.tolerate_collations()
        _check_size(engine, image.size, copied)
        sound(engine, "quick_check")
    except Unreadable:
        patience.check()
        raise
    finally:
        engine.close()


def check_over(image: Image, earlier: Image, patience: Patience) -> None:
    """See that the pages in which an image differs from a sound one make a sound one. Raises Unreadable, TooLate."""
    if image.size > SMALL and carries(earlier, image):
        return
    engine = image.connect(patience=patience)
    try:
        engine.tolerate_collations()
        sound(engine, "quick_check")
    except Unreadable:
        patience.check()
        raise
    finally:
        engine.close()


def flatten(image: Image) -> None:
    """Carry what its log has committed into the copy, so that its pages stand in one file. Raises Unreadable."""
    if image.wal.exists():
        _write(image, "PRAGMA wal_checkpoint(TRUNCATE)")
        image.wal.unlink(missing_ok=True)
        image.main.with_name(f"{image.main.name}-shm").unlink(missing_ok=True)


def _write(image: Image, sql: str) -> None:
    engine = Engine(image.main, size=image.size, writable=True)
    try:
        list(engine.rows(sql))
    finally:
        engine.close()


def _check_size(engine: Engine, size: int, copied: int) -> None:
    ((pages,),) = engine.rows("PRAGMA page_count")
    ((page,),) = engine.rows("PRAGMA page_size")
    assert isinstance(pages, int) and isinstance(page, int)
    # A log or a journal may claim any size; some pages that a transaction took and gave back are truly in no file.
    claimed = max(pages * page, size)
    if claimed > max(_CLAIM * copied, _LEAST_CLAIM):
        raise Unreadable(f"the database is corrupt: it claims {claimed} bytes and had {copied}")
