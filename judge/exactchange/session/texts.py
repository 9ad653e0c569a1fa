"""What a session takes from a runner as text, and the verdict that it writes at the end."""

import pathlib

from exactchange.errors import UsageError
from exactchange.verdict import Verdict, write_verdict
from exactchange.verdict.document import VerdictNotWritten


def check_text(name: str, given: object) -> None:
    """Raises UsageError for what is neither a text nor None."""
    if given is not None and not isinstance(given, str):
        raise UsageError(f"`{name}` is a text or None, and no {type(given).__name__}")


def write(verdict: Verdict, folder: pathlib.Path) -> None:
    """Write `verdict.json`. Raises VerdictNotWritten, which holds the verdict."""
    try:
        write_verdict(verdict, folder / "verdict.json")
    except OSError as error:
        message = f"the verdict cannot be written to {folder / 'verdict.json'}: {error.strerror}"
        raise VerdictNotWritten(verdict, message) from error
