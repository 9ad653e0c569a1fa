"""What refers to a control from elsewhere on its page, told so that ids that are made up anew make no difference."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from exactchange.values import Path, Value
from exactchange_adapters.browser.document import Document, Node

_FIELDS = frozenset("input select textarea".split())


def references(document: Document, number: int, path: Path, fields: Sequence[int]) -> Mapping[str, Value]:
    """`@description`: the text that `aria-describedby` names. `@label`: which field from its label on the control is.

    The latter where the control is called by a label that stands elsewhere and names it by an id: `+1` is the first
    field after that label, `-1` the last before it. So a label that moves to another field is seen, whatever the ids
    are. `fields`: numbers of the page's fields, in document order. `path`: the control's own.
    """
    node = document.nodes[number]
    out: dict[str, Value] = {}
    told = node.attributes.get("aria-describedby")
    if told is not None and (text := _text(document, _named(document, node, told))):
        out["@description"] = text
    if "label=" in str(path[-1]) and (label := _label(document, node)) is not None:
        place = bisect_left(fields, number) - bisect_left(fields, label)
        out["@label"] = f"{place + 1 if place >= 0 else place:+d}"
    return out


def fields_of(document: Document, controls: Sequence[int]) -> list[int]:
    """Numbers of the controls that a person fills in, in document order."""
    nodes = (document.nodes[number] for number in controls)
    return sorted(node.number for node in nodes if node.tag in _FIELDS and not _hidden(node))


def _hidden(node: Node) -> bool:
    return node.state is not None and node.state.get("t") == "hidden"


def _label(document: Document, node: Node) -> int | None:
    """The first element that names a control by an id, of the one or of the other; None where none does."""
    told = node.attributes.get("aria-labelledby")
    found = [] if told is None else _named(document, node, told)
    identity = node.attributes.get("id")
    if not found and identity:
        found = document.labels_for.get((document.scopes[node.number], identity), [])
    return found[0] if found else None


def _named(document: Document, node: Node, ids: str) -> list[int]:
    scope = document.scopes[node.number]
    found = (document.by_id.get((scope, word), []) for word in ids.split())
    return [numbers[0] for numbers in found if numbers]


def _text(document: Document, numbers: Sequence[int]) -> str:
    """All text in these elements, seen or not: help is often hidden, and read out all the same."""
    out: list[str] = []
    todo = list(reversed(numbers))
    while todo:
        number = todo.pop()
        document.look(1 + len(document.nodes[number].text) // 64)
        out.append(document.nodes[number].text)
        todo += reversed(document.children[number])
    return " ".join(" ".join(out).split())
