"""Another live process: it has the database open, and for each line that it is given changes the rows to that text."""

import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from scripts.bench.databases.shapes import SHAPES, Shape, change

CHECKOUT: Final = Path(__file__).parents[3]
_DONE: Final = "done"
_PATIENCE_S: Final = 30.0


class Writer:
    """The process, as seen from here."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def change(self, text: str) -> None:
        """Have the rows changed; they are committed when this returns. Raises RuntimeError when it fails."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()
        if self._process.stdout.readline().strip() != _DONE:
            raise RuntimeError("the process that changes the database has ended; its message stands above")


@contextmanager
def writing(path: Path, shape: Shape, rows: frozenset[int]) -> Generator[Writer]:
    """A writer of these rows, for the block."""
    command = [sys.executable, "-m", __name__, str(path), shape.name, *map(str, sorted(rows))]
    process = subprocess.Popen(command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Writer(process)
    finally:
        try:
            process.communicate(timeout=_PATIENCE_S)
        except BaseException:
            process.kill()
            process.wait()
            raise


def main(path: str, shape: str, *rows: str) -> None:
    """Serve lines until there are no more."""
    numbers = frozenset(map(int, rows))
    connection = sqlite3.connect(path)
    try:
        for line in sys.stdin:
            change(connection, SHAPES[shape], numbers, line.rstrip("\n"))
            print(_DONE, flush=True)
    finally:
        connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
