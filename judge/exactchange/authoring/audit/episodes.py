"""The recorded episodes of a task: which of them it can be tested with."""

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from exactchange.episode import Header, read_header
from exactchange.errors import UsageError
from exactchange.values import Value

_DEEPEST = 2


@dataclass(frozen=True, slots=True)
class Recorded:
    """An episode and its header."""

    directory: pathlib.Path
    header: Header

    def params(self, known: Mapping[str, Value]) -> dict[str, Value]:
        """The params with which it was recorded, of those that the task has."""
        return {
            name: value
            for name, value in self.header.params.items()
            if name in known and (value is None or isinstance(value, bool | int | float | str))
        }


def recorded(directories: Sequence[pathlib.Path], folders: Sequence[pathlib.Path]) -> list[Recorded]:
    """The episodes named, and all in the folders named, in the order of their names. Raises UsageError."""
    for directory in directories:
        if not directory.is_dir():
            raise UsageError(f"--episode {directory}: there is no such directory")
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"--episodes {folder}: there is no such directory")
    inside = [item for folder in folders for item in _below(folder, _DEEPEST)]
    return [Recorded(item, read_header(item)) for item in dict.fromkeys([*directories, *inside])]


def _below(folder: pathlib.Path, deepest: int) -> Iterator[pathlib.Path]:
    for item in sorted(folder.iterdir()):
        if item.is_symlink() or not item.is_dir():
            continue
        if (item / "episode.json").is_file():
            yield item
        elif deepest > 1:
            yield from _below(item, deepest - 1)
