"""What is under way in a document while it is read: that it is still built, loads, moves, or says that it is busy."""

import importlib.resources
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pydantic import BaseModel, ConfigDict, ValidationError

SETTLE_S = 2.0
"""How long what is under way is waited for."""
BUILD_S = 8.0
"""How long a document is waited for that goes on asking, by script, for what it is made of."""
SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS = 100.0, 1500.0
"""As in underway.js."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a capture waits, in words. `key` names it for as long as the document lives, so that what was waited for in
    vain is let be; a reason without one is never let be.
    """

    what: str
    key: tuple[str, ...] = ()
    patience_s: float = SETTLE_S


class Underway(BaseModel):
    """What a frame's world says of its document. `age` and `built` are ms since it was navigated to.

    `built`: until when it was at work on itself, 0 where nothing was asked for by script. `moving`: elements of which
    an animation ends soon. `busy`: an element that calls itself so.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    age: float = 0
    built: float = 0
    ready: str = "complete"
    moving: tuple[tuple[str, float], ...] = ()
    busy: str = ""

    def built_until(self, before: float, *, stirs: bool) -> float:
        """Until which age it was at work on itself, 0 where it is not built by scripts. `before`: what was known of
        that; `stirs`: it changes just now, or something is asked for.
        """
        until = max(self.built, before)
        return max(until, self.age) if until and stirs and self.age - until <= pause(until) else until

    def reasons(self, loader: str, where: str, *, until: float) -> Iterator[Reason]:
        """What of a document is to be waited for. `where`: the document, for people; `until`: as `built_until` says."""
        if self.ready != "complete":
            yield Reason(f"a document that is still loading ({where})", (loader, "ready"))
        if until and self.age - until < pause(until):
            yield Reason(f"a document that is still built by its scripts ({where})", (loader, "built"), BUILD_S)
        for what, _ in self.moving:
            yield Reason(f"an animation of {what}", (loader, "moving", what))
        if self.busy:
            yield Reason(f"{self.busy}, which says that it is busy", (loader, "busy", self.busy))


def pause(until: float) -> float:
    """How long a document rests, in ms, before it is taken to be built: as long as it was at work so far."""
    return min(max(until, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS)


def with_underway(expression: str) -> str:
    """The expression of a text, with a line of what is under way above it."""
    return f"((said) => {_function()}({SETTLE_S * 1000}) + '\\n' + said)({expression})"


def underway(line: str) -> Underway:
    """What a world said; nothing where it makes no sense."""
    try:
        return Underway.model_validate(json.loads(line), strict=False)
    except (ValueError, ValidationError):
        return Underway()


@cache
def _function() -> str:
    script = importlib.resources.files("exactchange_adapters.browser").joinpath("underway.js").read_text("utf-8")
    _, arrow, maker = script.partition("\n() =>")
    kept = 'Object.hasOwn(globalThis, "exactChangeUnderway")'
    return f"({kept} ? globalThis.exactChangeUnderway : ({arrow}{maker.rstrip()})())"
