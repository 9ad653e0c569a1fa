import io
import json
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from exactchange.cli import main


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
MAIN = "import sys; from exactchange.cli import main; main(sys.argv[1:])"


@pytest.fixture
def home(tmp_path: pathlib.Path) -> pathlib.Path:
    """An empty directory that commands run in."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def exactchange(home: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `exactchange` in this process, in an empty directory unless `cwd` is given: fast."""

    def command(*words: object, cwd: pathlib.Path | None = None) -> Said:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
        ending = signal.getsignal(signal.SIGTERM)
        with monkeypatch.context() as patch:
            patch.chdir(cwd or home)
            patch.setenv("COLUMNS", "100")
            for name in ("NO_COLOR", "FORCE_COLOR"):
                patch.delenv(name, raising=False)
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            try:
                with pytest.raises(SystemExit) as ended:
                    main([str(word) for word in words])
            finally:
                signal.signal(signal.SIGTERM, ending)
        assert isinstance(ended.value.code, int)
        return Said(ended.value.code, written(out), written(err))

    return command


@pytest.fixture
def process(home: pathlib.Path) -> Command:
    """Run `exactchange` in a process of its own: as a user's shell does."""

    def command(*words: object, env: Mapping[str, str] | None = None, cwd: pathlib.Path | None = None) -> Said:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
        done = subprocess.run(
            [sys.executable, "-P", "-c", MAIN, *map(str, words)],
            capture_output=True,
            cwd=cwd or home,
            env={**kept, "HOME": str(home), "COLUMNS": "100", **(env or {})},
            timeout=150,
            check=False,
        )
        return Said(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return command


def written(stream: io.TextIOWrapper) -> str:
    """What a stream was given."""
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


@pytest.fixture
def first(exactchange: Command, tmp_path: pathlib.Path) -> pathlib.Path:
    """The folder of a first task as `init` writes it."""
    folder = tmp_path / "first"
    assert exactchange("init", folder).code == 0
    return folder
