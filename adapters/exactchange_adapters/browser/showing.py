"""Elements by what they say: the smallest of which a person can read just this text."""

from collections.abc import Sequence

from exactchange.limits import Budget
from exactchange_adapters.browser.document import SHADOW, Document, Node

_PUSHERS = frozenset(["button", "submit", "reset"])
_NO_WIDTH = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


def showing(document: Document, wanted: str, *, budget: Budget) -> Sequence[int]:
    """Numbers of the elements that show a text and nothing else, and hold none that does, in document order.

    White space counts as one space, and case counts. A button of an `<input>` shows its `value`. Raises OverBudget.
    """
    wanted = " ".join(wanted.split())
    sizes = _sizes(document)
    found = {node.number for node in document.nodes if _is_pusher_of(node, wanted)}
    known: set[int] = set()
    for node in document.nodes:
        piece = " ".join(node.text.translate(_NO_WIDTH).split())
        if piece and piece in wanted:
            found |= _around(document, node, wanted, known, sizes, budget)
    return sorted(found)


def _sizes(document: Document) -> list[int]:
    """How many nodes each node is made of, itself included."""
    out = [1] * len(document.nodes)
    for node in reversed(document.nodes):
        if node.parent >= 0:
            out[node.parent] += out[node.number]
    return out


def _around(
    document: Document, node: Node, wanted: str, known: set[int], sizes: Sequence[int], budget: Budget
) -> set[int]:
    """The nearest element above a text that says all that is wanted. `known`: what was looked at before."""
    for above in document.ancestors(node.number):
        if above.number in known:
            return set()
        known.add(above.number)
        if above.tag == SHADOW:
            continue
        budget.spend(nodes=sizes[above.number])
        said = " ".join(" ".join(document.lines(above.number)).split())
        if said == wanted:
            return {above.number}
        if said not in wanted:
            return set()
    return set()


def _is_pusher_of(node: Node, wanted: str) -> bool:
    if node.tag != "input" or node.attributes.get("value") is None:
        return False
    kind = node.attributes.get("type", "text").lower()
    return kind in _PUSHERS and " ".join(node.attributes["value"].split()) == wanted
