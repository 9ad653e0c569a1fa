"""The shape of a text, in the words of an author: `Build <digits>` fits `Build 7` and `Build 12`."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from exactchange.errors import UsageError

SHAPES: Final[Mapping[str, str]] = {
    "digits": r"[0-9]+",
    "number": r"[-+]?[0-9][0-9., \x{a0}\x{202f}']*",
    "hex": r"[0-9A-Fa-f]+",
    "word": r"[\pL\pN_-]+",
    "token": r"[A-Za-z0-9_+/=.~-]{8,}",
    "time": r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s?[AaPp]\.?[Mm]\.?)?",
    "date": r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4})",
    "ago": r"(?:just now|(?:[0-9]{1,3}|an?) [a-z]{3,8} ago)",
}
"""What may stand for a part of a text, in RE2 syntax; none of them takes white space at its ends or nothing at all."""
_NAMES: Final = ", ".join(f"<{name}>" for name in SHAPES)
_HOLE = re.compile(r"<<|<([^<>]*)>|<")
_LONGEST: Final = 10_000


def check_like(text: str) -> None:
    """Raises UsageError where a text is no shape: without a part that may differ, or with one that nobody knows."""
    _pattern(text)


def fits(like: str, text: str) -> bool:
    """Whether a whole text has a shape, in time linear in the text."""
    import re2  # type: ignore[import-untyped]  # ships without types

    if len(text) > _LONGEST or any("\ud800" <= letter <= "\udfff" for letter in text):
        return False
    return re2.fullmatch(_pattern(like), text) is not None


@lru_cache(maxsize=1000)
def _pattern(like: str) -> str:
    out: list[str] = []
    end = 0
    holes = 0
    for found in _HOLE.finditer(like):
        out.append(re.escape(like[end : found.start()]))
        end = found.end()
        if found.group() == "<<":
            out.append("<")
            continue
        name = found.group(1)
        if name is None:
            raise UsageError("`like` has a `<` that opens nothing; write `<<` for the sign itself")
        if name not in SHAPES:
            raise UsageError(f"`like` knows no part <{name}>; write one of {_NAMES}")
        holes += 1
        out.append(SHAPES[name])
    if not holes:
        raise UsageError(f"`like` has nothing that may differ; write a part such as {_NAMES}")
    return "".join([*out, re.escape(like[end:])])
