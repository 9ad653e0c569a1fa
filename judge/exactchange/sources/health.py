"""What a check of this machine found: the value in which adapters answer `exactchange doctor`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that judging needs: whether it is there, what was found, and how to mend what is not.

    `ok` false means needed and missing; what is merely worth knowing is `ok` with a `detail`.
    `remedy` is one or more lines for a person, empty where nothing is to be mended.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""


# Entry-point group `exactchange.doctor`: looks, and never changes anything.
Examine: TypeAlias = Callable[[], Sequence[Check]]

# Entry-point group `exactchange.installers`: tells its progress line by line to the callable given and returns
# what it now uses; raises InfrastructureError with the ways out where it cannot.
Install: TypeAlias = Callable[[Callable[[str], None]], str]
