"""The types of values: what a snapshot may hold."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

Scalar: TypeAlias = None | bool | int | float | str | bytes | dt.datetime | dt.date | dt.time
Value: TypeAlias = "Scalar | Sequence[Value] | Mapping[str, Value]"
Path: TypeAlias = tuple[str | int, ...]
"""A place for programs. A `str` is a mapping key or a key segment (`id=7`); an `int` is a list position.
How keys that look like something else are spelt is the address room's business (`exactchange.address.key`)."""


class Absent(Enum):
    """The type of ABSENT: known not to be there; a state, never null and never unread."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
State: TypeAlias = "Value | Literal[Absent.ABSENT]"
"""A value or its absence: what stands before and after a change."""

_SEAL: Final = re.compile(r"hmac:[0-9a-f]{64}")


def sealed(value: State) -> bool:
    """Whether it is a secret of which only a keyed hash was kept: `{"@secret": …}`, or the text `hmac:` and 64 digits.

    Anybody may write such a text; then nothing is known of it, which never makes a pass.
    """
    if isinstance(value, str):
        return len(value) == 69 and _SEAL.fullmatch(value) is not None
    return isinstance(value, Mapping) and len(value) == 1 and "@secret" in value
