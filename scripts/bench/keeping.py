"""Where figures are kept: between two comments of the page of benchmarks."""

from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def keep(name: str, text: str) -> None:
    """Put a text into the page, in place of the one that has this name there."""
    PAGE.write_text(kept(PAGE.read_text(encoding="utf-8"), name, text), encoding="utf-8")


def kept(page: str, name: str, text: str) -> str:
    """The page with the text between the two comments of this name. Raises ValueError where it has none."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    at = page.index(begin) + len(begin)
    return page[:at] + text + page[page.index(end, at) :]
