"""What is known of a document: its controls and lines, worked out anew only where it differs from the last capture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from exactchange.limits import Budget
from exactchange.values import Value
from exactchange_adapters.browser.controls import Controls, only_states_differ
from exactchange_adapters.browser.reading import Fresh, Typed, read_document, untold
from exactchange_adapters.browser.snapshot import pack
from exactchange_adapters.browser.windows import Window, windows_of


@dataclass(frozen=True, slots=True)
class Known:
    """A document with what a snapshot says of it. `packed`: its nodes as they are stored, without secrets."""

    fresh: Fresh
    controls: Controls
    lines: Sequence[Value]
    packed: bytes
    windows: tuple[Window, ...] = ()
    """Lists of which more is claimed than is there. Their rows are in none of the lines."""


def know(
    line: str, *, hide: Callable[[str], object], budget: Budget, before: Known | None, typed: Typed = untold
) -> Known:
    """What a line of nodes fresh from the walk says. Raises as `parse_document`.

    `before`: what was known in that place at the last capture. The whole line is compared with the one before, so the
    answer is the same without it, and only comes later.
    """
    fresh = read_document(line, hide=hide, budget=budget, before=before.fresh if before else None, typed=typed)
    if before is None or fresh.changed is None:
        return _anew(fresh)
    if not fresh.changed:
        return replace(before, fresh=fresh)
    old, new = before.fresh.document.nodes, fresh.document.nodes
    if all(only_states_differ(old[number], new[number]) for number in fresh.changed):
        controls = before.controls.after(fresh.document, fresh.changed)
        return Known(fresh, controls, before.lines, pack(fresh.text), before.windows)
    known = _anew(fresh)
    return replace(known, lines=before.lines) if known.lines == before.lines else known


def _anew(fresh: Fresh) -> Known:
    windows = windows_of(fresh.document)
    rows = frozenset(number for window in windows for number in window.rows.values())
    lines = list[Value](fresh.document.lines(skip=rows))
    return Known(fresh, Controls(fresh.document), lines, pack(fresh.text), windows)
