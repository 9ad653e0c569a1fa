"""Documents fresh from the walk: their secrets hidden, and what did not change since the last capture not made anew."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import ne
from typing import Protocol, cast

from exactchange.limits import Budget
from exactchange_adapters.browser.document import Document
from exactchange_adapters.browser.nodes import items_of, node_of, nodes_of
from exactchange_adapters.browser.secrets import looks_secret

_NAMING = ("name", "id", "autocomplete")
_TYPED = frozenset("one-time-code cc-number cc-csc current-password new-password".split())
"""What a person types, and not a server: `autocomplete` says so."""


class Typed(Protocol):
    """Is told of a secret that somebody typed."""

    def __call__(self, text: str, *, names: Collection[str] = ()) -> None: ...


def untold(text: str, *, names: Collection[str] = ()) -> None:
    """Nobody asks."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A document as it was just read. `text` is what may be stored, `secret_names` are names of the secret fields.

    `line` and `walked`: its nodes before secrets were hidden. `changed`: numbers of the nodes that differ from those of
    the document before, where they are of the same kinds in the same places; None where nothing of the kind is known.
    """

    document: Document
    text: str
    secret_names: frozenset[str]
    line: str
    walked: Sequence[object]
    changed: Sequence[int] | None = None


def read_document(
    text: str, *, hide: Callable[[str], object], budget: Budget, before: Fresh | None = None, typed: Typed = untold
) -> Fresh:
    """The document of a line of nodes fresh from the walk.

    `hide` makes the stored form of a secret: of every field that is or was for a password, or is called like one.
    `typed` is told of those that a person types, with the names of the field.
    `before`: the document that was read there last, with the same `hide`. Raises as `parse_document`.
    """
    if before is not None and before.line == text:
        budget.spend(bytes=len(text), nodes=len(before.walked))
        return replace(before, changed=())
    walked = items_of(text, budget)
    stored = list(walked)
    names: set[str] = set()
    for number in _with_states(walked):
        hidden = _hidden(cast("list[object]", walked[number]), hide, typed)
        if hidden is not None:
            stored[number], name = hidden
            names.add(name)
    kept = json.dumps(stored, separators=(",", ":")) if names else text
    changed = None if before is None else _changed(before.walked, walked)
    if before is None or changed is None:
        document = Document(nodes_of(stored))
    else:
        document = before.document.with_nodes([node_of(number, stored[number]) for number in changed])
        changed = changed if document.take_over(before.document, changed) else None
    return Fresh(document, kept, frozenset(names - {""}), text, walked, changed)


def _with_states(items: Sequence[object]) -> list[int]:
    """Numbers of the items that may be of elements with a state."""
    every = cast("Sequence[list[object]]", items)
    return [number for number, item in enumerate(every) if type(item) is list and len(item) == 5]


def _changed(before: Sequence[object], after: Sequence[object]) -> list[int] | None:
    """Numbers of the nodes that differ; None where there are more of them or fewer."""
    return list(compress(range(len(after)), map(ne, before, after))) if len(before) == len(after) else None


def is_secret(attributes: Mapping[str, object], state: Mapping[str, object] | None) -> bool:
    """Whether an element is a field that is or was for a password, or is called like one for secrets."""
    if state is None or "v" not in state or "c" in state or isinstance(state["v"], list):
        return False
    return state.get("s") == 1 or any(looks_secret(str(attributes[name])) for name in _NAMING if name in attributes)


def _hidden(item: list[object], hide: Callable[[str], object], typed: Typed) -> tuple[object, str] | None:
    """A field with its value hidden, and its name, "" for one without; None when it is no secret."""
    attributes, state = item[2], item[4]
    if not isinstance(attributes, dict) or not isinstance(state, dict):
        return None
    named, live = cast("dict[str, object]", attributes), cast("dict[str, object]", state)
    if not isinstance(live.get("v"), str) or not is_secret(named, live):
        return None
    called = [str(named.get(name, "")) for name in _NAMING]
    if live.get("s") == 1 or not _TYPED.isdisjoint(called[2].lower().split()):
        typed(str(live["v"]), names=called)
    shown = {name: value for name, value in named.items() if name != "value"}
    return [*item[:2], shown, item[3], {**live, "v": hide(str(live["v"]))}], called[0]
