"""Golden files of this folder: EXACTCHANGE_UPDATE_GOLDEN=1 writes what was printed, to be reviewed."""

import os
import pathlib

HERE = pathlib.Path(__file__).parent / "golden"


def check_golden(name: str, text: str) -> None:
    """Compare a text with the file of its name."""
    file = HERE / name
    if os.environ.get("EXACTCHANGE_UPDATE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text, f"{name} differs; EXACTCHANGE_UPDATE_GOLDEN=1 takes the new text"
