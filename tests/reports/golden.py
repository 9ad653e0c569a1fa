"""Golden files: text is compared with the file of its name; EXACTCHANGE_UPDATE_GOLDEN=1 writes it instead."""

import os
import pathlib

HERE = pathlib.Path(__file__).parent / "golden"


def check_golden(name: str, text: str) -> None:
    """Compare with `golden/NAME`; the file must be there, and no longer differ once it was reviewed."""
    file = HERE / name
    if os.environ.get("EXACTCHANGE_UPDATE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text, f"{name} differs; EXACTCHANGE_UPDATE_GOLDEN=1 takes the new text"
