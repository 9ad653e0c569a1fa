import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class Said:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on stdout; anything beside it is an error here."""
        found: dict[str, Any] = json.loads(self.out)
        return found


Command = Callable[..., Said]


@pytest.fixture
def exactchange(tmp_path: pathlib.Path) -> Command:
    """Run `exactchange` in a process of its own, in an empty directory unless `cwd` is given."""
    home = tmp_path / "home"
    home.mkdir()

    def command(*words: object, env: Mapping[str, str] | None = None, cwd: pathlib.Path | None = None) -> Said:
        code = "import sys; from exactchange.cli import main; main(sys.argv[1:])"
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
        kept |= {name: value for name, value in os.environ.items() if name.startswith("EXACTCHANGE_")}
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, *map(str, words)],
            capture_output=True,
            cwd=cwd or home,
            env={**kept, "HOME": str(home), "COLUMNS": "100", **(env or {})},
            timeout=150,
            check=False,
        )
        return Said(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return command


@pytest.fixture
def first(exactchange: Command, tmp_path: pathlib.Path) -> pathlib.Path:
    """The folder of a first task as `init` writes it."""
    folder = tmp_path / "first"
    assert exactchange("init", folder).code == 0
    return folder
