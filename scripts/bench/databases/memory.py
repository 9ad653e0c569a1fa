"""How much memory captures and a comparison need at most, in a process that does nothing else."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from scripts.bench.databases.answers import check
from scripts.bench.databases.live import living
from scripts.bench.databases.shapes import SHAPES, Shape
from scripts.bench.databases.writer import CHECKOUT


def memory(path: Path, shape: Shape, rows: frozenset[int]) -> int | None:
    """Bytes beyond what the process had with everything imported; None where the system does not tell."""
    command = [sys.executable, "-m", __name__, str(path), shape.name, *map(str, sorted(rows))]
    done = subprocess.run(command, cwd=CHECKOUT, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)
    return found if isinstance(found, int) else None


async def _peak(path: Path, shape: Shape, rows: frozenset[int]) -> int | None:
    began = _bytes("VmRSS")
    async with living(path, shape, rows) as live:
        live.last = await live.capture()
        live.change()
        after = await live.capture()
        check("memory", live.changed(live.last, after), rows)
        after.close()
    peak = _bytes("VmHWM")  # of this program alone, unlike what getrusage says: that is also of who started it
    return peak - began if peak is not None and began is not None else None


def _bytes(name: str) -> int | None:
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), None)


def main(path: str, shape: str, *rows: str) -> None:
    """Print the bytes, or null."""
    print(json.dumps(asyncio.run(_peak(Path(path), SHAPES[shape], frozenset(map(int, rows))))))


if __name__ == "__main__":
    main(*sys.argv[1:])
