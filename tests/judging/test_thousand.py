"""One recorded episode judged a thousand times, byte for byte the same, whatever surrounds the judge."""

import asyncio
import os
import pathlib
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import pytest
from tests.episode.kit import CLICK, kit_task, new_desk

from exactchange.session import Session
from exactchange.values import Value
from exactchange.verdict import Verdict

ROOT = pathlib.Path(__file__).parents[2]
ZONES = ("UTC", "America/New_York", "Pacific/Kiritimati", "UTC-14", ":/no/such/zone")
LANGUAGES = ("C", "C.UTF-8", "tr_TR.UTF-8", "de_DE.ISO-8859-1", "ja_JP.eucJP")
SEEDS = ("0", "1", "4711", "4294967295", "random")
UMASKS = (0o022, 0o077, 0o002, 0o027)


@dataclass(frozen=True)
class Surroundings:
    """What is around one process that judges."""

    environment: Mapping[str, str]
    umask: int
    folder: pathlib.Path


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A run with a little of everything: odd names, times, rows, files, parts that are unread, near misses."""
    folder = tmp_path_factory.mktemp("thousand")
    verdict = asyncio.run(_rich(folder))
    assert (verdict.outcome, len(verdict.unexplained) > 5, len(verdict.unread)) == ("unmet", True, 1)
    return folder / "episode"


async def _rich(folder: pathlib.Path) -> Verdict:
    desk = new_desk(folder / "work")
    async with Session(kit_task(), world=desk.world, record=folder / "episode", settle_s=0) as session:
        for number, name in enumerate(["zeta", "İ", "ß", "\u202e", "K"]):
            await session.before({"kind": "fill", "target": {"css": f"#{name}"}, "text": name})
            odd: dict[str, Value] = {name: {"at": "2026-11-30T12:00:00+05:30", "n": [1.0, -0.0]}}
            desk.write(a=1 + number / 10, b=1, **odd)
            (desk.folder / f"{name}.txt").write_text(name, encoding="utf-8")
            desk.sql(f"INSERT INTO t (v) VALUES ('{name}')")
            await session.after(error="no such element" if number % 2 else None)
        (desk.folder / "app.db").write_bytes(b"not a database, " * 512)
        await session.before(CLICK)
        await session.after()
        return await session.finish('{"z": 1, "a": [1.0, true]}')


def surroundings(number: int, folder: pathlib.Path) -> Surroundings:
    """The number-th of many: each goes through its own list, so that they meet in ever other ways."""
    place = folder / f"{number}-{'ö' * (number % 3)}"
    place.mkdir()
    environment = {
        "PYTHONHASHSEED": SEEDS[number % len(SEEDS)],
        "TZ": ZONES[number // 2 % len(ZONES)],
        "LC_ALL": LANGUAGES[number // 3 % len(LANGUAGES)],
        "LANG": LANGUAGES[number % len(LANGUAGES)],
        "PYTHONUTF8": str(number % 2),
        "PYTHONOPTIMIZE": ("", "1", "2")[number % 3],
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": str(40 + number),
    }
    return Surroundings(environment, UMASKS[number % len(UMASKS)], place)


def judged(episode: pathlib.Path, around: Surroundings, times: int) -> dict[bytes, int]:
    """How often each document came of it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG", "TZ"))}
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from tests.judging.rejudge import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), str(episode), str(times)],
        env={**kept, **around.environment},
        cwd=around.folder,
        umask=around.umask,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    lines = [line.split() for line in done.stdout.splitlines()]
    return {bytes.fromhex(document.decode()): int(count) for count, document in lines}


def all_judged(episode: pathlib.Path, folder: pathlib.Path, *, processes: int, times: int) -> dict[bytes, int]:
    """How often each document came of it in all, two processes at once."""
    found: dict[bytes, int] = {}
    many = [surroundings(number, folder) for number in range(processes)]
    with ThreadPoolExecutor(2) as pool:
        for each in pool.map(partial(judged, episode, times=times), many):
            for document, count in each.items():
                found[document] = found.get(document, 0) + count
    return found


def same_bytes(episode: pathlib.Path, folder: pathlib.Path, *, processes: int, times: int) -> None:
    """One document came of it every time, that of the live run but for its mode; and nothing was touched."""
    before = {path: path.read_bytes() for path in episode.rglob("*") if path.is_file()}
    found = all_judged(episode, folder, processes=processes, times=times)
    online = (episode / "verdict.json").read_bytes()
    assert found == {online.replace(b'"mode": "online"', b'"mode": "offline"'): processes * times}
    assert {path: path.read_bytes() for path in episode.rglob("*") if path.is_file()} == before


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_judgements_of_one_episode_are_the_same_bytes_whatever_surrounds_them(
    episode: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    same_bytes(episode, tmp_path, processes=12, times=4)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_a_thousand_judgements_of_one_episode_are_the_same_bytes(episode: pathlib.Path, tmp_path: pathlib.Path) -> None:
    same_bytes(episode, tmp_path, processes=40, times=25)
