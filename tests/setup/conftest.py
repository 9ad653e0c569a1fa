"""Programs that stand in for browsers and Node.js where only their presence and answer count."""

from collections.abc import Callable
from pathlib import Path

import pytest

Program = Callable[[Path, str], Path]


@pytest.fixture
def program() -> Program:
    """Writes an executable shell script (path, body) and returns its path."""

    def write(path: Path, body: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return write
