"""A file system of ours, through which SQLite reads layers and writes nothing (https://www.sqlite.org/vfs.html)."""

import weakref
from functools import cache
from typing import Final

import apsw

from exactchange_adapters.sqlite.layer import Layer, LayerFile

_NAME: Final = "exactchange"
_VERSIONS: Final = 18
"""Where a header says how the file is written and read: 1 with a journal, 2 with a log."""
_JOURNALLED: Final = b"\1\1"
_SECTOR: Final = 4096


class _Offer:
    """A layer under a name, as long as somebody holds it."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.name = f"layer-{id(self)}"


_offered: "weakref.WeakValueDictionary[str, _Offer]" = weakref.WeakValueDictionary()


def connect(layer: Layer) -> apsw.Connection:
    """A connection that reads a layer. Raises apsw.Error."""
    offer = _Offer(layer)
    _offered[offer.name] = offer
    _file_system()
    return apsw.Connection(offer.name, flags=apsw.SQLITE_OPEN_READONLY, vfs=_NAME)


@cache
def _file_system() -> "_Layers":
    return _Layers()


class _File(apsw.VFSFile):
    """Reads; whatever else SQLite asks of a file that nobody writes is answered with no."""

    def __init__(self, layer: Layer) -> None:
        self._file = LayerFile(layer)
        self._bytes = layer.size * layer.count

    def xRead(self, amount: int, offset: int) -> bytes:
        data = self._file.read(amount, offset)
        if offset <= _VERSIONS and offset + len(data) >= _VERSIONS + len(_JOURNALLED):
            at = _VERSIONS - offset  # the log is part of the pages: there is none to look for
            data = data[:at] + _JOURNALLED + data[at + len(_JOURNALLED) :]
        return data

    def xFileSize(self) -> int:
        return self._bytes

    def xLock(self, level: int) -> None:
        return None

    def xUnlock(self, level: int) -> None:
        return None

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, ptr: int) -> bool:
        return False

    def xSectorSize(self) -> int:
        return _SECTOR

    def xDeviceCharacteristics(self) -> int:
        return apsw.SQLITE_IOCAP_IMMUTABLE

    def xClose(self) -> None:
        self._file.close()


class _Layers(apsw.VFS):
    """Holds the layers that are offered, and for what SQLite sorts, files of the usual kind."""

    def __init__(self) -> None:
        super().__init__(_NAME, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        if name is None or not flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            return super().xOpen(name, flags)
        called = name if isinstance(name, str) else name.filename()
        offer = _offered.get(called)
        if offer is None:
            raise apsw.CantOpenError(f"nothing is offered as {called}")
        flags[1] = apsw.SQLITE_OPEN_READONLY
        return _File(offer.layer)

    def xAccess(self, pathname: str, flags: int) -> bool:
        return False

    def xFullPathname(self, name: str) -> str:
        return name
