"""The private directory of a run: made fresh, filled from the seed, removed without a trace."""

import itertools
import os
import pathlib
import secrets
import shutil
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from exactchange.errors import InfrastructureError, UsageError


@dataclass(frozen=True, slots=True)
class Scratch:
    """`root`: mode 0700. `workdir`: the judged state, and nothing else. `home`: HOME of the application.

    `temporary`: TMPDIR of what the run starts, so that what is forgotten there goes with the rest.
    """

    root: pathlib.Path
    workdir: pathlib.Path
    home: pathlib.Path
    temporary: pathlib.Path

    def file(self, name: str) -> pathlib.Path:
        """A file of the run's own, outside of everything judged."""
        return self.root / name


@contextmanager
def scratch(*, keep: bool = False) -> Generator[Scratch]:
    """A scratch directory for the block; `keep` leaves it behind."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="exactchange-")).resolve()
    made = Scratch(root, root / "work", root / "home", root / "tmp")
    try:
        made.workdir.mkdir(mode=0o700)
        made.home.mkdir(mode=0o700)
        made.temporary.mkdir(mode=0o700)
        yield made
    finally:
        if not keep:
            try:
                remove(root)
            except OSError as error:
                raise InfrastructureError(f"{root} cannot be removed: {error}; remove it by hand") from error


def plant(seed: str, *, task_file: pathlib.Path | None, workdir: pathlib.Path) -> None:
    """Copy a seed into the work directory: a directory's content, or one file. Links are copied as links.

    `seed` is relative to the task file. Raises UsageError when it is missing or cannot be copied.
    """
    base = task_file.parent if task_file is not None else pathlib.Path()
    source = base / seed
    try:
        if source.is_dir():
            shutil.copytree(source, workdir, symlinks=True, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copy2(source, workdir, follow_symlinks=False)
        else:
            there = "is neither a directory nor a file" if os.path.lexists(source) else "is not there"
            remedy = f"make it, or correct app.seed, which is named from {base.resolve()}"
            raise UsageError(f"app.seed: {os.path.normpath(source)} {there}; {remedy}")
    except OSError as error:  # shutil.Error is one
        raise UsageError(f"app.seed: {source} cannot be copied: {error}") from error


def remove(root: pathlib.Path) -> None:
    """Remove a tree that somebody hostile may have made: of any depth, with any modes; links are never followed.

    Every directory is first lifted to the top, so that no path gets long and nothing recurses.
    """
    prefix = f".removing-{secrets.token_hex(8)}-"
    numbers = itertools.count()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        os.chmod(folder, stat.S_IRWXU)
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                elif folder == root:
                    waiting.append(pathlib.Path(entry.path))
                else:
                    os.chmod(entry.path, stat.S_IRWXU)  # a directory that cannot be written cannot be moved
                    lifted = root / f"{prefix}{next(numbers)}"
                    os.rename(entry.path, lifted)
                    waiting.append(lifted)
        if folder != root:
            folder.rmdir()
    root.rmdir()
