"""Runs the commands of a document, and reads what they print without what differs from run to run."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

COMMAND = pathlib.Path(sys.executable).with_name("exactchange")


def run(line: str, folder: pathlib.Path) -> "subprocess.CompletedProcess[str]":
    words = shlex.split(line)
    assert words[0] == "exactchange"
    return subprocess.run(
        [str(COMMAND), *words[1:]], cwd=folder, capture_output=True, text=True, timeout=120, env=environment()
    )


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}",
    }


def told(text: str) -> list[str]:
    """The lines of an output without what differs from run to run: times, and the width they give to columns."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    text = re.sub(r" · [\d.]+ s$", " · N s", text, flags=re.MULTILINE)
    return [" ".join(line.split()) for line in text.strip().splitlines()]
