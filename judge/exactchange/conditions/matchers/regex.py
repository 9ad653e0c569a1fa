"""Authors' patterns, in time linear in the text whatever the pattern (RE2)."""

from typing import cast

from exactchange.errors import UsageError


def check_pattern(pattern: str) -> None:
    """Raises UsageError when it is no pattern in RE2 syntax."""
    import re2  # type: ignore[import-untyped]  # ships without types

    options = re2.Options()
    options.log_errors = False  # the reason is in our own error
    try:
        re2.compile(pattern, options)
    except (re2.error, UnicodeError) as error:  # pyright: ignore[reportUnknownVariableType]  # ships without types
        reason = _reason(cast("Exception", error))
        raise UsageError(f"`matches:` is no pattern in RE2 syntax: {pattern!r}: {reason}") from error


def _reason(error: Exception) -> str:
    said: object = error.args[0] if error.args else error
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(error)


def full_match(pattern: str, text: str) -> bool:
    """Whether the whole text fits."""
    import re2

    whole = "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)  # no letters to RE2
    return re2.fullmatch(pattern, whole) is not None
