"""One vocabulary of actions for all runners."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from exactchange.values import Value

Reporter: TypeAlias = Literal["agent", "runner", "witness"]

KINDS: Final = frozenset(
    "click move drag mouse_down mouse_up scroll type key fill select check upload goto back forward reload search "
    "tab_new tab_close tab_switch dialog script shell file_write sql tool observe wait message reply finish".split()
)
"""The kinds of action; `reply` is what the person answered. Anything else becomes `unknown` and is never dropped."""

NEUTRAL: Final = frozenset({"observe", "wait", "move", "scroll", "message", "reply", "finish"})
"""Looking, waiting and talking: no step, and neither breaks nor extends one."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that was done, as reported.

    `seq`: number in the trajectory, from 1. `args`: the kind's own fields (target, text, values, …).
    `raw`: the call as it was reported. `error`: what the runner said went wrong; the attempt still counts.
    """

    seq: int
    kind: str
    args: Mapping[str, Value]
    raw: str
    reported_by: Reporter
    time_ns: int | None = None
    error: str | None = None

    @property
    def target(self) -> Mapping[str, Value]:
        """What it was aimed at: `{"css": "#save"}`, `{"role": …, "name": …}`, `{"xy": [x, y]}`; may be empty."""
        target = self.args.get("target")
        return target if isinstance(target, Mapping) else {}

    @property
    def text(self) -> str | None:
        """The text that it typed, filled in, sent or was answered."""
        text = self.args.get("text")
        return text if isinstance(text, str) else None
